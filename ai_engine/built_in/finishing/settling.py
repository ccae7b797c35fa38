"""What was said last or alone, applied where it belongs before the sketch becomes a question."""

from __future__ import annotations

from collections.abc import Sequence

from ai_engine.built_in.knowledge import Knowledge, ref
from ai_engine.built_in.meanings import Attribute, Step
from ai_engine.built_in.rules.ranked_alone import rank_what_is_asked_about
from ai_engine.built_in.rules.ranking import order_by, ranked_field
from ai_engine.built_in.sketch import Sketch, Walk
from ai_engine.built_in.spending import amount_spent
from ai_engine.built_in.stocks import day_of_ending
from ai_engine.semantics.intent import (
    Condition,
    FieldRef,
    Measure,
    Membership,
)
from ai_engine.semantics.model import Aggregate
from ai_engine.semantics.words import stem, words

_ASKING_A_SUM = frozenset({"total", "sum", "sum of", "add up", "adds up"})  # "in total" and "together" say no more

_SAID_FOR_ITSELF = _ASKING_A_SUM | {"size", "size of", "sizes of"}


def settle_waiting(walk: Walk) -> None:
    """Apply what was said last: "how many have a loan", "customers with the most"."""
    sketch = walk.sketch
    said_again = walk.pending is not None and [walk.pending.aggregates] == [(m.aggregate,) for m in sketch.measures]
    elapsed = all(m.field is not None and m.field.since is not None for m in sketch.measures)
    if said_again and (elapsed or (walk.pending is not None and walk.pending.text.lower() == "total")):
        walk.pending = None  # "days from opening to closing on average"
    if walk.pending is not None:
        subject = walk.subject or _dataset_of_values(sketch)
        last = sketch.attributes[-1] if sketch.attributes else None
        amount_of_its_own = walk.pending.of_amount and walk.pending.aggregates == ("sum",)
        plain = last is not None and walk.pending.aggregates != ("count",) and not amount_of_its_own
        if last is not None and plain and walk.knowledge.field(last).role == "measure":
            sketch.attributes.pop()
            sketch.measures.extend(_measure_said(said, last) for said in walk.pending.aggregates)
        elif (
            walk.pending.aggregates == ("sum",)
            and not sketch.measures
            and not sketch.things
            and ((amount := _amount_of_values(walk)) is not None)
        ):
            sketch.measures.append(Measure(aggregate="sum", field=amount))
        elif walk.pending.of_amount and (amount := _amount_of_values(walk) or _amount_of_groups(walk)) is not None:
            sketch.measures.extend(Measure(aggregate=said, field=amount) for said in walk.pending.aggregates)
        elif (
            walk.pending.aggregates == ("sum",)
            and not sketch.measures
            and walk.pending.of_amount == sketch.counts_too
            and (amount := _amount_of_things(walk)) is not None
        ):
            sketch.measures.append(Measure(aggregate="sum", field=amount))
        elif walk.pending.aggregates == ("count",) and (counted := _counted_before(walk)) is not None:
            sketch.measures.append(counted)
        elif walk.pending.aggregates == ("count",) and subject is not None:
            if sketch.measures:
                sketch.counts_too = True  # "fees collected last month, and how many of them"
            elif not any(wish.measure for wish in sketch.orders):
                sketch.measures.append(Measure(aggregate="count", dataset=subject))
        elif (total := _their_total(walk)) is not None:
            sketch.measures.append(total)
        elif (
            walk.pending.aggregates != ("sum",) or not sketch.measures or walk.pending.text.lower() in _SAID_FOR_ITSELF
        ):
            sketch.unplaced.append(walk.pending.text)
    if walk.superlative is not None:
        best = walk.superlative
        if sketch.measures:
            order_by(walk, measure=sketch.measures[0])
        elif (
            best.kind in {"old", "new"}
            and sketch.attributes
            and walk.knowledge.field(sketch.attributes[-1]).role == "time"
        ):
            dated = sketch.attributes.pop()  # "which branch was opened first"
            order_by(walk, field=ref(dated))
        elif best.kind in {"old", "new"} and len(sketch.things) == 1 and not sketch.attributes and _is_of_age(walk):
            order_by(walk, field=ranked_field(walk.knowledge, sketch.things[0], best), one_row=True)
        elif best.kind in {"many", "few"} and sketch.attributes:
            counted = _figure_of_most(sketch.attributes[-1], walk.knowledge)
            named_before = sketch.things or sketch.attributes[:-1]
            if named_before and walk.knowledge.field(sketch.attributes[-1]).role == "time":
                sketch.attributes.pop()  # "which product was issued the most": the verb tells what is counted
            order_by(walk, measure=counted)
        else:
            rank_what_is_asked_about(walk)
    sketch.unplaced.extend(_never_applied(walk))


