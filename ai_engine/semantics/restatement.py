"""An intent said back in one plain sentence, and the names of its parts.

The sentence shows every part of the intent, so that two different questions never read the same.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date, datetime, timedelta
from decimal import Decimal

from ai_engine.semantics.intent import (
    AnyOf,
    Condition,
    Dimension,
    FieldRef,
    Filter,
    Having,
    Intent,
    Measure,
    Membership,
    Order,
    Period,
    Value,
)
from ai_engine.semantics.model import SemanticModel

GRAIN_WORDS: dict[str, str] = {
    "hour": "hour", "day": "day", "week": "week", "month": "month", "quarter": "quarter", "year": "year",
    "fiscal_quarter": "fiscal quarter", "fiscal_year": "fiscal year", "hour_of_day": "hour of day",
    "weekday": "weekday", "day_of_month": "day of month", "month_of_year": "month of year", "age_years": "age",
}  # fmt: skip
_AGGREGATE_WORDS = {
    "sum": "total", "avg": "average", "min": "lowest", "max": "highest", "median": "median",
    "stddev": "standard deviation of", "count": "number of known", "count_distinct": "number of distinct",
}  # fmt: skip
_DATE_AGGREGATE_WORDS = {"min": "earliest", "max": "latest"}
_TRANSFORM_WORDS = {
    "share_of_total": "share of the total of {}", "running_total": "running total of {}", "change": "change in {}",
    "change_percent": "percent change in {}", "rank": "rank by {}", "rolling_average": "rolling average of {}",
}  # fmt: skip
_OPERATOR_WORDS = {
    "=": "is", "!=": "is not", "<": "is below", "<=": "is at most", ">": "is above", ">=": "is at least",
    "in": "is", "not in": "is not", "between": "is between", "is null": "is missing", "is not null": "is known",
    "contains": "contains", "not contains": "does not contain", "starts with": "starts with",
    "not starts with": "does not start with", "ends with": "ends with", "not ends with": "does not end with",
}  # fmt: skip
_DATE_OPERATOR_WORDS = {
    "<": "is before",
    "<=": "is on or before",
    ">": "is after",
    ">=": "is on or after",
    "=": "is on",
}
_COMPARE_WORDS = {
    "previous_period": "compared with the period before",
    "same_period_last_year": "compared with the same period a year earlier",
}
_PLAIN_WORDS = re.compile(r"(?!.*\b(?:or|and|is)\b)[A-Za-z][\w .&/-]*")

_OWN_PREPOSITION = re.compile(r"(?i)(since|until|till|from|between|before|after|up to|in|on|during|over)\b")


def plural(noun: str) -> str:
    """Return the plural of an English noun by the regular rules; one that ends in "s" already stays."""
    if noun.endswith("s") and not noun.endswith("ss"):
        return noun
    if re.search(r"(ss|x|z|ch|sh)$", noun):
        return f"{noun}es"
    if re.search(r"[^aeiou]y$", noun):
        return f"{noun[:-1]}ies"
    return f"{noun}s"


def dimension_label(dimension: Dimension, model: SemanticModel) -> str:
    """Head a dimension's column: "City", "Month", "Age band"."""
    ref = dimension.field
    words = GRAIN_WORDS[ref.grain] if ref.grain else model.dataset(ref.dataset).field(ref.field).label
    return _capital(f"{words} band" if dimension.edges else words)


def measure_label(measure: Measure, model: SemanticModel) -> str:
    """Head a measure's column: "Total balance", "Number of customers", "Share of the total of ..."."""
    return _capital(measure.label or _Words(model).measure(measure))


def filter_label(item: Filter, model: SemanticModel) -> str:
    """Say one filter: "account type is Savings", "with no loans"."""
    return _Words(model).filter(item)


def earlier_label(intent: Intent) -> tuple[str, str]:
    """Return how the columns of the period compared with end: in a column's name, and in its heading."""
    if intent.compare == "same_period_last_year":
        return "last_year", "a year earlier"
    return "before", "the period before"


def restate(intent: Intent, model: SemanticModel, as_of: date) -> str:
    """Say an intent in one sentence.

    Args:
        intent: the structured question.
        model: the words for its parts.
        as_of: the day at which ages are taken; said where an age occurs.
    """
    words = _Words(model)
    parts = [_figures(intent, words) if intent.measures else _list(intent, words)]
    parts += _filters(intent.filters, words)
    parts += [words.period(intent.period)] if intent.period else []
    parts += [_COMPARE_WORDS[intent.compare]] if intent.compare else []
    parts += [words.having(item, grouped=bool(intent.measures)) for item in intent.having]
    parts += [words.order(item) for item in intent.order]
    parts += _limit(intent, words)
    parts += ["steps without data shown as zero"] if intent.fill_gaps else []
    if "age_years" in {ref.grain for ref in _references(intent)}:
        parts.append(f"ages as of {_day(as_of)}")
    return _capital(", ".join(parts))


