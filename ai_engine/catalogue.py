"""The tables and columns that exist, as plain values; read from a database or from DDL, never invented."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Literal, TypeAlias

from ai_engine.types import ColumnType

Dialect: TypeAlias = Literal[
    "duckdb",
    "sqlite",
    "postgres",
    "mysql",
    "trino",
    "spark",
    "tsql",
    "oracle",
    "snowflake",
    "bigquery",
    "databricks",
    "clickhouse",
]
Place: TypeAlias = tuple[str | None, str]
"""Schema, None for the default one, and name of a table."""

_NEEDS_QUOTES = re.compile(r'[."`]')
_NAME = re.compile(r"""(?:"((?:[^"]|"")*)"|`((?:[^`]|``)*)`|([^.]*))(?:\.|$)""")


def names_in(written: str) -> tuple[str, ...]:
    """The names of `schema.table`, without their quotes, within which a dot is part of a name."""
    found = (match.groups(default="") for match in _NAME.finditer(written) if match.group())
    return tuple(double.replace('""', '"') + back.replace("``", "`") + plain for double, back, plain in found)


@dataclass(frozen=True, slots=True)
class Column:
    """One column.

    Attributes:
        native_type: the database's own spelling.
        comment: what the bank wrote beside it.
        unlisted: `*` and NATURAL JOIN pass over it, as over INVISIBLE columns of MySQL.
        row_of: lower-case names of the tables whose whole rows its type holds, as a composite type of PostgreSQL may.
        made_of: lower-case names of the columns of its table from which the database computes it.
        is_checked: its type is a domain of PostgreSQL with a CHECK; `native_type` is what the domain is of.
    """

    name: str
    type: ColumnType
    native_type: str = ""
    nullable: bool = True
    comment: str = ""
    unlisted: bool = False
    row_of: tuple[str, ...] = field(default=(), repr=False)
    made_of: tuple[str, ...] = ()
    is_checked: bool = False


@dataclass(frozen=True, slots=True)
class ForeignKey:
    """`columns` of the owning table point at `to_columns` of `to_table`, in the same order.

    Attributes:
        to_schema: None where the default schema is meant.
    """

    columns: tuple[str, ...]
    to_table: str
    to_columns: tuple[str, ...]
    to_schema: str | None = None


@dataclass(frozen=True, slots=True)
class Index:
    """An index besides the primary key; a column that is computed is called ""."""

    name: str
    columns: tuple[str, ...]


OWN_FUNCTION = "()"


