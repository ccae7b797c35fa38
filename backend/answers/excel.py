"""A result as an Excel workbook: numbers are numbers, and no text in it can run."""

from __future__ import annotations

import io
import math
import re
from collections.abc import Sequence
from datetime import date, datetime
from decimal import Decimal
from typing import TYPE_CHECKING

from ai_engine.types import Answer, OutputColumn, QueryResult, Scalar
from backend.answers.exports import would_run, written

if TYPE_CHECKING:
    from xlsxwriter import Workbook
    from xlsxwriter.format import Format
    from xlsxwriter.worksheet import Worksheet

_ROWS_PER_SHEET = 1_048_575  # below the heading; the format has no more
_EXACT_DIGITS = 15  # a cell holds a double
_LONGEST_TEXT = 32_767
_HEADER_CHARS = 120  # of the 255 that a header holds, ampersands doubled
_FIRST_DAY = date(1900, 3, 1)  # before it, spreadsheets count a day that never was
_PICTURE_CODES = re.compile(r"&(?=G|\[Picture\])")
_NOT_IN_XML = re.compile(r"[\ud800-\udfff\ufffe\uffff]")


def to_excel(result: QueryResult, about: Sequence[tuple[str, str]] = (), columns: Sequence[OutputColumn] = ()) -> bytes:
    """Write a result as a workbook; rows beyond the length of a sheet continue on the next.

    The names of the columns are the first row, so that a filter or a pivot table finds them; what the rows are about
    stands on a sheet of its own behind them, and on every printed page.

    Numbers of up to 15 digits, dates and timestamps without a zone are cells of that kind, with the digits they have
    in the database. Longer numbers and zoned timestamps are text, so that nothing is rounded or shifted. Text that
    would run as a formula once somebody edits its cell is marked as text, as by a leading apostrophe.

    Args:
        result: the rows.
        about: what is said of them, each with its name, the title first; `said_of` an answer.
        columns: what they mean: digits of figures are grouped, those of numbers that name something are not.
    """
    from xlsxwriter import Workbook

    file = io.BytesIO()
    options = {"constant_memory": True, "strings_to_formulas": False, "strings_to_urls": False,
               "strings_to_numbers": False}  # fmt: skip
    with Workbook(file, options) as workbook:
        styles, of_figures = _Styles(workbook), _Styles(workbook, "#,##0")
        figures = {place for place, column in enumerate(columns) if column.role == "measure"}
        for start in range(0, max(1, len(result.rows)), _ROWS_PER_SHEET):
            sheet = workbook.add_worksheet(f"Answer {start // _ROWS_PER_SHEET + 1}" if start else "Answer")
            _write_heading(sheet, result.columns, styles)
            if about:
                sheet.set_header(f"&L{_in_header(about[0][1])}")
            for place, row in enumerate(result.rows[start : start + _ROWS_PER_SHEET], start=1):
                for column, cell in enumerate(row):
                    _write_cell(sheet, place, column, cell, of_figures if column in figures else styles)
        if about:
            _write_about(workbook.add_worksheet("About"), about, styles)
            workbook.set_properties({"title": _fitting(about[0][1])[:_HEADER_CHARS]})
    return file.getvalue()


def said_of(answer: Answer, title: str) -> list[tuple[str, str]]:
    """List what belongs to the rows of an answer wherever they are taken: what narrows them, and how they came about.

    Args:
        answer: with a result.
        title: what it is called, as on the page.
    """
    result = answer.result
    assert result is not None, "there are rows to say something of"  # noqa: S101
    of_all = f" of {result.total_rows:,}" if result.total_rows is not None and result.truncated else ""
    rows = f"{result.row_count:,}{of_all}{', there are more' if result.truncated and not of_all else ''}"
    parts = [
        (f"Part of {column.label.lower()}", f"{written(step)}: only {days}")
        for column in answer.columns
        for step, days in column.part_steps
    ]
    said = [
        ("Title", title),
        ("Question", answer.question),
        ("Understood as", answer.restatement),
        ("Narrowed to", answer.scope),
        ("Period", answer.period),
        ("Answer", answer.headline or answer.summary),
        *(("Assumed", assumption) for assumption in answer.assumptions),
        *parts,
        ("Rows", rows),
        *((f"Unit of {column.name}", column.unit) for column in answer.columns if column.unit),
        ("SQL", answer.sql or ""),
        ("As of", answer.as_of.isoformat() if answer.as_of else ""),
        ("Answered at", f"{answer.answered_at:%Y-%m-%d %H:%M:%S} UTC" if answer.answered_at else ""),
        ("Answered by", answer.model),
        ("Question id", answer.question_id),
    ]
    return [(name, text) for name, text in said if text]


