"""What an MCP server says about its database, checked field by field: it may be anybody's, and may be wrong.

`mcp_db_query` gives `{success, columns, data, row_count, error}`. A server may add `types`, one of our type names per
column, as JSON has no decimals and no dates; without them numbers are what JSON says and ISO texts are dates. It may
add `truncated`, which says that there were more rows than it hands out.

`mcp_db_schema` gives `{success, dialect, tables, error}`, where a table is what `SchemaTable` describes.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, time
from decimal import Decimal, InvalidOperation
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StrictBool, StrictInt, StrictStr, ValidationError

from ai_engine.catalogue import Column, Dialect, ForeignKey, Table
from ai_engine.column_types import column_type
from ai_engine.types import ColumnType
from backend.databases.engine import EngineFault
from backend.databases.statement_faults import heard_fault

WRONG_SHAPE = "the MCP server's reply does not have the agreed shape"
_DIALECTS: dict[str, Dialect] = {
    "duckdb": "duckdb",
    "sqlite": "sqlite",
    **dict.fromkeys(("postgres", "postgresql"), "postgres"),
    **dict.fromkeys(("mysql", "mariadb"), "mysql"),
}  # fmt: skip
_DECIMAL = re.compile(r"-?\d+(\.\d+)?([eE][+-]?\d{1,3})?", re.ASCII)


def _printable(name: str) -> str:
    if not name.strip() or not name.isprintable():
        raise ValueError("a name without a readable character, or with one that cannot be printed")
    return name


Name = Annotated[StrictStr, Field(max_length=256), AfterValidator(_printable)]


class _Said(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")


class SchemaColumn(_Said):
    """A column; `type` is the database's own spelling of it, "DECIMAL(12,2)"."""

    name: Name
    type: StrictStr = ""
    nullable: StrictBool = True
    comment: StrictStr | None = None


class SchemaForeignKey(_Said):
    """`columns` point at `to_columns` of `to_table`, in the same order."""

    columns: tuple[Name, ...] = Field(min_length=1)
    to_table: Name
    to_columns: tuple[Name, ...] = Field(min_length=1)


class SchemaTable(_Said):
    """A table or view; no `schema` stands for the default one."""

    name: Name
    columns: tuple[SchemaColumn, ...] = Field(min_length=1)
    schema_name: Name | None = Field(None, alias="schema")
    primary_key: tuple[Name, ...] = ()
    unique_keys: tuple[tuple[Name, ...], ...] = ()
    foreign_keys: tuple[SchemaForeignKey, ...] = ()
    comment: StrictStr | None = None
    is_view: StrictBool = False


class _Schema(_Said):
    success: StrictBool
    dialect: StrictStr = ""
    tables: list[Any] = []
    error: Any = None


class _Result(_Said):
    success: StrictBool
    columns: list[StrictStr] | None = None
    data: list[list[Any]] | None = None
    row_count: StrictInt | None = None
    error: Any = None
    types: list[ColumnType] | None = None
    truncated: StrictBool = False


@dataclass(frozen=True, slots=True)
class SaidResult:
    """A result as the server told it, cells as Python values; `types` are None where the values decide."""

    columns: Sequence[str]
    types: Sequence[ColumnType | None]
    rows: list[tuple[Any, ...]]
    truncated: bool


def read_result(content: object) -> SaidResult:
    """Check what `mcp_db_query` said.

    Raises:
        EngineFault: the statement failed there ("failed"), or the reply is not of the agreed shape ("unavailable").
    """
    try:
        said = _Result.model_validate(content)
        if not said.success:
            raise heard_fault(said.error if isinstance(said.error, str) else "")
        columns, data = said.columns or [], said.data or []
        widths = set(map(len, data))
        types: Sequence[ColumnType | None] = said.types or [None] * len(columns)
        if not columns or widths - {len(columns)} or len(types) != len(columns):
            raise ValueError("rows, columns and types are not equally many")
        if said.row_count not in (None, len(data)):
            raise ValueError("another number of rows than announced")
        read = [_column(column, kind) for column, kind in zip(zip(*data, strict=True), types, strict=bool(data))]
    except (ValidationError, ValueError, InvalidOperation, RecursionError):
        raise EngineFault("unavailable", WRONG_SHAPE) from None
    return SaidResult(columns, types, list(zip(*read, strict=True)), said.truncated)


def _column(cells: Sequence[Any], kind: ColumnType | None) -> list[Any]:
    return [None if cell is None else _cell(cell, kind) for cell in cells]


def _cell(cell: Any, kind: ColumnType | None) -> Any:
    if kind == "decimal" and type(cell) in (int, float, str):
        text = str(cell)
        if not _DECIMAL.fullmatch(text):
            raise ValueError(text)
        return Decimal(text)
    if kind == "float" and type(cell) is int:
        return float(cell)
    if kind in _READ and isinstance(cell, str):
        return _READ[kind](cell)
    if isinstance(cell, (dict, list)):
        return json.dumps(cell, ensure_ascii=False)
    return cell


_READ: dict[ColumnType | None, Any] = {
    "date": date.fromisoformat,
    "timestamp": datetime.fromisoformat,
    "time": time.fromisoformat,
}


def read_schema(content: object) -> tuple[Dialect, list[Any]]:
    """Check the outside of what `mcp_db_schema` said; the tables are as they came, one object each.

    Raises:
        EngineFault: see `read_result`.
    """
    try:
        said = _Schema.model_validate(content)
    except (ValidationError, RecursionError):
        raise EngineFault("unavailable", WRONG_SHAPE) from None
    if not said.success:
        raise EngineFault("unavailable", "the MCP server does not tell its tables")
    dialect = _DIALECTS.get(said.dialect.lower())
    if dialect is None:
        raise EngineFault("unavailable", f"the MCP server does not say which SQL it takes: {sorted(_DIALECTS)}")
    return dialect, said.tables


def table_of(described: str) -> Table:
    """Read one table from its JSON text.

    Raises:
        ValueError: it is not what `SchemaTable` describes, or names a column twice.
    """
    said = SchemaTable.model_validate_json(described)
    names = [column.name.lower() for column in said.columns]
    if len(set(names)) < len(names):
        raise ValueError("a column is named twice")
    return Table(
        name=said.name,
        schema=said.schema_name,
        columns=tuple(
            Column(column.name, column_type(column.type), column.type, column.nullable, column.comment or "")
            for column in said.columns
        ),
        primary_key=said.primary_key,
        unique_keys=said.unique_keys,
        foreign_keys=tuple(ForeignKey(key.columns, key.to_table, key.to_columns) for key in said.foreign_keys),
        comment=said.comment or "",
        is_view=said.is_view,
    )
