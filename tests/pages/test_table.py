from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal

import pytest
from streamlit.testing.v1 import AppTest

from ai_engine.formats import Formats
from ai_engine.types import OutputColumn, QueryResult
from pages.drawing.table import written_rows

BALANCE = OutputColumn("balance", "Balance", "INR", "measure")
RATE = OutputColumn("rate", "Rate", "percent", "measure")
NAME = OutputColumn("name", "Name", None, "text")
ACCOUNT = OutputColumn("account", "Account", None, "identifier")
MONTH = OutputColumn("month", "Month", None, "time")


def shown(columns, *rows, formats=Formats("INR")):  # noqa: B008
    """What stands in the cells, row by row."""
    result = QueryResult(tuple(c.name for c in columns), ("other",) * len(columns), rows)
    body = written_rows(result, tuple(columns), formats)._translate(False, False)["body"]
    return [[cell["display_value"] for cell in line if cell["type"] == "td"] for line in body]


def test_figures_are_written_in_the_bank_s_format():
    assert shown([BALANCE, RATE], (Decimal("175206.00"), Decimal("2.5"))) == [["Rs.1,75,206.00", "2.5%"]]


def test_figures_and_days_are_written_as_the_reader_wants():
    day = OutputColumn("opened", "Opened on", None, "time")
    cells = (Decimal("175206.00"), date(2026, 11, 3))
    assert shown([BALANCE, day], cells, formats=Formats("INR", "million", "slashes")) == [
        ["Rs.175,206.00", "03/11/2026"]
    ]
    part = replace(MONTH, part_steps=((date(2026, 11, 1), "1 to 22 November 2026"),))
    two = shown([part], (date(2026, 10, 1),), (date(2026, 11, 1),), formats=Formats("INR", None, "iso"))
    assert two[1] == ["November 2026 (only 2026-11-01–2026-11-22)"]


def test_an_account_number_is_not_grouped():
    assert shown([ACCOUNT], (100234,)) == [["100234"]]


def test_months_are_named():
    assert shown([MONTH], (date(2025, 3, 1),), (date(2025, 4, 1),)) == [["March 2025"], ["April 2025"]]


def test_a_step_covered_only_in_part_says_which_days_are():
    month = replace(MONTH, part_steps=((date(2026, 11, 1), "1 to 22 November 2026"),))
    assert shown([month], (date(2026, 10, 1),), (date(2026, 11, 1),)) == [
        ["October 2026"],
        ["November 2026 (only 1–22 Nov)"],
    ]


def test_a_cell_that_a_spreadsheet_would_run_is_neutralised_before_it_can_be_copied():
    result = QueryResult(("name",), ("text",), (("=1+1",),))
    assert written_rows(result, (NAME,), Formats()).data.iloc[0, 0] == "'=1+1"


ODD = {
    "huge integers": (10**30, -(10**30)),
    "mixed kinds": (1, "two", None, 3.5),
    "not a number": (float("nan"), float("inf"), None),
    "bytes": (b"\x00\xff", None),
    "times": (time(14, 5), timedelta(days=1, seconds=5)),
    "moments": (datetime(2025, 3, 1, 14, 5, tzinfo=UTC), None),
    "early and late dates": (date(1, 1, 1), date(9999, 12, 31)),
    "decimals of different scale": (Decimal("1.123456789"), Decimal("12345678901234567890"), None),
    "all missing": (None, None),
    "truth values": (True, False, None),
    "no rows": (),
}


@pytest.mark.parametrize("role", ["measure", "category", "time", "identifier", "text"])
def test_odd_values_can_be_shown(role):
    def draw(columns, cases):
        from ai_engine.formats import Formats
        from pages.drawing.table import draw_table

        for place, result in enumerate(cases):
            draw_table(result, columns, Formats("INR"), key=str(place))

    columns = (OutputColumn("value", "Value", None, role),)
    cases = [QueryResult(("value",), ("other",), tuple((cell,) for cell in cells)) for cells in ODD.values()]
    screen = AppTest.from_function(draw, args=(columns, cases), default_timeout=60).run()
    assert not screen.exception
    assert [len(frame.value) for frame in screen.dataframe] == [len(cells) for cells in ODD.values()]


def many_rows(total_rows):
    from ai_engine.formats import Formats
    from ai_engine.types import Answer, OutputColumn, QueryResult
    from pages.drawing.table import draw_row_count, draw_table

    rows = tuple((number,) for number in range(250))
    result = QueryResult(("n",), ("integer",), rows, truncated=total_rows != 250, total_rows=total_rows)
    draw_table(result, (OutputColumn("n", "N", None, "identifier"),), Formats(), key="0")
    draw_row_count(Answer("List them", "answered", "built-in", result=result), result, key="0")


def test_a_long_list_shows_its_first_hundred_rows_and_the_rest_on_request():
    screen = AppTest.from_function(many_rows, args=(250,), default_timeout=60).run()
    assert len(screen.dataframe[0].value) == 100
    assert "First 100 of 250 rows" in screen.get("html")[0].proto.body
    screen.button[0].click().run()
    assert len(screen.dataframe[0].value) == 250
    assert "First" not in screen.get("html")[0].proto.body
    assert len(screen.button) == 0


def test_a_list_that_was_cut_off_says_of_how_many_rows():
    screen = AppTest.from_function(many_rows, args=(12_345,), default_timeout=60).run()
    assert "First 250 rows of 12,345." in screen.get("html")[0].proto.body
