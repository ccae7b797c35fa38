"""What the columns of an operator's table mean, as whoever found it says or as the cells look; and cells in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from decimal import Decimal
from typing import Any

from ai_engine.agent import TabularResult
from ai_engine.formats import Formats
from ai_engine.insight.amounts import format_cell
from ai_engine.insight.dates import spell_position
from ai_engine.insight.wording import opening
from ai_engine.types import OutputColumn


def meanings_of(table: TabularResult, described: Mapping[str, Any]) -> dict[str, OutputColumn]:
    """Return the meaning of each column, by its name.

    Args:
        table: its cells as they are stored or as JSON has them.
        described: a result's metadata: `columns` as `OutputColumn` has them, `units`.
    """
    known = {one["name"]: one for one in described.get("columns") or () if isinstance(one, Mapping) and "name" in one}
    units = described.get("units") or {}
    return {
        name: _known(known[name]) if name in known else _seen(table, name, units.get(name)) for name in table.columns
    }


def cell_in_words(value: Any, column: OutputColumn, cells: Sequence[Any], currency: str | None) -> str:
    """Write a cell as people do: Rs.70.00, "January 2026" in a run of months."""
    if isinstance(value, (list, dict)):
        return str(value)
    if column.role == "time" and value is not None:
        return spell_position(value, column, cells)
    return format_cell(value, column, Formats(currency))


def is_day(cell: Any) -> bool:
    """Tell whether a cell is a day, as itself or as ISO 8601 writes it."""
    if not isinstance(cell, str):
        return isinstance(cell, date)
    try:
        date.fromisoformat(cell[:10])
    except ValueError:
        return False
    return True


def _known(told: Mapping[str, Any]) -> OutputColumn:
    steps = tuple((cell, str(days)) for cell, days in told.get("part_steps") or ())
    return OutputColumn(
        name=str(told["name"]),
        label=str(told.get("label") or _label(str(told["name"]))),
        unit=told.get("unit"),
        role=told.get("role") or "category",
        adds_up=bool(told.get("adds_up")),
        part_steps=steps,
    )


def _seen(table: TabularResult, name: str, unit: str | None) -> OutputColumn:
    """Say what a column is by its cells; whether its figures may be added up cannot be seen."""
    cells = [row.get(name) for row in table.rows if row.get(name) is not None]
    if name.lower() == "id" or name.lower().endswith("_id"):
        return OutputColumn(name, _label(name), role="identifier")
    if cells and all(isinstance(cell, (int, float, Decimal)) and not isinstance(cell, bool) for cell in cells):
        return OutputColumn(name, _label(name), unit, role="measure")
    return OutputColumn(name, _label(name), role="time" if cells and all(map(is_day, cells)) else "category")


def _label(name: str) -> str:
    return opening(name.replace("_", " "))
