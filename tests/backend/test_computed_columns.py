"""What a database computes from a column that is kept back is kept back with it."""

from __future__ import annotations

import contextlib
import sqlite3
import threading
import uuid
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import duckdb
import pytest

from ai_engine.errors import QueryFailed, SqlRejected
from ai_engine.guard import Policy, check
from backend.configuration.database_rights import runner_under
from backend.databases import Database, DatabaseLimits, open_database
from backend.databases.address import parse_address
from backend.databases.server_opening import open_server
from backend.settings import read_settings
from tests.backend.databases.servers.small_bank import administer_mariadb, administer_postgres, own_postgres

POLICY = Policy(restricted_columns={"cards": frozenset({"pan"})})
CARDS = """CREATE TABLE cards (id INTEGER PRIMARY KEY, pan VARCHAR(20), preferred VARCHAR(9) DEFAULT 'pan',
    xg VARCHAR(9) GENERATED ALWAYS AS (preferred) {kept}, g VARCHAR(20) GENERATED ALWAYS AS (lower(pan)) {kept},
    pans INTEGER{more})"""
MORE = {
    "duckdb": ", again VARCHAR AS (upper(g))",
    "sqlite": ', "of, (g" TEXT AS (g), /* ) */ [again] TEXT AS (upper("of, (g"))',
    "postgres": "",
    "mysql": ", again VARCHAR(20) AS (upper(g)) VIRTUAL, packed TEXT COMPRESSED AS (upper(pan)) STORED"
    ", odd VARCHAR(40) AS (concat(') VIRTUAL,', pan)) VIRTUAL, given VARCHAR(20) DEFAULT (upper(pan))",
}
ROW = "INSERT INTO cards (id, pan, pans) VALUES (1, 'SECRET', 7)"


@contextlib.contextmanager
def address_of(dialect: str, folder: Path, request: pytest.FixtureRequest) -> Iterator[str]:
    kept = "STORED" if dialect == "postgres" else "VIRTUAL"
    made = (CARDS.format(kept=kept, more=MORE[dialect]), ROW)
    if dialect == "postgres":
        url = request.getfixturevalue("postgres_url")
        with own_postgres(url, "computed") as name:
            administer_postgres(url, *made, database=name)
            yield f"{url}/{name}"
    elif dialect == "mysql":
        url, name = request.getfixturevalue("mariadb_url"), f"computed_{uuid.uuid4().hex[:12]}"
        administer_mariadb(f"CREATE DATABASE {name}", f"USE {name}", *made)
        try:
            yield f"{url}/{name}"
        finally:
            administer_mariadb(f"DROP DATABASE {name}")
    else:
        path = folder / f"cards.{dialect}"
        with contextlib.closing(sqlite3.connect(path) if dialect == "sqlite" else duckdb.connect(path)) as writer:
            for statement in made:
                writer.execute(statement)
            writer.commit()
        yield str(path)


