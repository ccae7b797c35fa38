"""A catalogue out of a file of CREATE TABLE statements, for a database that cannot be reached."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import get_args

import sqlglot
from sqlglot import exp
from sqlglot.errors import ErrorLevel, SqlglotError

from ai_engine.catalogue import Catalogue, Column, Dialect, ForeignKey, Index, Place, Table
from ai_engine.column_types import column_type
from ai_engine.errors import BadConfiguration
from ai_engine.table_kin import with_kin
from ai_engine.types import ColumnType

_DEFAULT_SCHEMAS = frozenset({"", "main", "public"})
_DECIMALS = frozenset(
    {"DECIMAL", "DECIMAL32", "DECIMAL64", "DECIMAL128", "BIGDECIMAL", "MONEY", "SMALLMONEY", "UDECIMAL"}
)
_TIMESTAMPS = frozenset({"DATETIME", "DATETIME2", "SMALLDATETIME"})
_TIMES = frozenset({"TIME", "TIMETZ", "TIME_NS"})
_WAREHOUSES = frozenset(get_args(Dialect)) - {"duckdb", "sqlite", "postgres", "mysql"}
_PARTITIONED = (exp.PartitionedByProperty, exp.PartitionByRangeProperty, exp.PartitionByListProperty)


def catalogue_from_ddl(text: str, dialect: Dialect) -> Catalogue:
    """Read every CREATE TABLE, VIEW and INDEX of a script; other statements are passed over.

    Raises:
        BadConfiguration: the script cannot be read, or it creates no table.
    """
    tables: dict[str, Table] = {}
    shown_by: dict[Place, list[Place]] = {}
    parted_by: dict[Place, list[str]] = {}
    inherited: set[Place] = set()
    for create in _creates(text, dialect):
        if create.kind == "INDEX":
            _add_index(create, tables)
            continue
        table = _view(create, tables) if create.kind == "VIEW" else _table(create, dialect)
        if create.kind == "TABLE":
            place, parents = _place(create), [_place(parent) for parent in _parents(create)]
            shown_by[place] = parents
            parted_by[place] = _parted_by(create)
            if table is not None:  # with columns in brackets, as no partition has them
                table = _heir(table, [tables[name.lower()] for _, name in parents if name.lower() in tables])
                inherited.update(parents)
                for parent in parents:
                    parted_by.setdefault(parent, []).append("")
        if table is not None and table.columns:
            tables[table.name.lower()] = table
    if not tables:
        raise BadConfiguration(f"the schema file creates no table that can be read as {dialect}")
    return Catalogue(dialect, tuple(with_kin(tables.values(), shown_by, parted_by, inherited=inherited)))


def _creates(text: str, dialect: Dialect) -> Iterator[exp.Create]:
    try:
        statements = sqlglot.parse(text, read=dialect, error_level=ErrorLevel.IGNORE)
    except (SqlglotError, RecursionError) as error:
        raise BadConfiguration(f"the schema file cannot be read as {dialect}: {error}") from error
    for statement in statements:
        if isinstance(statement, exp.Create) and statement.kind in {"TABLE", "VIEW", "INDEX"}:
            yield statement


def _table(create: exp.Create, dialect: Dialect) -> Table | None:
    schema = create.this
    if not isinstance(schema, exp.Schema) or not isinstance(schema.this, exp.Table):
        return None
    primary_key: list[str] = []
    unique_keys: list[tuple[str, ...]] = []
    foreign_keys: list[ForeignKey] = []
    columns: list[Column] = []
    for item in schema.expressions:
        if isinstance(item, exp.ColumnDef):
            columns.append(_column(item, dialect))
            for constraint in item.constraints:
                if isinstance(constraint.kind, exp.PrimaryKeyColumnConstraint):
                    primary_key.append(item.name)
                elif isinstance(constraint.kind, exp.UniqueColumnConstraint):
                    unique_keys.append((item.name,))
                elif isinstance(constraint.kind, exp.Reference):
                    foreign_keys.append(_foreign_key((item.name,), constraint.kind))
        else:
            _table_constraint(item, primary_key, unique_keys, foreign_keys)
    if dialect == "sqlite" and len(primary_key) == 1:
        columns = [_numbered(column) if column.name == primary_key[0] else column for column in columns]
    return Table(
        name=schema.this.name,
        columns=tuple(columns),
        schema=_schema_name(schema.this),
        primary_key=tuple(primary_key),
        unique_keys=tuple(unique_keys),
        foreign_keys=tuple(foreign_keys),
        partition_columns=_partition_columns(create, [column.name for column in columns]),
    )


def _partition_columns(create: exp.Create, names: list[str]) -> tuple[str, ...]:
    """Return the columns of the table that PARTITIONED BY names, by themselves or within a function of one column."""
    by_name = {name.lower(): name for name in names}
    said = [item for found in create.find_all(exp.PartitionedByProperty) for item in _written_names(found)]
    for found in create.find_all(exp.Property):
        if found.name == "partitioning" and found.args.get("value") is not None:  # of Iceberg, as Trino calls it
            said += [re.sub(r"^\w+\(|[,)].*$", "", text) for text in _written_names(found.args["value"])]
    return tuple(dict.fromkeys(by_name[name.lower()] for name in said if name.lower() in by_name))


def _written_names(node: exp.Expr) -> list[str]:
    return [item.name for item in node.find_all(exp.Identifier, exp.Literal)]


def _parents(create: exp.Create) -> Iterator[exp.Expr]:
    """What a table of PostgreSQL inherits from, or is a partition of."""
    for inherits in create.find_all(exp.InheritsProperty):
        yield from inherits.expressions
    for part in create.find_all(exp.PartitionedOfProperty):
        yield part.this


def _parted_by(create: exp.Create) -> list[str]:
    return [column.name for found in create.find_all(*_PARTITIONED) for column in found.find_all(exp.Column)]


def _heir(table: Table, above: list[Table]) -> Table:
    columns = {column.name.lower(): column for one in (*above, table) for column in one.columns}
    return replace(table, columns=tuple(columns.values()))


def _place(node: exp.Expr) -> Place:
    table = node.find(exp.Table)
    return (_schema_name(table), table.name) if table is not None else (None, "")


def _add_index(create: exp.Create, tables: dict[str, Table]) -> None:
    index = create.this
    table = tables.get(index.args["table"].name.lower()) if isinstance(index.args.get("table"), exp.Table) else None
    parameters = index.args.get("params")
    if table is None or parameters is None:
        return
    parts = [part.this if isinstance(part, exp.Ordered) else part for part in parameters.args.get("columns") or ()]
    columns = tuple(part.name if isinstance(part, exp.Column) else "" for part in parts)
    tables[table.name.lower()] = replace(table, indexes=(*table.indexes, Index(index.name, columns)))


def _table_constraint(
    item: exp.Expr,
    primary_key: list[str],
    unique_keys: list[tuple[str, ...]],
    foreign_keys: list[ForeignKey],
) -> None:
    for part in item.expressions if isinstance(item, exp.Constraint) else (item,):
        if isinstance(part, exp.PrimaryKey):
            primary_key.extend(column.name for column in part.expressions)
        elif isinstance(part, exp.UniqueColumnConstraint) and isinstance(part.this, exp.Schema):
            unique_keys.append(tuple(column.name for column in part.this.expressions))
        elif isinstance(part, exp.ForeignKey) and isinstance(part.args.get("reference"), exp.Reference):
            columns = tuple(column.name for column in part.expressions)
            foreign_keys.append(_foreign_key(columns, part.args["reference"]))


def _foreign_key(columns: tuple[str, ...], reference: exp.Reference) -> ForeignKey:
    target = reference.this
    if isinstance(target, exp.Schema):
        return ForeignKey(columns, target.this.name, tuple(column.name for column in target.expressions))
    return ForeignKey(columns, target.name, columns)


def _column(definition: exp.ColumnDef, dialect: Dialect) -> Column:
    kind = definition.args.get("kind")
    constraints = [constraint.kind for constraint in definition.constraints]
    required = any(
        isinstance(c, exp.PrimaryKeyColumnConstraint)
        or (isinstance(c, exp.NotNullColumnConstraint) and not c.args.get("allow_null"))
        for c in constraints
    )
    comment = next((c.name for c in constraints if isinstance(c, exp.CommentColumnConstraint)), "")
    native = kind.sql(dialect=dialect) if kind is not None else ""
    return Column(definition.name, _column_type(kind, native, dialect), native, not required, comment)


def _numbered(key: Column) -> Column:
    """A whole number that alone is SQLite's key is the row's own, and never NULL; INT is not told from INTEGER here."""
    return replace(key, nullable=key.nullable and key.type != "integer")


def _column_type(kind: exp.Expr | None, native: str, dialect: Dialect) -> ColumnType:
    if not isinstance(kind, exp.DataType):
        return "other"
    if dialect in _WAREHOUSES:
        return "boolean" if native == "BIT" else column_type(native)
    name = kind.this.value if isinstance(kind.this, exp.DataType.Type) else ""
    if kind.is_type(*exp.DataType.INTEGER_TYPES):
        return "integer"
    if name in _DECIMALS:
        return "decimal"
    if kind.is_type(*exp.DataType.REAL_TYPES):
        return "float"
    if kind.is_type(*exp.DataType.TEXT_TYPES):
        return "text"
    if name == "BOOLEAN":
        return "boolean"
    if name in {"DATE", "DATE32"}:
        return "date"
    if name.startswith("TIMESTAMP") or name in _TIMESTAMPS:
        return "timestamp"
    return "time" if name in _TIMES else "other"


def _view(create: exp.Create, tables: dict[str, Table]) -> Table | None:
    """Name a view's columns from its list, or from its query with stars looked up in the tables before it."""
    target, query = create.this, create.expression
    if isinstance(target, exp.Schema):
        names = [column.name for column in target.expressions]
        target = target.this
    elif isinstance(query, exp.Query):
        names = list(_view_columns(query, tables))
    else:
        return None
    columns = tuple(Column(name, "other") for name in names)
    return Table(name=target.name, columns=columns, schema=_schema_name(target), is_view=True) if columns else None


def _view_columns(query: exp.Query, tables: dict[str, Table]) -> Iterator[str]:
    for projection in query.selects:
        if not projection.is_star:
            yield projection.alias_or_name
            continue
        wanted = projection.args["table"].name if isinstance(projection, exp.Column) else None
        for source in query.find_all(exp.Table):
            table = tables.get(source.name.lower())
            if table is not None and wanted in {None, source.alias_or_name}:
                yield from (column.name for column in table.columns)


def _schema_name(table: exp.Table) -> str | None:
    return None if table.db.lower() in _DEFAULT_SCHEMAS else table.db
