"""A figure of one listed row: how many accounts this customer has, what they hold together."""

from __future__ import annotations

from sqlglot import exp

from ai_engine.errors import IntentNotCovered
from ai_engine.semantics.compiler.facts import Question, dated_by
from ai_engine.semantics.compiler.figures import Leaf, aggregate_call, figure_of
from ai_engine.semantics.compiler.predicates import Predicates
from ai_engine.semantics.compiler.routes import route
from ai_engine.semantics.compiler.scope import Scope
from ai_engine.semantics.intent import Measure, Period
from ai_engine.semantics.join_paths import Path


def row_figure(measure: Measure, scope: Scope, question: Question, period: Period | None) -> exp.Expr:
    """Return a figure over the rows related to the current row, zero where there is nothing to count or add up."""
    if measure.transform is not None:
        raise IntentNotCovered("a figure of one row cannot look at other rows")
    figure = figure_of(measure, scope.setting)
    values = {leaf: _related(leaf, scope, question, period) for leaf in figure.leaves}
    return figure.with_values(values)


def _related(leaf: Leaf, scope: Scope, question: Question, period: Period | None) -> exp.Expr:
    setting = scope.setting
    path = route(setting, scope.base, leaf.dataset)
    hop = next((index for index, step in enumerate(path) if not step.to_one), None)
    if hop is None:
        return _own(leaf, scope)
    walk, rest = path[: hop + 1], path[hop + 1 :]
    if any(step.to_one for step in rest) and not leaf.ignores_repeats:
        raise IntentNotCovered(f"rows of {leaf.dataset!r} would be counted several times")
    inner = Scope(setting, walk[-1].target, set(scope.taken))
    inner.join(rest, required=True)
    predicates = Predicates(inner, None, question.figure, rest)
    where = [*Predicates(scope, None, question.figure).link(walk, inner.alias), *predicates.all_of(leaf.filters)]
    if period is not None:
        where += predicates.period(period, dated_by(period, leaf))
    fields = {}
    for ref in leaf.fields():
        way = route(setting, leaf.dataset, ref.dataset, ref.via)
        fields[ref] = inner.value(ref, (*rest, *way), required=False)
    key = _key(leaf, inner, rest) if any(step.to_one for step in rest) else None
    call = aggregate_call(leaf, setting, fields, None, key)
    if leaf.empty_is_zero and not leaf.is_count:
        call = exp.func("COALESCE", call, exp.Literal.number(0))
    return exp.Subquery(this=inner.select().select(call).where(*where))


def _own(leaf: Leaf, scope: Scope) -> exp.Expr:
    """Return a field of the row itself: over a single row, every aggregate of it is its value."""
    single = leaf.aggregate in ("sum", "avg", "min", "max", "median")
    if leaf.argument is None or leaf.weight is not None or leaf.filters or not single:
        raise IntentNotCovered("a single row has no such figure")
    path = route(scope.setting, scope.base, leaf.argument.dataset, leaf.argument.via)
    return scope.value(leaf.argument, path, required=False)


def _key(leaf: Leaf, inner: Scope, rest: Path) -> exp.Expr:
    key = inner.setting.key(leaf.dataset)
    if len(key) > 1:
        raise IntentNotCovered(f"rows of {leaf.dataset!r} have a composite key and cannot be counted once")
    return inner.column(key[0], rest)
