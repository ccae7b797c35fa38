"""Accepted statements on a real Spark: their rows, and that none tells a restricted value or a hidden table."""

from __future__ import annotations

import logging
import os
import re
import time
from collections.abc import Iterator
from contextlib import suppress
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from ai_engine.catalogue import Catalogue, Column, Table
from ai_engine.errors import SqlRejected
from ai_engine.guard import check
from ai_engine.guard.allowed_functions import ALLOWED_FUNCTIONS
from tests.ai_engine.guard.bank import POLICY, Case, cases, catalogue, duckdb_bank
from tests.ai_engine.guard.long_run import Tally, run
from tests.ai_engine.guard.spark_session import spark
from tests.ai_engine.guard.spark_twins import SparkBank
from tests.ai_engine.guard.test_names import FEWEST_ACCEPTED, LEAKS, seed_of_the_day, verdict
from tests.ai_engine.guard.test_servers import CALLS
from tests.ai_engine.guard.twins import POLICY as TWINS_POLICY
from tests.ai_engine.guard.twins import Twins, catalogue_of_the_second, tells_apart, twins_catalogue

pytestmark = [pytest.mark.server, pytest.mark.timeout(900)]
SECONDS = float(os.environ.get("FUZZ_SECONDS", "12"))
SLOW_SECONDS = 60.0
FEWEST = 40
FEWEST_VALID = 0.7
"""Spark sorts by no window and reads no query around it outside of WHERE, in which the generator is not versed."""
SHARE = 16
TABLES = ("branches", "customers", "accounts", "transactions", "loans", "cards", "staff_logins")
CHANGES = re.compile(r"LIMIT|current_|NOW\(|\brand|TABLESAMPLE", re.IGNORECASE)
WORDS = {
    "cast",
    "coalesce",
    "exists",
    "in",
    "and",
    "or",
    "values",
    "as",
    "by",
    "sets",
    "extract",
    "trim",
    "over",
    "any",
}
"""Which Spark's grammar has, and its list of functions has not."""


@pytest.fixture(scope="module")
def session() -> Iterator[Any]:
    logging.getLogger("SQLQueryContextLogger").setLevel(logging.CRITICAL)
    with spark() as started:
        yield started


