"""The accepted fixtures on real PostgreSQL and MariaDB servers, where they answer on loopback."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import psycopg
import pymysql
import pytest

from ai_engine.guard import check
from tests.ai_engine.guard.bank import POLICY, cases, catalogue, require_same_result, rows_of, setup_statements

NAME = f"guard_fixtures_{os.getpid()}"
WRITTEN_FOR_OTHER_SERVERS = {"table names in mixed case"}


@contextmanager
def postgres() -> Iterator[Any]:
    with psycopg.connect("host=127.0.0.1 user=postgres", autocommit=True, connect_timeout=2) as admin:
        admin.execute(f"CREATE DATABASE {NAME}")
        try:
            with psycopg.connect(f"host=127.0.0.1 user=postgres dbname={NAME}", autocommit=True) as bank:
                for statement in setup_statements():
                    bank.execute(statement)
                yield bank
        finally:
            admin.execute(f"DROP DATABASE {NAME} WITH (FORCE)")


@contextmanager
def mysql() -> Iterator[Any]:
    bank = pymysql.connect(host="127.0.0.1", user="root", autocommit=True, connect_timeout=2)
    cursor = bank.cursor()
    cursor.execute(f"CREATE DATABASE {NAME} CHARACTER SET utf8mb4")
    try:
        cursor.execute(f"USE {NAME}")
        for statement in setup_statements():
            cursor.execute(statement)
        yield bank
    finally:
        cursor.execute(f"DROP DATABASE {NAME}")
        bank.close()


@pytest.mark.server
@pytest.mark.parametrize(("dialect", "server"), [("postgres", postgres), ("mysql", mysql)])
def test_accepted_statements_run_and_give_the_rows_of_what_was_written(dialect, server):
    try:
        context = server()
        bank = context.__enter__()
    except (psycopg.OperationalError, pymysql.err.OperationalError) as error:
        if os.environ.get("CI"):
            raise
        pytest.skip(f"no {dialect} server answers on loopback: {error}")
    try:
        for case in [*cases("accepted"), *cases("analyst")]:
            if case.dialect != dialect:
                continue
            checked = check(case.sql, catalogue(dialect), POLICY)
            if case.reason in WRITTEN_FOR_OTHER_SERVERS:
                rows_of(bank, checked.run_sql)
            else:
                require_same_result(bank, case, checked)
    finally:
        context.__exit__(None, None, None)
