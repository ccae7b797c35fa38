"""From Trino's SQL to DuckDB's, and what Trino has beside queries: transactions, EXPLAIN, the description of tables."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

import duckdb
import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from tests.trino_server.types import trino_type

CATALOG = "lake"
SCHEMA = "bank"
_EXPLAIN = re.compile(r"\s*EXPLAIN\s*(?:\(([^)]*)\))?\s*(.*)", re.IGNORECASE | re.DOTALL)
_SHOW_CREATE = re.compile(r'\s*SHOW\s+CREATE\s+TABLE\s+(?:"?\w+"?\.)*"((?:[^"]|"")*)"\s*', re.IGNORECASE)
_WIDTHS = {"VARCHAR": 16, "DATE": 4, "INTEGER": 4, "BOOLEAN": 1}


class Refused(Exception):
    """An error of the protocol."""

    def __init__(self, name: str, message: str, kind: str = "USER_ERROR") -> None:
        super().__init__(message)
        self.name = name
        self.kind = kind


@dataclass(frozen=True)
class Told:
    """A result that needs no query: names with types as DuckDB spells them, and rows."""

    columns: tuple[tuple[str, str], ...]
    rows: list[tuple[Any, ...]]


def translated(sql: str) -> str:
    """Return what DuckDB is to run for a query.

    Raises:
        Refused: not one query.
    """
    try:
        trees = sqlglot.parse(sql, dialect="trino")
    except SqlglotError:
        raise Refused("SYNTAX_ERROR", "line 1:1: mismatched input") from None
    if len(trees) != 1 or trees[0] is None:
        raise Refused("SYNTAX_ERROR", "line 1:1: mismatched input ';'")
    tree = trees[0]
    if not isinstance(tree, exp.Query):
        raise Refused("READ_ONLY_VIOLATION", "Cannot execute write in a read-only transaction")
    for table in tree.find_all(exp.Table):
        _place(table)
    return tree.sql("duckdb")


def _place(table: exp.Table) -> None:
    """Say where a table is kept here; Trino knows no catalogue but the one that is served, and `system`."""
    catalog, schema = table.catalog.lower(), table.db.lower()
    if catalog not in ("", CATALOG, "system"):
        raise Refused("CATALOG_NOT_FOUND", f"line 1:1: Catalog '{catalog}' not found")
    if schema in ("information_schema", "metadata"):
        name = exp.to_identifier(f"{schema}_{table.name.lower()}")
        table.replace(
            exp.Table(
                this=name,
                db=exp.to_identifier("main"),
                catalog=exp.to_identifier("memory"),
                alias=table.args.get("alias"),
            )
        )
        return
    if schema not in ("", SCHEMA, "main"):
        raise Refused("SCHEMA_NOT_FOUND", f"line 1:1: Schema '{schema}' does not exist")
    if schema:
        table.set("db", None)
        table.set("catalog", None)


def explained(connection: duckdb.DuckDBPyConnection, sql: str) -> Told | None:
    """Answer `EXPLAIN (TYPE IO, FORMAT JSON)` and plain `EXPLAIN`; None for a statement that is neither."""
    found = _EXPLAIN.fullmatch(sql)
    if found is None:
        return None
    options = {part.strip().upper() for part in (found.group(1) or "").split(",")}
    tables = _scans(connection, translated(found.group(2)))
    if "TYPE IO" not in options:
        lines = [
            f"    TableScan[table = {CATALOG}:{SCHEMA}.{name}]\n"
            f"        Estimates: {{rows: {rows} ({size}B), cpu: {size}, memory: 0B}}"
            for name, rows, size in tables
        ]
        return Told((("Query Plan", "VARCHAR"),), [("\n".join(["Fragment 0 [SINGLE]", *lines]),)])
    cpu = sum(size for _, _, size in tables)
    plan = {
        "inputTableColumnInfos": [
            {
                "table": {"catalog": CATALOG, "schemaTable": {"schema": SCHEMA, "table": name}},
                "constraint": {"none": False, "columnConstraints": []},
                "estimate": _estimate(rows, size),
            }
            for name, rows, size in tables
        ],
        "estimate": _estimate(sum(rows for _, rows, _ in tables), cpu),
    }
    return Told((("Query Plan", "VARCHAR"),), [(json.dumps(plan, indent=2),)])


def _estimate(rows: int, size: int) -> dict[str, Any]:
    return {
        "outputRowCount": rows, "outputSizeInBytes": size, "cpuCost": float(size), "maxMemory": 0.0, "networkCost": 0.0,
    }  # fmt: skip


def _scans(connection: duckdb.DuckDBPyConnection, sql: str) -> list[tuple[str, int, int]]:
    """Return table, rows and bytes of every scan that DuckDB plans."""
    ((_, plan),) = connection.execute(f"EXPLAIN (FORMAT JSON) {sql}").fetchall()
    found: list[tuple[str, int, int]] = []

    def look(node: Any) -> None:
        if node["name"].strip().endswith("SCAN") and "Table" in node["extra_info"]:
            told = node["extra_info"]
            name = str(told["Table"]).rpartition(".")[2]
            read = told.get("Projections", [])
            columns = len(read) if isinstance(read, list) else 1
            rows = int(told["Estimated Cardinality"])
            found.append((name, rows, rows * 8 * max(columns, 1)))
        for child in node.get("children", ()):
            look(child)

    for node in json.loads(plan):
        look(node)
    return found


def described_tables(connection: duckdb.DuckDBPyConnection, partitions: dict[str, str]) -> None:
    """Build the tables of `information_schema` and `system.metadata`, as Trino has them, hidden columns included."""
    columns = connection.execute(
        "SELECT table_name, column_name, column_index, data_type, is_nullable, comment FROM duckdb_columns() "
        f"WHERE database_name = '{CATALOG}' AND NOT internal AND schema_name = 'main' ORDER BY ALL"
    ).fetchall()
    connection.execute(
        "CREATE TABLE memory.main.information_schema_columns (table_catalog VARCHAR, table_schema VARCHAR, "
        "table_name VARCHAR, column_name VARCHAR, ordinal_position BIGINT, column_default VARCHAR, "
        "is_nullable VARCHAR, data_type VARCHAR, comment VARCHAR, extra_info VARCHAR)"
    )
    connection.executemany(
        "INSERT INTO memory.main.information_schema_columns VALUES (?, ?, ?, ?, ?, NULL, ?, ?, ?, ?)",
        [
            (CATALOG, SCHEMA, table, name, place, "YES" if nullable else "NO", trino_type(kind), comment,
             "partition key" if partitions.get(table) == name else None)
            for table, name, place, kind, nullable, comment in columns
        ],
    )  # fmt: skip
    connection.execute(
        "CREATE TABLE memory.main.information_schema_tables AS SELECT * FROM ("
        f"SELECT '{CATALOG}' AS table_catalog, '{SCHEMA}' AS table_schema, table_name, 'BASE TABLE' AS table_type "
        f"FROM duckdb_tables() WHERE database_name = '{CATALOG}' UNION ALL SELECT '{CATALOG}', '{SCHEMA}', view_name, "
        f"'VIEW' FROM duckdb_views() WHERE database_name = '{CATALOG}' AND NOT internal)"
    )
    connection.execute(
        f"CREATE TABLE memory.main.metadata_table_comments AS SELECT '{CATALOG}' AS catalog_name, '{SCHEMA}' AS "
        f"schema_name, table_name, comment FROM duckdb_tables() WHERE database_name = '{CATALOG}'"
    )


def shown_table(sql: str, partitions: dict[str, str], known: set[str]) -> Told | None:
    """Answer `SHOW CREATE TABLE`; None for another statement."""
    found = _SHOW_CREATE.fullmatch(sql)
    if found is None:
        return None
    name = found.group(1).replace('""', '"')
    if name not in known:
        raise Refused("TABLE_NOT_FOUND", f"line 1:1: Table '{CATALOG}.{SCHEMA}.{name}' does not exist")
    listed = f",\n   partitioning = ARRAY['{partitions[name]}']" if name in partitions else ""
    text = f"CREATE TABLE {CATALOG}.{SCHEMA}.{name} (\n   ...\n)\nWITH (\n   format = 'PARQUET'{listed}\n)"
    return Told((("Create Table", "VARCHAR"),), [(text,)])
