from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest

from backend.databases import Database, open_database
from tests.backend.databases.resources import child_processes, count_resources, left_since

SCHEMA = """
    CREATE TABLE branches (branch_id INTEGER PRIMARY KEY, city VARCHAR(40) NOT NULL);
    CREATE TABLE accounts (
        account_id INTEGER PRIMARY KEY, branch_id INTEGER REFERENCES branches (branch_id),
        balance DECIMAL(12,2), opened DATE, seen TIMESTAMP, active BOOLEAN, note VARCHAR
    );
    INSERT INTO branches VALUES (1, 'Pune'), (2, 'Mumbai');
    INSERT INTO accounts VALUES
        (1, 1, 1200.50, '2024-01-31', '2024-02-01 10:30:00', TRUE, ''),
        (2, 1, 0.10, '2024-03-01', '2024-03-02 00:00:00', FALSE, NULL),
        (3, 2, -7.25, NULL, NULL, NULL, 'x');
"""


@pytest.fixture
def others() -> set[int]:
    """Processes that banks shared with other tests had started before; ask for it before the bank."""
    return child_processes()


@pytest.fixture
def never() -> threading.Event:
    return threading.Event()


def write_bank(folder: Path, kind: str) -> Path:
    """Build the small bank as `bank.duckdb` or `bank.sqlite`."""
    path = folder / f"bank.{kind}"
    if kind == "duckdb":
        with duckdb.connect(path) as connection:
            connection.execute(SCHEMA)
        return path
    connection = sqlite3.connect(path)
    connection.executescript(SCHEMA)
    connection.close()
    return path


@pytest.fixture
def duckdb_file(tmp_path: Path) -> Path:
    return write_bank(tmp_path, "duckdb")


@pytest.fixture
def sqlite_file(tmp_path: Path) -> Path:
    return write_bank(tmp_path, "sqlite")


@pytest.fixture(params=["duckdb", "sqlite"])
def bank_file(request: pytest.FixtureRequest) -> Path:
    """The same small bank, once in each kind of file."""
    path: Path = request.getfixturevalue(f"{request.param}_file")
    return path


@pytest.fixture
def bank(bank_file: Path) -> Iterator[Database]:
    with open_database(str(bank_file)) as database:
        yield database


@pytest.fixture
def nothing_leaks() -> Iterator[None]:
    """Compare threads, processes and descriptors before and after the test's own databases are closed."""
    before = count_resources()
    yield
    assert left_since(before) == []
