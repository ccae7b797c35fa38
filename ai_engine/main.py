"""Ask one question: as a stream of events, or as the documented dictionary."""

from __future__ import annotations

import logging
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from itertools import chain
from typing import Any

from ai_engine.agents.running import expected_of
from ai_engine.agents.settled import settled_state
from ai_engine.errors import AssistantError, QueryStopped, ScanTooLarge
from ai_engine.graph import build_graph
from ai_engine.insight.chart_wishes import Wish, drawn_as, part_wish
from ai_engine.model_use import ModelUse, model_use
from ai_engine.ports import Services
from ai_engine.progress import describe_step, line_of
from ai_engine.run_log import log_answer, new_question_id, question_id
from ai_engine.semantics.intent import Intent
from ai_engine.semantics.vocabulary import Vocabulary
from ai_engine.semantics.words import words
from ai_engine.state import BankingAssistantState, create_initial_state
from ai_engine.tie_out import can_be_tied_out, tied_out
from ai_engine.turns import SEE_THE_REST
from ai_engine.types import (
    Answer,
    CheckedStatement,
    Event,
    FailedDraft,
    Interpretation,
    QueryResult,
    ResultReady,
    StepFinished,
    StepName,
    StepStarted,
    SummaryGrew,
    Trust,
    Turn,
)
from ai_engine.untraced import untraced

_log = logging.getLogger(__name__)
_NOTE_S = 1.0
"""A note below the statement is not worth a longer wait."""
_TIMING_NAMES: dict[StepName, str] = {
    "intent_agent": "intent",
    "sql_agent": "sql",
    "validation_agent": "validation",
    "execution_tool": "execution",
    "insight_agent": "insight",
}


def stream(
    user_query: str,
    *,
    services: Services,
    history: Sequence[Turn] = (),
    reading: Intent | str | None = None,
    assumptions: Sequence[str] = (),
    derived_from: str = "",
) -> Iterator[Event]:
    """Yield each step as it starts and ends, and the Answer last; never raises.

    Where the services say that the summary follows, a ResultReady comes before a language model is asked for it, and
    another before figures by group are held against their totals.

    Args:
        user_query: the question; with a `reading`, what it is called by.
        services: what the run is given.
        history: what the question may refer to.
        reading: a structured question, or a statement that runs as it is; the question is not read then.
        assumptions: what was assumed with that reading.
        derived_from: id of the question whose answer the reading was made of.
    """
    started = time.perf_counter()
    question_id.set(services.question_id or new_question_id())
    use = ModelUse(services.limits.model_total_timeout_s, keeps_texts=services.keep_model_texts)
    model_use.set(use)
    state: BankingAssistantState = {"user_query": user_query.strip()[: services.limits.max_question_chars]}
    error: AssistantError | None = None
    wish: Wish | None = None

    def answer_of(state: BankingAssistantState) -> Answer:
        answer = _answer(state, services, error, total_ms=(time.perf_counter() - started) * 1_000)
        alone = answer.stands_alone and reading is None
        answer = replace(answer, model_calls=use.calls, stands_alone=alone, derived_from=derived_from)
        question = user_query.strip()[: services.limits.max_question_chars]
        return drawn_as(answer, question, wish) if wish is not None else answer

    try:
        asked, wish = part_wish(user_query, is_named=partial(_is_named, services.vocabulary))
        state = create_initial_state(asked, history, max_question_chars=services.limits.max_question_chars)
        if reading is not None:
            state = {**state, **settled_state(reading, assumptions, services)}
        attempts: Counter[StepName] = Counter()
        chunks: Iterator[Any] = build_graph().stream(
            state,
            context=services,
            stream_mode=["tasks", "values", "custom"],
            config={"recursion_limit": 10 + 3 * services.limits.max_retries},
        )
        with untraced():
            for mode, chunk in chunks:
                if mode == "values":
                    state = chunk
                elif mode == "custom":
                    yield SummaryGrew(chunk) if isinstance(chunk, str) else ResultReady(answer_of({**state, **chunk}))
                elif "input" in chunk:
                    attempts[chunk["name"]] += 1
                    yield StepStarted(chunk["name"], attempts[chunk["name"]])
                elif not chunk["error"]:
                    yield describe_step(chunk["name"], attempts[chunk["name"]], chunk["result"])
    except AssistantError as known:
        error = known
    except Exception as unexpected:  # noqa: BLE001 - the caller is promised an answer, whatever happens
        _log.exception("unexpected error while answering")
        error = AssistantError(f"{type(unexpected).__name__}: {unexpected}")
    finally:
        model_use.set(None)  # what is asked next in this thread is no part of this question
    answer = answer_of(state)
    answer = _with_expected(answer, state, services)
    if services.tie_out and can_be_tied_out(answer, services):
        if services.summary_follows:
            yield ResultReady(answer, summary_follows=False)
        answer = replace(answer, tie_out=tied_out(answer, services))
    log_answer(answer, texts=services.log_texts)
    if services.record is not None:
        services.record(answer)
    yield answer


