"""Answers as JSON: what programs get from the command line and the API."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from types import NoneType
from typing import TypeAlias

from pydantic import BaseModel
from pydantic_core import to_jsonable_python

from ai_engine.specialists.computation.sandbox import PlainValue
from ai_engine.types import Answer, QueryResult, Scalar

JsonValue: TypeAlias = bool | int | float | str | list["JsonValue"] | dict[str, "JsonValue"] | None

_EXACT_DIGITS = 15
"""Decimal digits that every reader of JSON numbers keeps; most read them as doubles."""


def scalar_to_json(value: Scalar) -> bool | int | float | str | None:
    """Write one cell without losing a digit.

    Returns:
        A decimal as a number up to 15 significant digits, else as a string; dates, times and durations in ISO 8601; a
        float that is no finite number as None; bytes as their UTF-8 text, or as `0x…` where they are none.
    """
    if value is None or isinstance(value, (bool, int)):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Decimal):
        return _decimal(value)
    if isinstance(value, (datetime, date, time)):
        return value.isoformat()
    if isinstance(value, timedelta):
        return str(to_jsonable_python(value))
    if isinstance(value, bytes):
        return _text_of(value)
    return value.encode("utf-8", "replace").decode()


def plain_to_json(value: PlainValue) -> JsonValue:
    """Write what a program returned; cells as `scalar_to_json` does."""
    if isinstance(value, list):
        return [plain_to_json(item) for item in value]
    if isinstance(value, dict):
        return {str(scalar_to_json(key)): plain_to_json(item) for key, item in value.items()}
    return scalar_to_json(value)


def any_to_json(value: object) -> JsonValue:
    """Write whatever an event or an error tells: models and mappings as objects, cells as `scalar_to_json` does."""
    if isinstance(value, BaseModel):
        return {name: any_to_json(getattr(value, name)) for name in (*type(value).model_fields, *_computed(value))}
    if isinstance(value, Mapping):
        return {str(key): any_to_json(item) for key, item in value.items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [any_to_json(item) for item in value]
    if isinstance(value, (bool, int, float, Decimal, str, date, time, timedelta, bytes, NoneType)):
        return scalar_to_json(value)
    return str(value)


def _computed(model: BaseModel) -> Iterable[str]:
    return type(model).model_computed_fields


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
        "model": answer.model,
        "timings_ms": {step: round(elapsed_ms, 3) for step, elapsed_ms in answer.timings_ms.items()},
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


def _decimal(number: Decimal) -> int | float | str | None:
    if not number.is_finite():
        return None
    digits = "".join(map(str, number.as_tuple().digits)).strip("0")
    if len(digits) > _EXACT_DIGITS:
        return str(number)
    if number.as_tuple().exponent == 0:
        return int(number)
    double = float(number)
    in_range = math.isfinite(double) and (double != 0 or number == 0)
    return double if in_range else str(number)


def _text_of(value: bytes) -> str:
    try:
        return value.decode("utf-8")
    except UnicodeDecodeError:
        return f"0x{value.hex()}"
