"""PIVOT and UNPIVOT after an item of FROM, as DuckDB has them: which columns come out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from sqlglot import exp

from ai_engine.guard.constant_rows import is_constant
from ai_engine.guard.refusal import refuse, written
from ai_engine.guard.scopes import OutputColumn, Source

_MOST_VALUES = 100
_SHAPING_ARGS = frozenset({"expressions", "fields", "unpivot", "group", "alias"})
_DERIVED_ARGS = frozenset({"columns", "pivot_column_naming"})  # what the parser adds by itself


def pivoted(item: exp.Expr, source: Source, resolve: Callable[[list[exp.Expr]], int]) -> Source:
    """Say what is left of a source after its PIVOT or UNPIVOT.

    `resolve` judges expressions over the columns of the source, and says how large they are.

    Raises:
        SqlRejected: more than one, a form that is not known, or a source with restricted columns, which PIVOT would
            group by without naming them.
    """
    pivot, *others = item.args["pivots"]
    extra = [arg for arg, value in pivot.args.items() if value and arg not in _SHAPING_ARGS | _DERIVED_ARGS]
    if others or extra or len(pivot.args.get("fields") or ()) != 1:
        raise refuse("only one plain PIVOT or UNPIVOT may follow a table", written(pivot))
    if source.restricted:
        raise refuse(
            f"{source.table} has restricted columns: name the others in a subquery to pivot them", source.table
        )
    field = pivot.args["fields"][0]
    if not isinstance(field, exp.In) or not field.expressions or len(field.expressions) > _MOST_VALUES:
        raise refuse(f"FOR needs IN with at most {_MOST_VALUES} values", written(pivot))
    kept, made, size = (_unpivot if pivot.args.get("unpivot") else _pivot)(pivot, field, resolve)
    columns = {
        key: replace(column, inner="")
        for key, column in source.columns.items()
        if (key in kept[0] if kept[0] else key not in kept[1])
    }
    if not columns.keys().isdisjoint(map(str.lower, made)) or len(made) > len({name.lower() for name in made}):
        raise refuse("give what a PIVOT makes names of its own", written(pivot))
    columns |= {name.lower(): OutputColumn(name, size=size) for name in made}
    alias = pivot.args.get("alias")
    if alias is not None and alias.args.get("columns"):
        raise refuse("the columns of a PIVOT may not be renamed", alias.name)
    name = alias.this if alias is not None else source.alias
    return replace(source, alias=name, columns=columns, listed=tuple(columns.values()), condensed=True)


def _pivot(
    pivot: exp.Pivot, field: exp.In, resolve: Callable[[list[exp.Expr]], int]
) -> tuple[tuple[set[str], set[str]], list[str], int]:
    """Names of columns kept, or of those left out; the new names; how large what is resolved is."""
    for value in field.expressions:
        if not is_constant(value.this if isinstance(value, exp.PivotAlias) else value):
            raise refuse("PIVOT may only make columns of constants", written(value))
        if not _is_called_as_written(value):
            raise refuse(f"give the value {written(value)} of PIVOT an alias", written(value))
    for aggregate in pivot.expressions:
        if not isinstance(aggregate.unalias(), exp.AggFunc):
            raise refuse("PIVOT takes aggregates", written(aggregate))
        is_named = isinstance(aggregate, exp.Alias) or type(aggregate.this) is exp.Column
        if len(pivot.expressions) > 1 and not is_named:
            raise refuse(f"give {written(aggregate)} an alias, as there are several aggregates", written(aggregate))
    group = pivot.args.get("group")
    grouped = list(group.expressions) if group is not None else []
    size = resolve([*pivot.expressions, field.this, *grouped])
    used = {column.name.lower() for part in (*pivot.expressions, field.this) for column in part.find_all(exp.Column)}
    made = [name.name for name in pivot.args.get("columns") or ()]
    return ({column.name.lower() for column in grouped}, used), made, size


def _is_called_as_written(value: exp.Expr) -> bool:
    """Whether DuckDB and sqlglot call the column of a value alike."""
    return isinstance(value, (exp.PivotAlias, exp.Null)) or (isinstance(value, exp.Literal) and value.name != "")


def _unpivot(
    pivot: exp.Pivot, field: exp.In, resolve: Callable[[list[exp.Expr]], int]
) -> tuple[tuple[set[str], set[str]], list[str], int]:
    """Names of columns left out; the two new ones; how large what is resolved is."""
    names = [field.this, *pivot.expressions]
    if len(names) != 2 or not all(isinstance(name, exp.Identifier) for name in names):
        raise refuse("UNPIVOT takes one name for the values and one for their columns", written(pivot))
    if not all(type(column) is exp.Column for column in field.expressions):
        raise refuse("UNPIVOT takes columns", written(field))
    size = resolve(list(field.expressions))
    return (set(), {column.name.lower() for column in field.expressions}), [name.name for name in names], size
