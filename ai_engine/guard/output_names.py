"""What the columns of a result are called: as the database calls those of the statement that a person wrote."""

from __future__ import annotations

import re
from collections.abc import Mapping

from sqlglot import exp

from ai_engine.guard.parsing import text_of
from ai_engine.guard.reading import Reading
from ai_engine.guard.refusal import refuse
from ai_engine.guard.scopes import OutputColumn, Reference, spelled
from ai_engine.guard.warehouses import WAREHOUSES

_LONGEST_NAME_CHARS = {"mysql": 255, "tsql": 128, "oracle": 128, "snowflake": 255, "bigquery": 300}
_IN_NO_NAME = (re.compile(r"""[\\'"`\[\]]"""), re.compile(r"\W+", re.ASCII))
_IN_NO_NAME_OF_MYSQL = re.compile(r"[^\0-\uffff]")  # in place of which it puts a question mark, or fails
_BEFORE_A_NAME_OF_MYSQL = "".join(map(chr, range(33))) + "\x7f"
_AROUND_A_NAME = (exp.Cast, exp.TryCast, exp.Collate, exp.Paren, exp.Bracket)
_TRANSPARENT = (exp.Collate, exp.Paren, exp.Bracket, exp.Window, exp.Filter, exp.WithinGroup)
_OPERATORS = (exp.Connector, exp.RegexpLike, exp.RegexpILike)
_CALLED = re.compile(r"(?!CAST\()(\w+)(?:[\[(]|$)")
_TRIMS = {"LEADING": "ltrim", "TRAILING": "rtrim"}
_OWN_TYPE_NAMES = {
    **{"int": "int4", "bigint": "int8", "smallint": "int2", "real": "float4", "double": "float8"},
    **{"decimal": "numeric", "char": "bpchar", "boolean": "bool"},
}


def leftmost(query: exp.Expr) -> exp.Select:
    """The SELECT whose list of columns names those of a query."""
    while not isinstance(query, exp.Select):
        query = query.this
    return query


def output_names(select: exp.Select, reading: Reading, dialect: str) -> list[str]:
    """Say what each column is called, stars written out; "" where PostgreSQL finds a name that no alias changes.

    A column without a name is called by its text, save in PostgreSQL, which has rules of its own.
    """
    found = {id(column): reference for column, reference in reading.columns}
    names: list[str] = []
    for item in select.expressions:
        values = reading.stars.get(id(item))
        if values is not None:
            names += [_starred(value[0][1], dialect) for value in values]
        elif isinstance(item, exp.Alias):
            names.append(spelled(item.args["alias"], dialect))
        elif isinstance(item, exp.Column):
            as_written = dialect == "mysql" or (id(item) in found and found[id(item)].item is not None)
            names.append(item.name if as_written else name_in_postgres(item, found))
        elif dialect == "postgres":
            names.append(_called_by_postgres(item, found))
        else:
            names.append(_text(item, dialect))
    if any("\0" in name for name in names):
        raise refuse("a column may not be called by a text with a NUL: write AS and a name behind it")
    return [_IN_NO_NAME_OF_MYSQL.sub("?", name) for name in names] if dialect == "mysql" else names


def _starred(column: OutputColumn, dialect: str) -> str:
    return column.name if column.unnamed is None else _text(column.unnamed, dialect)


def _text(item: exp.Expr, dialect: str) -> str:
    """What a column is called that nobody named."""
    if dialect == "mysql" and isinstance(item, exp.Literal):
        return item.name.lstrip(_BEFORE_A_NAME_OF_MYSQL).rstrip(" ")
    text = text_of(exp.Select(expressions=[item.copy()]), dialect, keep=False).removeprefix("SELECT ")
    if dialect in WAREHOUSES:  # some of which take no such sign in a name, however it is quoted
        text = _IN_NO_NAME[dialect == "bigquery"].sub("_", text).strip("_")
    return text[: _LONGEST_NAME_CHARS.get(dialect)].strip()


def _called_by_postgres(item: exp.Expr, found: Mapping[int, Reference]) -> str:
    """What an item is called whose own name is lost when it is written out; "" where PostgreSQL still finds it."""
    value = item
    while isinstance(value, (*_AROUND_A_NAME, exp.Case)):
        inside = value.args.get("default") if isinstance(value, exp.Case) else value.this
        if inside is None:
            return ""
        value = inside
    return name_in_postgres(item, found) if isinstance(value, (exp.Column, exp.Subquery)) else ""


def name_in_postgres(item: exp.Expr, found: Mapping[int, Reference]) -> str:
    """What PostgreSQL calls an item of a list of columns, by which ORDER BY and the query around it may name it.

    Args:
        found: id of a column → what it means.
    """
    if isinstance(item, exp.Alias):
        return spelled(item.args["alias"], "postgres")
    return _figured(item, found)[0] or "?column?"


def _figured(value: exp.Expr | None, found: Mapping[int, Reference]) -> tuple[str, bool]:
    """A name, and whether a cast or CASE around it keeps it."""
    while isinstance(value, _TRANSPARENT):
        value = value.this
    if isinstance(value, exp.Column):
        reference = found.get(id(value))
        return reference.column.name if reference is not None else value.name, True
    if isinstance(value, (exp.Cast, exp.TryCast)):
        inside = _figured(value.this, found)
        return inside if inside[1] else (_type_in_postgres(value.to), False)
    if isinstance(value, exp.Case):
        inside = _figured(value.args.get("default"), found)
        return inside if inside[1] else ("case", False)
    if isinstance(value, exp.Query):
        return name_in_postgres(leftmost(value).expressions[0], found), True
    if isinstance(value, exp.Interval):
        return "interval", False
    if isinstance(value, exp.Tuple):
        return "row", True
    if isinstance(value, exp.AtTimeZone):
        return "timezone", True
    if isinstance(value, exp.Trim):
        return _TRIMS.get(value.args.get("position") or "", "btrim"), True
    if not isinstance(value, (exp.Func, exp.IntDiv)) or isinstance(value, _OPERATORS):
        return "", False
    called = _CALLED.match(_text(value, "postgres"))
    return (called[1].lower(), True) if called else ("", False)


def _type_in_postgres(kind: exp.DataType) -> str:
    name = kind.sql("postgres").partition("(")[0].partition(" ")[0].lower()
    return _OWN_TYPE_NAMES.get(name, name)
