"""The sample bank in PostgreSQL."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import duckdb
import pytest
import sqlalchemy as sa

from data.build_sample_bank import build_in_server, main
from data.load.postgresql import CannotBuild
from data.schema import TABLES
from tests.data.conftest import AS_OF_DATES, SCALE
from tests.data.test_build import rows

pytestmark = pytest.mark.server


@pytest.fixture
def database(postgres_url: str) -> Iterator[str]:
    """The URL of a new, empty database, dropped afterwards."""
    name = f"sample_bank_{uuid4().hex}"
    server = sa.create_engine(f"{postgres_url}/postgres", isolation_level="AUTOCOMMIT")
    with server.connect() as connection:
        connection.exec_driver_sql(f"CREATE DATABASE {name}")
        yield f"{postgres_url}/{name}"
        connection.exec_driver_sql(f"DROP DATABASE {name} WITH (FORCE)")
    server.dispose()


@pytest.fixture
def connection(database: str) -> Iterator[sa.Connection]:
    engine = sa.create_engine(database)
    with engine.connect() as connection:
        yield connection
    engine.dispose()


def test_postgresql_holds_the_same_rows_as_duckdb(database: str, connection: sa.Connection, bank_file: Path) -> None:
    for _ in range(2):  # the second build replaces the first
        build_in_server(database, as_of=AS_OF_DATES[0], scale=SCALE)
    driver = connection.connection.driver_connection
    with duckdb.connect(bank_file, read_only=True) as expected:
        for table in TABLES:
            assert rows(driver, table) == rows(expected, table), table.name


def test_postgresql_declares_the_foreign_keys(database: str, connection: sa.Connection) -> None:
    build_in_server(database, as_of=AS_OF_DATES[0], scale=0.001)
    inspector = sa.inspect(connection)
    for table in TABLES:
        found = {
            (key["constrained_columns"][0], key["referred_table"], key["referred_columns"][0])
            for key in inspector.get_foreign_keys(table.name)
        }
        assert found == set(table.foreign_keys)


@pytest.mark.parametrize("theirs", ["ledger", "accounts", "bank_info"])
def test_a_database_with_other_tables_is_left_alone(database: str, connection: sa.Connection, theirs: str) -> None:
    connection.exec_driver_sql(f"CREATE TABLE {theirs} AS SELECT 'A real bank' AS bank_name")
    connection.commit()
    with pytest.raises(CannotBuild, match=theirs):
        build_in_server(database, as_of=AS_OF_DATES[0], scale=0.001)
    assert sa.inspect(connection).get_table_names() == [theirs]
    assert connection.exec_driver_sql(f"SELECT bank_name FROM {theirs}").scalar() == "A real bank"


def test_a_database_that_cannot_be_reached_is_one_line_and_exit_status_1(
    postgres_url: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["--engine", f"{postgres_url}/no_such_database", "--scale", "0.001"]) == 1
    assert "no_such_database" in capsys.readouterr().err
