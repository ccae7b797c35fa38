"""How a fragment changes the days that a question is about: other days, the days before, days held against others."""

from __future__ import annotations

import re
from datetime import date, timedelta

from ai_engine.built_in.follow_up.address import Lean
from ai_engine.built_in.follow_up.figures import base_of_intent
from ai_engine.built_in.follow_up.step import Merge, date_rows, same_field
from ai_engine.built_in.meanings import Days
from ai_engine.errors import IntentNotCovered
from ai_engine.semantics.calendar_days import add_months, around
from ai_engine.semantics.compared_periods import Compare, like_with_like
from ai_engine.semantics.intent import Condition, FieldRef, Filter, Period
from ai_engine.semantics.period_words import said_days

_LAST_YEAR = frozenset({"last year", "previous year", "the year before", "prior year", "same period last year"})
_STEPS_BACK: tuple[Lean, ...] = ("month_before", "quarter_before", "year_before", "period_before")
_CALENDAR_YEAR = 1
_YEAR = 12
_LENGTHS: dict[Lean, int] = {"of_a_month": 1, "of_a_quarter": 3, "of_a_year": _YEAR}
_AT_THE_START = date.min
_COUNTED_FROM_NOW = frozenset({"last", "previous", "prior", "the", "same"})
_KINDS_OF_BEFORE: tuple[Compare, ...] = ("previous_period", "same_period_last_year")


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
    start, end, label = _in_that_year(step, found)
    step.put(period=Period(start=start, end=end, label=label, field=named))
    step.put(filters=tuple(item for item in step.intent.filters if not lacks(item, named)))
    step.changed = True
    if not step.intent.measures:
        base = base_of_intent(step.intent, step.knowledge)
        if base is not None:
            date_rows(step, base)


def lacks(item: Filter, place: FieldRef | None) -> bool:
    """ "paid in 2025" after "not paid"."""
    if not isinstance(item, Condition) or item.operator != "is null" or place is None:
        return False
    return same_field(item.field, [place])


def _in_that_year(step: Merge, found: Days) -> tuple[date | None, date | None, str]:
    """ "in March" of a question about 2025: the month of that year, unless that is yet to come."""
    asked, (start, end) = step.intent.period, (found.start, found.end)
    plain = (found.start, found.end, found.label)
    if asked is None or asked.start is None or asked.end is None or start is None or end is None:
        return plain
    said = " ".join(token.word for token in step.fragment.tokens)
    year, one_year = asked.start.year, asked.end <= add_months(asked.start.replace(month=1, day=1), _YEAR)
    if not one_year or str(start.year) not in found.label or re.search(r"\b(?:fy)?\d\d|year", said):
        return plain  # the year was said
    months = (year - start.year) * _YEAR
    start, end = add_months(start, months), add_months(end, months)
    return (start, end, said_days(start, end, _CALENDAR_YEAR)) if months and start <= step.knowledge.as_of else plain


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
