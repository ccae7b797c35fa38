"""Years without a day, as numbers and as texts: the same rows on two engines, and nothing finer than a year."""

from __future__ import annotations

import sqlite3
from datetime import date

import duckdb
import pytest

from ai_engine.catalogue import Dialect
from ai_engine.catalogue_from_ddl import catalogue_from_ddl
from ai_engine.errors import IntentNotCovered
from ai_engine.semantics.compiler import compile_intent
from ai_engine.semantics.infer import infer_vocabulary
from ai_engine.semantics.intent import Condition, Dimension, FieldRef, Intent, Measure, Period
from ai_engine.semantics.osi import dump_vocabulary, load_vocabulary

AS_OF = date(2026, 11, 21)
DDL = "CREATE TABLE shop (shop_id INTEGER PRIMARY KEY, year_opened INTEGER, owner_birth_year VARCHAR(4))"
ROWS = [(1, 1990, "1950"), (2, 1994, "1960"), (3, 1995, "1970"), (4, None, None), (5, 2001, "1960")]
CATALOGUE = catalogue_from_ddl(DDL, "sqlite")
SAMPLES = {("shop", "year_opened"): (1990, 1994), ("shop", "owner_birth_year"): ("1950", "1960")}
MODEL = infer_vocabulary(CATALOGUE, SAMPLES)
OPENED = FieldRef(dataset="shop", field="year_opened")
BORN = FieldRef(dataset="shop", field="owner_birth_year")
SHOPS = Measure(aggregate="count", dataset="shop")
DIALECTS: tuple[Dialect, ...] = ("duckdb", "sqlite", "postgres", "mysql")


def seen(ref: FieldRef, grain: str) -> FieldRef:
    return FieldRef(dataset=ref.dataset, field=ref.field, grain=grain)


def during(start: date | None, end: date | None, field: FieldRef = OPENED) -> Intent:
    return Intent(measures=(SHOPS,), period=Period(start=start, end=end, label="then", field=field))


def by(ref: FieldRef, **more: object) -> Intent:
    return Intent(measures=(SHOPS,), dimensions=(Dimension(field=ref),), **more)


@pytest.mark.parametrize(
    ("intent", "rows"),
    [
        (during(None, date(1995, 1, 1)), [(2,)]),
        (during(date(1995, 1, 1), None), [(2,)]),
        (during(date(1994, 1, 1), date(1996, 1, 1)), [(2,)]),
        (during(date(1960, 1, 1), date(1961, 1, 1), BORN), [(2,)]),
        (by(seen(OPENED, "year")), [(1990, 1), (1994, 1), (1995, 1), (2001, 1), (None, 1)]),
        (by(seen(OPENED, "year"), fill_gaps=True), [(1990, 1), (1994, 1), (1995, 1), (2001, 1), (None, 1)]),
        (by(BORN), [(1950, 1), (1960, 2), (1970, 1), (None, 1)]),
        (Intent(measures=(Measure(aggregate="max", field=OPENED),)), [(2001,)]),
        (Intent(measures=(Measure(aggregate="avg", field=seen(BORN, "age_years")),)), [(66,)]),
        (
            Intent(
                measures=(SHOPS,),
                filters=(Condition(field=seen(BORN, "age_years"), operator=">", values=(60,)),),
            ),
            [(3,)],
        ),
        (
            Intent(
                measures=(SHOPS,),
                period=Period(start=date(1995, 1, 1), end=date(1996, 1, 1), label="1995", field=OPENED),
                compare="previous_period",
            ),
            [(1, 1)],
        ),
    ],
)
def test_years_are_compared_grouped_and_aged_alike_on_both_engines(intent, rows):
    assert [tuple(row[: len(rows[0])]) for row in on_duckdb(intent)] == rows
    assert [tuple(row[: len(rows[0])]) for row in on_sqlite(intent)] == rows


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize(
    "intent",
    [
        during(date(1994, 6, 1), None),
        during(date(1994, 1, 1), date(1994, 2, 1)),
        by(seen(OPENED, "month")),
        by(seen(OPENED, "fiscal_year")),
        Intent(
            measures=(SHOPS,),
            filters=(Condition(field=OPENED, operator="=", values=(date(1994, 1, 1),)),),
        ),
    ],
)
def test_nothing_finer_than_a_year_is_asked_of_a_year(intent, dialect):
    with pytest.raises(IntentNotCovered):
        compile_intent(intent, MODEL, dialect, AS_OF)


def test_an_age_from_a_year_is_said_to_be_that_of_the_whole_year():
    draft = compile_intent(by(seen(BORN, "age_years")), MODEL, "sqlite", AS_OF)
    assert draft.assumptions == ("Ages are those reached in the course of 2026: only the year is kept.",)


def test_a_vocabulary_with_years_is_read_from_its_file_as_it_was_written():
    assert load_vocabulary(dump_vocabulary(MODEL), CATALOGUE) == MODEL


def on_duckdb(intent: Intent) -> list[tuple[object, ...]]:
    with duckdb.connect() as database:
        database.execute(DDL)
        database.executemany("INSERT INTO shop VALUES (?, ?, ?)", ROWS)
        return database.execute(compile_intent(intent, MODEL, "duckdb", AS_OF).sql).fetchall()


def on_sqlite(intent: Intent) -> list[tuple[object, ...]]:
    database = sqlite3.connect(":memory:")
    database.execute(DDL)
    database.executemany("INSERT INTO shop VALUES (?, ?, ?)", ROWS)
    found = database.execute(compile_intent(intent, MODEL, "sqlite", AS_OF).sql).fetchall()
    database.close()
    return found
