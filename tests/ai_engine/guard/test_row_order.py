"""Rows that no statement orders come in an order that tells nothing of the restricted columns which decide it."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import replace

import pytest

from ai_engine.catalogue import Catalogue, Column, Table
from ai_engine.guard import Policy, check
from tests.ai_engine.guard.layouts import LAYOUTS
from tests.ai_engine.guard.twins import POLICY, reachable_twins, tells_apart

OF_TOKENS = [
    "SELECT label FROM tokens",
    "SELECT label FROM tokens LIMIT 1",
    "SELECT MAX(label) AS last, city FROM tokens WHERE city = 'p' GROUP BY city",
    "SELECT DISTINCT label FROM tokens",
    "SELECT label, COUNT(*) AS n FROM tokens GROUP BY label",
    "SELECT label FROM tokens WHERE city = 'p'",
]
OF_CUSTOMERS = [
    "SELECT customer_id FROM customers LIMIT 2",
    "SELECT city, group_concat(customer_id) AS names FROM customers GROUP BY city",
    "SELECT x.customer_id FROM (SELECT customer_id, city FROM customers WHERE city = 'p') AS x LIMIT 1",
    "SELECT s.label, (SELECT c.customer_id FROM customers c WHERE c.city = 'p' LIMIT 1) AS one FROM segment s",
    "SELECT a.customer_id, b.customer_id AS other FROM customers a LEFT JOIN customers b ON a.city = b.city",
]
TELLING = {
    "sqlite: in indexes": [
        *OF_TOKENS,
        *OF_CUSTOMERS,
        "SELECT t.label, s.label AS other FROM tokens t LEFT JOIN segment s ON s.label = t.label LIMIT 2",
        "SELECT customer_id, city FROM customers WHERE city = 'p' ORDER BY city LIMIT 1",
        "SELECT customer_id, row_number() OVER () AS n FROM customers WHERE city = 'p'",
    ],
    "sqlite: in indexes with a condition, or of what is computed": [
        "SELECT person_id FROM people WHERE city IS NOT NULL",
        "SELECT customer_id FROM customers WHERE city = 'p' ORDER BY city LIMIT 1",
    ],
    "sqlite: in tables without row numbers": [
        *OF_TOKENS[:2],
        *OF_CUSTOMERS[1:],
        "SELECT card_id FROM cards",
        "SELECT customer_id, city FROM customers WHERE city = 'p' ORDER BY city LIMIT 1",
    ],
    "sqlite: beside generated columns": ["SELECT s.card_id, p.kind FROM cards s JOIN people p USING (city)"],
    "sqlite: in wide tables": ["SELECT s.card_id, p.label FROM cards s LEFT JOIN people p ON p.city = s.city LIMIT 2"],
    "postgres: in indexes, partitions and heirs": [
        *OF_TOKENS[:2],
        "SELECT string_agg(label, ',') AS labels FROM tokens",
        "SELECT label, row_number() OVER () AS n FROM tokens",
        "SELECT s.label, (SELECT t.label FROM tokens t LIMIT 1) AS one FROM segment s",
        # which of two rows fails first
        "SELECT label FROM tokens"
        " WHERE CASE label WHEN 'a' THEN 1 / (length(label) - 1) ELSE CAST(label AS INT) END = 1",
        "SELECT t.label FROM tokens t JOIN segment s ON s.label = t.label"
        " AND CASE t.label WHEN 'a' THEN 1 / (length(t.label) - 1) ELSE CAST(t.label AS INT) END = 1",
    ],
    "mysql: in indexes": [
        *OF_TOKENS,
        *OF_CUSTOMERS,
        "SELECT s.label, (SELECT t.label FROM tokens t LIMIT 1) AS one FROM segment s",
        "SELECT customer_id, city FROM customers WHERE city = 'p' LIMIT 1",
    ],
    "mysql: in the key of a table without a primary one": OF_TOKENS,
    "mysql: in partitions": OF_TOKENS,
    "mysql: in subpartitions of what is now and what was": OF_TOKENS,
}
KINDS = [
    pytest.param(
        dialect, layout, id=f"{dialect}: {layout.name}", marks=[pytest.mark.server] if dialect != "sqlite" else []
    )
    for dialect in ("sqlite", "postgres", "mysql")
    for layout in LAYOUTS[dialect]
    if f"{dialect}: {layout.name}" in TELLING
]


@pytest.mark.parametrize(("dialect", "layout"), KINDS)
def test_the_places_of_rows_tell_nothing_of_a_restricted_column(dialect, layout):
    with reachable_twins(dialect, layout) as pair:
        for sql in TELLING[f"{dialect}: {layout.name}"]:
            assert tells_apart(pair, sql), sql
            ran = check(sql, pair.catalogue, POLICY).run_sql
            assert not tells_apart(pair, ran), ran


def test_every_kind_is_tried():
    assert len(KINDS) == len(TELLING)


@pytest.mark.parametrize("dialect", ["sqlite", pytest.param("mysql", marks=pytest.mark.server)])
def test_a_view_of_the_banks_own_over_such_a_table_still_tells(dialect):
    """Not promised: see SECURITY.md."""
    with reachable_twins(dialect, LAYOUTS[dialect][0]) as pair:
        for bank in pair[:2]:
            bank.execute("CREATE VIEW label AS SELECT customer_id FROM customers")
        assert tells_apart(pair, "SELECT customer_id FROM label LIMIT 2")


@pytest.mark.server
def test_texts_of_mysql_that_differ_far_behind_their_start_are_sorted_by_all_of_it():
    with reachable_twins("mysql") as pair:
        for place, bank in enumerate(pair[:2]):
            bank.execute("CREATE TABLE letters (body TEXT, number INTEGER PRIMARY KEY)")
            for number, end in enumerate("ab" if place else "ba"):
                bank.execute(f"INSERT INTO letters VALUES (CONCAT(REPEAT('x', 1100), '{end}'), {number})")
        asked = "SELECT RIGHT(body, 1) AS last FROM letters"
        assert tells_apart(pair, asked)
        policy = replace(POLICY, restricted_columns={"letters": frozenset({"number"})})
        ran = check(asked, pair.first.catalogue(), policy).run_sql
        assert not tells_apart(pair, ran), ran


@pytest.mark.server
@pytest.mark.parametrize("key", ["PRIMARY KEY", "UNIQUE KEY"])
def test_the_end_of_a_period_that_may_not_overlap_tells_nothing(key):
    with reachable_twins("mysql") as pair:
        for bank, years in zip(pair[:2], ((2021, 2024, 2022), (2024, 2021, 2022)), strict=True):
            bank.execute(
                "CREATE TABLE rates (id INTEGER NOT NULL, label VARCHAR(9), since DATE NOT NULL, until DATE NOT NULL,"
                f" PERIOD FOR valid (since, until), {key} (id, valid WITHOUT OVERLAPS))"
            )
            for label, year in zip("abc", years, strict=True):
                bank.execute(f"INSERT INTO rates VALUES (1, '{label}', '{year}-01-01', '{year}-12-31')")
        asked = "SELECT id, label FROM rates"
        assert tells_apart(pair, asked)
        policy = replace(POLICY, restricted_columns={"rates": frozenset({"since", "until"})})
        bank = pair.first.catalogue()
        rates = bank.table("rates")
        assert rates is not None and ("id", "until", "since") in (rates.primary_key, *rates.unique_keys)
        ran = check(asked, bank, policy).run_sql
        assert not tells_apart(pair, ran), ran


@pytest.mark.server
@pytest.mark.parametrize(("kind", "first", "second"), [("BPCHAR", "'a'", "'a  '"), ('"year"', "1.0", "1.00")])
def test_values_of_postgres_that_are_level_but_not_the_same_are_sorted_by_every_byte(kind, first, second):
    with reachable_twins("postgres") as pair:
        for bank, values in zip(pair[:2], ((first, second), (second, first)), strict=True):
            bank.execute('CREATE DOMAIN "year" AS NUMERIC')
            bank.execute(f"CREATE TABLE pads (pad {kind}, secret INTEGER) PARTITION BY RANGE (secret)")
            bank.execute("CREATE TABLE low PARTITION OF pads FOR VALUES FROM (0) TO (4)")
            bank.execute("CREATE TABLE high PARTITION OF pads FOR VALUES FROM (4) TO (9)")
            bank.execute(f"INSERT INTO pads VALUES ({values[0]}, 1), ({values[1]}, 5)")
        asked = "SELECT pad, octet_length(concat(pad)) AS n FROM pads"
        assert tells_apart(pair, asked)
        policy = replace(POLICY, restricted_columns={"pads": frozenset({"secret"})})
        ran = check(asked, pair.first.catalogue(), policy).run_sql
        assert not tells_apart(pair, ran), ran


def test_zeros_of_sqlite_that_differ_in_their_sign_are_not_told_apart():
    with reachable_twins("sqlite") as pair:
        for bank, zeros in zip(pair[:2], (("1e-999", "-1e-999"), ("-1e-999", "1e-999")), strict=True):
            bank.execute("CREATE TABLE marks (secret INTEGER PRIMARY KEY, mark, kept BLOB, name) WITHOUT ROWID")
            for secret, zero in enumerate(zeros):
                bank.execute(f"INSERT INTO marks VALUES ({secret}, {zero} * 1.0, {zero} * 1.0, 'a')")
        asked = "SELECT mark, kept, name FROM marks WHERE name = 'a'"
        shown, other = (repr(bank.answer(asked)) for bank in pair[:2])
        assert "-0.0" in shown and shown != other
        policy = replace(POLICY, restricted_columns={"marks": frozenset({"secret"})})
        ran = check(asked, pair.first.catalogue(), policy).run_sql
        first, second = (repr(bank.answer(ran)) for bank in pair[:2])
        assert first == second and first.count("(0.0, 0.0, 'a')") == 2, ran


def test_nor_are_zeros_in_a_column_of_any_type():
    with reachable_twins("sqlite") as pair:
        for bank, zeros in zip(pair[:2], (("1e-999", "-1e-999"), ("-1e-999", "1e-999")), strict=True):
            bank.execute("CREATE TABLE marks (secret INTEGER PRIMARY KEY, mark ANY) STRICT, WITHOUT ROWID")
            for secret, zero in enumerate(zeros):
                bank.execute(f"INSERT INTO marks VALUES ({secret}, {zero} * 1.0)")
        policy = replace(POLICY, restricted_columns={"marks": frozenset({"secret"})})
        ran = check("SELECT mark FROM marks", pair.first.catalogue(), policy).run_sql
        assert [repr(bank.answer(ran)[2]) for bank in pair[:2]] == ["[(0.0,), (0.0,)]"] * 2, ran


def test_the_tree_of_a_virtual_table_tells_nothing():
    with reachable_twins("sqlite") as pair:
        for place, bank in enumerate(pair[:2]):
            bank.execute("CREATE VIRTUAL TABLE spots USING rtree(id, low, high)")
            for number in range(200):
                low = number * (7 + 4 * place) % 199
                bank.execute(f"INSERT INTO spots VALUES ({number}, {low}, {low})")
        policy = replace(POLICY, restricted_columns={"spots": frozenset({"low", "high"})})
        assert tells_apart(pair, "SELECT id FROM spots")
        ran = check("SELECT id FROM spots", pair.first.catalogue(), policy).run_sql
        assert not tells_apart(pair, ran), ran


@pytest.mark.parametrize(
    ("sql", "rows"),
    [
        ("SELECT COUNT(*) AS n FROM letters WHERE letter = 'X'", [(2,)]),
        ("SELECT COUNT(*) AS n FROM letters AS a JOIN kinds AS k ON a.letter = k.kind", [(2,)]),
        ("SELECT COUNT(DISTINCT letter) AS n FROM letters", [(2,)]),
        ("SELECT COUNT(*) AS n FROM letters GROUP BY letter ORDER BY letter", [(2,), (1,)]),
    ],
)
def test_a_column_of_sqlite_that_is_sorted_first_compares_as_it_was_made_to(sql, rows):
    with closing(sqlite3.connect(":memory:")) as bank:
        bank.executescript(
            "CREATE TABLE letters (secret TEXT PRIMARY KEY, letter COLLATE NOCASE) WITHOUT ROWID;"
            "INSERT INTO letters VALUES ('1', 'x'), ('2', 'X'), ('3', 'y');"
            "CREATE TABLE kinds (kind TEXT); INSERT INTO kinds VALUES ('x')"
        )
        columns = (Column("secret", "text", "TEXT"), Column("letter", "other", "NULL"))
        letters = Table("letters", columns, primary_key=("secret",))
        catalogue = Catalogue("sqlite", (letters, Table("kinds", (Column("kind", "text", "TEXT"),))))
        checked = check(sql, catalogue, Policy(restricted_columns={"letters": frozenset({"secret"})}))
        assert bank.execute(checked.sql).fetchall() == bank.execute(checked.run_sql).fetchall() == rows
