"""Reads the tables of a DuckDB file through its own system functions, inside a worker.

Reflection over SQLAlchemy gives the same, but its first bound parameter makes the client load pandas: 2.7 s of a cold
start, and a lock on the file in the app's own process.
"""

from __future__ import annotations

import threading
from collections import defaultdict
from typing import TYPE_CHECKING

from ai_engine.catalogue import Catalogue, Column, ForeignKey, Table
from ai_engine.column_types import column_type, without_texts
from ai_engine.types import Scalar
from backend.catalogue.computed_columns import with_made_of

if TYPE_CHECKING:
    from ai_engine.ports import QueryRunner  # loads the guard and its parser, which no worker needs

_SEPARATOR = "\x1f"
_OURS = "database_name = current_database() AND NOT internal"
_COLUMNS = r"""
    SELECT c.schema_name, c.table_name, column_name,
        data_type || coalesce(regexp_extract(t.sql, regexp_escape(replace(column_name, '"', '""'))
            || '"? VARCHAR( COLLATE [\w.]+)', 1), ''), is_nullable, c.comment, c.column_default
    FROM duckdb_columns() AS c LEFT JOIN duckdb_tables() AS t USING (database_oid, table_oid)
    WHERE c.database_name = current_database() AND NOT c.internal
    ORDER BY c.schema_name <> 'main', c.schema_name, c.table_name, column_index"""
_KEYS = """
    SELECT schema_name, table_name, constraint_type, array_to_string(constraint_column_names, chr(31)),
           referenced_table, array_to_string(referenced_column_names, chr(31))
    FROM duckdb_constraints()
    WHERE database_name = current_database() AND constraint_type IN ('PRIMARY KEY', 'UNIQUE', 'FOREIGN KEY')"""
_TABLES = f"""
    SELECT schema_name, table_name, comment, false AS is_view FROM duckdb_tables() WHERE {_OURS}
    UNION ALL SELECT schema_name, view_name, comment, true FROM duckdb_views() WHERE {_OURS}"""
_MAX_ROWS = 200_000

_Name = tuple[Scalar, Scalar]  # schema, table


def read_duckdb_catalogue(runner: QueryRunner, *, timeout_s: float, stop: threading.Event) -> Catalogue:
    """Read every table and view of the file; those of schema `main` have no schema name.

    Raises:
        QueryFailed: the file cannot be read, or `stop` was set.
    """

    def rows(sql: str) -> tuple[tuple[Scalar, ...], ...]:
        return runner.run(sql, max_rows=_MAX_ROWS, timeout_s=timeout_s, stop=stop).rows

    columns: defaultdict[_Name, list[Column]] = defaultdict(list)
    computed: defaultdict[_Name, dict[str, str]] = defaultdict(dict)
    for schema, table, name, native, nullable, comment, value in rows(_COLUMNS):
        spelled = str(native)
        columns[schema, table].append(
            Column(str(name), column_type(spelled), spelled, nullable=bool(nullable), comment=str(comment or ""))
        )
        computed[schema, table][str(name)] = without_texts(str(value or ""))
    keys: defaultdict[_Name, list[tuple[Scalar, ...]]] = defaultdict(list)
    for schema, table, *key in rows(_KEYS):
        keys[schema, table].append(tuple(key))
    described = {(schema, table): (comment, is_view) for schema, table, comment, is_view in rows(_TABLES)}
    return Catalogue(
        "duckdb",
        tuple(
            _table(place, with_made_of(found, computed[place]), keys[place], *described[place])
            for place, found in columns.items()
        ),
    )


def _table(
    place: _Name, columns: tuple[Column, ...], keys: list[tuple[Scalar, ...]], comment: Scalar, is_view: Scalar
) -> Table:
    schema, name = place
    primary = [_names(own) for kind, own, _, _ in keys if kind == "PRIMARY KEY"]
    return Table(
        name=str(name),
        schema=None if schema == "main" else str(schema),
        columns=columns,
        primary_key=primary[0] if primary else (),
        unique_keys=tuple(_names(own) for kind, own, _, _ in keys if kind == "UNIQUE"),
        foreign_keys=tuple(
            ForeignKey(_names(own), str(other), _names(theirs))
            for kind, own, other, theirs in keys
            if kind == "FOREIGN KEY"
        ),
        comment=str(comment or ""),
        is_view=bool(is_view),
    )


def _names(joined: Scalar) -> tuple[str, ...]:
    return tuple(str(joined).split(_SEPARATOR))
