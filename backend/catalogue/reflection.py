"""Reads the tables, columns and keys of a database by SQLAlchemy's reflection."""

from __future__ import annotations

import warnings
from collections import defaultdict
from collections.abc import Iterable, Mapping, Set
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ai_engine.catalogue import Catalogue, Column, Dialect, ForeignKey, Table
from ai_engine.column_types import column_type
from ai_engine.guard.allowed_functions import ALLOWED_FUNCTIONS, WORDS_OF_POSTGRES
from backend.catalogue.computed_columns import with_made_of
from backend.catalogue.granted_columns import granted_columns, partly_granted
from backend.catalogue.own_types import CLASSES_THAT_ASK, DOMAINS_THAT_ASK, with_own_types
from backend.catalogue.row_storage import POSTGRES_PARTS_OF_TYPES, with_computed_by_heirs, with_storage

if TYPE_CHECKING:
    from sqlalchemy import Connection, Engine
    from sqlalchemy.engine import Dialect as SqlalchemyDialect
    from sqlalchemy.engine.reflection import Inspector

_SYSTEM_SCHEMAS = frozenset({"information_schema", "pg_catalog", "pg_toast", "mysql", "sys", "performance_schema"})

_MYSQL_OWN_FUNCTIONS = "SELECT routine_name FROM information_schema.routines WHERE routine_schema = database()"
_POSTGRES_FUNCTIONS = "SELECT DISTINCT proname FROM pg_proc WHERE pronamespace = 'pg_catalog'::regnamespace"
_POSTGRES_OWN_FUNCTIONS = """
    SELECT DISTINCT proname FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
    WHERE n.nspname <> 'pg_catalog' AND n.nspname = ANY (current_schemas(false)) AND NOT EXISTS (
        SELECT FROM pg_depend d WHERE d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e'
    ) AND NOT EXISTS (
        SELECT FROM pg_proc s WHERE s.pronamespace = 'pg_catalog'::regnamespace
            AND s.proname = p.proname AND s.proargtypes = p.proargtypes)
    UNION SELECT typname FROM pg_type t JOIN pg_namespace n ON n.oid = t.typnamespace
    WHERE t.typrelid = 0 AND n.nspname <> 'pg_catalog' AND n.nspname = ANY (current_schemas(false))"""
"""A call of one argument is a cast where a type is called so, as `initcap('a')` to a domain `initcap`."""
_POSTGRES_DENIED_COLUMNS = f"""WITH RECURSIVE {POSTGRES_PARTS_OF_TYPES},
    {DOMAINS_THAT_ASK},
    {CLASSES_THAT_ASK},
    looked_up (type) AS (
        SELECT oid FROM pg_type WHERE typname LIKE 'reg%' AND typnamespace = 'pg_catalog'::regnamespace
            UNION ALL SELECT t.type FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
            CROSS JOIN LATERAL (VALUES (c.reltype), (c.reloftype)) AS t (type)
            WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND t.type <> 0 AND c.oid >= 16384 AND a.attnum > 0
                AND NOT a.attisdropped AND NOT (has_column_privilege(c.oid, a.attnum, 'SELECT')
                    AND has_schema_privilege(c.relnamespace, 'USAGE'))
            UNION ALL SELECT made_of.type FROM asking JOIN made_of ON made_of.part = asking.type
                JOIN pg_type t ON t.oid = made_of.type WHERE t.typtype <> 'd'
            UNION ALL SELECT type FROM compared
        UNION SELECT made_of.type FROM looked_up JOIN made_of ON made_of.part = looked_up.type)
    SELECT n.nspname, c.relname, a.attname
    FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace JOIN pg_attribute a ON a.attrelid = c.oid
    WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND a.attnum > 0 AND NOT a.attisdropped
        AND (NOT has_schema_privilege(n.oid, 'USAGE') OR NOT has_column_privilege(c.oid, a.attnum, 'SELECT')
            OR a.atttypid IN (SELECT type FROM looked_up)
            OR (c.oid, a.attname) IN (SELECT relation, name FROM kept_by))"""
"""Beside them columns of types that hold rows of what may not be read, or a regclass or its like: a text that is
compared with one is looked up among all tables. So are those of lists, ranges and rows of what a CHECK with a function
of the bank's own is asked of, and what such a function compares with a text."""


