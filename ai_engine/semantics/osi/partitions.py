"""The columns of a vocabulary file by which a warehouse keeps rows apart."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import get_args

from ai_engine.catalogue import Dialect, Table
from ai_engine.semantics.model import Field
from ai_engine.semantics.osi.document import Part, nearest
from ai_engine.semantics.partitions import FORMATS, Partition, PartitionGrain, has_zone

_GRAINS: tuple[PartitionGrain, ...] = get_args(PartitionGrain)
_NUMBERS = ("integer", "decimal")


def read_partitions(
    extra: Mapping[str, Part], table: Table, fields: Sequence[Field], dialect: Dialect
) -> tuple[Partition, ...]:
    """Read which column is computed from which date.

    One file serves several engines: where a table is kept in one piece, these columns may be missing.
    """
    if "partitions" not in extra:
        return ()
    return tuple(_partition(name, part, table, fields, dialect) for name, part in extra["partitions"].entries().items())


def _partition(name: str, part: Part, table: Table, fields: Sequence[Field], dialect: Dialect) -> Partition:
    entries = part.only(("field", "grain", "format"), ("field", "grain"))
    dates = {item.name: item for item in fields if item.type in ("date", "timestamp")}
    said = entries["field"].name()
    if said not in dates:
        entries["field"].fail(f"no date {said!r}{nearest(said, list(dates))}")
    chosen = entries["grain"].one_of(_GRAINS)
    grain = next(grain for grain in _GRAINS if grain == chosen)
    spelled = entries["format"].text() if "format" in entries else None
    if spelled is not None and FORMATS.get(spelled) != grain:
        entries["format"].fail(f"a {grain.replace('_', ' ')} is spelled as {_formats(grain)}")
    column = table.column(name)
    if column is None:
        if table.partition_columns and name.lower() not in table.unreadable:
            part.fail(f"table {table.name!r} has no column {name!r}{nearest(name, table.column_names)}")
        return Partition(name, said, grain, spelled)
    if column.type == "text" and spelled is None:
        part.fail(f"the column {column.name!r} holds texts: say how they are spelled, as format {_formats(grain)}")
    is_whole_day = column.type == "date" and grain in ("year", "month", "day")
    if column.type not in (*_NUMBERS, "text") and not is_whole_day:
        part.fail(f"the column {column.name!r} holds no {grain.replace('_', ' ')}: its type is {column.native_type}")
    return Partition(column.name, said, grain, spelled, column.type, zoned=_zoned(dates[said], table, dialect))


def _formats(grain: PartitionGrain) -> str:
    return " or ".join(text for text, of in FORMATS.items() if of == grain)


def _zoned(item: Field, table: Table, dialect: Dialect) -> bool:
    if item.type == "date":
        return False
    column = table.column(item.expression.strip('"'))
    return column is None or has_zone(column.native_type, dialect)
