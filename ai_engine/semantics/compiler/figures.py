"""Measures taken apart: the aggregate calls they need, and how those combine into one figure."""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import dataclass

import sqlglot
from sqlglot import exp

from ai_engine.errors import IntentNotCovered
from ai_engine.semantics.compiler.dialects import divide, divide_by_number, literal, wrapped
from ai_engine.semantics.compiler.leaves import Leaf
from ai_engine.semantics.compiler.scope import Setting
from ai_engine.semantics.intent import FieldRef, Measure
from ai_engine.semantics.join_paths import many_to_one_paths
from ai_engine.semantics.model import SemanticModel


@dataclass(frozen=True)
class Figure:
    """A formula over aggregate calls, which it names by position: placeholders 0, 1, ..."""

    leaves: tuple[Leaf, ...]
    formula: exp.Expr

    @property
    def adds_up(self) -> bool:
        """Whether the figures of the groups make a whole: sums and counts do, an average and a ratio do not."""
        divisors = (divided.expression for divided in self.formula.find_all(exp.Div))
        return all(leaf.empty_is_zero for leaf in self.leaves) and not any(
            divisor.find(exp.Placeholder) for divisor in divisors
        )

    def with_values(self, values: Mapping[Leaf, exp.Expr]) -> exp.Expr:
        """Return the formula with a value in place of each aggregate call."""

        def replaced(node: exp.Expr) -> exp.Expr:
            if isinstance(node, exp.Coalesce) and isinstance(node.this, exp.Placeholder):
                value = values[self.leaves[int(node.this.name)]]
                return value.copy() if _is_filled(value) else node
            if not isinstance(node, exp.Placeholder):
                return node
            value = values[self.leaves[int(node.name)]]
            return wrapped(value) if isinstance(node.parent, exp.Binary) else value.copy()

        return self.formula.transform(replaced)


def figure_of(measure: Measure, setting: Setting) -> Figure:
    """Take a measure apart; its transform is left to the caller.

    Raises:
        IntentNotCovered: the measure names nothing, or its metric cannot be read.
    """
    if measure.shown_in is not None:
        whole = figure_of(measure.model_copy(update={"shown_in": None}), setting)
        scale = literal(measure.shown_in).name
        return Figure(whole.leaves, divide_by_number(wrapped(whole.formula), scale, setting.dialect))
    figure = _metric(measure, setting) if measure.metric is not None else _aggregate(measure, setting)
    if measure.minus is not None:
        figure = _difference(figure, measure, setting)
    if measure.denominator is None:
        return figure
    below = figure_of(measure.denominator, setting)
    above = wrapped(figure.formula) if measure.minus is not None else figure.formula
    ratio = divide(above, _following(figure, below), setting.dialect, 100 if measure.percent else 1)
    return Figure(figure.leaves + below.leaves, ratio)


def _difference(figure: Figure, measure: Measure, setting: Setting) -> Figure:
    """Subtract; where the two sides look at other rows, a group may have rows of one of them only."""
    if measure.minus is None or measure.minus.transform or (measure.percent and measure.denominator is None):
        raise IntentNotCovered("a difference is of two plain figures")
    taken_off = figure_of(measure.minus, setting)
    leaves = figure.leaves + taken_off.leaves
    if any(leaf.aggregate in ("min", "max") and not _is_number(leaf, setting) for leaf in leaves):
        raise IntentNotCovered("only numbers are subtracted")
    sides: exp.Expr = exp.Sub(this=wrapped(figure.formula), expression=wrapped(_following(figure, taken_off)))
    if len({(leaf.dataset, leaf.filters) for leaf in leaves}) > 1:
        zero = {str(index) for index, leaf in enumerate(leaves) if leaf.empty_is_zero and not leaf.is_count}
        sides = sides.transform(
            lambda node: (
                exp.func("COALESCE", node.copy(), exp.Literal.number(0))
                if isinstance(node, exp.Placeholder) and node.name in zero and not isinstance(node.parent, exp.Coalesce)
                else node
            )
        )
    return Figure(leaves, sides)


def _is_filled(value: exp.Expr) -> bool:
    """Tell whether a value has something in place of NULL already."""
    inner = value.this.selects[0] if isinstance(value, exp.Subquery) else value
    return isinstance(inner, exp.Coalesce)


