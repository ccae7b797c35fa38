"""Places that a text gives to a row that has not them: "Pune leads", "Delhi has 9 more than Mumbai", "only Goa has"."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterable, Iterator
from decimal import Decimal

from ai_engine.insight.checking.figure import Figure
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
_SURPASSES = (
    r"exceed|outnumber|surpass|outstrip|outpace|outrank|outperform|outweigh|overtake|eclipse|dwarf|top|beat|lead"
)
_SURPASSED = (
    r"exceeded|outnumbered|surpassed|outstripped|outpaced|outranked|outperformed|outweighed|eclipsed|dwarfed|topped"
)
_HIGHER, _LOWER = r"(?:more|higher|larger|bigger|greater)\b", r"(?:fewer|less|lower|smaller)\b"
_MORE = re.compile(
    rf"\b{_HIGHER}.*\bthan\s*$|\b(?:(?:{_SURPASSES})(?:e?s)?|{_SURPASSED}|led|overtook|outdoes|ahead\s+of|above)\s*$",
    re.IGNORECASE,
)
_LESS = re.compile(
    rf"\b{_LOWER}.*\bthan\s*$|\b(?:trail(?:s|ed)?|lag(?:s|ged)?|behind|below|short\s+of"
    rf"|(?:is|are|was|were)\s+(?:{_SURPASSED}|led|beaten|overtaken|outdone)\s+by)\s*$",
    re.IGNORECASE,
)
_THAN = r"(?:\s+[a-z]+){0,3}\s+(?:than|compared\s+(?:to|with)|relative\s+to|against|versus|vs\.?)"
_TO_THE_OTHER = r"(?:\s+(?:in|at|for|of|that|those|the|is|are|has|have|does|do))*\s+"
_STANDS = (
    r"(?:is|are|was|were|comes?|came|falls?|fell|lies?|lay|sits?|sat|stands?|stood"
    r"|(?:rank|finish|remain|stay|trail|lag|land|end)(?:s|es|ed)?)"
)
_STANDS_AT = re.compile(
    rf"(?:\s+[a-z]+)*?\s+{_STANDS}(?:\s+[a-z]+)*?\s+(?:{_HIGHER}|{_LOWER}|above|ahead|below|behind|over|under|beyond|short|clear)\b",
    re.IGNORECASE,
)
"""Before a verb a figure is what a row has, and hardly by how much it has more."""
_BY_MORE, _BY_LESS = (
    re.compile(rf"(?:\s+[a-z]+){{0,3}}?\s+(?:{than}{_THAN}|{beside}){_TO_THE_OTHER}", re.IGNORECASE)
    for than, beside in (
        (_HIGHER, r"above|ahead\s+of|over|beyond|up\s+on|clear\s+of"),
        (_LOWER, r"below|behind|under|short\s+of|down\s+on"),
    )
)
_NOT = re.compile(r"\b(?:not|no|never|nor|times|twice)\b|n't\b|%|\d", re.IGNORECASE)
_ALONE = re.compile(r"(?:^|\s)(?:only|solely|exclusively)\s+(?:in\s+)?$", re.IGNORECASE)
_THE_ONLY = re.compile(r"\s+is\s+the\s+only\b")
_PAIR = 2
_MOST_ROWS = 3
"""What names more rows names none that anything is compared with."""


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


def differences_of_other_rows(
    figures: Iterable[Figure], text: str, named: NamedRows, reading: Reading
) -> Iterator[str]:
    """Yield by how much one row is told to have more or less than another, where no column has them so."""
    for figure in figures:
        _, mentions = named.in_sentence(figure)
        before = [one for one in mentions if one.end <= figure.start]
        after = [one for one in mentions if one.start >= figure.end][:_PAIR]
        for at, other in enumerate(after):
            between = text[figure.end : after[0].start] + (text[after[0].end : other.start] if at else "")
            ways = [holds for by, holds in ((_BY_MORE, operator.gt), (_BY_LESS, operator.lt)) if by.fullmatch(between)]
            if len(ways) == 1 and len(other.rows) <= _MOST_ROWS:
                subjects = {row for one in after[:at] or before for row in one.rows}
                rows = subjects or range(reading.shape.result.row_count)  # "It has 18 more than Mumbai."
                own = _STANDS_AT.match(between) is not None  # "Mumbai's 240 are above Delhi's 130."
                if not any(_differ(reading, row, to, ways[0], figure, own=own) for row in rows for to in other.rows):
                    yield figure.text + text[figure.end : other.end]


def _differ(
    reading: Reading, one: int, other: int, holds: Callable[[Decimal, Decimal], bool], by: Figure, *, own: bool
) -> bool:
    """Tell whether one row has so much more or less than another, or, where its own figure may be told, that figure."""
    for at in reading.shape.measures:
        a, b = (reading.shape.numbers(at)[row] for row in (one, other))
        if a is not None and b is not None and holds(a, b) and (_is_by(by, abs(a - b)) or (own and _is_by(by, abs(a)))):
            return True
    return False


def _is_by(figure: Figure, difference: Decimal) -> bool:
    """Tell whether a figure is a difference; of one in percent only its way is judged."""
    told = [number for way in figure.readings for number in way]
    return any(one.kind != "plain" or abs(difference - one.value) <= one.slack for one in told)


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
