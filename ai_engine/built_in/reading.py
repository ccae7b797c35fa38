"""All readings of a question, cheapest first: a choice of cover, a meaning for each span, one walk over them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from heapq import heapify, heappop, heappush
from itertools import islice
from math import inf

from ai_engine.built_in.cover import Cover, covers, share_head_noun
from ai_engine.built_in.finish import finish
from ai_engine.built_in.knowledge import Knowledge
from ai_engine.built_in.meanings import (
    Attribute,
    Candidate,
    Cue,
    CueKind,
    Days,
    Meaning,
    Number,
    Span,
    Stored,
    Thing,
    dataset_of,
)
from ai_engine.built_in.periods import PeriodReader
from ai_engine.built_in.rules import rule_for
from ai_engine.built_in.sketch import Item, Walk
from ai_engine.built_in.tokens import tokenise
from ai_engine.semantics.intent import Intent
from ai_engine.semantics.words import stem, words
from ai_engine.types import WordMeaning

_MOST_READINGS = 60
_MOST_MEANINGS = 8  # of one span, after those far from what is certain went back
_WORTH_READING = 0.4
_DISTANCE_COST = 0.1
_WORTH_TRYING = 0.75
_LEFT_OVER_COST = 3.0
_AGREEMENT = 0.3
_NOT_ITS_KEY = 0.6
_SAID_TWICE = 0.3
_OTHER_FIELD = 0.15
_MERGED = 0.2
_KEY_WORDS = frozenset(map(stem, ("id", "number", "no", "code", "key", "identifier")))
_HOLDING: frozenset[CueKind] = frozenset({"have", "relative"})
_COUNTING: frozenset[CueKind] = frozenset({"distinct", "limit"})
_LISTING: frozenset[CueKind] = frozenset({"and", "or", "stop"})
_TRANSPARENT: frozenset[CueKind] = frozenset({"and", "or", "stop", "distinct", "relative", "have"})


@dataclass(frozen=True)
class Reading:
    """One way to understand a question; complete when nothing is `unplaced` and there is an intent."""

    intent: Intent | None
    cost: float
    unplaced: tuple[str, ...]
    assumptions: tuple[str, ...]
    meanings: tuple[WordMeaning, ...]

    @property
    def complete(self) -> bool:
        """Every word is accounted for and something is asked."""
        return self.intent is not None and not self.unplaced


def readings(question: str, knowledge: Knowledge) -> tuple[Reading, ...]:
    """Return the readings worth considering, cheapest first; none for a question without words."""
    tokens = share_head_noun(tokenise(question), knowledge.lexicon)
    periods = PeriodReader(knowledge.as_of, knowledge.model.fiscal_year_start_month)
    found: dict[Intent | None, Reading] = {}
    cheapest = inf
    for price, cover, choice in islice(choices(covers(tokens, knowledge.lexicon, periods), knowledge), _MOST_READINGS):
        if price > cheapest + _WORTH_READING:
            break
        reading = _read(cover, choice, knowledge)
        if reading.complete:
            cheapest = min(cheapest, reading.cost)
        if reading.intent not in found or reading.cost < found[reading.intent].cost:
            found[reading.intent] = reading
    return tuple(sorted(found.values(), key=lambda reading: reading.cost))


def choices(found: tuple[Cover, ...], knowledge: Knowledge) -> Iterator[tuple[float, Cover, tuple[Candidate, ...]]]:
    """Every combination of meanings of every cover with its price, the cheapest first."""
    options = [_priced(cover, knowledge) for cover in found]
    waiting = [(sum(span[0][0] for span in spans), index, (0,) * len(spans)) for index, spans in enumerate(options)]
    heapify(waiting)
    seen = {(index, ranks) for _, index, ranks in waiting}
    while waiting:
        price, index, ranks = heappop(waiting)
        spans = options[index]
        yield price, found[index], tuple(span[rank][1] for span, rank in zip(spans, ranks, strict=True))
        for place, rank in enumerate(ranks):
            following = (*ranks[:place], rank + 1, *ranks[place + 1 :])
            if rank + 1 < len(spans[place]) and (index, following) not in seen:
                seen.add((index, following))
                step = spans[place][rank + 1][0] - spans[place][rank][0]
                heappush(waiting, (price + step, index, following))


def _priced(cover: Cover, knowledge: Knowledge) -> list[list[tuple[float, Candidate]]]:
    """Each span's candidates by price: their own, and how far they lie from what is certain."""
    options = [_worthwhile(span) for span in cover.spans]
    named = [{dataset for candidate in span if (dataset := dataset_of(candidate))} for span in options]
    anchors = {dataset for datasets in named if len(datasets) == 1 for dataset in datasets}

    def price(candidate: Candidate) -> float:
        dataset = dataset_of(candidate)
        if dataset is None or not anchors:
            return candidate.cost
        return candidate.cost + _DISTANCE_COST * min(knowledge.distance(anchor, dataset) for anchor in anchors)

    return [sorted(((price(c), c) for c in span), key=lambda priced: priced[0])[:_MOST_MEANINGS] for span in options]


