"""Whatever passes is judged once more by the database itself, not by a second copy of our rules."""

from __future__ import annotations

import os
import re
import sqlite3
import time
from itertools import count
from random import Random

import duckdb
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ai_engine.errors import SqlRejected
from ai_engine.guard import check
from tests.ai_engine.guard.bank import DIALECTS, POLICY, UNION_POLICY, catalogue, setup_statements, sqlite_bank
from tests.ai_engine.guard.grammar import Grammar
from tests.ai_engine.guard.nests import nest

FUZZ_SECONDS = float(os.environ.get("FUZZ_SECONDS", "6"))
RUNS = 2 * len(DIALECTS)
FORBIDDEN = {("customers", "national_id"), ("customers", "phone"), ("cards", "pan")}
TABLES = {"branches", "customers", "accounts", "transactions", "loans", "cards"}
READS = {sqlite3.SQLITE_SELECT, sqlite3.SQLITE_FUNCTION}
FORBIDDEN_FUNCTIONS = {"load_extension", "json_group_array", "randomblob", "zeroblob"}
# an engine may refuse what the guard cannot know, such as a comparison of types; it must never find a forbidden read
ENGINE_REFUSALS = (sqlite3.OperationalError, duckdb.Error)


class Judge:
    """SQLite's authorizer: says of a prepared statement whether it reads anything forbidden."""

    def __init__(self) -> None:
        self.connection = sqlite_bank()
        self.connection.set_authorizer(self._authorize)
        self.faults: list[str] = []

    def _authorize(self, action, first, second, database, _trigger):
        if action == sqlite3.SQLITE_READ:
            if first not in TABLES and not (first == "" or database is None):
                self.faults.append(f"reads table {first}")
            if (first, second) in FORBIDDEN:
                self.faults.append(f"reads column {first}.{second}")
        elif action not in READS:
            self.faults.append(f"does action {action}")
        elif action == sqlite3.SQLITE_FUNCTION and second in FORBIDDEN_FUNCTIONS:
            self.faults.append(f"calls {second}")
        return sqlite3.SQLITE_OK

    def faults_of(self, sql: str) -> list[str]:
        self.faults = []
        try:
            self.connection.execute(f"EXPLAIN {sql}")
        except ENGINE_REFUSALS:
            return self.faults
        return self.faults


JUDGE = Judge()


def passes(sql, dialect, policy):
    try:
        return check(sql, catalogue(dialect), policy)
    except SqlRejected:
        return None


@settings(max_examples=200, deadline=None)
@given(st.integers(min_value=0), st.booleans())
def test_whatever_passes_only_reads_permitted_columns_of_catalogued_tables(seed, unions):
    sql = Grammar(seed).statement()
    checked = passes(sql, "sqlite", UNION_POLICY if unions else POLICY)
    if checked is not None:
        assert JUDGE.faults_of(checked.run_sql) == [], sql


def test_the_judge_itself_sees_forbidden_reads():
    assert JUDGE.faults_of("SELECT phone FROM customers") == ["reads column customers.phone"]
    assert JUDGE.faults_of("SELECT * FROM staff_logins")
    assert JUDGE.faults_of("SELECT zeroblob(9) FROM customers")


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_long_random_run_finds_no_way_through(dialect):
    """FUZZ_SECONDS of random statements, the same ones every time."""
    until = time.monotonic() + FUZZ_SECONDS / RUNS
    passed = 0
    for seed in count():
        if time.monotonic() > until and seed > 50:
            break
        checked = passes(Grammar(seed).statement(), dialect, UNION_POLICY)
        if checked is None:
            continue
        passed += 1
        if dialect == "sqlite":
            assert JUDGE.faults_of(checked.run_sql) == [], checked.run_sql
        elif dialect == "duckdb":
            assert misses(checked.run_sql) == "", checked.run_sql
        assert check(checked.sql, catalogue(dialect), UNION_POLICY).sql == checked.sql
    assert passed > 0


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_long_random_run_of_nests_is_judged(dialect):
    """FUZZ_SECONDS of deep and long statements; the parser cannot be interrupted, so a hang shows as a hung run."""
    until = time.monotonic() + FUZZ_SECONDS / RUNS
    for seed in count():
        if time.monotonic() > until and seed > 200:
            break
        statement = nest(Random(seed))
        try:
            check(statement, catalogue(dialect), UNION_POLICY)
        except SqlRejected as refusal:
            assert "cannot be judged" not in str(refusal), statement


def reduced_duckdb() -> duckdb.DuckDBPyConnection:
    """The bank without what the policy forbids: a statement that needs it cannot be planned there."""
    bank = duckdb.connect(":memory:", config={"threads": 1})
    for statement in setup_statements():
        if statement.lstrip().startswith("CREATE") and "staff_logins" not in statement:
            bank.execute(re.sub(r"\n +(national_id|phone|pan) .*", "", statement))
    return bank


REDUCED = reduced_duckdb()
MISSES = re.compile(r"Table with name \w+ does not exist|Referenced column .* not found|does not have a column")


def misses(sql: str) -> str:
    """What DuckDB misses when it plans a statement without the forbidden tables and columns; "" when nothing."""
    try:
        REDUCED.execute(f"EXPLAIN {sql}")
    except duckdb.Error as error:
        found = MISSES.search(str(error))
        return found.group() if found else ""
    return ""


def test_the_reduced_bank_itself_misses_forbidden_names():
    assert misses("SELECT phone FROM customers")
    assert misses("SELECT c.phone FROM customers c")
    assert misses("SELECT login FROM staff_logins")
    assert misses("SELECT full_name FROM customers") == ""
