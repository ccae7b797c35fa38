"""Two people of one name are two rows, whatever else is computed for them."""

from __future__ import annotations

import sqlite3
from datetime import date

import duckdb
import pytest

from ai_engine.catalogue_from_ddl import catalogue_from_ddl
from ai_engine.semantics.compiler import compile_intent
from ai_engine.semantics.infer import infer_vocabulary
from ai_engine.semantics.intent import Dimension, FieldRef, Having, Intent, Measure, Order

AS_OF = date(2026, 11, 21)
DDL = """
CREATE TABLE clients (client_id INTEGER PRIMARY KEY, client_name VARCHAR(40), first_name VARCHAR(20),
  last_name VARCHAR(20));
CREATE TABLE shops (shop_id INTEGER PRIMARY KEY, shop_name VARCHAR(40));
CREATE TABLE orders (order_id INTEGER PRIMARY KEY, client_id INTEGER REFERENCES clients (client_id),
  shop_id INTEGER REFERENCES shops (shop_id), amount INTEGER);
CREATE TABLE visits (visit_id INTEGER PRIMARY KEY, client_id INTEGER REFERENCES clients (client_id));
"""
ROWS = """
INSERT INTO clients VALUES (1, 'Asha Rao', 'Asha', 'Rao'), (2, 'Asha Rao', 'Asha', 'Rao'), (3, 'Nil Dey', 'Nil', 'Dey');
INSERT INTO shops VALUES (1, 'Corner'), (2, 'Corner');
INSERT INTO orders VALUES (1, 1, 1, 10), (2, 2, 2, 20), (3, 3, 1, 25), (4, 2, 1, 1);
INSERT INTO visits VALUES (1, 1), (2, 2), (3, 2);
"""
MODEL = infer_vocabulary(catalogue_from_ddl(DDL, "sqlite"), {})
NAMES_ONLY = "Clients who share a name are kept apart."
SPENT = Measure(aggregate="sum", field=FieldRef(dataset="orders", field="amount"))
ORDERS, VISITS = (Measure(aggregate="count", dataset=name) for name in ("orders", "visits"))


def of(*fields: str, dataset: str = "clients") -> tuple[Dimension, ...]:
    return tuple(Dimension(field=FieldRef(dataset=dataset, field=name)) for name in fields)


@pytest.fixture(params=["duckdb", "sqlite"])
def shop(request: pytest.FixtureRequest):
    connection = duckdb.connect() if request.param == "duckdb" else sqlite3.connect(":memory:")
    for statement in (DDL + ROWS).split(";"):
        connection.execute(statement)
    yield request.param, connection
    connection.close()


NAME, PARTS = of("client_name"), of("first_name", "last_name")


@pytest.mark.parametrize(
    ("intent", "rows"),
    [
        (Intent(measures=(SPENT,), dimensions=NAME), [("Nil Dey", 25), ("Asha Rao", 21), ("Asha Rao", 10)]),
        (
            Intent(measures=(SPENT,), dimensions=PARTS),
            [("Nil", "Dey", 25), ("Asha", "Rao", 21), ("Asha", "Rao", 10)],
        ),
        (
            Intent(
                measures=(SPENT,), dimensions=NAME, having=(Having(measure=SPENT, operator=">", value=20),)
            ),
            [("Nil Dey", 25), ("Asha Rao", 21)],
        ),
        (
            Intent(measures=(ORDERS, VISITS), dimensions=NAME),
            [("Asha Rao", 2, 2), ("Asha Rao", 1, 1), ("Nil Dey", 1, 0)],
        ),
        (
            Intent(
                measures=(SPENT,), dimensions=NAME, order=(Order(measure=SPENT, descending=True),), limit=2,
                with_ties=True,
            ),
            [("Nil Dey", 25), ("Asha Rao", 21)],
        ),
        (
            Intent(measures=(SPENT,), dimensions=NAME, over_groups="avg"),
            [(56 / 3,)],
        ),
        (Intent(measures=(SPENT,), dimensions=NAME, over_groups="count"), [(3,)]),
    ],
)  # fmt: skip
def test_people_whose_names_alone_are_shown_are_kept_apart_and_it_is_said(intent: Intent, rows: list, shop):
    dialect, connection = shop
    draft = compile_intent(intent, MODEL, dialect, AS_OF)
    assert connection.execute(draft.sql).fetchall() == rows
    assert NAMES_ONLY in draft.assumptions
    assert len(draft.columns) == len(rows[0])


@pytest.mark.parametrize(
    ("intent", "rows"),
    [
        (
            Intent(measures=(Measure(aggregate="count", dataset="clients"),), dimensions=NAME),
            [("Asha Rao", 2), ("Nil Dey", 1)],
        ),
        (Intent(measures=(SPENT,), dimensions=of("first_name")), [("Asha", 31), ("Nil", 25)]),
        (Intent(measures=(SPENT,), dimensions=of("shop_name", dataset="shops")), [("Corner", 56)]),
        (
            Intent(measures=(SPENT,), dimensions=of("client_id", "client_name")),
            [(3, "Nil Dey", 25), (2, "Asha Rao", 21), (1, "Asha Rao", 10)],
        ),
    ],
)
def test_names_that_are_counted_or_stand_beside_their_key_or_are_of_no_person_stay_as_they_are(
    intent: Intent, rows: list, shop
):
    dialect, connection = shop
    draft = compile_intent(intent, MODEL, dialect, AS_OF)
    assert connection.execute(draft.sql).fetchall() == rows
    assert NAMES_ONLY not in draft.assumptions