def _worthwhile(span: Span) -> list[Candidate]:
    cheapest = span.candidates[0].cost
    return [candidate for candidate in span.candidates if candidate.cost <= cheapest + _WORTH_TRYING]


def _read(cover: Cover, choice: tuple[Candidate, ...], knowledge: Knowledge) -> Reading:
    plain: list[Item] = []
    apart = False
    for span, candidate in zip(cover.spans, choice, strict=True):
        if isinstance(candidate.meaning, Cue) and candidate.meaning.kind == "filler":
            apart = True
        else:
            plain.extend(_items(span, candidate.meaning, apart=apart))
            apart = False
    items = merged(plain)
    walk = Walk(tuple(items), knowledge)
    while walk.position < len(walk.items):
        meaning = walk.items[walk.position].meaning
        rule_for(meaning)(walk)
    finished = finish(walk)
    sketch = walk.sketch
    notes = tuple(note for candidate in choice if (note := candidate.note))
    return Reading(
        intent=finished.intent,
        cost=sum(candidate.cost for candidate in choice)
        + _agreement(items, knowledge)
        + _whose_keys(items)
        + finished.cost
        + _LEFT_OVER_COST * len(sketch.unplaced),
        unplaced=tuple(sketch.unplaced),
        assumptions=tuple(dict.fromkeys((*notes, *sketch.assumptions))),
        meanings=tuple(WordMeaning(words, meaning) for words, meaning in sketch.meanings),
    )


def _items(span: Span, meaning: Meaning, *, apart: bool) -> tuple[Item, ...]:
    """A value whose words end in the noun of its rows names them too."""
    if isinstance(meaning, Stored) and meaning.with_noun:
        value, _, noun = span.text.rpartition(" ")
        return Item(value, meaning, apart), Item(noun, Thing(meaning.dataset))
    return (Item(span.text, meaning, apart),)


def _agreement(items: list[Item], knowledge: Knowledge) -> float:
    """Neighbours of one table are likelier: "names of the banks", "customers from Utah", "name and city"."""
    total = 0.0
    before: Meaning | None = None
    listed = False
    for place, item in enumerate(items):
        meaning = item.meaning
        if isinstance(meaning, Cue):
            listed |= meaning.kind in _LISTING
            before = before if meaning.kind in _TRANSPARENT else None
            continue
        if isinstance(meaning, Thing):
            total -= _AGREEMENT * _described_at_a_distance(items[:place], meaning, knowledge)
        if before is not None:
            if isinstance(before, Thing) and isinstance(meaning, Thing) and item.apart:
                before, listed = meaning, False
                continue
            total -= _bond(before, meaning, listed)
            if isinstance(before, Attribute) and isinstance(meaning, Days):
                total -= _AGREEMENT / 2 * (knowledge.field(before).role == "time")
        before, listed = meaning, False
    return total + _SAID_TWICE * _differently_said(items) + _SAID_TWICE * _unsaid_years(items, knowledge)


def _described_at_a_distance(before: list[Item], thing: Thing, knowledge: Knowledge) -> int:
    """ "active savings accounts": values and properties said before a thing are its own, also past another value."""
    own = 0
    for place, item in enumerate(reversed(before)):
        found = item.meaning
        flag = isinstance(found, Attribute) and knowledge.field(found).role == "flag"
        if not (flag or isinstance(found, Stored)):
            break
        own += place > 0 and getattr(found, "dataset", None) == thing.dataset
    return own


def _unsaid_years(items: list[Item], knowledge: Knowledge) -> int:
    """Columns named by a year that the question does not say: "crimes 1995" where it asks for 1996."""
    said = {word for item in items for word in words(item.text)}
    named = {item.meaning for item in items if isinstance(item.meaning, Attribute)}
    return sum(
        bool({w for w in words(knowledge.field(one).label) if w.isdigit() and len(w) == 4} - said) for one in named
    )