def _figures(intent: Intent, words: _Words) -> str:
    text = _enumerated([words.measure(item, named=True) for item in intent.measures])
    if intent.dimensions:
        text += " by " + _enumerated([words.dimension(item) for item in intent.dimensions])
    if intent.columns:
        text += " showing " + _enumerated([words.field(ref) for ref in intent.columns])
    if intent.subject is not None:
        text += f", for {plural(words.model.dataset(intent.subject).label)}"
    return f"distinct {text}" if intent.distinct else text


def _list(intent: Intent, words: _Words) -> str:
    base = intent.subject or next((ref.dataset for ref in intent.columns), "")
    rows = plural(words.model.dataset(base).label) if base else "nothing"
    text = f"distinct values of {rows}" if intent.distinct else f"list of {rows}"
    if intent.dimensions:
        text += " by " + _enumerated([words.dimension(item) for item in intent.dimensions])
    if intent.columns:
        text += " showing " + _enumerated([words.field(ref) for ref in intent.columns])
    return text


def _filters(filters: Sequence[Filter], words: _Words) -> list[str]:
    conditions = [words.filter(item) for item in filters if not isinstance(item, Membership)]
    members = [words.filter(item) for item in filters if isinstance(item, Membership)]
    text = [f"where {' and '.join(conditions)}"] if conditions else []
    return [*text, " and ".join(members)] if members else text


def _limit(intent: Intent, words: _Words) -> list[str]:
    within = _enumerated([words.field(ref) for ref in intent.limit_within])
    highest = any(order.descending for order in intent.order) or bool(intent.measures and not intent.order)
    text = [] if intent.limit is None else [f"{'top' if highest else 'first'} {intent.limit}"]
    text += [f"in each {within}"] if within else []
    text += ["with ties"] if intent.with_ties else []
    return [_joined(text)] if text else []


