"""Workbooks are opened again and read cell by cell, as a spreadsheet does."""

from __future__ import annotations

import io
import zipfile
from datetime import UTC, date, datetime
from decimal import Decimal
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ai_engine.types import Answer, OutputColumn, QueryResult
from backend.answers.excel import said_of, to_excel
from tests.backend.test_exports import FORMULA_STARTS, UNSEEN_AT_ENDS

NAMESPACE = {"x": "http://schemas.openxmlformats.org/spreadsheetml/2006/main"}
FIRST_CELL = ".//x:sheetData/x:row[@r='2']/x:c[@r='A2']"


def sheet_of(*cells):
    result = QueryResult(("amount",), ("other",), tuple((cell,) for cell in cells))
    with zipfile.ZipFile(io.BytesIO(to_excel(result))) as workbook:
        assert workbook.testzip() is None
        sheet = ElementTree.fromstring(workbook.read("xl/worksheets/sheet1.xml"))
        styles = ElementTree.fromstring(workbook.read("xl/styles.xml"))
    return sheet, styles


def kind_and_text(cell):
    sheet, _ = sheet_of(cell)
    found = sheet.find(FIRST_CELL, NAMESPACE)
    if found is None:
        return None
    value = found.find("x:v", NAMESPACE)
    text = found.find("x:is/x:t", NAMESPACE)
    return found.get("t", "n"), value.text if value is not None else text.text


@pytest.mark.parametrize(
    ("cell", "expected"),
    [
        (None, None),
        (True, ("b", "1")),
        (-42, ("n", "-42")),
        (2.5, ("n", "2.5")),
        (Decimal("-1200.50"), ("n", "-1200.5")),
        (Decimal("1234567890123.45"), ("n", "1234567890123.45")),
        (Decimal("12345678901234.56"), ("inlineStr", "12345678901234.56")),
        (Decimal("1E+3"), ("n", "1000")),
        (10**15, ("inlineStr", "1000000000000000")),
        (float("nan"), ("inlineStr", "nan")),
        (float("-inf"), ("inlineStr", "-inf")),
        (date(2024, 1, 31), ("n", "45322")),
        (datetime.fromisoformat("2024-01-31 12:00"), ("n", "45322.5")),
        (date(1899, 12, 31), ("inlineStr", "1899-12-31")),
        (datetime(2024, 1, 31, 12, tzinfo=UTC), ("inlineStr", "2024-01-31 12:00:00+00:00")),
        ("007", ("inlineStr", "007")),
        ("http://host/", ("inlineStr", "http://host/")),
        ("x" * 40_000, ("inlineStr", "x" * 32_766 + "…")),
    ],
)
def test_a_cell_is_of_its_kind_and_exact(cell, expected):
    assert kind_and_text(cell) == expected


def test_decimals_are_shown_with_the_digits_they_have():
    sheet, styles = sheet_of(Decimal("1200.50"))
    style = int(sheet.find(FIRST_CELL, NAMESPACE).get("s"))
    number = styles.findall(".//x:cellXfs/x:xf", NAMESPACE)[style].get("numFmtId")
    assert styles.find(f".//x:numFmt[@numFmtId='{number}']", NAMESPACE).get("formatCode") == "0.00"


@settings(max_examples=40)
@given(
    st.one_of(
        st.sampled_from(["=1+1", "@SUM(A1)", "+1", "-1", "\t=1", "＝1", " =1", "\u00a0=1", "\ufeff@x"]),
        st.text(max_size=20),
    )
)
def test_no_text_is_a_formula_or_a_link_even_after_editing(text):
    sheet, styles = sheet_of(text)
    assert sheet.find(".//x:f", NAMESPACE) is None
    assert sheet.find(".//x:hyperlink", NAMESPACE) is None
    cell = sheet.find(FIRST_CELL, NAMESPACE)
    begin = text[:1] if text[:1] in "\t\r\n" else text.lstrip(UNSEEN_AT_ENDS)[:1]
    if begin and begin in FORMULA_STARTS:
        assert cell.get("t") == "inlineStr"
        assert styles.findall(".//x:cellXfs/x:xf", NAMESPACE)[int(cell.get("s"))].get("quotePrefix") == "1"


