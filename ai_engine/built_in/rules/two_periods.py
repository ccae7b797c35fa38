"""Rules for the second of two periods: held against the first, asked for beside it, or a contradiction."""

from __future__ import annotations

from datetime import date

from ai_engine.built_in.meanings import Days
from ai_engine.built_in.sketch import Walk

_SAME_LENGTH = 3  # months differ by three days at the most


def is_other_period(walk: Walk, *, negated: bool) -> bool:
    """ "the difference between loans of 2024 and those of 2021": the second period of a difference."""
    sketch = walk.sketch
    both_open = sketch.compare is None and sketch.other_period is None and not walk.alternative
    return sketch.transform == "change" and sketch.period is not None and both_open and not negated


def is_compared_period(walk: Walk, found: Days) -> bool:
    """ "October vs September", "September over August 2026": the second is what the first is held against."""
    first = walk.sketch.period
    if first is None or first.start is None or first.end is None or found.start is None or found.end is None:
        return False
    changed = walk.sketch.one_row_each or walk.sketch.transform in {"change", "change_percent"}
    both = not changed and _asks_both(walk)
    if not (changed or both):
        return False
    earlier, later = sorted((first, found), key=lambda days: days.start or date.min)
    assert earlier.start and earlier.end and later.start and later.end  # noqa: S101 - both have both sides
    if (
        earlier.end == later.start
        and abs((earlier.end - earlier.start) - (later.end - later.start)).days <= _SAME_LENGTH
    ):
        walk.sketch.compare = "previous_period"
    elif (later.start.year - earlier.start.year, later.start.month) == (1, earlier.start.month):
        walk.sketch.compare = "same_period_last_year"
    else:
        return False
    walk.sketch.period, walk.sketch.one_row_each = later, False
    walk.pending = None if both else walk.pending
    return True


def _asks_both(walk: Walk) -> bool:
    """ "how many loans in FY25 and how many in FY24": the same figure of either period."""
    counted = walk.pending is not None and walk.pending.aggregates == ("count",) and walk.is_cue(-1, "aggregate")
    figures = walk.sketch.measures
    return counted and walk.is_cue(-2, "and", "stop") and bool(figures) and figures[-1].aggregate == "count"


def lie_apart(first: Days | None, second: Days) -> bool:
    """Whether no day is in both."""
    if first is None:
        return False
    starts = max(first.start or date.min, second.start or date.min)
    return starts >= min(first.end or date.max, second.end or date.max)
