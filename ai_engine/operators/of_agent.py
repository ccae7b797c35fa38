"""An agent as an operator: what it is given, what is told of its work, and what is made of its result, in one place."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, ClassVar

from ai_engine.agent import (
    Agent,
    AgentExecutionStatus,
    AgentRequest,
    AgentResult,
    TabularResult,
    TraceEvent,
    TraceEventType,
)
from ai_engine.agent_call import Caller, call_agent
from ai_engine.agent_results import described, rows_may_leave
from ai_engine.events import EventType
from ai_engine.json_values import any_to_json
from ai_engine.operators.base import BaseOperator, OperatorContext, OperatorFailed, OperatorResult, OperatorType
from ai_engine.operators.parameters import Schema
from ai_engine.specialists.earlier import EARLIER_QUESTIONS
from ai_engine.tools import ContentType, Tools

RECENT = "conversation.recent(6)"
RESULTS = "results.all"
TABLE_SCHEMA: Schema = {
    "type": ["object", "null"],
    "description": "Rows found before, as the output of a step that has columns and rows; null: those of this turn",
    "properties": {
        "columns": {"type": "array", "items": {"type": "string"}},
        "rows": {"type": "array", "items": {"type": ["object", "array"]}},
    },
    "required": ["columns", "rows"],
}


class AgentOperator(BaseOperator):
    """Asks one agent; what it may not do without a model it does by rule, so it tries no second time.

    Attributes:
        agent: the agent.
    """

    operator_type = OperatorType.PURE_LLM
    max_retries = 0
    agent: ClassVar[Agent]

    async def execute(self, context: OperatorContext, tools: Tools | None = None) -> OperatorResult:  # noqa: ARG002
        """Ask the agent, with the questions and the tables from before.

        Raises:
            OperatorFailed: the agent failed; `kind` and `details` are those of its error.
        """
        made = result_of(await self.asked(context))
        return made if rows_may_leave(results_before(context)) else withheld(made)

    async def asked(self, context: OperatorContext) -> AgentResult:
        """Return what the agent has to say, with its events."""
        caller = Caller(
            context.query, lambda event: tell_trace(event, context.emit), context.stop, context.model, context.services
        )
        request = AgentRequest(question=context.query, context={EARLIER_QUESTIONS: questions_before(context)})
        left_s = max(context.deadline - time.monotonic(), 0.0)
        return await call_agent(self.agent, request, results_before(context), caller, timeout_s=left_s)


def tell_trace(event: TraceEvent, emit: Callable[[EventType, Mapping[str, Any]], None]) -> None:
    """Tell what an agent does in the words of the chat: its answer as content, all else as progress.

    The answer names the statement that it comes from. An agent's ERROR may be an attempt of several; that the call
    failed is told by whoever made it.
    """
    if not event.message:
        return
    if event.event_type is TraceEventType.RESULT:
        known = {"sql": event.data["query"]} if event.data.get("query") else {}
        told = {"content_type": ContentType.MARKDOWN.value, "data": event.message, "metadata": known}
        emit(EventType.TOOL_CONTENT, told)
    else:
        emit(EventType.TOOL_PROGRESS, {"progress": None, "message": _said(event)})


def _said(event: TraceEvent) -> str:
    """Say what came of an attempt in words for people; anything else as the agent says it."""
    rows, error = event.data.get("row_count"), event.data.get("error")
    if isinstance(rows, int) and event.event_type is TraceEventType.TOOL:
        return "1 row was found" if rows == 1 else f"{rows:,} rows were found"
    return f"An attempt failed: {error}" if error and "attempt" in event.data else str(event.message)


def result_of(result: AgentResult) -> OperatorResult:
    """Make an operator's result of an agent's.

    Raises:
        OperatorFailed: the agent failed.
    """
    if result.status is not AgentExecutionStatus.succeeded:
        message, kind, details = "Nothing was found.", "OperatorFailed", {}
        if result.error is not None:
            message, kind, details = result.error.message, result.error.type, result.error.details
        raise OperatorFailed(message, kind, details)
    known = dict(described(result))
    may_leave = known.pop("may_leave", None) is not False
    sql, missing = known.pop("query", None), tuple(map(str, known.pop("missing", ())))
    answer, table = result.answer or "", result.tabular
    output: dict[str, Any] = {"answer": answer}
    if table is not None:
        output |= {"columns": table.columns, "rows": table.rows, "row_count": table.row_count, "sql": sql}
    metadata = {name: any_to_json(value) for name, value in known.items()} | ({"sql": sql} if sql else {})
    metadata = {"operator": result.agent, **metadata}
    made = OperatorResult(output=output, text=answer, table=table, missing=missing, metadata=metadata)
    return made if may_leave else withheld(made)


def withheld(result: OperatorResult) -> OperatorResult:
    """Mark a result as one whose values no language model may be told, wherever it is passed on."""
    return replace(
        result,
        output={**result.output, "may_leave": False},
        metadata={**result.metadata, "may_leave": False},
    )


def questions_before(context: OperatorContext) -> list[str]:
    """Return what the person asked before, oldest first."""
    messages = context.context.get(RECENT) or ()
    texts = [str(message.get("text", "")) for message in messages if message.get("role") == "user"]
    return [text for text in texts if text.strip() and text.strip() != context.query.strip()]


def results_before(context: OperatorContext) -> list[AgentResult]:
    """Return the tables that an agent may work on: the one that it is given, else all of this turn."""
    given = context.params.get("table")
    if given is not None:
        known = {"may_leave": given.get("may_leave") is not False, "sql": given.get("sql")}
        return [_as_agent_result("table", OperatorResult(output=given, table=table_of(given), metadata=known))]
    results: Mapping[str, OperatorResult] = context.context.get(RESULTS) or {}
    return [_as_agent_result(str(one.metadata.get("operator", "step")), one) for one in results.values()]


def table_of(output: Mapping[str, Any]) -> TabularResult:
    """Read a table off the output of a step; rows may be objects or lists.

    Raises:
        OperatorFailed: a row has not the table's cells.
    """
    columns = [str(name) for name in output["columns"]]
    rows = [row if isinstance(row, Mapping) else dict(zip(columns, row, strict=False)) for row in output["rows"]]
    if any(set(row) != set(columns) for row in rows):
        raise OperatorFailed("The rows of the table do not fit its columns.", "BadParameters")
    return TabularResult(columns=columns, rows=[dict(row) for row in rows])


def _as_agent_result(agent: str, result: OperatorResult) -> AgentResult:
    told = TraceEvent(event_type=TraceEventType.RESULT, message=result.text, data=dict(result.metadata))
    return AgentResult(
        agent=agent,
        status=AgentExecutionStatus.succeeded,
        answer=result.text or None,
        tabular=result.table,
        trace=[told],
    )
