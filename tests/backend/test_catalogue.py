"""The catalogue of the same bank, read from each kind of file."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import duckdb
import pytest
from sqlalchemy import create_engine

from ai_engine.catalogue import ForeignKey, Index
from ai_engine.errors import SqlRejected
from ai_engine.guard import Policy, check
from backend.catalogue.reflection import read_catalogue
from backend.databases import open_database

SCHEMA = """
    CREATE TABLE branches (branch_id INTEGER PRIMARY KEY, city VARCHAR(40) NOT NULL, code VARCHAR, UNIQUE (city, code));
    CREATE TABLE accounts (
        account_no VARCHAR PRIMARY KEY, branch_id INTEGER NOT NULL REFERENCES branches (branch_id),
        balance DECIMAL(12,2), rate DOUBLE, opened DATE, seen TIMESTAMP, active BOOLEAN, "odd name" VARCHAR
    );
    CREATE INDEX by_balance ON accounts (balance, opened);
    CREATE VIEW open_accounts AS SELECT account_no, balance FROM accounts WHERE active;
"""


@pytest.fixture(params=["duckdb", "sqlite"])
def catalogue(request, tmp_path):
    path = tmp_path / f"bank.{request.param}"
    if request.param == "duckdb":
        with duckdb.connect(path) as connection:
            connection.execute(SCHEMA)
            connection.execute("COMMENT ON TABLE accounts IS 'one row per account'")
            connection.execute("COMMENT ON COLUMN accounts.balance IS 'in rupees'")
            connection.execute("CREATE SCHEMA archive; CREATE TABLE archive.loans (loan_id INTEGER)")
    else:
        connection = sqlite3.connect(path)
        connection.executescript(SCHEMA)
        connection.close()
    with open_database(str(path)) as database:
        yield database.catalogue


def test_tables_and_views_are_there_with_their_columns(catalogue):
    assert {table.name for table in catalogue.tables} >= {"branches", "accounts", "open_accounts"}
    assert not any(table.name.startswith("sqlite_") for table in catalogue.tables)
    assert [table.name for table in catalogue.tables if table.is_view] == ["open_accounts"]
    columns = {column.name: column.type for column in catalogue.table("accounts").columns}
    assert columns == {
        "account_no": "text", "branch_id": "integer", "balance": "decimal", "rate": "float", "opened": "date",
        "seen": "timestamp", "active": "boolean", "odd name": "text",
    }  # fmt: skip
    assert catalogue.table("accounts").column("balance").native_type.replace(" ", "") == "DECIMAL(12,2)"


def test_indexes_are_read_where_rows_come_in_their_order(catalogue):
    expected = (Index("by_balance", ("balance", "opened")),) if catalogue.dialect == "sqlite" else ()
    assert catalogue.table("accounts").indexes == expected


def test_keys_are_read(catalogue):
    accounts, branches = catalogue.table("accounts"), catalogue.table("branches")
    assert accounts.primary_key == ("account_no",)
    assert accounts.foreign_keys == (ForeignKey(("branch_id",), "branches", ("branch_id",)),)
    assert branches.unique_keys == (("city", "code"),)
    assert not accounts.column("branch_id").nullable
    assert accounts.column("opened").nullable


def test_comments_and_other_schemas_of_duckdb_are_read(catalogue):
    kept = catalogue.dialect == "duckdb"  # SQLite has neither
    assert catalogue.table("accounts").comment == ("one row per account" if kept else "")
    assert catalogue.table("accounts").column("balance").comment == ("in rupees" if kept else "")
    assert catalogue.table("accounts").schema is None
    assert [table.schema for table in catalogue.tables if table.name == "loans"] == (["archive"] if kept else [])


def test_a_foreign_key_without_columns_points_at_the_primary_key(tmp_path):
    connection = sqlite3.connect(tmp_path / "bank.db")
    connection.executescript(
        "CREATE TABLE a (id INTEGER PRIMARY KEY); CREATE TABLE b (id INTEGER PRIMARY KEY, a_id INTEGER REFERENCES a);"
    )
    connection.close()
    engine = create_engine(f"sqlite:///{tmp_path / 'bank.db'}")
    assert read_catalogue(engine, "sqlite").table("b").foreign_keys == (ForeignKey(("a_id",), "a", ("id",)),)
    engine.dispose()


@pytest.mark.parametrize(
    ("columns", "is_never_null"),
    [
        ("id INTEGER PRIMARY KEY, name TEXT)", True),
        ("id INTEGER, name TEXT, PRIMARY KEY (id DESC))", True),
        ("id [integer] PRIMARY KEY AUTOINCREMENT, name TEXT)", True),
        ("id TEXT NOT NULL PRIMARY KEY, name TEXT)", True),
        ("id TEXT PRIMARY KEY, name TEXT) WITHOUT ROWID", True),
        ("id TEXT, part INT, name TEXT, PRIMARY KEY (id, part)) WITHOUT ROWID", True),
        ("id TEXT NOT NULL, part INT, name TEXT, PRIMARY KEY (part, id))", False),
        ("id TEXT PRIMARY KEY, name TEXT)", False),
        ("id INT PRIMARY KEY, name TEXT)", False),
        ("id BIGINT, name TEXT, PRIMARY KEY (id))", False),
        ("id INTEGER PRIMARY KEY DESC, name TEXT)", False),
    ],
)
def test_only_a_key_of_sqlite_that_is_never_null_tells_each_row_from_all_others(columns, is_never_null, tmp_path):
    with closing(sqlite3.connect(tmp_path / "bank.sqlite")) as writer:
        writer.execute(f"CREATE TABLE t ({columns}")
    with open_database(str(tmp_path / "bank.sqlite")) as database:
        table = database.catalogue.table("t")
        assert is_never_null == (not any(table.column(name).nullable for name in table.primary_key))
        statement = f"SELECT name FROM t GROUP BY {', '.join(table.primary_key)}"
        if is_never_null:
            check(statement, database.catalogue, Policy())
        else:
            with pytest.raises(SqlRejected, match="name stands beside groups"):
                check(statement, database.catalogue, Policy())
