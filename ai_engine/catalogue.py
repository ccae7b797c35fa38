"""The tables and columns that exist, as plain values; read from a database or from DDL, never invented."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Literal, TypeAlias

from ai_engine.types import ColumnType

Dialect: TypeAlias = Literal["duckdb", "sqlite", "postgres", "mysql"]


@dataclass(frozen=True, slots=True)
class Column:
    """One column; `native_type` is the database's own spelling, `comment` what the bank wrote beside it."""

    name: str
    type: ColumnType
    native_type: str = ""
    nullable: bool = True
    comment: str = ""


@dataclass(frozen=True, slots=True)
class ForeignKey:
    """`columns` of the owning table point at `to_columns` of `to_table`, in the same order."""

    columns: tuple[str, ...]
    to_table: str
    to_columns: tuple[str, ...]


@dataclass(frozen=True)
class Table:
    """One table or view; `schema` is None where the default schema is meant."""

    name: str
    columns: tuple[Column, ...]
    schema: str | None = None
    primary_key: tuple[str, ...] = ()
    unique_keys: tuple[tuple[str, ...], ...] = ()
    foreign_keys: tuple[ForeignKey, ...] = ()
    comment: str = ""
    is_view: bool = False

    @cached_property
    def _by_name(self) -> dict[str, Column]:
        return {column.name.lower(): column for column in self.columns}

    def column(self, name: str) -> Column | None:
        """Find a column, ignoring case."""
        return self._by_name.get(name.lower())


@dataclass(frozen=True)
class Catalogue:
    """Every table one connection may read, and the SQL dialect it is asked in."""

    dialect: Dialect
    tables: tuple[Table, ...]

    @cached_property
    def _by_name(self) -> dict[str, tuple[Table, ...]]:
        named: dict[str, tuple[Table, ...]] = {}
        for table in self.tables:
            named[table.name.lower()] = (*named.get(table.name.lower(), ()), table)
        return named

    def tables_called(self, name: str) -> tuple[Table, ...]:
        """Find the tables of a name in all schemas, ignoring case."""
        return self._by_name.get(name.lower(), ())

    def table(self, name: str) -> Table | None:
        """Find a table, ignoring case; the first one where several schemas have it."""
        return next(iter(self.tables_called(name)), None)
