"""Reads the tables of a warehouse from its own description of itself, through the worker that asks everything else.

Only the schema that the address names is read: a warehouse has thousands of others. No keys are read, as warehouses
either have none or do not hold data to them.
"""

from __future__ import annotations

import re
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Collection
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from ai_engine.catalogue import Catalogue, Column, Dialect, Table
from ai_engine.column_types import column_type
from ai_engine.errors import DatabaseUnavailable, QueryFailed, QueryStopped
from ai_engine.types import Scalar
from backend.databases.address import ServerAddress

if TYPE_CHECKING:
    from ai_engine.ports import QueryRunner

_Rows: TypeAlias = tuple[tuple[Scalar, ...], ...]

_MAX_ROWS = 200_000
_AT_LEAST_S = 1.0
_WRAPPED = re.compile(r"(?:Nullable|LowCardinality)\((.*)\)")
_TRUE = frozenset({"YES", "Y", "TRUE", "1", "VIEW"})
_PARTITIONED_BY = re.compile(r"\b(?:partitioned_by|partitioning)\s*=\s*ARRAY\s*\[([^\]]*)\]", re.IGNORECASE)
_LISTED = re.compile(r"'((?:[^']|'')*)'")
_OF_A_COLUMN = re.compile(r'(?:\w+\(\s*)?"?(\w+)"?(?:\s*(?:,\s*\d+\s*)?\))?')


@dataclass(frozen=True, slots=True)
class _Questions:
    """What a warehouse is asked; `{catalogue}` and `{schema}` are literals, `{place}` is a name.

    Attributes:
        columns: table, column, type, whether it is nullable, comment, whether rows are kept apart by it.
        tables: table, whether it is a view, comment.
    """

    columns: str
    tables: str


_QUESTIONS: dict[Dialect, _Questions] = {
    "trino": _Questions(
        "SELECT table_name, column_name, data_type, is_nullable, comment, "
        "CASE WHEN extra_info = 'partition key' THEN 'YES' END FROM {place}.information_schema.columns "
        "WHERE table_schema = {schema} ORDER BY table_name, ordinal_position",
        "SELECT table_name, table_type, '' FROM {place}.information_schema.tables WHERE table_schema = {schema}",
    ),
    "tsql": _Questions(
        "SELECT c.TABLE_NAME, c.COLUMN_NAME, CASE c.DATA_TYPE WHEN 'bit' THEN 'boolean' ELSE c.DATA_TYPE END, "
        "c.IS_NULLABLE, '', 'NO' FROM INFORMATION_SCHEMA.COLUMNS c "
        "WHERE c.TABLE_SCHEMA = SCHEMA_NAME() ORDER BY c.TABLE_NAME, c.ORDINAL_POSITION",
        "SELECT TABLE_NAME, TABLE_TYPE, '' FROM INFORMATION_SCHEMA.TABLES WHERE TABLE_SCHEMA = SCHEMA_NAME()",
    ),
    "oracle": _Questions(
        "SELECT c.TABLE_NAME, c.COLUMN_NAME, c.DATA_TYPE, c.NULLABLE, m.COMMENTS, "
        "CASE WHEN p.COLUMN_NAME IS NULL THEN 'NO' ELSE 'YES' END FROM ALL_TAB_COLUMNS c "
        "LEFT JOIN ALL_COL_COMMENTS m ON m.OWNER = c.OWNER AND m.TABLE_NAME = c.TABLE_NAME "
        "AND m.COLUMN_NAME = c.COLUMN_NAME LEFT JOIN ALL_PART_KEY_COLUMNS p ON p.OWNER = c.OWNER "
        "AND p.NAME = c.TABLE_NAME AND p.OBJECT_TYPE = 'TABLE' AND p.COLUMN_NAME = c.COLUMN_NAME "
        "WHERE c.OWNER = SYS_CONTEXT('USERENV', 'CURRENT_SCHEMA') ORDER BY c.TABLE_NAME, c.COLUMN_ID",
        "SELECT TABLE_NAME, TABLE_TYPE, COMMENTS FROM ALL_TAB_COMMENTS "
        "WHERE OWNER = SYS_CONTEXT('USERENV', 'CURRENT_SCHEMA')",
    ),
    "snowflake": _Questions(
        "SELECT table_name, column_name, data_type, is_nullable, comment, 'NO' FROM information_schema.columns "
        "WHERE table_schema = CURRENT_SCHEMA() ORDER BY table_name, ordinal_position",
        "SELECT table_name, table_type, comment FROM information_schema.tables WHERE table_schema = CURRENT_SCHEMA()",
    ),
    "bigquery": _Questions(
        "SELECT c.table_name, c.column_name, c.data_type, c.is_nullable, f.description, c.is_partitioning_column "
        "FROM {place}.INFORMATION_SCHEMA.COLUMNS c LEFT JOIN {place}.INFORMATION_SCHEMA.COLUMN_FIELD_PATHS f "
        "ON f.table_name = c.table_name AND f.field_path = c.column_name ORDER BY c.table_name, c.ordinal_position",
        "SELECT table_name, table_type, '' FROM {place}.INFORMATION_SCHEMA.TABLES",
    ),
    "databricks": _Questions(
        "SELECT table_name, column_name, full_data_type, is_nullable, comment, "
        "CASE WHEN partition_index IS NULL THEN 'NO' ELSE 'YES' END FROM information_schema.columns "
        "WHERE table_schema = {schema} ORDER BY table_name, ordinal_position",
        "SELECT table_name, table_type, comment FROM information_schema.tables WHERE table_schema = {schema}",
    ),
    "clickhouse": _Questions(
        "SELECT table, name, type, if(startsWith(type, 'Nullable'), 'YES', 'NO'), comment, "
        "toString(is_in_partition_key) FROM system.columns WHERE database = {catalogue} ORDER BY table, position",
        "SELECT name, if(endsWith(engine, 'View'), 'VIEW', 'TABLE'), comment FROM system.tables "
        "WHERE database = {catalogue}",
    ),
}
_TRINO_COMMENTS = (
    "SELECT table_name, comment FROM system.metadata.table_comments "
    "WHERE catalog_name = {catalogue} AND schema_name = {schema} AND comment IS NOT NULL"
)


