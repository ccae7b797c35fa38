"""All readings of a question, cheapest first: a choice of cover, a meaning for each span, one walk over them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from heapq import heapify, heappop, heappush
from itertools import islice
from math import inf

from pydantic import ValidationError

from ai_engine.built_in.agreement import agreement
from ai_engine.built_in.compound_things import owners_said_first
from ai_engine.built_in.cover import Cover, covers
from ai_engine.built_in.each_described import described_apart
from ai_engine.built_in.finishing.finish import Finished, finish
from ai_engine.built_in.finishing.things_with_figures import each_with_its_figure, listed_with_something
from ai_engine.built_in.grammar.reader import grammar_readings
from ai_engine.built_in.head_nouns import share_head_noun
from ai_engine.built_in.knowledge import Knowledge
from ai_engine.built_in.meanings import (
    Attribute,
    Candidate,
    Cue,
    CueKind,
    Days,
    Figure,
    Meaning,
    Number,
    Span,
    Step,
    Stored,
    Thing,
    Unknown,
    dataset_of,
    dataset_of_meaning,
)
from ai_engine.built_in.one_reading import LEFT_OVER_COST, Reading, beyond_bounds
from ai_engine.built_in.own_kind import with_their_superiors
from ai_engine.built_in.parties import with_parties
from ai_engine.built_in.role_nouns import people_by_their_jobs
from ai_engine.built_in.rules import rule_for
from ai_engine.built_in.said_of_all import said_of_all
from ai_engine.built_in.sketch import Item, Walk
from ai_engine.built_in.time_words.periods import PeriodReader
from ai_engine.built_in.tokens import tokenise
from ai_engine.built_in.vague_amounts import in_money, rows_of_bare_amount
from ai_engine.semantics.intent import Intent
from ai_engine.semantics.words import words
from ai_engine.types import WordMeaning

_MOST_READINGS = 60
_MOST_MEANINGS = 8  # of one span, after those far from what is certain went back
_WORTH_READING = 0.4
_DISTANCE_COST = 0.1
_CLEARLY = 0.05  # a dearer meaning leaves it certain whose word this is
_ELSEWHERE_COST = 0.002  # only decides what is tried first
_WORTH_TRYING = 0.75
_EDGES = {"high": "max", "low": "min", "new": "max", "old": "min"}
_AMONG = frozenset({"among", "amongst", "out of", "within"})
_ALL = frozenset({"all", "all of", "all the", "all their", "all of their"})
_THEM = frozenset({"them", "those", "these"})
_CLOSING_MARKS = " \t\n.?!"
_INDEFINITE = frozenset({"a", "an", "any"})


def readings(question: str, knowledge: Knowledge) -> tuple[Reading, ...]:
    """Return the readings worth considering, cheapest first; none for a question without words.

    The one place that chooses a reader: each works alone, none takes over where the other finds nothing.
    """
    return grammar_readings(question, knowledge) if knowledge.reader == "grammar" else _by_rules(question, knowledge)


def _by_rules(question: str, knowledge: Knowledge) -> tuple[Reading, ...]:
    tokens = tokenise(question.rstrip(_CLOSING_MARKS), knowledge.lexicon.spelled)
    tokens = share_head_noun(tokens, knowledge.lexicon)
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
    """Each span's candidates by price: their own, and how far they lie from what is certain and was last spoken of."""
    options = [_worthwhile(span) for span in cover.spans]
    named = [
        {found for candidate in span if candidate.cost < span[0].cost + _CLEARLY and (found := dataset_of(candidate))}
        for span in options
    ]
    anchors = {dataset for datasets in named if len(datasets) == 1 for dataset in datasets}

    def price(candidate: Candidate, spoken_of: str) -> float:
        dataset = dataset_of(candidate)
        if dataset is None or not anchors:
            return candidate.cost
        away = min(knowledge.distance(anchor, dataset) for anchor in anchors)
        return candidate.cost + _DISTANCE_COST * away + _ELSEWHERE_COST * (dataset != spoken_of)

    priced: list[list[tuple[float, Candidate]]] = []
    last = ""
    for span, datasets in zip(options, named, strict=True):
        last = min(datasets) if len(datasets) == 1 else last
        ranked = sorted(((price(found, last), found) for found in span), key=lambda candidate: candidate[0])
        priced.append(ranked[:_MOST_MEANINGS])
    return priced


