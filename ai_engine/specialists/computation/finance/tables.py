"""Tables that were handed to a program: `{"columns": [names], "rows": [[cells]]}`."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from ai_engine.specialists.computation.finance.exact import exact


def column_of(table: dict[str, list[Any]], name: str) -> list[Any]:
    """Return the cells of one column, in the order of rows.

    Raises:
        ValueError: there is no such column; says which there are.
    """
    columns = [str(column) for column in table["columns"]]
    if name not in columns:
        raise ValueError(f"there is no column {name}: use one of {', '.join(columns)}")
    place = columns.index(name)
    return [row[place] for row in table["rows"]]


def with_column(table: dict[str, list[Any]], name: str, cells: list[Any]) -> dict[str, list[Any]]:
    """Return a copy of a table with one more column at its end.

    Raises:
        ValueError: there are not as many cells as rows.
    """
    if len(cells) != len(table["rows"]):
        raise ValueError(f"{len(cells)} cells do not fit {len(table['rows'])} rows")
    rows = [[*row, cell] for row, cell in zip(table["rows"], cells, strict=True)]
    return {"columns": [*table["columns"], name], "rows": rows}


def what_if(table: dict[str, list[Any]], name: str, change_percent: Decimal) -> dict[str, list[Any]]:
    """Return a table with a column of what another becomes when it changes by some percent.

    Args:
        table: with a column of numbers called `name`; empty cells stay empty.
        change_percent: 10 for a rise by a tenth, -10 for a fall.

    Returns:
        A copy with one more column, called `name` and the change.

    Raises:
        ValueError: there is no such column.
    """
    percent = exact(change_percent)
    factor = 1 + percent / 100
    cells: list[Any] = [None if cell is None else exact(cell) * factor for cell in column_of(table, name)]
    return with_column(table, f"{name} {'+' if percent >= 0 else '-'}{abs(percent)} %", cells)
