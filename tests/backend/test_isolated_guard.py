from __future__ import annotations

import os
import time
from dataclasses import dataclass

import pytest

from ai_engine.catalogue import Catalogue, Column, Table
from ai_engine.errors import SqlRejected
from ai_engine.guard.policy import Policy
from backend.command_line.isolated_guard import IsolatedGuard


@dataclass(frozen=True)
class Trap(Catalogue):
    """A catalogue in which looking up some tables hangs, kills the process or breaks."""

    def tables_called(self, name: str) -> tuple[Table, ...]:
        if name == "hangs":
            time.sleep(600)
        if name == "kills":
            os._exit(1)
        if name == "breaks":
            raise ZeroDivisionError
        return super().tables_called(name)


TABLES = tuple(Table(name, (Column("a", "integer"),)) for name in ("calm", "hangs", "kills", "breaks"))


@pytest.fixture(scope="module")
def isolated():
    with IsolatedGuard(Trap("duckdb", TABLES), Policy(), limit_s=1.5) as guard:
        guard.check("SELECT a FROM calm")
        yield guard


@pytest.mark.parametrize(
    ("table", "reason"), [("hangs", "within 1.5 s"), ("kills", "broke down"), ("breaks", "cannot be judged")]
)
def test_a_guard_that_fails_refuses_and_judges_the_next_statement(isolated, table, reason):
    with pytest.raises(SqlRejected, match=reason):
        isolated.check(f"SELECT a FROM {table}")
    assert isolated.check("SELECT a FROM calm").sql.startswith("SELECT")


def test_a_refusal_keeps_its_reason(isolated):
    with pytest.raises(SqlRejected, match="calm"):
        isolated.check("SELECT a FROM clam")


def test_text_that_is_no_text_is_refused(isolated):
    with pytest.raises(SqlRejected):
        isolated.check("SELECT '\ud800' FROM calm")
