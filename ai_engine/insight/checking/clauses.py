"""Figures that a clause gives to a row which has them not, whatever stands between its name and the figure."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from decimal import Decimal
from itertools import pairwise

from ai_engine.insight.checking import claim_words as said_as
from ai_engine.insight.checking.figure import Figure
from ai_engine.insight.checking.named_rows import Mention
from ai_engine.insight.checking.told_text import Clause, ToldText, is_plain, is_value
from ai_engine.insight.checking.ways import speaks_of_a_change
from ai_engine.insight.founded import Beside, Founded
from ai_engine.insight.reading import Reading

_COMPARED_ROWS = 3
_FEWEST = 2
_FRONTED = re.compile(r"\s*(?:with|at|having|on)\b", re.IGNORECASE)
_AND = re.compile(r"\s*(?:,|\band\b|\bor\b|&)+\s*(?:and\s+)?", re.IGNORECASE)


def figures_of_other_clauses(
    text: ToldText, founded: Founded, is_told_otherwise: Callable[[Figure], bool]
) -> Iterator[str]:
    """Yield the figures that are a cell, and of none of the rows that their clause names.

    Args:
        text: what is told.
        founded: what the result bears out.
        is_told_otherwise: a figure is told as a number of rows, a bound or an end of all.
    """
    shape = text.reading.shape
    cells = _cells(text.reading, range(shape.result.row_count))
    must_be_named = shape.result.row_count > 1 and bool(shape.times or shape.groups or shape.names)
    named = frozenset[int]()
    for sentence in text.sentences:
        here = frozenset[int]().union(*(one.rows for one in sentence))
        is_range = _is_range(text, sentence)
        named = here or named
        in_lists = list(_in_lists(sentence, cells))
        subject = _subject(text, sentence) or named
        for figure, rows in in_lists or [
            given for clause in sentence for given in _given(clause, subject if clause is sentence[0] else named)
        ]:
            if not is_plain(figure) or is_told_otherwise(figure) or not is_value(figure, cells):
                continue
            if not rows:
                if must_be_named and not (is_range and is_value(figure, _ends(text.reading))):
                    yield figure.text
                continue
            if _is_of_one_of_a_list(text, sentence, figure, rows):
                yield figure.text
            related = founded.related(Beside(tuple(sorted(rows))[:_COMPARED_ROWS]))
            if not is_value(figure, _cells(text.reading, rows)) and not any(
                related.has_number(one.value, one.slack) for way in figure.readings for one in way
            ):
                yield figure.text


def _is_of_one_of_a_list(text: ToldText, sentence: Sequence[Clause], figure: Figure, rows: frozenset[int]) -> bool:
    """Tell whether two names with nothing but "and" between them are given a figure that only one of them has."""
    names = [one for clause in sentence for one in clause.mentions if one.end <= figure.start and one.rows <= rows]
    if len(names) < _FEWEST or names[-1].column != names[-2].column:
        return False
    between = text.words[names[-2].end : names[-1].start]
    if not _AND.fullmatch(between) or any(names[-2].end < one.start < figure.start for one in text.figures):
        return False
    held = [is_value(figure, _cells(text.reading, one.rows)) for one in names[-2:]]
    return any(held) and not all(held)


def names_of_no_row(text: ToldText) -> Iterator[str]:
    """Yield the names of a clause that no row has together: "Rao has a car loan", where Rao's is a home loan."""
    for clause in (one for sentence in text.sentences for one in sentence):
        by_column: dict[int | None, frozenset[int]] = {}
        for one in clause.mentions:
            by_column[one.column] = by_column.get(one.column, frozenset()) | one.rows
        together = frozenset.intersection(*by_column.values()) if by_column else frozenset()
        for one, other in pairwise(clause.mentions):
            is_list = one.column == other.column and _AND.fullmatch(text.words, one.end, other.start)
            if not together or (is_list and (together.isdisjoint(one.rows) or together.isdisjoint(other.rows))):
                yield text.words[one.start : other.end]
                break


def _subject(text: ToldText, sentence: Sequence[Clause]) -> frozenset[int]:
    """Return the rows of the name behind a clause without one that a sentence begins with: "With 240, Mumbai leads"."""
    mentions = [one for clause in sentence for one in clause.mentions]
    is_fronted = _FRONTED.match(text.words, sentence[0].start) is not None
    return mentions[0].rows if is_fronted and mentions and not sentence[0].mentions else frozenset()


def _is_range(text: ToldText, sentence: Sequence[Clause]) -> bool:
    """Tell whether a sentence tells from where to where figures lie, the lower first where nothing fell."""
    start, end = sentence[0].start, sentence[-1].end
    figures = [one for clause in sentence for one in clause.figures if one.readings and is_plain(one)]
    told = [min(one.value for way in figure.readings for one in way) for figure in figures]
    goes_up = told == sorted(told) or speaks_of_a_change(text.words[start:end])
    return goes_up and said_as.A_RANGE.search(text.words, start, end) is not None


def _in_lists(sentence: Sequence[Clause], cells: Sequence[Decimal]) -> Iterator[tuple[Figure, frozenset[int]]]:
    """Yield the figures of a sentence of names and then as many figures, or the other way round, each with its name."""
    mentions = [one for clause in sentence for one in clause.mentions]
    figures = [one for clause in sentence for one in clause.figures if is_plain(one) and is_value(one, cells)]
    if len(mentions) != len(figures) or len(figures) < _FEWEST or len({one.column for one in mentions}) > 1:
        return
    if mentions[-1].end <= figures[0].start or figures[-1].end <= mentions[0].start:
        yield from ((figure, mention.rows) for figure, mention in zip(figures, mentions, strict=True))


def _given(clause: Clause, named: frozenset[int]) -> Iterator[tuple[Figure, frozenset[int]]]:
    """Yield each figure with the rows that it may be of: in turns its own name's, else those of all names near."""
    figures = [one for one in clause.figures if is_plain(one)]
    parts: list[Figure | Mention] = sorted([*figures, *clause.mentions], key=lambda one: one.start)
    pairs = list(zip(parts[::2], parts[1::2], strict=False))
    in_turns = (
        len(figures) > 1
        and len(parts) == 2 * len(figures)
        and all(isinstance(one, Figure) != isinstance(other, Figure) for one, other in pairs)
    )
    columns = {one.column for one in clause.mentions}
    if in_turns and len(columns) == 1:
        for one, other in pairs:
            figure, mention = (one, other) if isinstance(one, Figure) else (other, one)
            if isinstance(figure, Figure) and isinstance(mention, Mention):
                yield figure, mention.rows
        return
    yield from ((figure, clause.rows or named) for figure in figures)


def _ends(reading: Reading) -> list[Decimal]:
    columns = [[cell for cell in reading.shape.numbers(at) if cell is not None] for at in reading.shape.measures]
    return [end for cells in columns if cells for end in (min(cells), max(cells))]


def _cells(reading: Reading, rows: Sequence[int] | range | frozenset[int]) -> list[Decimal]:
    shape = reading.shape
    return [cell for at in shape.measures for row in rows if (cell := shape.numbers(at)[row]) is not None]
