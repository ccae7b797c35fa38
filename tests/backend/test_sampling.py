from __future__ import annotations

import sqlite3
import threading
from contextlib import closing
from dataclasses import replace
from datetime import date
from decimal import Decimal
from pathlib import Path

import duckdb
import pytest

from ai_engine.errors import QueryFailed
from ai_engine.types import QueryResult
from backend.catalogue.sampling import collect_samples
from backend.databases import Database, DatabaseLimits, open_database


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory):
    file: Path = tmp_path_factory.mktemp("samples") / "bank.duckdb"
    with duckdb.connect(file) as connection:
        connection.execute(
            """CREATE TABLE "Order" (id INTEGER, city VARCHAR, "odd ""name" DECIMAL(6,2), day DATE);
               INSERT INTO "Order" VALUES (1, 'Pune', 1.50, '2026-01-01'), (2, 'Delhi', 1.50, NULL),
                   (3, 'Pune', NULL, NULL), (4, NULL, 2.00, NULL);
               CREATE TABLE numbers AS SELECT range AS n FROM range(5000);
               CREATE TABLE nothing (n INTEGER);
               CREATE TABLE branches AS
                   SELECT 'B' || range AS name, range // 2 AS zone, NULLIF(range, 3) AS code FROM range(20);
               CREATE TABLE few AS SELECT 'F' || range AS name FROM range(3);
               CREATE TABLE codes (code_type VARCHAR, code_value VARCHAR, code_desc VARCHAR);
               INSERT INTO codes VALUES ('ACCT_STS', 'A', 'Active'), ('OCC', 'A', 'Artist')"""
        )
    with open_database(str(file), DatabaseLimits(workers=1, memory_mb=512)) as opened:
        yield opened


class DeafTo:
    """Passes statements on, and fails those that name one table."""

    def __init__(self, database: Database, table: str) -> None:
        self._database, self._table = database, table
        self.timeouts: list[float] = []

    def run(self, sql: str, *, max_rows: int, timeout_s: float, stop: threading.Event) -> QueryResult:
        self.timeouts.append(timeout_s)
        if self._table in sql:
            raise QueryFailed("no rights")
        return self._database.runner.run(sql, max_rows=max_rows, timeout_s=timeout_s, stop=stop)


def test_values_come_most_frequent_first_without_null_and_with_their_types(database):
    samples = collect_samples(database).values
    assert samples["Order", "city"] == ("Pune", "Delhi")
    assert samples["Order", 'odd "name'] == (Decimal("1.50"), Decimal("2.00"))
    assert samples["Order", "day"] == (date(2026, 1, 1),)


def test_a_long_table_is_seen_by_its_first_rows_and_few_values_are_kept(database):
    kept = collect_samples(database).values["numbers", "n"]
    assert len(kept) == 60
    assert max(kept) < 1_000


@pytest.mark.parametrize(
    ("kind", "early", "late"),
    [("TEXT", "unknown", "2024-01-02"), ("", 17, "2024-01-02"), ("TEXT COLLATE NOCASE", "pune", "PUNE"), ("", 1, 1.0)],
)
def test_a_key_that_tells_of_people_does_not_decide_which_rows_are_seen(tmp_path: Path, kind, early, late):
    seen = []
    for flipped in (False, True):
        file = tmp_path / f"{flipped}.sqlite"
        with closing(sqlite3.connect(file)) as connection:
            connection.execute(f"CREATE TABLE customers (aadhaar_number TEXT PRIMARY KEY, said {kind}) WITHOUT ROWID")
            for row in range(3_000):
                number = 10**11 + (9_000 - row if flipped else row)
                connection.execute("INSERT INTO customers VALUES (?, ?)", (str(number), early if row < 1_500 else late))
            connection.commit()
        with open_database(str(file), DatabaseLimits(workers=1)) as opened:
            seen.append(repr(collect_samples(opened).values["customers", "said"]))
    assert seen[0] == seen[1]


def test_a_column_is_unique_where_every_row_was_seen_and_all_differ(database):
    assert collect_samples(database).unique == {("branches", "name")}


def test_the_rows_of_a_list_of_codes_are_kept_by_kind(database):
    found = {one.kind: one.meanings for one in collect_samples(database).code_lists}
    assert found == {"ACCT_STS": {"a": "active"}, "OCC": {"a": "artist"}}


def test_an_empty_table_has_columns_without_values(database):
    assert collect_samples(database).values["nothing", "n"] == ()


def test_a_table_that_cannot_be_read_is_left_out_and_the_others_are_not(database):
    runner = DeafTo(database, "numbers")
    samples = collect_samples(replace(database, runner=runner)).values
    assert ("numbers", "n") not in samples
    assert samples["Order", "city"] == ("Pune", "Delhi")
    assert all(0 < timeout_s <= 10 for timeout_s in runner.timeouts)
