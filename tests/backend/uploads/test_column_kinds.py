"""What the cells of a text column are taken for: no other figure and no other day than they say."""

from __future__ import annotations

from contextlib import closing
from datetime import date, datetime

import duckdb
import pyarrow as pa
import pytest

from backend.uploads.column_kinds import trimmed, way_as, way_of


def read(cells, kind=None):
    """The kind and what is stored, of which a person may have chosen the kind."""
    with closing(duckdb.connect()) as duck:
        duck.register("given", pa.table({"0": cells}))
        way = way_of(duck, "given", '"0"') if kind is None else way_as(duck, "given", '"0"', kind)
        found = f"""SELECT (SELECT {way.cast} FROM (SELECT {trimmed('"0"')} AS c)) FROM given"""
        return way.kind, way.unit, [value for (value,) in duck.execute(found).fetchall()]


@pytest.mark.parametrize(
    ("cells", "kind", "stored"),
    [
        (["1/2/24", "13/4/24"], "date", [date(2024, 2, 1), date(2024, 4, 13)]),
        (["1-2-24", "03-04-99"], "date", [date(2024, 2, 1), date(1999, 4, 3)]),
        (["1/2/2024", "13/4/2024"], "date", [date(2024, 2, 1), date(2024, 4, 13)]),
        (["1/2/24", "13/4/2024"], "text", ["1/2/24", "13/4/2024"]),
        (["1 Feb 2024", "13 Apr 2024"], "date", [date(2024, 2, 1), date(2024, 4, 13)]),
        (["2024/2/1", "24/4/13"], "text", ["2024/2/1", "24/4/13"]),
        (["01-Feb-24", "13-Apr-24"], "date", [date(2024, 2, 1), date(2024, 4, 13)]),
        (["Feb 1, 2024"], "date", [date(2024, 2, 1)]),
        (["31.12.2024 10:00"], "date and time", [datetime.fromisoformat("2024-12-31 10:00")]),
        (["1/2/24 10:00:00.1234"], "date and time", [datetime.fromisoformat("2024-02-01 10:00:00.123400")]),
    ],
)
def test_a_day_is_of_the_year_that_is_written(cells, kind, stored):
    assert read(cells) == (kind, "", stored)


def test_days_of_two_digit_years_are_read_so_where_a_person_says_that_they_are_days():
    assert read(["1/2/24", "13/4/24"], "date")[2] == [date(2024, 2, 1), date(2024, 4, 13)]


@pytest.mark.parametrize(
    "cells", [["$5", "€7", "3"], ["Rs. 5", "USD 7"], ["₹5", "7%"], ["5 EUR", "7 GBP"], ["1e999", "2"]]
)
def test_what_cannot_be_added_up_is_no_number(cells):
    assert read(cells) == ("text", "", cells)


@pytest.mark.parametrize(
    ("cells", "unit"), [(["₹5", "Rs 7", "3"], "INR"), (["$5", "7 USD"], "USD"), (["5%", "7 %"], "percent")]
)
def test_one_currency_is_that_of_the_column(cells, unit):
    assert read(cells)[:2] == ("whole number", unit)


@pytest.mark.parametrize("kind", ["date", "number", "yes or no"])
def test_a_column_without_a_cell_is_what_a_person_says(kind):
    assert read(["", "NA"], kind) == (kind, "", [None, None])
    assert read(["", "NA"]) == ("text", "", [None, None])
