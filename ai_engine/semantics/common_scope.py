"""One period and filters over many questions at once: what of them each question can take, and what it cannot.

Narrowing must not make another question of it. A period goes where the question has one, follows time, or asks for
figures whose definition names their date: a balance as of now would become the balance of accounts opened meanwhile.
A filter goes where each row of every figure has at most one value of it, by one way.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import sqlglot
from sqlglot import exp

from ai_engine.errors import AmbiguousPath, IntentNotCovered
from ai_engine.semantics.compiler import compile_intent
from ai_engine.semantics.dating import date_of
from ai_engine.semantics.intent import Condition, Intent, Measure, Period, parts_of
from ai_engine.semantics.join_paths import many_to_one_path
from ai_engine.semantics.model import SemanticModel
from ai_engine.semantics.settled_periods import settled
from ai_engine.semantics.vocabulary import Vocabulary


@dataclass(frozen=True, slots=True)
class CommonScope:
    """What is to narrow all questions: a period, and conditions that hold beside each other."""

    period: Period | None = None
    filters: tuple[Condition, ...] = ()


@dataclass(frozen=True, slots=True)
class Narrowed:
    """One question within a common scope.

    Attributes:
        intent: the question with what of the scope fits it.
        assumed: what was assumed about the period, one sentence each.
        left_out: what does not fit, one sentence each for people.
    """

    intent: Intent
    assumed: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()


def narrowed(intent: Intent, scope: CommonScope, vocabulary: Vocabulary) -> Narrowed:
    """Narrow a question by what of a common scope fits it.

    Args:
        intent: a question that can be compiled.
        scope: its period takes the place of the question's own; its filters stand beside the question's own.
        vocabulary: of the database that the question is asked of.
    """
    assumed: tuple[str, ...] = ()
    left_out: list[str] = []
    if scope.period is not None:
        if _takes_period(intent, vocabulary.model):
            own = intent.period.field if intent.period is not None else None
            period = scope.period.model_copy(update={"field": own})
            dated, said = settled(intent.model_copy(update={"period": period}), vocabulary)
            if _compiles(dated, vocabulary):
                intent, assumed = dated, said
            else:
                left_out.append("The period does not fit this question.")
        else:
            left_out.append("The period does not fit: these figures are as of now.")
    for condition in scope.filters:
        reason = _bar_to(condition, intent, vocabulary)
        if reason:
            left_out.append(reason)
        elif condition not in intent.filters:
            intent = intent.model_copy(update={"filters": (*intent.filters, condition)})
    return Narrowed(intent, assumed, tuple(left_out))


def _takes_period(intent: Intent, model: SemanticModel) -> bool:
    if intent.period is not None:
        return True
    date = date_of(intent, model)
    along = (item.field for item in intent.dimensions if item.field.grain is not None)
    if date is not None and any((ref.dataset, ref.field) == (date.dataset, date.field) for ref in along):
        return True
    metrics = [model.metric(item.metric) if item.metric else None for item in intent.measures]
    return bool(metrics) and all(metric is not None and metric.time_field is not None for metric in metrics)


def _bar_to(condition: Condition, intent: Intent, vocabulary: Vocabulary) -> str:
    """Say why a filter does not fit a question; empty where it does."""
    if condition in intent.filters:
        return ""
    model, place = vocabulary.model, condition.field
    if not (
        any(item.name == place.dataset for item in model.datasets) and model.dataset(place.dataset).has(place.field)
    ):
        return "A filter is on something that this data does not have."
    label = model.dataset(place.dataset).field(place.field).label
    own = (item.field for item in parts_of(intent, Condition))
    if any((ref.dataset, ref.field) == (place.dataset, place.field) for ref in own):
        return f"Keeps its own filter on {label}."
    try:
        if not all(
            many_to_one_path(model, base, place.dataset, place.via) is not None for base in _bases(intent, model)
        ):
            return f"The filter on {label} does not fit: it is not known of each row."
    except AmbiguousPath:
        return f"The filter on {label} does not fit: it could mean several things here."
    narrower = intent.model_copy(update={"filters": (*intent.filters, condition)})
    return "" if _compiles(narrower, vocabulary) else f"The filter on {label} does not fit this question."


def _bases(intent: Intent, model: SemanticModel) -> frozenset[str]:
    """Return the datasets whose rows a question counts, sums or lists."""
    found = {dataset for measure in parts_of(intent, Measure) for dataset in _rows_of(measure, model)}
    if not found:
        found = {item.dataset for item in intent.columns}
    return frozenset(found | ({intent.subject} if intent.subject is not None else set()))


def _rows_of(measure: Measure, model: SemanticModel) -> Iterable[str]:
    if measure.metric is not None:
        tree = sqlglot.parse_one(model.metric(measure.metric).expression)
        return {column.table for column in tree.find_all(exp.Column) if column.table}
    return {name for name in (measure.dataset, measure.field.dataset if measure.field else None) if name}


def _compiles(intent: Intent, vocabulary: Vocabulary) -> bool:
    try:
        compile_intent(intent, vocabulary.model, vocabulary.catalogue.dialect, vocabulary.as_of)
    except (IntentNotCovered, AmbiguousPath):
        return False
    return True
