"""A database that a server offers as two tools, read as anybody's: its tables as a catalogue, its rows as a table.

`mcp_db_schema` gives `{success, dialect, tables}`, `mcp_db_query` `{success, columns, data, truncated, error}`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, get_args

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from ai_engine.agent import TabularResult
from ai_engine.catalogue import Catalogue, Column, Dialect, ForeignKey, Table
from ai_engine.column_types import column_type
from ai_engine.guard.parsing import names_in
from ai_engine.operators.base import OperatorFailed
from ai_engine.operators.tool_results import called, structured_of
from ai_engine.tools import ToolResult, Tools, ToolSummary

SCHEMA_TOOL = "mcp_db_schema"
QUERY_TOOL = "mcp_db_query"
_SHOWN_CHARS = 20_000
_HEARD_CHARS = 500
_NAMED = 5
_WORD = re.compile(r"[^\W\d]\w*")
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
_AWAY = "The server's database could not be asked."
_FAILED = "the server's database refused the statement"
_HEARD = {
    "column": "it speaks of a column",
    "table": "it speaks of a table",
    "function": "it speaks of a function",
    "syntax": "it speaks of syntax",
    "type": "it speaks of a type",
    "ambiguous": "it speaks of an ambiguous name",
    "zero": "it speaks of zero",
    "permission": "it speaks of permission",
}
"""What is heard in what a server says of a statement, which may quote cells."""


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
    """The server did not run a statement; says so in our words, as its own may quote what its tables hold."""


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
        said = _SaidSchema.model_validate(_structured(await _asked(tools, database.schema.name, {})))
    except ValidationError:
        raise OperatorFailed(_WRONG, "ToolFailed") from None
    dialect = _DIALECTS.get(said.dialect.lower())
    if not said.success or dialect is None or not said.tables:
        raise OperatorFailed(_WRONG, "ToolFailed")
    return Catalogue(dialect, tuple(_table(table) for table in said.tables))


async def rows_of(tools: Tools, database: ServedDatabase, sql: str, catalogue: Catalogue) -> ServedRows:
    """Have a server run a statement over the tables that it offers.

    Raises:
        StatementFailed: it says that the statement is at fault.
        OperatorFailed: it does not answer, or not in the agreed shape.
    """
    try:
        said = _SaidRows.model_validate(_structured(await _asked(tools, database.query.name, {"query": sql})))
    except ValidationError:
        raise OperatorFailed(_WRONG, "ToolFailed") from None
    if not said.success:
        raise StatementFailed(_in_our_words(said.error or "", sql, catalogue))
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


async def _asked(tools: Tools, name: str, arguments: Mapping[str, Any]) -> ToolResult:
    """Call one of the two tools; what the server says of a call that failed is not repeated.

    Raises:
        OperatorFailed: the call failed.
    """
    try:
        return await called(tools, name, arguments)
    except OperatorFailed as fault:
        if fault.kind != "ToolFailed":
            raise
        raise OperatorFailed(_AWAY, fault.kind) from None


def _in_our_words(said: str, sql: str, catalogue: Catalogue) -> str:
    """Tell what a server says against a statement: by words of a closed list, and the names in it that it has."""
    words = set(_WORD.findall(said[:_HEARD_CHARS].lower()))
    heard = [told for word, told in _HEARD.items() if word in words][:1]
    written = names_in(sql, catalogue.dialect) & words
    known = dict.fromkeys(
        name for table in catalogue.tables for name in (table.name, *table.column_names) if name.lower() in written
    )
    named = [f"it names {', '.join(list(known)[:_NAMED])}"] if known else []
    return "; ".join([_FAILED, *heard, *named])


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
