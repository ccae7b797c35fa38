from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest

from backend.databases import Database, DatabaseLimits, open_database
from backend.databases.server_kinds import SERVER_KINDS
from tests.backend.databases.conftest import SCHEMA
from tests.backend.databases.spoken_data import SCHEMA as SPOKEN
from tests.trino_server import Behaviour, Coordinator, serving_trino

PAGE_ROWS = 100
LIMITS = DatabaseLimits(connections=2, connect_timeout_s=30.0, max_result_mb=8)


@pytest.fixture(scope="session")
def trino_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A DuckDB file that a loopback server can stand before; skips where the client is not installed."""
    if not SERVER_KINDS["trino"].is_installed:
        pytest.skip("the package trino is not installed (make install-engines)")
    file = tmp_path_factory.mktemp("trino") / "bank.duckdb"
    with duckdb.connect(file) as connection:
        connection.execute(f"{SCHEMA}; {SPOKEN}")
        connection.execute("CREATE TABLE many AS SELECT range AS n, repeat('x', 100) AS text FROM range(50000)")
        connection.execute("CREATE VIEW rich AS SELECT * FROM accounts WHERE balance > 1000")
        connection.execute("COMMENT ON TABLE branches IS 'Where people go'")
        connection.execute("COMMENT ON COLUMN branches.city IS 'Town'")
    return file


@pytest.fixture(scope="module")
def served(trino_file: Path) -> Iterator[tuple[str, Coordinator]]:
    partitions = {"accounts": "month(opened)"}
    with serving_trino(trino_file, Behaviour(page_rows=PAGE_ROWS), partitions=partitions) as found:
        yield found


@pytest.fixture
def coordinator(served: tuple[str, Coordinator]) -> Coordinator:
    return served[1]


@pytest.fixture(scope="module")
def bank(served: tuple[str, Coordinator]) -> Iterator[Database]:
    with open_database(served[0], LIMITS) as opened:
        yield opened
