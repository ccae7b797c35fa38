"""Which steps of a trend are covered only in part, by the period that was asked or by the data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import date, timedelta

from ai_engine.insight.dates import first_day_of, step_of
from ai_engine.semantics.calendar_days import Unit, moved
from ai_engine.semantics.dating import date_of
from ai_engine.semantics.intent import FieldRef, Intent
from ai_engine.semantics.period_words import said_days
from ai_engine.semantics.vocabulary import Vocabulary
from ai_engine.types import OutputColumn, QueryResult, Scalar

_UNITS: dict[str, Unit] = {
    "week": "week", "month": "month", "quarter": "quarter", "year": "year",
    "fiscal_quarter": "quarter", "fiscal_year": "year",
}  # fmt: skip


def with_part_steps(
    columns: Sequence[OutputColumn], result: QueryResult, intent: Intent | None, vocabulary: Vocabulary
) -> tuple[OutputColumn, ...]:
    """Mark the steps of a single run of time whose first or last days are missing; `intent` None knows of no period."""
    times = [place for place, column in enumerate(columns) if column.role == "time"]
    if len(times) != 1:
        return tuple(columns)
    place = times[0]
    cells = [row[place] for row in result.rows]
    first, last = _covered(intent, vocabulary)
    marked = _marked(cells, columns[place], first, last, vocabulary.model.fiscal_year_start_month)
    return tuple(replace(item, part_steps=marked) if at == place else item for at, item in enumerate(columns))


def _covered(intent: Intent | None, vocabulary: Vocabulary) -> tuple[date | None, date | None]:
    """The first and the last day that the figures cover; None where nothing bounds them."""
    if intent is None:
        return None, vocabulary.as_of
    period, place = intent.period, _date_along(intent) or date_of(intent, vocabulary.model)
    span = vocabulary.span_of(place)
    begun = span.begun_on if span is not None else None
    firsts = [day for day in (period.start if period else None, begun) if day is not None]
    asked = period.end - timedelta(days=1) if period is not None and period.end is not None else None
    lasts = [day for day in (asked, vocabulary.covered_until(place)) if day is not None]
    return max(firsts, default=None), min(lasts, default=None)


def _date_along(intent: Intent) -> FieldRef | None:
    return next((item.field.model_copy(update={"grain": None}) for item in intent.dimensions if item.field.grain), None)


def _marked(
    cells: Sequence[Scalar], column: OutputColumn, first: date | None, last: date | None, fiscal_start: int
) -> tuple[tuple[Scalar, str], ...]:
    unit = _UNITS.get(step_of(column, cells))
    marked = []
    for cell in dict.fromkeys(cells):
        start = first_day_of(cell, fiscal_start)
        if unit is None or start is None:
            continue
        end = moved(start, unit, 1)
        low = max(start, first) if first is not None else start
        high = min(end, last + timedelta(days=1)) if last is not None else end
        if low < high and (low, high) != (start, end):
            marked.append((cell, said_days(low, high, fiscal_start)))
    return tuple(marked)
