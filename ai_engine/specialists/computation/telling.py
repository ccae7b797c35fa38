"""A calculated value in a sentence and as a table."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from ai_engine.agent import TabularResult
from ai_engine.formats import Formats
from ai_engine.insight.amounts import exact, format_amount, format_number, format_percent
from ai_engine.specialists.computation.calculation import Calculation, Unit
from ai_engine.specialists.computation.sandbox import PlainValue

_ERROR = "error"


def figure_text(value: Decimal, unit: Unit, currency: str) -> str:
    """Write a figure with its unit: Rs.22,092.77, 11.44%, 1,234.5."""
    if unit == "money":
        return format_amount(value, currency)
    if unit == "percent":
        return format_percent(value)
    return format_number(value, Formats(currency))


def table_of(value: PlainValue) -> TabularResult | None:
    """Read a result as a table: `columns` and `rows`, or a list of rows with equal keys; None when it is neither."""
    if isinstance(value, dict) and isinstance(value.get("columns"), list) and isinstance(value.get("rows"), list):
        columns = [str(name) for name in value["columns"]]  # type: ignore[union-attr]
        rows = [row for row in value["rows"] if isinstance(row, list) and len(row) == len(columns)]  # type: ignore[union-attr]
        return TabularResult.of_rows(columns, rows)
    if isinstance(value, list) and value and all(isinstance(row, dict) for row in value):
        columns = [str(name) for name in value[0]]  # type: ignore[union-attr]
        return TabularResult.of_rows(columns, [[row.get(name) for name in columns] for row in value])  # type: ignore[union-attr]
    return None


def sentence(calculation: Calculation, value: PlainValue, variables: Mapping[str, PlainValue], currency: str) -> str:
    """Tell the outcome of a recognised calculation, with what it was made from and what was taken for granted."""
    assumed = "".join(f" Assumed: {assumption}." for assumption in dict.fromkeys(calculation.assumptions))
    number = exact(value) if not isinstance(value, (list, dict)) else None
    if number is not None:
        figure = figure_text(number, calculation.unit, currency)
        tail = f" {calculation.tail}" if calculation.tail else ""
        return f"{calculation.name[:1].upper()}{calculation.name[1:]}: {figure}{tail} ({calculation.given}).{assumed}"
    table = table_of(value)
    rows = table.row_count if table is not None else 0
    missed = exact(variables.get(_ERROR)) if not isinstance(variables.get(_ERROR), (list, dict)) else None  # type: ignore[arg-type]
    error = (
        f" On the values held back it missed by {figure_text(missed, calculation.unit, currency)} on average."
        if missed
        else ""
    )
    told = (
        _forecast(table, calculation.unit, currency)
        if calculation.name == "forecast" and table is not None
        else f"{rows:,} rows"
    )
    return f"{calculation.name[:1].upper()}{calculation.name[1:]} of {calculation.given}: {told}.{error}{assumed}"


def _forecast(table: TabularResult, unit: Unit, currency: str) -> str:
    rows = table.rows[:12]
    return "; ".join(f"{row['period']} {figure_text(Decimal(str(row['forecast'])), unit, currency)}" for row in rows)


def cells_of(table: TabularResult, max_rows: int) -> dict[str, Any]:
    """A table as programs read it."""
    return {
        "columns": list(table.columns),
        "rows": [[row.get(name) for name in table.columns] for row in table.rows[:max_rows]],
    }
