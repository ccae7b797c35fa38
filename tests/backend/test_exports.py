from __future__ import annotations

import codecs
import csv
import io
import re
import time as clock
import tracemalloc
from datetime import UTC, date, datetime, time
from decimal import Decimal

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ai_engine.types import QueryResult, Scalar
from backend.answers.exports import file_name, neutralise, to_csv

FORMULA_STARTS = "=+-@\t\r\n＝＋－＠"
_UNSEEN = [*range(0x20), 0xAD, 0x61C, 0x180E, *range(0x200B, 0x2010), *range(0x202A, 0x202F), *range(0x2060, 0x2070)]
UNSEEN_AT_ENDS = "".join(map(chr, [*_UNSEEN, 0xFEFF, *range(0xE0000, 0xE1000)])) + "".join(
    character for character in map(chr, range(0x3001)) if character.isspace()
)


def written(*rows: tuple[Scalar, ...], bom: bool = False) -> str:
    columns = tuple(f"c{place}" for place in range(len(rows[0])))
    result = QueryResult(columns, ("other",) * len(columns), rows)
    return b"".join(to_csv(result, bom=bom)).decode("utf-8")


def read_back(text: str) -> list[list[str]]:
    return list(csv.reader(io.StringIO(text, newline="")))[1:]


def test_decimals_keep_every_digit():
    row = (Decimal("12345678901234567890.120"), Decimal("-0.10"), Decimal("1E+3"))
    assert read_back(written(row)) == [["12345678901234567890.120", "-0.10", "1000"]]


def test_dates_and_times_are_iso():
    row = (date(2025, 3, 1), datetime(2025, 3, 1, 14, 5, 6, tzinfo=UTC), time(14, 5))
    assert read_back(written(row)) == [["2025-03-01", "2025-03-01 14:05:06+00:00", "14:05:00"]]


def test_null_and_empty_text_stay_apart():
    assert written((None, "")).splitlines()[1] == ',""'


def test_negative_numbers_stay_numbers():
    assert read_back(written((-5, -1.5, Decimal("-2.50")))) == [["-5", "-1.5", "-2.50"]]


@pytest.mark.parametrize("number", [-5, -1.5, Decimal("-2.50")])
def test_a_line_that_begins_with_a_negative_number_is_no_formula_where_commas_stand_in_numbers(number):
    row = (number, "0+cmd|' /C calc'!A0", 7, "0", None)
    line = written(row).splitlines()[1]
    assert line == f"""{number},"0+cmd|' /C calc'!A0",7,"0","""
    assert read_back(written(row)) == [["" if cell is None else str(cell) for cell in row]]
    assert written((5, "0+cmd")).splitlines()[1] == "5,0+cmd"


def test_the_first_line_holds_the_column_names_neutralised():
    result = QueryResult(("branch", "=1+1"), ("text", "text"), ())
    assert b"".join(to_csv(result)) == b"branch,'=1+1\r\n"


def test_a_byte_order_mark_comes_only_when_asked_for():
    result = QueryResult(("a",), ("text",), (("ä",),))
    assert b"".join(to_csv(result, bom=True)).startswith(codecs.BOM_UTF8)
    assert not b"".join(to_csv(result)).startswith(codecs.BOM_UTF8)


def test_bytes_and_truth_values_are_plain_text():
    assert read_back(written((b"\x00\xff", True, False))) == [["0x00ff", "true", "false"]]


def test_half_a_surrogate_pair_does_not_stop_the_export():
    assert read_back(written(("\ud800",))) == [["?"]]


@given(st.text(max_size=30))
@example("=cmd|' /C calc'!A0")
@example("\t=1")
@example("＝1")
@example("\u00a0=1")
@example("\ufeff =1")
@example("\u200b\t@SUM(A1)")
def test_no_text_starts_like_a_formula(text):
    ((cell,),) = read_back(written((text,))) if text else [[""]]
    assert cell[:1] not in FORMULA_STARTS or not cell
    assert cell.strip(UNSEEN_AT_ENDS)[:1] not in FORMULA_STARTS or not cell.strip(UNSEEN_AT_ENDS)


@given(st.text(alphabet=st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), max_size=30))
@example('a "quoted", cell')
@example(" padded ")
@example("two\r\nlines")
def test_harmless_text_comes_back_as_it_was(text):
    rows = read_back(written((text, "end")))
    assert rows == [[neutralise(text), "end"]]
    if not set(text[1:]) & set(";|\t\r\n"):
        begin = text[:1] if text[:1] in "\t\r\n" else text.lstrip(UNSEEN_AT_ENDS)[:1] or "a"
        assert neutralise(text) == text or (begin in FORMULA_STARTS and neutralise(text) == f"'{text}")


@given(st.text(alphabet="ab;|,\t\r\n =+-@＝\"'\x00\u00a0\ufeff\u200b", max_size=20), st.booleans())
@example("a;=cmd|' /C calc'!A0;", False)
@example('a;"=1+1"', True)
@example("a\n=1+1", True)
@example("\x00=1+1", True)
@example("a;\x00=1+1", True)
def test_no_cell_that_another_locale_splits_starts_like_a_formula(text, is_first):
    """Quotes that do not stand first in its cell are letters to it, so that even a line break within begins a row."""
    content = written((text, "end") if is_first else ("start", text, "end"))
    assert "\x00" not in content
    _, *begins = re.split(r"[;|\t\r\n]", content.partition("\r\n")[2])
    cells = [cell.lstrip(f'"{UNSEEN_AT_ENDS}') for cell in begins]
    begun = [cell for cell in cells if cell.startswith(("=", "+", "-", "@", "＝"))]
    assert begun == []


def test_numbers_between_semicolons_are_left_alone():
    assert neutralise("Pune; 5; Goa - west") == "Pune; 5; Goa - west"


def test_a_cell_of_many_separators_is_written_at_once():
    begun = clock.process_time()
    neutralise(';\t "\r\n|' * 100_000)
    assert clock.process_time() - begun < 5


def test_many_rows_are_written_a_chunk_at_a_time():
    result = QueryResult(("n", "name"), ("integer", "text"), ((1, "branch"),) * 100_000)
    tracemalloc.start()
    size = sum(len(chunk) for chunk in to_csv(result))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert size == len(b"n,name\r\n") + 100_000 * len(b"1,branch\r\n")
    assert peak < 1_000_000


@pytest.mark.parametrize(
    ("title", "name"),
    [
        ("Number of transactions where channel is UPI, August 2026",
         "number-of-transactions-where-channel-is-upi-august-2026.csv"),
        ("Loans above 8.5%", "loans-above-8-5-percent.csv"),
        ("../../etc/passwd", "etc-passwd.csv"),
        ("Konten in München", "konten-in-münchen.csv"),
        ("\u202e=cmd|' /C calc'!A0", "cmd-c-calc-a0.csv"),
        ("?!", "answer.csv"),
        ("", "answer.csv"),
    ],
)  # fmt: skip
def test_a_file_is_called_by_what_it_holds(title, name):
    assert file_name(title, "csv") == name


@given(st.text(max_size=300))
def test_a_file_s_name_is_one_that_every_system_takes(title):
    name = file_name(title, "csv")
    assert len(name.encode()) <= 124
    assert re.fullmatch(r"\w[\w-]*\.csv", name)
