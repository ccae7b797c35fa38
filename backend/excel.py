"""A result as an Excel workbook: numbers are numbers, and no text in it can run."""

from __future__ import annotations

import io
import math
import re
from datetime import date, datetime
from decimal import Decimal
from typing import TYPE_CHECKING

from ai_engine.types import QueryResult, Scalar
from backend.exports import FORMULA_STARTS, written

if TYPE_CHECKING:
    from xlsxwriter import Workbook
    from xlsxwriter.format import Format
    from xlsxwriter.worksheet import Worksheet

_ROWS_PER_SHEET = 1_048_575  # below the heading; the format has no more
_EXACT_DIGITS = 15  # a cell holds a double
_LONGEST_TEXT = 32_767
_FIRST_DAY = date(1900, 3, 1)  # before it, spreadsheets count a day that never was
_NOT_IN_XML = re.compile(r"[\ud800-\udfff\ufffe\uffff]")


def to_excel(result: QueryResult) -> bytes:
    """Write a result as a workbook; rows beyond the length of a sheet continue on the next.

    Numbers of up to 15 digits, dates and timestamps without a zone are cells of that kind, with the digits they have
    in the database. Longer numbers and zoned timestamps are text, so that nothing is rounded or shifted. Text that
    would run as a formula once somebody edits its cell is marked as text, as by a leading apostrophe.
    """
    from xlsxwriter import Workbook

    file = io.BytesIO()
    options = {"constant_memory": True, "strings_to_formulas": False, "strings_to_urls": False,
               "strings_to_numbers": False}  # fmt: skip
    with Workbook(file, options) as workbook:
        styles = _Styles(workbook)
        for start in range(0, max(1, len(result.rows)), _ROWS_PER_SHEET):
            sheet = workbook.add_worksheet()
            _write_heading(sheet, result.columns, styles)
            for place, row in enumerate(result.rows[start : start + _ROWS_PER_SHEET], start=1):
                for column, cell in enumerate(row):
                    _write_cell(sheet, place, column, cell, styles)
    return file.getvalue()


class _Styles:
    """The looks that a workbook's cells need, each made once."""

    def __init__(self, workbook: Workbook) -> None:
        self.heading = workbook.add_format({"bold": True, "quote_prefix": True})
        self.text = workbook.add_format({"quote_prefix": True})
        self.date = workbook.add_format({"num_format": "yyyy-mm-dd"})
        self.timestamp = workbook.add_format({"num_format": "yyyy-mm-dd hh:mm:ss"})
        self.whole = workbook.add_format({"num_format": "0"})
        self._workbook = workbook
        self._decimals: dict[int, Format] = {0: self.whole}

    def decimal(self, places: int) -> Format:
        if places not in self._decimals:
            self._decimals[places] = self._workbook.add_format({"num_format": "0." + "0" * places})
        return self._decimals[places]


def _write_heading(sheet: Worksheet, columns: tuple[str, ...], styles: _Styles) -> None:
    sheet.freeze_panes(1, 0)
    for place, name in enumerate(columns):
        sheet.set_column(place, place, min(40, max(12, len(name) + 2)))
        sheet.write_string(0, place, _fitting(name), styles.heading)


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
        sheet.write_string(row, column, text, styles.text if text[:1] in FORMULA_STARTS else None)


def _is_exact(number: Decimal) -> bool:
    if not number.is_finite():
        return False
    _, digits, places = number.as_tuple()
    return len(digits) <= _EXACT_DIGITS and abs(int(places)) <= _EXACT_DIGITS and number.adjusted() < _EXACT_DIGITS


def _fitting(text: str) -> str:
    """Replace what no workbook can hold; a text beyond a cell's length is cut, and ends with an ellipsis."""
    held = _NOT_IN_XML.sub("\N{REPLACEMENT CHARACTER}", text)
    return held if len(held) <= _LONGEST_TEXT else held[: _LONGEST_TEXT - 1] + "…"
