"""What stands out in a table, by rule: each sentence's figures are cells, or follow from cells in exact decimals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from ai_engine.agent import TabularResult
from ai_engine.formats import Formats
from ai_engine.insight.amounts import exact, format_percent, format_value
from ai_engine.insight.wording import opening
from ai_engine.json_values import any_to_json
from ai_engine.operators.column_meanings import cell_in_words, is_day, meanings_of
from ai_engine.operators.links import defused
from ai_engine.types import OutputColumn

_FEW_ROWS = 2
_MOST_MEASURES = 4
_ENOUGH_FOR_SHARE = 3
_HUNDRED = Decimal(100)


@dataclass(frozen=True, slots=True)
class _Figures:
    """A column of figures, and what names the rows beside it."""

    table: TabularResult
    column: OutputColumn
    names: tuple[OutputColumn, ...]
    currency: str | None

    @property
    def rows(self) -> list[tuple[Mapping[str, Any], Decimal]]:
        """The rows that have a figure, with it."""
        cells = ((row, exact(row.get(self.column.name))) for row in self.table.rows)
        return [(row, number) for row, number in cells if number is not None]

    @property
    def label(self) -> str:
        """What the figures are, at the beginning of a sentence."""
        return defused(opening(self.column.label))

    def told(self, number: Decimal) -> str:
        """Write a figure."""
        return format_value(number, self.column.unit, Formats(self.currency))

    def named(self, row: Mapping[str, Any]) -> str:
        """Name a row."""
        texts = (cell_in_words(row.get(one.name), one, self._cells(one), self.currency) for one in self.names)
        return defused(", ".join(texts)) or "one row"

    def _cells(self, column: OutputColumn) -> list[Any]:
        return [row.get(column.name) for row in self.table.rows]

    @property
    def in_time(self) -> bool:
        """Whether the rows are steps of time and nothing else."""
        return len(self.names) == 1 and all(is_day(cell) for cell in self._cells(self.names[0]))


def findings(table: TabularResult, described: Mapping[str, Any], currency: str | None) -> list[str]:
    """Say what stands out in each column of figures: highest and lowest, share of the total, change from first to last.

    Args:
        table: its cells as they are stored or as JSON has them.
        described: a result's metadata: `columns`, `units`, `truncated` where they are known.
        currency: of the bank.
    """
    if table.row_count < _FEW_ROWS:
        return []
    columns = meanings_of(table, described).values()
    others = [one for one in columns if one.role != "measure"]
    names = tuple([one for one in others if one.role != "identifier"] or others)[:_FEW_ROWS]
    measures = [one for one in columns if one.role == "measure"][:_MOST_MEASURES]
    cut = bool(described.get("truncated"))
    return [line for one in measures for line in _of_column(_Figures(table, one, names, currency), cut=cut)]


def _of_column(figures: _Figures, *, cut: bool) -> list[str]:
    rows, label = figures.rows, figures.label
    if len(rows) < _FEW_ROWS:
        return []
    if figures.in_time:
        return [_change(figures)]
    if cut:
        return [f"{label}: the rows are cut off, so no highest, lowest or total is told."]
    highest, lowest = max(rows, key=lambda one: one[1]), min(rows, key=lambda one: one[1])
    if highest[1] == lowest[1]:
        return [f"{label}: {figures.told(highest[1])} in all {len(rows)} rows."]
    found = [
        f"{label}: highest for {figures.named(highest[0])} ({figures.told(highest[1])}), lowest for "
        f"{figures.named(lowest[0])} ({figures.told(lowest[1])})."
    ]
    total = sum((number for _, number in rows), Decimal())
    if figures.column.adds_up and len(rows) >= _ENOUGH_FOR_SHARE and lowest[1] >= 0 < total:
        share = format_percent(highest[1] * _HUNDRED / total)
        found.append(f"{figures.named(highest[0])} has {share} of the total of {figures.told(total)}.")
    return found


def _change(figures: _Figures) -> str:
    """Tell how a run of time went from its first to its last step; a step that is covered in part is no end of it."""
    time, label = figures.names[0], figures.label
    in_part: Sequence[str] = [str(any_to_json(cell)) for cell, _ in time.part_steps]
    ordered = sorted(figures.rows, key=lambda one: str(one[0][time.name]))
    whole = [one for one in ordered if str(any_to_json(one[0][time.name])) not in in_part]
    if len(whole) < _FEW_ROWS:
        return f"{label}: too few steps are covered whole to say how it went."
    (first, before), (last, after) = whole[0], whole[-1]
    left_out = ", without the steps that are covered only in part" if len(whole) < len(ordered) else ""
    if before == after:
        return f"{label}: {figures.told(after)} in the first and the last step{left_out}."
    way = "rose" if after > before else "fell"
    ends = f"{figures.told(before)} ({figures.named(first)}) to {figures.told(after)} ({figures.named(last)})"
    percent = f", by {format_percent(abs(after - before) * _HUNDRED / abs(before))}" if before else ""
    return f"{label}: {way} from {ends}{percent}{left_out}."
