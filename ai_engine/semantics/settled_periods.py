"""What the words for a period come to on this data: whole steps, where the data ends, which year is meant."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import date, timedelta
from typing import cast

from ai_engine.semantics.calendar_days import Unit, around, moved
from ai_engine.semantics.dating import date_of
from ai_engine.semantics.intent import Dimension, FieldRef, Grain, Intent, Order, Period
from ai_engine.semantics.period_words import said_days
from ai_engine.semantics.restatement import plural, restate
from ai_engine.semantics.vocabulary import Vocabulary
from ai_engine.types import Interpretation

_ONE_UNIT = re.compile(r"(this|last|next) (day|week|month|quarter|year|fiscal year|fiscal quarter)")
_TO_DATE = re.compile(r"(week|month|quarter|year|fiscal year) to date")
SEVERAL_FISCAL = re.compile(r"(?:last|past|previous|trailing|recent|latest) (\d+) (fiscal (year|quarter))s?")
_SEVERAL = re.compile(r"(?:last|past|previous|trailing|recent|latest) (\d+) (day|week|month|quarter|year)s?")
_PLAIN_YEAR = re.compile(r"(this|last|next) year|year to date")
_DAYS = {"today": 0, "yesterday": -1}
_SHIFTS = {"this": 0, "last": -1, "next": 1}
_MONTHS: dict[str, int] = {"month": 1, "quarter": 3, "fiscal_quarter": 3, "year": 12, "fiscal_year": 12}
_FISCAL_QUARTERS: dict[Grain, Grain] = {"quarter": "fiscal_quarter"}
_FISCAL: dict[Grain, Grain] = {**_FISCAL_QUARTERS, "year": "fiscal_year"}
_JANUARY = 1
_Days = tuple[date, date]


def with_settled_periods(interpretation: Interpretation, vocabulary: Vocabulary) -> Interpretation:
    """Settle the periods of what was understood, and add what was assumed; other outcomes stay as they are."""
    if interpretation.intent is None or interpretation.outcome != "query":
        return interpretation
    intent, notes = settled(interpretation.intent, vocabulary)
    said = interpretation.restatement
    if intent != interpretation.intent:
        said = restate(intent, vocabulary.model, vocabulary.as_of)
    assumptions = tuple(dict.fromkeys((*interpretation.assumptions, *notes)))
    return replace(interpretation, intent=intent, restatement=said, assumptions=assumptions)


def settled(intent: Intent, vocabulary: Vocabulary) -> tuple[Intent, tuple[str, ...]]:
    """Return an intent whose period lies where the data is, and one sentence for each choice that was made."""
    notes: list[str] = []
    for step in _STEPS:
        intent, said = step(intent, vocabulary)
        notes += said
    return known_until(intent, vocabulary), tuple(notes)


def _with_days(intent: Intent, days: _Days) -> Intent:
    assert intent.period is not None  # noqa: S101 - only periods that were read are moved
    period = intent.period.model_copy(update={"start": days[0], "end": days[1]})
    return intent.model_copy(update={"period": period})


def _year_of_the_bank(intent: Intent, vocabulary: Vocabulary) -> tuple[Intent, list[str]]:
    """ "This year" and "by quarter" are of the calendar or of the fiscal year, as the vocabulary says."""
    model, period = vocabulary.model, intent.period
    start_month = model.fiscal_year_start_month
    if start_month == _JANUARY:
        return intent, []
    if model.plain_year == "fiscal" or (period is not None and _is_of_fiscal_year(period, start_month)):
        grains = _FISCAL if model.plain_year == "fiscal" else _FISCAL_QUARTERS
        intent = intent.model_copy(
            update={
                "dimensions": tuple(_at(item, grains) for item in intent.dimensions),
                "order": tuple(_order_at(item, grains) for item in intent.order),
            }
        )
    along = {item.field.grain for item in intent.dimensions}
    notes = [f"{word}s are calendar {word.lower()}s." for word in ("Quarter", "Year") if word.lower() in along]
    if period is None or not _PLAIN_YEAR.fullmatch(period.label):
        return intent, notes
    last = vocabulary.ended_on(date_of(intent, model))
    for day in (vocabulary.as_of, *(() if last is None else (last, last + timedelta(days=1)))):
        if (period.start, period.end) == relative_days(period.label, day, start_month):
            days = relative_days(period.label, day, start_month, fiscal=model.plain_year == "fiscal")
            assert days is not None  # noqa: S101 - the words were read
            said = said_days(*days, start_month)
            return _with_days(intent, days), [f"“{period.label}” is of the {model.plain_year} year: {said}.", *notes]
    return intent, notes


def _is_of_fiscal_year(period: Period, start_month: int) -> bool:
    if period.start is None or period.end is None:
        return False
    return (period.start.month, period.start.day) == (period.end.month, period.end.day) == (start_month, 1)


def _at(item: Dimension, grains: dict[Grain, Grain]) -> Dimension:
    return item.model_copy(update={"field": _ref_at(item.field, grains)})


def _order_at(item: Order, grains: dict[Grain, Grain]) -> Order:
    return item if item.field is None else item.model_copy(update={"field": _ref_at(item.field, grains)})


def _ref_at(ref: FieldRef, grains: dict[Grain, Grain]) -> FieldRef:
    return ref.model_copy(update={"grain": grains.get(ref.grain, ref.grain)}) if ref.grain is not None else ref


def relative_days(label: str, day: date, fiscal_start: int, *, fiscal: bool = False) -> _Days | None:
    """The days that words for a period mean as of a day, None where they do not count from it."""

    def unit(name: str) -> Unit:
        return cast("Unit", "fiscal year" if fiscal and name == "year" else name)

    tomorrow = day + timedelta(days=1)
    if label in _DAYS:
        return around("day", day, _DAYS[label], fiscal_start)
    if found := _ONE_UNIT.fullmatch(label):
        return around(unit(found[2]), day, _SHIFTS[found[1]], fiscal_start)
    if found := _TO_DATE.fullmatch(label):
        return around(unit(found[1]), day, 0, fiscal_start)[0], tomorrow
    if found := _SEVERAL.fullmatch(label):
        return moved(day, cast("Unit", found[2]), -int(found[1])), tomorrow
    return None


def _where_the_data_is(intent: Intent, vocabulary: Vocabulary) -> tuple[Intent, list[str]]:
    """Where the data ended earlier, "last month" is the last whole month of the data."""
    period, place = intent.period, date_of(intent, vocabulary.model)
    end = vocabulary.ended_on(place)
    if end is None or place is None or not (period or any(item.field.grain for item in intent.dimensions)):
        return intent, []
    fiscal_start = vocabulary.model.fiscal_year_start_month
    rows = plural(vocabulary.model.dataset(place.dataset).label)
    told = f"The {rows} end on {said_days(end, end + timedelta(days=1), fiscal_start)}"
    if period is None or (period.start, period.end) != relative_days(period.label, vocabulary.as_of, fiscal_start):
        beyond = period is None or period.end is None or period.end > end
        return intent, [f"{told}."] if beyond else []
    if period.label.startswith("next"):
        return intent, [f"{told}."]
    last = end + timedelta(days=1) if period.label.startswith("last ") and _ONE_UNIT.fullmatch(period.label) else end
    days = relative_days(period.label, last, fiscal_start)
    assert days is not None  # noqa: S101 - the same words meant days as of today
    if days == (period.start, period.end):
        return intent, [f"{told}."]
    return _with_days(intent, days), [f"{told}, so “{period.label}” is {said_days(*days, fiscal_start)}."]


def _in_whole_fiscal_steps(intent: Intent, vocabulary: Vocabulary) -> tuple[Intent, list[str]]:
    """The "last 2 fiscal years" are those that the bank closed, however they are grouped."""
    period = intent.period
    said = SEVERAL_FISCAL.fullmatch(period.label) if period is not None else None
    if period is None or said is None:
        return intent, []
    last = vocabulary.ended_on(date_of(intent, vocabulary.model)) or vocabulary.as_of
    fiscal_start = vocabulary.model.fiscal_year_start_month
    unit = cast("Unit", said[2])
    end = around(unit, last + timedelta(days=1), 0, fiscal_start)[0]
    days = moved(end, cast("Unit", said[3]), -int(said[1])), end
    told = f"“{period.label}” are whole {said[3]}s: {said_days(*days, fiscal_start)}."
    return _with_days(intent, days), [told]


def _in_whole_steps(intent: Intent, vocabulary: Vocabulary) -> tuple[Intent, list[str]]:
    """The "last 12 months by month" are whole months."""
    period, place = intent.period, date_of(intent, vocabulary.model)
    said = _SEVERAL.fullmatch(period.label) if period is not None else None
    last = vocabulary.ended_on(place) or vocabulary.as_of
    fiscal_start = vocabulary.model.fiscal_year_start_month
    if period is None or said is None or (period.start, period.end) != relative_days(period.label, last, fiscal_start):
        return intent, []
    count, unit = int(said[1]), said[2]
    grain = next((item.field.grain for item in intent.dimensions if _makes_up(item.field.grain, unit, count)), None)
    if grain is None:
        return intent, []
    end = around(cast("Unit", grain.replace("_", " ")), last + timedelta(days=1), 0, fiscal_start)[0]
    days = moved(end, cast("Unit", unit), -count), end
    if days == (period.start, period.end):
        return intent, []
    whole = plural(grain.removeprefix("fiscal_"))
    return _with_days(intent, days), [f"“{period.label}” are whole {whole}: {said_days(*days, fiscal_start)}."]


def _ranked_whole_steps(intent: Intent, vocabulary: Vocabulary) -> tuple[Intent, list[str]]:
    """A step that is not over is no "lowest month": only whole steps are ranked."""
    grain = next((item.field.grain for item in intent.dimensions if item.field.grain in _MONTHS), None)
    place = next((item.field for item in intent.dimensions if item.field.grain == grain), None)
    ranked = intent.limit is not None and any(order.measure is not None for order in intent.order)
    if grain is None or place is None or not ranked or intent.compare is not None:
        return intent, []
    dated = place.model_copy(update={"grain": None})
    last, period = vocabulary.covered_until(dated), intent.period
    own = date_of(intent, vocabulary.model)
    if last is None or own != dated or (period is not None and (period.end is None or period.end <= last)):
        return intent, []
    fiscal_start, tomorrow = vocabulary.model.fiscal_year_start_month, last + timedelta(days=1)
    end = around(cast("Unit", grain.replace("_", " ")), tomorrow, 0, fiscal_start)[0]
    if end == tomorrow or (period is not None and period.start is not None and period.start >= end):
        return intent, []
    whole = Period(start=None, end=end, label=f"until {said_days(end - timedelta(days=1), end, fiscal_start)}")
    kept = whole if period is None else period.model_copy(update={"end": end})
    left_out = said_days(end, tomorrow, fiscal_start)
    note = f"{left_out} is no whole {grain.removeprefix('fiscal_')} and left out."
    return intent.model_copy(update={"period": kept}), [note]


def _makes_up(grain: Grain | None, unit: str, count: int) -> bool:
    """Tell whether a number of units is a number of whole steps."""
    if grain == "week":
        return unit == "week"
    return grain in _MONTHS and unit in _MONTHS and count * _MONTHS[unit] % _MONTHS[grain] == 0


def known_until(intent: Intent, vocabulary: Vocabulary) -> Intent:
    """Note the last day that the data can cover today in a period that reaches beyond it."""
    period = intent.period
    if period is None or period.end is None:
        return intent
    last = vocabulary.covered_until(date_of(intent, vocabulary.model))
    until = last if last is not None and last + timedelta(days=1) < period.end else None
    return intent.model_copy(update={"period": period.model_copy(update={"until": until})})


_STEPS = (
    _where_the_data_is,
    _in_whole_fiscal_steps,
    _year_of_the_bank,
    _in_whole_steps,
    _ranked_whole_steps,
)
