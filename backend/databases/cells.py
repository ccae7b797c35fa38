"""From what a client returns to the values that travel: plain, typed, bounded."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import date, datetime, time, timedelta, timezone
from decimal import Context, Decimal
from operator import attrgetter
from typing import Any, cast

from ai_engine.types import ColumnType, Scalar

_BYTES_SHOWN = 32
_ZONE = attrgetter("tzinfo")
_WIDE = Context(prec=60)
_ISO_DATE = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)
_ISO_TIMESTAMP = re.compile(r"\d{4}-\d\d-\d\d[ T]\d\d:\d\d(:\d\d(\.\d{1,6})?)?(Z|[+-]\d\d:\d\d)?", re.ASCII)
_PLAIN = frozenset({int, float, bool, str, Decimal, date, time, timedelta, type(None)})
_BY_KINDS: dict[frozenset[type], ColumnType] = {
    frozenset({int}): "integer",
    frozenset({float}): "float",
    frozenset({int, float}): "float",
    frozenset({Decimal}): "decimal",
    frozenset({int, Decimal}): "decimal",
    frozenset({Decimal, float}): "decimal",
    frozenset({str}): "text",
    frozenset({bool}): "boolean",
    frozenset({date}): "date",
    frozenset({datetime}): "timestamp",
    frozenset({time}): "time",
}


class CellTooLarge(Exception):
    """One text cell exceeds its bound."""


def number_names(names: Iterable[str | None]) -> tuple[str, ...]:
    """Make column names unique without regard to case: `a, A, ""` become `a, A_2, column_3`."""
    taken: set[str] = set()
    unique: list[str] = []
    for position, given in enumerate(names, start=1):
        base = "" if given == "?column?" else (given or "").strip()  # PostgreSQL's own name for none
        base = base or f"column_{position}"
        name, count = base, 1
        while name.lower() in taken:
            count += 1
            name = f"{base}_{count}"
        taken.add(name.lower())
        unique.append(name)
    return tuple(unique)


def plain_columns(rows: Sequence[tuple[Any, ...]], max_cell_bytes: int) -> tuple[list[Sequence[Scalar]], int]:
    """Bring every cell to a plain value, and rows to columns, which everything after is done with.

    Bytes become a short hexadecimal preview with their length, nested values their text, zoned timestamps keep their
    offset. NaN and infinities stay floats, so that nothing but NULL is None.

    Returns:
        The columns, and roughly how many bytes they hold.

    Raises:
        CellTooLarge: a text is longer than `max_cell_bytes`.
    """
    held = 16 * len(rows) * len(rows[0])
    columns: list[Sequence[Scalar]] = []
    for column in zip(*rows, strict=True):
        kinds = set(map(type, column))
        changing = kinds - _PLAIN
        if changing == {datetime} and not any(map(_ZONE, column if kinds == {datetime} else _moments(column))):
            changing = set()  # timestamps without a zone are most of them, and plain already
        plain = [_plain(cell) if type(cell) in changing else cell for cell in column] if changing else column
        if str in kinds or changing:
            only_text = not changing and kinds == {str}
            texts = plain if only_text else [cell for cell in plain if type(cell) is str]
            held += _text_bytes(cast(Sequence[str], texts), max_cell_bytes)
        columns.append(plain)
    return columns, held


def _moments(column: Sequence[Any]) -> list[datetime]:
    return [cell for cell in column if type(cell) is datetime]


def _text_bytes(texts: Sequence[str], max_cell_bytes: int) -> int:
    """Add up what texts take in UTF-8; CellTooLarge when one takes too much."""
    longest = 4 * max(map(len, texts), default=0)  # UTF-8 needs at most four bytes for a character
    if longest > max_cell_bytes:
        for text in texts:
            size = len(text.encode("utf-8", "replace"))
            if size > max_cell_bytes:
                raise CellTooLarge(f"a text of {size:,} bytes, more than the {max_cell_bytes:,} one cell may hold")
    return len("".join(texts).encode("utf-8", "replace"))


def _plain(cell: Any) -> Scalar:
    if isinstance(cell, datetime):
        offset = cell.utcoffset()
        return cell if offset is None else cell.replace(tzinfo=timezone(offset))
    if isinstance(cell, (bytes, bytearray, memoryview)):
        return preview_bytes(bytes(cell))
    return str(cell)


def preview_bytes(content: bytes) -> str:
    """Show bytes as text that cannot be mistaken for anything else: `0x89504e47… (2,048 bytes)`."""
    shown = content[:_BYTES_SHOWN].hex()
    return f"0x{shown}" if len(content) <= _BYTES_SHOWN else f"0x{shown}… ({len(content):,} bytes)"


def typed_columns(
    columns: Sequence[Sequence[Scalar]], declared: Sequence[ColumnType | None]
) -> tuple[tuple[ColumnType, ...], list[Sequence[Scalar]]]:
    """Decide each column's type, and read the dates of an engine that stores them as text.

    Where `declared` is None the values decide. A text column becomes dates or timestamps when every value that is not
    NULL is a strict ISO one; a column without any value is "other". No columns mean that there was no row.
    """
    if not columns:
        return tuple(known or "other" for known in declared), []
    types: list[ColumnType] = []
    typed: list[Sequence[Scalar]] = []
    for known, column in zip(declared, columns, strict=True):
        kinds = frozenset(map(type, column)) - {type(None)}
        values: Sequence[Scalar] = column
        if known is None and kinds == {str}:
            known, values = _read_dates(column)  # noqa: PLW2901
        elif known is None or (kinds == {str} and known not in ("text", "other")):
            # A client hands out what has no Python value (year 290000, BC) as text.
            known = _BY_KINDS.get(kinds, "other")  # noqa: PLW2901
            if kinds == {Decimal}:
                values = _one_scale(column)
        elif str in kinds and len(kinds) > 1:
            known, values = "text", [None if cell is None else str(cell) for cell in column]  # noqa: PLW2901
        types.append(known)
        typed.append(values)
    return tuple(types), typed


def _one_scale(column: Sequence[Scalar]) -> Sequence[Scalar]:
    """Write all decimals of a column with as many digits as the longest: 0.1 and 1.25 become 0.10 and 1.25."""
    numbers = [cell for cell in column if isinstance(cell, Decimal)]
    finest = Decimal((0, (1,), min(0, *(int(number.as_tuple().exponent) for number in numbers), 0)))
    return [cell.quantize(finest, context=_WIDE) if isinstance(cell, Decimal) else cell for cell in column]


def _read_dates(column: Sequence[Scalar]) -> tuple[ColumnType, Sequence[Scalar]]:
    for pattern, read, found in ((_ISO_DATE, date.fromisoformat, "date"), (_ISO_TIMESTAMP, _timestamp, "timestamp")):
        first = next(cell for cell in column if cell is not None)
        if not pattern.fullmatch(str(first)):
            continue
        try:
            values = [None if cell is None else _read_strictly(str(cell), pattern, read) for cell in column]
        except ValueError:
            continue
        return found, values  # type: ignore[return-value]
    return "text", column


def _read_strictly(text: str, pattern: re.Pattern[str], read: Any) -> Scalar:
    if not pattern.fullmatch(text):
        raise ValueError(text)
    value: Scalar = read(text)
    return value


def _timestamp(text: str) -> datetime:
    value = datetime.fromisoformat(text)
    offset = value.utcoffset()
    return value if offset is None else value.replace(tzinfo=timezone(offset))
