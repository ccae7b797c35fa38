"""Equal rows, equal hash; one cell more or less, another."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ai_engine.result_hash import has_total_order, result_hash
from ai_engine.types import QueryResult

CELLS = st.one_of(
    st.none(), st.booleans(), st.integers(), st.decimals(allow_nan=False), st.floats(allow_nan=False), st.text(),
    st.dates(), st.datetimes(), st.times(), st.timedeltas(), st.binary(max_size=8),
)  # fmt: skip
ROWS = st.lists(st.tuples(CELLS, CELLS), max_size=6)
UNSORTED = "SELECT a, b FROM t"


def result(rows, columns=("a", "b")) -> QueryResult:
    return QueryResult(tuple(columns), ("other",) * len(columns), tuple(map(tuple, rows)))


def hashed(rows, sql: str = UNSORTED) -> str:
    return result_hash(result(rows), sql, "duckdb")


@given(ROWS, st.randoms())
def test_the_order_of_rows_that_no_one_asked_for_does_not_count(rows, random):
    mixed = [*rows]
    random.shuffle(mixed)
    assert hashed(rows) == hashed(mixed)


@given(ROWS.filter(len), st.data())
def test_a_row_more_or_less_counts(rows, data):
    place = data.draw(st.integers(0, len(rows) - 1))
    assert hashed(rows) != hashed([*rows, rows[place]])
    assert hashed(rows) != hashed(rows[:place] + rows[place + 1 :])


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (None, ""), (1, "1"), (1, True), (1, 1.0), ("a", b"a"), (date(2026, 1, 1), datetime(2026, 1, 1, tzinfo=UTC)),
        (date(2026, 1, 1), "2026-01-01"), (time(1), timedelta(hours=1)), (Decimal("0.1"), 0.1), (1, 10),
        (Decimal("10"), Decimal("100")),
    ],
)  # fmt: skip
def test_cells_that_differ_in_kind_or_value_differ(one, other):
    assert hashed([(one, 0)]) != hashed([(other, 0)])


@pytest.mark.parametrize(("one", "other"), [(Decimal("1.50"), Decimal("1.5")), (Decimal("2.0"), 2), (0, Decimal("-0"))])
def test_exact_numbers_count_by_value(one, other):
    assert hashed([(one, 0)]) == hashed([(other, 0)])


def test_cells_are_told_from_their_neighbours():
    assert hashed([("ab", "c")]) != hashed([("a", "bc")])
    assert result_hash(result([], ("a", "b")), UNSORTED, "duckdb") != result_hash(result([], ("ab",)), UNSORTED, "")


@pytest.mark.parametrize(
    ("sql", "total"),
    [
        ("SELECT a, b FROM t ORDER BY a", True),
        ("SELECT a, b FROM t ORDER BY 1 DESC", True),
        ("SELECT x AS a, b FROM t ORDER BY x", True),
        ("SELECT a, b FROM t ORDER BY b", False),
        ("SELECT a, b FROM t ORDER BY b, a LIMIT 3", True),
        ("SELECT a, b FROM t ORDER BY c", False),
        ("SELECT a, b FROM (SELECT * FROM t ORDER BY a) AS s", False),
        ("WITH s AS (SELECT 1) SELECT a, b FROM t ORDER BY a", True),
        ("no SQL (", False),
    ],
)
def test_an_order_is_total_where_its_keys_tell_every_row_from_the_next(sql: str, total: bool):
    rows = [(1, 7), (2, 7), (3, 8)]
    assert has_total_order(result(rows), sql, "duckdb") is total
    assert (hashed(rows, sql) == hashed(rows[::-1], sql)) is not total
