"""Dates of an earlier period laid on the later one, so that the two can stand side by side."""

from __future__ import annotations

from dataclasses import replace

from sqlglot import exp

from ai_engine.errors import IntentNotCovered
from ai_engine.semantics.compared_periods import Shift
from ai_engine.semantics.compiler.grains import TRUNCATED, shifted
from ai_engine.semantics.compiler.scope import Setting, seen_at
from ai_engine.semantics.intent import FieldRef, Grain

_DAYS_PER_YEAR_OF_WEEKS = 364
_MONTHS: dict[Grain, int] = {"month": 1, "quarter": 3, "year": 12, "fiscal_quarter": 3, "fiscal_year": 12}


def shifted_to(moment: exp.Expr, ref: FieldRef, shift: Shift, setting: Setting) -> exp.Expr:
    """Return a date moved forward and seen at the reference's grain.

    Raises:
        IntentNotCovered: the distance is not a whole number of the grain's steps.
    """
    grain, dialect, item = ref.grain, setting.dialect, setting.field(ref)
    if grain not in TRUNCATED:
        return seen_at(moment, ref, item, setting)
    if item.is_year and shift.months and shift.months % _MONTHS["year"] == 0:
        years = exp.Literal.number(shift.months // _MONTHS["year"])
        return seen_at(exp.Add(this=moment, expression=years), ref, item, setting)
    if grain in _MONTHS and shift.months % _MONTHS[grain] == 0 and shift.months:
        # Cut to the month first: a database moves 31 January by a month to different days.
        month = seen_at(moment, ref.model_copy(update={"grain": "month"}), item, setting)
        moved = shifted(month, dialect, months=shift.months)
        return moved if grain == "month" else seen_at(moved, ref, replace(item, type="date"), setting)
    if grain in ("day", "week"):
        days = shift.days or (_DAYS_PER_YEAR_OF_WEEKS if grain == "week" and shift.months == 12 else 0)
        if grain == "day" or (days and days % 7 == 0):
            start = seen_at(moment, ref, item, setting)
            return shifted(start, dialect, months=0 if days else shift.months, days=days)
    raise IntentNotCovered(f"the two periods do not line up by {grain}")
