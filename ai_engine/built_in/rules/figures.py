"""Rules for what is counted, summed and averaged."""

from __future__ import annotations

from dataclasses import replace

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
from ai_engine.built_in.rules.amounts import MONEY_NOUNS, OF_TIMES, units_agree
from ai_engine.built_in.rules.ranking import count_of, order_by, rank_by_thing
from ai_engine.built_in.rules.relations import is_shown_beside, related_thing
from ai_engine.built_in.sketch import COMPARISONS, Pending, Walk
from ai_engine.semantics.intent import (
    FieldRef,
    Having,
    Measure,
)
from ai_engine.semantics.words import words

_AGGREGATED_FIGURE_COST = 0.6
_OWED = frozenset({"emi", "due", "dues"})
_WORTH = frozenset({"value", "values", "amount", "amounts", "worth", "spend"})


def _is_worth(walk: Walk) -> bool:
    """ "total transaction value": the noun after the thing asks for its amount."""
    return walk.is_cue(1, "amount", "weak") and walk.items[walk.position + 1].text.lower().split()[0] in _WORTH


def _is_money(walk: Walk, found: Thing) -> bool:
    """ "total fees" adds the fees up; "total customers" counts them."""
    noun = words(walk.knowledge.dataset(found.dataset).label)[-1:]
    return bool(MONEY_NOUNS.intersection(noun) or _OWED.intersection(words(walk.text())))


def thing(walk: Walk) -> None:
    """Rows of a table: counted, ranked, related to the subject, or the subject itself."""
    found = walk.peek()
    assert isinstance(found, Thing)  # noqa: S101 - dispatched by type
    if walk.superlative is not None:
        rank_by_thing(walk, found)
    elif walk.pending is not None and walk.pending.implied and _total_follows(walk):
        walk.sketch.things.append(found)  # "share of savings accounts in the total balance" is one of the balance
        walk.sketch.part = walk.sketch.filters[-1] if walk.sketch.filters else walk.sketch.part
        walk.take(1, f"{walk.knowledge.dataset(found.dataset).label} rows")
    elif walk.pending is not None and _counts_those_who_have(walk, found):
        walk.sketch.measures.append(Measure(aggregate="count", dataset=walk.subject))
        walk.pending = None
        related_thing(walk, found)
    elif walk.pending is not None:
        _aggregate_thing(walk, found)
    elif not related_thing(walk, found):
        ranked = walk.sketch.limit_descending is not None
        if (walk.sketch.asks_list or ranked) and not walk.sketch.things and not walk.sketch.attributes:
            walk.sketch.listed_first = found
        if is_shown_beside(walk, found):
            walk.sketch.beside.append(found)
        else:
            walk.sketch.things.append(found)
        walk.open_membership = False
        walk.take(1, f"{walk.knowledge.dataset(found.dataset).label} rows")
    walk.having = False


def _counts_those_who_have(walk: Walk, found: Thing) -> bool:
    """ "of the accounts with a loan, how many have a card": the verb right after "how many" tells that they have it."""
    pending, subject = walk.pending, walk.subject
    if pending is None or pending.aggregates != ("count",) or pending.text.lower() != "how many" or not walk.having:
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


def _counts_what_follows(walk: Walk) -> bool:
    return walk.is_cue(1, "compare") and isinstance(walk.peek(2), Number) and isinstance(walk.peek(3), Thing)


def _aggregate_thing(walk: Walk, found: Thing) -> None:
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
    amount = walk.knowledge.main_measure(found.dataset, money_only=pending.of_amount)
    if walk.sketch.asks_when and set(pending.aggregates) <= {"min", "max"}:
        amount = walk.knowledge.time_field(found.dataset)  # "when were the first and the last loan made"
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


def compare_measure(walk: Walk, measure: Measure) -> bool:
    """ "total balance over 10000", "average income above the average": keep groups by their figure."""
    ahead = walk.skip(0, "not")
    cue, number = walk.peek(ahead), walk.peek(ahead + 1)
    if not (isinstance(cue, Cue) and cue.kind == "compare" and isinstance(number, Number)):
        return False
    operator = COMPARISONS.get(str(cue.value))
    if walk.items[walk.position + ahead].text.lower() in OF_TIMES:
        return False  # no number of loans is "before 2020"
    if operator is None or (measure.aggregate == "count" and number.unit is not None):
        return False  # no number of loans is "more than 90 days"
    if measure.field is not None and not units_agree(walk.knowledge.field(measure.field), number):
        return False
    walk.sketch.havings.append(Having(measure=measure, operator=operator, value=number.value))
    walk.take(ahead + 2, "condition on the figure")
    return True