def read_catalogue(engine: Engine, dialect: Dialect) -> Catalogue:
    """Read every table and view that the connection's role can see.

    Tables of the default schema have no schema name. On PostgreSQL and DuckDB the other schemas of the same database
    are read as well, on SQLite and MySQL there is one.

    Args:
        engine: connected to the database; only reads its system tables.
        dialect: our name of the dialect that the tables will be asked in.
    """
    from sqlalchemy import inspect

    # One connection for everything: a server may let a role in only a few times at once.
    with warnings.catch_warnings(), engine.connect() as connection:
        warnings.simplefilter("ignore")  # column types that the dialect does not know become "other"
        inspector = inspect(connection)
        default = inspector.default_schema_name if dialect == "postgres" else None
        tables: list[Table] = []
        left_out: dict[str, str] = {}
        for schema in _schemas(inspector, dialect):
            # without a name PostgreSQL tells of every table on the search path, whichever schema it is in
            found = _read_schema(inspector, engine.dialect, schema or default, left_out)
            tables += (replace(table, schema=schema) for table in found)
        if dialect == "postgres":
            tables = list(with_own_types(connection, tables, default))
            tables = _as_granted(connection, with_computed_by_heirs(connection, tables, default), default)
        doubtful = _doubtful_functions(connection, dialect)
        stored = tuple(with_storage(connection, dialect, tables, default))
        catalogue = Catalogue(dialect, stored, default or "", doubtful, tuple(left_out.items()))
        return replace(catalogue, tables=tuple(_without_loose_keys(catalogue)))


def _doubtful_functions(connection: Connection, dialect: Dialect) -> tuple[str, ...]:
    """Name the functions that a bank has, or may have, of its own: those of newer versions, and what it calls so.

    A bank's `bool_or(text)` fits a text, and its `array_agg(text)` better than the server's, which takes anything; of
    two for the same types the server's is called, which is looked for first. Extensions are the server's. What is
    called may bear another name than what was written, as VARIANCE runs as `var_samp`. MySQL has not all that
    MariaDB has (CHR), and calls the bank's there.
    """
    if dialect == "mysql":
        return tuple(sorted(name.lower() for (name,) in connection.exec_driver_sql(_MYSQL_OWN_FUNCTIONS)))
    if dialect != "postgres":
        return ()
    callable_here = ALLOWED_FUNCTIONS["postgres"] - WORDS_OF_POSTGRES
    servers, banks = (
        {name for (name,) in connection.exec_driver_sql(sql)} for sql in (_POSTGRES_FUNCTIONS, _POSTGRES_OWN_FUNCTIONS)
    )
    return tuple(sorted((callable_here - servers) | (banks & (callable_here | servers) - WORDS_OF_POSTGRES)))


def _as_granted(connection: Connection, tables: Iterable[Table], default_schema: str | None) -> list[Table]:
    """Leave out what the role may not read; PostgreSQL tells of all there is, whoever asks."""
    from sqlalchemy import text

    denied: defaultdict[tuple[str, str], set[str]] = defaultdict(set)
    for schema, table, column in connection.execute(text(_POSTGRES_DENIED_COLUMNS)):
        denied[schema, table].add(column)
    return [
        granted
        for table in tables
        if (granted := _without_columns(table, denied[table.schema or default_schema or "", table.name])).columns
    ]


def _without_columns(table: Table, denied: Set[str]) -> Table:
    if not denied:
        return table

    def whole(key: Iterable[str]) -> bool:
        return denied.isdisjoint(key)

    return replace(
        table,
        columns=tuple(column for column in table.columns if column.name not in denied),
        primary_key=table.primary_key if whole(table.primary_key) else (),
        unique_keys=tuple(filter(whole, table.unique_keys)),
        foreign_keys=tuple(key for key in table.foreign_keys if whole(key.columns)),
        unreadable=frozenset(name.lower() for name in denied),
    )


def _without_loose_keys(catalogue: Catalogue) -> Iterable[Table]:
    """Leave out foreign keys to what may not be read, or to a table that another one of its name stands before."""

    def leads_there(key: ForeignKey) -> bool:
        target = catalogue.table(key.to_table)
        return target is not None and target.schema == key.to_schema and all(map(target.column, key.to_columns))

    return (replace(table, foreign_keys=tuple(filter(leads_there, table.foreign_keys))) for table in catalogue.tables)