def _with_expected(answer: Answer, state: BankingAssistantState, services: Services) -> Answer:
    """Add what the database had expected to read: asked when the rows are there, where no bound had it asked before."""
    result, statement = answer.result, state.get("statement")
    if result is None or statement is None or result.expected is not None or result.ran_at:
        return answer
    try:
        expected = expected_of(statement.run_sql, services, _NOTE_S)
    except QueryStopped:
        return answer
    return replace(answer, result=replace(result, expected=expected))


def _is_named(vocabulary: Vocabulary, word: str) -> bool:
    """Whether a table or a column bears a word in its name."""
    datasets = vocabulary.model.datasets
    labels = chain((table.label for table in datasets), (column.label for table in datasets for column in table.fields))
    return any(word in words(label) for label in labels)


def ask(user_query: str, *, services: Services, history: Sequence[Turn] = ()) -> Answer:
    """Return the answer alone."""
    *_, answer = stream(user_query, services=services, history=history)
    assert isinstance(answer, Answer), "stream ends with the answer"  # noqa: S101
    return answer


def run_banking_assistant(user_query: str, verbose: bool = True, *, services: Services) -> dict[str, Any]:
    """Answer as `format_output` documents; prints the steps when `verbose`. Never raises."""
    answer: Answer | None = None
    for event in stream(user_query, services=services):
        if isinstance(event, Answer):
            answer = event
        elif verbose and isinstance(event, (StepStarted, StepFinished)):
            print(line_of(event))
    assert answer is not None, "stream ends with the answer"  # noqa: S101
    if verbose:
        print(answer.summary or answer.error)
    return format_output(answer)


def format_output(answer: Answer) -> dict[str, Any]:
    """Reduce an answer to the documented dictionary.

    Returns:
        `validated_sql`, `execution_result` ({`rows`: one dictionary per row, `row_count`, `total_rows`,
        `execution_time_seconds`, `truncated`}, {`error`} when the database failed, or None when nothing ran),
        `summary`, `chart_suggestion` and `error`.
    """
    execution_result: dict[str, Any] | None = None
    if answer.result is not None:
        execution_result = {
            "rows": [dict(zip(answer.result.columns, row, strict=True)) for row in answer.result.rows],
            "row_count": answer.result.row_count,
            "total_rows": answer.result.total_rows,
            "execution_time_seconds": answer.result.elapsed_ms / 1_000,
            "truncated": answer.result.truncated,
        }
    elif answer.failures and answer.failures[-1].stage == "execution":
        execution_result = {"error": answer.failures[-1].reason}
    return {
        "validated_sql": answer.sql,
        "execution_result": execution_result,
        "summary": answer.summary or None,
        "chart_suggestion": answer.chart if answer.result is not None else None,
        "error": answer.error,
    }


