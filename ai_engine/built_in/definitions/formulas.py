"""Figures defined by arithmetic over phrases, made metrics of the vocabulary once every phrase is understood."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from decimal import Decimal

from sqlglot import exp

from ai_engine.built_in.definitions.named_figures import begins_with_column, condition_of, named_figure, value_of_rows
from ai_engine.built_in.definitions.row_figures import added_up, is_percentage, phrases_in, row_figure, with_field
from ai_engine.built_in.knowledge import Knowledge
from ai_engine.built_in.outcomes.rivals import judge_alone
from ai_engine.semantics.hints import Formula, FormulaHint, Number, Phrase
from ai_engine.semantics.intent import Condition, FieldRef, Filter, Intent, Measure, Membership, Value
from ai_engine.semantics.model import Metric
from ai_engine.semantics.vocabulary import Vocabulary
from ai_engine.semantics.words import words

_CALLS = {"count": "number of", "sum": "total", "avg": "average", "max": "highest", "min": "lowest"}
_CALL = re.compile(rf"^({'|'.join(_CALLS)})\s+(?!of\b)", re.IGNORECASE)
_AGGREGATES = {"sum": exp.Sum, "avg": exp.Avg, "min": exp.Min, "max": exp.Max}
_COMPARISONS = {"=": exp.EQ, "!=": exp.NEQ, "<": exp.LT, "<=": exp.LTE, ">": exp.GT, ">=": exp.GTE}
_FIGURE_NOUNS = frozenset("rate ratio gain return yield margin growth share loss profit".split())
_OPERATIONS = {"+": exp.Add, "-": exp.Sub, "*": exp.Mul, "/": exp.Div}
_KEPT = re.compile(r"\s+(?:recorded|stored|kept|held|reported|entered)(?:\s+(?:in|on|for)\b|$)")


class _NotExpressed(Exception):
    """A phrase is not understood, or is no figure that a metric can hold."""


def with_figures(vocabulary: Vocabulary, formulas: Sequence[FormulaHint]) -> Vocabulary:
    """Return the vocabulary with what the formulas define, one by means of others too.

    Arithmetic over the columns of a row becomes a field, any other a metric; a formula with a phrase that is no figure
    is left unread.
    """
    waiting = list(formulas)
    while waiting:
        before = len(waiting)
        for hint in tuple(waiting):
            known = None if _leans_on(hint, waiting) else _with_figure(vocabulary, hint)
            if known is not None:
                vocabulary = known
                waiting.remove(hint)
        if len(waiting) == before:
            break
    return vocabulary


def _leans_on(hint: FormulaHint, others: Sequence[FormulaHint]) -> bool:
    """Tell whether a formula speaks of a figure that is still to be defined."""
    said = [f" {' '.join(words(phrase))} " for phrase in phrases_in(hint.formula)]
    names = [f" {' '.join(words(name))} " for other in others if other is not hint for name in other.names]
    return any(name in phrase for name in names for phrase in said)


def _with_figure(vocabulary: Vocabulary, hint: FormulaHint) -> Vocabulary | None:
    knowledge, model = Knowledge(vocabulary), vocabulary.model
    name = "_".join(words(hint.names[0]))
    if not name or any(metric.name == name for metric in model.metrics):
        return None
    of_rows = row_figure(hint, name, knowledge)
    if isinstance(of_rows, Metric):
        return replace(vocabulary, model=replace(model, metrics=(*model.metrics, of_rows)))
    if of_rows is not None:
        return replace(vocabulary, model=replace(model, datasets=with_field(model.datasets, *of_rows)))
    try:
        expression = _expression(hint.formula, knowledge)
    except _NotExpressed:
        return None
    if not expression.find(exp.AggFunc) or _counts_owners_twice(expression, knowledge):
        return None
    metric = _metric(name, hint, expression, knowledge)
    return replace(vocabulary, model=replace(model, metrics=(*model.metrics, metric)))


def _counts_owners_twice(expression: exp.Expr, knowledge: Knowledge) -> bool:
    """ "clients with loans / clients": those counted over their loans, and all; a period would be of either."""
    counted = [value for call in expression.find_all(exp.Count) if isinstance(value := _counted(call), exp.Column)]
    keys = {
        (way.from_dataset, way.from_columns): way.to_dataset
        for way in knowledge.model.relationships
        if not way.only_where
    }
    owners = {keys.get((value.table, (value.name,))) for value in counted}
    return bool(owners.intersection(value.table for value in counted))


def _counted(call: exp.Count) -> object:
    value = call.this.expressions[0] if isinstance(call.this, exp.Distinct) else call.this
    return value.args["ifs"][0].args["true"] if isinstance(value, exp.Case) else value


def _metric(name: str, hint: FormulaHint, expression: exp.Expr, knowledge: Knowledge) -> Metric:
    datasets = dict.fromkeys(column.table for column in expression.find_all(exp.Column) if column.table)
    dated = (knowledge.time_field(dataset) for dataset in datasets)
    time = next((place for place in dated if place is not None), None)
    return Metric(
        name=name,
        expression=expression.sql(),
        label=hint.names[-1],
        synonyms=(*hint.names[:-1], *_said_short(hint.names[-1], knowledge)),
        unit="percent" if is_percentage(hint.formula) else None,
        time_field=f"{time.dataset}.{time.field}" if time is not None else None,
    )


def _said_short(name: str, knowledge: Knowledge) -> tuple[str, ...]:
    """ "show the portfolio and the rate": the noun of a figure, where nothing else is called so."""
    noun = words(name)[-1:]
    free = not knowledge.lexicon.names(noun) and not knowledge.lexicon.stored(noun) if noun else False
    return noun if free and words(name) != noun and _FIGURE_NOUNS.issuperset(noun) else ()


def _expression(formula: Formula, knowledge: Knowledge) -> exp.Expr:
    if isinstance(formula, Number):
        return exp.Literal.number(f"{formula.value:f}")
    if isinstance(formula, Phrase):
        return _figure(formula.words, knowledge)
    if formula.operator == "*" and not {type(formula.left), type(formula.right)} & {Number}:
        return added_up(formula, knowledge) or _refuse()  # two columns are multiplied row by row
    left, right = (_bracketed(_expression(side, knowledge)) for side in (formula.left, formula.right))
    if left == right:
        raise _NotExpressed  # what tells the two sides apart was not understood
    return _OPERATIONS[formula.operator](this=left, expression=right)


def _refuse() -> exp.Expr:
    raise _NotExpressed


def _bracketed(side: exp.Expr) -> exp.Expr:
    return exp.Paren(this=side) if isinstance(side, exp.Binary) else side


def _figure(phrase: str, knowledge: Knowledge) -> exp.Expr:
    """Read one phrase as a question of its own that asks for a single figure."""
    said = _CALL.sub(lambda call: f"{_CALLS[call[1].lower()]} ", _KEPT.split(phrase, maxsplit=1)[0])
    asked = named_figure(said, knowledge) or _single_figure(said, knowledge)
    if asked is None and not begins_with_column(said, knowledge):
        asked = _single_figure(f"number of {said}", knowledge)
    if asked is None:
        raise _NotExpressed
    measure = asked.measures[0]
    dataset = knowledge.base(measure)
    if dataset is None:
        raise _NotExpressed
    filters = (*measure.filters, *asked.filters)
    filters += _unused_values(phrase, dataset, filters, knowledge)
    by_their_rows = _counted_by_their_rows(measure, filters, asked, knowledge)
    if by_their_rows is not None:
        return by_their_rows
    conditions = [_condition(item, dataset, knowledge) for item in (*filters, *_of_period(asked, dataset, knowledge))]
    if asked.subject not in (None, dataset) and not _all_belong(asked.subject or "", dataset, knowledge):
        # "merchant payments": those that have a merchant
        conditions.append(_belongs(Membership(dataset=asked.subject or ""), dataset, knowledge))
    return _call(measure, dataset, exp.and_(*conditions) if conditions else None, knowledge)


def _counted_by_their_rows(
    measure: Measure, filters: Sequence[Filter], asked: Intent, knowledge: Knowledge
) -> exp.Expr | None:
    """ "active clients with deals" are counted over the deals: each of them once, however many deals it has."""
    owned = [item for item in filters if isinstance(item, Membership) and item == Membership(dataset=item.dataset)]
    plain = Intent(subject=asked.subject, measures=asked.measures, filters=asked.filters)
    counts = measure == Measure(aggregate="count", dataset=measure.dataset) and asked == plain
    if not counts or len(owned) != 1 or asked.subject not in {None, measure.dataset}:
        return None
    rows = owned[0].dataset
    ways = [way for way in knowledge.model.relationships_of(rows) if way.from_dataset == rows]
    keys = [way.from_columns for way in ways if way.to_dataset == measure.dataset and len(way.from_columns) == 1]
    if len(keys) != 1:
        return None
    conditions = [_condition(item, rows, knowledge) for item in filters if item is not owned[0]]
    counted = _among(exp.and_(*conditions) if conditions else None, exp.column(keys[0][0], table=rows))
    return exp.Count(this=exp.Distinct(expressions=[counted]))


def _of_period(asked: Intent, dataset: str, knowledge: Knowledge) -> tuple[Condition, ...]:
    """The period of a phrase as a condition on the date of the figure's rows: "close on 31 December 2025"."""
    if asked.period is None:
        return ()
    place = asked.period.field or knowledge.time_field(dataset)
    if place is None or knowledge.field(place).expression != place.field:
        raise _NotExpressed
    bounds = ((">=", asked.period.start), ("<", asked.period.end))
    return tuple(Condition(field=place, operator=sign, values=(day,)) for sign, day in bounds if day is not None)


