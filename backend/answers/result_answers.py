"""A table of any agent as an Answer, which is what charts, tables and exports are drawn from."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, datetime, time
from decimal import Decimal
from typing import Any, cast, get_args

from ai_engine.agent import AgentExecutionStatus, AgentResult, TabularResult, TraceEventType
from ai_engine.insight import describe_columns, fitting_chart, suggest_chart
from ai_engine.semantics.vocabulary import Vocabulary
from ai_engine.types import Answer, ChartKind, ColumnType, OutputColumn, QueryResult

_TYPES: tuple[tuple[type, ColumnType], ...] = (
    (bool, "boolean"), (int, "integer"), (float, "float"), (Decimal, "decimal"), (datetime, "timestamp"),
    (date, "date"), (time, "time"), (str, "text"),
)  # fmt: skip


def answer_of(question: str, result: AgentResult, vocabulary: Vocabulary) -> Answer:
    """Return what an agent found as if it had been asked alone.

    What its columns mean is taken from its RESULT event; what that does not say, from names and types.
    """
    told = _told(result)
    succeeded = result.status is AgentExecutionStatus.succeeded
    table = result.tabular
    rows = _result(table, told) if table is not None and table.columns else None
    columns = describe_columns(rows, vocabulary, _columns(told, table)) if rows is not None else ()
    return Answer(
        question=question,
        status="answered" if succeeded else "failed",
        model=result.agent,
        restatement=told.get("restatement", ""),
        sql=told.get("query"),
        result=rows,
        columns=columns,
        summary=result.answer or "",
        headline=told.get("headline", ""),
        period=told.get("period", ""),
        scope=told.get("scope", ""),
        things=told.get("things", ""),
        chart=_chart(told, rows, columns) if rows is not None else "table",
        assumptions=tuple(told.get("assumptions", ())),
        error=result.error.message if result.error else None,
        error_kind=result.error.type if result.error else None,
        timings_ms={"total": result.latency_ms or 0.0},
    )


def _told(result: AgentResult) -> Mapping[str, Any]:
    ends = [event.data for event in result.trace if event.event_type is TraceEventType.RESULT]
    return ends[-1] if ends else {}


def _result(table: TabularResult, told: Mapping[str, Any]) -> QueryResult:
    rows = tuple(tuple(row.get(name) for name in table.columns) for row in table.rows)
    types = told.get("types") or [_type([row[place] for row in rows]) for place in range(len(table.columns))]
    return QueryResult(tuple(table.columns), tuple(types), rows, truncated=bool(told.get("truncated")))


def _type(cells: list[Any]) -> ColumnType:
    """Name what all cells of a column are; numbers of several kinds are decimals."""
    found = {
        next((name for kind, name in _TYPES if isinstance(cell, kind)), "other") for cell in cells if cell is not None
    }
    if len(found) == 1:
        return found.pop()  # type: ignore[return-value]
    return "decimal" if found and found <= {"integer", "float", "decimal"} else "other"


def _columns(told: Mapping[str, Any], table: TabularResult | None) -> tuple[OutputColumn, ...]:
    described = told.get("columns") or ()
    if described:
        return tuple(OutputColumn(**column) for column in described)
    units: Mapping[str, str] = told.get("units") or {}
    names = table.columns if table is not None else []
    return tuple(
        OutputColumn(name, name.replace("_", " ").capitalize(), units[name], "measure")
        for name in names
        if name in units
    )


def _chart(told: Mapping[str, Any], rows: QueryResult, columns: tuple[OutputColumn, ...]) -> Any:
    asked = told.get("chart")
    if isinstance(asked, str) and asked in get_args(ChartKind):
        return fitting_chart(cast(ChartKind, asked), rows, columns)
    return suggest_chart(rows, columns)
