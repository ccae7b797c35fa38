"""A connection test says exactly what stands in the way; each finding is met at a real file or server."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import psycopg
import pymysql
import pytest

from backend.databases.server_kinds import ServerKind
from backend.settings import Settings
from backend.sources.reaching import try_source
from tests.ai_engine.scripted_model import write_bank
from tests.conftest import MARIADB, POSTGRES

SECRET = "hunter2-not-to-be-told"
SETTINGS = Settings(database_connect_timeout_s=2)


@pytest.fixture(scope="module")
def closed_port() -> Iterator[int]:
    with closing(socket.socket()) as probe:
        probe.bind(("127.0.0.1", 0))
        yield probe.getsockname()[1]


def test_a_file_is_reached_missing_or_of_another_kind(tmp_path: Path):
    bank = write_bank(tmp_path / "bank.duckdb")
    (tmp_path / "no.duckdb").write_text("no database at all, though it is called one")
    found = try_source(SETTINGS, str(bank))
    assert (found.finding, found.tables) == ("reached", 5), found
    assert try_source(SETTINGS, str(tmp_path / "gone.duckdb")).finding == "file missing"
    assert try_source(SETTINGS, str(tmp_path / "no.duckdb")).finding == "file of another kind"
    assert try_source(SETTINGS, f"sqlite:///{bank}").finding == "file of another kind"
    assert try_source(SETTINGS, "informix://u@h/d").finding == "address wrong"
    assert try_source(SETTINGS, "oracle://u@h/d").finding == "driver missing"


def test_a_name_that_nobody_knows_and_a_port_that_nobody_answers(closed_port, monkeypatch):
    def unknown(*_: object, **__: object) -> None:
        raise socket.gaierror(-2, "Name or service not known")

    assert try_source(SETTINGS, f"postgresql://u:{SECRET}@127.0.0.1:{closed_port}/d").finding == "port refused"
    assert try_source(SETTINGS, f"mysql://u:{SECRET}@127.0.0.1:{closed_port}/d").finding == "port refused"
    monkeypatch.setattr("backend.sources.reaching.socket.getaddrinfo", unknown)
    found = try_source(SETTINGS, f"postgresql://u:{SECRET}@nowhere.invalid/d")
    assert found.finding == "name not resolved"
    assert "nowhere.invalid" in found.said
    assert SECRET not in found.said


def test_a_driver_that_is_not_installed_is_named(monkeypatch):
    monkeypatch.setattr(ServerKind, "is_installed", property(lambda _: False))
    found = try_source(SETTINGS, "postgresql://u@127.0.0.1/d")
    assert (found.finding, "psycopg" in found.said) == ("driver missing", True)


@pytest.fixture(scope="module")
def postgres() -> Iterator[str]:
    host, port = POSTGRES
    try:
        with psycopg.connect(host=host, port=port, user="postgres", dbname="postgres", connect_timeout=3) as admin:
            admin.autocommit = True
            admin.execute("DROP ROLE IF EXISTS reaching_test")
            admin.execute(f"CREATE ROLE reaching_test LOGIN PASSWORD '{SECRET}'")
    except psycopg.Error as fault:
        pytest.skip(f"server: no PostgreSQL that can be set up here ({type(fault).__name__})")
    yield f"postgresql://reaching_test:{SECRET}@{host}:{port}"
    with psycopg.connect(host=host, port=port, user="postgres", dbname="postgres") as admin:
        admin.execute("DROP ROLE reaching_test")


def test_what_a_postgresql_server_says_is_told_apart(postgres):
    assert try_source(SETTINGS, f"{postgres}/no_such_database").finding == "database missing"
    assert try_source(SETTINGS, f"{postgres}/postgres").finding == "nothing to read"
    assert try_source(SETTINGS, f"{postgres}/postgres?sslmode=require").finding in {"TLS", "nothing to read"}
    assert try_source(SETTINGS, f"{postgres}/postgres?sslmode=verify-full&sslrootcert=/nowhere").finding == "TLS"
    wrong = try_source(
        SETTINGS, postgres.replace(f":{SECRET}", ":wrong").replace("reaching_test", "no_such_role") + "/postgres"
    )
    assert wrong.finding == "password"
    assert "wrong@" not in wrong.said


@pytest.fixture(scope="module")
def mariadb() -> Iterator[str]:
    host, port = MARIADB
    try:
        admin = pymysql.connect(host=host, port=port, user="root", connect_timeout=3)
    except pymysql.Error as fault:
        pytest.skip(f"server: no MariaDB that can be set up here ({type(fault).__name__})")
    with closing(admin), admin.cursor() as cursor:
        cursor.execute("DROP USER IF EXISTS 'reaching_test'@'%'")
        cursor.execute(f"CREATE USER 'reaching_test'@'%' IDENTIFIED BY '{SECRET}'")
        cursor.execute("CREATE DATABASE IF NOT EXISTS reaching_test")
        yield f"mysql://reaching_test:{SECRET}@{host}:{port}"
        cursor.execute("DROP DATABASE reaching_test")
        cursor.execute("DROP USER 'reaching_test'@'%'")


def test_what_a_mariadb_server_says_is_told_apart(mariadb):
    wrong = try_source(SETTINGS, mariadb.replace(SECRET, "wrong") + "/reaching_test")
    assert wrong.finding == "password"
    denied = try_source(SETTINGS, f"{mariadb}/reaching_test")
    assert denied.finding == "no right to read"
    assert SECRET not in denied.said + wrong.said
    assert try_source(SETTINGS, f"{mariadb}/information_schema").finding in {"reached", "nothing to read"}
