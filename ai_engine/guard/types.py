"""The types a cast may aim at; a cast to anything else can reach the system catalogue or files."""

from __future__ import annotations

from sqlglot import exp

from ai_engine.guard.refusal import refuse, unknown, written
from ai_engine.guard.statement import Statement

_ALLOWED_TYPES = frozenset(
    {
        *("TINYINT", "SMALLINT", "MEDIUMINT", "INT", "BIGINT", "INT128", "INT256"),
        *("UTINYINT", "USMALLINT", "UMEDIUMINT", "UINT", "UBIGINT", "UINT128"),
        *("DECIMAL", "UDECIMAL", "BIGDECIMAL", "FLOAT", "DOUBLE", "UDOUBLE", "MONEY"),
        *("CHAR", "NCHAR", "VARCHAR", "NVARCHAR", "TEXT", "BPCHAR", "BOOLEAN", "BINARY"),
        *("DATE", "TIME", "TIMETZ", "TIMESTAMP", "TIMESTAMPTZ", "TIMESTAMPNTZ", "TIMESTAMPLTZ"),
        *("TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP_NS", "DATETIME", "YEAR", "INTERVAL"),
    }
)
_LARGEST_SIZE = 1_000


def casts_are_plain(statement: Statement) -> None:
    """Refuse casts to types that are not numbers, texts, dates, times or booleans, or are given a huge size."""
    for node in statement.nodes(exp.DataType):
        kind = node.this
        name = kind.value if isinstance(kind, exp.DataType.Type) else written(kind)
        if name not in _ALLOWED_TYPES or node.args.get("nested") or node.args.get("values"):
            raise unknown("type", written(node), _ALLOWED_TYPES, "is not allowed in a cast")
        for size in node.expressions:
            digits = size.name
            if not digits.isdecimal() or len(digits) > 9 or int(digits) > _LARGEST_SIZE:
                raise refuse(f"the size in {written(node)} must be at most {_LARGEST_SIZE}", digits)
