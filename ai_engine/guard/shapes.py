"""What a subquery, a common table expression or a SELECT looks like from outside."""

from __future__ import annotations

from dataclasses import replace

from sqlglot import exp

from ai_engine.guard.scopes import OutputColumn, Shape, Source, local_nodes


def derived(alias: exp.Identifier, shape: Shape) -> Source:
    """The source that a subquery or a common table expression makes; of columns with one name the first counts."""
    columns: dict[str, OutputColumn] = {}
    for column in shape.columns:
        columns.setdefault(column.name.lower(), column)
    return Source(alias=alias, columns=columns, single_row=shape.single_row)


def renamed(shape: Shape, alias: exp.TableAlias | None) -> Shape:
    """Apply `AS name(a, b)` to what a query gives."""
    names = alias.args.get("columns") if alias is not None else None
    if not names:
        return shape
    new = [identifier.name for identifier in names]
    columns = [replace(column, name=name) for name, column in zip(new, shape.columns, strict=False)]
    columns += [OutputColumn(name) for name in new[len(columns) :]]
    return Shape((*columns, *shape.columns[len(new) :]), shape.single_row)


def is_single_row(select: exp.Select) -> bool:
    """Whether a SELECT can give one row at most."""
    limit = select.args.get("limit")
    if isinstance(limit, exp.Limit) and isinstance(limit.expression, exp.Literal) and limit.expression.this == "1":
        return limit.args.get("limit_options") is None
    if select.args.get("group") is not None:
        return False
    if select.args.get("from_") is None:
        return True
    return any(
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