def _worthwhile(span: Span) -> list[Candidate]:
    cheapest = span.candidates[0].cost
    return [candidate for candidate in span.candidates if candidate.cost <= cheapest + _WORTH_TRYING]


def _read(cover: Cover, choice: tuple[Candidate, ...], knowledge: Knowledge) -> Reading:
    plain: list[Item] = []
    filler, among, them, every = "", False, False, False
    texts = [span.text for span in cover.spans]
    meanings = with_parties(texts, [found.meaning for found in choice], knowledge)
    meanings = with_their_superiors(texts, meanings, knowledge)
    for span, meaning in zip(cover.spans, meanings, strict=True):
        if isinstance(meaning, Cue) and meaning.kind == "filler":
            filler, among = span.text, among or span.text.lower() in _AMONG
            them = them or span.text.lower() in _THEM
            every = every or span.text.lower() in _ALL
        else:
            found = _items(span, meaning, filler, knowledge)
            plain.extend(replace(item, among=among, of_them=them, of_all=every) for item in found)
            filler, among, them, every = "", False, False, False
    items = described_apart(merged(extremes_as_figures(plain)), knowledge)
    items = people_by_their_jobs(owners_said_first(items, knowledge), knowledge)
    walk = Walk(tuple(items), knowledge)
    walk.sketch.shown_with = listed_with_something(items)
    walk.sketch.keeps_empty = "meant" if each_with_its_figure(items) else None
    walk.sketch.all_of = said_of_all(items, knowledge)
    try:
        finished = _walked(walk)
    except ValidationError as fault:
        finished = Finished(None, 0.0)
        walk.sketch.unplaced += beyond_bounds(fault)
    sketch = walk.sketch
    notes = tuple(note for candidate in choice if (note := candidate.note))
    asked = {word for span in cover.spans for word in words(span.text)}
    return Reading(
        bare_amount_of=rows_of_bare_amount(items, knowledge),
        in_money=in_money(items, finished.intent, knowledge),
        is_objected_to=bool(sketch.unplaced) and all(set(words(text)) - asked for text in sketch.unplaced),
        intent=finished.intent,
        cost=sum(candidate.cost for candidate in choice)
        + agreement(items, knowledge)
        + finished.cost
        + LEFT_OVER_COST * len(sketch.unplaced),
        unplaced=tuple(sketch.unplaced),
        assumptions=tuple(dict.fromkeys((*notes, *sketch.assumptions))),
        meanings=tuple(WordMeaning(said, meaning) for said, meaning in sketch.meanings),
    )


def _walked(walk: Walk) -> Finished:
    while walk.position < len(walk.items):
        meaning, denied = walk.items[walk.position].meaning, walk.negated
        rule_for(meaning)(walk)
        if denied and walk.negated and _ends_denial(meaning, walk):
            walk.use_negation()
            walk.sketch.unplaced.append("not")
    return finish(walk)


def _ends_denial(meaning: Meaning, walk: Walk) -> bool:
    """What "not" stands before and does not deny: it denies nothing further on either."""
    if isinstance(meaning, Attribute):
        return not isinstance(walk.peek(), Stored | Days | Number | Cue)
    return isinstance(meaning, Thing | Figure) and not isinstance(walk.peek(), Thing)


