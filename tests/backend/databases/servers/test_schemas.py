"""A search path that leads through several schemas of the bank hides nothing from the policy, and renames no table."""

from __future__ import annotations

import os

import pytest

from ai_engine.errors import SqlRejected
from ai_engine.guard import Policy, check
from backend.databases import open_database
from tests.backend.databases.servers.small_bank import administer_postgres, run

pytestmark = pytest.mark.server

NAME = f"bank_schemas_{os.getpid()}"
BANK = """
    CREATE SCHEMA bank;
    CREATE TABLE people (id INTEGER, contact TEXT);
    CREATE TABLE people_old () INHERITS (people);
    INSERT INTO people_old VALUES (1, 'secret');
    CREATE TABLE tokens (label TEXT, token INTEGER) PARTITION BY RANGE (token);
    CREATE TABLE tokens_low PARTITION OF tokens FOR VALUES FROM (MINVALUE) TO (MAXVALUE);
    CREATE TABLE chest (id INTEGER, note TEXT);
    CREATE TABLE memos () INHERITS (chest);
    CREATE TABLE bank.memos (id INTEGER, note TEXT);
    INSERT INTO memos VALUES (1, 'secret');
    INSERT INTO bank.memos VALUES (1, 'open');
    CREATE TABLE bank.accounts (id INTEGER);
    CREATE SCHEMA other;
    CREATE TABLE other.accounts (id INTEGER, city TEXT);
    INSERT INTO other.accounts VALUES (7, 'Pune');
    CREATE TABLE bank.pg_stats (attname TEXT);
    INSERT INTO bank.pg_stats VALUES ('own');
    CREATE DOMAIN kind AS regtype;
    CREATE DOMAIN kinds AS regtype[];
    CREATE TYPE stay AS (number INTEGER, places kind[]);
    CREATE TYPE stays AS (stay stay);
    CREATE TYPE span AS RANGE (SUBTYPE = regclass, SUBTYPE_OPCLASS = oid_ops);
    CREATE TABLE bank.visits (
        id INTEGER, place regclass, places regclass[], place_kind kind, place_kinds kinds, stay stay, past stays[],
        span span, row_type public.memos, tags TEXT[]
    );
    CREATE SCHEMA shut;
    CREATE TABLE shut.safe (id INTEGER);
"""
POLICY = Policy(
    hidden_tables=frozenset({"chest"}),
    restricted_columns={"people": frozenset({"contact"}), "tokens": frozenset({"token"})},
)


@pytest.fixture(scope="module")
def database(postgres_url):
    administer_postgres(postgres_url, f"CREATE DATABASE {NAME}")
    administer_postgres(
        postgres_url, BANK, f"ALTER DATABASE {NAME} SET search_path = bank, public", "SELECT 1", database=NAME
    )
    with open_database(f"{postgres_url}/{NAME}") as opened:
        yield opened
    administer_postgres(postgres_url, f"DROP DATABASE {NAME} WITH (FORCE)")


@pytest.mark.parametrize("sql", [
    "SELECT contact FROM people_old", "SELECT contact FROM public.people_old", "SELECT token FROM tokens",
    "SELECT token FROM tokens_low", "SELECT note FROM chest", "SELECT note FROM public.memos",
    "SELECT id FROM public.accounts", 'SELECT id FROM "BANK2".accounts',
    *(f"SELECT COALESCE({tells}) FROM visits" for tells in (
        "place, 'chest'", "places, '{chest}'", "place_kind, 'chest'", "place_kinds, '{chest}'",
        "stay, '(1,{chest})'", "span, '[chest,chest]'",
    )),
])  # fmt: skip
def test_what_is_kept_back_in_one_schema_is_not_read_through_another(database, sql):
    with pytest.raises(SqlRejected):
        check(sql, database.catalogue, POLICY)


@pytest.mark.parametrize(("sql", "rows"), [
    ("SELECT note FROM bank.memos", [("open",)]),
    ("SELECT note FROM memos", [("open",)]),
    ('SELECT note FROM "BANK".memos', [("open",)]),
    ("SELECT city FROM other.accounts", [("Pune",)]),
    ("SELECT a.id FROM accounts a", []),
    ("SELECT id FROM people", [(1,)]),
    ("SELECT label FROM tokens", []),
    ("SELECT attname FROM pg_stats", [("own",)]),
])  # fmt: skip
def test_a_table_is_read_in_the_schema_that_is_written_or_else_in_the_default_one(database, sql, rows):
    assert list(run(database, check(sql, database.catalogue, POLICY).run_sql).rows) == rows


def test_a_type_that_names_no_table_is_no_reason_to_close_a_column(database):
    assert [column.name for column in database.catalogue.table("visits").columns] == ["id", "row_type", "tags"]


def test_a_table_of_a_schema_that_the_role_may_not_use_is_not_there(postgres_url, database):
    role = f"reader_{os.getpid()}"
    grants = f"GRANT SELECT ON bank.accounts, shut.safe TO {role}; GRANT USAGE ON SCHEMA bank TO {role}"
    administer_postgres(postgres_url, f"CREATE ROLE {role} LOGIN PASSWORD 'x'", grants, database=NAME)
    try:
        with open_database(f"{postgres_url.replace('postgres@', f'{role}:x@')}/{NAME}") as opened:
            assert [table.name for table in opened.catalogue.tables] == ["accounts"]
    finally:
        administer_postgres(postgres_url, f"DROP OWNED BY {role}", f"DROP ROLE {role}", database=NAME)


def test_every_table_is_listed_once_in_its_own_schema(database):
    listed = sorted((table.schema or "", table.name) for table in database.catalogue.tables)
    assert listed == [
        *(("", "accounts"), ("", "memos"), ("", "pg_stats"), ("", "visits"), ("other", "accounts")),
        *(("public", "chest"), ("public", "memos"), ("public", "people"), ("public", "people_old")),
        *(("public", "tokens"), ("shut", "safe")),
    ]
