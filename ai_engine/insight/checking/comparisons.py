"""What a text says of several rows together: that they are level, follow each other, or went one way step by step."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal
from itertools import pairwise, product

from ai_engine.insight.changes import Changes, Way
from ai_engine.insight.checking import claim_words as said_as
from ai_engine.insight.checking.borne_out import FoundedNumbers
from ai_engine.insight.checking.claim_words import CLAIMS
from ai_engine.insight.checking.named_rows import Mention
from ai_engine.insight.checking.told_text import Clause, ToldText, is_value
from ai_engine.insight.checking.ways import said_of
from ai_engine.insight.founded import places_in_time
from ai_engine.insight.reading import Reading
from ai_engine.insight.shape import ResultShape

_PAIR = 2
_HUNDRED = Decimal(100)


def are_level(shape: ResultShape, rows: frozenset[int], *, all_rows: bool) -> bool:
    """Tell whether rows have one figure in a column, or the one row the figure of another; without names any two."""
    for at in shape.measures:
        numbers = shape.numbers(at)
        cells = [numbers[row] for row in rows]
        every = [cell for cell in numbers if cell is not None]
        if all_rows or len(rows) > 1:
            if len(every) > 1 and len(set(every if all_rows else cells)) == 1:
                return True
        elif (numbers.count(cells[0]) > 1) if cells else (len(set(every)) < len(every)):
            return True
    return False


def goes_steadily(changes: Changes, ways: Iterable[Way]) -> bool:
    """Tell whether a run went one of these ways with each step."""
    steps = {"rise": operator.lt, "fall": operator.gt}
    return any(len(run) > 1 and all(steps[way](a, b) for a, b in pairwise(run)) for way in ways for run in changes.runs)


def other_places(text: ToldText) -> Iterator[str]:
    """Yield the places ("second", "3rd") that are told of a row which has another."""
    for clause in (one for sentence in text.sentences for one in sentence if len(one.rows) == 1):
        for figure in clause.figures:
            told = [one.value for way in figure.readings for one in way if one.kind == "rank"]
            places = _places(text.reading.shape, min(clause.rows))
            if (
                told
                and not said_as.PERIOD_AFTER.match(text.words, figure.end)
                and told[0] not in set(map(Decimal, places))
            ):
                yield figure.text


def _places(shape: ResultShape, row: int) -> Iterator[int]:
    yield row + 1
    for at in shape.measures:
        numbers = shape.numbers(at)
        own = numbers[row]
        if own is not None:
            yield 1 + sum(cell > own for cell in numbers if cell is not None)
            yield 1 + sum(cell < own for cell in numbers if cell is not None)


def rows_out_of_order(text: ToldText) -> Iterator[str]:
    """Yield rows that are told to follow each other and do not, neither in the result nor by a figure."""
    for sentence in text.sentences:
        mentions = [one for clause in sentence for one in clause.mentions if one.column is not None]
        for one, other in pairwise(mentions):
            between = text.words[one.end : other.start]
            comes_first = said_as.FOLLOWING.search(text.words[: one.start]) and said_as.THEN_IS.fullmatch(between)
            if comes_first or said_as.FOLLOWED.fullmatch(between):
                pair = (one, other)
            elif said_as.FOLLOWS.fullmatch(between):
                pair = (other, one)
            else:
                continue
            if not _follow(text.reading.shape, *pair):
                yield between.strip()


def _follow(shape: ResultShape, one: Mention, other: Mention) -> bool:
    if any(b == a + 1 for a in one.rows for b in other.rows):
        return True
    for at in shape.measures:
        numbers = shape.numbers(at)
        every = [cell for cell in numbers if cell is not None]
        firsts, seconds = ([cell for row in of.rows if (cell := numbers[row]) is not None] for of in (one, other))
        pairs = [(a, b) for a in firsts for b in seconds if a >= b]
        if any(not any(b < cell < a for cell in every) for a, b in pairs):
            return True
    return False


def steps_that_went_otherwise(text: ToldText, labels: str) -> Iterator[str]:
    """Yield words of a rise or a fall without a figure that did not go so: in a step, or from one to another.

    "Fell in March" is judged by the step before, "fell from March to April" by these two; "fell until March" not.
    """
    shape = text.reading.shape
    ways: tuple[Way, ...] = ("rise", "fall")
    for sentence in text.sentences:
        steps = [one for clause in sentence for one in clause.mentions if one.column in shape.times]
        for clause, way in product(sentence, ways):
            words = text.words[clause.start : clause.end]
            said = [one for one in said_of(way, words) if one not in labels]
            here = [one for one in clause.mentions if one.column in shape.times]
            if not said or not here or clause.figures or _tells_changes(text.reading):
                continue
            if not said_as.A_STEP.search(words):
                is_so = any(_went(text, at, clause, way) for at in shape.measures)
            else:
                is_so = len(steps) == _PAIR and any(_went_between(text, at, steps, way) for at in shape.measures)
            if not is_so:
                yield said[0]


def changes_of_other_size(text: ToldText, labels: str, changes: Changes) -> Iterator[str]:
    """Yield "the increase was 5" where nothing moved by that, and "the biggest rise", for which there is no check."""
    for clause in (one for sentence in text.sentences for one in sentence):
        for found in said_as.A_CHANGE.finditer(text.words, clause.start, clause.end):
            way: Way = "fall" if said_of("fall", found["change"]) else "rise"
            words = text.words[clause.start : clause.end].lower()
            ends = [word for word in said_as.WORD.findall(words) if CLAIMS.get(word) in {"highest", "lowest"}]
            figure = next((one for one in clause.figures if one.start >= found.end()), None)
            if found["change"].lower() in labels:
                continue
            if ends:
                yield found.group()
            elif figure is not None and not said_as.OF_AN_END.search(text.words[found.end() : figure.start]):
                told = [one for each in figure.readings for one in each]
                if not any(changes.go_by(way, one) for one in told):
                    yield figure.text


def _tells_changes(reading: Reading) -> bool:
    shape = reading.shape
    return shape.is_compared() or any(shape.columns[at].compared == "change" for at in shape.measures)


def _went_between(text: ToldText, at: int, steps: Sequence[Mention], way: Way) -> bool:
    """Tell whether a measure went that way from the earlier of two steps to the later."""
    numbers, places = text.reading.shape.numbers(at), places_in_time(text.reading, at)
    one, other = ({places[row]: numbers[row] for row in step.rows if row in places} for step in steps)
    less = operator.lt if way == "rise" else operator.gt
    pairs = [(a, b) if first < then else (b, a) for first, a in one.items() for then, b in other.items()]
    return any(a is not None and b is not None and less(a, b) for a, b in pairs)


def _went(text: ToldText, at: int, clause: Clause, way: Way) -> bool:
    """Tell whether a measure went that way into a step."""
    numbers = text.reading.shape.numbers(at)
    places = places_in_time(text.reading, at)
    rows = {row for row in clause.mentions[0].rows if row in places}
    before = [numbers[one] for one, place in places.items() for row in rows if place == places[row] - 1]
    here = [cell for row in rows if (cell := numbers[row]) is not None]
    less = operator.lt if way == "rise" else operator.gt
    return any(less(one, other) for one in before if one is not None for other in here)


def all_have(text: ToldText, clauses: Sequence[Clause]) -> bool:
    """Tell whether what is told of all rows, or of all that are named, is so: one figure, or a bound below them all."""
    shape = text.reading.shape
    end = next((at for at, clause in enumerate(clauses, 1) if clause.figures), len(clauses))
    rows = frozenset[int]().union(*(one.rows for one in clauses[:end]))
    columns = [[shape.numbers(at)[row] for row in rows or range(shape.result.row_count)] for at in shape.measures]
    cells = [cell for at in shape.measures for cell in shape.numbers(at) if cell is not None]
    is_bound = said_as.AT_LEAST.search(text.words, clauses[0].start, clauses[end - 1].end) is not None
    for figure in clauses[end - 1].figures:
        if not is_value(figure, cells) or is_value(figure, [Decimal(shape.result.row_count), Decimal(len(rows))]):
            continue
        most = min(reading.value for way in figure.readings for reading in way)
        told = [
            all(one is not None and (one >= most if is_bound else is_value(figure, [one])) for one in column)
            for column in columns
        ]
        if not any(told):
            return False
    return True


def parts_of_other_wholes(text: ToldText, percents: FoundedNumbers) -> Iterator[str]:
    """Yield parts ("a third") and multiples of two named rows that are not what these, or their share in all, come to.

    Args:
        text: what is told.
        percents: what the cells alone bear out.
    """
    for sentence in text.sentences:
        rows = frozenset[int]().union(*(one.rows for one in sentence))
        for figure in (one for clause in sentence for one in clause.figures):
            told = [one for way in figure.readings for one in way if one.kind in {"fraction", "ratio"}]
            if any(one.kind == "ratio" for one in told) and len(rows) != _PAIR:
                continue
            is_of_the_other = said_as.AS_MANY.match(text.words, figure.end) is not None
            known = list(_parts_of(text.reading, rows, of_all=not is_of_the_other))
            for one in told:
                is_cell = one.kind == "fraction" and percents.has_percent(one.value * _HUNDRED, one.slack * _HUNDRED)
                if not is_cell and not is_value(figure, known):
                    yield figure.text


def _parts_of(reading: Reading, rows: frozenset[int], *, of_all: bool) -> Iterator[Decimal]:
    for at in reading.shape.measures:
        numbers = reading.shape.numbers(at)
        cells = [cell for row in rows if (cell := numbers[row])]
        if len(rows) == _PAIR == len(cells):
            one, other = cells
            yield from (one / other, other / one, (other - one) / one, (one - other) / other)
        total = sum((cell for cell in numbers if cell is not None), Decimal(0))
        if of_all and total and reading.facts.whole and (at in reading.facts.additive or not reading.facts.grouped):
            yield from (cell / total for cell in cells)
            yield sum(cells, Decimal(0)) / total