def _differently_said(items: list[Item]) -> int:
    """How often the same words name two fields, or two names one: "balance above the average balance" is about one."""
    named: dict[str, Attribute] = {}
    called: dict[str, set[str]] = {}
    for item in items:
        if isinstance(item.meaning, Attribute):
            named.setdefault(item.text.lower(), item.meaning)
            called.setdefault(item.meaning.field.lower(), set()).add(f"{item.text.lower()} {item.meaning.dataset}")
    words_of = [{said.rpartition(" ")[0] for said in both} for both in called.values()]
    tables_of = [{said.rpartition(" ")[2] for said in both} for both in called.values()]
    one_name = sum(len(words) > 1 < len(tables) for words, tables in zip(words_of, tables_of, strict=True))
    return one_name + sum(
        isinstance(item.meaning, Attribute)
        and named[item.text.lower()] != item.meaning
        and item.text.lower() not in _KEY_WORDS
        for item in items
    )


def _whose_keys(items: list[Item]) -> float:
    """ "the account with the id 532", "ids of the 3 female clients": the thing beside a bare "id" says whose it is."""
    total = 0.0
    for place, item in enumerate(items):
        if isinstance(item.meaning, Attribute) and stem(item.text.lower()) in _KEY_WORDS:
            owner = _neighbour(items[:place][::-1], _HOLDING) or _neighbour(items[place + 1 :], _COUNTING)
            total += _NOT_ITS_KEY if owner is not None and owner.dataset != item.meaning.dataset else 0.0
    return total


def _neighbour(items: list[Item], between: frozenset[CueKind]) -> Thing | None:
    """The first thing, past numbers, values and these cues."""
    for item in items:
        if isinstance(item.meaning, Thing):
            return item.meaning
        if not (isinstance(item.meaning, Cue) and item.meaning.kind in between) and (
            between is _HOLDING or not isinstance(item.meaning, Number | Stored)
        ):
            return None
    return None


def _bond(first: Meaning, second: Meaning, listed: bool) -> float:
    if isinstance(first, Stored) and isinstance(second, Stored) and listed:
        if first.field == second.field:
            return 0.0 if first.dataset == second.dataset else -_AGREEMENT
        return -_OTHER_FIELD if first.dataset == second.dataset else 0.0  # "Pune or Delhi" are two cities
    same = getattr(first, "dataset", None) == getattr(second, "dataset", "")
    if isinstance(first, Attribute) and isinstance(second, Stored):
        return -_AGREEMENT if not listed and not _same_place(first, second) and first.field == second.field else 0.0
    if isinstance(first, Thing) and isinstance(second, Thing) and not listed and not same:
        return -_AGREEMENT
    if not same:
        return 0.0
    if isinstance(first, Attribute) and isinstance(second, Thing) and not listed:
        return _AGREEMENT
    if isinstance(first, Thing) and isinstance(second, Attribute) and not listed:
        return _AGREEMENT / 2
    if isinstance(first, Attribute) and first == second and listed:
        return -2 * _AGREEMENT  # "claim date and settlement date" are two
    if isinstance(first, Attribute) and isinstance(second, Attribute):
        return _AGREEMENT / 2 if listed else 0.0
    if isinstance(first, Stored) and isinstance(second, Thing):
        return _AGREEMENT  # "sell transactions", "active customers"
    return _AGREEMENT / 2 if isinstance(first, Thing | Stored) and isinstance(second, Thing | Stored) else 0.0


def merged(items: list[Item]) -> list[Item]:
    """Join a field with the value of its own that stands beside it: "status closed", "savings account type"."""
    merged: list[Item] = []
    for item in items:
        before = merged[-1].meaning if merged else None
        if isinstance(item.meaning, Stored) and isinstance(before, Attribute) and _same_place(before, item.meaning):
            merged[-1] = Item(f"{merged[-1].text} {item.text}", item.meaning)
        elif isinstance(item.meaning, Attribute) and isinstance(before, Stored) and _same_place(item.meaning, before):
            merged[-1] = Item(f"{merged[-1].text} {item.text}", before)
        elif (
            isinstance(before, Thing)
            and before.via
            and isinstance(item.meaning, Attribute)
            and _is_of(item.meaning, before)
        ):
            merged[-1] = Item(f"{merged[-1].text} {item.text}", replace(item.meaning, via=before.via))
        elif isinstance(before, Number) and _follows_its_number(item):
            merged.insert(-1, item)
        else:
            merged.append(item)
    return merged


def _is_of(attribute: Attribute, thing: Thing) -> bool:
    return attribute.dataset == thing.dataset


def _follows_its_number(item: Item) -> bool:
    """ "two or more", "600 and above": a comparison said after its number."""
    compares = isinstance(item.meaning, Cue) and item.meaning.kind == "compare"
    return compares and item.text.lower().startswith(("or ", "and "))


def _same_place(attribute: Attribute, value: Stored) -> bool:
    return (attribute.dataset, attribute.field) == (value.dataset, value.field)
