from __future__ import annotations

from collections.abc import Iterator

import pytest

from backend.databases import Database, DatabaseLimits, open_database
from tests.ai_engine.scripted_model import write_bank


@pytest.fixture(scope="session", params=["duckdb", "sqlite"])
def bank(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    """The same small bank, once in each kind of file; its one worker would still be busy with what is left running."""
    file = write_bank(tmp_path_factory.mktemp("bank") / f"bank.{request.param}")
    with open_database(str(file), DatabaseLimits(workers=1, memory_mb=512)) as database:
        yield database