def test_rows_beyond_one_sheet_continue_on_the_next(monkeypatch):
    monkeypatch.setattr("backend.answers.excel._ROWS_PER_SHEET", 2)
    result = QueryResult(("n",), ("integer",), ((1,), (2,), (3,)))
    with zipfile.ZipFile(io.BytesIO(to_excel(result))) as workbook:
        second = ElementTree.fromstring(workbook.read("xl/worksheets/sheet2.xml"))
    assert [value.text for value in second.findall(".//x:c/x:v", NAMESPACE)] == ["3"]


def test_a_result_without_rows_has_its_heading():
    sheet, _ = sheet_of()
    assert [text.text for text in sheet.findall(".//x:t", NAMESPACE)] == ["amount"]


def texts_of(workbook, sheet):
    tree = ElementTree.fromstring(workbook.read(f"xl/worksheets/{sheet}.xml"))
    return [[text.text for text in row.findall(".//x:t", NAMESPACE)] for row in tree.iterfind(".//x:row", NAMESPACE)]


def test_what_the_rows_are_about_stands_on_a_sheet_of_its_own_and_on_every_printed_page():
    month = date(2026, 11, 1)
    columns = (
        OutputColumn("month", "Month", None, "time", part_steps=((month, "1 to 22 November 2026"),)),
        OutputColumn("transactions", "Transactions", "count", "measure"),
    )
    result = QueryResult(("month", "transactions"), ("date", "integer"), ((month, 8),), truncated=True, total_rows=12)
    answer = Answer(
        "=upi by month", "answered", "built-in", restatement="Transactions by month, where channel is UPI",
        sql="SELECT 1", result=result, columns=columns, headline="There are 8.", assumptions=("A day is a day.",),
        scope="where channel is UPI", question_id="4711",
    )  # fmt: skip
    with zipfile.ZipFile(
        io.BytesIO(to_excel(result, said_of(answer, "Transactions & more where channel is UPI")))
    ) as workbook:
        names = ElementTree.fromstring(workbook.read("xl/workbook.xml")).findall(".//x:sheet", NAMESPACE)
        first = ElementTree.fromstring(workbook.read("xl/worksheets/sheet1.xml"))
        about = texts_of(workbook, "sheet2")
    assert [sheet.get("name") for sheet in names] == ["Answer", "About"]
    assert first.find(".//x:oddHeader", NAMESPACE).text == "&LTransactions && more where channel is UPI"
    assert about == [
        ["Title", "Transactions & more where channel is UPI"],
        ["Question", "=upi by month"],
        ["Understood as", "Transactions by month, where channel is UPI"],
        ["Narrowed to", "where channel is UPI"],
        ["Answer", "There are 8."],
        ["Assumed", "A day is a day."],
        ["Part of month", "2026-11-01: only 1 to 22 November 2026"],
        ["Rows", "1 of 12"],
        ["Unit of transactions", "count"],
        ["SQL", "SELECT 1"],
        ["Answered by", "built-in"],
        ["Question id", "4711"],
    ]


@given(st.text(alphabet='&GLRCPDTNAFSUXYEBIHOKZ"12,-+[Picture] ab', max_size=150))
def test_no_part_of_a_title_is_a_code_of_the_printed_header(title):
    with zipfile.ZipFile(
        io.BytesIO(to_excel(QueryResult(("n",), ("integer",), ((1,),)), [("Title", title or "a")]))
    ) as workbook:
        sheet = ElementTree.fromstring(workbook.read("xl/worksheets/sheet1.xml"))
    header = sheet.find(".//x:oddHeader", NAMESPACE).text
    assert header.startswith("&L") and len(header) <= 255
    assert "&" not in header[2:].replace("&&", "")


@given(st.text())
def test_whatever_is_said_of_the_rows_makes_a_workbook_that_opens(text):
    with zipfile.ZipFile(
        io.BytesIO(to_excel(QueryResult(("n",), ("integer",), ((1,),)), [("Title", text)]))
    ) as workbook:
        assert len(texts_of(workbook, "sheet2")) == 1
        assert ElementTree.fromstring(workbook.read("xl/worksheets/sheet1.xml")) is not None
