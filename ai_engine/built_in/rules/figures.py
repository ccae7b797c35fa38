"""Rules for what is counted, summed and averaged."""

from __future__ import annotations

from ai_engine.built_in.meanings import (
    Attribute,
    Cue,
    Days,
    Figure,
    Meaning,
    Number,
    Stored,
    Thing,
)
from ai_engine.built_in.rules.aggregated_things import aggregate_thing
from ai_engine.built_in.rules.compared_figures import compare_measure
from ai_engine.built_in.rules.listed import is_listed
from ai_engine.built_in.rules.ranking import order_by, rank_by_thing, superlative
from ai_engine.built_in.rules.relations import is_shown_beside, related_thing
from ai_engine.built_in.rules.role_amounts import ranks_a_role
from ai_engine.built_in.rules.whose import is_figure_of_something_else
from ai_engine.built_in.sketch import Walk
from ai_engine.semantics.intent import (
    Measure,
)
from ai_engine.semantics.words import words

_AGGREGATED_FIGURE_COST = 0.6


def thing(walk: Walk) -> None:
    """Rows of a table: counted, ranked, related to the subject, or the subject itself."""
    found = walk.peek()
    assert isinstance(found, Thing)  # noqa: S101 - dispatched by type
    if is_listed(walk) and walk.sketch.things[:1] == [found] and walk.pending is None and walk.superlative is None:
        _show_its_amount(walk, found)
    elif walk.superlative is not None:
        if not ranks_a_role(walk, found):
            rank_by_thing(walk, found)
    elif walk.pending is not None and walk.pending.implied and _total_follows(walk):
        walk.sketch.things.append(found)  # "share of savings accounts in the total balance" is one of the balance
        walk.sketch.part = walk.sketch.filters[-1] if walk.sketch.filters else walk.sketch.part
        walk.take(1, f"{walk.knowledge.dataset(found.dataset).label} rows")
    elif walk.pending is not None and _counts_those_who_have(walk, found):
        walk.sketch.measures.append(Measure(aggregate="count", dataset=walk.subject))
        walk.pending = None
        related_thing(walk, found)
    elif walk.pending is not None and not _is_had_by_those_asked_about(walk):
        aggregate_thing(walk, found)
    elif not related_thing(walk, found):
        ranked = walk.sketch.limit_descending is not None
        if (walk.sketch.asks_list or ranked) and not walk.sketch.things and not walk.sketch.attributes:
            walk.sketch.listed_first = found
        if is_shown_beside(walk, found):
            walk.sketch.beside.append(found)
        elif _is_any_without_verb(walk, found):
            walk.leave_over()
            return
        else:
            walk.sketch.things.append(found)
        walk.open_membership = False
        walk.take(1, f"{walk.knowledge.dataset(found.dataset).label} rows")
    walk.having = False


def _is_any_without_verb(walk: Walk, found: Thing) -> bool:
    """ "applications that got in by way of a broker": a link that says nothing leaves open whether all of them did."""
    subject, following = walk.subject, walk.peek(1)
    ended = following is None or isinstance(following, Days) or walk.is_cue(1, "stop")
    one_of = walk.items[walk.position].indefinite and subject not in {None, found.dataset}
    averaged = any(measure.aggregate == "avg" for measure in walk.sketch.measures)  # "average balance for a client"
    return ended and one_of and not averaged and walk.knowledge.is_parent(str(subject), found.dataset)


def _show_its_amount(walk: Walk, found: Thing) -> None:
    """ "overdue instalments: loan, due date, instalment": among columns the noun is the amount that is called so."""
    said = set(words(walk.text()))
    named = [
        item.name
        for item in walk.knowledge.dataset(found.dataset).fields
        if item.role == "measure" and said.intersection(words(item.label))
    ]
    if len(named) != 1:
        walk.leave_over()
        return
    walk.sketch.attributes.append(Attribute(found.dataset, named[0]))
    walk.take(1, walk.knowledge.dataset(found.dataset).field(named[0]).label)


def _is_had_by_those_asked_about(walk: Walk) -> bool:
    """ "spend of customers with a loan": the amount is theirs and not that of the loan."""
    ahead = -1
    while isinstance(walk.peek(ahead), Stored):
        ahead -= 1
    waits = walk.pending is not None and walk.pending.of_amount
    return waits and walk.having and walk.is_cue(ahead, "have") and isinstance(walk.peek(ahead - 1), Thing)


