"""From what a client returns to the values that travel: plain, typed, bounded."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta, timezone
from decimal import Context, Decimal
from operator import attrgetter
from typing import Any, cast

from ai_engine.types import ColumnType, Scalar

_NULL = type(None)
_BYTES_SHOWN = 32
_ZONE = attrgetter("tzinfo")
_WIDE = Context(prec=700)  # SQLite's largest number beside its smallest
_ISO_DATE = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)
_ISO_TIMESTAMP = re.compile(r"\d{4}-\d\d-\d\d[ T]\d\d:\d\d(:\d\d(\.\d{1,6})?)?(Z|[+-]\d\d:\d\d)?", re.ASCII)
_PLAIN = frozenset({int, float, bool, str, Decimal, date, time, timedelta, _NULL})
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


@dataclass(slots=True)
class PlainColumn:
    """One column of a result, or of a piece of it.

    Attributes:
        cells: plain values only.
        kinds: their Python types, NULL's included; looked up once, as it costs more than all else that is done here.
    """

    cells: list[Scalar]
    kinds: set[type]


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


def plain_columns(rows: Sequence[tuple[Any, ...]], max_cell_bytes: int) -> tuple[list[PlainColumn], int]:
    """Bring every cell to a plain value, and rows to columns, which everything after is done with.

    Bytes become a short hexadecimal preview with their length, nested values their text, zoned timestamps keep their
    offset. NaN and infinities stay floats, so that nothing but NULL is None.

    Returns:
        The columns, and roughly how many bytes they hold.

    Raises:
        CellTooLarge: a text is longer than `max_cell_bytes`.
    """
    held = 16 * len(rows) * len(rows[0])
    columns: list[PlainColumn] = []
    for given in zip(*rows, strict=True):
        column = _plain_column(given)
        if str in column.kinds:
            only_text = len(column.kinds) == 1
            texts = column.cells if only_text else [cell for cell in column.cells if type(cell) is str]
            held += _text_bytes(cast(Sequence[str], texts), max_cell_bytes)
        columns.append(column)
    return columns, held


def append_columns(columns: list[PlainColumn], piece: list[PlainColumn]) -> list[PlainColumn]:
    """Return the columns so far, which may be none, with those of the next piece behind them."""
    for column, more in zip(columns, piece, strict=True) if columns else ():
        column.cells += more.cells
        column.kinds |= more.kinds
    return columns or piece


def _plain_column(given: Sequence[Any]) -> PlainColumn:
    kinds = set(map(type, given))
    changing = kinds - _PLAIN
    if changing == {datetime} and not any(map(_ZONE, given if len(kinds) == 1 else _moments(given))):
        changing = set()  # timestamps without a zone are most of them, and plain already
    if not changing:
        return PlainColumn(list(given), kinds)
    cells = [_plain(cell) if type(cell) in changing else cell for cell in given]
    return PlainColumn(cells, set(map(type, cells)))


def _moments(column: Sequence[Any]) -> list[datetime]:
    return [cell for cell in column if type(cell) is datetime]


def _text_bytes(texts: Sequence[str], max_cell_bytes: int) -> int:
    """Add up what texts take in UTF-8; CellTooLarge when one takes too much."""
    total = len("".join(texts).encode("utf-8", "replace"))
    if total > max_cell_bytes:  # only then can one of them be too large
        longest = max(len(text.encode("utf-8", "replace")) for text in texts)
        if longest > max_cell_bytes:
            raise CellTooLarge(f"a text of {longest:,} bytes, more than the {max_cell_bytes:,} one cell may hold")
    return total


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
    columns: Sequence[PlainColumn], declared: Sequence[ColumnType | None]
) -> tuple[tuple[ColumnType, ...], list[PlainColumn]]:
    """Decide each column's type, and read the dates of an engine that stores them as text.

    Where `declared` is None the values decide. A text column becomes dates or timestamps when every value that is not
    NULL is a strict ISO one; a column without any value is "other". No columns mean that there was no row.
    """
    if not columns:
        return tuple(known or "other" for known in declared), []
    typed = [_typed_column(column, known) for column, known in zip(columns, declared, strict=True)]
    return tuple(kind for kind, _ in typed), [column for _, column in typed]


def _typed_column(column: PlainColumn, declared: ColumnType | None) -> tuple[ColumnType, PlainColumn]:
    kinds = column.kinds - {_NULL}
    if declared is None and kinds == {str}:
        return _read_dates(column)
    if declared is None or (kinds == {str} and declared not in ("text", "other")):
        # A client hands out what has no Python value (year 290000, BC) as text.
        found = _BY_KINDS.get(frozenset(kinds), "other")
        return found, _one_scale(column) if kinds == {Decimal} else column
    if str in kinds and len(kinds) > 1:
        texts: list[Scalar] = [None if cell is None else str(cell) for cell in column.cells]
        return "text", PlainColumn(texts, {str, *(column.kinds & {_NULL})})
    return declared, column


def _one_scale(column: PlainColumn) -> PlainColumn:
    """Write all decimals of a column with as many digits as the longest: 0.1 and 1.25 become 0.10 and 1.25."""
    numbers = [cell for cell in column.cells if isinstance(cell, Decimal)]
    finest = Decimal((0, (1,), min(0, *(int(number.as_tuple().exponent) for number in numbers), 0)))
    cells = [cell.quantize(finest, context=_WIDE) if isinstance(cell, Decimal) else cell for cell in column.cells]
    return PlainColumn(cells, column.kinds)


def _read_dates(column: PlainColumn) -> tuple[ColumnType, PlainColumn]:
    first = next(cell for cell in column.cells if cell is not None)
    for pattern, read, kind in ((_ISO_DATE, date.fromisoformat, date), (_ISO_TIMESTAMP, _timestamp, datetime)):
        if not pattern.fullmatch(str(first)):
            continue
        try:
            cells = [None if cell is None else _read_strictly(str(cell), pattern, read) for cell in column.cells]
        except ValueError:
            continue
        return _BY_KINDS[frozenset({kind})], PlainColumn(cells, {kind, *(column.kinds & {_NULL})})
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
