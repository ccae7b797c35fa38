"""A series has never more rows than the guard counts: both engines that have it are asked."""

from __future__ import annotations

from contextlib import contextmanager
from itertools import product
from random import Random

import duckdb
import psycopg
import pytest

from ai_engine.errors import SqlRejected
from ai_engine.guard.parsing import tokens_of, tree_of
from ai_engine.guard.series import rows_listed

MOST = 10_000
BOUNDS = (
    *("1", "12", "-5", "1.5", "(1 - 100)", "1 + 10000000", "'19700102'", "'19700101'::BIGINT", "'20000'::int"),
    *("CAST(2932000 AS BIGINT)", "10^30", "1e15", "100000000000000000000", "(1.4::int - 1.39)", "DATE '2024-01-02'"),
    *("DATE '1970-01-01'", "'2024-01-01'::date", "DATE '19700102'", "TIMESTAMP '2024-01-01 23:59:59'"),
    *("TIMESTAMP '2024-01-01 23:59:59'", "CAST('2024-01-01 23:59:59' AS date)", "'2024-01-01 00:00:00+15:00'"),
    *("TIMESTAMPTZ '2024-01-01 00:00:00+15:00'", "TIMESTAMPTZ '2024-01-01 00:00:00-15:00'", "CURRENT_DATE"),
    *("now()", "CURRENT_DATE - CURRENT_DATE", "CURRENT_DATE - DATE '1970-01-01'", "CURRENT_DATE - 30"),
    *("date_trunc('month', CURRENT_DATE)", "DATE '2024-01-01' + CAST('19700102' AS int)", "now() - INTERVAL '1 day'"),
    *("CURRENT_DATE - INTERVAL '11 months'", "'2024-01-01 00:00:00.5'::timestamp(0)", "CAST(CURRENT_DATE AS bigint)"),
    "CAST(CAST(20240101 AS VARCHAR) AS DATE)",
)
STEPS = ("", "1", "7", "-1", "0.5", "1.4::int - 1.39", "INTERVAL '1 day'", "INTERVAL '1 month'", "INTERVAL '1 second'")
BARE_STEPS = ("'1 day'", "'0.000001 days'", "'10 milliseconds'", "'1 day ago'", "'2'", "'1 day'::interval")
ENGINES = ["duckdb", pytest.param("postgres", marks=pytest.mark.server)]


def counted(series, dialect):
    tree = tree_of(tokens_of(f"SELECT * FROM {series}", dialect), series, dialect)
    return rows_listed(tree.args["from_"].this.this, MOST)[0]


@contextmanager
def engine(dialect):
    if dialect == "duckdb":
        with duckdb.connect() as connection:
            yield connection
    else:
        with psycopg.connect("host=127.0.0.1 user=postgres", autocommit=True, connect_timeout=2) as connection:
            yield connection


def rows(series, connection):
    """Rows that the engine makes; 0 where it refuses them."""
    try:
        sql = f"SELECT COUNT(*) FROM (SELECT 1 FROM {series} LIMIT {20 * MOST}) AS made"
        return connection.execute(sql).fetchone()[0]
    except (duckdb.Error, psycopg.Error):
        return 0


@pytest.mark.parametrize("dialect", ENGINES)
def test_a_series_has_no_more_rows_than_are_counted(dialect):
    forms = [
        f"generate_series({', '.join(filter(None, form))})" for form in product(BOUNDS, BOUNDS, STEPS + BARE_STEPS)
    ]
    seen = 0
    with engine(dialect) as connection:
        for series in Random(7).sample(forms, 1_500) + NAMED:
            try:
                most = counted(series, dialect)
            except SqlRejected as refusal:
                assert "cannot be judged" not in str(refusal), series
                continue
            seen += 1
            assert rows(series, connection) <= most, series
    assert seen > 50


NAMED = [
    "generate_series(1, '19700102')",
    "generate_series(1, '19700102'::BIGINT)",
    "generate_series(2932000, '99991231')",
    "generate_series('19700101'::BIGINT + '19700101'::BIGINT, 1)",
    "generate_series(TIMESTAMPTZ '2020-01-01 00:00:00+00:00', TIMESTAMPTZ '2020-01-01 00:00:00-15:00', "
    "INTERVAL '1 second')",
    "generate_series(CURRENT_DATE - CURRENT_DATE, CURRENT_DATE - DATE '1970-01-01')",
    "generate_series(1000000000000000000000000000000, 1000000000000000000000002000000)",
    "generate_series('2024-01-01 00:00:00+15:00'::timestamptz, '2024-01-01 00:00:00-15:00'::timestamptz, "
    "'10 millisecond')",
]
