"""Data dictionaries as files: CSV, Excel and YAML, read into rows that are understood elsewhere."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import yaml

from ai_engine.catalogue import Catalogue
from ai_engine.errors import BadConfiguration
from ai_engine.semantics.data_dictionary import HEADINGS, DataDictionary, Row, heading_of, read_dictionary

_WORKBOOKS = {".xlsx", ".xlsm", ".xls", ".xlsb", ".ods"}
_YAML = {".yaml", ".yml"}


def open_dictionary(file: Path, catalogue: Catalogue, max_kb: int) -> DataDictionary:
    """Read the data dictionary of a database; the kind of file is told by its ending.

    Raises:
        BadConfiguration: it cannot be read, is too long, or says what cannot be understood; with the places.
    """
    try:
        raw = file.read_bytes()
    except OSError as fault:
        raise BadConfiguration(f"The data dictionary {file} cannot be read: {fault.strerror}") from fault
    if len(raw) > max_kb * 1_024:
        raise BadConfiguration(f"The data dictionary {file} has more than {max_kb:,} KB (BANK_MAX_DOCUMENT_KB).")
    ending = file.suffix.lower()
    if ending in _WORKBOOKS:
        rows = _of_sheets(file, raw)
    elif ending in _YAML:
        rows = _of_yaml(file, _text(file, raw))
    else:
        rows = _of_csv(file, _text(file, raw))
    return read_dictionary(rows, catalogue)


def _text(file: Path, raw: bytes) -> str:
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as fault:
        raise BadConfiguration(f"The data dictionary {file} is not written in UTF-8; save it as such.") from fault


def _of_csv(file: Path, text: str) -> list[Row]:
    head = text.partition("\n")[0]
    separator = max((",", ";", "\t"), key=head.count)
    try:
        cells = list(csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True))
    except csv.Error as fault:
        raise BadConfiguration(f"The data dictionary {file} is no CSV that can be read: {fault}") from fault
    return list(_of_table(file, "row", cells))


def _of_sheets(file: Path, raw: bytes) -> list[Row]:
    from python_calamine import CalamineError, CalamineWorkbook

    try:
        workbook = CalamineWorkbook.from_filelike(io.BytesIO(raw))
        sheets = {name: workbook.get_sheet_by_name(name).to_python() for name in workbook.sheet_names}
    except (CalamineError, OSError, ValueError) as fault:
        raise BadConfiguration(f"The data dictionary {file} is no workbook that can be read: {fault}") from fault
    told = {name: [list(map(_cell, row)) for row in rows] for name, rows in sheets.items()}
    described = {name: rows for name, rows in told.items() if rows and "table" in map(heading_of, rows[0])}
    if not described:
        raise BadConfiguration(f"The data dictionary {file} has no sheet whose first row names a column `table`.")
    return [row for name, rows in described.items() for row in _of_table(file, f"{name}, row", rows)]


def _cell(value: object) -> str:
    """Numbers of a sheet are all floating: a code 3 must not become 3.0."""
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def _of_table(file: Path, word: str, cells: Sequence[Sequence[str]]) -> Iterator[Row]:
    headings = [heading_of(text) for text in cells[0]] if cells else []
    if "table" not in headings:
        found = ", ".join(text for text in (cells[0] if cells else []) if text) or "nothing"
        raise BadConfiguration(
            f"The data dictionary {file} has no column `table` in its first row, which says {found}. "
            f"Wanted: {', '.join(HEADINGS)}; only `table` has to be there."
        )
    twice = {heading for heading in headings if heading and headings.count(heading) > 1}
    if twice:
        raise BadConfiguration(f"The data dictionary {file} has two columns for {', '.join(sorted(twice))}; keep one.")
    for number, row in enumerate(cells[1:], 2):
        if any(text.strip() for text in row):
            yield Row(f"{word} {number}", {name: text for name, text in zip(headings, row, strict=False) if name})


def _of_yaml(file: Path, text: str) -> list[Row]:
    try:
        document = yaml.safe_load(text)
    except (yaml.YAMLError, RecursionError) as fault:
        raise BadConfiguration(f"The data dictionary {file} is no YAML that can be read: {fault}") from fault
    if not isinstance(document, list) or not all(isinstance(item, Mapping) for item in document):
        raise BadConfiguration(f"The data dictionary {file} is no list of entries, each with `table` and what it says.")
    return [Row(f"entry {number}", dict(_of_entry(item))) for number, item in enumerate(document, 1)]


def _of_entry(item: Mapping[object, object]) -> Iterator[tuple[str, str]]:
    for key, value in item.items():
        heading = heading_of(str(key))
        if heading and value is not None:
            yield heading, _spelled(value)


def _spelled(value: object) -> str:
    if isinstance(value, Mapping):
        return "; ".join(f"{_spelled(code)} = {_spelled(meaning)}" for code, meaning in value.items())
    if isinstance(value, list):
        return "; ".join(map(_spelled, value))
    return ("yes" if value else "no") if isinstance(value, bool) else str(value)
