"""What words say of days: verbs that are the day called after them, periods that are two, rows that have something."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from ai_engine.built_in.grammar.chart import Phrase
from ai_engine.built_in.grammar.leaves_of_verbs import is_participle
from ai_engine.built_in.grammar.prices import Prices
from ai_engine.built_in.grammar.reasons import LeafReason
from ai_engine.built_in.knowledge import Knowledge, ref
from ai_engine.built_in.lexicon import Lexicon
from ai_engine.built_in.meanings import Attribute, Stored, Thing
from ai_engine.built_in.time_words.periods import PeriodReader
from ai_engine.built_in.tokens import Token
from ai_engine.built_in.word_classes import NAME_COST
from ai_engine.semantics.words import stem

_ASKED_WHETHER = frozenset({"do", "does", "did", "to"})  # before a verb in its bare form
_STANDING = frozenset({"open"})  # "open accounts" are not those that were opened once

_EVENT_COST = 0.1


def dates_of_verbs(tokens: tuple[Token, ...], lexicon: Lexicon, prices: Prices) -> Iterator[Phrase]:
    """ "opened by month", "from disbursal to closure": words that tell a date also where no period follows them."""
    for place, token in enumerate(tokens):
        if token.kind != "word" or token.word in _STANDING:
            continue
        told = {c.meaning: c.cost for c in lexicon.date_of(token.word) if isinstance(c.meaning, Attribute)}
        for meant in lexicon.dates_of_events.get(token.word, ()):
            if not lexicon.is_noun(token.word, Thing(meant.dataset)):  # "sales" are no days of selling
                told.setdefault(meant, _EVENT_COST)
        if token.word.endswith("ed") and not is_participle(token.word):
            for meant in lexicon.dates_of_verbs.get(token.word, ()):
                told.setdefault(meant, _EVENT_COST)
        for meant, cost in told.items():
            leaf = Phrase(place, place + 1, "Date", ref(meant), cost + NAME_COST)
            yield priced(prices, leaf, "a verb as its date")
        states = lexicon.stored((token.word,))
        adjective = token.word == "open" and not _ASKED_WHETHER.intersection(t.word for t in tokens[:place])
        for meant in lexicon.dates_of_verbs.get(token.word, ()) if not adjective else ():
            yield Phrase(place, place + 1, "Event", ref(meant), _EVENT_COST + NAME_COST)
            if not any(isinstance(c.meaning, Stored) and c.meaning.dataset == meant.dataset for c in states):
                yield Phrase(place, place + 1, "Became", ref(meant), _EVENT_COST + NAME_COST)
    yield from _days_of_deeds(tokens, lexicon, prices)


def participles(tokens: tuple[Token, ...], knows: Knowledge) -> Iterator[Phrase]:
    """ "rated buyers" have a rating."""
    for place, token in enumerate(tokens):
        told = knows.participles.get(stem(token.word), ()) if token.word.endswith("ed") else ()
        for field in told if not knows.lexicon.stored((token.word,)) else ():
            for category in ("Event", "Became"):
                yield Phrase(place, place + 1, category, field, _EVENT_COST + NAME_COST)


def _days_of_deeds(tokens: tuple[Token, ...], lexicon: Lexicon, prices: Prices) -> Iterator[Phrase]:
    """ "running out in July", "that have expired": days by other words than their names."""
    for start, end in ((at, at + length) for length in (1, 2) for at in range(len(tokens) - length + 1)):
        said = " ".join(token.word for token in tokens[start:end])
        states = {c.meaning.dataset for c in lexicon.stored((said,)) if isinstance(c.meaning, Stored)}
        for meant, has_come in lexicon.days_of_deeds.get(said, ()):
            if meant in lexicon.dates_of_verbs.get(said, ()) and said.endswith("ed"):
                continue
            leaf = Phrase(start, end, "Date", ref(meant), _EVENT_COST + NAME_COST)
            yield priced(prices, leaf, "a verb as its date")
            if has_come and meant not in lexicon.dates_of_verbs.get(said, ()):
                yield Phrase(start, end, "Event", ref(meant), _EVENT_COST + NAME_COST)
                if meant.dataset not in states:
                    yield Phrase(start, end, "Became", ref(meant), _EVENT_COST + NAME_COST)


def shorter_periods(tokens: tuple[Token, ...], periods: PeriodReader, prices: Prices) -> Iterator[Phrase]:
    """ "from 2024 to 2025" is one period and also two."""
    for start in range(len(tokens)):
        found, first = periods.read(tokens, start), periods.first_of_two(tokens, start)
        for end in range(start + 1, found[0] if found else start + 1):
            shorter = first if first is not None and first[0] == end else periods.read(tokens[:end], start)
            if shorter is not None and found is not None and shorter[0] == end and shorter[1] != found[1]:
                yield priced(prices, Phrase(start, end, "Days", shorter[1], NAME_COST), "a part of a period")


def priced(prices: Prices, leaf: Phrase, *reasons: LeafReason) -> Phrase:
    """A leaf with the reasons against it."""
    return replace(leaf, cost=leaf.cost + sum(map(prices.of, reasons)), priced=reasons)
