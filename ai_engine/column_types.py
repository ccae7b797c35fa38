"""From a database's own type names to the few types that answers distinguish."""

from __future__ import annotations

import re

from ai_engine.types import ColumnType

_LABEL = re.compile(r"'(?:[^']|'')*'")
_PART = re.compile(r'"((?:[^"]|"")+)"|([^\W\d]\w*)')
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


def names_within(native: str) -> tuple[str, ...]:
    """Every name that a type of several parts may give one, words of other types among them; no label of an ENUM."""
    if not any(sign in native for sign in "(<"):
        return ()
    return tuple(quoted.replace('""', '"') or bare for quoted, bare in _PART.findall(_LABEL.sub("", native)))