def _answer(
    state: BankingAssistantState, services: Services, error: AssistantError | None, *, total_ms: float
) -> Answer:
    interpretation = state.get("interpreted_intent")
    failures = state.get("failures", ())
    timings = {_TIMING_NAMES[step]: elapsed_ms for step, elapsed_ms in state.get("timings_ms", {}).items()}  # type: ignore[index]
    common: dict[str, Any] = {
        "question": state["user_query"],
        "model": state.get("read_by") or services.model.name,
        "stands_alone": not state.get("history"),
        "failures": failures,
        "question_id": question_id.get(),
        "answered_at": datetime.now(UTC),
        "as_of": services.vocabulary.as_of,
        "timings_ms": {**dict.fromkeys(_TIMING_NAMES.values(), 0.0), **timings, "total": total_ms},
    }
    if interpretation is not None:
        common |= {
            "restatement": interpretation.restatement,
            "intent": interpretation.intent,
            "meanings": interpretation.meanings,
            "assumptions": state.get("assumptions", ()),
        }
    if error is None and interpretation is not None and interpretation.outcome != "query":
        return _answer_without_sql(interpretation, common)
    if isinstance(error, ScanTooLarge):
        return Answer(
            status="refused", sql=state.get("validated_sql"), error=error.user_message, suggestions=error.suggestions,
            **common,
        )  # fmt: skip
    if error is not None or state.get("summary") is None:
        message, kind = _reason_of_failure(error, failures)
        return Answer(status="failed", sql=state.get("validated_sql"), error=message, error_kind=kind, **common)
    statement, result = state["statement"], state["execution_result"]
    notes = (said_of_limit(result, statement),) if statement and result and result.truncated else ()
    return Answer(
        status="answered",
        sql=state["validated_sql"],
        result=result,
        columns=state["columns"],
        headline=state["headline"],
        trust=_trust(state),
        verified=None if failures else state["verified"],
        other_reading=state["shown_other"],
        period=state["scope"].period,
        scope=state["scope"].heading,
        things=state["scope"].things,
        summary=state["summary"] or "",
        chart=state["chart_suggestion"] or "table",
        **{**common, "assumptions": (*common["assumptions"], *notes)},
    )


def _trust(state: BankingAssistantState) -> Trust:
    """Say what a figure rests on."""
    if state["verified"] is not None and not state["failures"]:
        return "verified"
    if not state["compiled"]:
        return "free SQL" if state["read_by"] else "given SQL"
    return "agreed" if state["agreed"] else "compiled"


def said_of_limit(result: QueryResult, statement: CheckedStatement) -> str:
    """Say which part of a result that a limit of ours cut off is here."""
    kind = "group" if statement.groups else "row"
    total = f" of {result.total_rows:,}" if result.total_rows is not None else ""
    more = "" if total else "; there are more"
    return f"The first {result.row_count:,}{total} {kind}s were fetched{more}. {SEE_THE_REST}"


def _reason_of_failure(error: AssistantError | None, failures: Sequence[FailedDraft]) -> tuple[str, str]:
    """Return the text for people and the error's class: of what ended the run, else of the last failed statement."""
    if error is not None:
        return error.user_message, type(error).__name__
    if failures:
        return failures[-1].user_message, failures[-1].error_kind
    return AssistantError.user_message, AssistantError.__name__


def _answer_without_sql(interpretation: Interpretation, common: dict[str, Any]) -> Answer:
    """The reading itself ended the run: a refusal, a question back, or an answer about the data."""
    if interpretation.outcome == "about":
        return Answer(status="answered", summary=interpretation.reply, suggestions=interpretation.suggestions, **common)
    return Answer(
        status="clarify" if interpretation.outcome == "clarify" else "refused",
        error=interpretation.reply,
        choices=interpretation.choices,
        suggestions=interpretation.suggestions,
        unplaced=interpretation.unplaced,
        **common,
    )
