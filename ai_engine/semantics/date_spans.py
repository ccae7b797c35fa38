"""How far the data reaches in time: the first and last day found in a date, and whether it ended before today."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta

from ai_engine.semantics.calendar_days import add_months

_FEWEST_SILENT_DAYS = 7
_SILENT_GAPS = 20
"""So many times the usual gap between two rows is no accident: rows have stopped coming."""
_EDGE_GAPS = 3
_EDGE_DAYS = 2


@dataclass(frozen=True, slots=True)
class DateSpan:
    """The first and the last day found in a date, and how many rows have one."""

    first: date
    last: date
    rows: int

    def ended_on(self, as_of: date) -> date | None:
        """Return the last day that the data covers where it ended before the as-of day, None where it goes on."""
        silent_days = (as_of - self.last).days
        if silent_days <= max(_FEWEST_SILENT_DAYS, _SILENT_GAPS * self._gap_days):
            return None
        month_end = add_months(self.last.replace(day=1), 1) - timedelta(days=1)
        return month_end if (month_end - self.last).days <= self._slack_days else self.last

    @property
    def begun_on(self) -> date:
        """The first day that the data covers; a month of which only the first days are missing is whole."""
        month_start = self.first.replace(day=1)
        return month_start if (self.first - month_start).days <= self._slack_days else self.first

    @property
    def _gap_days(self) -> float:
        return (self.last - self.first).days / max(self.rows - 1, 1)

    @property
    def _slack_days(self) -> float:
        return max(_EDGE_DAYS, _EDGE_GAPS * self._gap_days)
