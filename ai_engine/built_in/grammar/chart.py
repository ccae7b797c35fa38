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
from ai_engine.built_in.grammar.prices import Prices
from ai_engine.built_in.grammar.reasons import Priced

_BEAM = 6  # phrases kept of one category over the same words
_DEARER = 1.2  # than the cheapest of them
MOST_STEPS = 60_000
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


class Variant:
    """A construction with some of its optional places.

    Attributes:
        words: for each place the words of which one must still come, each within such a set.
        given: the places whose meaning it is given.
    """

    __slots__ = ("elements", "given", "made", "words")

    def __init__(self, made: Construction, elements: tuple[Element, ...]) -> None:
        self.made, self.elements = made, elements
        self.given = tuple(number for number, place in enumerate(elements) if place.given)
        self.words = tuple(
            tuple(frozenset(place.accepts) for place in elements[number:] if place.is_word)
            for number in range(len(elements))
        )


class Grammar:
    """Constructions by what they begin with, their optional places written out."""

    def __init__(self, constructions: Iterable[Construction]) -> None:
        self.constructions = tuple(constructions)
        self._variants = [tuple(Variant(made, elements) for elements in made.variants()) for made in self.constructions]
        self._needed = [{place for place in made.elements if not place.optional} for made in self.constructions]
        places = {place for made in self.constructions for place in made.elements}
        self.terminals = frozenset(name for place in places for name in place.accepts)
        self._taking: dict[str, list[Element]] = defaultdict(list)
        self._waiting_for: dict[Element, list[int]] = defaultdict(list)
        for place in places:
            for name in place.accepts:
                self._taking[name].append(place)
        for number, needed in enumerate(self._needed):
            for place in needed:
                self._waiting_for[place].append(number)

    def begins(self, present: Iterable[str]) -> dict[str, list[Variant]]:
        """The constructions that the leaves of a sentence can come to, by what they begin with."""
        waiting = list(dict.fromkeys(present))
        known, filled, missing = set(waiting), set[Element](), list(map(len, self._needed))
        while waiting:
            for place in self._taking.get(waiting.pop(), ()):
                if place in filled:
                    continue
                filled.add(place)
                for number in self._waiting_for.get(place, ()):
                    missing[number] -= 1
                    category = self.constructions[number].category
                    if not missing[number] and category not in known:
                        known.add(category)
                        waiting.append(category)
        found: dict[str, list[Variant]] = defaultdict(list)
        for variants, left in zip(self._variants, missing, strict=True):
            for variant in variants if not left else ():
                for category in variant.elements[0].accepts if filled.issuperset(variant.elements) else ():
                    found[category].append(variant)
        return found


@dataclass(slots=True)
class _Open:
    """A construction whose first places are taken."""

    variant: Variant
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
        self.fault: ValidationError | None = None
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
        while waiting and self.steps < MOST_STEPS:
            cost, _, phrase = heappop(waiting)
            known = cell.setdefault(phrase.category, [])
            key = (phrase.category, phrase.value)
            if key in seen or len(known) >= _BEAM or (known and cost > known[0].cost + _DEARER):
                continue
            seen.add(key)
            known.append(phrase)
            self._use(phrase)

    def _use(self, phrase: Phrase) -> None:
        for variant in self._begins.get(phrase.category, ()):
            cost = phrase.cost + self._prices.of(variant.made.name)
            self._advance(variant, phrase.start, (phrase,), cost)
        for place, price in self.back[phrase.start].items():
            for step in self._open[place].get(phrase.category, ()):
                if place == phrase.start or not step.variant.elements[len(step.parts)].tight:
                    cost = step.cost + phrase.cost + price
                    self._advance(step.variant, step.start, (*step.parts, phrase), cost)

    def _advance(self, variant: Variant, start: int, parts: tuple[Phrase, ...], cost: float) -> None:
        self.steps += 1
        end, taken = parts[-1].end, len(parts)
        if taken == len(variant.elements):
            self._make(variant, start, parts, cost)
            return
        future = self._future[end]
        for words in variant.words[taken]:
            if future.isdisjoint(words):
                return
        step = _Open(variant, start, parts, cost)
        waiting = self._open[end]
        for category in variant.elements[taken].accepts:
            waiting[category].append(step)

    def _make(self, variant: Variant, start: int, parts: tuple[Phrase, ...], cost: float) -> None:
        end, called = parts[-1].end, variant.made
        try:
            made = called.build(self._context, *[parts[number].value for number in variant.given])
        except ValidationError as fault:
            self.fault = fault  # a number in it is beyond what can be
            return
        if made is None:
            return
        notes = tuple(note for part in parts for note in part.notes)
        priced: tuple[str, ...] = (called.name,)
        if isinstance(made, Priced):
            cost += sum(map(self._prices.of, made.because))
            priced = (called.name, *made.because)
            made, notes = made.value, (*notes, *made.notes)
        if made is not None:
            phrase = Phrase(start, end, called.category, made, cost, notes, priced, parts)
            heappush(self._waiting[start, end], (cost, next(self._order), phrase))


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
    for start in range(size):
        for end, price in gaps.get(start, ()):
            for origin, before in back[start].items():
                back[end][origin] = min(before + price, back[end].get(origin, _FAR))
    return back