@dataclass(frozen=True)
class Table:
    """One table or view.

    Attributes:
        schema: None where the default schema is meant.
        columns: those that may be read.
        unreadable: lower-case names of columns that the connection's role may not read, and which are not among
            `columns`; "" stands for columns whose names the server does not tell.
        indexes: on SQLite and MySQL, whose order of rows is that of an index more often than not.
        kin: lower-case names of the tables whose rows it shows and of those that show its rows: PostgreSQL's partitions
            and heirs, what they are part of, and MySQL's MERGE tables. What is said of one is said of all.
        parted_by: lower-case names of the columns by which its rows are kept apart from each other, in partitions and
            in heirs; "" for what is computed or not known, also of those of SQLite whose order no hint decides;
            OWN_FUNCTION beside them where a function of a PostgreSQL bank's own decides, which may read anything.
        heirs: where the tables stand that inherit from it on PostgreSQL, each with columns of its own perhaps.
        partition_columns: by which a warehouse keeps its rows in parts of their own, so that a condition on one of them
            spares the others the reading; as they are called, in the warehouse's order.
        has_withheld_rows: row security of PostgreSQL keeps some of its rows from the connection's role.
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
    kin: tuple[str, ...] = ()
    parted_by: tuple[str, ...] = ()
    heirs: frozenset[Place] = frozenset()
    partition_columns: tuple[str, ...] = ()
    has_withheld_rows: bool = field(default=False, repr=False)

    def is_among(self, names: Collection[str]) -> bool:
        """Whether it or one of its kin is called so; the names are in small letters."""
        return self.name.lower() in names or any(name in names for name in self.kin)

    def columns_among(self, columns_of: Mapping[str, Collection[str]]) -> frozenset[str]:
        """What stands there of it or of its kin, shows rows of what does, or is computed from such columns.

        Both `columns_of`, table → columns, and what is returned are in small letters.
        """
        held = frozenset[str]().union(*(columns_of.get(name, ()) for name in (self.name.lower(), *self.kin)))
        if self._whole_rows:
            held |= self.showing_rows_of([name for name in columns_of if columns_of[name]])
        return self._with_computed(held)

    def showing_rows_of(self, tables: Collection[str]) -> frozenset[str]:
        """Its columns whose type holds whole rows of one of these tables, or that are computed from such.

        Names are in small letters.
        """
        shown = (column for column in self._whole_rows if any(name in tables for name in column.row_of))
        return self._with_computed(frozenset(column.name.lower() for column in shown))

    def _with_computed(self, held: frozenset[str]) -> frozenset[str]:
        found = {column.name.lower() for column in self._computed if not held.isdisjoint(column.made_of)}
        return held if found <= held else self._with_computed(held | found)

    @cached_property
    def _computed(self) -> tuple[Column, ...]:
        return tuple(column for column in self.columns if column.made_of)

    @cached_property
    def _whole_rows(self) -> tuple[Column, ...]:
        return tuple(column for column in self.columns if column.row_of)

    def without(self, closed: frozenset[str]) -> Table:
        """The table as it is for a role that may not read these columns, given in small letters."""
        if not closed:
            return self
        columns = tuple(column for column in self.columns if column.name.lower() not in closed)
        return replace(self, columns=columns, unreadable=self.unreadable | closed)

    @cached_property
    def source(self) -> str:
        """Its name with its schema, from which `names_in` reads both again."""
        names = [name for name in (self.schema, self.name) if name]
        if not any(map(_NEEDS_QUOTES.search, names)):
            return ".".join(names)
        return ".".join('"' + name.replace('"', '""') + '"' for name in names)

    @cached_property
    def column_names(self) -> tuple[str, ...]:
        """The names of its columns, in order."""
        return tuple(column.name for column in self.columns)

    @cached_property
    def _by_name(self) -> dict[str, Column]:
        return {column.name.lower(): column for column in self.columns}

    def column(self, name: str) -> Column | None:
        """Find a column, ignoring case."""
        return self._by_name.get(name.lower())


@dataclass(frozen=True)
class Catalogue:
    """Every table one connection may read, and the SQL dialect it is asked in.

    Attributes:
        default_schema: what the schema of tables without one is called; "" where it is as the engine calls it.
        doubtful_functions: lower-case names of functions of the dialect that are not, or not alone, the server's own.
        left_out: what else there is that the engine itself cannot read, each by its name and with the engine's reason.
    """

    dialect: Dialect
    tables: tuple[Table, ...]
    default_schema: str = ""
    doubtful_functions: tuple[str, ...] = ()
    left_out: tuple[tuple[str, str], ...] = ()

    @cached_property
    def _by_name(self) -> dict[str, tuple[Table, ...]]:
        named: dict[str, tuple[Table, ...]] = {}
        for table in sorted(self.tables, key=lambda table: table.schema is not None):
            named[table.name.lower()] = (*named.get(table.name.lower(), ()), table)
        return named

    @cached_property
    def _by_source(self) -> dict[str, Table]:
        found: dict[str, Table] = {}
        for spell in (str, str.lower):
            for table in self.tables:
                found.setdefault(spell(table.source), table)
        return found

    def sourced(self, source: str) -> Table | None:
        """Find the table that a vocabulary means: spelled as `Table.source`, or in another usual way."""
        known = self._by_source.get(source) or self._by_source.get(source.lower())
        if known is not None:
            return known
        *schema, name = names_in(source) or ("",)
        named = self.tables_called(name)
        exact = (table for table in named if (table.schema or "").lower() == "".join(schema[-1:]).lower())
        return next(exact, None) or self.table(source) or next(iter(named), None)

    @cached_property
    def _parts(self) -> dict[tuple[frozenset[str] | None, frozenset[str]], Catalogue]:
        return {}

    def part(self, allowed: frozenset[str] | None, hidden: frozenset[str]) -> Catalogue:
        """The catalogue as it would be if only tables that are allowed (None: all), and no hidden ones, existed.

        Of a table with a hidden one among its kin, nothing is left either, nor are foreign keys to what is not there.

        Both are sets of names in small letters.
        """
        if (allowed, hidden) not in self._parts:
            tables = (table for table in self.tables if not table.is_among(hidden))
            kept = tuple(table for table in tables if allowed is None or table.name.lower() in allowed)
            names = {table.name.lower() for table in kept}
            gone = {table.name.lower() for table in self.tables} - names
            kept = tuple(table.without(table.showing_rows_of(gone)) for table in kept)
            pointing = (
                replace(table, foreign_keys=tuple(key for key in table.foreign_keys if key.to_table.lower() in names))
                for table in kept
            )
            self._parts[allowed, hidden] = self if kept == self.tables else replace(self, tables=tuple(pointing))
        return self._parts[allowed, hidden]

    @cached_property
    def names(self) -> str:
        """The names of all tables and columns in lower case, one a line."""
        tables = {table.name.lower() for table in self.tables}
        columns = {column.name.lower() for table in self.tables for column in table.columns}
        return "\n".join(sorted(tables | columns))

    @cached_property
    def listing_labels(self) -> frozenset[tuple[str, str]]:
        """(table, column) of all whose type is a list of labels (an ENUM of DuckDB), or holds such."""
        return frozenset(
            (table.name, column.name)
            for table in self.tables
            for column in table.columns
            if "ENUM(" in column.native_type.upper()
        )

    def has_name(self, name: str) -> bool:
        """Whether a table or a column is called so, ignoring case."""
        return f"\n{name.lower()}\n" in f"\n{self.names}\n"

    def tables_called(self, name: str) -> tuple[Table, ...]:
        """Find the tables of a name in all schemas, ignoring case, that of the default schema first."""
        return self._by_name.get(name.lower(), ())

    def at(self, place: Place) -> Table | None:
        """Find the table that stands in just this place."""
        return next((table for table in self.tables_called(place[1]) if (table.schema, table.name) == place), None)

    def table(self, name: str) -> Table | None:
        """Find a table, ignoring case; that of the default schema where several have it, else the first."""
        return next(iter(self.tables_called(name)), None)
