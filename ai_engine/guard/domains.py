"""Columns of a domain of PostgreSQL with a CHECK are read as what the domain is of.

A text in a statement takes the type of what it is given beside, as `LAG(code, 1, 'x')` gives it that of `code`, and is
then asked of that domain's CHECK, which may look into any table and whose error tells what it found.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from sqlglot import exp

from ai_engine.catalogue import Catalogue
from ai_engine.guard.tables import table_of

OF_A_DOMAIN_COLUMN = 3
"""Parts of a statement that a column which is read so takes."""
_SIZE = re.compile(r"\(\d+(?:,\d+)?\)$")
_CAST_TO = {
    name: exp.DataType.build(name, dialect="postgres").this
    for name in (
        *("SMALLINT", "INTEGER", "BIGINT", "NUMERIC", "REAL", "DOUBLE PRECISION", "BOOLEAN", "TEXT"),
        *("CHARACTER VARYING", "DATE", "TIMESTAMP WITHOUT TIME ZONE", "TIMESTAMP WITH TIME ZONE"),
    )
}
"""Under which PostgreSQL finds an index over the column; none of these names cuts a value short."""


def read_domains(nodes: Iterable[exp.Expr], catalogue: Catalogue) -> bool:
    """Read columns of domains as what these are of, in a statement that is written out; return whether there are any.

    Args:
        nodes: all that the statement has, outer before inner.
    """
    if catalogue.dialect != "postgres":
        return False
    known = list(nodes)
    tables = {node.alias: table_of(node, catalogue) for node in known if isinstance(node, exp.Table)}
    kinds = {
        (alias, column.name): column.native_type
        for alias, table in tables.items()
        for column in (table.columns if table is not None else ())
        if column.is_checked
    }
    read = [node for node in known if isinstance(node, exp.Column) and (node.table, node.name) in kinds]
    for column in read:
        _read(column, kinds[column.table, column.name])
    return bool(read)


def _read(column: exp.Column, native_type: str) -> None:
    parent, place = column.parent, exp.Placeholder()
    column.replace(place)
    kind = _CAST_TO.get(_SIZE.sub("", native_type))
    value: exp.Expr = exp.Coalesce(this=column, expressions=[exp.Null()])  # which is of no domain either
    if kind is not None:
        value = exp.Cast(this=column, to=exp.DataType(this=kind, nested=False))
    if isinstance(parent, exp.Select):
        value = exp.Alias(this=value, alias=exp.Identifier(this=column.name, quoted=True))
    place.replace(value)