def _figure_of_most(last: Attribute, knows: Knowledge) -> Measure:
    """ "who spent the most" has the highest total; of a field that is no figure the rows are counted."""
    item = knows.field(last)
    if item.role == "measure" and item.default_aggregate == "sum":
        return Measure(aggregate="sum", field=ref(last))
    return Measure(aggregate="count", dataset=last.dataset)


def _never_applied(walk: Walk) -> tuple[str, ...]:
    """What was said and found nothing that it could be about."""
    said = {
        "not": walk.negated,
        "or": walk.alternative,
        "both": walk.both and not _names_two(walk.sketch),
        "average per what": walk.sketch.per_each,
        "weighted by what": walk.sketch.weighted and not walk.sketch.per_each,
    }
    return tuple(word for word, is_said in said.items() if is_said)


def _names_two(sketch: Sketch) -> bool:
    """Tell whether something was asked that "both" can be said of; things that are merely named are no conditions."""
    named = (sketch.filters, sketch.measures, sketch.attributes, sketch.groups)
    return sketch.period is not None or any(len(found) > 1 for found in named)


def _measure_said(aggregate: Aggregate, last: Attribute) -> Measure:
    """ "instalments and their due amount - count and total": rows are counted, amounts added up."""
    if aggregate == "count":
        return Measure(aggregate="count", dataset=last.dataset)
    return Measure(aggregate=aggregate, field=ref(last))


def _is_of_age(walk: Walk) -> bool:
    """ "which agency is the oldest", said last, where the agencies have a date."""
    best = walk.superlative
    return best is not None and ranked_field(walk.knowledge, walk.sketch.things[0], best) is not None


def _their_total(walk: Walk) -> Measure | None:
    """ "number of payments and their total", "by status and amount": what was counted is added up too."""
    pending = walk.pending
    amount_too = walk.is_cue(-1, "amount") and walk.is_cue(-2, "and", "stop")
    if pending is None or not (pending.text.lower() in _ASKING_A_SUM or (pending.of_amount and amount_too)):
        return None
    first = walk.sketch.measures[0] if walk.sketch.measures else None
    if first is None or first.aggregate != "count" or first.dataset is None:
        return None
    amount = walk.knowledge.main_measure(first.dataset, money_only=True)
    return Measure(aggregate="sum", field=amount, filters=first.filters) if amount is not None else None


def _counted_before(walk: Walk) -> Measure | None:
    """ "who own two or more cards, and how many do they own": what was counted in the condition."""
    said = walk.pending is not None and walk.pending.text.lower() in {"count", "cnt", "number", "number of", "how many"}
    named = said and bool(walk.sketch.attributes)  # "customers with at least 3 overdue instalments, name and count"
    last = walk.sketch.filters[-1] if walk.sketch.filters and (walk.having or named) else None
    bounded = isinstance(last, Membership) and (last.at_least, last.at_most) != (None, None)
    if not isinstance(last, Membership) or last.negated or not (bounded or walk.having):
        return None
    if not bounded and not walk.sketch.attributes and not walk.sketch.groups:
        walk.sketch.groups += walk.sketch.things[:1]  # "who hold accounts, and how many they hold": of each
    return Measure(aggregate="count", dataset=last.dataset, filters=() if walk.having else last.filters)


def said_of_figures(sketch: Sketch) -> tuple[str, ...]:
    """What was said of figures when there is no figure: it must not be dropped."""
    said = {
        "share": sketch.share,
        "ratio": sketch.ratio,
        "in which unit": sketch.shown_in is not None,
        "change": sketch.transform is not None,
        "comparison": sketch.compare is not None,
    }
    return tuple(word for word, is_said in said.items() if is_said)


def _amount_of_values(walk: Walk) -> FieldRef | None:
    """ "how much was spent on groceries": the amount of the rows that the values describe.

    "Interest paid on fixed deposits" is an amount of the payments, which belong to deposits, and not of these.
    """
    said = (item for item in reversed(walk.sketch.filters) if isinstance(item, Condition | Membership))
    places = [_rows_described(walk, item) for item in said]
    amounts = [amount for place in places if (amount := _main_amount(walk, place))]
    for amount in amounts:
        if not any(other.dataset != amount.dataset and _belongs(walk, other, amount) for other in amounts):
            if (label := walk.knowledge.field(amount).label) != "amount":
                walk.assume(f"The amount is the {label}.")
            return amount
    return None


