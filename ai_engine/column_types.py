"""From a database's own type names to the few types that answers distinguish."""

from __future__ import annotations

import re

from ai_engine.types import ColumnType

_NAME = r'"(?:[^"]|"")*"|`(?:[^`]|``)*`'
_TEXT = re.compile(rf"({_NAME})|'(?:[^']|'')*'")
_ESCAPED_TEXT = re.compile(rf"({_NAME})|'(?:[^'\\]|\\.|'')*'", re.DOTALL)  # ClickHouse's
_PART = re.compile(r'"((?:[^"]|"")+)"|`((?:[^`]|``)+)`|([^\W\d]\w*)')
_BASE_NAME = re.compile(r"[A-Z_]+[A-Z0-9_]*(?: PRECISION| VARYING)?")
_WRAPPED = re.compile(r"(?:NULLABLE|LOWCARDINALITY)\((.*)\)")  # ClickHouse's
_BY_NAME: dict[str, ColumnType] = {
    **dict.fromkeys(
        ("INTEGER", "INT", "BIGINT", "SMALLINT", "TINYINT", "MEDIUMINT", "HUGEINT", "UHUGEINT", "UBIGINT", "UINTEGER",
         "USMALLINT", "UTINYINT", "BIGNUM", "INT1", "INT2", "INT4", "INT8", "SERIAL", "BIGSERIAL", "SMALLSERIAL",
         "YEAR", "OID", "INT16", "INT32", "INT64", "INT128", "INT256", "UINT8", "UINT16", "UINT32", "UINT64", "UINT128",
         "UINT256", "BYTEINT"),
        "integer",
    ),
    **dict.fromkeys(("DECIMAL", "NUMERIC", "DEC", "MONEY", "SMALLMONEY", "NUMBER", "CURRENCY", "BIGNUMERIC",
                    "BIGDECIMAL", "DECIMAL32", "DECIMAL64", "DECIMAL128", "DECIMAL256"), "decimal"),
    **dict.fromkeys(("FLOAT", "DOUBLE", "REAL", "DOUBLE PRECISION", "DOUBLE_PRECISION", "FLOAT4", "FLOAT8",
                    "FLOAT32", "FLOAT64", "BFLOAT16", "BINARY_FLOAT", "BINARY_DOUBLE"), "float"),
    **dict.fromkeys(
        ("TEXT", "VARCHAR", "CHAR", "CHARACTER", "CHARACTER VARYING", "NVARCHAR", "NCHAR", "STRING", "CLOB", "BPCHAR",
         "LONGTEXT", "MEDIUMTEXT", "TINYTEXT", "UUID", "ENUM", "NAME", "CITEXT", "SET",
         "VARCHAR2", "NVARCHAR2", "NCLOB", "NTEXT", "FIXEDSTRING", "ENUM8", "ENUM16", "UNIQUEIDENTIFIER"),
        "text",
    ),
    **dict.fromkeys(("BOOLEAN", "BOOL"), "boolean"),
    **dict.fromkeys(("DATE", "DATE32"), "date"),
    **dict.fromkeys(
        ("TIMESTAMP", "DATETIME", "TIMESTAMPTZ", "TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP_NS", "TIMESTAMP_TZ",
         "DATETIME2", "SMALLDATETIME", "DATETIMEOFFSET", "DATETIME64", "DATETIME32",
         "TIMESTAMP_NTZ", "TIMESTAMP_LTZ", "TIMESTAMPNTZ", "TIMESTAMPLTZ"),
        "timestamp",
    ),
    **dict.fromkeys(("TIME", "TIMETZ", "TIME_NS"), "time"),
}  # fmt: skip


def column_type(native: str) -> ColumnType:
    """Read a type name of any engine: `DECIMAL(18,2)`, `TIMESTAMP WITH TIME ZONE`, `tinyint(1)`; lists are "other"."""
    spelled = native.upper().strip()
    while wrapped := _WRAPPED.fullmatch(spelled):
        spelled = wrapped[1]
    if spelled.endswith("]"):
        return "other"
    if spelled.startswith("TINYINT(1)"):
        return "boolean"
    if re.fullmatch(r"(DECIMAL|NUMERIC)\(\d+, *0\)", spelled):
        return "decimal"
    base = _BASE_NAME.match(spelled)
    return _BY_NAME.get(base.group(0), "other") if base else "other"


def without_texts(said: str) -> str:
    """Leave the texts out of an expression or a type, in which quotes are doubled; a name may hold any quote."""
    return _left_out(_TEXT, said)


def names_within(native: str) -> tuple[str, ...]:
    """Every name that a type of several parts may give one, words of other types among them; no label of an ENUM.

    Where a backslash may end a label or not, both are looked at.
    """
    if not any(sign in native for sign in "(<"):
        return ()
    readings = dict.fromkeys((_left_out(_TEXT, native), _left_out(_ESCAPED_TEXT, native)))
    found = (part for reading in readings for part in _PART.findall(reading))
    return tuple(
        dict.fromkeys(double.replace('""', '"') or back.replace("``", "`") or bare for double, back, bare in found)
    )


def _left_out(texts: re.Pattern[str], said: str) -> str:
    return texts.sub(lambda match: match[1] or " ", said)
