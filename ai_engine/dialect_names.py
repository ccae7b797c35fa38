"""What people call the dialects, and how each bounds the rows of a statement: for those who write SQL."""

from __future__ import annotations

from collections.abc import Mapping

from ai_engine.catalogue import Dialect

_LIMIT = "LIMIT n bounds rows"
_NAMES: Mapping[Dialect, tuple[str, str]] = {
    "duckdb": ("DuckDB", _LIMIT),
    "sqlite": ("SQLite", _LIMIT),
    "postgres": ("PostgreSQL", _LIMIT),
    "mysql": ("MySQL or MariaDB", _LIMIT),
    "trino": ("Trino", _LIMIT),
    "spark": ("Spark SQL", _LIMIT),
    "tsql": ("Microsoft SQL Server (T-SQL)", "SELECT TOP n bounds rows, there is no LIMIT"),
    "oracle": ("Oracle Database", "FETCH FIRST n ROWS ONLY bounds rows, there is no LIMIT"),
    "snowflake": ("Snowflake", _LIMIT),
    "bigquery": ("BigQuery (GoogleSQL)", _LIMIT),
    "databricks": ("Databricks SQL", _LIMIT),
    "clickhouse": ("ClickHouse", _LIMIT),
}


def told_dialect(dialect: Dialect) -> str:
    """Return a dialect as a prompt tells it: "Oracle Database; FETCH FIRST n ROWS ONLY bounds rows, ..."."""
    return "; ".join(_NAMES[dialect])
