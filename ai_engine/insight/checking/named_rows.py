"""Which rows of a result a text names beside one of its figures: by a name, a date or a figure of theirs."""

from __future__ import annotations

import calendar
import re
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from functools import partial
from itertools import pairwise
from typing import TypeAlias

from ai_engine.insight.amounts import format_cell
from ai_engine.insight.checking.figure import Figure
from ai_engine.insight.checking.spelling import plain_digits
from ai_engine.insight.checking.ways import speaks_of_a_change
from ai_engine.insight.dates import first_day_of
from ai_engine.insight.founded import Beside
from ai_engine.insight.reading import Reading
from ai_engine.insight.wording import shorten
from ai_engine.types import Scalar

_MOST_ROWS = 3
"""A name or a figure of more rows names none; so many are compared with each other."""
_LOOKED_AT = 12
_SPELLED_TIMES = 100
_SENTENCE_ENDS = re.compile(r"[.!?]\s+(?=[^\W\d_a-z]|[\"\u201c\u2018(])")
_MONTHS = {name.lower(): at for names in (calendar.month_name, calendar.month_abbr) for at, name in enumerate(names)}
_MONTH = re.compile(
    rf"\b(?P<month>{'|'.join(sorted(filter(None, _MONTHS), key=len, reverse=True))})\b\.?(?:,?\s+(?P<year>\d{{4}}))?",
    re.IGNORECASE,
)
_LEADERS = re.compile(
    r"\b(?:top|leading|largest|biggest|highest|first|leads?|leader|together|combined|both|jointly|between\s+them)\b",
    re.IGNORECASE,
)
_SHORT_NUMERAL = re.compile(r"\d{1,3}")
"""As often a number of things as the name of a row."""
_COMPARES = re.compile(
    r"\b(?:more|less|fewer|higher|lower|larger|smaller|bigger|greater|than|above|below|ahead|behind|compar\w+|versus|vs"
    r"|against|chang\w+|differ\w*|gap|from|short\s+of|lead(?:s|ing)?|led|moved|swing|net)\b"
    r"|[-+\N{MINUS SIGN}]\s?\d|[▲△↑⬆↗🔺📈▼▽↓⬇↘🔻📉]",
    re.IGNORECASE,
)
_A_PART = re.compile(r"\s+(?:of|as)\b")


RowName: TypeAlias = tuple[int, str, frozenset[int]]
"""A column, what a row is called by it, in lower case, and the rows that are called so."""


@dataclass(frozen=True)
class Mention:
    """Where a text names rows, and by which column; None for a figure of theirs."""

    start: int
    end: int
    column: int | None
    rows: frozenset[int]


class NamedRows:
    """Tells what stands beside each figure of a text.

    Args:
        text: with digits of one script.
        mentions: what names a row in it.
        keys: columns by which rows are told apart only together.
    """

    def __init__(self, text: str, mentions: Iterable[Mention], keys: Sequence[int] = ()) -> None:
        self._text, self._keys = text, keys
        self._mentions = sorted(mentions, key=lambda one: one.start)
        self._starts = [one.start for one in self._mentions]
        self._ends = [0, *(found.end() for found in _SENTENCE_ENDS.finditer(text)), len(text) + 1]

    @classmethod
    def of_result(cls, text: str, reading: Reading, names: Iterable[RowName], figures: Sequence[Figure]) -> NamedRows:
        """Find what names rows of a result; `names` are `names_of_rows`, `figures` all numbers of the text."""
        shape = reading.shape
        mentions = list(names_told(text, names))
        for position in shape.times:
            days = [first_day_of(one, reading.fiscal_start_month) for one in shape.cells(position)]
            mentions += months_told(text, position, days)
        mentions += cells_told([shape.numbers(at) for at in shape.measures], figures)
        return cls(text, mentions, [at for at in (*shape.times, *shape.groups) if shape.distinct(at) > 1])

    def beside(self, figure: Figure) -> Beside:
        """Return what the sentence of a figure and the one before name; the nearest first."""
        at = bisect_right(self._ends, figure.start)
        start, end = self._ends[max(at - 2, 0)], self._ends[at]
        here = bisect_left(self._starts, figure.start)
        near = self._mentions[max(here - _LOOKED_AT, 0) : here + _LOOKED_AT]
        around = [one for one in near if start <= one.start < end and one.start != figure.start]
        around.sort(key=lambda one: min(abs(figure.start - one.end), abs(one.start - figure.end)))
        return Beside(
            tuple(self._rows(around)),
            _LEADERS.search(self._text, self._ends[at - 1], end) is not None,
            _A_PART.match(self._text, figure.end) is not None,
            _COMPARES.search(self._text, self._ends[at - 1], end) is not None
            or speaks_of_a_change(self._text[self._ends[at - 1] : end]),
        )

    def sentences(self) -> Iterator[tuple[int, int, list[Mention]]]:
        """Yield where each sentence begins and ends, and the names of rows in it."""
        for start, end in pairwise(self._ends):
            yield start, end, self._names_within(start, end)

    def in_sentence(self, figure: Figure) -> tuple[int, list[Mention]]:
        """Return where the sentence of a figure begins, and the names of rows in it."""
        at = bisect_right(self._ends, figure.start)
        return self._ends[at - 1], self._names_within(self._ends[at - 1], self._ends[at])

    def _names_within(self, start: int, end: int) -> list[Mention]:
        """Return the names in a part of the text that can be nothing else; of those within each other the longest."""
        found: list[Mention] = []
        for one in self._mentions[bisect_left(self._starts, start) : bisect_left(self._starts, end)]:
            if one.column is None or _SHORT_NUMERAL.fullmatch(self._text, one.start, one.end):
                continue
            if not found or one.start >= found[-1].end:
                found.append(one)
            elif one.end - one.start > found[-1].end - found[-1].start:
                found[-1] = one
        return found

    def _rows(self, mentions: Sequence[Mention]) -> list[int]:
        found: dict[int, None] = {}
        said: defaultdict[int, set[int]] = defaultdict(set)
        for one in mentions:
            rows = set(one.rows)
            if one.column is not None and one.column in self._keys:
                said[one.column] |= rows
                others = (said[key] for key in self._keys if key != one.column)
                rows.intersection_update(*others)
            if len(rows) <= _MOST_ROWS:
                found.update(dict.fromkeys(sorted(rows)))
            if len(found) >= _MOST_ROWS:
                break
        return list(found)[:_MOST_ROWS]


