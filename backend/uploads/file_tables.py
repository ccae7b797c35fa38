"""Files as tables of cells: CSV, Excel and Parquet, from bytes, within bounds. Runs in the worker only."""

from __future__ import annotations

import codecs
import csv
import io
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time
from itertools import islice
from typing import Any

import pyarrow as pa

from backend.uploads.plan import UploadLimits

_SEPARATORS = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars"}
_LOOKED_AT_ROWS = 50
_PIECE_ROWS = 20_000
_MOST_RAGGED_SHARE = 0.1
_UNPACKED_TIMES = 40
"""Workbooks of real figures unpack to some ten times their size; a bomb to a thousand times."""


class CannotRead(Exception):
    """A file is none that can become a table; the text is for people."""


@dataclass(frozen=True)
class FileTable:
    """One table of a file: all cells text, except those of Parquet, which keep their types."""

    sheet: str
    headings: tuple[str, ...]
    cells: pa.Table
    notes: tuple[str, ...]


def read_tables(ending: str, raw: bytes, limits: UploadLimits) -> list[FileTable]:
    """Read a file by its ending.

    Raises:
        CannotRead: it is damaged, of another kind, or beyond the limits.
    """
    if ending in ("csv", "tsv", "txt"):
        return [_of_csv(raw, limits)]
    if ending == "parquet":
        return [_of_parquet(raw, limits)]
    return _of_workbook(raw, limits)


def _of_csv(raw: bytes, limits: UploadLimits) -> FileTable:
    text, encoding = _decoded(raw)
    head = text[:200_000]
    separator = max(_SEPARATORS, key=lambda one: _evenness(head, one))
    csv.field_size_limit(limits.max_cell_kb * 1_024)
    notes = [f"Read as {encoding}, separated by {_SEPARATORS[separator]}."]
    if "\0" in text:
        text = text.replace("\0", "")
        notes.append("Null characters were taken out.")
    rows = csv.reader(io.StringIO(text, newline=""), delimiter=separator)
    try:
        return _table("", rows, notes, limits)
    except csv.Error as fault:
        raise CannotRead(f"This is no CSV that can be read: {fault}.") from None


def _decoded(raw: bytes) -> tuple[str, str]:
    for mark, name, encoding in (
        (codecs.BOM_UTF8, "UTF-8", "utf-8-sig"),
        (codecs.BOM_UTF16_LE, "UTF-16", "utf-16"),
        (codecs.BOM_UTF16_BE, "UTF-16", "utf-16"),
    ):
        if raw.startswith(mark):
            return raw.decode(encoding, "replace"), name
    head = raw[:4_000]
    if head and head.count(0) > len(head) // 3:
        return raw.decode("utf-16-le" if head[1:2] == b"\0" else "utf-16-be", "replace"), "UTF-16"
    try:
        return raw.decode("utf-8"), "UTF-8"
    except UnicodeDecodeError:
        return raw.decode("cp1252", "replace"), "Windows-1252"


def _evenness(head: str, separator: str) -> tuple[float, int]:
    """Rank a separator: rows of equal length beat others, then more columns."""
    try:
        lines = list(islice(csv.reader(io.StringIO(head, newline=""), delimiter=separator), 200))
    except csv.Error:
        return 0.0, 0
    lengths = [len(row) for row in lines if any(row)]
    usual = max(set(lengths), key=lengths.count) if lengths else 0
    return (lengths.count(usual) / len(lengths), usual) if usual > 1 else (0.0, usual)


def _table(sheet: str, rows: Iterable[Sequence[str]], notes: list[str], limits: UploadLimits) -> FileTable:
    """Find the heading, and gather the rows below it piece by piece."""
    given = iter(rows)
    first = [list(row) for row in islice(given, _LOOKED_AT_ROWS)]
    filled = [sum(bool(cell.strip()) for cell in row) for row in first]
    place = next((at for at, count in enumerate(filled) if count >= 0.6 * max(filled, default=0) and count), None)
    if place is None:
        raise CannotRead("There is nothing in it.")
    above = sum(map(bool, filled[:place]))
    if above:
        notes.append(
            f"{above} lines above the heading were left out." if above > 1 else "A line above it was left out."
        )
    headings = first[place]
    while headings and not headings[-1].strip():
        headings.pop()
    if len(headings) > limits.max_columns:
        raise CannotRead(f"It has {len(headings):,} columns; at most {limits.max_columns:,} can be read.")
    cells, ragged, count = _gathered(_chained(first[place + 1 :], given), len(headings), limits)
    if ragged:
        told = ", ".join(f"{row + place + 2:,}" for row in ragged[:5])
        if len(ragged) > _MOST_RAGGED_SHARE * (count + len(ragged)):
            raise CannotRead(
                f"{len(ragged):,} rows have more cells than the heading (line {told} …): is it the heading?"
            )
        notes.append(f"{len(ragged):,} rows with more cells than the heading were left out (line {told}).")
    if not count:
        raise CannotRead("There are no rows below its heading.")
    return FileTable(sheet, tuple(headings), cells, tuple(notes))


def _chained(first: list[list[str]], rest: Iterator[Sequence[str]]) -> Iterator[Sequence[str]]:
    yield from first
    yield from rest


