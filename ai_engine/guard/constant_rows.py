"""Rows that a statement brings along: VALUES lists in FROM, and SELECTs of constants joined by UNION ALL."""

from __future__ import annotations

from collections.abc import Callable

from sqlglot import exp

from ai_engine.guard.refusal import refuse, written
from ai_engine.guard.scopes import OutputColumn, Shape

_CONSTANTS = (exp.Literal, exp.Null, exp.Boolean)
_COLUMN_OF_VALUES = {"duckdb": ("col", 0), "postgres": ("column", 1), "sqlite": ("column", 1), "spark": ("col", 1)}


def values_shape(
    values: exp.Values, dialect: str, most_rows: int, chars_of: Callable[[exp.Expr], int] | None = None
) -> Shape:
    """Say what a VALUES list gives, its columns called as the engine calls them.

    With `chars_of`, which tells how wide a value is, its values need not be constants.

    Raises:
        SqlRejected: something else than constants, rows of different length, or more than `most_rows`.
    """
    extra = [arg for arg, value in values.args.items() if value and arg not in {"expressions", "alias"}]
    if extra:
        raise refuse("a list of VALUES may only be given an alias", written(values))
    rows = [row.expressions if isinstance(row, exp.Tuple) else [row] for row in values.expressions]
    if len(rows) > most_rows:
        raise refuse(f"a list of VALUES may have at most {most_rows} rows", "VALUES")
    if len({len(row) for row in rows}) != 1:
        raise refuse("the rows of VALUES must have one length", written(values))
    for value in (value for row in rows for value in row):
        if chars_of is None and not is_constant(value):
            raise refuse("VALUES may only hold constants", written(value))
    named = values.args["alias"].args.get("columns") if values.args.get("alias") is not None else None
    if dialect not in _COLUMN_OF_VALUES and len(named or ()) != len(rows[0]):
        raise refuse("name the columns of VALUES: FROM (VALUES (1, 2)) AS t(a, b)", "VALUES")
    prefix, first = _COLUMN_OF_VALUES.get(dialect, ("", 1))
    width = chars_of or (lambda value: len(value.name))
    widest = [max(width(value) for value in column) for column in zip(*rows, strict=True)]
    columns = [OutputColumn(f"{prefix}{first + place}", chars=max(chars, 20)) for place, chars in enumerate(widest)]
    return Shape(tuple(columns), len(rows), condensed=True)


def is_constant(value: exp.Expr) -> bool:
    """Whether a value is a literal, perhaps with a sign or a type."""
    while isinstance(value, (exp.Neg, exp.Paren, exp.Cast)):
        value = value.this
    return isinstance(value, _CONSTANTS)


def gives_constant_rows(query: exp.Expr) -> bool:
    """Whether a query is `SELECT 1 UNION ALL SELECT 2 ...` over constants alone, which no policy needs to forbid."""
    parts = [query]
    while parts:
        part = parts.pop()
        given = {arg for arg, value in part.args.items() if value}
        if isinstance(part, exp.Union) and given == {"this", "expression"}:
            parts += [part.this, part.expression]
            continue
        if not isinstance(part, exp.Select) or given != {"expressions"}:
            return False
        if not all(is_constant(item.unalias()) for item in part.expressions):
            return False
    return True
