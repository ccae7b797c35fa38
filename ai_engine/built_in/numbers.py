"""Numbers as analysts write them: 1,75,206.50, 5 lakh, 2.5 cr, 10k, twenty, 60%."""

from __future__ import annotations

from decimal import Decimal

from ai_engine.built_in.meanings import Number
from ai_engine.built_in.tokens import Token
from ai_engine.built_in.units_of_measure import WORDS
from ai_engine.semantics.words import stem

_UNITS = {
    word: value
    for value, word in enumerate(
        "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
        "seventeen eighteen nineteen".split()
    )
}
_TENS = {
    word: 10 * value for value, word in enumerate("twenty thirty forty fifty sixty seventy eighty ninety".split(), 2)
}
SCALES = {
    "hundred": 100, "thousand": 1_000, "k": 1_000, "lakh": 100_000, "lakhs": 100_000, "lac": 100_000,
    "lpa": 100_000, "lacs": 100_000,
    "l": 100_000, "million": 1_000_000, "millions": 1_000_000, "mn": 1_000_000, "m": 1_000_000, "crore": 10_000_000,
    "crores": 10_000_000, "cr": 10_000_000, "crs": 10_000_000, "billion": 1_000_000_000, "bn": 1_000_000_000,
    "dozen": 12,
}  # fmt: skip
_LETTER_SCALES = {"k", "l", "m", "cr", "crs", "mn", "bn"}
_BEFORE_ONE = frozenset("than over above under below exceeding least most".split())
_MONEY_BEFORE = {"rs", "inr", "usd", "eur", "₹", "$", "€", "£"}
_MONEY_AFTER = {"rupees", "rupee", "rs", "inr", "usd", "dollars", "dollar", "euros", "euro"}
_DURATIONS = {"day": "days", "week": "weeks", "month": "months", "year": "years", "yr": "years"}


def number_at(tokens: tuple[Token, ...], start: int) -> tuple[int, Number] | None:
    """Read a number that begins at `start`; returns the index after it and its value, None when there is none."""
    index = start
    if index >= len(tokens):
        return None
    money = _word(tokens, index) in _MONEY_BEFORE
    if money:
        index += 2 if _word(tokens, index + 1) == "." else 1
    if index >= len(tokens):
        return None
    read = _figure(tokens, index) or _spelled(tokens, index)
    if read is None:
        return None
    index, value = read
    index, value = _scaled(tokens, index, value)
    return _with_unit(tokens, index, value, money=money)


def _figure(tokens: tuple[Token, ...], index: int) -> tuple[int, Decimal] | None:
    if tokens[index].kind != "number":
        return None
    return index + 1, Decimal(tokens[index].text.replace(",", ""))


def _spelled(tokens: tuple[Token, ...], index: int) -> tuple[int, Decimal] | None:
    word = tokens[index].word
    if word in _UNITS:
        return index + 1, Decimal(_UNITS[word])
    if word in _TENS:
        value, index = _TENS[word], index + 1
        if index < len(tokens) and 0 < _UNITS.get(tokens[index].word, 0) < 10:
            value, index = value + _UNITS[tokens[index].word], index + 1
        return index, Decimal(value)
    if word in {"dozen", "hundred", "thousand", "lakh", "million", "crore", "billion"}:
        return index + 1, Decimal(SCALES[word])
    after = index + 2 if word == "half" and _word(tokens, index + 1) in {"a", "an"} else index + 1
    if _is_one_unit(tokens, index, after):
        return after, Decimal("0.5") if word == "half" else Decimal(1)
    if word in {"a", "half"} and _word(tokens, after) in SCALES.keys() - _LETTER_SCALES:
        return after, Decimal("0.5") if word == "half" else Decimal(1)
    return None


def _is_one_unit(tokens: tuple[Token, ...], index: int, after: int) -> bool:
    """ "half a tonne", "over an hour"; "calls an hour" are so many in each."""
    counted = stem(_word(tokens, after)) in WORDS
    compared = index > 0 and tokens[index - 1].word in _BEFORE_ONE
    return counted and (tokens[index].word == "half" or (tokens[index].word in {"a", "an"} and compared))


def _word(tokens: tuple[Token, ...], index: int) -> str:
    return tokens[index].word if index < len(tokens) else ""


def _scaled(tokens: tuple[Token, ...], index: int, value: Decimal) -> tuple[int, Decimal]:
    while index < len(tokens) and tokens[index].word in SCALES:
        value *= SCALES[tokens[index].word]
        index += 1
    return index, value


def _with_unit(tokens: tuple[Token, ...], index: int, value: Decimal, *, money: bool) -> tuple[int, Number]:
    following = tokens[index].word if index < len(tokens) else ""
    if following in {"%", "percent", "pct"}:
        return index + 1, Number(value, "percent")
    if following in _MONEY_AFTER:
        return index + 1, Number(value, "money")
    if following.removesuffix("s") in _DURATIONS:
        return index + 1, Number(value, _DURATIONS[following.removesuffix("s")])
    if stem(following) in WORDS and not money:
        return index + 1, Number(value, WORDS[stem(following)])
    return index, Number(value, "money" if money else None)
