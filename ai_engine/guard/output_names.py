"""What the columns of a result are called: as the database calls those of the statement that a person wrote."""

from __future__ import annotations

from sqlglot import exp

from ai_engine.guard.parsing import text_of
from ai_engine.guard.reading import Reading
from ai_engine.guard.scopes import spelled

_LONGEST_NAME_CHARS = {"mysql": 255}
_AROUND_A_NAME = (exp.Cast, exp.TryCast, exp.Collate, exp.Paren)


def leftmost(query: exp.Expr) -> exp.Select:
    """The SELECT whose list of columns names those of a query."""
    while not isinstance(query, exp.Select):
        query = query.this
    return query


def output_names(select: exp.Select, reading: Reading, dialect: str) -> list[str]:
    """Say what each column is called, stars written out; "" where PostgreSQL finds a name that no alias changes.

    A column without a name is called by its text, save in PostgreSQL, which has rules of its own.
    """
    found = {id(column): reference.column.name for column, reference in reading.columns}
    names: list[str] = []
    for item in select.expressions:
        values = reading.stars.get(id(item))
        if values is not None:
            names += [value[0][1].name for value in values]
        elif isinstance(item, exp.Alias):
            names.append(spelled(item.args["alias"], dialect))
        elif isinstance(item, exp.Column):
            names.append(item.name if dialect == "mysql" else found.get(id(item), item.name))
        elif dialect == "postgres":
            names.append(_called_by_postgres(item, found))
        else:
            names.append(_text(item, dialect))
    return names


def _text(item: exp.Expr, dialect: str) -> str:
    if dialect == "mysql" and isinstance(item, exp.Literal):
        return item.name
    text = text_of(exp.Select(expressions=[item.copy()]), dialect, keep=False).removeprefix("SELECT ")
    return text[: _LONGEST_NAME_CHARS.get(dialect)].strip()


def _called_by_postgres(value: exp.Expr | None, found: dict[int, str]) -> str:
    """The column that PostgreSQL names a value after; "" where it takes a function, a type or nothing."""
    while isinstance(value, _AROUND_A_NAME):
        value = value.this
    if isinstance(value, exp.Column):
        return found.get(id(value), value.name)
    if isinstance(value, exp.Case):
        return _called_by_postgres(value.args.get("default"), found)
    if isinstance(value, exp.Subquery) and isinstance(value.this, exp.Query):
        first = leftmost(value.this).expressions[0]
        alias = first.args.get("alias")
        return spelled(alias, "postgres") if isinstance(alias, exp.Identifier) else _called_by_postgres(first, found)
    return ""
