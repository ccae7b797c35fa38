"""How far apart the rows of a table are in time, and what the rows after the last would be called."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date, datetime, timedelta
from itertools import pairwise
from typing import Literal, TypeAlias

Grain: TypeAlias = Literal["day", "week", "month", "quarter", "year"]

_MONTH = re.compile(r"(\d{4})-(\d{2})$")
_QUARTER = re.compile(r"(?:(\d{4})[- ]?Q([1-4])|Q([1-4])[- ](\d{4}))$", re.IGNORECASE)
_DAY = re.compile(r"(\d{4})-(\d{2})-(\d{2})$")
_FEWEST = 2
_MONTHS_OF = {"month": 1, "quarter": 3, "year": 12}


def grain_of(cells: Sequence[object]) -> Grain | None:
    """Tell the step between cells that are dates or names of months, quarters and years, equal and ascending."""
    if len(cells) < _FEWEST:
        return None
    if all(isinstance(cell, str) and _QUARTER.match(cell) for cell in cells):
        return "quarter"
    if all(isinstance(cell, int) and not isinstance(cell, bool) and 1900 <= cell <= 2200 for cell in cells):
        return "year"
    days = [_first_day(cell) for cell in cells]
    known = [day for day in days if day is not None]
    if len(known) < len(days):
        return None
    gaps = {_gap(before, after) for before, after in pairwise(known)}
    return gaps.pop() if len(gaps) == 1 else None


def time_label(cell: object) -> str:
    """Write a cell of a run of time; a day as "2026-11-01", whether or not it bears an hour."""
    return cell.isoformat()[:10] if isinstance(cell, date) else str(cell)


def labels_after(cells: Sequence[object], grain: Grain, ahead: int) -> list[str]:
    """Name the steps that follow the last cell, in the manner of the cells."""
    last = cells[-1]
    if isinstance(last, int):
        return [str(last + step) for step in range(1, ahead + 1)]
    if isinstance(last, str) and (found := _QUARTER.match(last)):
        year, quarter = int(found[1] or found[4]), int(found[2] or found[3])
        steps = [year * 4 + quarter - 1 + step for step in range(1, ahead + 1)]
        return [f"{step // 4}-Q{step % 4 + 1}" for step in steps]
    first = _first_day(last)
    if first is None:
        return [f"step {step}" for step in range(1, ahead + 1)]
    by_month = isinstance(last, str) and _MONTH.match(last) is not None
    days = [_moved(first, grain, step) for step in range(1, ahead + 1)]
    return [f"{day:%Y-%m}" if by_month else day.isoformat() for day in days]


def _first_day(cell: object) -> date | None:
    if isinstance(cell, datetime):
        return cell.date()
    if isinstance(cell, date):
        return cell
    if isinstance(cell, str):
        if found := _DAY.match(cell):
            return _valid(int(found[1]), int(found[2]), int(found[3]))
        if found := _MONTH.match(cell):
            return _valid(int(found[1]), int(found[2]), 1)
    return None


def _valid(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None


def _gap(before: date, after: date) -> Grain | None:
    days = (after - before).days
    if days in {1, 7}:
        return "day" if days == 1 else "week"
    months = (after.year - before.year) * 12 + after.month - before.month
    same_place = before.day == after.day or (_is_last(before) and _is_last(after))
    return {1: "month", 3: "quarter", 12: "year"}.get(months) if same_place else None  # type: ignore[return-value]


def _is_last(day: date) -> bool:
    return (day + timedelta(days=1)).day == 1


def _moved(day: date, grain: Grain, steps: int) -> date:
    if grain in {"day", "week"}:
        return day + timedelta(days=steps * (1 if grain == "day" else 7))
    months = day.year * 12 + day.month - 1 + steps * _MONTHS_OF[grain]
    first = date(months // 12, months % 12 + 1, 1)
    after = date((months + 1) // 12, (months + 1) % 12 + 1, 1)
    last = after - timedelta(days=1)
    return last if _is_last(day) else first.replace(day=min(day.day, last.day))
