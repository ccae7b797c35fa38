"""Figures defined by arithmetic over phrases, made metrics of the vocabulary once every phrase is understood."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from decimal import Decimal

from sqlglot import exp

from ai_engine.built_in.knowledge import Knowledge
from ai_engine.built_in.meanings import Stored
from ai_engine.built_in.rivals import judge_alone
from ai_engine.semantics.hints import Formula, FormulaHint, Number, Operation, Phrase
from ai_engine.semantics.intent import Condition, FieldRef, Filter, Intent, Measure, Membership, Value
from ai_engine.semantics.model import Metric
from ai_engine.semantics.vocabulary import Vocabulary
from ai_engine.semantics.words import words

_CALLS = {"count": "number of", "sum": "total", "avg": "average", "max": "highest", "min": "lowest"}
_CALL = re.compile(rf"^({'|'.join(_CALLS)})\s+(?!of\b)", re.IGNORECASE)
_AGGREGATES = {"sum": exp.Sum, "avg": exp.Avg, "min": exp.Min, "max": exp.Max}
_COMPARISONS = {"=": exp.EQ, "!=": exp.NEQ, "<": exp.LT, "<=": exp.LTE, ">": exp.GT, ">=": exp.GTE}
_OPERATIONS = {"+": exp.Add, "-": exp.Sub, "*": exp.Mul, "/": exp.Div}
_HUNDRED = Number(Decimal(100))


class _NotExpressed(Exception):
    """A phrase is not understood, or is no figure that a metric can hold."""


def with_figures(vocabulary: Vocabulary, formulas: Sequence[FormulaHint]) -> Vocabulary:
    """Return the vocabulary with a metric for each formula all of whose phrases are figures; others are left unread."""
    knowledge = Knowledge(vocabulary)
    taken = {metric.name for metric in vocabulary.model.metrics}
    added = {}
    for hint in formulas:
        name = "_".join(words(hint.names[0]))
        if not name or name in taken:
            continue
        try:
            expression = _expression(hint.formula, knowledge)
        except _NotExpressed:
            continue
        if expression.find(exp.AggFunc):
            added[name] = _metric(name, hint, expression, knowledge)
    if not added:
        return vocabulary
    return replace(vocabulary, model=replace(vocabulary.model, metrics=(*vocabulary.model.metrics, *added.values())))


def _metric(name: str, hint: FormulaHint, expression: exp.Expr, knowledge: Knowledge) -> Metric:
    formula = hint.formula
    datasets = dict.fromkeys(column.table for column in expression.find_all(exp.Column) if column.table)
    dated = (knowledge.time_field(dataset) for dataset in datasets)
    time = next((place for place in dated if place is not None), None)
    percent = isinstance(formula, Operation) and formula.operator == "*" and _HUNDRED in (formula.left, formula.right)
    return Metric(
        name=name,
        expression=expression.sql(),
        label=hint.names[-1],
        synonyms=hint.names[:-1],
        unit="percent" if percent and expression.find(exp.Div) else None,
        time_field=f"{time.dataset}.{time.field}" if time is not None else None,
    )


def _expression(formula: Formula, knowledge: Knowledge) -> exp.Expr:
    if isinstance(formula, Number):
        return exp.Literal.number(f"{formula.value:f}")
    if isinstance(formula, Phrase):
        return _figure(formula.words, knowledge)
    if formula.operator == "*" and not {type(formula.left), type(formula.right)} & {Number}:
        raise _NotExpressed  # the product of two columns is meant row by row, not of their totals
    left, right = (_bracketed(_expression(side, knowledge)) for side in (formula.left, formula.right))
    return _OPERATIONS[formula.operator](this=left, expression=right)


def _bracketed(side: exp.Expr) -> exp.Expr:
    return exp.Paren(this=side) if isinstance(side, exp.Binary) else side


def _figure(phrase: str, knowledge: Knowledge) -> exp.Expr:
    """Read one phrase as a question of its own that asks for a single figure."""
    said = _CALL.sub(lambda call: f"{_CALLS[call[1].lower()]} ", phrase)
    asked = _single_figure(said, knowledge) or _single_figure(f"number of {said}", knowledge)
    if asked is None:
        raise _NotExpressed
    measure = asked.measures[0]
    dataset = knowledge.base(measure)
    if dataset is None:
        raise _NotExpressed
    filters = (*measure.filters, *asked.filters)
    filters += _unused_values(phrase, dataset, filters, knowledge)
    conditions = [_condition(item, dataset, knowledge) for item in filters]
    if asked.subject not in (None, dataset):  # "merchant payments": those that have a merchant
        conditions.append(_belongs(Membership(dataset=asked.subject or ""), dataset, knowledge))
    return _call(measure, dataset, exp.and_(*conditions) if conditions else None, knowledge)


def _single_figure(phrase: str, knowledge: Knowledge) -> Intent | None:
    """What is asked when it is one figure with conditions and nothing else; rows that are merely named are none."""
    verdict = judge_alone(phrase, knowledge)
    asked = verdict.distinct[0].intent if verdict.is_answered else None
    if asked is None or len(asked.measures) != 1:
        return None
    plain = Intent(subject=asked.subject, measures=asked.measures, filters=asked.filters)
    return asked if asked == plain else None


def _unused_values(phrase: str, dataset: str, filters: Sequence[Filter], knowledge: Knowledge) -> tuple[Condition, ...]:
    """Values of the figure's own rows that the reading took for an everyday word: "amount from sells"."""
    used = {item.field.field for item in filters if isinstance(item, Condition)}
    found = {}
    for word in words(phrase):
        held = [candidate.meaning for candidate in knowledge.lexicon.stored((word,))]
        own = [value for value in held if isinstance(value, Stored) and value.dataset == dataset]
        if len(own) == 1 and not knowledge.lexicon.names((word,)) and own[0].field not in used:
            place = FieldRef(dataset=dataset, field=own[0].field)
            found[own[0].field] = Condition(field=place, operator="=", values=(_value(own[0].value),))
    return tuple(found.values())


