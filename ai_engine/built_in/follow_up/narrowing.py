"""How a fragment narrows or widens the question before: conditions, places, periods."""

from __future__ import annotations

from datetime import date, timedelta

from ai_engine.built_in.follow_up.address import Lean
from ai_engine.built_in.follow_up.figures import (
    base_of_intent,
    mentions,
    unfolded,
)
from ai_engine.built_in.follow_up.filters import How, fields_of, with_filter, without_fields
from ai_engine.built_in.follow_up.step import REPLACED_BONUS, Merge, date_rows, same_field
from ai_engine.built_in.knowledge import Knowledge
from ai_engine.built_in.meanings import Days
from ai_engine.errors import IntentNotCovered
from ai_engine.semantics.calendar_days import add_months, around
from ai_engine.semantics.compared_periods import Compare, like_with_like
from ai_engine.semantics.intent import Condition, FieldRef, Filter, Measure, Period
from ai_engine.semantics.model import Field
from ai_engine.semantics.period_words import said_days

_LAST_YEAR = frozenset({"last year", "previous year", "the year before", "prior year", "same period last year"})
_STEPS_BACK: tuple[Lean, ...] = ("month_before", "quarter_before", "year_before", "period_before")
_CALENDAR_YEAR = 1
_YEAR = 12
_LENGTHS: dict[Lean, int] = {"of_a_month": 1, "of_a_quarter": 3, "of_a_year": _YEAR}
_AT_THE_START = date.min
_COUNTED_FROM_NOW = frozenset({"last", "previous", "prior", "the", "same"})
_KINDS_OF_BEFORE: tuple[Compare, ...] = ("previous_period", "same_period_last_year")
_PLACES = frozenset("city town district state province region zone country area locality".split())


def drop_filters(step: Merge) -> None:
    """ "without the filter", "all cities", "for all time"."""
    told, said = step.fragment, step.said
    if said.has("all_time"):
        step.put(period=None)
        told.fields.clear()
        step.changed = True
        return
    named = list(told.fields)
    if said.has("unfilter") and not told.filters and not told.things and not told.measures:
        if any(step.knowledge.field(item).role == "time" for item in named) and step.intent.period is not None:
            step.put(period=None)
        elif named:
            step.put(filters=without_fields(step.intent.filters, lambda place: same_field(place, named)))
        else:
            step.put(filters=())
        told.fields.clear()
    elif said.has("everything") and not (told.measures or told.groups or told.turn.lists or told.share):
        things = {thing.dataset for thing in told.things}
        before = step.intent.filters
        step.put(
            filters=without_fields(
                before, lambda place: same_field(place, named) or (bool(things) and place.dataset in things)
            )
        )
        if step.intent.filters != before:
            told.fields.clear()
            told.things.clear()


def _unfold(step: Merge) -> None:
    """A new condition on the field by which a metric is defined changes the definition, or cannot be said."""
    measures: list[Measure] = []
    filters = step.intent.filters
    for measure in step.intent.measures:
        named = [place for place in fields_of(step.fragment.filters) if mentions(measure, place, step.knowledge)]
        plain = unfolded(measure, step.knowledge) if named else None
        if plain is not None:
            measures.append(plain[0])
            filters = (*filters, plain[1])
            orders = step.intent.order
            step.put(
                order=tuple(o.model_copy(update={"measure": plain[0]}) if o.measure == measure else o for o in orders)
            )
            continue
        if named:
            step.left.extend(step.knowledge.field(place).label for place in named)
        measures.append(measure)
    step.put(measures=tuple(measures), filters=filters)


def change_filters(step: Merge) -> None:
    """Put each condition said in the place of the one on the same field, else beside the others."""
    _unfold(step)
    filters = step.intent.filters
    removes = step.said.has("exclude") and step.said.has("strong")
    how: How = "remove" if removes else "add" if step.said.has("add") else "replace"
    taken = set(fields_of(filters)) | {dimension.field for dimension in step.intent.dimensions}
    for new in step.fragment.filters:
        if _taken_of_all(step, new):
            continue
        again = [place for place in fields_of((new,)) if same_field(place, list(taken))]
        if again:
            step.cost -= REPLACED_BONUS
        taken -= set(again)
        if not step.said.has("add", "only") and isinstance(new, Condition):
            filters = _without_wider_place(filters, new, step.knowledge)
        filters = with_filter(filters, new, how, tuple(step.fragment.filters))
        step.changed = True
    step.put(filters=filters)
    if step.fragment.havings:
        measures = {having.measure for having in step.fragment.havings}
        kept = tuple(having for having in step.intent.having if having.measure not in measures)
        step.put(having=(*kept, *step.fragment.havings))


def _taken_of_all(step: Merge, new: Filter) -> bool:
    """ "only Pune" of the shares by city: what Pune has of all, not the whole of Pune."""
    intent = step.intent
    shares = [measure for measure in intent.measures if measure.transform == "share_of_total"]
    grouped = [item.field for item in intent.dimensions]
    if not shares or not isinstance(new, Condition) or new.operator not in {"=", "in"}:
        return False
    if not same_field(new.field, grouped):
        return False
    if len(grouped) > 1 or len(shares) < len(intent.measures):
        step.left.append("the share of some of them in all")
        return True
    wholes = [measure.model_copy(update={"transform": None}) for measure in shares]
    each = [new.model_copy(update={"operator": "=", "values": (value,)}) for value in new.values]
    parts = (
        whole.model_copy(update={"filters": (*whole.filters, only), "denominator": whole, "percent": True})
        for whole in wholes
        for only in each
    )
    step.put(measures=tuple(parts), dimensions=(), order=(), limit=None, fill_gaps=False)
    return True


