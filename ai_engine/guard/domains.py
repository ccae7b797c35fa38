"""Columns of a domain of PostgreSQL with a CHECK are read as what the domain is of.

A text in a statement takes the type of what it is given beside, as `LAG(code, 1, 'x')` gives it that of `code`, and is
then asked of that domain's CHECK, which may look into any table and whose error tells what it found.
"""

from __future__ import annotations

from collections.abc import Iterable

from sqlglot import exp

from ai_engine.catalogue import Catalogue
from ai_engine.guard.tables import table_of

OF_A_DOMAIN_COLUMN = 3
"""Parts of a statement that a column which is read so takes."""
_CAST_TO = frozenset(
    getattr(exp.DataType.Type, name)
    for name in "SMALLINT INT BIGINT DECIMAL FLOAT DOUBLE BOOLEAN TEXT VARCHAR DATE TIMESTAMP TIMESTAMPTZ".split()
)
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
    kind = exp.DataType.build(native_type, dialect="postgres", udt=True).this
    value: exp.Expr = exp.Cast(this=column, to=exp.DataType(this=kind, nested=False))
    if kind not in _CAST_TO:
        value = exp.Coalesce(this=column, expressions=[exp.Null()])  # which is of no domain either
    if isinstance(parent, exp.Select):
        value = exp.Alias(this=value, alias=exp.Identifier(this=column.name, quoted=True))
    place.replace(value)
