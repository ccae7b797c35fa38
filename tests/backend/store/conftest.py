from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from backend.settings import Settings, read_settings
from backend.store import Store, open_store
from tests.backend.databases.servers.small_bank import own_postgres


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.server)])
def store_url(request: pytest.FixtureRequest) -> str:
    """The address of a store that nobody has opened yet, once of each kind."""
    return str(request.getfixturevalue(f"{request.param}_store_url"))


@pytest.fixture
def sqlite_store_url(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path / 'kept' / 'store.sqlite'}"


@pytest.fixture
def postgresql_store_url(postgres_url: str) -> Iterator[str]:
    with own_postgres(postgres_url, "store") as name:
        yield f"{postgres_url}/{name}"


@pytest.fixture
def store_settings(store_url: str) -> Settings:
    return read_settings(store_url=store_url)


@pytest.fixture
def store(store_settings: Settings) -> Iterator[Store]:
    opened = open_store(store_settings)
    yield opened
    opened.close()