def _without_wider_place(filters: tuple[Filter, ...], new: Condition, knowledge: Knowledge) -> tuple[Filter, ...]:
    """ "what about Mumbai?" after Karnataka: another place, not one within it."""

    def is_place(item: Field) -> bool:
        return not _PLACES.isdisjoint(item.label.lower().split())

    if not is_place(knowledge.field(new.field)):
        return filters

    def other_place(found: FieldRef) -> bool:
        same = found.dataset == new.field.dataset and found.field != new.field.field
        return same and is_place(knowledge.field(found))

    return without_fields(filters, other_place)


def change_period(step: Merge) -> None:
    """Put another period in the place of the one before, or compare the two."""
    told, intent = step.fragment, step.intent
    found, compare = told.period, next(iter(told.turn.versus), None)
    step_back = next((lean for lean in _STEPS_BACK if step.said.has(lean)), None)
    if step.said.has("same_days", "those_days"):
        _same_days(step, step_back, found)
        return
    if step.said.has("compare") and found is not None and compare is None and step_back is None:
        _hold_against(step, found)
        return
    if len(told.stretches) > 1:
        step.left += [days.label for days in told.stretches]
    if compare is not None:
        step.put(compare=compare)
    if step_back is not None and (found is None or step.said.has("compare")):
        _step_back(step, step_back)  # "last month vs the month before" says both
    if found is None:
        return
    named = told.dated or (intent.period.field if intent.period else None)
    step.put(period=Period(start=found.start, end=found.end, label=found.label, field=named))
    step.changed = True
    if not step.intent.measures:
        base = base_of_intent(step.intent, step.knowledge)
        if base is not None:
            date_rows(step, base)


def _hold_against(step: Merge, found: Days) -> None:
    """ "compared with 2024", "2024 compared to 2025": with the stretch before, or with the same a year before."""
    told, period = step.fragment.stretches or (found,), step.intent.period
    later = max(told, key=lambda days: days.start or _AT_THE_START) if len(told) > 1 else None
    if later is not None:
        named = step.fragment.dated or (period.field if period else None)
        period = Period(start=later.start, end=later.end, label=later.label, field=named)
        found = next(days for days in told if days != later)
    is_year = found.label.lower() in _LAST_YEAR
    if period is not None and (later is not None or found.label.lower().split()[0] not in _COUNTED_FROM_NOW):
        befores = {kind: _days_before(period, kind) for kind in _KINDS_OF_BEFORE}
        kinds = [kind for kind, days in befores.items() if days == (found.start, found.end)]
        if len(told) > len(_KINDS_OF_BEFORE) or not kinds:
            step.left.append(f"{period.label} compared with {found.label}")
            return
        is_year = kinds[0] == "same_period_last_year"
    step.put(period=period, compare="same_period_last_year" if is_year else "previous_period")
    step.changed = True


def _days_before(period: Period, compare: Compare) -> tuple[date | None, date | None] | None:
    try:
        _, before, _ = like_with_like(period.model_copy(update={"until": None}), compare)
    except IntentNotCovered:
        return None
    return before.start, before.end


def _same_days(step: Merge, back: Lean | None, found: Days | None) -> None:
    """ "in the same months of last year": as much of that year; "in that quarter": the same."""
    if step.said.has("compare") and (back == "year_before" or (found and found.label.lower() in _LAST_YEAR)):
        step.put(compare="same_period_last_year")
        return
    period, today = step.intent.period, step.knowledge.as_of
    start, end = (period.start, period.end) if period else (None, None)
    if start is not None and any(step.said.has(lean) and end != add_months(start, n) for lean, n in _LENGTHS.items()):
        start = None  # "the same quarter" of a month
    if start is not None and found is None and back is None:
        return  # in the same days, something else
    whole = found is not None and found.start is not None and found.end == add_months(found.start, _YEAR)
    kept = step.said.has("those_days")
    if (
        start is None
        or end is None
        or kept
        or not (whole or (found is None and back in {"year_before", "period_before"}))
    ):
        step.left.append("the same period")
        return
    if start <= today < end:
        end = today + timedelta(days=1)
    years = found.start.year - start.year if found and found.start else -1
    start, end = add_months(start, years * _YEAR), add_months(end, years * _YEAR)
    named = step.fragment.dated or (period.field if period else None)
    step.put(period=Period(start=start, end=end, label=said_days(start, end, _CALENDAR_YEAR), field=named))


def _step_back(step: Merge, lean: Lean) -> None:
    """ "and the month before?": counted from the period in question, or compared with it."""
    if step.said.has("compare"):
        step.put(compare="same_period_last_year" if lean == "year_before" else "previous_period")
        return
    moved = _earlier(step.intent.period, lean) if step.intent.period else None
    if moved is None:
        step.left.append("the period before")
        return
    step.put(period=moved)


def _earlier(period: Period, lean: Lean) -> Period | None:
    """The month or quarter before a period, the same days a year before, or as long a stretch; None of an open one."""
    if period.start is None or period.end is None:
        return None
    try:
        if lean in {"month_before", "quarter_before"}:
            start, end = around("month" if lean == "month_before" else "quarter", period.start, -1, _CALENDAR_YEAR)
        else:
            compare: Compare = "same_period_last_year" if lean == "year_before" else "previous_period"
            _, before, _ = like_with_like(period.model_copy(update={"until": None}), compare)
            start, end = before.start or period.start, before.end or period.end
    except (IntentNotCovered, ValueError):
        return None
    return Period(start=start, end=end, label=said_days(start, end, _CALENDAR_YEAR), field=period.field)
