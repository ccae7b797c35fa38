"""Fourth step: run the statement."""

from __future__ import annotations

from dataclasses import replace

from langgraph.runtime import Runtime

from ai_engine import guard
from ai_engine.agents.narrower_questions import with_narrower_questions
from ai_engine.agents.running import run_with_deadline
from ai_engine.agents.second_reading import compared
from ai_engine.errors import DatabaseBusy, DatabaseUnavailable, QueryFailed, QueryStopped, ScanTooLarge, SqlRejected
from ai_engine.guard.refusal import nearest_names
from ai_engine.guard.tables import readable_names
from ai_engine.ports import Services
from ai_engine.state import BankingAssistantState, note_failure
from ai_engine.types import CheckedStatement, FailedDraft, QueryResult

_COUNTING_S = 5.0


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
        result = with_total(result, statement, services)
        compared_with_other = compared(state, result, services)
    except ScanTooLarge as refusal:
        raise with_narrower_questions(
            refusal, state, services
        ) from None  # another statement would be no other question
    except (QueryStopped, DatabaseBusy, DatabaseUnavailable):
        raise  # writing the statement another way cannot help
    except QueryFailed as fault:
        reason = _with_nearest_names(fault, services)
        failure = FailedDraft(
            statement.sql, reason, fault.user_message, stage="execution", error_kind=type(fault).__name__
        )
        return note_failure(state, failure)
    return {"execution_result": result, "error_message": None} | compared_with_other


def _with_nearest_names(fault: QueryFailed, services: Services) -> str:
    """Tell a fault as the guard tells its refusals: what the database does not know beside what there is."""
    known = dict.fromkeys(readable_names(services.vocabulary.catalogue, services.policy))
    known_lower = {name.lower() for name in known}
    strange = [name for name in fault.names if name.lower() not in known_lower]
    nearest = dict.fromkeys(near for name in strange for near in nearest_names(name, known))
    return f"{fault}; nearest: {', '.join(nearest)}" if nearest else str(fault)


def with_total(result: QueryResult, statement: CheckedStatement, services: Services) -> QueryResult:
    """Count the rows of a list that was cut off, in a statement of its own; not known is not known.

    Raises:
        QueryStopped: the person who asked wants no more.
    """
    if not result.truncated:
        return replace(result, total_rows=result.row_count) if result.row_count < statement.max_rows else result
    if statement.groups:
        return result
    catalogue, timeout_s = services.vocabulary.catalogue, min(_COUNTING_S, services.limits.timeout_s)
    try:
        counting = guard.check(guard.count_of(statement.sql, catalogue.dialect), catalogue, services.policy)
        ((total,),) = run_with_deadline(services.runner, counting, timeout_s, services.stop).rows
    except QueryStopped:
        raise
    except (SqlRejected, QueryFailed):
        return result
    return replace(result, total_rows=int(str(total)))
