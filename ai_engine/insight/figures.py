"""Finds numbers in a text that the result does not bear out."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import date, datetime
from decimal import Decimal
from functools import cached_property

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from ai_engine.insight.amounts import is_currency
from ai_engine.insight.changes import Changes, changes_of
from ai_engine.insight.checking.borne_out import FoundedNumbers
from ai_engine.insight.checking.bounds import Bounds, read_bounds
from ai_engine.insight.checking.counted import Counted, read_counted, things_counted
from ai_engine.insight.checking.dates import KnownDates, dates_in, day_and_eve, quarters_from_nowhere
from ai_engine.insight.checking.digits import written_figures
from ai_engine.insight.checking.disguised import disguised_figures, parts_told
from ai_engine.insight.checking.figure import Figure, Reading
from ai_engine.insight.checking.marks import (
    figures_with_other_marks,
    is_told_as_money,
    tells_of_less,
    told_below_zero,
)
from ai_engine.insight.checking.named_rows import NamedRows, RowName, names_of_rows
from ai_engine.insight.checking.names import left_out_of, names_of, numerals_left_out_of, numerals_of
from ai_engine.insight.checking.spelling import plain_digits
from ai_engine.insight.checking.ways import is_how_far, is_told_the_right_way
from ai_engine.insight.checking.words import spelled_figures
from ai_engine.insight.dates import first_day_of
from ai_engine.insight.founded import Founded, founded_amounts, founded_counts, founded_numbers
from ai_engine.insight.reading import Reading as ResultReading
from ai_engine.insight.reading import read_task
from ai_engine.ports import InsightTask
from ai_engine.semantics.vocabulary import Vocabulary
from ai_engine.semantics.words import stem
from ai_engine.types import Scalar

_HUNDRED = Decimal(100)
_QUARTER_DAYS = 92
_THINGS_AFTER = re.compile(r"\s+([a-z]+)(?:\s+([a-z]+))?", re.IGNORECASE)
_YEARS = (1_900, 2_099)


@dataclass(frozen=True)
class ResultRead:
    """A result, and what may be said of it: read once, however many texts tell it.

    Attributes:
        reading: of the result.
        dates: the days that it speaks of.
        names: what it and the bank call things with a number.
        founded, amounts, counts, bounds, changes, counted: what may be said of it; `amounts` with a currency, `counts`
            of how many there are.
        things: stems of words for what was counted.
        labels: what the columns are called, in lower case.
        named: what question and result are called, its cells among it, in lower case.
    """

    reading: ResultReading
    dates: KnownDates
    names: tuple[str, ...]
    founded: Founded
    amounts: Founded
    counts: Founded
    bounds: Bounds
    changes: Changes
    counted: Counted
    things: frozenset[str]
    labels: str
    named: str

    @classmethod
    def of(cls, task: InsightTask, vocabulary: Vocabulary) -> ResultRead:
        """Read a result."""
        reading = read_task(task, vocabulary)
        tree = _parsed(task.sql, vocabulary.catalogue.dialect)
        cells = {number for place in reading.shape.measures for number in reading.shape.numbers(place)}
        year_like = frozenset(int(cell) for cell in cells if cell is not None and _YEARS[0] <= cell <= _YEARS[1])
        dates = KnownDates(frozenset(_days(reading, tree)), year_like)
        return cls(
            reading,
            dates,
            tuple(dict.fromkeys(names_of(reading, vocabulary, tree, dates))),
            founded_numbers(reading),
            founded_amounts(reading),
            founded_counts(reading),
            read_bounds(tree, task.result.row_count, task.question),
            changes_of(reading),
            read_counted(reading, vocabulary),
            things_counted(reading, vocabulary),
            " ".join(column.label for column in reading.shape.columns).lower(),
            f"{task.question} {_labelled(reading)}".lower(),
        )

    def is_thing(self, told: re.Match[str] | None) -> bool:
        """Tell whether one of the words behind a figure is one for several of what was counted."""
        after = [part.lower() for part in told.groups() if part] if told is not None else []
        return any(part.endswith("s") and stem(part) in self.things for part in after)

    @cached_property
    def row_names(self) -> list[RowName]:
        """How each row is called."""
        return list(names_of_rows(self.reading))

    @cached_property
    def numerals(self) -> dict[str, re.Pattern[str]]:
        """The numbers that name rows, and behind what they do."""
        return numerals_of(self.reading)

    @cached_property
    def called(self) -> str:
        """What the result alone is called: asking for dollars or crore makes none of it."""
        return _labelled(self.reading)

    @cached_property
    def steps(self) -> tuple[date, ...]:
        """The days with which its steps begin."""
        return tuple(_steps(self.reading))


@dataclass(frozen=True, slots=True)
class TextRead:
    """A text about a result, and what the result has to say to it.

    Attributes:
        of: the result.
        told: the text with digits of one script, without names with a number and without dates that are known; what
            is left keeps its place.
        figures: the numbers of the text in their order.
        parts: words that tell a part of what was counted.
        rows: the names of rows in it.
    """

    of: ResultRead
    told: str
    figures: list[Figure]
    parts: list[Figure]
    rows: NamedRows

    @classmethod
    def beside(cls, text: str, of: ResultRead) -> TextRead:
        """Read a text beside the result that it tells."""
        plain = plain_digits(text)
        told = numerals_left_out_of(of.dates.left_out_of(left_out_of(plain, of.names)), of.numerals)
        figures, parts = figures_in(told), list(parts_told(told))
        rows = NamedRows.of_result(plain, of.reading, of.row_names, [*figures, *parts])
        return cls(of, told, figures, parts, rows)

    def counts(self, figure: Figure) -> bool:
        """Tell whether a figure is a bound of the statement or a number of rows."""
        return self.of.bounds.names(figure, self.told) or self.of.counted.names(figure, self.told)

    def unfounded(self) -> tuple[str, ...]:
        """Return the numbers, in digits or words, that nobody computed.

        Founded is a cell, what `founded.py` derives from cells, the number of rows told as one, and a bound of the
        statement where the text names it as one ("loans over 5 lakh", "the top 5"). What is told with a currency is of
        a column that may be money. What is told as a rise or a fall must have gone that way. Names and dates of the
        result are no figures. What stands in the question, its restatement, an alias or a literal founds nothing.
        """
        of = self.of
        figures = [
            replace(one, below_zero=told_below_zero(one, self.told, of.named)) for one in (*self.figures, *self.parts)
        ]
        return (
            *(one.text for at, one in enumerate(figures) if not self._is_borne_out(figures, at)),
            *quarters_from_nowhere(self.told, of.steps, of.reading.fiscal_start_month, of.called),
            *figures_with_other_marks(figures, self.told, of.called, _currencies(of.reading)),
        )

    def _is_borne_out(self, figures: list[Figure], at: int) -> bool:
        figure, of = figures[at], self.of
        if of.bounds.names(figure, self.told):
            return True
        if not is_told_the_right_way(figures, at, self.told, of.changes):
            return False
        is_money = is_told_as_money(figure, self.told)
        if not is_money and not figure.below_zero and of.counted.names(figure, self.told):
            return True
        is_count = not is_money and of.is_thing(_THINGS_AFTER.match(self.told, figure.end))
        may_be = of.amounts if is_money else of.counts if is_count else of.founded
        founded = may_be.at(self.rows.beside(figure))
        if not _is_founded(figure, founded, of.bounds, of.reading.shape.result.row_count):
            return False
        may_be_bare = tells_of_less(self.told) or is_how_far(figures, at, self.told)
        return may_be_bare or not _lacks_its_minus(figure, of.reading)


def _lacks_its_minus(figure: Figure, reading: ResultReading) -> bool:
    """Tell whether a figure is a cell below zero, told without its sign."""
    if figure.below_zero:
        return False
    cells = [number for at in reading.shape.measures for number in reading.shape.numbers(at) if number]
    told = [one for way in figure.readings for one in way if one.value]  # what is rounded to zero has no sign
    near = [cell for cell in cells for one in told if abs(abs(cell) - one.value) <= one.slack]
    return bool(near) and all(cell < 0 for cell in near)


def _labelled(reading: ResultReading) -> str:
    """Return what the result alone is called: asking for dollars or crore makes none of it."""
    texts = [column.label for column in reading.shape.columns]
    measures = frozenset(reading.shape.measures)
    for position in range(len(reading.shape.columns)):
        if position not in measures:
            texts += [str(cell) for cell in dict.fromkeys(reading.shape.cells(position)) if isinstance(cell, str)]
    return " ".join(texts).lower()


def _currencies(reading: ResultReading) -> frozenset[str]:
    units = (column.unit for column in reading.shape.columns if is_currency(column.unit))
    return frozenset(unit for unit in (reading.formats.currency, *units) if unit)


def figures_in(text: str) -> list[Figure]:
    """Find every number of a text that `plain_digits` has read, in the order in which they stand."""
    in_digits = list(written_figures(text))
    rest = list(text)
    for figure in in_digits:
        rest[figure.start : figure.end] = "□" * (figure.end - figure.start)
    left = "".join(rest)
    others = [*spelled_figures(left), *disguised_figures(left)]
    return sorted([*in_digits, *others], key=lambda figure: figure.start)


def _parsed(sql: str, dialect: str) -> exp.Expr | None:
    try:
        return sqlglot.parse_one(sql, dialect=dialect)
    except (SqlglotError, RecursionError):
        return None


def _steps(reading: ResultReading) -> Iterator[date]:
    """Yield the days with which the steps of the result begin, and the ends of a period of at most a quarter."""
    for at in reading.shape.times:
        for cell in dict.fromkeys(reading.shape.cells(at)):
            day = first_day_of(cell, reading.fiscal_start_month)
            yield from [day] if day else []
    for days in (reading.task.scope.period, reading.task.scope.compared):
        ends = sorted(dates_in(plain_digits(f"for {days}")))
        yield from ends if ends and (ends[-1] - ends[0]).days <= _QUARTER_DAYS else []


def _days(reading: ResultReading, tree: exp.Expr | None) -> Iterator[date]:
    yield reading.as_of
    for days in (reading.task.scope.period, reading.task.scope.compared):
        yield from dates_in(plain_digits(f"for {days}"))
    measures = frozenset(reading.shape.measures)
    for position, column in enumerate(reading.shape.columns):
        if position not in measures:
            for cell in dict.fromkeys(reading.shape.cells(position)):
                yield from _days_of(cell, is_time=column.role == "time")
        for _, covered in column.part_steps:
            yield from dates_in(covered)
    for literal in tree.find_all(exp.Literal) if tree is not None else ():
        if literal.is_string and isinstance(literal.find_ancestor(exp.Predicate), exp.Predicate):
            for day in dates_in(literal.name):
                yield from day_and_eve(day)


def _days_of(cell: Scalar, *, is_time: bool) -> Iterator[date]:
    if isinstance(cell, datetime):
        yield cell.date()
    elif isinstance(cell, date):
        yield cell
    elif isinstance(cell, str) or (is_time and isinstance(cell, (int, float))):
        yield from dates_in(f"for {cell}" if isinstance(cell, str) else f"for {cell:.0f}")


def _is_founded(figure: Figure, founded: FoundedNumbers, bounds: Bounds, rows: int) -> bool:
    return any(
        all(_is_reading_founded(reading, founded, bounds, rows) for reading in readings)
        and (not figure.below_zero or all(founded.is_below_zero(reading) for reading in readings))
        for readings in figure.readings
    )


def _is_reading_founded(reading: Reading, founded: FoundedNumbers, bounds: Bounds, rows: int) -> bool:
    value, slack = reading.value, reading.slack
    if reading.kind == "percent":
        return founded.has_percent(value, slack)
    if reading.kind == "fraction":
        return founded.has_percent(value * _HUNDRED, slack * _HUNDRED) or founded.has_ratio(value, slack)
    if reading.kind == "ratio":
        return founded.has_ratio(value, slack)
    if reading.kind == "part":
        return founded.has_share(value, slack)
    if reading.kind == "rank":
        return value <= rows or value in bounds.ranked
    return founded.has_number(value, slack)
