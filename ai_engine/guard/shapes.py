"""What a subquery, a common table expression or a SELECT looks like from outside."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from math import prod

from sqlglot import exp

from ai_engine.guard.scopes import OutputColumn, Shape, Source, local_nodes


def derived(alias: exp.Identifier, shape: Shape) -> Source:
    """The source that a subquery or a common table expression makes; of columns with one name the first counts."""
    columns: dict[str, OutputColumn] = {}
    for column in shape.columns:
        columns.setdefault(column.name.lower(), column)
    return Source(alias=alias, columns=columns, most_rows=shape.most_rows)


def both(left: OutputColumn, right: OutputColumn) -> OutputColumn:
    """The column that a set operation makes of one column of each side."""
    return OutputColumn(left.name, left.constant and right.constant, max(left.chars, right.chars))


def renamed(shape: Shape, alias: exp.TableAlias | None) -> Shape:
    """Apply `AS name(a, b)` to what a query gives."""
    names = alias.args.get("columns") if alias is not None else None
    if not names:
        return shape
    new = [identifier.name for identifier in names]
    columns = [replace(column, name=name) for name, column in zip(new, shape.columns, strict=False)]
    columns += [OutputColumn(name) for name in new[len(columns) :]]
    return Shape((*columns, *shape.columns[len(new) :]), shape.most_rows)


def most_rows(select: exp.Select, sources: Iterable[Source]) -> int | None:
    """How many rows a SELECT can give at most; None where the tables decide."""
    bounds = [source.most_rows for source in sources]
    rows = None if None in bounds else prod(bound for bound in bounds if bound is not None)
    if _collapses_rows(select):
        return 1
    limit = select.args.get("limit")
    count = limit.expression if isinstance(limit, exp.Limit) and limit.args.get("limit_options") is None else None
    if isinstance(count, exp.Literal) and not count.is_string and count.this.isdecimal():
        asked = int(count.this[:9])
        return asked if rows is None else min(asked, rows)
    return rows


def gives_one_value(value: exp.Expr) -> bool:
    """Whether a value looks as if it came from the row, and is the same in every one: `x * 0`, `COUNT(*) OVER ()`."""
    if isinstance(value, exp.Paren):
        return gives_one_value(value.this)
    if isinstance(value, exp.Window):
        return (
            not value.args.get("partition_by") and not value.args.get("order") and isinstance(value.this, exp.AggFunc)
        )
    if isinstance(value, exp.Mul):
        return _is_zero(value.left) or _is_zero(value.right)
    if isinstance(value, exp.Mod):
        return isinstance(value.right, exp.Literal) and value.right.this == "1"
    if isinstance(value, (exp.Sub, exp.Div)):
        return bool(value.left == value.right)
    if isinstance(value, (exp.Add, exp.DPipe)):
        return all(isinstance(side, exp.Literal) or gives_one_value(side) for side in (value.left, value.right))
    return False


def _is_zero(value: exp.Expr) -> bool:
    return isinstance(value, exp.Literal) and not value.this.strip("0.")


def _collapses_rows(select: exp.Select) -> bool:
    """Whether all rows become one, by an aggregate without GROUP BY."""
    return select.args.get("group") is None and any(
        isinstance(node, exp.AggFunc) and not isinstance(node, exp.Anonymous) and _collapses(node, select)
        for node in local_nodes(*select.expressions)
    )


def _collapses(aggregate: exp.Expr, select: exp.Select) -> bool:
    """An aggregate with a window gives one value per row; an order or a filter may stand between the two."""
    node = aggregate.parent
    while node is not None and node is not select:
        if isinstance(node, exp.Window) and not _is_argument(aggregate, node):
            return False
        node = node.parent
    return True


def _is_argument(aggregate: exp.Expr, window: exp.Window) -> bool:
    """In `SUM(SUM(x)) OVER ()` the inner sum collapses the rows, the outer one does not."""
    called = window.this
    while isinstance(called, (exp.Filter, exp.IgnoreNulls, exp.RespectNulls, exp.WithinGroup)):
        called = called.this
    return aggregate is not called
