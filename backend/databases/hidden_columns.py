"""What a policy withholds, in the terms of one database's tables: the engine refuses it once more, after the guard."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TypeAlias

from ai_engine.catalogue import Catalogue

HiddenColumns: TypeAlias = frozenset[tuple[str, str]]
"""Pairs of table and column in small letters; the column "" stands for the whole table."""

WHOLE_TABLE = ""
ANY_COLUMN: HiddenColumns = frozenset({("*", "*")})
"""Where nobody knows yet what will be withheld: no order of PostgreSQL's rows may tell of any column."""
_NO_COLUMN = ("", "*")


def hidden_columns(
    catalogue: Catalogue,
    *,
    allowed_tables: Collection[str] | None,
    hidden_tables: Collection[str],
    restricted_columns: Mapping[str, Collection[str]],
) -> HiddenColumns:
    """Name what may not be read; the arguments are those of `ai_engine.guard.policy.Policy`, as it holds them.

    What is kept back of a table is kept back of its kin, whether the catalogue shows these or not. Where only some
    tables are allowed there is always a pair, so that statements run no otherwise where there are no other tables.
    """
    tables = set(hidden_tables)
    columns = {(table, column) for table, held in restricted_columns.items() for column in held}
    if allowed_tables is not None:
        others = (table for table in catalogue.tables if table.name.lower() not in allowed_tables)
        tables |= {name for table in others for name in (table.name.lower(), *table.kin)}.difference(allowed_tables)
        columns |= {_NO_COLUMN}
    for table in catalogue.tables:
        if table.is_among(hidden_tables):
            tables |= {table.name.lower(), *table.kin}
        held = table.columns_among(restricted_columns) | table.unreadable - {WHOLE_TABLE}
        held |= table.showing_rows_of(tables)
        columns |= {(name, column) for name in (table.name.lower(), *table.kin) for column in held}
    return frozenset({(name, WHOLE_TABLE) for name in tables} | columns)
