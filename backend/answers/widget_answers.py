"""Tables that tools send as widgets, as answers: what charts, tables and exports are drawn from."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import date
from decimal import Decimal
from typing import Any

from ai_engine.agent import AgentExecutionStatus, AgentResult, TabularResult, TraceEvent, TraceEventType
from ai_engine.semantics.vocabulary import Vocabulary
from ai_engine.types import Answer
from backend.answers.result_answers import answer_of

_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")
_MOST_COLUMNS = 100
_TOLD = ("units", "chart", "truncated")


def widget_answer(title: str, data: Mapping[str, Any], vocabulary: Vocabulary) -> Answer | None:
    """Return the answer that a `data_table` or `chart` shows; None where it is no table.

    Columns are a list of names; rows are objects by them, or lists aligned with them.
    """
    columns, rows = data.get("columns"), data.get("rows")
    if not isinstance(columns, list) or not isinstance(rows, list) or not 0 < len(columns) <= _MOST_COLUMNS:
        return None
    names = [str(name) for name in columns]
    if len(set(names)) != len(names):
        return None
    cells = [row if isinstance(row, list) else [row.get(name) for name in names] for row in rows if _is_row(row, names)]
    told = {name: data[name] for name in _TOLD if data.get(name)}
    told["units"] = _units(told.get("units"))
    table = TabularResult.of_rows(names, _typed(cells, len(names)))
    result = AgentResult(
        agent="widget",
        status=AgentExecutionStatus.succeeded,
        answer=title,
        tabular=table,
        trace=[TraceEvent(event_type=TraceEventType.RESULT, data=told)],
    )
    return answer_of(title, result, vocabulary)


def _is_row(row: object, names: list[str]) -> bool:
    return isinstance(row, Mapping) or (isinstance(row, list) and len(row) == len(names))


def _units(given: object) -> dict[str, str]:
    return {str(name): str(unit) for name, unit in given.items()} if isinstance(given, Mapping) else {}


def _typed(rows: list[list[Any]], columns: int) -> list[list[Any]]:
    """Give back what JSON cannot say: numbers with a fraction are decimals, columns of days are dates."""
    days = {place for place in range(columns) if _are_days([row[place] for row in rows])}
    return [[_cell(cell, is_day=place in days) for place, cell in enumerate(row)] for row in rows]


def _are_days(cells: list[Any]) -> bool:
    there = [cell for cell in cells if cell is not None]
    return bool(there) and all(isinstance(cell, str) and _DAY.fullmatch(cell) for cell in there)


def _cell(cell: Any, *, is_day: bool) -> Any:
    if isinstance(cell, float):
        return Decimal(str(cell))
    if isinstance(cell, (list, dict)):
        return str(cell)
    if is_day and cell is not None:
        try:
            return date.fromisoformat(cell)
        except ValueError:
            return cell
    return cell
