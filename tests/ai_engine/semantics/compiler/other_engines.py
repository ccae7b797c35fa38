"""Statements for databases that cannot be started here, put into DuckDB's words by sqlglot, and run there.

No such database ran. What is shown is that a statement, read by the rules of its database as sqlglot knows them, means
what the question asks; `FUNCTIONS` adds what functions mean that sqlglot does not translate.
"""

from __future__ import annotations

from typing import Any, get_args

import duckdb
import sqlglot
from sqlglot import exp

from ai_engine.catalogue import Dialect
from ai_engine.plain_negation import plain_negation

NOT_STARTED: tuple[Dialect, ...] = tuple(
    dialect for dialect in get_args(Dialect) if dialect not in ("duckdb", "sqlite", "postgres", "mysql")
)
FUNCTIONS: dict[str, str] = {
    "TODATE32": "CAST({0} AS DATE)",
    "TODATE32ORNULL": "TRY_CAST({0} AS DATE)",
    "TODATETIME": "CAST({0} AS TIMESTAMP)",
    "TOSTRING": "CAST({0} AS TEXT)",
    "TONULLABLE": "{0}",
    "TOYEAR": "YEAR({0})",
    "TOMONTH": "MONTH({0})",
    "TOQUARTER": "QUARTER({0})",
    "MAKEDATE32": "MAKE_DATE({0}, {1}, {2})",
    "ADDDAYS": "CAST({0} + INTERVAL ({1}) DAY AS DATE)",
    "ADDMONTHS": "CAST({0} + INTERVAL ({1}) MONTH AS DATE)",
    "LOWERUTF8": "LOWER({0})",
    "WEEKDAY": "ISODOW({0}) - 1",
    "TRY_TO_TIMESTAMP": "TRY_STRPTIME({0}, '%Y%m%d')",
}
ORACLE_UNITS = {"HH24": "HOUR", "IW": "WEEK", "MM": "MONTH", "Q": "QUARTER"}
ORACLE_PARTS = {"YYYY": "YEAR", "Q": "QUARTER"}


def read_back(sql: str, dialect: Dialect) -> str:
    """Return a statement as its database's own reading prints it."""
    tree = sqlglot.parse_one(sql, read=dialect)
    with plain_negation(tree):
        return tree.sql(dialect, pretty=True)


def rows_in_duckdb(sql: str, dialect: Dialect, bank: duckdb.DuckDBPyConnection) -> list[tuple[Any, ...]]:
    """Return the rows of a statement."""
    tree = sqlglot.parse_one(sql, read=dialect).transform(_meant, dialect)
    return bank.execute(tree.sql("duckdb")).fetchall()


def _meant(node: exp.Expr, dialect: Dialect) -> exp.Expr:
    if isinstance(node, exp.Anonymous) and node.name.upper() in FUNCTIONS:
        arguments = [argument.transform(_meant, dialect).sql("duckdb") for argument in node.expressions]
        return sqlglot.parse_one(FUNCTIONS[node.name.upper()].format(*arguments), read="duckdb")
    if isinstance(node, exp.SafeFunc | exp.Convert):  # of a text that spells a day
        text = (node.expression if isinstance(node, exp.Convert) else node.this.this).sql("duckdb")
        return sqlglot.parse_one(f"CAST(TRY_STRPTIME({text}, '%Y%m%d') AS DATE)", read="duckdb")
    if isinstance(node, exp.DataType) and node.is_type(exp.DType.DATE32):
        return exp.DataType.build("date")
    if isinstance(node, exp.Like) and "\\" in node.expression.name and not isinstance(node.parent, exp.Escape):
        within = exp.Like(this=node.this.transform(_meant, dialect), expression=node.expression.copy())
        return exp.Escape(this=within, expression=exp.Literal.string("\\"))
    if isinstance(node, exp.Quantile):  # PERCENTILE interpolates
        within = node.this.transform(_meant, dialect)
        return exp.Anonymous(this="QUANTILE_CONT", expressions=[within, node.args["quantile"]])
    if isinstance(node, exp.Extract) and node.name == "DAYOFWEEK":  # Sunday is its first, and DuckDB's zeroth
        return sqlglot.parse_one(f"DAYOFWEEK({node.expression.sql('duckdb')}) + 1", read="duckdb")
    if dialect == "tsql" and isinstance(node, exp.Add) and node.find(exp.Literal).is_string:
        return exp.DPipe(this=node.this.transform(_meant, dialect), expression=node.expression)
    return _of_oracle(node) if dialect == "oracle" else node


def _of_oracle(node: exp.Expr) -> exp.Expr:
    if isinstance(node, exp.DateTrunc):
        unit = ORACLE_UNITS[node.text("unit")]
        whole = exp.DateTrunc(this=node.this.copy(), unit=exp.Literal.string(unit))
        return whole if unit == "HOUR" else exp.cast(whole, "date")
    if isinstance(node, exp.Anonymous) and node.name == "TRUNC":
        return exp.cast(node.expressions[0].copy(), "date")
    if isinstance(node, exp.ToChar) and node.text("format") in ORACLE_PARTS:
        return exp.Extract(this=exp.var(ORACLE_PARTS[node.text("format")]), expression=node.this.copy())
    if isinstance(node, exp.Table) and node.name == "DUAL":
        return exp.Subquery(this=exp.select("1"), alias=exp.TableAlias(this=exp.to_identifier("dual")))
    return node
