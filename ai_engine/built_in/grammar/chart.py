"""A chart parser over a lattice of meanings: bottom-up, the cheapest first in each cell, a beam for each category.

Between the parts of a construction words that say nothing may be skipped at a price; no other word is ever dropped.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from heapq import heapify, heappop, heappush
from itertools import count
from typing import Any

from pydantic import ValidationError

from ai_engine.built_in.grammar.construction import Construction, Element
from ai_engine.built_in.grammar.phrases import Priced
from ai_engine.built_in.grammar.prices import Prices

_BEAM = 10  # phrases kept of one category over the same words
_DEARER = 1.2  # than the cheapest of them
_MOST_STEPS = 60_000
_FAR = 9e9

Gaps = Mapping[int, Sequence[tuple[int, float]]]


@dataclass(frozen=True, slots=True)
class Phrase:
    """A category over tokens `start` to `end` with its meaning.

    Attributes:
        priced: what the phrase itself costs, by name: its construction and the reasons against it.
        parts: the phrases that it was made of.
    """

    start: int
    end: int
    category: str
    value: Any
    cost: float
    notes: tuple[str, ...] = ()
    priced: tuple[str, ...] = ()
    parts: tuple[Phrase, ...] = ()

    def every_price(self) -> Iterator[str]:
        """The name of each price paid within."""
        yield from self.priced
        for part in self.parts:
            yield from part.every_price()


class Grammar:
    """Constructions by what they begin with, their optional places written out."""

    def __init__(self, constructions: Iterable[Construction]) -> None:
        self.constructions = tuple(constructions)
        self._variants = [(made, variant) for made in self.constructions for variant in made.variants()]
        self.terminals = frozenset(name for _, variant in self._variants for place in variant for name in place.accepts)
        self._lengths = [len(variant) for _, variant in self._variants]
        self._places: dict[str, list[tuple[int, int]]] = defaultdict(list)
        for number, (_, variant) in enumerate(self._variants):
            for place, element in enumerate(variant):
                for name in element.accepts:
                    self._places[name].append((number, place))

    def begins(self, present: Iterable[str]) -> dict[str, list[tuple[Construction, tuple[Element, ...]]]]:
        """The constructions that the leaves of a sentence can come to, by what they begin with."""
        waiting = list(dict.fromkeys(present))
        known, taken, missing = set(waiting), set[tuple[int, int]](), list(self._lengths)
        while waiting:
            for number, place in self._places.get(waiting.pop(), ()):
                if (number, place) in taken:
                    continue
                taken.add((number, place))
                missing[number] -= 1
                category = self._variants[number][0].category
                if not missing[number] and category not in known:
                    known.add(category)
                    waiting.append(category)
        found: dict[str, list[tuple[Construction, tuple[Element, ...]]]] = defaultdict(list)
        for (made, variant), left in zip(self._variants, missing, strict=True):
            for category in variant[0].accepts if not left else ():
                found[category].append((made, variant))
        return found


@dataclass(frozen=True, slots=True)
class _Open:
    """A construction whose first places are taken."""

    made: Construction
    elements: tuple[Element, ...]
    dot: int
    start: int
    parts: tuple[Phrase, ...]
    cost: float


class Chart:
    """Every phrase found over a sentence."""

    def __init__(
        self, size: int, leaves: Iterable[Phrase], gaps: Gaps, grammar: Grammar, prices: Prices, context: object
    ) -> None:
        self.size, self._prices, self._context = size, prices, context
        self.cells: dict[tuple[int, int], dict[str, list[Phrase]]] = {}
        self.steps = 0
        self._waiting: dict[tuple[int, int], list[tuple[float, int, Phrase]]] = defaultdict(list)
        self._open: list[dict[str, list[_Open]]] = [defaultdict(list) for _ in range(size + 1)]
        self._order = count()
        self.back = _reached_from(size, gaps)
        leaves = [leaf for leaf in leaves if leaf.category in grammar.terminals]
        self._begins = grammar.begins(leaf.category for leaf in leaves)
        self._future = _future(size, leaves)
        for leaf in leaves:
            self._waiting[leaf.start, leaf.end].append((leaf.cost, next(self._order), leaf))
        for end in range(1, size + 1):
            for start in range(end - 1, -1, -1):
                if (start, end) in self._waiting:
                    self._fill(start, end)

    def whole(self, category: str) -> list[Phrase]:
        """Phrases of a category over the whole sentence but for words that say nothing at its ends, cheapest first."""
        found = []
        for (start, end), cell in self.cells.items():
            before = self.back[start].get(0)
            after = self.back[self.size].get(end)
            if before is None or after is None:
                continue
            for phrase in cell.get(category, ()):
                cost = phrase.cost + before + after
                found.append(
                    Phrase(0, self.size, category, phrase.value, cost, phrase.notes, phrase.priced, phrase.parts)
                )
        return sorted(found, key=lambda phrase: phrase.cost)

    def _fill(self, start: int, end: int) -> None:
        waiting = self._waiting[start, end]
        heapify(waiting)
        cell: dict[str, list[Phrase]] = {}
        seen: set[tuple[str, Any]] = set()
        self.cells[start, end] = cell
        while waiting and self.steps < _MOST_STEPS:
            cost, _, phrase = heappop(waiting)
            known = cell.setdefault(phrase.category, [])
            key = (phrase.category, phrase.value)
            if key in seen or len(known) >= _BEAM or (known and cost > known[0].cost + _DEARER):
                continue
            seen.add(key)
            known.append(phrase)
            self._use(phrase)

    def _use(self, phrase: Phrase) -> None:
        for made, elements in self._begins.get(phrase.category, ()):
            cost = phrase.cost + self._prices.of(made.name)
            self._advance(_Open(made, elements, 1, phrase.start, (phrase,), cost), phrase.end)
        for place, price in self.back[phrase.start].items():
            for waiting in self._open[place].get(phrase.category, ()):
                if waiting.elements[waiting.dot].tight and place != phrase.start:
                    continue
                parts, cost = (*waiting.parts, phrase), waiting.cost + phrase.cost + price
                self._advance(
                    _Open(waiting.made, waiting.elements, waiting.dot + 1, waiting.start, parts, cost), phrase.end
                )

    def _advance(self, step: _Open, end: int) -> None:
        self.steps += 1
        if step.dot < len(step.elements):
            accepts = step.elements[step.dot].accepts
            if all(name[0] in "=:" for name in accepts) and self._future[end].isdisjoint(accepts):
                return
            for category in accepts:
                self._open[end][category].append(step)
            return
        given = (part.value for part, place in zip(step.parts, step.elements, strict=True) if place.given)
        try:
            made = step.made.build(self._context, *given)
        except ValidationError:
            return  # a number in it is beyond what can be
        notes = tuple(note for part in step.parts for note in part.notes)
        if isinstance(made, Priced):
            cost = step.cost + sum(map(self._prices.of, made.because))
            priced: tuple[str, ...] = (step.made.name, *made.because)
            made, notes = made.value, (*notes, *made.notes)
        else:
            cost, priced = step.cost, (step.made.name,)
        if made is not None:
            phrase = Phrase(step.start, end, step.made.category, made, cost, notes, priced, step.parts)
            heappush(self._waiting[step.start, end], (cost, next(self._order), phrase))


def _future(size: int, leaves: Sequence[Phrase]) -> list[frozenset[str]]:
    """For each place the words that begin there or later."""
    found: list[set[str]] = [set() for _ in range(size + 1)]
    for leaf in leaves:
        found[leaf.start].add(leaf.category)
    for place in range(size - 1, -1, -1):
        found[place] |= found[place + 1]
    return [frozenset(items) for items in found]


def _reached_from(size: int, gaps: Gaps) -> list[dict[int, float]]:
    """For each place the earlier ones from which only words that say nothing lead there, with the price."""
    back: list[dict[int, float]] = [{place: 0.0} for place in range(size + 1)]
    for end in range(1, size + 1):
        for start in range(end):
            for after, price in gaps.get(start, ()):
                if after != end:
                    continue
                for origin, before in back[start].items():
                    back[end][origin] = min(before + price, back[end].get(origin, _FAR))
    return back
