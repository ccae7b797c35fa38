"""The tools that read the database: a caller's own statements, under the guard and the limits of every question."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pydantic import Field, JsonValue

from ai_engine.catalogue import Table
from ai_engine.errors import AssistantError
from ai_engine.json_values import scalar_to_json
from ai_engine.types import QueryResult, Scalar
from backend.mcp.calls import Call
from backend.mcp.served_tools import Arguments, Reply, ServedTool, spoken
from backend.mcp.shown import shown_tables
from backend.service import Assistant

_RULES = (
    "One SELECT, read only; names of tables and columns as mcp_db_schema tells them. A statement without a LIMIT is "
    "given one, and `truncated` says that there were more rows."
)


class NoArguments(Arguments):
    """Takes nothing."""


class QueryArguments(Arguments):
    """One statement."""

    query: str = Field(min_length=1, description="One SELECT in the database's own SQL.")


class SchemaReply(Reply):
    """The tables that may be read."""

    success: bool
    dialect: str = Field(description="duckdb, sqlite, postgres or mysql.")
    tables: list[dict[str, Any]] = Field(
        description="Each with name, columns (name, type, nullable, comment), primary_key, unique_keys, foreign_keys."
    )
    error: str | None = None


class QueryReply(Reply):
    """The rows of a statement."""

    success: bool
    columns: list[str] = Field([])
    types: list[str] = Field([], description="One per column: integer, decimal, float, text, date, timestamp ...")
    data: list[list[JsonValue]] = Field([], description="Rows; decimals as text, dates in ISO 8601.")
    row_count: int = 0
    truncated: bool = Field(False, description="There were more rows than are given.")
    error: str | None = Field(None, description="Why there are no rows, None after a success.")

    @property
    def failed(self) -> bool:
        """A statement that did not run."""
        return not self.success


class SqlReply(Reply):
    """The rows of a statement, and the statement as it ran."""

    sql: str = Field(description="The statement as the guard wrote it anew.")
    notes: list[str] = Field(description="What the guard changed.")
    columns: list[str]
    types: list[str]
    rows: list[list[JsonValue]]
    row_count: int
    truncated: bool
    elapsed_ms: float


def database_tools(assistant: Callable[[], Assistant]) -> tuple[ServedTool[Any], ...]:
    """Offer the schema and two ways to run a statement: `mcp_db_query` as programs read it, `run_sql` for people."""

    def schema(_: NoArguments, call: Call) -> SchemaReply:  # noqa: ARG001 - it has nothing to stop
        found = assistant()
        tables = [described_table(table) for table in shown_tables(found.vocabulary.catalogue, found.policy)]
        return SchemaReply(success=True, dialect=found.database.dialect, tables=tables)

    def query(given: QueryArguments, call: Call) -> QueryReply:
        try:
            _, result = assistant().run_statement(given.query, call.stop)
        except AssistantError as fault:
            return QueryReply(success=False, error=spoken(fault))
        return QueryReply(
            success=True, columns=list(result.columns), types=list(result.types), data=_exact_rows(result),
            row_count=result.row_count, truncated=result.truncated,
        )  # fmt: skip

    def run_sql(given: QueryArguments, call: Call) -> SqlReply:
        statement, result = assistant().run_statement(
            given.query, call.stop, allowed=lambda: call.tell("the statement may run")
        )
        return SqlReply(
            sql=statement.sql, notes=list(statement.notes), columns=list(result.columns), types=list(result.types),
            rows=_exact_rows(result), row_count=result.row_count, truncated=result.truncated,
            elapsed_ms=result.elapsed_ms,
        )  # fmt: skip

    return (
        ServedTool(
            "mcp_db_schema", "Tables of the bank",
            "List the tables that may be read, with columns, keys and comments, and which SQL the database takes.",
            NoArguments, SchemaReply, schema,
        ),
        ServedTool(
            "mcp_db_query", "Rows of a statement",
            f"Run a statement and give its rows with their types, for programs. {_RULES}",
            QueryArguments, QueryReply, query,
        ),
        ServedTool(
            "run_sql", "Run SQL of your own",
            f"Run a statement of your own; also gives the statement as it ran and what was changed in it. {_RULES}",
            QueryArguments, SqlReply, run_sql,
        ),
    )  # fmt: skip


def _exact_rows(result: QueryResult) -> list[list[JsonValue]]:
    return [[_exact(cell, kind) for cell, kind in zip(row, result.types, strict=True)] for row in result.rows]


def _exact(cell: Scalar, kind: str) -> JsonValue:
    return str(cell) if kind == "decimal" and cell is not None else scalar_to_json(cell)


def described_table(table: Table) -> dict[str, Any]:
    """Write a table as `mcp_db_schema` tells it."""
    return {
        "schema": table.schema,
        "name": table.name,
        "comment": table.comment or None,
        "is_view": table.is_view,
        "columns": [
            {"name": one.name, "type": one.native_type, "nullable": one.nullable, "comment": one.comment or None}
            for one in table.columns
        ],
        "primary_key": list(table.primary_key),
        "unique_keys": [list(key) for key in table.unique_keys],
        "foreign_keys": [
            {"columns": list(key.columns), "to_table": key.to_table, "to_columns": list(key.to_columns)}
            for key in table.foreign_keys
        ],
    }
