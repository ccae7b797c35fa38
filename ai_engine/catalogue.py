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


@dataclass(frozen=True, slots=True)
class Index:
    """An index besides the primary key; a column that is computed is called ""."""

    name: str
    columns: tuple[str, ...]


@dataclass(frozen=True)
class Table:
    """One table or view.

    Attributes:
        schema: None where the default schema is meant.
        columns: those that may be read.
        unreadable: lower-case names of columns that the connection's role may not read, and which are not among
            `columns`; "" stands for columns whose names the server does not tell.
        indexes: on SQLite and MySQL, whose order of rows is that of an index more often than not.
    """

    name: str
    columns: tuple[Column, ...]
    schema: str | None = None
    primary_key: tuple[str, ...] = ()
    unique_keys: tuple[tuple[str, ...], ...] = ()
    foreign_keys: tuple[ForeignKey, ...] = ()
    comment: str = ""
    is_view: bool = False
    unreadable: frozenset[str] = frozenset()
    indexes: tuple[Index, ...] = ()

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

    @cached_property
    def names(self) -> str:
        """The names of all tables and columns in lower case, one a line."""
        tables = {table.name.lower() for table in self.tables}
        columns = {column.name.lower() for table in self.tables for column in table.columns}
        return "\n".join(sorted(tables | columns))

    def has_name(self, name: str) -> bool:
        """Whether a table or a column is called so, ignoring case."""
        return f"\n{name.lower()}\n" in f"\n{self.names}\n"

    def tables_called(self, name: str) -> tuple[Table, ...]:
        """Find the tables of a name in all schemas, ignoring case."""
        return self._by_name.get(name.lower(), ())

    def table(self, name: str) -> Table | None:
        """Find a table, ignoring case; the first one where several schemas have it."""
        return next(iter(self.tables_called(name)), None)
