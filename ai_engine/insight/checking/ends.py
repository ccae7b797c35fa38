"""Totals, averages and ends ("the total", "the highest", "first") that a text tells, and whether they are so."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import accumulate
from statistics import median

from ai_engine.insight.checking import claim_words as said_as
from ai_engine.insight.checking import set_against
from ai_engine.insight.checking.claim_words import CLAIMS
from ai_engine.insight.checking.figure import Figure
from ai_engine.insight.checking.told_rows import is_compared
from ai_engine.insight.checking.told_text import Clause, ToldText, is_plain, is_value
from ai_engine.insight.figures import ResultRead
from ai_engine.insight.shape import in_time
from ai_engine.semantics.words import stem, words

_PAIR = 2


@dataclass(frozen=True, slots=True)
class Said:
    """A word that claims something, in its clause and its sentence."""

    word: str
    start: int
    end: int
    clause: Clause
    sentence: Sequence[Clause]

    @property
    def rows(self) -> frozenset[int]:
        """The rows that the clause names, or else its sentence."""
        return self.clause.rows or frozenset[int]().union(*(one.rows for one in self.sentence))


class Ends:
    """Holds what a text tells as a total, an average or an end to its result.

    Args:
        text: what is told.
        of: the result.
        is_known: a figure is a bound of the statement, or a number of rows.
    """

    def __init__(self, text: ToldText, of: ResultRead, is_known: Callable[[Figure], bool]) -> None:
        self._is_known, self._text, self._labels, self._changes = is_known, text, of.labels, of.changes
        self._shape, self._facts = text.reading.shape, text.reading.facts

    def _columns(self, said: str | None = None) -> Iterator[int]:
        """Yield the measures, or those whose label has a word."""
        for at in self._shape.measures:
            if said is None or said in self._shape.columns[at].label.lower().split():
                yield at

    def _cells(self, at: int) -> list[Decimal]:
        return [cell for cell in self._shape.numbers(at) if cell is not None]

    def _of_rows(self, rows: frozenset[int], columns: Sequence[int]) -> list[Decimal]:
        return [cell for at in columns for row in rows if (cell := self._shape.numbers(at)[row]) is not None]

    def _figure_of(self, said: Said, *, right: bool = True) -> Figure | None:
        """Return the figure that a word is said of: the next of its clause, or one with hardly a word between."""
        figures = [one for one in said.clause.figures if one.readings]
        after = [one for one in figures if one.start >= said.end]
        if right and after:  # "the total over the six months is 5"
            return next((one for one in after if not self._is_known(one)), after[0])
        before = [one for one in self._text.figures if one.end <= said.start]
        if before and said_as.BETWEEN_LEFT.fullmatch(self._beside_names(self._text.words[before[-1].end : said.start])):
            return before[-1]
        return None

    def _beside_names(self, text: str) -> str:
        """Return a text without the words by which question and columns call what was counted."""
        known = {stem(word) for word in words(f"{self._text.reading.task.question} {self._labels}")}
        return said_as.WORD.sub(lambda word: " " if stem(word[0].lower()) in known else word[0], text)

    def _before(self, said: Said) -> str:
        return self._text.words[max(said.start - 60, 0) : said.start]

    def _is_aggregate(self, said: Said) -> bool:
        kind = CLAIMS[said.word]
        if self._is_of_one(said, kind):
            return False
        own = list(self._columns(said.word if kind == "total" else None if kind not in self._labels else kind))
        figure = self._figure_of(said)
        if figure is not None and said_as.FROM.search(self._text.words, said.end, figure.start):
            return True  # "total balance went from 9 to 4" tells of its rows
        is_lone = self._shape.result.row_count == 1
        if (
            figure is None
            or not is_plain(figure)
            or is_compared(figure, self._text.words)
            or said_as.BY.search(self._text.words[: figure.start][-20:])
        ):
            return self._compares(said, kind)
        if said.word in said_as.TOGETHER and len(said.clause.rows) > 1:
            return is_value(figure, [sum(self._of_rows(said.clause.rows, [at]), Decimal(0)) for at in self._columns()])
        cells = [cell for at in self._columns() for cell in self._cells(at)]
        if not is_value(figure, cells) or (is_lone and (kind == "total" or kind in self._labels)):
            return is_value(figure, list(self._aggregates(kind, said.rows))) or self._counts(figure)
        own = own if kind == "total" or kind in self._labels else []
        if said.rows and is_value(
            figure, self._of_rows(said.rows, own or list(self._columns()) if kind == "total" else own)
        ):
            return not _is_whole(self._before(said))
        return is_value(figure, list(self._aggregates(kind, said.rows)))

    def _counts(self, figure: Figure) -> bool:
        """A figure that is no cell, and a number of rows: "the total of the 3 cities"."""
        return is_value(figure, [Decimal(self._shape.result.row_count)])

    def _compares(self, said: Said, kind: str) -> bool:
        side = said_as.SIDE.search(self._before(said))
        if kind == "median" and said.rows:
            return any(median(self._cells(at)) in self._of_rows(said.rows, [at]) for at in self._columns())
        if kind != "average" or side is None or side["other"]:
            return True
        of_all = [Decimal(self._shape.result.row_count)]
        if any(self._is_known(one) and not is_value(one, of_all) for one in said.clause.figures):
            return True  # "2 cities exceed the average": counted by its own rule
        above = side["above"] is not None
        rows = said.rows or frozenset(range(self._shape.result.row_count))
        return any(
            all((cell > mean) == above and cell != mean for cell in self._of_rows(rows, [at]))
            for at in self._columns()
            for mean in self._means(at)
        )

    def _means(self, at: int) -> Iterator[Decimal]:
        cells = self._cells(at)
        if cells and self._adds_up(at):
            yield sum(cells, Decimal(0)) / len(cells)

    def _adds_up(self, at: int) -> bool:
        return self._facts.whole and (at in self._facts.additive or not self._facts.grouped)

    def _aggregates(self, kind: str, rows: frozenset[int]) -> Iterator[Decimal]:
        for at in self._columns():
            cells = self._cells(at)
            if self._shape.result.row_count == 1 and (kind == "total" or kind in self._labels):
                yield from cells
            elif cells and self._adds_up(at):
                if kind == "total":
                    yield sum(cells, Decimal(0))
                    yield sum(self._of_rows(rows, [at]), Decimal(0))
                    yield from [*accumulate(sorted(cells, reverse=True)[: said_as.LEADING])][1:]
                elif kind == "average":
                    yield sum(cells, Decimal(0)) / len(cells)
                else:
                    yield median(cells)

    def _is_extreme(self, said: Said) -> bool:
        kind = CLAIMS[said.word]
        before = self._before(said)
        if said_as.BOUND.search(before) and said_as.BOUND_AFTER.match(self._text.words, said.end):
            return self._is_set_against(said, said.word)
        if not self._shape.measures or said.word in self._labels.split():
            return True
        if self._is_of_one(said, kind):
            return False
        end = max if kind == "highest" else min
        columns = [at for at in self._columns() if self._cells(at) and self._knows_end(at, kind, said)]
        figure = self._figure_of(said)
        if figure is not None and said_as.A_RANGE.search(self._text.words, said.end, figure.start):
            figure = None  # "the 4 largest range from 1 to 9"
        is_ranked = figure is not None and not is_plain(figure)
        if self._is_nth(said):
            return True  # held to its own place
        ends = [end(self._cells(at)) for at in columns]
        if figure is not None and not is_ranked and not said_as.BY.search(self._text.words[: figure.start][-20:]):
            cells = [cell for at in self._columns() for cell in self._cells(at)]
            if is_value(figure, cells) and not is_value(figure, ends) and not self._is_first_rows(said, figure):
                return False
            if is_value(figure, ends) and not said.clause.rows and len(said.rows) <= 1:
                return True
        if said.word in {"top", "bottom"} and said_as.SEVERAL.match(self._text.words, said.end):
            return True
        refers = said_as.SIDE.search(before) and said.word not in {"top", "bottom"}
        if refers and sum(len(clause.mentions) for clause in said.sentence) > _PAIR:
            return False  # "from the most to the fewest: Delhi, Pune, Mumbai"
        if refers or not said.rows or self._is_first_rows(said, figure):
            return bool(ends) or not said.rows
        if self._outdoes(said):
            return self._is_set_against(said, "more")
        rows = said.clause.rows or self._nearest(said)
        return any(self._are_the_ends(rows, at, kind) for at in columns)

    def _nearest(self, said: Said) -> frozenset[int]:
        """Return the rows of the name that stands last before a word in its sentence, or else first behind it."""
        mentions = [one for clause in said.sentence for one in clause.mentions]
        before = [one for one in mentions if one.end <= said.start]
        return (before[-1] if before else mentions[0]).rows

    def _are_the_ends(self, rows: frozenset[int], at: int, kind: str) -> bool:
        """Tell whether no other row lies beyond any of these in a column."""
        own = self._of_rows(rows, [at])
        others = self._of_rows(frozenset(range(self._shape.result.row_count)) - rows, [at])
        if not own:
            return False
        return not others or (min(own) >= max(others) if kind == "highest" else max(own) <= min(others))

    def _is_of_one(self, said: Said, kind: str) -> bool:
        """Tell whether an average or an end is told of a lone row, of which it is nothing."""
        named = self._labels.split()
        return self._shape.result.row_count == 1 and kind != "total" and not {kind, said.word} & {*named}

    def _is_nth(self, said: Said) -> bool:
        """Tell whether a place stands right before: the second highest, the next largest."""
        before = [one for one in self._text.figures if one.end <= said.start]
        ranked = bool(before) and any(one.kind == "rank" for way in before[-1].readings for one in way)
        return (ranked and not self._text.words[before[-1].end : said.start].strip(" -")) or bool(
            re.search(r"\bnext[\s-]+$", self._before(said))
        )

    def _is_first_rows(self, said: Said, figure: Figure | None) -> bool:
        """Tell whether "the top 5" is said."""
        if figure is None or self._text.words[said.end : figure.start].strip():
            return False
        cells = [cell for at in self._columns() for cell in self._cells(at)]
        counts = [Decimal(count) for count in range(1, self._shape.result.row_count + 1)]
        return is_value(figure, counts) or not is_value(figure, cells)

    def _outdoes(self, said: Said) -> bool:
        """Tell whether one row is said to lead another ("Delhi leads Pune"), which is judged by its own rule."""
        before = [one for one in said.clause.mentions if one.end <= said.start]
        after = [one for one in said.clause.mentions if one.start >= said.end]
        return bool(before and after) and said.word in {"leads", "lead", "led", "tops", "topped"}

    def _knows_end(self, at: int, kind: str, said: Said) -> bool:
        """Tell whether no row that was left out may be higher, or lower, in a column."""
        if self._facts.whole or said_as.LISTED.search(self._text.words, said.sentence[0].start, said.sentence[-1].end):
            return True
        return self._facts.ordered_by == at and self._facts.descending == (kind == "highest")

    def _is_end(self, said: Said) -> bool:
        before, text = self._before(said), self._text.words
        if said_as.PLACED.search(before) or not said_as.PERIOD_AFTER.match(text, said.end):
            rows = said.rows
            if not rows:
                return bool(said_as.PERIOD_AFTER.match(text, said.end)) or bool(
                    re.search(r"\b(?:to|at)\s+(?:the\s+)?$", before)
                )
            return any(self._stands_at(CLAIMS[said.word], row) for row in rows)
        figure = self._figure_of(said)
        cells = [cell for at in self._columns() for cell in self._cells(at)]
        if said.clause.mentions or figure is None or not is_plain(figure) or not is_value(figure, cells):
            return True
        rows = frozenset(row for row in range(self._shape.result.row_count) if self._stands_at(CLAIMS[said.word], row))
        return is_value(figure, [Decimal(self._shape.result.row_count), *self._of_rows(rows, list(self._columns()))])

    def _stands_at(self, kind: str, row: int) -> bool:
        rows = range(self._shape.result.row_count)
        for at in self._shape.times:
            order = in_time(list(dict.fromkeys(cell for cell in self._shape.cells(at) if cell is not None)))
            return bool(order) and self._shape.cells(at)[row] == (order[0] if kind == "first" else order[-1])
        if self._facts.ordered_by is not None and row == (rows[0] if kind == "first" else rows[-1]):
            return kind == "first" or self._facts.whole
        end = max if kind == "first" else min
        return any(self._shape.numbers(at)[row] == end(self._cells(at)) for at in self._columns() if self._cells(at))

    def _is_set_against(self, said: Said, side: str) -> bool:
        return set_against.holds(side, said.start, said.end, said.clause, said.sentence, self._text, self._is_known)


def _is_whole(before: str) -> bool:
    """Tell whether a total is said to be that of everything."""
    return re.search(r"\b(?:grand|overall|whole)\s+$", before, re.IGNORECASE) is not None
