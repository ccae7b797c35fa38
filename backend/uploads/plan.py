"""What is found in a file, and what is to be made of it; plain values, so that they travel between processes."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any, Literal, TypeAlias, get_args

Kind: TypeAlias = Literal["text", "whole number", "number", "date", "date and time", "yes or no"]
KINDS: tuple[Kind, ...] = get_args(Kind)
ENDINGS = ("csv", "tsv", "txt", "xlsx", "xlsm", "xls", "xlsb", "parquet")


@dataclass(frozen=True, slots=True)
class UploadLimits:
    """Bounds of what one person may bring; `max_rows` and `max_columns` are of one table."""

    max_file_mb: int = 50
    max_tables: int = 20
    max_rows: int = 1_000_000
    max_columns: int = 200
    max_total_mb: int = 500
    max_cell_kb: int = 64
    memory_mb: int = 1_024
    timeout_s: float = 60.0


@dataclass(frozen=True, slots=True)
class ColumnPlan:
    """One column of a file.

    Attributes:
        heading: as the file has it.
        name: what it is called in the database.
        kind: what its cells are.
        written: how they are written there, for people: "day first, 31-12-2026", "1,23,456.00"; empty for text.
        unit: currency code that stands beside its numbers, "percent", or empty.
        empty: cells with nothing in them.
    """

    heading: str
    name: str
    kind: Kind
    written: str = ""
    unit: str = ""
    empty: int = 0


@dataclass(frozen=True, slots=True)
class TablePlan:
    """One table: a file, or a sheet of one.

    Attributes:
        sheet: its name in a workbook, empty for other files.
        name: of the table.
        notes: what was taken for granted or left out, sentences for people.
        preview: the first rows, as they will be stored, spelled.
    """

    sheet: str
    name: str
    rows: int
    columns: tuple[ColumnPlan, ...]
    notes: tuple[str, ...] = ()
    preview: tuple[tuple[str, ...], ...] = field(default=(), repr=False)


def to_plain(plan: TablePlan) -> dict[str, Any]:
    """Write a plan as JSON has it."""
    return asdict(plan)


def from_plain(told: dict[str, Any]) -> TablePlan:
    """Read what `to_plain` wrote."""
    columns = tuple(ColumnPlan(**column) for column in told["columns"])
    preview = tuple(tuple(row) for row in told.get("preview", ()))
    return TablePlan(told["sheet"], told["name"], told["rows"], columns, tuple(told.get("notes", ())), preview)
