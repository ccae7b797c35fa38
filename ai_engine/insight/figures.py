"""Finds numbers in a text that the result does not bear out."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import date, datetime
from decimal import Decimal

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from ai_engine.insight.amounts import is_currency
from ai_engine.insight.changes import changes_of
from ai_engine.insight.checking.bounds import Bounds, read_bounds
from ai_engine.insight.checking.dates import KnownDates, dates_in, day_and_eve
from ai_engine.insight.checking.digits import written_figures
from ai_engine.insight.checking.disguised import disguised_figures
from ai_engine.insight.checking.figure import Figure, Reading
from ai_engine.insight.checking.marks import figures_with_other_marks, is_told_as_money, tells_of_less, told_below_zero
from ai_engine.insight.checking.names import left_out_of, names_of
from ai_engine.insight.checking.spelling import plain_digits
from ai_engine.insight.checking.ways import is_told_the_right_way
from ai_engine.insight.checking.words import spelled_figures
from ai_engine.insight.founded import FoundedNumbers, founded_amounts, founded_numbers
from ai_engine.insight.reading import Reading as ResultReading
from ai_engine.insight.reading import read_task
from ai_engine.ports import InsightTask
from ai_engine.semantics.vocabulary import Vocabulary
from ai_engine.types import Scalar

_HUNDRED = Decimal(100)
_YEARS = (1_900, 2_099)


def unfounded_figures(text: str, task: InsightTask, vocabulary: Vocabulary) -> tuple[str, ...]:
    """Return the numbers of a text, in digits or words, that nobody computed.

    Founded is a cell, what `founded.py` derives from cells, the number of rows, and a bound of the statement where the
    text names it as one ("loans over 5 lakh", "the top 5"). What is told with a currency is of a column that may be
    money. What is told as a rise or a fall must have gone that way.
    Names and dates of the result are no figures. What stands in the question, its restatement, an alias or a literal
    founds nothing.
    """
    reading = read_task(task, vocabulary)
    tree = _parsed(task.sql, vocabulary.catalogue.dialect)
    cells = {number for place in reading.shape.measures for number in reading.shape.numbers(place)}
    year_like = frozenset(int(cell) for cell in cells if cell is not None and _YEARS[0] <= cell <= _YEARS[1])
    dates = KnownDates(frozenset(_days(reading, tree)), year_like)
    told = left_out_of(plain_digits(text), names_of(reading, vocabulary, tree, dates))
    told = dates.left_out_of(told)
    founded, amounts = founded_numbers(reading), founded_amounts(reading)
    bounds, changes = read_bounds(tree, task.result.row_count), changes_of(reading)
    figures, named = figures_in(told), _named(reading)
    figures = [replace(one, below_zero=told_below_zero(one, told, named)) for one in figures]
    unfounded = [
        figure.text
        for at, figure in enumerate(figures)
        if not bounds.names(figure, told)
        and not (
            _is_founded(figure, amounts if is_told_as_money(figure, told) else founded, bounds, task.result.row_count)
            and is_told_the_right_way(figures, at, told, changes)
            and not (_lacks_its_minus(figure, reading) and not tells_of_less(told))
        )
    ]
    return (*unfounded, *figures_with_other_marks(figures, told, named, _currencies(reading)))


def _lacks_its_minus(figure: Figure, reading: ResultReading) -> bool:
    """Tell whether a figure of a single row is a cell below zero, told without its sign."""
    if figure.below_zero or reading.task.result.row_count != 1:
        return False
    cells = [number for at in reading.shape.measures for number in reading.shape.numbers(at) if number]
    told = [one for way in figure.readings for one in way if one.value]  # what is rounded to zero has no sign
    near = [cell for cell in cells for one in told if abs(abs(cell) - one.value) <= one.slack]
    return bool(near) and all(cell < 0 for cell in near)


def _named(reading: ResultReading) -> str:
    """Return what the result and the question are called, in lower case."""
    texts = [reading.task.question, *(column.label for column in reading.shape.columns)]
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
        return founded.has_ratio(value, slack) or founded.has_number(value, slack)
    if reading.kind == "rank":
        return value <= rows or value in bounds.ranked
    return founded.has_number(value, slack)
