"""One table, and what a text that repeats it may say of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from decimal import Decimal
from functools import cached_property
from typing import TypeAlias

from ai_engine.insight.amounts import exact
from ai_engine.insight.checking.borne_out import FoundedNumbers, ascending, compare, near
from ai_engine.insight.checking.figure import Figure, Reading
from ai_engine.insight.checking.named_rows import NamedRows, cells_told, months_told, names_told, row_names
from ai_engine.insight.checking.told_rows import given_to
from ai_engine.insight.figures import figures_in
from ai_engine.insight.founded import Points
from ai_engine.types import Scalar

Table: TypeAlias = Sequence[Sequence[Scalar]]
"""Rows of cells, all of the same length."""

_HUNDRED = Decimal(100)
_FEW_ROWS = 3


class RetoldTable:
    """A table, and what a text may say of it.

    Args:
        text: with digits of one script, its days included.
        rows: of the table.
    """

    def __init__(self, text: str, rows: Table) -> None:
        self.rows = rows
        self._text = text
        self._told: dict[tuple[int, ...], FoundedNumbers] = {}

    def founded_at(self, figure: Figure) -> FoundedNumbers:
        """Return what it may say at one figure, with the rows that it names beside it."""
        beside = self._named.beside(figure).rows
        if beside not in self._told:
            self._told[beside] = replace(self._cells, beside=self._compared(beside))
        return self._told[beside]

    def given(self, figure: Figure) -> frozenset[int]:
        """Return the rows that the words beside a figure of the text give it to."""
        return given_to(figure, self._text, self._named)

    def gives(self, figure: Figure, rows: frozenset[int]) -> bool:
        """Tell whether the text gives the same figure to these rows, and to no other as well."""
        same = (
            one
            for one in self._figures
            if any(abs(a.value - b.value) <= a.slack for a in _all(one) for b in _all(figure))
        )
        return any(theirs and theirs <= rows for theirs in map(self.given, same))

    def has(self, figure: Figure, rows: frozenset[int]) -> bool:
        """Tell whether a figure is a cell of these rows, or what few of them differ by."""
        cells = ascending(cell for column in self._columns for row in rows if (cell := column[row]) is not None)
        few = self._compared(tuple(sorted(rows))) if len(rows) <= _FEW_ROWS else FoundedNumbers((), (), ())
        return any(near(cells, one.value, one.slack) or few.has_number(one.value, one.slack) for one in _all(figure))

    def has_anywhere(self, figure: Figure) -> bool:
        """Tell whether a figure is a cell of any row."""
        return any(near(self._every_cell, one.value, one.slack) for one in _all(figure))

    @cached_property
    def _every_cell(self) -> tuple[Decimal, ...]:
        return ascending(cell for column in self._columns for cell in column if cell is not None)

    @cached_property
    def _figures(self) -> list[Figure]:
        return figures_in(self._text)

    @cached_property
    def _columns(self) -> list[list[Decimal | None]]:
        return [[exact(cell) for cell in column] for column in zip(*self.rows, strict=True)]

    @cached_property
    def _points(self) -> list[Points]:
        return [Points.of_cells(column) for column in self._columns if any(one is not None for one in column)]

    @cached_property
    def _named(self) -> NamedRows:
        mentions = cells_told(self._columns, self._figures)
        names = [
            mention
            for at, column in enumerate(zip(*self.rows, strict=True))
            for cells in ([None if exact(cell) is not None else cell for cell in column],)
            for mention in (
                *names_told(self._text, row_names(at, cells, str)),
                *months_told(self._text, at, [cell if isinstance(cell, date) else None for cell in cells]),
            )
        ]
        return NamedRows(self._text, [*mentions, *names])

    @cached_property
    def _cells(self) -> FoundedNumbers:
        numbers, percents = {Decimal(len(self.rows))}, set[Decimal]()
        for column in self._columns:
            figures = [number for number in column if number is not None]
            numbers.update(figures)
            if _may_be_percentages(figures):
                percents.update(figures)
                percents.update(figure * _HUNDRED for figure in figures if abs(figure) <= 1)
        return FoundedNumbers.of(numbers, percents, set())

    def _compared(self, rows: tuple[int, ...]) -> FoundedNumbers:
        numbers, percents, ratios = set[Decimal](), set[Decimal](), set[Decimal]()
        for points in self._points:
            numbers.update(compare(points.pairs(rows), percents, ratios))
        return FoundedNumbers.of(numbers, percents | {ratio * _HUNDRED for ratio in ratios}, ratios)


def _may_be_percentages(figures: Sequence[Decimal]) -> bool:
    """Tell whether a column may be one of percentages: of whole numbers, or of larger ones, it is hardly one."""
    return all(abs(one) <= _HUNDRED for one in figures) and any(one != one.to_integral_value() for one in figures)


def _all(figure: Figure) -> list[Reading]:
    return [reading for readings in figure.readings for reading in readings]
