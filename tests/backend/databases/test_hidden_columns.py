"""SQLite itself keeps what the policy withholds, whatever statement reaches it."""

from __future__ import annotations

import sqlite3
import threading

import pytest

from ai_engine.catalogue import Catalogue, Column, Table
from ai_engine.errors import QueryFailed
from backend.databases import DatabaseLimits, open_database
from backend.databases.hidden_columns import hidden_columns

HIDDEN = frozenset({("branches", ""), ("accounts", "balance")})


@pytest.fixture(scope="module")
def bank(tmp_path_factory):
    path = tmp_path_factory.mktemp("hidden") / "bank.sqlite"
    writer = sqlite3.connect(path)
    writer.executescript(
        """CREATE TABLE branches (branch_id INTEGER PRIMARY KEY, city TEXT);
        CREATE TABLE accounts (account_id INTEGER PRIMARY KEY, branch_id INTEGER, balance DECIMAL(12,2));
        CREATE VIEW cities AS SELECT city FROM branches;
        CREATE VIEW balances AS SELECT balance FROM accounts;
        INSERT INTO branches VALUES (1, 'Pune');
        INSERT INTO accounts VALUES (7, 1, 10);"""
    )
    writer.close()
    with open_database(str(path), DatabaseLimits(workers=1)) as database:
        yield database


def run(runner, sql):
    return runner.run(sql, max_rows=10, timeout_s=20.0, stop=threading.Event()).rows


@pytest.mark.parametrize(
    "statement",
    [
        "SELECT city FROM branches",
        "SELECT count(*) FROM branches",
        "SELECT count(*) FROM main.branches",
        "SELECT 1 FROM accounts WHERE (branch_id, 'Pune') IN branches",
        "SELECT rowid FROM branches",
        "SELECT BALANCE FROM ACCOUNTS",
        "SELECT * FROM accounts",
        "SELECT account_id FROM accounts ORDER BY balance",
        "SELECT count(*) FROM accounts AS a WHERE a.balance > 5",
        "WITH accounts_2 AS (SELECT * FROM accounts) SELECT count(*) FROM accounts_2",
        "SELECT * FROM accounts NATURAL JOIN (SELECT 10 AS balance)",
    ],
)
def test_hidden_tables_and_columns_are_refused_in_every_clause(bank, statement):
    assert run(bank.runner, statement) is not None
    with pytest.raises(QueryFailed, match=r"prohibited|not authorized"):
        run(bank.without(HIDDEN), statement)


def test_everything_else_is_read_as_before(bank):
    runner = bank.without(HIDDEN)
    assert run(runner, "SELECT account_id, branch_id FROM accounts") == ((7, 1),)
    assert run(runner, "SELECT count(*) FROM accounts") == ((1,),)


def test_a_view_shows_what_it_was_made_to_show_unless_it_is_hidden_itself(bank):
    assert run(bank.without(HIDDEN), "SELECT city FROM cities") == (("Pune",),)
    with pytest.raises(QueryFailed):
        run(bank.without(HIDDEN | {("cities", "")}), "SELECT city FROM cities")
    with pytest.raises(QueryFailed):
        run(bank.without(HIDDEN | {("balances", "balance")}), "SELECT balance FROM balances")


def test_a_policy_becomes_pairs_of_bare_small_names():
    catalogue = Catalogue("sqlite", tuple(Table(name, (Column("id", "integer"),)) for name in ("A", "b", "c")))
    pairs = hidden_columns(
        catalogue,
        allowed_tables={"main.a", "B"},
        hidden_tables={'"B"'},
        restricted_columns={"main.A": {"PAN"}},
    )
    assert pairs == {("c", ""), ("b", ""), ("a", "pan")}