def _counts_those_who_have(walk: Walk, found: Thing) -> bool:
    """ "of the accounts with a loan, how many have a card": the verb right after "how many" tells that they have it."""
    pending, subject = walk.pending, walk.subject
    if pending is None or pending.aggregates != ("count",) or not walk.having:
        return False
    ahead = -1
    while isinstance(walk.peek(ahead), Stored):
        ahead -= 1
    verb = walk.is_cue(ahead, "have") and walk.items[walk.position + ahead].text.lower() not in {"with", "without"}
    told = verb and walk.is_cue(ahead - 1, "aggregate")
    return told and subject is not None and walk.knowledge.is_parent(found.dataset, subject)


def _total_follows(walk: Walk) -> bool:
    cue, total = walk.peek(1), walk.peek(2)
    summed = isinstance(cue, Cue) and cue.kind == "aggregate" and cue.value == "sum"
    return summed and (isinstance(total, Figure) or _is_measure(walk, total))


def _is_measure(walk: Walk, found: Meaning | None) -> bool:
    return isinstance(found, Attribute) and walk.knowledge.field(found).role == "measure"


def figure(walk: Walk) -> None:
    """A metric of the vocabulary."""
    found = walk.peek()
    assert isinstance(found, Figure)  # noqa: S101 - dispatched by type
    metric = walk.knowledge.model.metric(found.metric)
    measure = Measure(metric=found.metric)
    if walk.pending is None and _does_most(walk, measure):
        return
    if (metric.unit == "count" and _tells_what_they_have(walk)) or is_figure_of_something_else(walk):
        walk.leave_over()
        return
    if walk.subject is not None and walk.pending is None and _counts_what_follows(walk):
        walk.having = True
        walk.take(1)  # "branches that disbursed more than 50 loans": here the figure's name is a verb
        return
    total = metric.expression.upper().startswith(("SUM(", "COUNT("))
    if total and walk.pending is not None and not {"sum", "count"} & set(walk.pending.aggregates):
        walk.sketch.cost += _AGGREGATED_FIGURE_COST
        walk.sketch.per_each |= walk.pending.aggregates == ("avg",)
        walk.sketch.unplaced += [] if walk.pending.aggregates == ("avg",) else [walk.pending.text]
    if (
        total
        and walk.superlative is not None
        and not (walk.sketch.things or walk.sketch.attributes or walk.sketch.groups)
    ):
        walk.sketch.cost += _AGGREGATED_FIGURE_COST
    if walk.pending is not None and "count" in walk.pending.aggregates and metric.unit != "count":
        base = walk.knowledge.base(measure)
        if walk.pending.aggregates == ("count",) or base is None:
            walk.sketch.unplaced += [] if walk.pending.implied else [walk.pending.text]
        else:  # "count and total value"
            walk.sketch.measures.append(Measure(aggregate="count", dataset=base))
    walk.pending = None  # "total deposits", "average NPA ratio": the metric knows its own aggregate
    walk.take(1, f"metric {metric.label}")
    if walk.superlative is not None and walk.superlative.kind in {"old", "new"}:
        walk.sketch.unplaced.append(walk.superlative.text)  # no figure is "the last"
        walk.superlative = None
    if walk.superlative is not None:
        order_by(walk, measure)
    elif not compare_measure(walk, measure):
        walk.sketch.measures.append(measure)


def _tells_what_they_have(walk: Walk) -> bool:
    """ "with an active account", "how many customers have active accounts": whom to count, and no other figure."""
    counted = Measure(aggregate="count", dataset=walk.subject) if walk.subject is not None else None
    told = walk.is_cue(-1, "have", "both") and walk.having and walk.sketch.measures == [counted]
    return walk.items[walk.position].indefinite or told


def _does_most(walk: Walk, measure: Measure) -> bool:
    """ "which branch lost the most accounts": a figure said as a verb is that of the rows it is done to."""
    cue, noun, doer = walk.peek(1), walk.peek(2), -1
    while walk.is_cue(doer, "have", "relative"):
        doer -= 1
    most = isinstance(cue, Cue) and cue.kind == "superlative" and cue.value in {"many", "few"}
    if walk.superlative or not (most and isinstance(noun, Thing) and isinstance(walk.peek(doer), Thing | Attribute)):
        return False
    if walk.knowledge.base(measure) != noun.dataset:
        walk.leave_over()
    elif walk.knowledge.model.metric(str(measure.metric)).unit == "count":
        walk.take(1)
        superlative(walk)
        walk.take(1, "ranked by that figure")
        order_by(walk, measure)
    else:
        walk.having = True
        walk.take(1)
    return True


def _counts_what_follows(walk: Walk) -> bool:
    return walk.is_cue(1, "compare") and isinstance(walk.peek(2), Number) and isinstance(walk.peek(3), Thing)