def _amount_of_groups(walk: Walk) -> FieldRef | None:
    """ "spend by channel": the amount of the rows that have a channel."""
    sketch = walk.sketch
    if sketch.things or sketch.measures or sketch.filters:
        return None
    places = dict.fromkeys(group.dataset for group in sketch.groups if isinstance(group, Attribute))
    amounts = [amount for place in places if (amount := _main_amount(walk, place))]
    return amounts[0] if len(places) == len(amounts) == 1 else None


def _main_amount(walk: Walk, place: str) -> FieldRef | None:
    if walk.sketch.spent:
        return amount_spent(walk.knowledge, place)
    return walk.knowledge.main_measure(place, money_only=True)


def _rows_described(walk: Walk, item: Condition | Membership) -> str:
    """The rows that a condition is on; "how much did Ann Lee send" is of the payments of which she is a party."""
    if isinstance(item, Membership):
        return item.dataset
    via = item.field.via
    return walk.knowledge.model.relationship(via[0]).from_dataset if len(via) == 1 else item.field.dataset


def _belongs(walk: Walk, part: FieldRef, whole: FieldRef) -> bool:
    return walk.knowledge.is_parent(part.dataset, whole.dataset)


def _amount_of_things(walk: Walk) -> FieldRef | None:
    """ "fees booked last quarter, total per kind": the amount of the things that were named."""
    amounts = (walk.knowledge.main_measure(thing.dataset, money_only=True) for thing in walk.sketch.things)
    amount = next(filter(None, amounts), None)
    if amount is not None:
        walk.assume(f"The total is of the {walk.knowledge.field(amount).label}.")
    return amount


def _dataset_of_values(sketch: Sketch) -> str | None:
    """ "how many active savings accounts": the value's own name holds the noun."""
    return next((item.field.dataset for item in sketch.filters if isinstance(item, Condition)), None)


def dates_of_steps(sketch: Sketch, named: list[Attribute], knows: Knowledge) -> list[Attribute]:
    """ "loans disbursed per quarter": the date that was named is the one to step along."""
    if not any(isinstance(group, Step) for group in sketch.groups) or sketch.period_field or sketch.counted_by:
        return named
    dates = [item for item in named if knows.field(item).role == "time"]
    if len(dates) == 1:
        sketch.counted_by = ref(dates[0])
        return [item for item in named if item is not dates[0]]
    return named


def date_of_state(sketch: Sketch, knows: Knowledge) -> None:
    """ "accounts closed last month", where closed is what their status says: the day they were closed is meant."""
    dated = sketch.period is not None or sketch.groups_by_time
    if not dated or sketch.period_field or sketch.counted_by or sketch.dated_by_verb:
        return
    for item in sketch.filters:
        if not isinstance(item, Condition) or item.operator != "=" or item.field.via:
            continue
        ended = day_of_ending(item, knows)
        if ended is not None:
            sketch.period_field = ended
            state = ", ".join(map(str, item.values))
            sketch.assumptions.append(f"“{state}” is dated by {knows.field(ended).label}.")
            return
        if sketch.period is None:
            continue
        said = {stem(word) for value in item.values for word in words(str(value))}
        dates = [field for field in knows.dataset(item.field.dataset).fields if field.role == "time"]
        told = [field for field in dates if said.intersection(map(stem, words(field.label)))]
        if len(told) == 1:
            sketch.period_field = FieldRef(dataset=item.field.dataset, field=told[0].name)
            return


def date_of_figures(sketch: Sketch, measures: Sequence[Measure], knows: Knowledge) -> None:
    """ "sanctioned amount by month": what is called after an event is dated by the day of that event."""
    dated = sketch.period is not None or sketch.groups_by_time
    if not dated or sketch.period_field or sketch.counted_by or sketch.dated_by_verb:
        return
    figures = [measure.field for measure in measures if measure.field is not None]
    dates = {knows.date_of_figure(field) for field in figures if field.since is None}
    place = dates.pop() if len(dates) == 1 else None
    if place is not None and place != knows.time_field(place.dataset):
        sketch.period_field = place
