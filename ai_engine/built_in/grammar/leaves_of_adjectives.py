"""What adjectives of what is measured say: longer than, the longest, 22 metres long, in hours."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from ai_engine.built_in.grammar.chart import Phrase
from ai_engine.built_in.meanings import Cue, Meaning, Number
from ai_engine.built_in.numbers import number_at
from ai_engine.built_in.scales import BASES, COMPARATIVES, SUPERLATIVES
from ai_engine.built_in.tokens import Token
from ai_engine.built_in.units_of_measure import WORDS
from ai_engine.semantics.words import stem

_COST = 0.1
_MILLION = 1_000_000
_DEGREES = {"more": True, "less": False}


def is_of_a_scale(said: str, meaning: Meaning) -> bool:
    """Tell whether a word of the closed class is rather an adjective of what is measured."""
    spelled = said.lower()
    known = spelled.removesuffix(" first") in SUPERLATIVES or spelled.removesuffix(" than") in COMPARATIVES
    return isinstance(meaning, Cue) and meaning.kind in {"superlative", "compare", "direction"} and known


def adjectives(tokens: tuple[Token, ...]) -> Iterator[Phrase]:
    """The adjectives, with the "than" of a comparative as its comparison, and units of measure."""
    said = [token.word for token in tokens]
    for place, word in enumerate(said):
        for length in (1, 2):
            best = SUPERLATIVES.get(" ".join(said[place : place + length]))
            if best is not None and place + length <= len(said):
                yield Phrase(place, place + length, "Adj", best, _COST)
        if word in BASES:
            yield Phrase(place, place + 1, "Base", BASES[word], _COST)
        yield from _compared(said, place)
        unit = WORDS.get(stem(word)) if said[max(place - 1, 0) : place] == ["in"] else None
        if unit is not None:
            yield Phrase(place, place + 1, "Unit", unit, _COST)
        if word == "m" and tokens[place - 1].kind == "number" and place:  # 22 m may be 22 metres
            number = number_at(tokens, place - 1)
            if number is not None and number[0] == place + 1:
                metres = Number(number[1].value / _MILLION, "metre")
                yield Phrase(place - 1, place + 1, "Num", metres, _COST)


def _compared(said: list[str], place: int) -> Iterator[Phrase]:
    word, behind = said[place], said[place + 1 : place + 3]
    if word in COMPARATIVES and not word.endswith("er"):
        yield Phrase(place, place + 1, "Weighing", COMPARATIVES[word], _COST)
    elif word in COMPARATIVES and behind[:1] == ["than"]:
        yield Phrase(place, place + 1, "Degree", COMPARATIVES[word], _COST)
        yield from _than(place + 1, high=COMPARATIVES[word].high)
    elif word in _DEGREES and behind[:1] and behind[0] in BASES and behind[1:] == ["than"]:
        adjective = replace(BASES[behind[0]], high=_DEGREES[word])
        yield Phrase(place, place + 2, "Degree", adjective, _COST)
        yield from _than(place + 2, high=adjective.high)


def _than(place: int, *, high: bool) -> Iterator[Phrase]:
    operator = ">" if high else "<"
    for category in (":compare", f":compare={operator}"):
        yield Phrase(place, place + 1, category, operator, _COST)
