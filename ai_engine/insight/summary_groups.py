"""Sentences about figures by group: the highest, the lowest, ties, shares of the total."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from ai_engine.insight.amounts import spoken_percent
from ai_engine.insight.reading import Reading
from ai_engine.insight.wording import enumerate_words, inside, opening, plural, superlative

_NAMED_TIES = 3
_NAMING_COLUMNS = 3


@dataclass(frozen=True, slots=True)
class _Ranked:
    """One measure over named rows; `figures` holds (row, number) without the rows that have none."""

    reading: Reading
    position: int
    naming: tuple[int, ...]
    figures: tuple[tuple[int, Decimal], ...]

    @property
    def label(self) -> str:
        return inside(self.reading.shape.columns[self.position].label)

    @property
    def high(self) -> Decimal:
        return max(number for _, number in self.figures)

    @property
    def low(self) -> Decimal:
        return min(number for _, number in self.figures)

    def holders(self, number: Decimal) -> list[int]:
        return [row for row, found in self.figures if found == number]

    def name(self, row: int) -> str:
        return self.reading.row_name(row, self.naming)

    def written(self, number: Decimal) -> str:
        return self.reading.figure(number, self.position)


def describe_groups(reading: Reading) -> Sequence[str]:
    """Say which group is highest and which lowest, or only what the order proves when rows were left out."""
    shape, facts = reading.shape, reading.facts
    told = [i for i in shape.measures if any(number is not None for number in shape.numbers(i))]
    position = facts.ordered_by if facts.ordered_by in told else told[0]
    ranked = _rank(reading, position)
    sentences = _tell_whole(ranked) if facts.whole else _tell_part(ranked)
    if facts.whole:
        sentences += _other_leaders(reading, ranked, [i for i in told if i != position][:1])
    missing = shape.result.row_count - len(ranked.figures)
    if missing:
        sentences.append(f"{reading.count(missing)} {'has' if missing == 1 else 'have'} no {ranked.label}.")
    return sentences


def _rank(reading: Reading, position: int) -> _Ranked:
    shape = reading.shape
    words = [i for i in (*shape.times, *shape.groups, *shape.names) if shape.columns[i].role != "identifier"]
    if not reading.facts.grouped:  # a loan of a list is called by its customer rather than by his city too
        words = [i for i in words if shape.columns[i].label.lower().endswith("name")] or words
    naming = tuple(sorted(words)[:_NAMING_COLUMNS]) or shape.names[:1]
    figures = [(row, number) for row, number in enumerate(shape.numbers(position)) if number is not None]
    return _Ranked(reading, position, naming, tuple(figures))


def _things(ranked: _Ranked) -> str:
    """Name what the rows are: "branches", or "combinations of city and segment"; a list has rows."""
    nouns = [inside(ranked.reading.shape.columns[i].label) for i in ranked.naming]
    if len(nouns) == 1:
        return plural(nouns[0])
    return f"combinations of {enumerate_words(nouns)}" if ranked.reading.facts.grouped else "rows"


def _tell_whole(ranked: _Ranked) -> list[str]:
    reading, facts = ranked.reading, ranked.reading.facts
    count, things = reading.count(len(ranked.figures)), _things(ranked)
    if len(ranked.figures) == 1:
        only = ranked.name(ranked.holders(ranked.high)[0])
        return [f"Only {only} has a {ranked.label}{reading.during}, {ranked.written(ranked.high)}."]
    if ranked.high == ranked.low:
        every = "Both" if len(ranked.figures) == 2 else f"All {count}"
        return [f"{every} {things} have the same {ranked.label}{reading.during}, {ranked.written(ranked.high)}."]
    of_all = f" of {count} {things}"
    if facts.ordered_by == ranked.position and not facts.descending:
        first, other = _leads(ranked, ranked.low, "lowest", reading.during), (ranked.high, "highest")
    else:
        first, other = (
            f"{_leads(ranked, ranked.high, 'highest', reading.during)}{_share(ranked)}",
            (ranked.low, "lowest"),
        )
    return [f"{opening(first)}.", f"{opening(_leads(ranked, *other, of_all, short=True))}."]


def _tell_part(ranked: _Ranked) -> list[str]:
    reading, facts = ranked.reading, ranked.reading.facts
    count, things = reading.count(reading.shape.result.row_count), _things(ranked)
    more = ["More rows exist than are shown."] if reading.task.result.truncated else []
    if facts.ordered_by == ranked.position:
        best, last = (ranked.high, ranked.low) if facts.descending else (ranked.low, ranked.high)
        rank, place = "highest" if facts.descending else "lowest", reading.task.scope.place
        lead = opening(_leads(ranked, best, rank, reading.during, place=place))
        if best == last:
            return [f"{lead}.", *more]
        return [f"{lead}.", f"The last of the {count} {things} listed has {ranked.written(last)}.", *more]
    if ranked.high == ranked.low:
        same = f"all have the same {ranked.label}, {ranked.written(ranked.high)}"
        return [f"The {count} {things} listed{reading.during} {same}.", *more]
    ends = [f"{ranked.written(end)} ({_holders(ranked, end)})" for end in (ranked.low, ranked.high)]
    listed = f"Among the {count} {things} listed{reading.during}"
    return [f"{listed}, {ranked.label} goes from {ends[0]} to {ends[1]}.", *more]


def _holders(ranked: _Ranked, number: Decimal) -> str:
    rows = ranked.holders(number)
    if len(rows) > _NAMED_TIES:
        return f"{ranked.reading.count(len(rows))} of them"
    return enumerate_words([ranked.name(row) for row in rows])


def _leads(ranked: _Ranked, number: Decimal, rank: str, among: str = "", *, place: int = 1, short: bool = False) -> str:
    rows = ranked.holders(number)
    what = rank if short else superlative(rank, ranked.label, place)
    if len(rows) == 1:
        return f"{ranked.name(rows[0])} has the {what}{among}, {ranked.written(number)}"
    return f"{_holders(ranked, number)} share the {what}{among}, {ranked.written(number)} each"


def _share(ranked: _Ranked) -> str:
    total = sum((number for _, number in ranked.figures), Decimal(0))
    may_add = ranked.position in ranked.reading.facts.additive and ranked.low >= 0 and total > 0
    if not may_add or len(ranked.holders(ranked.high)) > 1:
        return ""
    return f" of {ranked.written(total)} in all ({spoken_percent(ranked.high * 100 / total)})"


def _other_leaders(reading: Reading, first: _Ranked, positions: list[int]) -> list[str]:
    sentences = []
    for position in positions:
        ranked = _rank(reading, position)
        if ranked.high != ranked.low and ranked.holders(ranked.high) != first.holders(first.high):
            sentences.append(f"{opening(_leads(ranked, ranked.high, 'highest'))}.")
    return sentences
