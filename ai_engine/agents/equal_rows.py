"""Does the last row shown share its place with rows that are not?

A ranking fetches a few rows beyond its limit, in the same statement. The first of each group are numbered inside their
statement, where nothing lies behind the last one: they alone are asked for once more, with those that are level.
"""

from __future__ import annotations

from ai_engine import guard
from ai_engine.agents.running import run_with_deadline
from ai_engine.errors import IntentNotCovered, QueryFailed, QueryStopped, SqlRejected
from ai_engine.ports import Services
from ai_engine.semantics.compiler import compile_intent
from ai_engine.semantics.intent import Intent
from ai_engine.types import QueryResult

UNKNOWN_WHETHER_EQUAL = "Whether more rows are level with the last ones shown could not be checked."


def said_of_equal_rows(intent: Intent | None, result: QueryResult, services: Services) -> tuple[str, ...]:
    """Say how many rows are level with the last one shown; one sentence or none.

    Args:
        intent: the question, None where a model wrote the statement.
        result: the rows as asked for.
        services: where the first of each group are asked for again.

    Raises:
        QueryStopped: the person who asked wants no more.
    """
    if intent is None or not intent.limit_within:
        return _said(result, intent)
    if intent.limit is None or not intent.order or intent.with_ties or intent.over_groups or result.truncated:
        return ()
    try:
        found = _with_equals(intent, services)
    except QueryStopped:
        raise
    except (IntentNotCovered, SqlRejected, QueryFailed):
        return (UNKNOWN_WHETHER_EQUAL,)
    count = found.row_count - result.row_count
    return (f"{_counted(count, at_least=found.truncated)} level with the last ones shown.",) if count > 0 else ()


def _said(result: QueryResult, intent: Intent | None) -> tuple[str, ...]:
    count, at_least = result.level_rows, result.more_level_rows
    if not count:
        return ()
    said = f"{_counted(count, at_least=at_least)} level with the {'one' if result.row_count == 1 else 'last one'} shown"
    if intent is None or at_least:
        return (f"{said}.",)
    return (f"{said}; ask for the top {intent.skip + result.row_count + count} to see them too.",)


def _counted(count: int, *, at_least: bool) -> str:
    return f"{'At least ' if at_least else ''}{count} more {'row is' if count == 1 else 'rows are'}"


def _with_equals(intent: Intent, services: Services) -> QueryResult:
    """Ask once more, for the first of each group and all that are level with them."""
    asked = intent.model_copy(update={"with_ties": True})
    vocabulary = services.vocabulary
    draft = compile_intent(asked, vocabulary.model, vocabulary.catalogue.dialect, vocabulary.as_of)
    statement = guard.check(draft.sql, vocabulary.catalogue, services.policy, for_answer=True)
    return run_with_deadline(services.runner, statement, services.limits.timeout_s, services.stop)
