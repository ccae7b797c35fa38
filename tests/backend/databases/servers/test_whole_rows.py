"""Columns of PostgreSQL whose type holds whole rows of a table tell no more than may be read of that table."""

from __future__ import annotations

import pytest

from ai_engine.errors import SqlRejected
from ai_engine.guard import Policy, check
from backend.databases import open_database
from backend.databases.hidden_columns import hidden_columns
from tests.backend.databases.servers.small_bank import administer_postgres, own_postgres

pytestmark = pytest.mark.server

MADE = """
    CREATE TABLE parted (id INTEGER, phone TEXT, city TEXT) PARTITION BY LIST (city);
    CREATE TABLE parted_p PARTITION OF parted FOR VALUES IN ('p') PARTITION BY HASH (id);
    CREATE TABLE parted_p_0 PARTITION OF parted_p FOR VALUES WITH (MODULUS 1, REMAINDER 0);
    CREATE TABLE kid (id INTEGER, phone TEXT);
    CREATE TABLE kid_old (left_on DATE) INHERITS (kid);
    CREATE TABLE other (note TEXT, phone TEXT);
    CREATE TABLE chest (id INTEGER, secret TEXT);
    CREATE TYPE wrapped AS (part parted_p_0);
    CREATE DOMAIN wrapping AS wrapped;
    CREATE TYPE plain AS (id INTEGER, phone TEXT);
    CREATE TYPE listed AS (id INTEGER, phone TEXT);
    CREATE TABLE typed OF listed;
    CREATE TABLE changes (id INTEGER, was kid_old, were other[], part wrapping, plain plain, lists listed[]);
    CREATE VIEW whole AS SELECT id, chest AS row FROM chest;
"""


@pytest.fixture(scope="module")
def bank(postgres_url):
    with own_postgres(postgres_url, "rows") as name:
        administer_postgres(postgres_url, MADE, database=name)
        with open_database(f"{postgres_url}/{name}") as database:
            yield name, database.catalogue


@pytest.mark.parametrize(
    ("kept", "table", "closed"),
    [
        ({}, "changes", set()),
        ({"restricted_columns": {"kid_old": frozenset({"phone"})}}, "changes", {"was"}),
        ({"restricted_columns": {"other": frozenset({"phone"})}}, "changes", {"were"}),
        ({"restricted_columns": {"parted": frozenset({"phone"})}}, "changes", {"part"}),
        ({"hidden_tables": frozenset({"parted"})}, "changes", {"part"}),
        ({"restricted_columns": {"typed": frozenset({"phone"})}}, "changes", {"lists"}),
        ({"allowed_tables": frozenset({"changes"})}, "changes", {"was", "were", "part", "lists"}),
        ({"restricted_columns": {"chest": frozenset({"secret"})}}, "whole", {"row"}),
    ],
)
def test_a_column_that_holds_whole_rows_is_closed_where_a_part_of_them_is(bank, kept, table, closed):
    _, catalogue = bank
    policy = Policy(**kept)
    shown = [column.name for column in catalogue.table(table).columns if column.name not in closed]
    listed = ", ".join(f'"q_1"."{name}"' for name in shown)
    assert f"SELECT {listed} FROM" in check(f"SELECT * FROM {table}", catalogue, policy).run_sql
    for column in closed:
        with pytest.raises(SqlRejected, match=column):
            check(f'SELECT COUNT("{column}") FROM {table}', catalogue, policy)
    hidden = hidden_columns(
        catalogue, allowed_tables=policy.allowed_tables, hidden_tables=policy.hidden_tables,
        restricted_columns=policy.restricted_columns,
    )  # fmt: skip
    assert {column for name, column in hidden if name == table} == closed


def test_a_column_that_holds_rows_of_a_table_that_the_role_may_not_read_in_full_is_not_there(bank, postgres_url):
    name, _ = bank
    url, role = f"{postgres_url.replace('postgres@', f'{name}_reader:x@')}/{name}", f"{name}_reader"
    administer_postgres(
        postgres_url,
        f"CREATE ROLE {role} LOGIN PASSWORD 'x'; GRANT SELECT (note) ON other TO {role}",
        f"GRANT SELECT ON changes, kid_old, parted_p_0 TO {role}",
        database=name,
    )
    try:
        with open_database(url) as opened:
            shown = [column.name for column in opened.catalogue.table("changes").columns]
            assert shown == ["id", "was", "part", "plain"]
    finally:
        administer_postgres(postgres_url, f"DROP OWNED BY {role}; DROP ROLE {role}", database=name)
