"""What changes during a run."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Annotated, TypedDict

from ai_engine.errors import BadQuestion
from ai_engine.semantics.scope_words import Scope
from ai_engine.types import (
    ChartKind,
    CheckedStatement,
    FailedDraft,
    FirstOfEach,
    Interpretation,
    Limits,
    OtherReading,
    OtherStatement,
    OutputColumn,
    QueryResult,
    Turn,
)
from ai_engine.verified import VerifiedAnswer

MAX_RETRY_COUNT = Limits().max_retries


def _add_timings(earlier: dict[str, float], later: dict[str, float]) -> dict[str, float]:
    return {**earlier, **{step: earlier.get(step, 0.0) + elapsed_ms for step, elapsed_ms in later.items()}}


class BankingAssistantState(TypedDict, total=False):
    """Every field a step may write; a step returns only those it changes.

    `validated_sql` and `statement` are set together by the validation step alone, and cleared together on a failure of
    validation or execution. `other_reading` is what the rules would run, for comparison: `agreed` tells whether it
    gives the same rows, `shown_other` what it gives where it does not. `compiled` tells that no model wrote the
    statement. A run may start with its `interpreted_intent`, or also with its `generated_sql`; nobody has `read_by` it
    then. `error_message` holds the newest failure and is cleared by a success. `retry_count` counts
    failures and only grows.
    """

    user_query: str
    history: tuple[Turn, ...]
    read_by: str
    model_called: bool
    verified: VerifiedAnswer | None
    other_reading: OtherStatement | None
    agreed: bool | None
    shown_other: OtherReading | None
    compiled: bool
    interpreted_intent: Interpretation | None
    generated_sql: str | None
    columns: tuple[OutputColumn, ...]
    ranked_by: int | None
    first_of_each: FirstOfEach | None
    assumptions: tuple[str, ...]
    validated_sql: str | None
    statement: CheckedStatement | None
    execution_result: QueryResult | None
    error_message: str | None
    retry_count: int
    failures: Annotated[tuple[FailedDraft, ...], operator.add]
    scope: Scope
    headline: str
    summary: str | None
    chart_suggestion: ChartKind | None
    timings_ms: Annotated[dict[str, float], _add_timings]


def create_initial_state(
    user_query: str, history: Sequence[Turn] = (), *, max_question_chars: int = Limits().max_question_chars
) -> BankingAssistantState:
    """Start a run with everything unset.

    Raises:
        BadQuestion: the question is empty, or longer than `max_question_chars`.
    """
    question = user_query.strip()
    if not question:
        raise BadQuestion("The question is empty. Type what you would like to know.")
    if len(question) > max_question_chars:
        raise BadQuestion(
            f"The question has {len(question):,} characters; at most {max_question_chars:,} are read. Shorten it."
        )
    return {
        "user_query": question,
        "history": tuple(history),
        "read_by": "",
        "model_called": False,
        "verified": None,
        "other_reading": None,
        "agreed": None,
        "shown_other": None,
        "compiled": False,
        "interpreted_intent": None,
        "generated_sql": None,
        "columns": (),
        "ranked_by": None,
        "first_of_each": None,
        "assumptions": (),
        "validated_sql": None,
        "statement": None,
        "execution_result": None,
        "error_message": None,
        "retry_count": 0,
        "failures": (),
        "scope": Scope(),
        "headline": "",
        "summary": None,
        "chart_suggestion": None,
        "timings_ms": {},
    }


def note_failure(state: BankingAssistantState, failure: FailedDraft) -> BankingAssistantState:
    """Return the update that every failed statement makes: nothing is valid any more, and the budget shrinks by one."""
    return {
        "validated_sql": None,
        "statement": None,
        "error_message": failure.reason,
        "retry_count": state["retry_count"] + 1,
        "failures": (failure,),
    }
