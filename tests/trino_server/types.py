"""DuckDB's types and values as Trino spells them in its replies."""

from __future__ import annotations

import math
from base64 import b64encode
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Any

from sqlglot import exp

_PLAIN = {
    "BOOLEAN": "boolean", "TINYINT": "tinyint", "SMALLINT": "smallint", "INT": "integer", "BIGINT": "bigint",
    "HUGEINT": "bigint", "INT128": "bigint", "UTINYINT": "smallint", "USMALLINT": "integer", "UINT": "bigint",
    "UBIGINT": "decimal(20,0)", "DOUBLE": "double", "FLOAT": "real", "VARCHAR": "varchar", "TEXT": "varchar",
    "DATE": "date", "TIME": "time(6)", "TIMESTAMP": "timestamp(6)", "TIMESTAMPTZ": "timestamp(6) with time zone",
    "TIMESTAMP_S": "timestamp(0)", "TIMESTAMP_MS": "timestamp(3)", "TIMESTAMP_NS": "timestamp(9)",
    "VARBINARY": "varbinary", "BLOB": "varbinary", "UUID": "uuid", "JSON": "json", "NULL": "unknown",
    "INTERVAL": "interval day to second", "DATETIME": "timestamp(6)",
    "TIMESTAMPNTZ": "timestamp(6)", "TIMETZ": "time(6) with time zone",
}  # fmt: skip
_LENGTHS = {"varchar": 2_147_483_647}


def trino_type(native: str) -> str:
    """Return how Trino calls a type that DuckDB spells so."""
    return _spelled(_built(native))


def _built(native: str) -> exp.DataType:
    return exp.DataType.build("unknown" if native == '"NULL"' else native, dialect="duckdb", udt=True)


def _spelled(kind: exp.DataType) -> str:
    name = kind.this.value if isinstance(kind.this, exp.DataType.Type) else str(kind.this)
    inner = kind.expressions
    if name == "DECIMAL":
        precision, scale = [int(str(one.this)) for one in inner] or [18, 3]
        return f"decimal({precision},{scale})"
    if name in ("LIST", "ARRAY"):
        return f"array({_spelled(inner[0])})"
    if name == "MAP":
        return f"map({_spelled(inner[0])}, {_spelled(inner[1])})"
    if name == "STRUCT":
        fields = [f"{field.name} {_spelled(field.args['kind'])}" for field in inner]
        return f"row({', '.join(fields)})"
    return _PLAIN.get(name, "varchar")


def signature(native: str) -> dict[str, Any]:
    """Return the `typeSignature` of a type that DuckDB spells so."""
    return _signature(_built(native))


def _signature(kind: exp.DataType) -> dict[str, Any]:
    name = kind.this.value if isinstance(kind.this, exp.DataType.Type) else str(kind.this)
    if name in ("LIST", "ARRAY", "MAP"):
        inner = [{"kind": "TYPE", "value": _signature(one)} for one in kind.expressions]
        return {"rawType": "map" if name == "MAP" else "array", "arguments": inner}
    if name == "STRUCT":
        fields = [
            {
                "kind": "NAMED_TYPE",
                "value": {"fieldName": {"name": one.name}, "typeSignature": _signature(one.args["kind"])},
            }
            for one in kind.expressions
        ]
        return {"rawType": "row", "arguments": fields}
    spelled = _spelled(kind)
    base, _, rest = spelled.partition("(")
    numbers, _, tail = rest.partition(")")
    longs = [int(number) for number in numbers.split(",") if number]
    if base in _LENGTHS:
        longs = [_LENGTHS[base]]
    return {"rawType": base + tail, "arguments": [{"kind": "LONG", "value": number} for number in longs]}


def cell(value: Any) -> Any:
    """Spell one value as Trino's JSON does: decimals, moments and days as text, NaN by its name."""
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else ("Infinity" if value > 0 else "-Infinity")
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, Decimal):
        return format(value, "f")
    if isinstance(value, datetime):
        spelled = value.replace(tzinfo=None).isoformat(" ", "microseconds")
        return spelled if value.tzinfo is None else f"{spelled} {_zone(value)}"
    if isinstance(value, time):
        return value.replace(tzinfo=None).isoformat("microseconds")
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, timedelta):
        return _interval(value)
    if isinstance(value, (bytes, bytearray)):
        return b64encode(value).decode()
    if isinstance(value, dict):
        return {str(key): cell(one) for key, one in value.items()}
    return [cell(one) for one in value] if isinstance(value, (list, tuple)) else str(value)


def row_cell(value: Any, kind: dict[str, Any]) -> Any:
    """Spell a value of a known type: rows are lists of their fields."""
    if value is None:
        return None
    if kind["rawType"] == "row":
        return [
            row_cell(value[one["value"]["fieldName"]["name"]], one["value"]["typeSignature"])
            for one in kind["arguments"]
        ]
    if kind["rawType"] == "array":
        return [row_cell(one, kind["arguments"][0]["value"]) for one in value]
    return cell(value)


def _zone(value: datetime) -> str:
    name = getattr(value.tzinfo, "key", None) or getattr(value.tzinfo, "zone", None)
    if name:
        return str(name)
    minutes = round((value.utcoffset() or timedelta()).total_seconds() / 60)
    return f"{'-' if minutes < 0 else '+'}{abs(minutes) // 60:02}:{abs(minutes) % 60:02}"


def _interval(value: timedelta) -> str:
    sign, whole = ("-", -value) if value < timedelta() else ("", value)
    hours, rest = divmod(whole.seconds, 3_600)
    return f"{sign}{whole.days} {hours:02}:{rest // 60:02}:{rest % 60:02}.{whole.microseconds // 1_000:03}"
