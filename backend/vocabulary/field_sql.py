"""A vocabulary's tables and fields as SQL of the database they were read from."""

from __future__ import annotations

from sqlglot import exp
from sqlglot.errors import SqlglotError

from ai_engine.catalogue import Catalogue
from ai_engine.semantics.kept_back import stored_field


def table_source(catalogue: Catalogue, source: str) -> exp.Expr:
    """Return a dataset's table as it is spelled in the database, quoted.

    Args:
        catalogue: the tables that exist.
        source: the table, with its schema where there is one.

    Raises:
        SqlglotError: there is no such table.
    """
    table = catalogue.sourced(source)
    if table is None:
        raise SqlglotError(f"no table {source}")
    return exp.table_(table.name, db=table.schema, quoted=True)


def field_value(catalogue: Catalogue, source: str, expression: str) -> exp.Expr:
    """Return a field over the columns of its table; see `stored_field`.

    Raises:
        SqlglotError: it cannot be told which columns the field reads.
    """
    table = catalogue.sourced(source)
    value = stored_field(expression, table) if table is not None else None
    if value is None:
        raise SqlglotError(f"the columns of {expression} in {source} cannot be told")
    return value