def _written(reading: Reading, position: int, cell: Scalar) -> str:
    """Write a cell as sentences do; the step of a long run of time is not worked out for each of its days."""
    if position in reading.shape.times and reading.shape.result.row_count <= _SPELLED_TIMES:
        return reading.written(cell, position)
    return shorten(format_cell(cell, reading.shape.columns[position], reading.formats))


def names_of_rows(reading: Reading) -> Iterator[RowName]:
    """Yield how the rows of a result are called."""
    shape = reading.shape
    for position in (*shape.times, *shape.groups, *shape.names):
        yield from row_names(position, shape.cells(position), partial(_written, reading, position))


def row_names(column: int, cells: Sequence[Scalar], written: Callable[[Scalar], str]) -> Iterator[RowName]:
    """Yield the cells of a column, in lower case, as they are and as they are written for people, with their rows."""
    rows: defaultdict[Scalar, list[int]] = defaultdict(list)
    for row, cell in enumerate(cells):
        if cell is not None:
            rows[cell].append(row)
    for cell, of in rows.items():
        for spelled in {plain_digits(name).lower() for name in {str(cell), written(cell)}} - {""}:
            yield column, spelled, frozenset(of)


def names_told(text: str, names: Iterable[RowName]) -> Iterator[Mention]:
    """Find the names of rows that a text has whole."""
    lowered = text.lower()
    for column, name, rows in names:
        if name in lowered:
            for found in re.finditer(rf"(?<!\w){re.escape(name)}(?!\w)", lowered):
                yield Mention(found.start(), found.end(), column, rows)


def months_told(text: str, column: int, days: Sequence[date | None]) -> Iterator[Mention]:
    """Find months without a day, with their year or without, and the rows whose day is in them."""
    for found in _MONTH.finditer(text):
        month, year = _MONTHS[found["month"].lower()], int(found["year"] or 0)
        rows = (row for row, day in enumerate(days) if day and day.month == month and year in {0, day.year})
        yield Mention(found.start(), found.end(), column, frozenset(rows))


def cells_told(columns: Iterable[Sequence[Decimal | None]], figures: Sequence[Figure]) -> Iterator[Mention]:
    """Find the rows of which a figure of the text is a cell."""
    cells = sorted((abs(one), row) for column in columns for row, one in enumerate(column) if one is not None)
    values = [value for value, _ in cells]
    for figure in figures:
        for way in figure.readings:
            for one in way if len(way) == 1 else ():
                near = cells[bisect_left(values, one.value - one.slack) : bisect_right(values, one.value + one.slack)]
                yield Mention(figure.start, figure.end, None, frozenset(row for _, row in near))