def _single_figure(phrase: str, knowledge: Knowledge) -> Intent | None:
    """What is asked when it is one figure with conditions and nothing else; rows that are merely named are none."""
    verdict = judge_alone(phrase, knowledge)
    asked = verdict.distinct[0].intent if verdict.is_answered else None
    if asked is None or len(asked.measures) != 1:
        return None
    plain = Intent(subject=asked.subject, measures=asked.measures, filters=asked.filters, period=asked.period)
    return asked if asked == plain else None


def _all_belong(subject: str, dataset: str, knowledge: Knowledge) -> bool:
    """Whether each row has one of those by its key: "market value of the portfolio" in valuations of portfolios."""
    ways = [way for way in knowledge.model.relationships_of(dataset) if way.from_dataset == dataset]
    keyed = set(knowledge.dataset(dataset).primary_key)
    return any(way.to_dataset == subject and keyed.issuperset(way.from_columns) for way in ways)


def _unused_values(phrase: str, dataset: str, filters: Sequence[Filter], knowledge: Knowledge) -> tuple[Condition, ...]:
    """Values of the figure's own rows that the reading took for an everyday word: "amount from sells"."""
    used = {item.field for item in filters if isinstance(item, Condition)}
    spare = (word for word in words(phrase) if not knowledge.lexicon.names((word,)))
    values = (value_of_rows(word, dataset, knowledge) for word in spare)
    found = {condition.field: condition for value in values if value and (condition := condition_of(value))}
    return tuple(condition for place, condition in found.items() if place not in used)


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
        own = condition is not None and {column.table for column in condition.find_all(exp.Column)} == {dataset}
        if condition is not None and own:
            return exp.Count(this=_among(condition, exp.Literal.number(1)))
        return _rows_among(condition, dataset, knowledge)
    aggregate = measure.aggregate or knowledge.field(measure.field).default_aggregate or "sum"
    value = _among(condition, _column(measure.field, dataset, knowledge))
    if aggregate == "count_distinct" and knowledge.field(measure.field).role == "identifier":
        return exp.Count(this=exp.Distinct(expressions=[value]))
    if aggregate not in _AGGREGATES:
        raise _NotExpressed
    if aggregate == "sum" and isinstance(value, exp.Case):
        value.set("default", exp.Literal.number(0))  # nothing to add up is zero, also beside what is taken off it
    return _AGGREGATES[aggregate](this=value)


def _rows_among(condition: exp.Expr | None, dataset: str, knowledge: Knowledge) -> exp.Expr:
    """Count rows by their key, so that the expression says whose rows they are."""
    key = knowledge.key(dataset)
    if key is None:
        raise _NotExpressed
    return exp.Count(this=_among(condition, exp.column(key.field, table=dataset)))


def _among(condition: exp.Expr | None, value: exp.Expr) -> exp.Expr:
    return value if condition is None else exp.Case(ifs=[exp.If(this=condition, true=value)])


def _column(place: FieldRef, dataset: str, knowledge: Knowledge) -> exp.Expr:
    """Name a column of the figure's own rows, or of a row that each of them belongs to."""
    own = place.dataset == dataset or knowledge.is_parent(dataset, place.dataset)
    if not own or place.grain is not None or place.via or not knowledge.dataset(place.dataset).has(place.field):
        raise _NotExpressed
    return exp.column(place.field, table=place.dataset)


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
    return exp.Literal.string(value.isoformat() if isinstance(value, date) else value)
