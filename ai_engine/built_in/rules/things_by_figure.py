"""Rule for things and the figure that ranks them: "branches by deposits", "customers by number of loans"."""

from __future__ import annotations

from ai_engine.built_in.knowledge import ref
from ai_engine.built_in.meanings import Attribute, Cue, Figure, Thing
from ai_engine.built_in.rules.amounts_of_things import described_rows, total_of_things
from ai_engine.built_in.sketch import OrderWish, Walk
from ai_engine.semantics.intent import Measure
from ai_engine.semantics.model import Aggregate

_ONE_FOR_MANY_COST = 0.5  # "by balance" is by an amount rather than by how many balances there are
_KINDS = frozenset({"category", "name"})


def things_by_figure(walk: Walk, ahead: int, by: str) -> bool:
    """A figure groups nothing: the things are shown with it, the largest first."""
    sketch, following = walk.sketch, (walk.is_cue(ahead + 1, "bands"), walk.is_cue(ahead + 2, "bands"))
    if by != "by" or any(following) or walk.pending is not None or sketch.limit_descending is not None:
        return False
    said = [item.meaning for item in walk.items[: walk.position]]
    named: list[Thing | Attribute] = [*sketch.things, *sketch.attributes]
    if len(named) != 1 or named[0] not in said or sketch.measures or sketch.groups:  # not one taken over by a follow-up
        return False
    subject, (measure, end) = named[0], _figure(walk, ahead)
    if measure is None or not _has_it(walk, subject, measure):
        return _sorted_by_own(walk, subject, ahead)
    sketch.cost += cost_of_counting(walk, ahead)
    sketch.things.clear()
    sketch.attributes.clear()
    sketch.groups.append(subject)
    sketch.measures.append(measure)
    sketch.orders.append(OrderWish(measure=measure, descending=True))
    walk.take(end, "ranking")
    return True


def cost_of_counting(walk: Walk, ahead: int) -> float:
    """What it costs to rank by how many there are of a thing that was said as one."""
    named = isinstance(walk.peek(ahead), Thing)
    return _ONE_FOR_MANY_COST * (named and not walk.items[walk.position + ahead].is_plural)


def _sorted_by_own(walk: Walk, subject: Thing | Attribute, ahead: int) -> bool:
    """ "accounts by balance": hardly two have the same, so they are listed."""
    said = walk.peek(ahead)
    if not isinstance(subject, Thing) or not isinstance(said, Attribute) or said.dataset != subject.dataset:
        return False
    if not walk.knowledge.is_amount(said):
        return False
    walk.sketch.attributes.append(said)
    walk.sketch.listed_first = subject
    walk.sketch.asks_list = True
    walk.sketch.orders.append(OrderWish(field=ref(said), descending=True))
    walk.take(ahead + 1, "ranking")
    return True


def _figure(walk: Walk, ahead: int) -> tuple[Measure | None, int]:
    said, following = walk.peek(ahead), walk.peek(ahead + 1)
    if (valued := total_of_things(walk, ahead)) is not None:
        return valued
    if isinstance(said, Figure):
        return Measure(metric=said.metric), ahead + 1
    if isinstance(said, Thing):
        return Measure(aggregate="count", dataset=said.dataset), ahead + 1
    if isinstance(said, Attribute) and walk.knowledge.field(said).role == "measure":
        return Measure(aggregate=walk.knowledge.field(said).default_aggregate or "sum", field=ref(said)), ahead + 1
    if isinstance(said, Cue) and said.kind == "aggregate":
        aggregate: Aggregate = said.value  # type: ignore[assignment]
        if isinstance(following, Thing) and aggregate == "count":
            return Measure(aggregate="count", dataset=following.dataset), ahead + 2
        if isinstance(following, Attribute) and walk.knowledge.field(following).role == "measure":
            return Measure(aggregate=aggregate, field=ref(following)), ahead + 2
        if aggregate != "count" and (valued := total_of_things(walk, ahead + 1, sized=True)) is not None:
            return valued[0].model_copy(update={"aggregate": aggregate}), valued[1]  # "by average loan value"
        if aggregate == "count" and (described := described_rows(walk, ahead + 1)) is not None:
            return Measure(aggregate="count", dataset=described.dataset), ahead + 1
    return None, ahead


def _has_it(walk: Walk, subject: Thing | Attribute, measure: Measure) -> bool:
    """A thing has many rows of the figure, a kind of things some: each customer has one age, which says no more."""
    base, knows = walk.knowledge.base(measure), walk.knowledge
    if base is None:
        return False
    if isinstance(subject, Thing):
        return knows.is_parent(base, subject.dataset)
    kind = knows.field(subject).role in _KINDS
    return kind and (base == subject.dataset or knows.is_parent(base, subject.dataset))
