from __future__ import annotations

import threading

import pytest

from ai_engine.agents import running
from ai_engine.agents.execution_tool import execution_tool_node
from ai_engine.agents.running import run_with_deadline
from ai_engine.errors import QueryFailed, QueryStopped, QueryTimedOut
from ai_engine.state import create_initial_state
from ai_engine.types import CheckedStatement, FurtherRows, QueryResult
from tests.ai_engine.test_graph import FailingRunner, runtime

STATEMENT = CheckedStatement("SELECT 1", "SELECT 1 LIMIT 11", 10)
RESULT = QueryResult(("n",), ("integer",), ((1,),))


class WaitingRunner:
    """Runs until it is told to stop, or answers at once when `answers`."""

    def __init__(self, *, answers: bool = False) -> None:
        self._answers = answers
        self.calls: list[tuple[str, int, float]] = []
        self.ended = threading.Event()

    def run(self, sql: str, *, max_rows: int, timeout_s: float, stop: threading.Event) -> QueryResult:
        self.calls.append((sql, max_rows, timeout_s))
        if self._answers:
            return RESULT
        stop.wait(20)
        self.ended.set()
        raise QueryStopped


class DeafRunner:
    """Neither looks at the time nor at the stop, until the test lets go."""

    def __init__(self) -> None:
        self.let_go = threading.Event()

    def run(self, sql: str, *, max_rows: int, timeout_s: float, stop: threading.Event) -> QueryResult:
        self.let_go.wait(20)
        return RESULT


@pytest.fixture
def short_grace(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(running, "_GRACE_S", 0.2)


def test_the_statement_that_fetches_one_row_more_is_what_runs():
    runner = WaitingRunner(answers=True)
    assert run_with_deadline(runner, STATEMENT, 5.0, threading.Event()) == RESULT
    assert runner.calls == [("SELECT 1 LIMIT 11", 10, 5.0)]


class CannedRunner:
    """Returns the rows it is given, as far as they are asked for."""

    def __init__(self, *rows: tuple[object, ...]) -> None:
        self._rows = rows

    def run(self, sql: str, *, max_rows: int, timeout_s: float, stop: threading.Event) -> QueryResult:
        return QueryResult(("name", "n", "key"), ("text", "integer", "integer"), self._rows[:max_rows])


def ranked(*rows: tuple[object, ...], keys: tuple[int, ...] = (2,)) -> QueryResult:
    statement = CheckedStatement("…", "…", 2, further=FurtherRows(3, keys, added_columns=1))
    return run_with_deadline(CannedRunner(*rows), statement, 5.0, threading.Event())


def test_rows_beyond_a_ranking_are_taken_off_and_those_level_with_its_last_one_counted():
    found = ranked(("a", 1, 9), ("b", 2, 8), ("c", 3, 8), ("d", 4, 7), ("e", 5, 8))
    assert (found.columns, found.rows) == (("name", "n"), (("a", 1), ("b", 2)))
    assert (found.level_rows, found.more_level_rows, found.truncated) == (1, False, False)


def test_as_many_level_rows_as_were_looked_at_may_be_more():
    found = ranked(*[("a", 1, None)] * 5)
    assert (found.row_count, found.level_rows, found.more_level_rows) == (2, 3, True)


def test_a_ranking_with_fewer_rows_than_asked_for_leaves_none_out():
    assert ranked(("a", 1, 9)).level_rows == 0
    assert ranked().level_rows == 0


def test_a_runner_that_forgets_the_time_is_told_to_stop(short_grace):
    runner = WaitingRunner()
    with pytest.raises(QueryTimedOut) as caught:
        run_with_deadline(runner, STATEMENT, 0.1, threading.Event())
    assert caught.value.limit_s == 0.1
    assert runner.ended.is_set()


def test_a_stop_from_outside_ends_the_statement():
    runner, stop = WaitingRunner(), threading.Event()
    threading.Timer(0.1, stop.set).start()
    with pytest.raises(QueryStopped):
        run_with_deadline(runner, STATEMENT, 10.0, stop)
    assert runner.ended.is_set()


def test_nobody_waits_longer_than_the_limit_for_a_deaf_runner(short_grace):
    runner = DeafRunner()
    with pytest.raises(QueryTimedOut):
        run_with_deadline(runner, STATEMENT, 0.1, threading.Event())
    assert not runner.let_go.is_set()
    runner.let_go.set()


def test_the_fault_of_the_runner_reaches_the_caller_unchanged():
    fault = QueryFailed("no such function")
    with pytest.raises(QueryFailed) as caught:
        run_with_deadline(FailingRunner(fault), STATEMENT, 5.0, threading.Event())
    assert caught.value is fault


def test_without_a_statement_the_step_notes_a_failure_and_runs_nothing():
    update = execution_tool_node(create_initial_state("q"), runtime())
    assert update["retry_count"] == 1
    assert "no validated statement" in (update["error_message"] or "")
    assert update["failures"][0].stage == "execution"


def test_a_failure_of_the_database_is_noted_with_the_statement_as_shown():
    update = execution_tool_node({**create_initial_state("q"), "statement": STATEMENT}, runtime())
    (failure,) = update["failures"]
    assert (failure.sql, failure.reason, failure.stage) == ("SELECT 1", "no", "execution")
    assert (update["validated_sql"], update["statement"]) == (None, None)
