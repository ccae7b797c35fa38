"""Beside the fourth step: run a statement, be certain that it ends, and keep the rows that were asked for."""

from __future__ import annotations

import re
import threading
import time
from contextvars import copy_context
from dataclasses import replace
from itertools import takewhile

from ai_engine.errors import QueryFailed, QueryStopped, QueryTimedOut
from ai_engine.ports import EstimatesCost, QueryRunner, Services
from ai_engine.types import CheckedStatement, FirstOfEach, QueryResult, Scalar, ScanEstimate

_GRACE_S = 3.0
_POLL_S = 0.05
_WORD = re.compile(r"\w+")


def run_with_deadline(
    runner: QueryRunner, statement: CheckedStatement, timeout_s: float, stop: threading.Event
) -> QueryResult:
    """Run a statement in a thread of its own and wait for it no longer than the limit.

    The runner ends the statement by itself at the deadline. Should it not, it is told to, so that neither a thread
    nor a statement is left behind.

    Returns:
        The rows that were asked for, and how many of those behind them are level with the last one.

    Raises:
        QueryFailed: whatever kind the runner raised, with the names that the shown statement has too; QueryTimedOut
            past the limit, QueryStopped once `stop` is set.
    """
    own_stop = threading.Event()
    outcome: list[QueryResult | BaseException] = []

    def run() -> None:
        try:
            outcome.append(_asked_rows(runner, statement, timeout_s, own_stop))
        except BaseException as fault:  # noqa: BLE001 - handed to the waiting thread, which raises it
            outcome.append(fault)

    thread = threading.Thread(target=copy_context().run, args=(run,), name="query", daemon=True)
    thread.start()
    timed_out = _wait(thread, timeout_s, stop)
    own_stop.set()
    thread.join(_GRACE_S)
    found = outcome[0] if outcome else None
    if isinstance(found, QueryResult):
        return found
    if stop.is_set():
        raise QueryStopped
    if timed_out or found is None:
        raise QueryTimedOut(timeout_s)
    if isinstance(found, QueryFailed):
        words = set(_WORD.findall(statement.sql.lower()))
        found.names = tuple(name for name in found.names if name.lower() in words)
    raise found


def expected_of(sql: str, services: Services, patience_s: float = 5.0) -> ScanEstimate:
    """Ask the database what it expects of a statement; nothing where it does not tell, or not soon.

    Raises:
        QueryStopped: nobody wants it any more.
    """
    if not isinstance(services.runner, EstimatesCost):
        return ScanEstimate()
    timeout_s = min(patience_s, services.limits.timeout_s)
    try:
        return services.runner.cost(sql, timeout_s=timeout_s, stop=services.stop)
    except QueryStopped:
        raise
    except QueryFailed:
        return ScanEstimate()


def _asked_rows(
    runner: QueryRunner, statement: CheckedStatement, timeout_s: float, stop: threading.Event
) -> QueryResult:
    """Run it; the first of each group come without a look behind them where too many rows are level with the last."""
    began, each = time.monotonic(), statement.first_of_each
    if each is not None:
        found = runner.run(each.sql, max_rows=statement.max_rows, timeout_s=timeout_s, stop=stop)
        if not found.truncated:
            return _first_of_each(found, each)
        timeout_s -= time.monotonic() - began
    further = statement.further.count if statement.further else 0
    found = runner.run(statement.run_sql, max_rows=statement.max_rows + further, timeout_s=timeout_s, stop=stop)
    return _without_further_rows(found, statement)


def _wait(thread: threading.Thread, timeout_s: float, stop: threading.Event) -> bool:
    """Join in short slices; return True when the time ran out."""
    deadline = time.monotonic() + timeout_s + _GRACE_S / 2
    while thread.is_alive() and not stop.is_set():
        if time.monotonic() > deadline:
            return True
        thread.join(_POLL_S)
    return False


def _without_further_rows(found: QueryResult, statement: CheckedStatement) -> QueryResult:
    """Keep the rows that were asked for, and count those behind them that are level with the last one."""
    further, asked = statement.further, statement.max_rows
    if further is None:
        return found
    level: list[tuple[Scalar, ...]] = []
    if 0 < asked < found.row_count:
        last = [found.rows[asked - 1][place] for place in further.keys]
        level = list(takewhile(lambda row: [row[place] for place in further.keys] == last, found.rows[asked:]))
    shown = len(found.columns) - further.added_columns
    return replace(
        found,
        columns=found.columns[:shown],
        types=found.types[:shown],
        rows=tuple(row[:shown] for row in found.rows[:asked]) if further.added_columns else found.rows[:asked],
        truncated=False,
        level_rows=len(level),
        more_level_rows=len(level) == further.count or found.truncated,
    )


def _first_of_each(found: QueryResult, each: FirstOfEach) -> QueryResult:
    """Keep the rows whose number was asked for, and count the others, which are level with the last of their group."""
    numbers = [int(str(row[-1])) for row in found.rows]
    rows = tuple(row[:-1] for row, number in zip(found.rows, numbers, strict=True) if number <= each.last)
    return replace(
        found,
        columns=found.columns[:-1],
        types=found.types[:-1],
        rows=rows,
        level_rows=found.row_count - len(rows),
        more_level_rows=each.last + each.places in numbers,
    )
