"""How a server or a file keeps the rows of its tables: through which indexes, in which partitions, and whose they show.

SQLAlchemy's reflection does not know partitions and heirs, and passes over indexes of expressions.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from ai_engine.catalogue import OWN_FUNCTION, Dialect, Index, Place, Table
from ai_engine.table_kin import with_kin, with_made_of_below
from backend.catalogue.computed_columns import sqlite_expressions, with_made_of, words_of
from backend.databases.postgres_indexes import MADE_BY_THE_BANK

if TYPE_CHECKING:
    from sqlalchemy import Connection

_SQLITE_INDEXES = """SELECT t.name, i.name, k.name FROM sqlite_master t, pragma_index_list(t.name) i,
        pragma_index_xinfo(i.name) k
    WHERE t.type = 'table' AND i.origin <> 'pk' AND k.key ORDER BY t.name, i.name, k.seqno"""
_SQLITE_ORDERED = """SELECT t.name FROM pragma_table_list t WHERE t.schema = 'main' AND t.type <> 'view' AND (t.wr
    OR t.type = 'virtual' OR t.ncol > 63 OR EXISTS (SELECT * FROM pragma_table_xinfo(t.name) c WHERE c.hidden > 1))"""
"""Tables that no NOT INDEXED keeps from an order: those without row numbers, virtual ones, and those of whose columns
the index that SQLite makes for a join holds more than are read: where one is generated, or stands behind the 63rd."""
_SQLITE_ROW_NUMBERS = """SELECT t.name, c.name FROM sqlite_master t, pragma_table_info(t.name) c
    WHERE t.type = 'table' AND t.rootpage AND c.pk
        AND NOT EXISTS (SELECT * FROM pragma_index_list(t.name) i WHERE i.origin = 'pk')"""
"""Keys that are the number of the row, and so never NULL, of which SQLite says neither: all others have an index."""
_SQLITE_COMPUTED = """SELECT t.name, c.name, t.sql FROM sqlite_master t, pragma_table_xinfo(t.name) c
    WHERE t.type = 'table' AND t.rootpage AND c.hidden IN (2, 3)"""
_MYSQL_INDEXES = """SELECT * FROM information_schema.statistics
    WHERE table_schema = database() AND index_name <> 'PRIMARY' ORDER BY table_name, index_name, seq_in_index"""
_MYSQL_KEYS = """SELECT table_name, index_name, column_name FROM information_schema.statistics
    WHERE table_schema = database() AND non_unique = 0 ORDER BY table_name, index_name, seq_in_index"""
_MYSQL_UNLISTED = """SELECT table_name, column_name FROM information_schema.columns
    WHERE table_schema = database() AND extra LIKE '%%INVISIBLE%%'"""
_MYSQL_COMPUTED = """SELECT table_name, column_name, coalesce(nullif(generation_expression, ''), column_default)
    FROM information_schema.columns
    WHERE table_schema = database() AND (generation_expression <> '' OR column_default LIKE '%%`%%')"""
"""Also columns that are filled from others where nobody says with what."""
_MYSQL_PARTITIONS = """SELECT DISTINCT table_name, concat_ws(',', partition_expression, subpartition_expression)
    FROM information_schema.partitions WHERE table_schema = database()"""
_MYSQL_MERGED = """SELECT table_name FROM information_schema.tables
    WHERE table_schema = database() AND engine = 'MRG_MyISAM'"""
_MYSQL_TEXT, _MYSQL_NAME = r"'(?:[^'\\]|\\.|'')*'", r"`(?:[^`]|``)*`"
_NAMED = re.compile(rf"{_MYSQL_TEXT}|(?:{_MYSQL_NAME}\.)*({_MYSQL_NAME})", re.DOTALL)
_MERGED_TABLES = re.compile(rf"{_MYSQL_TEXT}|{_MYSQL_NAME}|UNION=\(((?:{_MYSQL_NAME}|[^`)])*)\)", re.DOTALL)
"""Both pass over texts, the latter over names too, so that nothing within one is taken for more than that."""
_POSTGRES_PARENTS = """SELECT cn.nspname, c.relname, pn.nspname, p.relname, c.relispartition FROM pg_inherits i
    JOIN pg_class c ON c.oid = i.inhrelid JOIN pg_namespace cn ON cn.oid = c.relnamespace
    JOIN pg_class p ON p.oid = i.inhparent JOIN pg_namespace pn ON pn.oid = p.relnamespace
    WHERE c.relkind IN ('r', 'p', 'f')"""
POSTGRES_PARTS_OF_TYPES = """made_of (type, part) AS (
        SELECT oid, typelem FROM pg_type UNION ALL SELECT oid, typbasetype FROM pg_type
        UNION ALL SELECT rngtypid, rngsubtype FROM pg_range
        UNION ALL SELECT objid, refobjid FROM pg_depend
            WHERE classid = 'pg_type'::regclass AND refclassid = 'pg_type'::regclass
        UNION ALL SELECT c.reltype, a.atttypid FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
            WHERE c.reltype <> 0 AND a.attnum > 0)"""
"""Of a multirange `pg_depend` tells what it is made of."""
_POSTGRES_WHOLE_ROWS = f"""WITH RECURSIVE {POSTGRES_PARTS_OF_TYPES},
    held (type, of) AS (
        SELECT t.type, c.oid FROM pg_class c CROSS JOIN LATERAL (VALUES (c.reltype), (c.reloftype)) AS t (type)
            WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND t.type <> 0
        UNION SELECT made_of.type, held.of FROM held JOIN made_of ON made_of.part = held.type)
    SELECT n.nspname, c.relname, a.attname, lower(t.relname)
    FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace JOIN pg_attribute a ON a.attrelid = c.oid
    JOIN held ON held.type = a.atttypid JOIN pg_class t ON t.oid = held.of
    WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND a.attnum > 0"""
_POSTGRES_ROW_SECURITY = """SELECT n.nspname, c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE c.relrowsecurity AND row_security_active(c.oid)"""
_POSTGRES_PARTITIONS = f"""SELECT n.nspname, c.relname, a.attname, {MADE_BY_THE_BANK.format("c.oid")}
    FROM pg_partitioned_table p
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
        numbered = _with_row_numbers(tables, _rows(connection, _SQLITE_ROW_NUMBERS))
        told = _with_expressions(numbered, _rows(connection, _SQLITE_COMPUTED))
        return with_kin(_with_indexes(told, _rows(connection, _SQLITE_INDEXES)), {}, ordered)
    return iter(tables)


