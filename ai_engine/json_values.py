"""Values as JSON: cells of results, what programs return, what events tell."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from types import NoneType
from typing import TypeAlias

from pydantic import BaseModel, TypeAdapter

from ai_engine.specialists.computation.sandbox import PlainValue
from ai_engine.types import Scalar

JsonValue: TypeAlias = bool | int | float | str | list["JsonValue"] | dict[str, "JsonValue"] | None

_DURATION = TypeAdapter(timedelta)
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
        return str(_DURATION.dump_python(value, mode="json"))
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