@pytest.fixture(scope="module")
def bank(session: Any, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The bank of the fixtures, as Parquet files."""
    own, folder = session.newSession(), tmp_path_factory.mktemp("parquet")
    source = duckdb_bank()
    for table in TABLES:
        path = Path(folder) / f"{table}.parquet"
        source.execute(f"COPY {table} TO '{path}' (FORMAT parquet)")
        own.read.parquet(str(path)).createOrReplaceTempView(table)
    source.close()
    return own


@pytest.fixture(scope="module")
def pair(session: Any) -> Twins:
    first, second = (SparkBank(session.newSession(), twin) for twin in (0, 1))
    return Twins(first, second, first.catalogue(), {})


def _accepted() -> Iterator[tuple[Case, str, str]]:
    for case in [*cases("accepted", ["spark"]), *cases("analyst", ["spark"])]:
        with suppress(SqlRejected):  # which of them may be is judged in test_warehouses.py
            checked = check(case.sql, catalogue("spark"), POLICY)
            yield case, checked.sql, checked.run_sql


def _outcome(bank: Any, sql: str) -> tuple[str, list[str]]:
    """The class of the error, or the rows in an order of their own."""
    from pyspark.errors import PySparkException

    try:
        return "", sorted(map(repr, map(tuple, bank.sql(sql).collect())))
    except PySparkException as error:
        return error.getCondition(), []


def _require_same(bank: Any, case: Case, shown: str, ran: str) -> bool:
    """Compare what runs with what is shown and what was written; return whether Spark runs it at all."""
    expected = _outcome(bank, ran)
    like_shown = _outcome(bank, shown)
    assert like_shown[0] or expected == like_shown, case.sql
    if "*" not in case.sql.split("FROM")[0] and not CHANGES.search(case.sql):
        written = _outcome(bank, case.sql)
        assert written[0] or expected == written, case.sql  # what is written out runs where Spark loses a name
    return not expected[0]


def test_spark_gives_the_rows_of_what_was_written(bank):
    """Of a share of the accepted statements, another one each day."""
    _compare(bank, [one for place, one in enumerate(_accepted()) if place % SHARE == seed_of_the_day() % SHARE])


@pytest.mark.slow
def test_spark_gives_the_rows_of_what_was_written_for_every_accepted_statement(bank):
    _compare(bank, list(_accepted()))


def _compare(bank: Any, statements: list[tuple[Case, str, str]]) -> None:
    """What Spark has no way for, such as a query around the one around, it refuses as it was written, too."""
    ran = sum(_require_same(bank, *one) for one in statements)
    print(f"spark: {ran} of {len(statements)} statements ran")
    assert ran > 0.9 * len(statements)


@pytest.mark.parametrize("kind", ["JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN"])
@pytest.mark.parametrize("further", ["", "JOIN c USING (j)", "FULL JOIN c USING (q)", "RIGHT JOIN c USING (k, j)"])
def test_a_star_gives_its_columns_in_the_order_of_spark(session, kind, further):
    own = session.newSession()
    columns = {"a": "xkyj", "b": "pkqj", "c": "ukqj"}
    for table, names in columns.items():
        own.sql("SELECT " + ", ".join(f"1 AS {name}" for name in names)).createOrReplaceTempView(table)
    known = Catalogue(
        "spark",
        tuple(Table(table, tuple(Column(one, "integer", "INT") for one in names)) for table, names in columns.items()),
    )
    for using, star in product(["USING (k)", "USING (j, k)"], ["*", "a.*", "b.*", "b.*, a.*"]):
        sql = f"SELECT {star} FROM a {kind} b {using} {further}"
        try:
            checked = check(sql, known, POLICY)
        except SqlRejected as refusal:
            assert "ambiguous" in str(refusal), sql
            continue
        assert own.sql(checked.run_sql).columns == own.sql(sql).columns, sql


def test_spark_knows_every_function_that_may_be_called(bank):
    known = {row[0].lower() for row in bank.sql("SHOW SYSTEM FUNCTIONS").collect()}
    called: set[str] = set()
    for name, call in product(ALLOWED_FUNCTIONS["spark"], CALLS):
        with suppress(SqlRejected):
            ran = check(f"SELECT {call.format(name)} AS n FROM branches", catalogue("spark"), POLICY).run_sql
            called |= set(re.findall(r"(\w+)\(", re.sub(r"'[^']*'|`[^`]*`", "", ran).lower()))
    assert len(called) > 150
    assert called - known - WORDS == set()


@pytest.mark.parametrize(
    "sql", ["SELECT '${env:PATH}' AS a", "SELECT 1 AS `${env:PATH}`", "SELECT 'a' AS b -- ${env:PATH}"]
)
def test_spark_puts_the_servers_environment_in_for_what_is_refused(bank, sql):
    told = bank.sql(sql)
    assert "--" in sql or os.environ["PATH"] in [*told.columns, *told.collect()[0]]
    with pytest.raises(SqlRejected, match="settings of the server"):
        check(sql, catalogue("spark"), POLICY)


def test_no_name_is_read_by_spark_in_another_way_than_by_the_guard(pair):
    accepted = 0
    for reason, statements in LEAKS.items():
        for sql in statements:
            with suppress(SqlRejected):
                checked = check(sql, pair.catalogue, TWINS_POLICY)
                accepted += 1
                assert not tells_apart(pair, checked.run_sql), f"{reason}: {sql}"
    assert accepted > 0


def test_the_twins_themselves_tell_spark_what_is_forbidden(pair):
    for sql in (
        "SELECT phone FROM customers",
        "SELECT customer_id FROM customers ORDER BY phone",
        "SELECT COUNT(*) FROM customers WHERE phone = 'x' OR national_id = '2'",
        "SELECT secret FROM vault",
        "SELECT contact.email FROM people",
        "SELECT CURRENT_DATE FROM clocks",
    ):
        assert pair.first.answer(sql) != pair.second.answer(sql), sql
    permitted = "SELECT customer_id, full_name, segment, city FROM customers ORDER BY 1"
    assert pair.first.answer(permitted) == pair.second.answer(permitted)


def test_every_verdict_is_the_same_where_a_hidden_table_does_not_exist():
    for sql in (sql for known in LEAKS.values() for sql in known):
        assert verdict(sql, twins_catalogue("spark")) == verdict(sql, catalogue_of_the_second("spark")), sql


@pytest.mark.parametrize("first", [0, seed_of_the_day()], ids=["a fixed seed", "the seed of the day"])
def test_a_random_run_of_colliding_names_tells_no_spark_from_its_twin(pair, first):
    _run(pair, first, SECONDS / 2)


@pytest.mark.slow
def test_a_long_random_run_of_colliding_names_tells_no_spark_from_its_twin(pair):
    _run(pair, int(time.time()), SLOW_SECONDS)


def _run(pair: Twins, first: int, seconds: float) -> None:
    tally = Tally(next_seed=first * 1_000_000)
    run(pair, tally, seconds, fewest=FEWEST)
    assert tally.differences == []
    print(f"spark: {tally.written} statements from {first}, {tally.accepted} accepted, {tally.valid} valid")
    assert tally.accepted > FEWEST_ACCEPTED * tally.written and tally.valid > FEWEST_VALID * tally.accepted