def _gathered(rows: Iterator[Sequence[str]], width: int, limits: UploadLimits) -> tuple[pa.Table, list[int], int]:
    names = [str(place) for place in range(width)]
    pieces: list[pa.Table] = []
    piece: list[list[str]] = []
    ragged: list[int] = []
    count = 0

    def keep() -> None:
        columns = [pa.array(column, pa.large_string()) for column in zip(*piece, strict=True)]
        pieces.append(pa.table(columns, names))
        piece.clear()

    for number, row in enumerate(rows):
        if not any(cell.strip() for cell in row):
            continue
        if any(cell.strip() for cell in row[width:]):
            ragged.append(number)
            continue
        count += 1
        if count > limits.max_rows:
            raise CannotRead(f"It has more than {limits.max_rows:,} rows; that is the most.")
        if any(len(cell) > limits.max_cell_kb * 1_024 for cell in row):
            raise CannotRead(f"A cell has more than {limits.max_cell_kb:,} KB.")
        piece.append([*row[:width], *[""] * (width - len(row))])
        if len(piece) == _PIECE_ROWS:
            keep()
    if piece:
        keep()
    return (pa.concat_tables(pieces) if pieces else pa.table({})), ragged, count


def _of_workbook(raw: bytes, limits: UploadLimits) -> list[FileTable]:
    from python_calamine import CalamineError, CalamineWorkbook

    _refuse_bombs(raw, limits)
    try:
        workbook = CalamineWorkbook.from_filelike(io.BytesIO(raw))
        sheets = [(name, workbook.get_sheet_by_name(name)) for name in workbook.sheet_names]
        for name, sheet in sheets:
            if sheet.width > 10 * limits.max_columns or sheet.height > limits.max_rows + _LOOKED_AT_ROWS:
                raise CannotRead(f"The sheet {name} has {sheet.height:,} rows and {sheet.width:,} columns: too many.")
        found = [(name, sheet.to_python(skip_empty_area=True)) for name, sheet in sheets]
    except (CalamineError, OSError, ValueError) as fault:
        raise CannotRead(f"This is no workbook that can be read: {fault}.") from None
    note = "Formulas are read by the results that were saved with them."
    filled = [(name, rows) for name, rows in found if any(any(cell != "" for cell in row) for row in rows)]
    if not filled:
        raise CannotRead("There is nothing in it.")
    if len(filled) > limits.max_tables:
        raise CannotRead(
            f"It has {len(filled):,} sheets with something in them; at most {limits.max_tables:,} are read."
        )
    return [_table(name, ([_spelled(cell) for cell in row] for row in rows), [note], limits) for name, rows in filled]


def _refuse_bombs(raw: bytes, limits: UploadLimits) -> None:
    if not raw.startswith(b"PK"):
        return
    try:
        unpacked = sum(item.file_size for item in zipfile.ZipFile(io.BytesIO(raw)).infolist())
    except (zipfile.BadZipFile, ValueError, NotImplementedError):
        raise CannotRead("This is no workbook that can be read: its packing is damaged.") from None
    if unpacked > max(limits.max_file_mb * 4, 16) * 2**20 or (
        unpacked > 16 * 2**20 and unpacked > _UNPACKED_TIMES * len(raw)
    ):
        raise CannotRead("Unpacked, this workbook is far larger than a workbook of figures is; it was not opened.")


def _spelled(cell: Any) -> str:
    """A spreadsheet's numbers are all floating, and good for fifteen digits."""
    if isinstance(cell, bool):
        return "true" if cell else "false"
    if isinstance(cell, float):
        return str(int(cell)) if cell.is_integer() and abs(cell) < 1e15 else format(cell, ".15g")
    if isinstance(cell, datetime):
        return cell.date().isoformat() if cell.time() == time() else cell.isoformat(" ", "seconds")
    return cell.isoformat() if isinstance(cell, (date, time)) else str(cell)


def _of_parquet(raw: bytes, limits: UploadLimits) -> FileTable:
    import pyarrow.parquet as pq

    try:
        file = pq.ParquetFile(io.BytesIO(raw))
        said = file.metadata
        if said.num_rows > limits.max_rows or said.num_columns > limits.max_columns:
            raise CannotRead(
                f"It has {said.num_rows:,} rows and {said.num_columns:,} columns; at most {limits.max_rows:,} and "
                f"{limits.max_columns:,} can be read."
            )
        table = file.read(use_threads=False)
    except (pa.ArrowException, OSError, ValueError) as fault:
        raise CannotRead(f"This is no Parquet file that can be read: {type(fault).__name__}.") from None
    kept = [place for place, field in enumerate(table.schema) if _is_plain(field.type)]
    left = [str(field.name) for field in table.schema if not _is_plain(field.type)]
    notes = [f"Left out, as one cell of it is more than one value: {', '.join(left[:5])}."] if left else []
    if not kept or not table.num_rows:
        raise CannotRead("There is nothing in it that can be a table.")
    headings = tuple(str(table.schema.field(place).name) for place in kept)
    cells = pa.table([_decoded_column(table.column(place)) for place in kept], [str(n) for n in range(len(kept))])
    return FileTable("", headings, cells, tuple(notes))


def _is_plain(kind: pa.DataType) -> bool:
    if pa.types.is_dictionary(kind):
        kind = kind.value_type
    return bool(
        pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_integer(kind)
        or pa.types.is_floating(kind) or pa.types.is_decimal(kind) or pa.types.is_boolean(kind)
        or pa.types.is_date(kind) or pa.types.is_timestamp(kind)
    )  # fmt: skip


def _decoded_column(column: Any) -> Any:
    return column.cast(column.type.value_type) if pa.types.is_dictionary(column.type) else column
