"""One result made ready to be told: its shape, what its statement promises, and how its cells are written."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import date
from decimal import Decimal

from ai_engine.formats import Formats
from ai_engine.insight.amounts import MISSING, exact, format_cell, format_value, spoken_figure
from ai_engine.insight.dates import cycle_of, spell_position
from ai_engine.insight.shape import ResultShape, read_shape
from ai_engine.insight.statement import StatementFacts, read_statement
from ai_engine.insight.wording import is_plural, opening, shorten, thing
from ai_engine.ports import InsightTask
from ai_engine.semantics.vocabulary import Vocabulary
from ai_engine.types import Scalar


@dataclass(frozen=True, slots=True)
class Reading:
    """Everything the sentences about one result are made from."""

    task: InsightTask
    shape: ResultShape
    facts: StatementFacts
    formats: Formats
    fiscal_start_month: int
    as_of: date

    @property
    def during(self) -> str:
        """All that narrows the figures as a phrase to append, empty where nothing does."""
        phrase = self.task.scope.phrase
        return f" {phrase}" if phrase else ""

    @property
    def where(self) -> str:
        """What narrows the figures besides the period, and by which date they are told, as a phrase to append."""
        dated = f" by {self.task.scope.dated_by}" if self.task.scope.dated_by else ""
        return dated + "".join(f" {condition}" for condition in self.task.scope.conditions)

    @property
    def why_none(self) -> str:
        """Why nothing is found in days behind the end of the data, as a phrase to append; empty for other days."""
        return f": the data ends on {self.task.scope.ends}" if self.task.scope.ends else ""

    def figure(self, number: Decimal, position: int) -> str:
        """Write a number for a sentence, in the unit of a column."""
        return spoken_figure(number, self.shape.columns[position].unit, self.formats)

    def count(self, number: int) -> str:
        """Write a number of rows, grouped as the reader groups digits."""
        return format_value(number, "count", self.formats)

    def written(self, value: Scalar, position: int) -> str:
        """Write one cell of a column for a sentence."""
        column = self.shape.columns[position]
        cells = self.shape.cells(position)
        if column.role == "time" or (column.role == "category" and cycle_of(column, cells)):
            return shorten(spell_position(value, column, cells, self.fiscal_start_month, self.formats))
        number = exact(value) if column.role == "measure" and position in self.shape.measures else None
        if number is not None:
            return self.figure(number, position)
        text = shorten(format_cell(value, column, self.formats))
        return f"(no {thing(column.label)})" if text == MISSING else text

    def row_name(self, row: int, positions: tuple[int, ...]) -> str:
        """Name a row by some of its cells."""
        cells = self.task.result.rows[row]
        return ", ".join(self.written(cells[position], position) for position in positions)

    def states(self, position: int, value: Scalar) -> str:
        """Say what a figure is: "Total deposits in August 2026 are Rs.500.00", "Number of customers is 12"."""
        label = opening(self.shape.columns[position].label)
        verb = "are" if is_plural(label) else "is"
        return f"{label}{self.during} {verb} {self.written(value, position)}"


def read_task(task: InsightTask, vocabulary: Vocabulary) -> Reading:
    """Read a result once for all sentences about it."""
    facts = read_statement(task.sql, task.result, vocabulary.catalogue.dialect)
    return Reading(
        task=task,
        shape=read_shape(task.result, task.columns),
        facts=replace(facts, additive=frozenset()) if task.scope.of_dates else facts,
        formats=task.formats or Formats(vocabulary.model.currency),
        fiscal_start_month=vocabulary.model.fiscal_year_start_month,
        as_of=vocabulary.as_of,
    )
