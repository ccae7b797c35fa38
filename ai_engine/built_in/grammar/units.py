"""Comparisons of fields, where role, type and unit of both sides agree."""

from __future__ import annotations

from ai_engine.built_in.grammar.phrases import Cmp
from ai_engine.built_in.grammar.schema import COMPARISONS, Schema
from ai_engine.built_in.meanings import Number
from ai_engine.semantics.intent import Condition, FieldRef, Measure, Operator, Value

_DAYS_IN = {"weeks": 7, "months": 30, "years": 365, "days": 1}
_MONTHS_IN_A_YEAR = 12
_PERCENT = 100
_UNITS_OF_TIME = frozenset({"days", "months", "years"})
TEXT_OPERATORS = frozenset({"contains", "starts with", "ends with"})
OPPOSITE: dict[Operator, Operator] = {
    "=": "!=", "!=": "=", "in": "not in", "not in": "in", "<": ">=", ">=": "<", ">": "<=", "<=": ">",
    "contains": "not contains", "starts with": "not starts with", "ends with": "not ends with",
    "is null": "is not null", "is not null": "is null",
}  # fmt: skip


def compared(s: Schema, field: FieldRef, cmp: Cmp) -> Condition | None:
    """A field compared with numbers, with a figure over all rows or with another field."""
    item = s.field(field)
    if cmp.fig is not None or cmp.aggregate is not None:
        if item.role != "measure" or cmp.operator not in COMPARISONS or (cmp.fig and cmp.fig.over):
            return None
        if cmp.over not in {None, field.dataset}:
            return None
        versus = s.measure(cmp.fig) if cmp.fig else Measure(aggregate=cmp.aggregate, field=field)
        return Condition(field=field, operator=cmp.operator, versus=versus, times=cmp.times)
    if cmp.other is not None:
        if cmp.other == field or s.field(cmp.other).role != item.role:
            return None
        return Condition(field=field, operator=cmp.operator, other=cmp.other, times=cmp.times)
    numeric = item.role in {"category", "text"} and item.type != "text"
    if not (item.role in {"measure", "identifier"} or numeric) or cmp.operator in TEXT_OPERATORS or not cmp.numbers:
        return None
    values = [in_unit(s, field, number) for number in cmp.numbers]
    if any(value is None for value in values):
        return None
    return Condition(field=field, operator=cmp.operator, values=tuple(value for value in values if value is not None))


def in_unit(s: Schema, field: FieldRef, number: Number) -> Value | None:
    """A number in the unit of the field, None where they disagree."""
    item = s.field(field)
    if number.unit is None:
        return s.knows.typed(field, number)
    if number.unit == "money":
        return s.knows.typed(field, number) if item.unit not in {"percent", *_UNITS_OF_TIME} else None
    if number.unit == "percent":
        if item.unit == "fraction":
            return number.value / _PERCENT
        return s.knows.typed(field, number) if item.unit == "percent" else None
    if item.unit == number.unit:
        return s.knows.typed(field, number)
    if item.unit == "months" and number.unit == "years":
        return int(number.value * _MONTHS_IN_A_YEAR)
    if item.unit == "days":
        return days_of(number)
    return None


def days_of(number: Number) -> int | None:
    """A stretch of time in days, None for other units."""
    return int(number.value * _DAYS_IN[number.unit]) if number.unit in _DAYS_IN else None


def negated(item: Condition) -> Condition:
    """The opposite condition."""
    return item.model_copy(update={"operator": OPPOSITE[item.operator]})