def read_warehouse_catalogue(
    address: ServerAddress, runner: QueryRunner, *, timeout_s: float, stop: threading.Event
) -> Catalogue:
    """Read every table and view of the schema that the address names; they have no schema name.

    Raises:
        QueryFailed: it cannot be read, or `stop` was set.
    """
    asked = _QUESTIONS[address.dialect]
    until = time.monotonic() + timeout_s
    mark = "`" if address.dialect == "bigquery" else '"'
    names = {
        "catalogue": "'" + address.database.replace("'", "''") + "'",
        "schema": "'" + address.schema.replace("'", "''") + "'",
        "place": mark + address.database.replace(mark, mark * 2) + mark,
    }

    def rows(sql: str) -> _Rows:
        left_s = max(_AT_LEAST_S, until - time.monotonic())
        return runner.run(sql.format(**names), max_rows=_MAX_ROWS, timeout_s=left_s, stop=stop).rows

    found = _Found()
    for row in rows(asked.columns):
        found.add(*row)
    for name, kind, comment in rows(asked.tables):
        found.describe(str(name), is_view=_is(kind), comment=str(comment or ""))
    if address.dialect == "trino":
        _add_what_trino_keeps_elsewhere(found, rows, until)
    return Catalogue(address.dialect, found.tables(), default_schema=address.schema)


class _Found:
    """What has been read so far, by the names of tables."""

    def __init__(self) -> None:
        self.columns: defaultdict[str, list[Column]] = defaultdict(list)
        self.partitions: defaultdict[str, list[str]] = defaultdict(list)
        self.views: set[str] = set()
        self.comments: dict[str, str] = {}

    def add(
        self, table: Scalar, name: Scalar, native: Scalar, nullable: Scalar, comment: Scalar, is_partition: Scalar
    ) -> None:
        spelled = str(native)
        while wrapped := _WRAPPED.fullmatch(spelled):
            spelled = wrapped.group(1)
        self.columns[str(table)].append(
            Column(str(name), column_type(spelled), spelled, nullable=_is(nullable), comment=str(comment or ""))
        )
        if _is(is_partition):
            self.partitions[str(table)].append(str(name))

    def describe(self, table: str, *, is_view: bool, comment: str) -> None:
        if is_view:
            self.views.add(table)
        if comment:
            self.comments[table] = comment

    def tables(self) -> tuple[Table, ...]:
        return tuple(
            Table(
                name=name,
                columns=tuple(columns),
                comment=self.comments.get(name, ""),
                is_view=name in self.views,
                partition_columns=tuple(self.partitions[name]),
            )
            for name, columns in self.columns.items()
        )


def _add_what_trino_keeps_elsewhere(found: _Found, rows: Callable[[str], _Rows], until: float) -> None:
    """Add comments on tables, and the partitions of connectors that tell them with the table alone.

    Both only serve to understand the tables and to spare reading: without the right or the time to ask, they are left.
    """
    with suppress(_NotTold):
        for name, comment in _asked(rows, _TRINO_COMMENTS):
            found.describe(str(name), is_view=False, comment=str(comment or ""))
    for table in sorted(found.columns.keys() - found.views - found.partitions.keys()):
        if time.monotonic() > until:
            return
        name = table.replace('"', '""').replace("{", "{{").replace("}", "}}")
        with suppress(_NotTold):
            for (statement,) in _asked(rows, f'SHOW CREATE TABLE "{name}"'):
                found.partitions[table] += partitioning(str(statement), [one.name for one in found.columns[table]])


def partitioning(statement: str, columns: Collection[str]) -> list[str]:
    """Name the columns by which a table is partitioned, as `SHOW CREATE TABLE` tells; `month(day)` is one by `day`."""
    listed = _PARTITIONED_BY.search(statement)
    parts = [part.replace("''", "'") for part in _LISTED.findall(listed.group(1))] if listed else []
    named = [found.group(1) for part in parts if (found := _OF_A_COLUMN.fullmatch(part))]
    return [name for name in dict.fromkeys(named) if name in columns]


class _NotTold(Exception):
    """The warehouse refused to tell."""


def _asked(rows: Callable[[str], _Rows], sql: str) -> _Rows:
    try:
        return rows(sql)
    except (DatabaseUnavailable, QueryStopped):
        raise
    except QueryFailed as refusal:
        raise _NotTold from refusal


def _is(told: Scalar) -> bool:
    return str(told).upper() in _TRUE
