"""An intent said back in one plain sentence, and the names of its parts.

The sentence shows every part of the intent, so that two different questions never read the same.
"""

from __future__ import annotations

import re
from datetime import date

from ai_engine.semantics.intent import (
    Dimension,
    FieldRef,
    Intent,
    Measure,
)
from ai_engine.semantics.model import SemanticModel

GRAIN_WORDS: dict[str, str] = {
    "hour": "hour", "day": "day", "week": "week", "month": "month", "quarter": "quarter", "year": "year",
    "fiscal_quarter": "fiscal quarter", "fiscal_year": "fiscal year", "hour_of_day": "hour of day",
    "weekday": "weekday", "day_of_month": "day of month", "month_of_year": "month of year", "age_years": "age",
}  # fmt: skip
_AGGREGATE_WORDS = {
    "sum": "total", "avg": "average", "min": "lowest", "max": "highest", "median": "median",
    "stddev": "standard deviation of", "count": "number of", "count_distinct": "number of distinct",
}  # fmt: skip
_TRANSFORM_WORDS = {
    "share_of_total": "share of total {}", "running_total": "running total of {}", "change": "change in {}",
    "change_percent": "percent change in {}", "rank": "rank by {}",
}  # fmt: skip
_COMPARISON_WORDS = {
    "=": "is", "!=": "is not", "<": "below", "<=": "at most", ">": "above", ">=": "at least", "in": "is one of",
    "not in": "is none of", "between": "between", "is null": "is missing", "is not null": "is known",
    "contains": "contains", "not contains": "does not contain", "starts with": "starts with",
    "not starts with": "does not start with", "ends with": "ends with", "not ends with": "does not end with",
}  # fmt: skip
_COMPARE_WORDS = {
    "previous_period": "compared with the period before",
    "same_period_last_year": "compared with the same period a year earlier",
}


def plural(noun: str) -> str:
    """Return the plural of an English noun by the regular rules."""
    if re.search(r"(s|x|z|ch|sh)$", noun):
        return noun if noun.endswith("ss") is False and noun.endswith("s") else f"{noun}es"
    if re.search(r"[^aeiou]y$", noun):
        return f"{noun[:-1]}ies"
    return f"{noun}s"


def field_label(ref: FieldRef, model: SemanticModel) -> str:
    """Name a field at its grain: "opened date", "month of opened date"."""
    label = model.dataset(ref.dataset).field(ref.field).label
    return label if ref.grain is None else f"{GRAIN_WORDS[ref.grain]} of {label}"


def dimension_label(dimension: Dimension, model: SemanticModel) -> str:
    """Head a dimension's column: "City", "Month", "Age band"."""
    ref = dimension.field
    words = GRAIN_WORDS[ref.grain] if ref.grain else model.dataset(ref.dataset).field(ref.field).label
    return _capital(f"{words} band" if dimension.edges else words)


def measure_label(measure: Measure, model: SemanticModel) -> str:
    """Head a measure's column: "Total balance", "Number of customers", "Share of total balance"."""
    return _capital(measure.label) if measure.label else _capital(_measure(measure, model))


def restate(intent: Intent, model: SemanticModel, as_of: date) -> str:
    """Say an intent in one sentence."""
    return _Sentence(model, as_of).of(intent)


class _Sentence:
    def __init__(self, model: SemanticModel, as_of: date) -> None:
        self.model = model
        self.as_of = as_of

    def of(self, intent: Intent) -> str:
        return measure_label(intent.measures[0], self.model) if intent.measures else ""


def _measure(measure: Measure, model: SemanticModel) -> str:
    if measure.metric is not None:
        words = model.metric(measure.metric).label
    elif measure.field is None:
        words = f"number of {plural(model.dataset(str(measure.dataset)).label)}"
    else:
        words = f"{_AGGREGATE_WORDS[measure.aggregate or 'sum']} {field_label(measure.field, model)}"
    return words


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
