"""A text about a result taken apart: its figures, the rows that it names, its clauses, and the words that are left."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal

from ai_engine.insight.checking.figure import Figure
from ai_engine.insight.checking.named_rows import Mention, NamedRows
from ai_engine.insight.reading import Reading

_APART = re.compile(
    r"\s*[;(),\N{EM DASH}|]\s*|[.!?]\s+(?=\S)"
    r"|\s+(?:and|but|while|whereas|whilst|although|though|than|compared|followed|versus|vs)\b|\s[-\N{EN DASH}]\s"
)
_FILLED = re.compile(r"(?:[\s\u25a1,]|\band\b|\bboth\b|\beach\b|\bor\b|\bthe\b)*", re.IGNORECASE)
BLANK = "\u25a1"


@dataclass(frozen=True, slots=True)
class Clause:
    """A part of a sentence.

    Attributes:
        start, end: where it stands.
        rows: of the result that it names, or that stand alone right before it ("Mumbai, with 240").
        mentions: the names in it, in their order.
        figures: in their order.
    """

    start: int
    end: int
    mentions: tuple[Mention, ...]
    figures: tuple[Figure, ...]
    rows: frozenset[int]


@dataclass(frozen=True, slots=True)
class ToldText:
    """A text of which names, dates and figures are known.

    Attributes:
        words: with a blank in the place of each name of the result, each date and each figure.
        figures: in their order.
        sentences: the clauses of each.
        reading: of the result.
    """

    words: str
    figures: tuple[Figure, ...]
    sentences: tuple[tuple[Clause, ...], ...]
    reading: Reading

    @classmethod
    def of(cls, told: str, figures: Sequence[Figure], named: NamedRows, reading: Reading) -> ToldText:
        """Take a text apart in which names with a number and known dates are blank already."""
        rest = list(told)
        sentences = [(start, end, [one for one in mentions if one.rows]) for start, end, mentions in named.sentences()]
        spans = [(one.start, one.end) for one in figures]
        spans += [(one.start, one.end) for _, _, mentions in sentences for one in mentions]
        for start, end in spans:
            rest[start:end] = BLANK * (end - start)
        words = "".join(rest)
        clauses = (tuple(_clauses(words, start, end, mentions, figures)) for start, end, mentions in sentences)
        return cls(words, tuple(figures), tuple(clauses), reading)


def _clauses(
    words: str, start: int, end: int, mentions: Sequence[Mention], figures: Sequence[Figure]
) -> Iterator[Clause]:
    ends = [*(found.end() for found in _APART.finditer(words, start, min(end, len(words)))), min(end, len(words))]
    before: tuple[Mention, ...] = ()
    for stop in ends:
        here = tuple(one for one in mentions if start <= one.start < stop)
        told = tuple(one for one in figures if start <= one.start < stop)
        yield Clause(start, stop, here, told, _rows_named((*before, *here)))
        is_list = not told and _FILLED.fullmatch(words[start:stop].rstrip(" (;")) is not None
        before = (*before, *here) if is_list else ()
        start = stop


def _rows_named(mentions: Sequence[Mention]) -> frozenset[int]:
    """Return the rows of several names; of names in several columns ("Mumbai in March") those that have them all."""
    by_column: dict[int | None, frozenset[int]] = {}
    for one in mentions:
        by_column[one.column] = by_column.get(one.column, frozenset()) | one.rows
    sets = list(by_column.values())
    if not sets:
        return frozenset()
    return frozenset.intersection(*sets) or frozenset().union(*sets)


def is_value(figure: Figure, values: Sequence[Decimal]) -> bool:
    """Tell whether a figure is one of some numbers, whatever their sign."""
    told = [one for way in figure.readings for one in way]
    return any(abs(abs(value) - one.value) <= one.slack for value in values for one in told)


def is_plain(figure: Figure) -> bool:
    """Tell whether a figure is an amount or a count, no share, place or ratio."""
    return all(one.kind == "plain" for way in figure.readings for one in way)
