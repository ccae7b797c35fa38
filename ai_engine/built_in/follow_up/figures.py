"""Figures of an earlier question taken in another way, or of other things."""

from __future__ import annotations

import re

from ai_engine.built_in.knowledge import Knowledge
from ai_engine.semantics.intent import Condition, FieldRef, Intent, Measure
from ai_engine.semantics.model import Aggregate

_SIMPLE = re.compile(r"\s*(SUM|AVG|MIN|MAX|MEDIAN)\s*\(\s*(\w+)\.(\w+)\s*\)\s*", re.I)
_COUNTED = re.compile(r"\s*COUNT\s*\(\s*(?:DISTINCT\s+)?\w+\.\w+\s*\)\s*", re.I)
_OF_ONE_KIND = re.compile(
    r"\s*(COUNT|SUM)\s*\(\s*CASE\s+WHEN\s+(\w+)\.(\w+)\s*=\s*'([^']*)'"
    r"\s+THEN\s+(\w+)\.(\w+)(?:\s+ELSE\s+0)?\s+END\s*\)\s*",
    re.I,
)
_OF = re.compile(r"\b(\w+)\.\w+")


def unfolded(measure: Measure, knowledge: Knowledge) -> tuple[Measure, Condition] | None:
    """A metric that counts or adds up the rows of one kind, as the plain figure and its condition.

    "active accounts" is the number of accounts where the status is Active: "and dormant?" has something to change.
    """
    match = _OF_ONE_KIND.fullmatch(knowledge.model.metric(measure.metric).expression) if measure.metric else None
    if match is None:
        return None
    function, dataset, field, value, _, column = match.groups()
    plain = (
        Measure(aggregate="count", dataset=dataset)
        if function.upper() == "COUNT"
        else Measure(aggregate="sum", field=FieldRef(dataset=dataset, field=column))
    )
    return plain, Condition(field=FieldRef(dataset=dataset, field=field), operator="=", values=(value,))


def mentions(measure: Measure, place: FieldRef, knowledge: Knowledge) -> bool:
    """Tell whether a metric's own formula already decides by a field."""
    if measure.metric is None:
        return False
    return f"{place.dataset}.{place.field} " in f"{knowledge.model.metric(measure.metric).expression} "


def base_of(measure: Measure, knowledge: Knowledge) -> str | None:
    """The dataset whose rows a figure is made of; the first one where a metric names several."""
    if measure.field is not None and measure.dataset is None:
        return measure.field.dataset
    if measure.metric is None:
        return measure.dataset
    named = _OF.findall(knowledge.model.metric(measure.metric).expression)
    return next((name for name in named if any(name == item.name for item in knowledge.model.datasets)), None)


def base_of_intent(intent: Intent, knowledge: Knowledge) -> str | None:
    """The dataset a question is about: what its first figure is made of or counts groups of, else what it lists."""
    if intent.over_groups == "count" and intent.dimensions:
        return intent.dimensions[0].field.dataset
    for measure in intent.measures:
        base = base_of(measure, knowledge)
        if base is not None:
            return base
    return intent.subject or next((ref.dataset for ref in intent.columns), None)


def field_behind(measure: Measure, knowledge: Knowledge) -> FieldRef | None:
    """The one column a figure is taken of; None for counts and formulas."""
    if measure.field is not None:
        return measure.field if measure.aggregate not in {"count", "count_distinct"} else None
    match = _SIMPLE.fullmatch(knowledge.model.metric(measure.metric).expression) if measure.metric else None
    return FieldRef(dataset=match.group(2), field=match.group(3)) if match else None


def taken_as(measure: Measure, aggregate: Aggregate, knowledge: Knowledge) -> Measure | None:
    """The same figure with another aggregate: the average instead of the total; None where there is no column."""
    plain = unfolded(measure, knowledge)
    if plain is not None:
        measure = plain[0].model_copy(update={"filters": (*measure.filters, plain[1])})
    if aggregate == "count":
        base = base_of(measure, knowledge)
        return Measure(aggregate="count", dataset=base, filters=measure.filters) if base else None
    field = field_behind(measure, knowledge)
    if field is None:
        base = base_of(measure, knowledge)
        field = knowledge.main_measure(base) if base and measure.aggregate == "count" else None
    return Measure(aggregate=aggregate, field=field, filters=measure.filters) if field else None


def aggregate_of(measure: Measure, knowledge: Knowledge) -> str | None:
    """How a figure is taken, a metric of one column included; None for other formulas."""
    if measure.metric is None:
        return measure.aggregate
    match = _SIMPLE.fullmatch(knowledge.model.metric(measure.metric).expression)
    return match.group(1).lower() if match else None


def is_plain(measure: Measure, knowledge: Knowledge) -> bool:
    """Whether a figure is made of all rows: no formula with conditions of its own."""
    if measure.metric is None or aggregate_of(measure, knowledge) is not None:
        return True
    return _COUNTED.fullmatch(knowledge.model.metric(measure.metric).expression) is not None


def counterpart(measure: Measure, dataset: str, knowledge: Knowledge) -> Measure | None:
    """The figure that is to other things what this one is to its own: "and for loans?"."""
    if measure.aggregate in {"count", "count_distinct"}:
        return Measure(aggregate="count", dataset=dataset)
    aggregate: Aggregate | None = measure.aggregate
    if measure.metric is not None:
        metric = knowledge.model.metric(measure.metric)
        shape = _SIMPLE.fullmatch(metric.expression)
        if shape is None:
            return Measure(aggregate="count", dataset=dataset) if metric.unit == "count" else None
        for other in knowledge.model.metrics:
            match = _SIMPLE.fullmatch(other.expression)
            alike = (other.unit, other.time_field is None) == (metric.unit, metric.time_field is None)
            if match and alike and match.group(1) == shape.group(1) and match.group(2) == dataset:
                return Measure(metric=other.name)
        aggregate = shape.group(1).lower()  # type: ignore[assignment]
    main = knowledge.main_measure(dataset)
    return Measure(aggregate=aggregate or "sum", field=main) if main else None