class _Styles:
    """The looks that a workbook's cells need, each made once."""

    def __init__(self, workbook: Workbook, whole: str = "0") -> None:
        self.heading = workbook.add_format({"bold": True, "quote_prefix": True, "valign": "top"})
        self.text = workbook.add_format({"quote_prefix": True})
        self.lines = workbook.add_format({"quote_prefix": True, "text_wrap": True, "valign": "top"})
        self.date = workbook.add_format({"num_format": "yyyy-mm-dd"})
        self.timestamp = workbook.add_format({"num_format": "yyyy-mm-dd hh:mm:ss"})
        self.whole = workbook.add_format({"num_format": whole})
        self._whole = whole
        self._workbook = workbook
        self._decimals: dict[int, Format] = {0: self.whole}

    def decimal(self, places: int) -> Format:
        if places not in self._decimals:
            self._decimals[places] = self._workbook.add_format({"num_format": f"{self._whole}." + "0" * places})
        return self._decimals[places]


def _write_heading(sheet: Worksheet, columns: tuple[str, ...], styles: _Styles) -> None:
    sheet.freeze_panes(1, 0)
    for place, name in enumerate(columns):
        sheet.set_column(place, place, min(40, max(12, len(name) + 2)))
        sheet.write_string(0, place, _fitting(name), styles.heading)


def _write_about(sheet: Worksheet, about: Sequence[tuple[str, str]], styles: _Styles) -> None:
    sheet.set_column(0, 0, 24)
    sheet.set_column(1, 1, 100)
    for place, (name, text) in enumerate(about):
        sheet.write_string(place, 0, _fitting(name), styles.heading)
        sheet.write_string(place, 1, _fitting(text), styles.lines)


def _write_cell(sheet: Worksheet, row: int, column: int, cell: Scalar, styles: _Styles) -> None:
    if cell is None:
        return
    if isinstance(cell, bool):
        sheet.write_boolean(row, column, cell)
    elif isinstance(cell, int) and len(str(abs(cell))) <= _EXACT_DIGITS:
        sheet.write_number(row, column, cell, styles.whole)
    elif isinstance(cell, float) and math.isfinite(cell):
        sheet.write_number(row, column, cell)
    elif isinstance(cell, Decimal) and _is_exact(cell):
        sheet.write_number(row, column, float(cell), styles.decimal(max(0, -int(cell.as_tuple().exponent))))
    elif isinstance(cell, datetime) and cell.tzinfo is None and cell.date() >= _FIRST_DAY:
        sheet.write_datetime(row, column, cell, styles.timestamp)
    elif isinstance(cell, date) and not isinstance(cell, datetime) and cell >= _FIRST_DAY:
        sheet.write_datetime(row, column, cell, styles.date)
    else:
        text = _fitting(cell if isinstance(cell, str) else written(cell))
        sheet.write_string(row, column, text, styles.text if would_run(text) else None)


def _in_header(text: str) -> str:
    """Write text into a header, where an ampersand begins a code; the library looks for two of them even in text."""
    return _PICTURE_CODES.sub("& ", _fitting(text))[:_HEADER_CHARS].replace("&", "&&")


def _is_exact(number: Decimal) -> bool:
    if not number.is_finite():
        return False
    _, digits, places = number.as_tuple()
    return len(digits) <= _EXACT_DIGITS and abs(int(places)) <= _EXACT_DIGITS and number.adjusted() < _EXACT_DIGITS


def _fitting(text: str) -> str:
    """Replace what no workbook can hold; a text beyond a cell's length is cut, and ends with an ellipsis."""
    held = _NOT_IN_XML.sub("\N{REPLACEMENT CHARACTER}", text)
    return held if len(held) <= _LONGEST_TEXT else held[: _LONGEST_TEXT - 1] + "…"
