"""A vocabulary's tables and fields as SQL of the database they were read from."""

from __future__ import annotations

from collections.abc import Callable

import sqlglot
from sqlglot import exp

from ai_engine.catalogue import Catalogue, Table


def table_source(catalogue: Catalogue, source: str) -> exp.Expr:
    """Return a dataset's table as it is spelled in the database, quoted.

    Args:
        catalogue: the tables that exist.
        source: the table, with its schema where there is one.
    """
    table = _table(catalogue, source)
    if table is None:
        return exp.to_table(source, dialect=catalogue.dialect)
    return exp.table_(table.name, db=table.schema, quoted=True)


def field_value(catalogue: Catalogue, source: str, expression: str) -> exp.Expr:
    """Parse a field; columns are spelled and quoted as stored, since a name may be a word of SQL or have capitals.

    Raises:
        SqlglotError: the expression is no SQL.
    """
    table = _table(catalogue, source)
    column = table.column(expression) if table else None
    if column is not None:
        return exp.column(column.name, quoted=True)
    return sqlglot.parse_one(expression, read=catalogue.dialect).transform(_respelling(table))


def _table(catalogue: Catalogue, source: str) -> Table | None:
    schema, _, name = source.rpartition(".")
    named = catalogue.tables_called(name.strip('"`'))
    exact = [table for table in named if (table.schema or "").lower() == schema.strip('"`').lower()]
    return next(iter(exact or named), None)


def _respelling(table: Table | None) -> Callable[[exp.Expr], exp.Expr]:
    def respell(node: exp.Expr) -> exp.Expr:
        column = table.column(node.name) if table and isinstance(node, exp.Column) else None
        return exp.column(column.name, quoted=True) if column else node

    return respell
