"""A database that a server offers as two tools, read as anybody's: its tables as a catalogue, its rows as a table.

`mcp_db_schema` gives `{success, dialect, tables}`, `mcp_db_query` `{success, columns, data, truncated, error}`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, get_args

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from ai_engine.agent import TabularResult
from ai_engine.catalogue import Catalogue, Column, Dialect, ForeignKey, Table
from ai_engine.column_types import column_type
from ai_engine.operators.base import OperatorFailed
from ai_engine.operators.tool_results import called, structured_of
from ai_engine.tools import ToolResult, Tools, ToolSummary

SCHEMA_TOOL = "mcp_db_schema"
QUERY_TOOL = "mcp_db_query"
_SHOWN_CHARS = 20_000
_DIALECTS: dict[str, Dialect] = {
    **{name: name for name in get_args(Dialect)},
    "postgresql": "postgres",
    "mariadb": "mysql",
    "mssql": "tsql",
    "sqlserver": "tsql",
    "sparksql": "spark",
    "presto": "trino",
}
_WRONG = "The server's database does not answer in the agreed shape."


class _Said(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")


class _SaidColumn(_Said):
    name: str = Field(min_length=1, max_length=256)
    type: str = ""
    comment: str | None = None


class _SaidKey(_Said):
    columns: tuple[str, ...]
    to_table: str
    to_columns: tuple[str, ...]


class _SaidTable(_Said):
    name: str = Field(min_length=1, max_length=256)
    columns: tuple[_SaidColumn, ...] = Field(min_length=1)
    schema_name: str | None = Field(None, alias="schema")
    foreign_keys: tuple[_SaidKey, ...] = ()


class _SaidSchema(_Said):
    success: bool
    dialect: str = ""
    tables: tuple[_SaidTable, ...] = ()


class _SaidRows(_Said):
    success: bool
    columns: list[str] | None = None
    data: list[list[Any]] | None = None
    truncated: bool = False
    error: str | None = None


class StatementFailed(Exception):
    """The server did not run a statement; carries what it said, cut short."""


@dataclass(frozen=True, slots=True)
class ServedDatabase:
    """One server's pair of tools; both say of themselves that they only read."""

    schema: ToolSummary
    query: ToolSummary

    @property
    def server(self) -> str:
        """The server's id."""
        return self.query.server_id


@dataclass(frozen=True, slots=True)
class ServedRows:
    """Rows of a statement."""

    table: TabularResult
    truncated: bool


def served_databases(summaries: Sequence[ToolSummary]) -> tuple[ServedDatabase, ...]:
    """Return the servers that offer a database to read."""
    reading = [one for one in summaries if one.read_only]
    schemas = {one.server_id: one for one in reading if _own_name(one) == SCHEMA_TOOL}
    queries = {one.server_id: one for one in reading if _own_name(one) == QUERY_TOOL}
    return tuple(ServedDatabase(schemas[server], queries[server]) for server in sorted(schemas.keys() & queries.keys()))


async def catalogue_of(tools: Tools, database: ServedDatabase) -> Catalogue:
    """Ask a server which tables it has.

    Raises:
        OperatorFailed: it does not tell, or not in the agreed shape.
    """
    try:
        said = _SaidSchema.model_validate(_structured(await called(tools, database.schema.name, {})))
    except ValidationError:
        raise OperatorFailed(_WRONG, "ToolFailed") from None
    dialect = _DIALECTS.get(said.dialect.lower())
    if not said.success or dialect is None or not said.tables:
        raise OperatorFailed(_WRONG, "ToolFailed")
    return Catalogue(dialect, tuple(_table(table) for table in said.tables))


async def rows_of(tools: Tools, database: ServedDatabase, sql: str) -> ServedRows:
    """Have a server run a statement.

    Raises:
        StatementFailed: it says that the statement is at fault.
        OperatorFailed: it does not answer, or not in the agreed shape.
    """
    try:
        said = _SaidRows.model_validate(_structured(await called(tools, database.query.name, {"query": sql})))
    except ValidationError:
        raise OperatorFailed(_WRONG, "ToolFailed") from None
    if not said.success:
        raise StatementFailed((said.error or "the statement failed")[:500])
    columns, data = said.columns or [], said.data or []
    if not columns or len(set(columns)) < len(columns) or any(len(row) != len(columns) for row in data):
        raise OperatorFailed(_WRONG, "ToolFailed")
    return ServedRows(TabularResult.of_rows(columns, data), said.truncated)


def shown(catalogue: Catalogue) -> str:
    """Write the tables as the model reads them."""
    lines = []
    for table in catalogue.tables:
        columns = ", ".join(f"{one.name} {one.native_type}".strip() for one in table.columns)
        keys = "".join(
            f"; {', '.join(key.columns)} → {key.to_table}({', '.join(key.to_columns)})" for key in table.foreign_keys
        )
        lines.append(f"{table.name}({columns}){keys}")
    return "\n".join(lines)[:_SHOWN_CHARS]


def _own_name(tool: ToolSummary) -> str:
    return tool.name.rpartition(".")[2]


def _structured(result: ToolResult) -> Mapping[str, Any]:
    made = structured_of(result)
    return made if isinstance(made, dict) else {}


def _table(said: _SaidTable) -> Table:
    return Table(
        name=said.name,
        schema=said.schema_name,
        columns=tuple(Column(one.name, column_type(one.type), one.type) for one in said.columns),
        foreign_keys=tuple(ForeignKey(one.columns, one.to_table, one.to_columns) for one in said.foreign_keys),
    )
