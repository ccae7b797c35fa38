"""Expressions of fields and metrics, checked against the columns that exist."""

from __future__ import annotations

from collections.abc import Mapping

from sqlglot import exp
from sqlglot.errors import SqlglotError

from ai_engine.catalogue import Table
from ai_engine.semantics.kept_back import scalar
from ai_engine.semantics.model import Dataset
from ai_engine.semantics.osi.document import Part, nearest

_SQL_DIALECTS = {
    "ANSI_SQL": "",
    "SNOWFLAKE": "snowflake",
    "DATABRICKS": "databricks",
    "BIGQUERY": "bigquery",
    "POSTGRES": "postgres",
    "DUCKDB": "duckdb",
    "MYSQL": "mysql",
    "SQLITE": "sqlite",
    "TRINO": "trino",
    "SPARK": "spark",
    "TSQL": "tsql",
    "ORACLE": "oracle",
    "CLICKHOUSE": "clickhouse",
}


def read_expression(part: Part) -> tuple[str, Part]:
    """Return the ANSI SQL text of an `expression`, translated when only another SQL dialect is given, and its place."""
    listed = part if isinstance(part.value, list) else part.only(("dialects",), ("dialects",))["dialects"]
    written = {}
    for item in listed.items():
        entry = item.only(("dialect", "expression"), ("expression",))
        spelled = entry["dialect"].text().upper() if "dialect" in entry else "ANSI_SQL"
        written[spelled] = entry["expression"]
    dialect = next((known for known in _SQL_DIALECTS if known in written), "")
    if not dialect:
        listed.fail("no expression in ANSI_SQL or another SQL dialect")
    place, read = written[dialect], _SQL_DIALECTS[dialect]
    return (parse(place, read).sql() if read else place.name()), place


def parse(place: Part, dialect: str = "") -> exp.Expression:
    """Return the tree of a scalar expression."""
    try:
        found = scalar(place.name(), dialect or None)
    except (SqlglotError, RecursionError, ValueError) as fault:
        place.fail(f"not a SQL expression: {str(fault).partition('.')[0]}")
    if found is None or found.find(exp.Query):
        place.fail("must be one scalar SQL expression, without alias or subquery")
    assert isinstance(found, exp.Expression)  # noqa: S101
    return found.copy()


def check_field(place: Part, text: str, table: Table) -> exp.Expression:
    """Return the tree of a field's expression; refuse one that reads a column its table has not, or that aggregates."""
    tree = parse(Part(text, place.line, place.path))
    if tree.find(exp.AggFunc):
        place.fail("a field cannot aggregate; write it as a metric")
    for column in tree.find_all(exp.Column):
        if isinstance(column.this, exp.Star) or table.column(column.name) is None:
            known = [item.name for item in table.columns]
            place.fail(f"table {table.name!r} has no column {column.name!r}{nearest(column.name, known)}")
        if column.args.get("db") or column.table.lower() not in ("", table.name.lower()):
            place.fail(f"{column.sql()} is no column of table {table.name!r}; write {column.name!r} alone")
    return tree


def check_metric(place: Part, text: str, datasets: Mapping[str, Dataset]) -> None:
    """Refuse a metric whose columns do not exist, or stand outside an aggregate, or mix datasets inside one."""
    tree = parse(Part(text, place.line, place.path))
    aggregates = [call for call in tree.find_all(exp.AggFunc) if not call.find_ancestor(exp.AggFunc)]
    if not aggregates:
        place.fail("a metric needs an aggregate such as SUM, COUNT or AVG")
    for column in tree.find_all(exp.Column):
        _check_metric_column(place, column, datasets)
    for call in aggregates:
        used = sorted({column.table for column in call.find_all(exp.Column)})
        if len(used) > 1:
            place.fail(f"{call.sql()} mixes the datasets {' and '.join(used)}; aggregate each by itself")
        if not used:
            place.fail(f"{call.sql()} names no dataset; write a column as dataset.field")


def _check_metric_column(place: Part, column: exp.Column, datasets: Mapping[str, Dataset]) -> None:
    dataset = datasets.get(column.table)
    if not column.table:
        place.fail(f"write {column.name!r} as dataset.field")
    if dataset is None:
        place.fail(f"no dataset {column.table!r}{nearest(column.table, list(datasets))}")
    if not isinstance(column.this, exp.Star) and not dataset.has(column.name):
        known = [item.name for item in dataset.fields]
        place.fail(f"dataset {dataset.name!r} has no field {column.name!r}{nearest(column.name, known)}")
    if column.find_ancestor(exp.AggFunc) is None:
        place.fail(f"{column.sql()} stands outside an aggregate")
