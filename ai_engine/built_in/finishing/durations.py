"""The rows that durations are taken over: "average days to close by topic" is of the closed ones."""

from __future__ import annotations

from collections.abc import Sequence

from ai_engine.built_in.knowledge import Knowledge
from ai_engine.semantics.intent import Condition, Dimension, Filter, Measure


def only_with_both_dates(
    measures: Sequence[Measure], dimensions: Sequence[Dimension], filters: tuple[Filter, ...], knows: Knowledge
) -> tuple[Filter, ...]:
    """Leave out what has not ended yet where only durations are shown, and such rows may be in no group."""
    ends = [measure.field for measure in measures if measure.field is not None and measure.field.since is not None]
    if len(ends) != len(measures) or not any(knows.may_lack(item.field) for item in dimensions):
        return filters
    dates = [date for end in ends for date in (end.since, end.model_copy(update={"since": None})) if date is not None]
    missable = [date for date in dates if date != knows.time_field(date.dataset)]
    known = (Condition(field=date, operator="is not null") for date in missable)
    return tuple(dict.fromkeys((*filters, *known)))