class _Words:
    """Says the parts of an intent in the words of one model."""

    def __init__(self, model: SemanticModel) -> None:
        self.model = model

    def field(self, ref: FieldRef) -> str:
        """Name a field; its dataset too where the label alone would be unclear."""
        dataset = self.model.dataset(ref.dataset)
        label = dataset.field(ref.field).label
        same = [item for other in self.model.datasets for item in other.fields if item.label == label]
        if len(same) > 1 and not label.startswith(f"{dataset.label} "):
            label = f"{dataset.label} {label}"
        if len([item for item in dataset.fields if item.label == dataset.field(ref.field).label]) > 1:
            label = f"{label} [{ref.field}]"
        if ref.grain is not None:
            label = f"{GRAIN_WORDS[ref.grain]} of {label}"
        return f"{label} ({self.way(ref.via)})" if ref.via else label

    def way(self, via: Sequence[str]) -> str:
        return "by way of " + " then ".join(name.replace("_", " ") for name in via)

    def dimension(self, item: Dimension) -> str:
        name = self.field(item.field)
        return f"{name} cut at {_enumerated([_number(edge) for edge in item.edges])}" if item.edges else name

    def measure(self, item: Measure, *, named: bool = False) -> str:
        words = self._aggregate(item)
        if item.weight is not None:
            words += f" weighted by {self.field(item.weight)}"
        if item.filters:
            words += f" (only where {' and '.join(self.filter(part) for part in item.filters)})"
        if item.denominator is not None:
            below = self.measure(item.denominator)
            below = f"({below})" if item.denominator.denominator or item.denominator.transform else below
            words += f" as a percentage of {below}" if item.percent else f" divided by {below}"
        elif item.percent:
            words += " in percent"
        if item.transform is not None:
            words = _TRANSFORM_WORDS[item.transform].format(words)
        if item.window is not None:
            words += f" over {item.window} rows"
        return f'{words} called "{item.label}"' if named and item.label else words

    def _aggregate(self, item: Measure) -> str:
        if item.metric is not None:
            label = self.model.metric(item.metric).label
            twins = [metric for metric in self.model.metrics if metric.label == label]
            return f"{label} [{item.metric}]" if len(twins) > 1 else label
        rows = plural(self.model.dataset(item.dataset).label) if item.dataset else ""
        if item.field is None:
            return f"number of {'distinct ' if item.aggregate == 'count_distinct' else ''}{rows}"
        found = self.model.dataset(item.field.dataset).field(item.field.field)
        aggregate = item.aggregate or found.default_aggregate or "sum"
        words = _AGGREGATE_WORDS[aggregate]
        if found.role == "time" and item.field.grain is None:
            words = _DATE_AGGREGATE_WORDS.get(aggregate, words)
        if item.quantile is not None:
            words = f"{item.quantile * 100:g}th percentile of"
        name = self.field(item.field)
        over = f" over {rows}" if rows and item.dataset != item.field.dataset else ""
        return f"{words} {plural(name) if aggregate in ('count', 'count_distinct') else name}{over}"

    def filter(self, item: Filter) -> str:
        if isinstance(item, AnyOf):
            return f"either ({' or '.join(self.filter(part) for part in item.filters)})"
        return self._membership(item) if isinstance(item, Membership) else self._condition(item)

    def _condition(self, item: Condition) -> str:
        name, words = self.field(item.field), _OPERATOR_WORDS[item.operator]
        if any(isinstance(value, date) for value in item.values):
            words = _DATE_OPERATOR_WORDS.get(item.operator, words)
        if item.other is not None:
            return f"{name} {words} {self.field(item.other)}"
        if item.versus is not None:
            return f"{name} {words} the {self.measure(item.versus)} over all rows"
        values = [_value(value) for value in item.values]
        link = " and " if item.operator == "between" else " or "
        return f"{name} {words} {link.join(values)}".rstrip()

    def _membership(self, item: Membership) -> str:
        rows = plural(self.model.dataset(item.dataset).label)
        bounds = [f"at least {item.at_least}"] if item.at_least is not None else []
        bounds += [f"at most {item.at_most}"] if item.at_most is not None else []
        count = " and ".join(bounds)
        rows = self.model.dataset(item.dataset).label if bounds[-1:] in (["at least 1"], ["at most 1"]) else rows
        text = f"with {count} {rows}" if count else f"with {rows}"
        if item.negated:
            text = f"not {text}" if count else f"without {rows}"
        text += f" {self.way(item.via)}" if item.via else ""
        return f"{text} (where {' and '.join(self.filter(part) for part in item.filters)})" if item.filters else text

    def period(self, item: Period) -> str:
        last = item.end - timedelta(days=1) if item.end else None
        if item.start and last:
            days = _day(item.start) if item.start == last else f"{_day(item.start)} to {_day(last)}"
        elif item.start:
            days = f"from {_day(item.start)}"
        else:
            days = f"until {_day(last)}" if last else "all days"
        text = f"{item.label} ({days})" if _OWN_PREPOSITION.match(item.label) else f"for {item.label} ({days})"
        return f"{text} by {self.field(item.field)}" if item.field else text

    def having(self, item: Having, *, grouped: bool) -> str:
        bound = "nothing" if item.value is None else _number(item.value)
        if item.versus is not None:
            bound = f"the overall {self.measure(item.versus)}"
        what = "groups" if grouped else "those"
        return f"only {what} whose {self.measure(item.measure)} {_OPERATOR_WORDS[item.operator]} {bound}"

    def order(self, item: Order) -> str:
        name = self.measure(item.measure) if item.measure else self.field(item.field) if item.field else "nothing"
        return f"sorted by {name}, {'highest' if item.descending else 'lowest'} first"


def _references(intent: Intent) -> list[FieldRef]:
    found: list[FieldRef] = []

    def walk(value: object) -> None:
        if isinstance(value, FieldRef):
            found.append(value)
        elif isinstance(value, tuple):
            for part in value:
                walk(part)
        elif hasattr(value, "model_fields_set"):
            for part in vars(value).values():
                walk(part)

    walk(intent)
    return found


def _value(value: Value) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, datetime):
        return f"{_day(value)} {value:%H:%M:%S}"
    if isinstance(value, date):
        return _day(value)
    if isinstance(value, str):
        return value if _PLAIN_WORDS.fullmatch(value) and value not in ("yes", "no") else f'"{value}"'
    return _number(Decimal(value))


def _number(value: Decimal) -> str:
    return f"{value.normalize():f}"


def _day(day: date) -> str:
    return f"{day.day} {day:%b %Y}"


def _enumerated(parts: Sequence[str]) -> str:
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}" if parts else ""


def _joined(parts: Sequence[str]) -> str:
    return " ".join(parts)


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
