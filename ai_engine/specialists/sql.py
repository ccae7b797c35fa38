"""The agent that answers from the bank's own database: the five-step pipeline, with up to four attempts."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import Any

from ai_engine import main
from ai_engine.agent import (
    Agent,
    AgentError,
    AgentExecutionStatus,
    AgentRequest,
    AgentResult,
    AgentRun,
    Capabilities,
    TabularResult,
    TraceEventType,
    in_thread,
)
from ai_engine.llm.disclosure import kept_back
from ai_engine.ports import InsightTask, Services
from ai_engine.said_scan import said_read
from ai_engine.specialists.earlier import earlier_questions
from ai_engine.trust import said_of_age, said_of_trust
from ai_engine.types import Answer, Status, StepFinished, StepStarted, Turn

_MAX_RETRIES = 3
_REMEMBERED_QUESTIONS = 3
_REMEMBERED_OUTCOMES: dict[str, Status] = {"query": "answered", "clarify": "clarify", "refused": "refused"}
_CLAIMS = {"query": 1.0, "about": 0.9, "clarify": 0.5, "refused": 0.0}
_ERROR_TYPES = {"clarify": "ClarificationNeeded", "refused": "NotUnderstood"}


class SqlAgent(Agent):
    """Writes one read-only statement for a question, has it checked, runs it and tells what the rows say."""

    name = "sql"
    description = (
        "Answers from the bank's own database: figures, lists, rankings, trends and breakdowns of customers, accounts, "
        "transactions and loans. Gives a table."
    )
    capabilities = Capabilities(
        keywords=(
            "table", "tables", "list", "show", "top", "per", "group", "average", "sum", "count", "trend", "breakdown",
            "report",
        ),
        examples=("What are the total deposits by branch?", "List the ten largest loans"),
        works_on="own_data",
        default=True,
        gives=frozenset({"table", "answer"}),
        needs_services=(Services,),
    )  # fmt: skip

    async def run(
        self,
        request: AgentRequest,
        earlier: Sequence[AgentResult],  # noqa: ARG002 - the database needs no other agent
        run: AgentRun,
    ) -> AgentResult:
        """Answer one question; each attempt is one event."""
        given = run.service(Services)
        limits = replace(
            given.limits,
            max_retries=_MAX_RETRIES,
            timeout_s=min(given.limits.timeout_s, max(run.deadline - time.monotonic(), 0.1)),
        )
        answer = await in_thread(_ask, request, replace(given, limits=limits, stop=run.stop), run)
        return _result(answer, run, may_leave=_may_leave(answer, given))

    def claim(self, part: str, run: AgentRun) -> float | None:
        """Read the part by rule, where it is rules that will answer it."""
        services = run.service(Services)
        if run.model is not None:
            return None
        return _CLAIMS[services.model.interpret(part, (), services.vocabulary, stop=run.stop).outcome]


def _history(request: AgentRequest, services: Services) -> tuple[Turn, ...]:
    """Read the latest earlier questions again, each in the light of those before it."""
    turns: list[Turn] = []
    for question in earlier_questions(request)[-_REMEMBERED_QUESTIONS:]:
        reading = services.model.interpret(question, tuple(turns), services.vocabulary, stop=services.stop)
        if reading.outcome in _REMEMBERED_OUTCOMES:
            outcome = _REMEMBERED_OUTCOMES[reading.outcome]
            turns.append(
                Turn(question, reading.restatement, reading.intent, outcome, reading.assumptions, reading.choices)
            )
    return tuple(turns)


def _ask(request: AgentRequest, services: Services, run: AgentRun) -> Answer:
    """Run the pipeline; tell how the question was read, and of each attempt how it ended."""
    started, sql = time.perf_counter(), None
    for event in main.stream(request.question, services=services, history=_history(request, services)):
        if isinstance(event, Answer):
            if services.count is not None:
                services.count(event)
            return event
        if isinstance(event, StepStarted) and event.step == "sql_agent":
            started, sql = time.perf_counter(), None
        elif isinstance(event, StepFinished):
            sql = event.sql or sql
            _tell(replace(event, sql=sql), (time.perf_counter() - started) * 1_000, run)
    raise AssertionError("stream ends with the answer")


def _tell(step: StepFinished, elapsed_ms: float, run: AgentRun) -> None:
    attempt: dict[str, Any] = {"attempt": step.attempt, "query": step.sql, "latency_ms": round(elapsed_ms, 3)}
    if step.step == "intent_agent":
        run.tell(TraceEventType.MESSAGE, step.note)
    elif step.failed:
        run.tell(TraceEventType.ERROR, "SQL agent attempt failed", **attempt, error=step.note)
    elif step.step == "execution_tool":
        run.tell(TraceEventType.TOOL, "SQL agent attempt succeeded", **attempt, row_count=step.row_count)


def _said_of_rows(answer: Answer) -> list[str]:
    """Say what a reader has to know before using the rows: of when they are, what a model's own statement rests on."""
    said = (said_of_age(answer), said_of_trust(answer) if answer.trust == "free SQL" else "")
    return [sentence for sentence in said if sentence]


def _may_leave(answer: Answer, services: Services) -> bool:
    """Tell whether a language model may see every cell, and so the words in which they are told."""
    if answer.result is None or answer.sql is None:
        return True
    task = InsightTask(answer.question, answer.restatement, answer.sql, answer.result, answer.columns)
    return not kept_back(task, services.vocabulary, services.send_rows)


def _result(answer: Answer, run: AgentRun, *, may_leave: bool) -> AgentResult:
    if answer.status != "answered":
        kind = _ERROR_TYPES.get(answer.status) or answer.error_kind or "QueryError"
        details: dict[str, Any] = {
            "choices": list(answer.choices),
            "suggestions": list(answer.suggestions),
            "attempts": [{"query": draft.sql, "error": draft.reason} for draft in answer.failures],
        }
        error = AgentError(
            message=answer.error or "", type=kind, details={key: value for key, value in details.items() if value}
        )
        return AgentResult(agent=run.agent, status=AgentExecutionStatus.failed, error=error)
    run.tell(
        TraceEventType.RESULT,
        answer.summary,
        query=answer.sql,
        restatement=answer.restatement,
        headline=answer.headline,
        period=answer.period,
        scope=answer.scope,
        things=answer.things,
        expected_scan=said_read(answer.result.expected) if answer.result and answer.result.expected else "",
        assumptions=[*answer.assumptions, *_said_of_rows(answer)],
        chart=answer.chart if answer.result else None,
        may_leave=may_leave,
        truncated=bool(answer.result and answer.result.truncated),
        units={column.name: column.unit for column in answer.columns if column.unit},
        columns=[asdict(column) for column in answer.columns],
        types=list(answer.result.types) if answer.result else [],
    )
    table = TabularResult.of_rows(answer.result.columns, answer.result.rows) if answer.result else None
    return AgentResult(
        agent=run.agent, status=AgentExecutionStatus.succeeded, answer=answer.summary or None, tabular=table
    )