def _items(span: Span, meaning: Meaning, filler: str, knowledge: Knowledge) -> tuple[Item, ...]:
    """A value whose words end in the noun of its rows names them too; "everyone" is every person.

    "This year" is one year: it is no step to group by.
    """
    if isinstance(meaning, Step) and filler.lower() == "this":
        return (Item(f"{filler} {span.text}", Unknown(f"{filler} {span.text}")),)
    if isinstance(meaning, Cue) and meaning.kind == "anybody" and knowledge.people is not None:
        return (Item(span.text, Thing(knowledge.people), bool(filler)),)
    apart, indefinite = bool(filler), filler.lower() in _INDEFINITE
    if isinstance(meaning, Stored) and meaning.with_noun:
        value, _, noun = span.text.rpartition(" ")
        return Item(value, meaning, apart), Item(noun, Thing(meaning.dataset))
    return (Item(span.text, meaning, apart, indefinite),)


def extremes_as_figures(items: list[Item]) -> list[Item]:
    """ "highest, lowest and average value", "earliest and latest date": side by side they rank nothing."""
    found = list(items)
    for start in range(len(items)):
        end = start
        while end < len(items) and _is_cue(items[end], "aggregate", "superlative", "and", "stop"):
            end += 1
        listed = items[start:end]
        edges = {edge for item in listed if (edge := _edge(item)) is not None}
        of_figures = any(_is_cue(item, "aggregate") for item in listed)
        opposite = len(edges) > 1 and not any(isinstance(item.meaning, Thing) for item in items[:start])
        if (of_figures or opposite) and any(_is_cue(item, "and", "stop") for item in listed):
            found[start:end] = [_as_figure(item) for item in listed]
    return found


def _edge(item: Item) -> str | None:
    cue = item.meaning
    return _EDGES.get(str(cue.value)) if isinstance(cue, Cue) and cue.kind == "superlative" else None


def _as_figure(item: Item) -> Item:
    edge = _edge(item)
    return replace(item, meaning=Cue("aggregate", edge)) if edge is not None else item


def _is_cue(item: Item, *kinds: CueKind) -> bool:
    return isinstance(item.meaning, Cue) and item.meaning.kind in kinds


def merged(items: list[Item]) -> list[Item]:
    """Join a field with the value of its own that stands beside it: "status closed", "savings account type"."""
    merged: list[Item] = []
    for place, item in enumerate(items):
        before = merged[-1].meaning if merged else None
        if merged and _says_it_again(merged[-1], item, items[place + 1 : place + 2]):
            merged[-1] = replace(merged[-1], text=f"{merged[-1].text} {item.text}")
        elif isinstance(item.meaning, Stored) and isinstance(before, Attribute) and _same_place(before, item.meaning):
            named = not item.text.isdigit()
            merged[-1] = Item(f"{merged[-1].text} {item.text}", item.meaning, with_field=named)
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
        elif isinstance(before, Thing) and _follows_its_number(item) and _is_counted(merged):
            merged.insert(-2, item)  # "three members or more"
        else:
            merged.append(item)
    return merged


def _says_it_again(before: Item, item: Item, following: list[Item]) -> bool:
    """ "average ticket (sanctioned)", where that is the sanctioned amount: a word of the name that ends there."""
    same = isinstance(before.meaning, Attribute) and isinstance(item.meaning, Stored | Attribute)
    ends = not following or _is_cue(following[0], "stop")
    return (
        same
        and ends
        and dataset_of_meaning(before.meaning) == dataset_of_meaning(item.meaning)
        and (item.text.lower() in before.text.lower().split())
    )


def _is_of(attribute: Attribute, thing: Thing) -> bool:
    return attribute.dataset == thing.dataset


def _is_counted(items: list[Item]) -> bool:
    return len(items) > 1 and isinstance(number := items[-2].meaning, Number) and number.unit is None


def _follows_its_number(item: Item) -> bool:
    """ "two or more", "600 and above": a comparison said after its number."""
    compares = isinstance(item.meaning, Cue) and item.meaning.kind in {"compare", "older"}
    return compares and item.text.lower().startswith(("or ", "and "))


def _same_place(attribute: Attribute, value: Stored) -> bool:
    return (attribute.dataset, attribute.field) == (value.dataset, value.field)
