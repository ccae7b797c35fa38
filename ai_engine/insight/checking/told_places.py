"""Places that a text gives to a row that has not them: "Pune leads", "Delhi has more than Mumbai", "only Goa has"."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterator
from decimal import Decimal

from ai_engine.insight.checking.named_rows import NamedRows
from ai_engine.insight.reading import Reading

_HIGHEST = re.compile(
    r"\b(?:highest|largest|biggest|greatest|leads|leader|tops|ranks\s+first|number\s+one|the\s+most)\b", re.IGNORECASE
)
_LOWEST = re.compile(r"\b(?:fewest|least|lowest|smallest|ranks\s+last)\b", re.IGNORECASE)
_OF_SOMETHING_ELSE = re.compile(
    r"\b(?:than|after|behind|except|but|next|second|third|(?:four|fif|six|seven|eigh|nin|ten)th|\d+(?:nd|rd|th)|follow\w*|not|never|nor|ahead|among"
    r"|one\s+of|top|at\s+(?:most|least)|most\s+recent|(?:in|de)crease\w*|rise|rose|f[ae]ll|drop\w*|chang\w+|gain\w*|gap"
    r"|difference|growth|jump\w*|declin\w+|share|average|per|before|when|until|since|and|while)\b",
    re.IGNORECASE,
)
_MORE = re.compile(
    r"\b(?:more|higher|larger|bigger|greater)\b.*\bthan\s*$|\b(?:exceeds?|outnumbers?|tops|beats|leads)\s*$|\bahead\s+of\s*$",
    re.IGNORECASE,
)
_LESS = re.compile(r"\b(?:fewer|less|lower|smaller)\b.*\bthan\s*$|\b(?:trails|lags)\s*$|\bbehind\s*$", re.IGNORECASE)
_NOT = re.compile(r"\b(?:not|no|never|nor|times|twice)\b|n't\b|%|\d", re.IGNORECASE)
_ALONE = re.compile(r"(?:^|\s)(?:only|solely|exclusively)\s+(?:in\s+)?$", re.IGNORECASE)
_THE_ONLY = re.compile(r"\s+is\s+the\s+only\b")
_PAIR = 2


def places_of_other_rows(text: str, named: NamedRows, reading: Reading) -> Iterator[str]:
    """Yield what a sentence says of the one row, or the two, that it names and that no column bears out."""
    for start, end, mentions in named.sentences():
        sentence, rows = text[start:end], [min(one.rows) for one in mentions if len(one.rows) == 1]
        if len(rows) != len(mentions) or reading.shape.result.row_count <= 1:
            continue
        if len(rows) == _PAIR:
            between = text[mentions[0].end : mentions[1].start]
            ways = [holds for said, holds in ((_MORE, operator.gt), (_LESS, operator.lt)) if said.search(between)]
            if len(ways) == 1 and not _NOT.search(between) and not _compare(reading, rows[0], rows[1], ways[0]):
                yield between.strip()
        elif len(rows) == 1:
            yield from _first_or_last(sentence, rows[0], reading)
            alone = _ALONE.search(text[start : mentions[0].start]) or _THE_ONLY.match(text, mentions[0].end)
            if alone and not _NOT.search(sentence) and not _is_alone(reading, rows[0]):
                yield sentence.strip()


def _first_or_last(sentence: str, row: int, reading: Reading) -> Iterator[str]:
    if _OF_SOMETHING_ELSE.search(sentence):
        return
    said = [(found.group(), of) for place, of in ((_HIGHEST, max), (_LOWEST, min)) if (found := place.search(sentence))]
    if len(said) == 1:
        word, end = said[0]
        if not any(cell is not None and cell == end(others) for cell, others in _columns(reading, row)):
            yield word


def _compare(reading: Reading, one: int, other: int, holds: Callable[[Decimal, Decimal], bool]) -> bool:
    numbers = [reading.shape.numbers(at) for at in reading.shape.measures]
    pairs = [(column[one], column[other]) for column in numbers]
    return not pairs or any(a is not None and b is not None and holds(a, b) for a, b in pairs)


def _is_alone(reading: Reading, row: int) -> bool:
    numbers = [reading.shape.numbers(at) for at in reading.shape.measures]
    return not numbers or any(not any(cell for at, cell in enumerate(column) if at != row) for column in numbers)


def _columns(reading: Reading, row: int) -> Iterator[tuple[Decimal | None, list[Decimal]]]:
    for at in reading.shape.measures:
        numbers = reading.shape.numbers(at)
        yield numbers[row], [cell for cell in numbers if cell is not None]
