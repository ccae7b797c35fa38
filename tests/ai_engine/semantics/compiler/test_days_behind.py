"""Facts whose days stand in a date dimension behind keys 1, 2, 3: found there, on real databases."""

from __future__ import annotations

import sqlite3
from datetime import date

import duckdb
import pytest

from ai_engine.catalogue import Dialect
from ai_engine.catalogue_from_ddl import catalogue_from_ddl
from ai_engine.errors import BadVocabulary
from ai_engine.semantics.compiler import compile_intent
from ai_engine.semantics.infer import infer_vocabulary
from ai_engine.semantics.intent import Condition, Dimension, FieldRef, Intent, Measure, Membership, Order, Period
from ai_engine.semantics.osi import dump_vocabulary, load_vocabulary

AS_OF = date(2026, 11, 21)
DDL = """
CREATE TABLE dim_date (date_key INTEGER PRIMARY KEY, full_date DATE, month_number INTEGER, year_number INTEGER);
CREATE TABLE dim_client (client_key INTEGER PRIMARY KEY, client_name VARCHAR(20));
CREATE TABLE fact_loan (loan_key INTEGER PRIMARY KEY, client_key INTEGER REFERENCES dim_client (client_key),
  open_date_key INTEGER REFERENCES dim_date (date_key), close_date_key INTEGER REFERENCES dim_date (date_key),
  principal INTEGER);
CREATE TABLE fact_visit (visit_key INTEGER PRIMARY KEY, client_key INTEGER REFERENCES dim_client (client_key),
  date_key INTEGER REFERENCES dim_date (date_key));
"""
ROWS = {
    "dim_date": [(1, "2024-01-31", 1, 2024), (2, "2024-02-01", 2, 2024), (3, "2025-02-01", 2, 2025)],
    "dim_client": [(1, "Ada"), (2, "Bo")],
    "fact_loan": [(1, 1, 1, 3, 100), (2, 1, 2, None, 200), (3, 2, 3, None, 400)],
    "fact_visit": [(1, 1, 1), (2, 2, 3)],
}
CATALOGUE = catalogue_from_ddl(DDL, "sqlite")
MODEL = infer_vocabulary(CATALOGUE, {("dim_date", "date_key"): (1, 2, 3), ("fact_visit", "date_key"): (1, 3)})
LOANS = Measure(aggregate="count", dataset="fact_loan")
PRINCIPAL = Measure(aggregate="sum", field=FieldRef(dataset="fact_loan", field="principal"))
OPENED, CLOSED = (FieldRef(dataset="fact_loan", field=f"{which}_date") for which in ("open", "close"))
SINCE = Period(start=date(2024, 1, 1), end=None, label="since 2024", field=CLOSED)
IN_2024 = Period(start=date(2024, 1, 1), end=date(2025, 1, 1), label="2024")


def test_every_key_of_the_dimension_gets_the_day_behind_it_and_the_likeliest_dates_the_rows():
    loan, visit = MODEL.dataset("fact_loan"), MODEL.dataset("fact_visit")
    assert (loan.field("open_date").label, loan.field("close_date").label) == ("open date", "close date")
    assert loan.field("open_date").behind == ("fact_loan_open_date_key_to_dim_date", "full_date")
    assert (loan.default_time, visit.default_time) == ("open_date", "date")
    assert "closed" in loan.field("close_date").synonyms


@pytest.mark.parametrize(
    ("intent", "rows"),
    [
        (Intent(measures=(PRINCIPAL,), period=IN_2024), [(300,)]),
        (
            Intent(measures=(LOANS,), period=Period(start=date(2024, 1, 1), end=None, label="then", field=CLOSED)),
            [(1,)],
        ),
        (Intent(measures=(LOANS,), filters=(Condition(field=CLOSED, operator="is null"),)), [(2,)]),
        (
            Intent(
                measures=(PRINCIPAL,),
                dimensions=(Dimension(field=FieldRef(dataset="fact_loan", field="open_date", grain="year")),),
            ),
            [(2024, 300), (2025, 400)],
        ),
        (
            Intent(
                subject="dim_client",
                columns=(FieldRef(dataset="dim_client", field="client_name"),),
                filters=(
                    Membership(
                        dataset="fact_loan",
                        negated=True,
                        filters=(Condition(field=OPENED, operator="<", values=(date(2025, 1, 1),)),),
                    ),
                ),
            ),
            [("Bo",)],
        ),
        (
            Intent(
                subject="fact_loan",
                columns=(FieldRef(dataset="fact_loan", field="loan_key"),),
                order=(Order(field=OPENED, descending=True),),
                limit=1,
            ),
            [(3,)],
        ),
    ],
)
def test_days_behind_keys_filter_group_and_sort_alike_on_both_engines(intent, rows):
    assert on_duckdb(intent) == on_sqlite(intent) == rows


def test_the_day_behind_a_key_is_joined_in_every_dialect():
    dialects: tuple[Dialect, ...] = ("duckdb", "sqlite", "postgres", "mysql")
    for dialect in dialects:
        sql = compile_intent(Intent(measures=(LOANS,), period=IN_2024), MODEL, dialect, AS_OF).sql
        assert "dim_date.date_key = fact_loan.open_date_key" in sql


def test_days_behind_keys_are_read_from_their_file_as_they_were_written():
    assert load_vocabulary(dump_vocabulary(MODEL), CATALOGUE) == MODEL


def test_a_file_whose_field_stands_behind_nothing_is_refused():
    written = dump_vocabulary(MODEL).replace('"relationship": "fact_visit_to_dim_date"', '"relationship": "nowhere"')
    with pytest.raises(BadVocabulary, match="stands behind no relationship"):
        load_vocabulary(written, CATALOGUE)


def on_duckdb(intent: Intent) -> list[tuple[object, ...]]:
    with duckdb.connect() as database:
        database.execute(DDL)
        for table, rows in ROWS.items():
            database.executemany(f"INSERT INTO {table} VALUES ({', '.join('?' * len(rows[0]))})", rows)
        return database.execute(compile_intent(intent, MODEL, "duckdb", AS_OF).sql).fetchall()


def on_sqlite(intent: Intent) -> list[tuple[object, ...]]:
    database = sqlite3.connect(":memory:")
    database.executescript(DDL)
    for table, rows in ROWS.items():
        database.executemany(f"INSERT INTO {table} VALUES ({', '.join('?' * len(rows[0]))})", rows)
    found = database.execute(compile_intent(intent, MODEL, "sqlite", AS_OF).sql).fetchall()
    database.close()
    return found
