"""Do two results say the same? Names and order of columns do not count, nor that of rows unless it was asked for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import date, datetime, time
from decimal import Decimal
from typing import Literal, TypeAlias

from ai_engine.types import Scalar

Rows: TypeAlias = Sequence[Sequence[Scalar]]
Cell: TypeAlias = bool | int | float | str | bytes | None
Difference: TypeAlias = Literal[
    "extra columns", "missing columns", "missing rows", "extra rows", "wrong order", "wrong value"
]

_DIGITS = 4
_MOST_PAIRINGS = 1_000


def difference(expected: Rows, actual: Rows, *, ordered: bool) -> Difference | None:
    """Name what is wrong with a result, None when nothing is.

    Two results agree when some pairing of their columns makes the rows equal: as a list when `ordered`, else with
    repeats counted but in any order. Two empty results agree. "extra columns" says that the result is right once the
    columns that were not expected are left out.
    """
    if not expected and not actual:
        return None
    if len(actual) < len(expected):
        return "missing rows"
    if len(actual) > len(expected):
        return "extra rows"
    wanted, found = _columns(expected), _columns(actual)
    if len(found) < len(wanted):
        return "missing columns"
    if _pairs(wanted, found, ordered=ordered):
        return "extra columns" if len(found) > len(wanted) else None
    return "wrong order" if ordered and _pairs(wanted, found, ordered=False) else "wrong value"


def comparable(cell: Scalar) -> Cell:
    """Reduce a cell to what counts: figures to four digits, a midnight to its day."""
    if isinstance(cell, float | Decimal):
        return round(float(cell), _DIGITS)
    if isinstance(cell, datetime):
        return cell.date().isoformat() if cell.time() == time.min else cell.isoformat(" ")
    if isinstance(cell, date | time):
        return cell.isoformat()
    if isinstance(cell, bool | int | str | bytes | None):
        return cell
    return str(cell)


def _columns(rows: Rows) -> list[tuple[Cell, ...]]:
    return list(zip(*(tuple(map(comparable, row)) for row in rows), strict=True))


def _pairs(wanted: list[tuple[Cell, ...]], found: list[tuple[Cell, ...]], *, ordered: bool) -> bool:
    """Search for distinct columns of `found` that make up the rows of `wanted`, one column after the other."""

    def same(left: Sequence[tuple[Cell, ...]], right: Sequence[tuple[Cell, ...]]) -> bool:
        if ordered:
            return list(left) == list(right)
        return Counter(zip(*left, strict=True)) == Counter(zip(*right, strict=True))

    candidates = [[place for place, column in enumerate(found) if same([want], [column])] for want in wanted]
    tried = 0
    open_choices: list[tuple[int, ...]] = [()]
    while open_choices and tried < _MOST_PAIRINGS:
        chosen = open_choices.pop()
        tried += 1
        if chosen and not same(wanted[: len(chosen)], [found[place] for place in chosen]):
            continue
        if len(chosen) == len(wanted):
            return True
        open_choices += [(*chosen, place) for place in reversed(candidates[len(chosen)]) if place not in chosen]
    return False
