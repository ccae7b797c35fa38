"""The rows of one dataset, filtered and grouped: the building block of every figure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from sqlglot import exp

from ai_engine.errors import IntentNotCovered
from ai_engine.semantics.compared_periods import Shift
from ai_engine.semantics.compiler.bands import banded
from ai_engine.semantics.compiler.leaves import Leaf, dated_by, metric_condition, taken_out
from ai_engine.semantics.compiler.predicates import FigureOverAll, Predicates
from ai_engine.semantics.compiler.routes import route, to_one
from ai_engine.semantics.compiler.rows import Grouped, Rows
from ai_engine.semantics.compiler.scope import Scope, Setting
from ai_engine.semantics.compiler.shifts import shifted_to
from ai_engine.semantics.compiler.snapshots import as_of_latest, latest
from ai_engine.semantics.intent import Dimension, FieldRef, Filter, Period
from ai_engine.semantics.join_paths import Path
from ai_engine.semantics.wording import Words, plural


@dataclass(frozen=True)
class Group:
    """What the rows of one fact are grouped by, as that fact sees it; not `shown` where it only keeps rows apart."""

    name: str
    dimension: Dimension
    shown: bool = True


@dataclass(frozen=True)
class Question:
    """What all facts of one intent share.

    `figure` computes a figure over all rows, `own_figure` over the rows that the question is about. `keeps_groups`
    tells that rows which a figure passes over still make their group.
    """

    subject: str | None
    filters: tuple[Filter, ...]
    figure: FigureOverAll
    own_figure: FigureOverAll
    keeps_groups: bool = False


@dataclass(frozen=True)
class Span:
    """The period whose rows are aggregated, and how far its dates are moved to lie on another period."""

    period: Period | None = None
    shift: Shift | None = None


def grouped_fact(
    setting: Setting, question: Question, leaves: Sequence[Leaf], groups: Sequence[Group], span: Span
) -> Grouped:
    """Aggregate the rows of one dataset by its dimensions.

    Args:
        setting: what is fixed.
        question: filters and subject.
        leaves: aggregates over the same dataset, dated by the same field.
        groups: dimensions, in order.
        span: which rows, by date.
    """
    fact = leaves[0].dataset
    scope = Scope(setting, fact)
    paths = [_path(setting, question, fact, group) for group in groups]
    raw = [scope.shown(_ungrained(group, span), path, required=True) for group, path in zip(groups, paths, strict=True)]
    values = [_dimension(setting, group, value, span) for group, value in zip(groups, raw, strict=True)]
    predicates = Predicates(scope, question.subject, question.figure)
    fans_out = not all(to_one(path) for path in paths)
    fields = {ref: _field(scope, ref) for leaf in leaves for ref in leaf.fields()}
    spread = leaves[0].needs_spread(setting.dialect)
    plain, condition = leaves, None
    if spread or not question.keeps_groups:
        plain, condition = _shared_condition(leaves, grouped=bool(groups))
    where = predicates.all_of(question.filters)
    if plain is not leaves or (fans_out and not leaves[0].ignores_repeats):
        where += predicates.all_of(leaves[0].filters)
    where += [metric_condition(condition, fact, fields)] if condition else []
    if span.period is not None:
        where += predicates.period(span.period, dated_by(span.period, leaves[0]))
    if is_of_one_date(setting, question, leaves[0], groups, span):
        seen = [group.dimension.field for group in groups]
        where.append(latest(setting, leaves[0], scope.alias, question.figure, groups=seen, period=span.period))
    conditions = {leaf: _condition(predicates, leaf) for leaf in plain}
    rows = Rows(
        setting=setting,
        query=scope.select().where(*where) if where else scope.select(),
        groups=tuple((group.name, value) for group, value in zip(groups, values, strict=True)),
        fields=fields,
        conditions=conditions,
        sort_keys={group.name: value for group, value in zip(groups, raw, strict=True) if group.dimension.edges},
    )
    if fans_out:
        _say_repeats(setting, fact, groups, paths)
    once = _key_column(scope) if fans_out and all(leaf.ignores_repeats for leaf in leaves) else None
    if fans_out and once is None:
        key = tuple(scope.column(name) for name in setting.key(fact))
        rows = rows.each_once(key, f"each_{fact}")
    aggregated = rows.spread(plain[0]) if spread else rows.grouped(plain, key=once)
    return replace(aggregated, values={leaf: aggregated.values[bare] for leaf, bare in zip(leaves, plain, strict=True)})


def is_of_one_date(setting: Setting, question: Question, leaf: Leaf, groups: Sequence[Group], span: Span) -> bool:
    """Tell whether a figure of snapshots is as of one date, for each step of time where it is grouped by steps."""
    seen = [group.dimension.field for group in groups]
    return as_of_latest(setting, leaf, groups=seen, filters=question.filters, period=span.period)


def shared_rows(
    setting: Setting, question: Question, leaf: Leaf, groups: Sequence[Group], leaves: Sequence[Leaf]
) -> object:
    """Return what must be equal for two of all `leaves` over one dataset to be taken over the same rows."""
    if all(to_one(_path(setting, question, leaf.dataset, group)) for group in groups):
        return None
    once = {other.filters for other in leaves if other.dataset == leaf.dataset and not other.ignores_repeats}
    return (leaf.filters,) if leaf.filters in once else "as they come"


def _path(setting: Setting, question: Question, fact: str, group: Group) -> Path:
    ref = group.dimension.field
    return route(setting, fact, ref.dataset, ref.via, question.subject)


def _ungrained(group: Group, span: Span) -> FieldRef:
    """Leave the grain to the shift where dates are moved."""
    ref = group.dimension.field
    return ref.model_copy(update={"grain": None}) if span.shift and ref.grain else ref


def _dimension(setting: Setting, group: Group, value: exp.Expr, span: Span) -> exp.Expr:
    ref, edges = group.dimension.field, group.dimension.edges
    if span.shift and ref.grain:
        value = shifted_to(value, ref, span.shift, setting)
    if not edges:
        return value.copy()
    whole = setting.field(ref).type == "integer" or ref.grain is not None
    return banded(value, edges, whole=whole)


def _say_repeats(setting: Setting, fact: str, groups: Sequence[Group], paths: Sequence[Path]) -> None:
    words, one = Words(setting.model), setting.dataset(fact).label
    for group, path in zip(groups, paths, strict=True):
        if not to_one(path):
            many = plural(setting.dataset(group.dimension.field.dataset).label)
            setting.note(f"A {one} with several {many} counts once for each {words.field(group.dimension.field)}.")


def _shared_condition(leaves: Sequence[Leaf], *, grouped: bool) -> tuple[Sequence[Leaf], str | None]:
    """Return aggregates without a condition that all of them have, and the part of it that a metric sets.

    Rows that no figure looks at are left out, and with them the groups that have no others. A metric's own condition
    stays in its call where there are no groups: its sum over no rows is then zero, if it says so.
    """
    taken = [taken_out(leaf) if grouped else (replace(leaf, filters=()), None) for leaf in leaves]
    if len({(leaf.filters, condition) for leaf, (_, condition) in zip(leaves, taken, strict=True)}) > 1:
        return leaves, None
    condition = taken[0][1]
    return ([bare for bare, _ in taken], condition) if condition or leaves[0].filters else (leaves, None)


def _condition(predicates: Predicates, leaf: Leaf) -> exp.Expr | None:
    return exp.and_(*predicates.all_of(leaf.filters, required=False, chooses_rows=False)) if leaf.filters else None


def _field(scope: Scope, ref: FieldRef) -> exp.Expr:
    path = route(scope.setting, scope.base, ref.dataset, ref.via)
    if not to_one(path):
        raise IntentNotCovered(f"rows of {scope.base!r} have no single {ref.field!r}")
    return scope.value(ref, path, required=False)


def _key_column(scope: Scope) -> exp.Expr:
    key = scope.setting.key(scope.base)
    if len(key) > 1:
        raise IntentNotCovered(f"rows of {scope.base!r} have a composite key and cannot be counted once")
    return scope.column(key[0])
