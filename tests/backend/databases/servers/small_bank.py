"""One small bank on PostgreSQL and MariaDB, and how tests reach it."""

from __future__ import annotations

import contextlib
import os
import threading
import uuid
from collections.abc import Iterator

import psycopg
import pymysql

NAME = f"bank_runner_{os.getpid()}"
SCHEMA = """
    CREATE TABLE branches (branch_id INTEGER PRIMARY KEY, city VARCHAR(40) NOT NULL UNIQUE);
    CREATE TABLE accounts (
        account_id INTEGER PRIMARY KEY, branch_id INTEGER, balance DECIMAL(12,2), opened DATE, active BOOLEAN,
        note VARCHAR(40), FOREIGN KEY (branch_id) REFERENCES branches (branch_id)
    );
    INSERT INTO branches VALUES (1, 'Pune'), (2, 'Mumbai');
    INSERT INTO accounts VALUES (1, 1, 1200.50, '2024-01-31', TRUE, ''), (2, 2, 0.10, NULL, NULL, NULL);
"""


def administer_postgres(url: str, *statements: str, database: str = "postgres") -> list[tuple]:
    with psycopg.connect(f"{url.replace('+psycopg', '')}/{database}", autocommit=True) as connection:
        cursor = None
        for statement in statements:
            cursor = connection.execute(statement)
        return cursor.fetchall() if cursor is not None and cursor.description else []


@contextlib.contextmanager
def own_postgres(url: str, prefix: str) -> Iterator[str]:
    """Make a database of its own for a test; gives its name."""
    name = f"{prefix}_{uuid.uuid4().hex[:12]}"
    administer_postgres(url, f"CREATE DATABASE {name}")
    try:
        yield name
    finally:
        administer_postgres(url, f"DROP DATABASE {name} WITH (FORCE)")


def administer_mariadb(*statements: str) -> tuple:
    with contextlib.closing(pymysql.connect(host="127.0.0.1", user="root", autocommit=True)) as connection:
        cursor = connection.cursor()
        for statement in statements:
            cursor.execute(statement)
        return cursor.fetchall()


def run(database, sql, *, max_rows=100, timeout_s=20.0, stop=None):
    return database.runner.run(sql, max_rows=max_rows, timeout_s=timeout_s, stop=stop or threading.Event())
