"""What DuckDB's client gives otherwise than DuckDB has it, which is told by DuckDB's own words.

The client makes 30 days of each month of a span, whichever it was, also within lists and records, the last day of the
year 9999 of a day without end, and microseconds of nanoseconds; and it gives a FLOAT digits that it never had.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

_IN_WORDS = "CAST({0} AS VARCHAR)"
_ENDLESS_IN_WORDS = "CASE WHEN ISINF({0}) THEN CAST({0} AS VARCHAR) END"
_DIGITS_OF_THE_CLIENT = 6
_NESTED = frozenset({"list", "array", "struct", "map", "union", "variant"})
_FINE = frozenset({"timestamp_ns", "time_ns"})
_DAYS = frozenset({"date", "timestamp", "timestamp_s", "timestamp_ms", "timestamp with time zone"})
_WORDS = {
    **dict.fromkeys(_NESTED | _FINE | {"interval", "float"}, _IN_WORDS),
    **dict.fromkeys(_DAYS, _ENDLESS_IN_WORDS),
}


def told_in_words(kinds: Sequence[str]) -> dict[int, str]:
    """Return the places of columns that need words, with their kinds as the client calls them."""
    return {place: kind for place, kind in enumerate(kinds) if kind in _WORDS}


def with_words(sql: str, columns: int, told: Mapping[int, str]) -> str:
    """The same rows, and behind each the words for the columns that need them."""
    names = ", ".join(f"c{place}" for place in range(columns))
    words = ", ".join(_WORDS[kind].format(f"c{place}") for place, kind in told.items())
    return f"SELECT {names}, {words} FROM ({sql}\n) AS told ({names})"


def as_told(row: tuple[Any, ...], told: Mapping[int, str]) -> tuple[Any, ...]:
    """Put the words of a row, or what they say, in the place of what the client made of its cells."""
    cells, words = list(row[: -len(told)]), row[-len(told) :]
    for (place, kind), spelled in zip(told.items(), words, strict=True):
        if spelled is not None:
            cells[place] = _cell(cells[place], kind, spelled)
    return tuple(cells)


def _cell(cell: Any, kind: str, spelled: str) -> Any:
    if kind == "float":
        return float(spelled)
    if kind == "interval":
        return spelled if "month" in spelled or "year" in spelled else cell
    if kind in _FINE:
        is_whole = len(spelled.partition(".")[2]) <= _DIGITS_OF_THE_CLIENT and "infinity" not in spelled
        return cell if is_whole else spelled
    return spelled
