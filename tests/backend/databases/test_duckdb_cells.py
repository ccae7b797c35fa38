"""What DuckDB's client gives otherwise than DuckDB has it arrives as DuckDB has it."""

from __future__ import annotations

import threading
from datetime import date, datetime, timedelta

import pytest

from backend.databases import DatabaseLimits, open_database
from tests.backend.databases.conftest import write_bank


@pytest.fixture(scope="module")
def bank(tmp_path_factory):
    file = write_bank(tmp_path_factory.mktemp("duckdb"), "duckdb")
    with open_database(str(file), DatabaseLimits(workers=1)) as database:
        yield database


def run(database, sql):
    return database.runner.run(sql, max_rows=10_000, timeout_s=20.0, stop=threading.Event())


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("[INTERVAL 1 MONTH, INTERVAL 2 DAY]", "[1 month, 2 days]"),
        ("{'a': INTERVAL 14 MONTH, 'b': 1.50}", "{'a': 1 year 2 months, 'b': 1.50}"),
        ("MAP {'k': DATE '2026-01-31'}", "{k=2026-01-31}"),
        ("UNION_VALUE(s := INTERVAL 1 YEAR)", "1 year"),
        ("[0.1::FLOAT, NULL]", "[0.1, NULL]"),
        ("['infinity'::DATE]", "[infinity]"),
        ("[TIMESTAMP '2026-01-01 10:00:00']::TIMESTAMP[1]", "[2026-01-01 10:00:00]"),
        ("'infinity'::DATE", "infinity"),
        ("'-infinity'::TIMESTAMP", "-infinity"),
        ("'infinity'::TIMESTAMPTZ", "infinity"),
        ("DATE '9999-12-31'", date(9999, 12, 31)),
        ("TIMESTAMP '9999-12-31 23:59:59.999999'", datetime.fromisoformat("9999-12-31 23:59:59.999999")),
        ("'2026-01-01 00:00:00.123456789'::TIMESTAMP_NS", "2026-01-01 00:00:00.123456789"),
        ("'2026-01-01 00:00:00.5'::TIMESTAMP_NS", datetime.fromisoformat("2026-01-01 00:00:00.500")),
        ("'infinity'::TIMESTAMP_NS", "infinity"),
        ("'12:34:56.123456789'::TIME_NS", "12:34:56.123456789"),
        ("0.1::FLOAT", 0.1),
        ("-16777217::FLOAT", -16777216.0),
        ("'inf'::FLOAT", float("inf")),
        ("0.1::FLOAT::DOUBLE", 0.10000000149011612),
        ("INTERVAL 3 DAY", timedelta(days=3)),
    ],
)
def test_a_value_is_told_as_duckdb_has_it(bank, value, shown):
    result = run(bank, f"SELECT {value} AS v, NULLIF({value}, {value}) AS nothing, 7 AS seven")
    assert result.rows == ((shown, None, 7),)
    assert result.columns == ("v", "nothing", "seven")


def test_an_endless_day_is_no_day_among_others(bank):
    days = "(VALUES (1, DATE 'infinity'), (2, DATE '9999-12-31'), (3, NULL)) AS d (n, day)"
    assert run(bank, f"SELECT day FROM {days} ORDER BY n").rows == (("infinity",), ("9999-12-31",), (None,))
    assert run(bank, f"SELECT MIN(day) AS v FROM {days}").rows == ((date(9999, 12, 31),),)


def test_rows_with_such_values_keep_their_order_and_number(bank):
    asked = "SELECT n, n::FLOAT AS f, [n] AS l, DATE '2026-01-01' AS d FROM RANGE(20000) AS r (n) ORDER BY n DESC"
    rows = run(bank, f"{asked} LIMIT 5000").rows
    assert rows[0] == (19_999, 19_999.0, "[19999]", date(2026, 1, 1))
    assert [row[0] for row in rows] == list(range(19_999, 14_999, -1))
