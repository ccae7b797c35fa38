"""What a Trino server spells, as exact values: numbers digit by digit, moments with their zone, nested ones as JSON."""

from __future__ import annotations

import json
import re
from base64 import b64decode
from collections.abc import Callable, Mapping, Sequence
from datetime import date, datetime, time, timedelta, timezone
from decimal import Decimal
from typing import Any, TypeAlias
from zoneinfo import ZoneInfo

Read: TypeAlias = Callable[[Any], Any]

_MOMENT = re.compile(r"(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d)(?:\.(\d{1,6})0*)?(?: (\S+))?", re.ASCII)
_TIME = re.compile(r"(\d\d:\d\d:\d\d)(?:\.(\d{1,6})0*)?([+-]\d\d:\d\d)?", re.ASCII)
_OFFSET = re.compile(r"([+-])(\d\d):(\d\d)", re.ASCII)
_INTEGERS = frozenset({"tinyint", "smallint", "integer", "bigint"})
_NESTED = frozenset({"array", "map", "row"})


class WrongShape(Exception):
    """A value that is none of its column's type."""


def reader(signature: Mapping[str, Any]) -> Read:
    """Return what reads the values of a column, from its `typeSignature`; NULL never comes to it.

    What has no Python value (the year 20000, picoseconds) stays as the server spells it.
    """
    kind = str(signature["rawType"])
    if kind in _INTEGERS:
        return _integer
    if kind in _NESTED:
        shape = _named(signature)
        return lambda value: json.dumps(shape(value), ensure_ascii=False)
    return _READERS.get(kind, _text)


def _named(signature: Mapping[str, Any]) -> Read:
    """Give the fields of a row their names; maps and lists are as they arrive."""
    kind, arguments = str(signature["rawType"]), signature.get("arguments", ())
    if kind == "array":
        inner = _named(arguments[0]["value"])
        return lambda value: None if value is None else [inner(one) for one in _checked(value, list)]
    if kind == "map":
        of_value = _named(arguments[1]["value"])
        return lambda value: None if value is None else {k: of_value(v) for k, v in _checked(value, dict).items()}
    if kind != "row":
        return lambda value: value
    fields = [_field(number, argument["value"]) for number, argument in enumerate(arguments)]

    def row(value: Any) -> Any:
        if value is None:
            return None
        if len(_checked(value, list)) != len(fields):
            raise WrongShape
        return {name: read(one) for (name, read), one in zip(fields, value, strict=True)}

    return row


def _field(number: int, argument: Mapping[str, Any]) -> tuple[str, Read]:
    name = (argument.get("fieldName") or {}).get("name") or f"field{number}"
    return name, _named(argument["typeSignature"])


def _checked(value: Any, kind: type) -> Any:
    if not isinstance(value, kind):
        raise WrongShape
    return value


def _integer(value: Any) -> int:
    if type(value) is not int:
        raise WrongShape
    return value


def _boolean(value: Any) -> bool:
    if type(value) is not bool:
        raise WrongShape
    return value


def _float(value: Any) -> float:
    try:
        return float(value)  # NaN and the infinities arrive by name
    except (TypeError, ValueError):
        raise WrongShape from None


def _decimal(value: Any) -> Decimal:
    try:
        return Decimal(_checked(value, str))
    except ArithmeticError:
        raise WrongShape from None


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _bytes(value: Any) -> bytes:
    try:
        return b64decode(_checked(value, str), validate=True)
    except ValueError:
        raise WrongShape from None


def _date(value: Any) -> date | str:
    try:
        return date.fromisoformat(_checked(value, str))
    except ValueError:
        return str(value)


def _moment(value: Any) -> datetime | str:
    found = _MOMENT.fullmatch(_checked(value, str))
    if found is None:
        return str(value)
    moment, fraction, zone = found.groups()
    try:
        read = datetime.fromisoformat(moment).replace(microsecond=int((fraction or "").ljust(6, "0")))
        return read if zone is None else read.replace(tzinfo=_zone(zone))
    except (ValueError, LookupError, OSError):  # no such day, no such zone
        return str(value)


def _zone(spelled: str) -> timezone | ZoneInfo:
    offset = _OFFSET.fullmatch(spelled)
    if offset is None:
        return ZoneInfo(spelled)
    sign, hours, minutes = offset.groups()
    shift = timedelta(hours=int(hours), minutes=int(minutes))
    return timezone(-shift if sign == "-" else shift)


def _time(value: Any) -> time | str:
    found = _TIME.fullmatch(_checked(value, str))
    if found is None or found.group(3):  # a time of day with a zone has no type of ours
        return str(value)
    return time.fromisoformat(found.group(1)).replace(microsecond=int((found.group(2) or "").ljust(6, "0")))


_READERS: dict[str, Read] = {
    "boolean": _boolean,
    **dict.fromkeys(("double", "real"), _float),
    **dict.fromkeys(("decimal", "number"), _decimal),
    "varbinary": _bytes,
    "date": _date,
    **dict.fromkeys(("timestamp", "timestamp with time zone"), _moment),
    **dict.fromkeys(("time", "time with time zone"), _time),
}


def read_rows(rows: Sequence[Any], readers: Sequence[Read]) -> list[tuple[Any, ...]]:
    """Read a page of rows.

    Raises:
        WrongShape: a row is none, is longer or shorter than the columns, or holds what is not of its column's type.
    """
    return [_row(row, readers) for row in rows]


def _row(row: Any, readers: Sequence[Read]) -> tuple[Any, ...]:
    if len(_checked(row, list)) != len(readers):
        raise WrongShape
    return tuple(None if cell is None else read(cell) for read, cell in zip(readers, row, strict=True))
