from __future__ import annotations

from collections.abc import Iterator

import pytest

from backend.databases import Database, DatabaseLimits, open_database
from tests.backend.databases.resources import count_resources, left_since
from tests.backend.databases.servers.small_bank import NAME, SCHEMA, administer_mariadb, administer_postgres


@pytest.fixture(scope="module")
def postgres_bank(postgres_url: str) -> Iterator[str]:
    administer_postgres(postgres_url, f"DROP DATABASE IF EXISTS {NAME}", f"CREATE DATABASE {NAME}")
    administer_postgres(postgres_url, SCHEMA, database=NAME)
    yield f"{postgres_url}/{NAME}"
    administer_postgres(postgres_url, f"DROP DATABASE {NAME} WITH (FORCE)")


@pytest.fixture(scope="module")
def mariadb_bank(mariadb_url: str) -> Iterator[str]:
    parts = [part for part in SCHEMA.split(";") if part.strip()]
    administer_mariadb(f"DROP DATABASE IF EXISTS {NAME}", f"CREATE DATABASE {NAME}", f"USE {NAME}", *parts)
    yield f"{mariadb_url}/{NAME}"
    administer_mariadb(f"DROP DATABASE {NAME}")


@pytest.fixture(params=["postgres", "mariadb"])
def bank_url(request: pytest.FixtureRequest) -> str:
    url: str = request.getfixturevalue(f"{request.param}_bank")
    return url


@pytest.fixture
def bank(bank_url: str) -> Iterator[Database]:
    """The bank on each server; whatever the test does, nothing may be left of it here or there."""
    open_database(bank_url).close()  # the clients' own first-time files and threads are no leak
    before = count_resources()
    with open_database(bank_url, DatabaseLimits(connections=2)) as database:
        yield database
    assert left_since(before) == []
