"""Fourth step: run the statement, and be certain that it ends."""

from __future__ import annotations

import threading
import time

from langgraph.runtime import Runtime

from ai_engine.errors import DatabaseBusy, DatabaseUnavailable, QueryFailed, QueryStopped, QueryTimedOut
from ai_engine.ports import QueryRunner, Services
from ai_engine.state import BankingAssistantState, note_failure
from ai_engine.types import CheckedStatement, FailedDraft, QueryResult

_GRACE_S = 3.0
_POLL_S = 0.05


def execution_tool_node(state: BankingAssistantState, runtime: Runtime[Services]) -> BankingAssistantState:
    """Fetch the rows, or note what the database said."""
    services = runtime.context
    statement = state["statement"]
    if statement is None:
        failure = FailedDraft(
            None,
            "there is no validated statement to run",
            QueryFailed.user_message,
            stage="execution",
            error_kind=QueryFailed.__name__,
        )
        return note_failure(state, failure)
    try:
        result = run_with_deadline(services.runner, statement, services.limits.timeout_s, services.stop)
    except (QueryStopped, DatabaseBusy, DatabaseUnavailable):
        raise  # writing the statement another way cannot help
    except QueryFailed as fault:
        failure = FailedDraft(
            statement.sql, str(fault), fault.user_message, stage="execution", error_kind=type(fault).__name__
        )
        return note_failure(state, failure)
    return {"execution_result": result, "error_message": None}


def run_with_deadline(
    runner: QueryRunner, statement: CheckedStatement, timeout_s: float, stop: threading.Event
) -> QueryResult:
    """Run a statement in a thread of its own and wait for it no longer than the limit.

    The runner ends the statement by itself at the deadline. Should it not, it is told to, so that neither a thread
    nor a statement is left behind.

    Raises:
        QueryFailed: whatever kind the runner raised; QueryTimedOut past the limit, QueryStopped once `stop` is set.
    """
    own_stop = threading.Event()
    outcome: list[QueryResult | BaseException] = []

    def run() -> None:
        try:
            outcome.append(
                runner.run(statement.run_sql, max_rows=statement.max_rows, timeout_s=timeout_s, stop=own_stop)
            )
        except BaseException as fault:  # noqa: BLE001 - handed to the waiting thread, which raises it
            outcome.append(fault)

    thread = threading.Thread(target=run, name="query", daemon=True)
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
    raise found


def _wait(thread: threading.Thread, timeout_s: float, stop: threading.Event) -> bool:
    """Join in short slices; return True when the time ran out."""
    deadline = time.monotonic() + timeout_s + _GRACE_S / 2
    while thread.is_alive() and not stop.is_set():
        if time.monotonic() > deadline:
            return True
        thread.join(_POLL_S)
    return False
