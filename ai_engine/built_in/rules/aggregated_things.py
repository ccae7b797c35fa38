"""Rules for aggregates of things: "number of loans", "total transaction value", "average number of cards each"."""

from __future__ import annotations

from dataclasses import replace

from ai_engine.built_in.meanings import Attribute, Days, Stored, Thing
from ai_engine.built_in.rules.amounts import MONEY_NOUNS
from ai_engine.built_in.rules.compared_figures import compare_measure
from ai_engine.built_in.rules.ranking import count_of
from ai_engine.built_in.sketch import Pending, Walk
from ai_engine.built_in.spending import amount_spent
from ai_engine.semantics.intent import FieldRef, Measure
from ai_engine.semantics.words import words

_OWED = frozenset({"emi", "due", "dues"})
_WORTH = frozenset({"value", "values", "amount", "amounts", "worth", "spend"})


def aggregate_thing(walk: Walk, found: Thing) -> None:
    """Count the rows of a thing, or take its main figure, as what was said before asks."""
    pending = walk.pending
    assert pending is not None  # noqa: S101 - the caller looked
    names_table = walk.knowledge.field_follows(walk.peek(1), found.dataset) and not _tells_which_part(walk, pending)
    if names_table or _belongs_to_next(walk):
        walk.take(1)
        walk.sketch.things.append(found)
        return
    if (own := _figure_of_values(walk, found, pending)) is not None:
        walk.pending = None
        walk.assume(f"“{pending.text}” is taken of the {walk.knowledge.field(own).label}.")
        walk.sketch.measures.extend(Measure(aggregate=said, field=own) for said in pending.aggregates)
        walk.take(1)
        return
    if pending.aggregates == ("sum",) and (_is_worth(walk) or _is_money(walk, found)):
        pending = replace(pending, of_amount=True)  # "total transaction value"
    if pending.aggregates == ("avg",) and not pending.of_amount and _is_counted_per(walk, found):
        walk.sketch.per_each = True
        pending = replace(pending, aggregates=("count",))
    walk.pending = None
    if pending.of_amount and "count" in pending.aggregates:
        walk.sketch.measures.append(count_of(walk, found, pending))
        pending = replace(pending, aggregates=tuple(said for said in pending.aggregates if said != "count") or ("sum",))
    counts = pending.aggregates in {("count",), ("sum",)} and not pending.of_amount
    walk.sketch.meanings.append((pending.text, "count" if counts else " and ".join(pending.aggregates)))
    if counts:
        measure = count_of(walk, found, pending)
        if pending.aggregates == ("sum",):
            walk.sketch.cost += 0.1
        walk.take(1, f"{walk.knowledge.dataset(found.dataset).label} rows")
        if walk.subject not in {None, found.dataset} and compare_measure(walk, measure):
            return
        walk.sketch.measures.append(measure)
        if _is_counted_for_each(walk, found):
            walk.sketch.groups.append(walk.sketch.things.pop())
        if not walk.sketch.groups:
            walk.sketch.things.append(found)
        return
    amount = _amount_of(walk, found, pending)
    if amount is None and pending.of_amount:
        walk.pending = pending  # "how much did customers spend": the amount is not theirs
        walk.take(1, f"{walk.knowledge.dataset(found.dataset).label} rows")
        walk.sketch.things.append(found)
        return
    if amount is None:
        walk.leave_over()
        return
    walk.assume(f"“{pending.text} {walk.text()}” was taken as its {walk.knowledge.field(amount).label}.")
    walk.sketch.cost += 0.0 if pending.of_amount else 0.1
    walk.take(1, walk.knowledge.field(amount).label)
    measures = [Measure(aggregate=aggregate, field=amount) for aggregate in pending.aggregates]
    if not (len(measures) == 1 and compare_measure(walk, measures[0])):
        walk.sketch.measures.extend(measures)
        walk.sketch.things.append(found)


def _amount_of(walk: Walk, found: Thing, pending: Pending) -> FieldRef | None:
    if walk.sketch.asks_when and set(pending.aggregates) <= {"min", "max"}:
        return walk.knowledge.time_field(found.dataset)  # "when were the first and the last loan made"
    if walk.sketch.spent:
        return amount_spent(walk.knowledge, found.dataset)
    return walk.knowledge.main_measure(found.dataset, money_only=pending.of_amount)


def _tells_which_part(walk: Walk, pending: Pending) -> bool:
    """ "share of loans closed before 2020": the verb tells the part, and the loans are counted."""
    said = walk.peek(1)
    dated = isinstance(said, Attribute) and walk.knowledge.field(said).role == "time"
    return pending.implied and dated and (walk.is_cue(2, "compare") or isinstance(walk.peek(2), Days))


def _figure_of_values(walk: Walk, found: Thing, pending: Pending) -> FieldRef | None:
    """ "average approved purchase on credit cards": the amount of the purchases, which belong to cards."""
    ahead = -1
    while isinstance(walk.peek(ahead), Stored | Thing) or walk.is_cue(ahead, "and", "or", "against"):
        ahead -= 1
    first = walk.peek(ahead + 1)
    if not isinstance(first, Stored) or not walk.is_cue(ahead, "aggregate") or "count" in pending.aggregates:
        return None
    if not walk.knowledge.is_parent(first.dataset, found.dataset):
        return None
    return walk.knowledge.main_measure(first.dataset, money_only=True)


def _is_counted_for_each(walk: Walk, found: Thing) -> bool:
    """ "loan types and number of loans": those that belong to each of the things named before."""
    owner = walk.sketch.things[-1] if walk.sketch.things else None
    listed = walk.is_cue(-3, "and", "stop") and walk.peek(-4) == owner
    alone = len(walk.sketch.measures) == 1 and not walk.sketch.filters and not walk.sketch.groups
    return owner is not None and listed and alone and walk.knowledge.is_parent(found.dataset, owner.dataset)


def _is_counted_per(walk: Walk, found: Thing) -> bool:
    """ "average transactions per account" is how many each has."""
    owner = walk.peek(2)
    said = walk.is_cue(1, "group") and walk.items[walk.position + 1].text.lower() in {"per", "for each", "for every"}
    return said and isinstance(owner, Thing) and walk.knowledge.is_parent(found.dataset, owner.dataset)


def _belongs_to_next(walk: Walk) -> bool:
    """ "how many female clients' accounts", "customer accounts": of two nouns side by side the last is counted."""
    noun = walk.peek(1)
    if not isinstance(noun, Thing) or walk.items[walk.position + 1].apart or noun == walk.peek():
        return False
    said = words(walk.items[walk.position + 1].text)
    return walk.knowledge.lexicon.is_noun(said[-1], noun)  # "how many clients ordered" counts clients


def _is_worth(walk: Walk) -> bool:
    """ "total transaction value": the noun after the thing asks for its amount."""
    return walk.is_cue(1, "amount", "weak") and walk.items[walk.position + 1].text.lower().split()[0] in _WORTH


def _is_money(walk: Walk, found: Thing) -> bool:
    """ "total fees" adds the fees up; "total customers" counts them."""
    noun = words(walk.knowledge.dataset(found.dataset).label)[-1:]
    kept = walk.knowledge.dataset(found.dataset).snapshot_time is not None and noun == ("balance",)
    return bool(kept or MONEY_NOUNS.intersection(noun) or _OWED.intersection(words(walk.text())))
