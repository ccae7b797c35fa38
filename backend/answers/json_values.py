"""Answers as JSON: what programs get from the command line and the API."""

from __future__ import annotations

import json
from collections.abc import Mapping

from ai_engine.json_values import JsonValue, scalar_to_json
from ai_engine.model_use import cost_usd
from ai_engine.types import Answer, QueryResult


def rows_to_json(result: QueryResult) -> list[JsonValue]:
    """Write the rows as lists, values aligned with `result.columns`."""
    return [[scalar_to_json(cell) for cell in row] for row in result.rows]


def answer_to_json(answer: Answer) -> dict[str, JsonValue]:
    """Write an answer as the one object of `ask --json`; every key is always there."""
    result = answer.result
    return {
        "question": scalar_to_json(answer.question),
        "restatement": scalar_to_json(answer.restatement),
        "status": answer.status,
        "sql": answer.sql,
        "columns": list(result.columns) if result else [],
        "units": {column.name: column.unit for column in answer.columns if column.unit},
        "rows": rows_to_json(result) if result else [],
        "row_count": result.row_count if result else 0,
        "truncated": result.truncated if result else False,
        "total_rows": result.total_rows if result else None,
        "expected_scan": _expected_scan(result),
        "rows_as_of": result.ran_at.isoformat() if result and result.ran_at else None,
        "summary": answer.summary,
        "headline": answer.headline,
        "period": answer.period,
        "scope": scalar_to_json(answer.scope),
        "part_steps": _part_steps(answer),
        "chart": answer.chart if result else None,
        "assumptions": list(answer.assumptions),
        "choices": list(answer.choices),
        "suggestions": list(answer.suggestions),
        "error": answer.error,
        "trust": answer.trust,
        "verified_by": answer.verified.saved_by if answer.verified else None,
        "other_reading": _other_reading(answer),
        "tie_out": _tie_out(answer),
        "model": answer.model,
        "model_use": _model_use(answer),
        "timings_ms": {step: round(elapsed_ms, 3) for step, elapsed_ms in answer.timings_ms.items()},
    }


def _expected_scan(result: QueryResult | None) -> JsonValue:
    """What the database expected to read, where it tells."""
    expected = result.expected if result else None
    if expected is None or (expected.rows is None and expected.bytes is None):
        return None
    return {"rows": expected.rows, "bytes": expected.bytes}


def _model_use(answer: Answer) -> dict[str, JsonValue]:
    cost = cost_usd(answer.model_calls)
    return {
        "calls": len(answer.model_calls),
        "input_tokens": sum(call.input_tokens for call in answer.model_calls),
        "output_tokens": sum(call.output_tokens for call in answer.model_calls),
        "cost_usd": None if cost is None else float(cost),
    }


def _other_reading(answer: Answer) -> JsonValue:
    other = answer.other_reading
    if other is None:
        return None
    return {
        "restatement": scalar_to_json(other.restatement),
        "sql": other.sql,
        "columns": list(other.result.columns),
        "rows": rows_to_json(other.result),
    }


def _tie_out(answer: Answer) -> JsonValue:
    found = answer.tie_out
    if found is None:
        return None
    figures: list[JsonValue] = [
        {
            "column": figure.column,
            "shown": scalar_to_json(figure.shown),
            "total": scalar_to_json(figure.total),
            "difference": scalar_to_json(figure.difference),
            "causes": [
                {"kind": cause.kind, "rows": cause.rows, "amount": scalar_to_json(cause.amount), "said": cause.said}
                for cause in figure.causes
            ],
        }
        for figure in found.figures
    ]
    return {"outcome": found.outcome, "said": found.said, "figures": figures, "sql": list(found.sql)}


def _part_steps(answer: Answer) -> dict[str, JsonValue]:
    """Days covered by each step that is covered only in part, by column and by the cell as its row writes it."""
    return {
        column.name: [[scalar_to_json(cell), days] for cell, days in column.part_steps]
        for column in answer.columns
        if column.part_steps
    }


def json_line(fields: Mapping[str, JsonValue]) -> str:
    """Write an object on one line of plain ASCII, which survives every terminal and pipe."""
    return json.dumps(fields, allow_nan=False)