@pytest.fixture(
    scope="module",
    params=["duckdb", "sqlite", *(pytest.param(one, marks=pytest.mark.server) for one in ("postgres", "mysql"))],
)
def bank(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    with (
        address_of(request.param, tmp_path_factory.mktemp("computed"), request) as address,
        open_database(address) as database,
    ):
        yield database


def test_a_generated_column_is_closed_with_what_it_is_made_of_and_others_stay_open(bank):
    statement = check("SELECT * FROM cards", bank.catalogue, POLICY)
    found = runner_under(bank, POLICY, read_settings()).run(
        statement.run_sql, max_rows=9, timeout_s=20, stop=threading.Event()
    )
    assert found.rows == ((1, "pan", "pan", 7),)
    quote = "`" if bank.dialect == "mysql" else '"'
    for column in set(bank.catalogue.table("cards").column_names) - {"id", "preferred", "xg", "pans"}:
        with pytest.raises(SqlRejected):
            check(f"SELECT COUNT({quote}{column}{quote}) FROM cards", bank.catalogue, POLICY)


@pytest.mark.parametrize("bank", ["duckdb", "sqlite"], indirect=True)  # a server has the rights of its role
def test_a_file_s_own_lock_keeps_what_is_computed_from_a_closed_column(bank):
    with pytest.raises(QueryFailed):
        runner_under(bank, POLICY, read_settings()).run(
            "SELECT g FROM cards", max_rows=9, timeout_s=20, stop=threading.Event()
        )


@pytest.mark.parametrize(
    ("pan", "made_of"),
    [
        ("holder's pan", "\"holder's pan\" || '!'"),
        ("pan", "\"father's name\" || ' ' || pan || ' '"),
        ("pan", "'\"' || \"father's name\" || '`' || pan || '''s'"),
    ],
)
def test_a_name_with_an_apostrophe_hides_no_column_that_a_generated_one_is_made_of(tmp_path, pan, made_of):
    path = tmp_path / "cards.duckdb"
    with duckdb.connect(path) as writer:
        writer.execute(f'CREATE TABLE cards (id INT, "father\'s name" VARCHAR, "{pan}" VARCHAR, g TEXT AS ({made_of}))')
    policy = Policy(restricted_columns={"cards": frozenset({pan})})
    with open_database(str(path)) as database, pytest.raises(SqlRejected, match="column g of cards is restricted"):
        check("SELECT g FROM cards", database.catalogue, policy)


def test_a_generated_column_stays_open_where_nothing_that_it_is_made_of_is_closed(bank):
    assert check("SELECT g FROM cards", bank.catalogue, Policy()).run_sql


@pytest.mark.parametrize(
    "definition",
    [
        'CREATE TABLE cards (pan TEXT, "{0}" TEXT AS (lower(pan)), id INTEGER, {0} (id))',
        'CREATE TABLE cards (pan TEXT, id INTEGER, {0} (id)); ALTER TABLE cards ADD COLUMN "{0}" AS (lower(pan))',
    ],
)
@pytest.mark.parametrize("word", ["CHECK", "UNIQUE"])
def test_a_generated_column_of_sqlite_that_is_called_like_a_constraint_is_closed_too(tmp_path, definition, word):
    path = tmp_path / "cards.sqlite"
    with contextlib.closing(sqlite3.connect(path)) as writer:
        writer.executescript(definition.format(word))
    with open_database(str(path)) as database, pytest.raises(SqlRejected, match="restricted"):
        check(f'SELECT "{word}" FROM cards', database.catalogue, POLICY)


@pytest.mark.server
@pytest.mark.parametrize("settings", ["sql_mode = 'ANSI_QUOTES'", "sql_quote_show_create = 0", "sql_select_limit = 1"])
def test_no_setting_of_a_server_opens_a_column_that_is_made_of_a_closed_one(request, tmp_path, settings):
    with address_of("mysql", tmp_path, request) as address:
        elsewhere = replace(parse_address(address), options=(("init_command", f"SET SESSION {settings}"),))
        with open_server(elsewhere, DatabaseLimits()) as bank:
            sql = check("SELECT * FROM cards", bank.catalogue, POLICY).run_sql
            found = bank.runner.run(sql, max_rows=9, timeout_s=20, stop=threading.Event())
            assert found.columns == ("id", "preferred", "xg", "pans")


@pytest.mark.server
@pytest.mark.parametrize("more", [False, True], ids=["of one table", "of others too"])
def test_nor_is_it_open_to_a_role_that_may_read_it_and_not_what_it_is_made_of(request, tmp_path, more):
    role = f"'computed_{uuid.uuid4().hex[:12]}'@'127.0.0.1'"
    with address_of("mysql", tmp_path, request) as address:
        name = address.rpartition("/")[2]
        administer_mariadb(
            f"CREATE USER {role}",
            f"CREATE TABLE {name}.others (id INTEGER)",
            f"GRANT SELECT (preferred, g, again, packed, given) ON {name}.cards TO {role}",
            *([f"GRANT SELECT ON {name}.others TO {role}"] if more else []),
        )
        try:
            with open_database(address.replace("root", role.split("'")[1])) as database:
                assert check("SELECT g, again, packed, given FROM cards", database.catalogue, Policy()).run_sql
                assert check("SELECT preferred FROM cards", database.catalogue, POLICY).run_sql
                for column in ("g", "again", "packed", "given"):
                    with pytest.raises(SqlRejected):
                        check(f"SELECT {column} FROM cards", database.catalogue, POLICY)
        finally:
            administer_mariadb(f"DROP USER {role}")