def _following(first: Figure, second: Figure) -> exp.Expr:
    """Return the second formula, its placeholders numbered on from the first's."""
    shift = len(first.leaves)
    return second.formula.transform(
        lambda node: _placeholder(int(node.name) + shift) if isinstance(node, exp.Placeholder) else node
    )


def _is_number(leaf: Leaf, setting: Setting) -> bool:
    return leaf.argument is not None and (
        leaf.argument.grain == "age_years" or setting.field(leaf.argument).type in ("integer", "decimal", "float")
    )


def _aggregate(measure: Measure, setting: Setting) -> Figure:
    dataset = measure.dataset or (measure.field.dataset if measure.field else None)
    if dataset is None:
        raise IntentNotCovered("a measure names neither a metric, a field nor a dataset")
    if measure.field is None and measure.aggregate not in (None, "count", "count_distinct"):
        raise IntentNotCovered(f"{measure.aggregate!r} needs a field")
    aggregate = measure.aggregate or "count"
    if measure.field is not None and measure.aggregate is None:
        aggregate = setting.field(measure.field).default_aggregate or "sum"
    time = setting.dataset(dataset).default_time
    leaf = Leaf(
        dataset=dataset,
        aggregate=aggregate,
        argument=measure.field,
        weight=measure.weight,
        quantile=measure.quantile,
        filters=measure.filters,
        time=FieldRef(dataset=dataset, field=time) if time else None,
    )
    return Figure((leaf,), _placeholder(0))


def _metric(measure: Measure, setting: Setting) -> Figure:
    try:
        metric = setting.model.metric(str(measure.metric))
        tree = sqlglot.parse_one(metric.expression)
    except (KeyError, sqlglot.ParseError):
        raise IntentNotCovered(f"there is no readable metric {measure.metric!r}") from None
    time = None
    if metric.time_field is not None:
        dataset, _, name = metric.time_field.partition(".")
        time = FieldRef(dataset=dataset, field=name)
    home = next((column.table for column in tree.find_all(exp.Column) if column.table), None)
    leaves: list[Leaf] = []

    def taken_apart(node: exp.Expr) -> exp.Expr:
        if not isinstance(node, exp.AggFunc | exp.Filter):
            return node
        names = {column.table for column in node.find_all(exp.Column) if column.table}
        dataset = rows_of(names, setting.model) if names else home
        if dataset is None:
            raise IntentNotCovered(f"an aggregate of the metric {metric.name!r} is not over rows of one dataset")
        leaf = Leaf(dataset=dataset, call=node.sql(), filters=measure.filters, time=_dated(time, dataset, setting))
        if leaf not in leaves:
            leaves.append(leaf)
        return _placeholder(leaves.index(leaf))

    formula = _safe_division(tree.transform(taken_apart), setting)
    if not leaves:
        raise IntentNotCovered(f"the metric {metric.name!r} aggregates nothing")
    return Figure(tuple(leaves), formula)


def rows_of(datasets: Set[str], model: SemanticModel) -> str | None:
    """Return the dataset whose rows belong to at most one row of each of the others, None where there is none."""
    if len(datasets) == 1:
        return next(iter(datasets))
    over = [
        name
        for name in sorted(datasets)
        if all(many_to_one_paths(model, name, other) for other in datasets if other != name)
    ]
    return over[0] if len(over) == 1 else None


def _dated(time: FieldRef | None, dataset: str, setting: Setting) -> FieldRef | None:
    """Return what dates one part of a metric: the metric's own date, or that of the part's rows."""
    if time is None or time.dataset == dataset:
        return time
    own = setting.dataset(dataset).default_time
    return FieldRef(dataset=dataset, field=own) if own else time


def _safe_division(tree: exp.Expr, setting: Setting) -> exp.Expr:
    def safe(node: exp.Expr) -> exp.Expr:
        if not isinstance(node, exp.Div):
            return node
        if isinstance(node.expression, exp.Literal):
            return divide_by_number(node.this, node.expression.name, setting.dialect)
        return divide(node.this, node.expression, setting.dialect)

    return tree.transform(safe)


def _placeholder(position: int) -> exp.Placeholder:
    return exp.Placeholder(this=str(position))
