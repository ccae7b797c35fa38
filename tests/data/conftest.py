"""Small sample banks, and a way to ask them for what must not exist."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import date
from pathlib import Path
from typing import Any

import duckdb
import pytest

from data.build_sample_bank import build

SCALE = 0.02
# An ordinary day, a month end on which interest is credited, a leap day.
AS_OF_DATES = (date(2026, 11, 21), date(2026, 9, 30), date(2028, 2, 29))

Ask = Callable[[str], list[tuple[Any, ...]]]


@pytest.fixture(scope="session", params=AS_OF_DATES, ids=str)
def ask(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ask]:
    """Runs SQL on a bank of 240 customers, one bank per as-of date, and returns the rows."""
    file = build(tmp_path_factory.mktemp("bank") / "bank.duckdb", as_of=request.param, scale=SCALE)
    with duckdb.connect(file, read_only=True) as connection:
        yield lambda sql: connection.execute(sql).fetchall()


@pytest.fixture(scope="session")
def bank_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A DuckDB file of 240 customers as of the first date; read it only."""
    return build(tmp_path_factory.mktemp("bank") / "bank.duckdb", as_of=AS_OF_DATES[0], scale=SCALE)