def _value(stored: object) -> Value:
    return stored if isinstance(stored, bool | int | Decimal | date | str) else str(stored)


def _call(measure: Measure, dataset: str, condition: exp.Expr | None, knowledge: Knowledge) -> exp.Expr:
    plain = Measure(
        metric=measure.metric, aggregate=measure.aggregate, field=measure.field, dataset=measure.dataset,
        filters=measure.filters, label=measure.label,
    )  # fmt: skip
    if plain != measure:
        raise _NotExpressed
    if measure.metric is not None:
        if condition is not None:
            raise _NotExpressed
        return exp.maybe_parse(knowledge.model.metric(measure.metric).expression)
    if measure.field is None:
        return exp.Count(this=_among(condition, exp.Literal.number(1))) if condition else _all_rows(dataset, knowledge)
    aggregate = measure.aggregate or knowledge.field(measure.field).default_aggregate or "sum"
    value = _among(condition, _column(measure.field, dataset, knowledge))
    if aggregate == "count_distinct" and knowledge.field(measure.field).role == "identifier":
        return exp.Count(this=exp.Distinct(expressions=[value]))
    if aggregate not in _AGGREGATES:
        raise _NotExpressed
    return _AGGREGATES[aggregate](this=value)


def _all_rows(dataset: str, knowledge: Knowledge) -> exp.Expr:
    """Count rows by their key, so that the expression says whose rows they are."""
    key = knowledge.key(dataset)
    if key is None:
        raise _NotExpressed
    return exp.Count(this=exp.column(key.field, table=dataset))


def _among(condition: exp.Expr | None, value: exp.Expr) -> exp.Expr:
    return value if condition is None else exp.Case(ifs=[exp.If(this=condition, true=value)])


def _column(place: FieldRef, dataset: str, knowledge: Knowledge) -> exp.Expr:
    if (
        place.dataset != dataset
        or place.grain is not None
        or place.via
        or not knowledge.dataset(dataset).has(place.field)
    ):
        raise _NotExpressed
    return exp.column(place.field, table=dataset)


def _condition(item: Filter, dataset: str, knowledge: Knowledge) -> exp.Expr:
    """Write a condition on the figure's own rows."""
    if isinstance(item, Membership):
        return _belongs(item, dataset, knowledge)
    if not isinstance(item, Condition) or item.versus is not None or item.other is not None:
        raise _NotExpressed
    column = _column(item.field, dataset, knowledge)
    literals = [_literal(value) for value in item.values]
    if item.operator in _COMPARISONS and len(literals) == 1:
        return _COMPARISONS[item.operator](this=column, expression=literals[0])
    if item.operator in {"is null", "is not null"}:
        return _is_null(column, negated=item.operator == "is not null")
    if item.operator == "in":
        return exp.In(this=column, expressions=literals)
    if item.operator == "between" and len(literals) == len(("low", "high")):
        return exp.Between(this=column, low=literals[0], high=literals[1])
    raise _NotExpressed


def _belongs(item: Membership, dataset: str, knowledge: Knowledge) -> exp.Expr:
    """Write that a row has a row of another dataset it may belong to, or has none, by the key that points there."""
    ways = [way for way in knowledge.model.relationships_of(dataset) if way.from_dataset == dataset]
    keys = [way.from_columns for way in ways if way.to_dataset == item.dataset and len(way.from_columns) == 1]
    plain = Membership(dataset=item.dataset, negated=item.negated)
    if len(keys) != 1 or item != plain:
        raise _NotExpressed
    return _is_null(exp.column(keys[0][0], table=dataset), negated=not item.negated)


def _is_null(column: exp.Expr, *, negated: bool) -> exp.Expr:
    test = exp.Is(this=column, expression=exp.Null())
    return exp.Not(this=test) if negated else test


def _literal(value: Value) -> exp.Expr:
    if isinstance(value, bool):
        return exp.Boolean(this=value)
    if isinstance(value, int | Decimal):
        return exp.Literal.number(f"{value:f}" if isinstance(value, Decimal) else str(value))
    if isinstance(value, str):
        return exp.Literal.string(value)
    raise _NotExpressed
