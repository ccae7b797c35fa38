"""How a server or a file keeps the rows of its tables: through which indexes, in which partitions, and whose they show.

SQLAlchemy's reflection does not know partitions and heirs, and passes over indexes of expressions.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from ai_engine.catalogue import Dialect, Index, Table
from ai_engine.table_kin import Place, with_kin

if TYPE_CHECKING:
    from sqlalchemy import Connection

_SQLITE_INDEXES = """SELECT t.name, i.name, k.name FROM sqlite_master t, pragma_index_list(t.name) i,
        pragma_index_xinfo(i.name) k
    WHERE t.type = 'table' AND i.origin <> 'pk' AND k.key ORDER BY t.name, i.name, k.seqno"""
_SQLITE_ORDERED = """SELECT t.name FROM pragma_table_list t WHERE t.schema = 'main' AND t.type <> 'view' AND (t.wr
    OR t.type = 'virtual' OR t.ncol > 63 OR EXISTS (SELECT * FROM pragma_table_xinfo(t.name) c WHERE c.hidden > 1))"""
"""Tables that no NOT INDEXED keeps from an order: those without row numbers, virtual ones, and those of whose columns
the index that SQLite makes for a join holds more than are read: where one is generated, or stands behind the 63rd."""
_MYSQL_INDEXES = """SELECT * FROM information_schema.statistics
    WHERE table_schema = database() AND index_name <> 'PRIMARY' ORDER BY table_name, index_name, seq_in_index"""
_MYSQL_UNLISTED = """SELECT table_name, column_name FROM information_schema.columns
    WHERE table_schema = database() AND extra LIKE '%%INVISIBLE%%'"""
_MYSQL_PARTITIONS = """SELECT DISTINCT table_name, concat_ws(',', partition_expression, subpartition_expression)
    FROM information_schema.partitions WHERE table_schema = database() AND partition_method <> 'SYSTEM_TIME'"""
_MYSQL_MERGED = """SELECT table_name FROM information_schema.tables
    WHERE table_schema = database() AND engine = 'MRG_MyISAM'"""
_MERGED_TABLES = re.compile(r"UNION=\(([^)]*)\)")
_MYSQL_NAME = re.compile(r"`((?:[^`]|``)*)`")
_POSTGRES_PARENTS = """SELECT cn.nspname, c.relname, pn.nspname, p.relname, c.relispartition FROM pg_inherits i
    JOIN pg_class c ON c.oid = i.inhrelid JOIN pg_namespace cn ON cn.oid = c.relnamespace
    JOIN pg_class p ON p.oid = i.inhparent JOIN pg_namespace pn ON pn.oid = p.relnamespace
    WHERE c.relkind IN ('r', 'p', 'f')"""
_POSTGRES_PARTITIONS = """SELECT n.nspname, c.relname, a.attname FROM pg_partitioned_table p
    CROSS JOIN LATERAL unnest(p.partattrs::int2[]) AS k (place)
    JOIN pg_class c ON c.oid = p.partrelid JOIN pg_namespace n ON n.oid = c.relnamespace
    LEFT JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = k.place"""


def with_storage(
    connection: Connection, dialect: Dialect, tables: Iterable[Table], default_schema: str | None
) -> Iterator[Table]:
    """Say of tables what decides the order of their rows, and which show each other's.

    A partition is left out where the table that it is a part of is there.
    """
    if dialect == "postgres":
        return _in_postgres(connection, tables, default_schema)
    if dialect == "mysql":
        return _in_mysql(connection, tables)
    if dialect == "sqlite":
        ordered: dict[Place, set[str]] = {(None, name): {""} for (name,) in _rows(connection, _SQLITE_ORDERED)}
        return with_kin(_with_indexes(tables, _rows(connection, _SQLITE_INDEXES)), {}, ordered)
    return iter(tables)


def _in_postgres(connection: Connection, tables: Iterable[Table], default_schema: str | None) -> Iterator[Table]:
    def place(schema: str, name: str) -> Place:
        return None if schema == default_schema else schema, name

    shown_by: defaultdict[Place, set[Place]] = defaultdict(set)
    parted_by: defaultdict[Place, set[str]] = defaultdict(set)
    parts: set[Place] = set()
    for schema, name, above_schema, above_name, is_part in connection.exec_driver_sql(_POSTGRES_PARENTS):
        part, above = place(schema, name), place(above_schema, above_name)
        shown_by[part].add(above)
        if is_part:
            parts.add(part)
        else:
            parted_by[above].add("")  # by whatever whoever writes has decided
    for schema, name, column in connection.exec_driver_sql(_POSTGRES_PARTITIONS):
        parted_by[place(schema, name)].add(column or "")
    return with_kin(tables, shown_by, parted_by, parts=parts)


def _in_mysql(connection: Connection, tables: Iterable[Table]) -> Iterator[Table]:
    tables = tuple(_with_indexes(tables, _used_by_mysql(connection)))
    there = {table.name for table in tables if not table.unreadable}
    shown_by: defaultdict[Place, set[Place]] = defaultdict(set)
    parted_by: defaultdict[Place, set[str]] = defaultdict(set)
    for name, expression in _rows(connection, _MYSQL_PARTITIONS):
        parted_by[None, name] = set(_names(expression) or [""] * bool(expression))
    for (name,) in _rows(connection, _MYSQL_MERGED):
        if name in there:
            quoted = connection.dialect.identifier_preparer.quote(name)
            merged = _MERGED_TABLES.search(connection.exec_driver_sql(f"SHOW CREATE TABLE {quoted}").one()[1])
            for part in _names(merged[1] if merged else ""):
                shown_by[None, part].add((None, name))
            parted_by[None, name].add("")
    unlisted = set(_rows(connection, _MYSQL_UNLISTED))
    for table in with_kin(tables, shown_by, parted_by):
        columns = (replace(column, unlisted=(table.name, column.name) in unlisted) for column in table.columns)
        yield replace(table, columns=tuple(columns))


def _used_by_mysql(connection: Connection) -> Iterator[tuple[str, ...]]:
    """The columns of indexes that a hint may name: not of those that are IGNORED on MariaDB, INVISIBLE on MySQL."""
    for row in connection.exec_driver_sql(_MYSQL_INDEXES).mappings():
        found = {key.lower(): value for key, value in row.items()}
        if found.get("ignored") != "YES" and found.get("is_visible") != "NO":
            yield found["table_name"], found["index_name"], found["column_name"]


def _names(text: str) -> list[str]:
    """The names in backquotes, as MySQL writes all that it tells of."""
    return [name.replace("``", "`") for name in _MYSQL_NAME.findall(text)]


def _with_indexes(tables: Iterable[Table], rows: Iterable[tuple[str, ...]]) -> Iterator[Table]:
    found: defaultdict[str, defaultdict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for name, index, column in rows:
        found[name][index].append(column or "")
    for table in tables:
        indexes = found[table.name].items()
        yield replace(table, indexes=tuple(Index(index, tuple(columns)) for index, columns in indexes))


def _rows(connection: Connection, sql: str) -> list[tuple[str, ...]]:
    return [tuple(row) for row in connection.exec_driver_sql(sql)]