def with_computed_by_heirs(
    connection: Connection, tables: Iterable[Table], default_schema: str | None
) -> Iterator[Table]:
    """Say of columns of PostgreSQL what partitions and heirs compute theirs of, also those that the role may not read.

    Args:
        tables: all that there are.
    """
    shown_by: defaultdict[Place, set[Place]] = defaultdict(set)
    for part, above, _ in _parents(connection, default_schema):
        shown_by[part].add(above)
    return with_made_of_below(tables, shown_by)


def _parents(connection: Connection, default_schema: str | None) -> Iterator[tuple[Place, Place, bool]]:
    """Each partition and heir, what it is one of, and whether it is a partition."""
    for schema, name, above_schema, above_name, is_part in connection.exec_driver_sql(_POSTGRES_PARENTS):
        yield _place(schema, name, default_schema), _place(above_schema, above_name, default_schema), is_part


def _place(schema: str, name: str, default_schema: str | None) -> Place:
    return None if schema == default_schema else schema, name


def _in_postgres(connection: Connection, tables: Iterable[Table], default_schema: str | None) -> Iterator[Table]:
    shown_by: defaultdict[Place, set[Place]] = defaultdict(set)
    parted_by: defaultdict[Place, set[str]] = defaultdict(set)
    parts, inherited = set[Place](), set[Place]()
    for part, above, is_part in _parents(connection, default_schema):
        shown_by[part].add(above)
        if is_part:
            parts.add(part)
        else:
            parted_by[above].add("")  # by whatever whoever writes has decided
            inherited.add(above)
    for schema, name, column, is_of_the_bank in connection.exec_driver_sql(_POSTGRES_PARTITIONS):
        parted_by[_place(schema, name, default_schema)] |= {column or "", *([OWN_FUNCTION] * is_of_the_bank)}
    rows_in: defaultdict[Place, defaultdict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    for schema, name, column, of in connection.exec_driver_sql(_POSTGRES_WHOLE_ROWS):
        rows_in[_place(schema, name, default_schema)][column].add(of)
    found = connection.exec_driver_sql(_POSTGRES_ROW_SECURITY)
    ruled = {_place(schema, name, default_schema) for schema, name in found}
    known = (replace(one, has_withheld_rows=True) if (one.schema, one.name) in ruled else one for one in tables)
    return _with_whole_rows(tuple(with_kin(known, shown_by, parted_by, parts=parts, inherited=inherited)), rows_in)


def _with_whole_rows(tables: tuple[Table, ...], rows_in: Mapping[Place, Mapping[str, set[str]]]) -> Iterator[Table]:
    """Say of columns whose rows they hold, and thereby those of the tables that show these rows."""
    for table in tables:
        found = rows_in.get((table.schema, table.name), {})
        shown_by = {
            column: tuple(sorted(one.name.lower() for one in tables if one.is_among(of)))
            for column, of in found.items()
        }
        columns = (replace(column, row_of=shown_by.get(column.name, ())) for column in table.columns)
        yield replace(table, columns=tuple(columns)) if found else table


def _in_mysql(connection: Connection, tables: Iterable[Table]) -> Iterator[Table]:
    told = _with_expressions_of_mysql(tables, connection)
    tables = tuple(_with_whole_keys(_with_indexes(told, _used_by_mysql(connection)), connection))
    known = {table.name for table in tables if not table.unreadable}
    shown_by: defaultdict[Place, set[Place]] = defaultdict(set)
    parted_by: defaultdict[Place, set[str]] = defaultdict(set)
    for name, expression in _rows(connection, _MYSQL_PARTITIONS):
        parted_by[None, name] = set(_names(expression) or [""] * bool(expression))
    for (name,) in _rows(connection, _MYSQL_MERGED):
        parts = _merged_in(connection, name) if name in known else []
        if not parts:
            tables = tuple(table for table in tables if table.name != name)  # nobody tells whose rows it shows
        for part in parts:
            shown_by[None, part].add((None, name))
        parted_by[None, name].add("")
    unlisted = set(_rows(connection, _MYSQL_UNLISTED))
    for table in with_kin(tables, shown_by, parted_by):
        columns = (replace(column, unlisted=(table.name, column.name) in unlisted) for column in table.columns)
        yield replace(table, columns=tuple(columns))


def _with_expressions_of_mysql(tables: Iterable[Table], connection: Connection) -> Iterator[Table]:
    """Say what columns are made of: reflection passes over those that MariaDB keeps COMPRESSED."""
    found: defaultdict[str, dict[str, str]] = defaultdict(dict)
    for name, column, expression in _rows(connection, _MYSQL_COMPUTED):
        found[name][column] = str(expression)
    for table in tables:
        computed = found[table.name]
        yield replace(table, columns=with_made_of(table.columns, computed, words_of(computed.values())))


def _with_whole_keys(tables: Iterable[Table], connection: Connection) -> Iterator[Table]:
    """Say all columns of keys: reflection passes over a period WITHOUT OVERLAPS, by which MariaDB sorts too."""
    found: defaultdict[str, defaultdict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for name, key, column in _rows(connection, _MYSQL_KEYS):
        found[name][key].append(column)
    for table in tables:
        keys = {key: tuple(columns) for key, columns in found[table.name].items() if all(columns)}
        primary = keys.pop("PRIMARY", table.primary_key)
        yield replace(table, primary_key=primary, unique_keys=tuple(keys.values()) or table.unique_keys)


def _used_by_mysql(connection: Connection) -> Iterator[tuple[str, ...]]:
    """The columns of indexes that a hint may name: not of those that are IGNORED on MariaDB, INVISIBLE on MySQL."""
    for row in connection.exec_driver_sql(_MYSQL_INDEXES).mappings():
        found = {key.lower(): value for key, value in row.items()}
        if found.get("ignored") != "YES" and found.get("is_visible") != "NO":
            yield found["table_name"], found["index_name"], found["column_name"]


def _merged_in(connection: Connection, name: str) -> list[str]:
    """The tables whose rows a MERGE table shows, whichever database they are in."""
    quoted = connection.dialect.identifier_preparer.quote(name)
    definition = connection.exec_driver_sql(f"SHOW CREATE TABLE {quoted}").one()[1]
    return _names("".join(_MERGED_TABLES.findall(definition)))


def _names(text: str) -> list[str]:
    """The names in backquotes, as MySQL writes all that it tells of, without those before a dot."""
    return [name[1:-1].replace("``", "`") for name in _NAMED.findall(text or "") if name]


def _with_indexes(tables: Iterable[Table], rows: Iterable[tuple[str, ...]]) -> Iterator[Table]:
    found: defaultdict[str, defaultdict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for name, index, column in rows:
        found[name][index].append(column or "")
    for table in tables:
        indexes = found[table.name].items()
        yield replace(table, indexes=tuple(Index(index, tuple(columns)) for index, columns in indexes))


def _with_row_numbers(tables: Iterable[Table], rows: Iterable[tuple[str, ...]]) -> Iterator[Table]:
    """Say of columns that are the number of the row that they are never NULL."""
    found = set(rows)
    for table in tables:
        columns = (
            replace(column, nullable=column.nullable and (table.name, column.name) not in found)
            for column in table.columns
        )
        yield replace(table, columns=tuple(columns))


def _with_expressions(tables: Iterable[Table], rows: Iterable[tuple[str, ...]]) -> Iterator[Table]:
    """Say what generated columns of SQLite are made of, which reflection reads wrongly beside others of their kind."""
    found: defaultdict[str, dict[str, str]] = defaultdict(dict)
    for name, column, definition in rows:
        found[name][column] = sqlite_expressions(definition).get(column.lower(), definition)
    for table in tables:
        yield replace(table, columns=with_made_of(table.columns, found[table.name]))


def _rows(connection: Connection, sql: str) -> list[tuple[str, ...]]:
    return [tuple(row) for row in connection.exec_driver_sql(sql)]
