"""Runs the statements that are known to be right; they come from the file's author, so no guard looks at them."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from dataclasses import dataclass

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from ai_engine.catalogue import Dialect
from ai_engine.errors import QueryFailed
from ai_engine.ports import QueryRunner
from ai_engine.types import QueryResult

_CLOCKS = {"'now'": 19, "CURRENT_TIMESTAMP": 19, "CURRENT_DATE": 10}
_CLOCK = re.compile(r"'now'|\bCURRENT_TIMESTAMP\b|\bCURRENT_DATE\b", re.IGNORECASE)
_CLOCK_BY_DEFAULT = re.compile(r"\b(date|datetime)\(\s*\)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class GoldResult:
    """The right rows; `ordered` when the statement says in which order they come."""

    result: QueryResult
    ordered: bool


def run_golds(
    statements: tuple[str, ...], runner: QueryRunner, dialect: Dialect, *, clock: str, max_rows: int, timeout_s: float
) -> Iterator[GoldResult]:
    """Run one statement after the other, as far as the caller asks; one that fails or has too many rows is left out.

    Args:
        clock: "YYYY-MM-DD hh:mm:ss", which stands for the time of the call in every statement.
    """
    for statement in statements:
        try:
            result = runner.run(at(statement, clock), max_rows=max_rows, timeout_s=timeout_s, stop=threading.Event())
        except QueryFailed:
            continue
        if not result.truncated:
            yield GoldResult(result, is_ordered(statement, dialect))


def at(statement: str, clock: str) -> str:
    """Let a statement run as if it were called at another time."""
    frozen = _CLOCK.sub(lambda word: f"'{clock[: _CLOCKS.get(word[0], _CLOCKS.get(word[0].upper(), 19))]}'", statement)
    return _CLOCK_BY_DEFAULT.sub(lambda call: f"{call[1]}('{clock}')", frozen)


def is_ordered(statement: str, dialect: Dialect) -> bool:
    """Tell whether a statement orders its rows, and not only those of a part of it.

    A statement that cannot be read counts as unordered, the milder judgement.
    """
    try:
        tree = sqlglot.parse_one(statement, read=dialect)
    except (SqlglotError, RecursionError):
        return False
    return isinstance(tree, exp.Query) and tree.args.get("order") is not None
