"""Columns on their way between the processes: whole columns as one text or one run of bytes, not object by object."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import date, datetime
from decimal import Decimal
from operator import attrgetter
from typing import Any, TypeAlias

from ai_engine.types import Scalar
from backend.databases.cells import PlainColumn

PackedColumn: TypeAlias = tuple[str, Any]

_AS_IT_IS = ""
_TEXTS = "texts"
_MOMENTS = "moments"
_WRITE: dict[type, Callable[[Any], str]] = {Decimal: str, date: date.isoformat, datetime: datetime.isoformat}
_READ: dict[str, Callable[[str], Scalar]] = {
    "Decimal": Decimal,
    "date": date.fromisoformat,
    "datetime": datetime.fromisoformat,
}
_BETWEEN = " "  # is in no number and no ISO date; nothing between two of them is NULL
_BETWEEN_TEXTS = "\0"  # databases hardly ever hold it; a column that does travels as it is
_MOMENT_BYTES = 10  # what `datetime` itself keeps in a pickle, and takes back
_NO_MOMENT = bytes(_MOMENT_BYTES)
_ZONE = attrgetter("tzinfo")


def pack_columns(columns: Iterable[PlainColumn]) -> list[PackedColumn]:
    """Shorten each column of text, or of decimals, dates or timestamps (and NULL); leave the others as they are."""
    return [_pack(column) for column in columns]


def _pack(column: PlainColumn) -> PackedColumn:
    cells: list[Any] = column.cells
    kinds = column.kinds - {type(None)}
    some_null = kinds < column.kinds
    if kinds == {str} and not some_null:
        joined = _BETWEEN_TEXTS.join(cells)
        if joined.count(_BETWEEN_TEXTS) == len(cells) - 1:
            return _TEXTS, joined
    if kinds == {datetime} and not any(map(_ZONE, filter(None, cells))):
        return _MOMENTS, b"".join([_NO_MOMENT if cell is None else cell.__reduce_ex__(4)[1][0] for cell in cells])
    kind = next(iter(kinds)) if len(kinds) == 1 else None
    write = _WRITE.get(kind) if kind else None
    if kind is None or write is None:
        return _AS_IT_IS, cells
    texts = ["" if cell is None else write(cell) for cell in cells] if some_null else map(write, cells)
    return kind.__name__, _BETWEEN.join(texts)


def unpack_rows(columns: Iterable[PackedColumn]) -> tuple[tuple[Scalar, ...], ...]:
    """Undo `pack_columns`, and turn columns into rows; values are equal to what they were, decimals digit by digit."""
    return tuple(zip(*(_unpack(*column) for column in columns), strict=True))


def _unpack(name: str, packed: Any) -> Sequence[Scalar]:
    if name == _AS_IT_IS:
        column: Sequence[Scalar] = packed
        return column
    if name == _TEXTS:
        texts: list[Scalar] = packed.split(_BETWEEN_TEXTS)
        return texts
    if name == _MOMENTS:
        states = [packed[start : start + _MOMENT_BYTES] for start in range(0, len(packed), _MOMENT_BYTES)]
        build: Callable[..., datetime] = datetime
        return [None if state == _NO_MOMENT else build(state) for state in states]
    read = _READ[name]
    return [read(text) if text else None for text in packed.split(_BETWEEN)]
