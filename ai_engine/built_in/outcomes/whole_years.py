"""Questions for a day, month or quarter of something of which only the year is kept."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date

from ai_engine.built_in.knowledge import Knowledge
from ai_engine.semantics.intent import Condition, FieldRef, Intent, Period, parts_of
from ai_engine.semantics.restatement import plural

_WHOLE = frozenset({None, "year", "age_years"})


def finer_than_kept(intent: Intent, knowledge: Knowledge) -> FieldRef | None:
    """The first field of a question that keeps years only and is asked for less than a whole year."""
    asked = [ref for ref in parts_of(intent, FieldRef) if ref.grain not in _WHOLE]
    asked += [item.field for item in parts_of(intent, Condition) if not _are_first_days(item.values)]
    asked += [
        ref for period in parts_of(intent, Period) if not _is_whole(period) for ref in _dated(period, intent, knowledge)
    ]
    return next((ref for ref in asked if knowledge.field(ref).is_year), None)


def years_only_reply(found: FieldRef, knowledge: Knowledge) -> str:
    """Say that only the year is known."""
    item, dataset = knowledge.model.dataset(found.dataset).field(found.field), knowledge.dataset(found.dataset)
    return f"The {item.label} of {plural(dataset.label)} is kept as a year only; ask for whole years."


def _dated(period: Period, intent: Intent, knowledge: Knowledge) -> list[FieldRef]:
    """What a period is about: its own field, else the dates of the rows that are counted or listed."""
    if period.field is not None:
        return [period.field]
    bases = [knowledge.base(measure) for measure in intent.measures] or [intent.subject]
    times = (knowledge.time_field(base) for base in bases if base is not None)
    return [time for time in times if time is not None]


def _is_whole(period: Period) -> bool:
    return _are_first_days(day for day in (period.start, period.end) if day is not None)


def _are_first_days(values: Iterable[object]) -> bool:
    return all((value.month, value.day) == (1, 1) for value in values if isinstance(value, date))