def _schemas(inspector: Inspector, dialect: Dialect) -> list[str | None]:
    if dialect not in ("postgres", "duckdb"):
        return [None]
    default = inspector.default_schema_name
    names = inspector.get_schema_names()
    if dialect == "duckdb":
        # DuckDB qualifies schemas by database, and lists its own databases beside the file's.
        names = [name.rpartition(".")[2] for name in names if name.partition(".")[0] not in ("system", "temp")]
    others = sorted({name for name in names if name != default and name not in _SYSTEM_SCHEMAS})
    return [None, *(name for name in others if not name.startswith(("pg_toast", "pg_temp")))]


def _read_schema(
    inspector: Inspector, spelling: SqlalchemyDialect, schema: str | None, left_out: dict[str, str]
) -> Iterable[Table]:
    """Read the tables of one schema, and note in `left_out` what the engine cannot read itself, and why."""
    from sqlalchemy.engine.reflection import ObjectKind

    columns, denied, broken = granted_columns(inspector, schema)
    left_out |= broken
    if denied and not columns:
        yield from partly_granted(inspector, denied)
        return
    default = inspector.default_schema_name
    only = {"kind": ObjectKind.ANY, "filter_names": [name for _, name in columns] if denied or broken else None}
    primary = inspector.get_multi_pk_constraint(schema, **only)  # type: ignore[arg-type]
    foreign = inspector.get_multi_foreign_keys(schema, **only)  # type: ignore[arg-type]
    unique = inspector.get_multi_unique_constraints(schema, **only)  # type: ignore[arg-type]
    comments = _comments(inspector, schema, only)
    views = {*inspector.get_view_names(schema), *_materialized_views(inspector, schema)}
    keys_of = {name: tuple(key["constrained_columns"]) for (_, name), key in primary.items() if key}
    for place, found in sorted(columns.items(), key=lambda item: item[0][1]):
        name = place[1]
        if name.startswith("sqlite_"):
            continue
        described = [{**column, "name": _undoubled(column["name"], spelling)} for column in found]
        yield Table(
            name=name,
            columns=with_made_of((_column(column, spelling) for column in described), _expressions(described)),
            primary_key=keys_of.get(name, ()),
            unique_keys=tuple(tuple(key["column_names"]) for key in unique.get(place, ())),
            foreign_keys=tuple(_foreign_key(key, keys_of, default, spelling) for key in foreign.get(place, ())),
            comment=comments.get(name, ""),
            is_view=name in views,
        )
    yield from partly_granted(inspector, denied)


def _comments(inspector: Inspector, schema: str | None, only: Mapping[str, Any]) -> dict[str, str]:
    try:
        found = inspector.get_multi_table_comment(schema, **only)
    except NotImplementedError:
        return {}
    return {name: comment["text"] or "" for (_, name), comment in found.items()}


def _materialized_views(inspector: Inspector, schema: str | None) -> list[str]:
    try:
        return inspector.get_materialized_view_names(schema)
    except NotImplementedError:
        return []


def _column(described: Mapping[str, Any], spelling: SqlalchemyDialect) -> Column:
    native = _native_type(described["type"], spelling)
    return Column(
        name=described["name"],
        type=column_type(native),
        native_type=native,
        nullable=bool(described.get("nullable", True)),
        comment=described.get("comment") or "",
    )


def _undoubled(name: str, spelling: SqlalchemyDialect) -> str:
    """The name of a column, in which reflection of MySQL leaves quotes doubled as they are in a definition."""
    return name.replace("``", "`") if spelling.name == "mysql" else name


def _expressions(described: Iterable[Mapping[str, Any]]) -> dict[str, str]:
    return {column["name"]: column["computed"]["sqltext"] for column in described if column.get("computed")}


def _native_type(reflected: Any, spelling: SqlalchemyDialect) -> str:
    from sqlalchemy.exc import CompileError, UnsupportedCompilationError

    try:
        return str(reflected.compile(dialect=spelling))
    except (CompileError, UnsupportedCompilationError):
        return str(getattr(reflected, "__visit_name__", ""))


def _foreign_key(
    key: Any, keys_of: Mapping[str, tuple[str, ...]], default_schema: str | None, spelling: SqlalchemyDialect
) -> ForeignKey:
    to_table = key["referred_table"]
    to_columns = tuple(key["referred_columns"]) or keys_of.get(to_table, ())  # SQLite may leave them to the primary key
    schema = key["referred_schema"]
    return ForeignKey(
        tuple(_undoubled(column, spelling) for column in key["constrained_columns"]),
        to_table,
        to_columns,
        None if schema == default_schema else schema,
    )
