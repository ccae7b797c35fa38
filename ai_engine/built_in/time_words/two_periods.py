"""Two parts of a year of which one says for both what they are: first against second quarter of 2026, Q1 2025 vs Q2."""

from __future__ import annotations

from calendar import month_abbr, month_name
from datetime import date, timedelta
from typing import TypeAlias

from ai_engine.built_in.meanings import Days
from ai_engine.built_in.time_words.period_words import word_at
from ai_engine.built_in.tokens import Token

MONTHS = {name.lower(): index for index, name in enumerate(month_name) if name}
MONTHS |= {name.lower(): index for index, name in enumerate(month_abbr) if name} | {"sept": 9}
_ORDINALS = {"first": 1, "1st": 1, "second": 2, "2nd": 2, "third": 3, "3rd": 3, "fourth": 4, "4th": 4, "last": 4}
_UNITS = {"quarter": 3, "half": 6}
_BEFORE_A_YEAR = frozenset("the of in year month calendar ,".split())
_FOLLOWING = frozenset("and or to".split())  # "Q4 and Q1 2026" follow on each other
_HOLDING = frozenset("against vs versus compared".split())
_BETWEEN = frozenset("with to in the".split())
_DAYS_BETWEEN_LENGTHS = 4  # of two months or quarters that follow each other

Part: TypeAlias = tuple[int, int, int]
"""The place behind a part of a year, its months, and which of the year's it is."""


def part_of_year(tokens: tuple[Token, ...], i: int) -> Part | None:
    """Q1, H2, first quarter, quarter 3, March; "first" alone where another says behind of what."""
    word, following = word_at(tokens, i), word_at(tokens, i + 1)
    if word[:1] in {"q", "h"} and word[1:].isdecimal() and len(word) == 2:
        return i + 1, (3 if word[0] == "q" else 6), int(word[1:])
    if word in _ORDINALS and following in _UNITS:
        return i + 2, _UNITS[following], _ORDINALS[word]
    if word == "quarter" and following.isdecimal():
        return i + 2, 3, int(following)
    if word in MONTHS:
        return i + 1, 1, MONTHS[word]
    other = _other(tokens, i + 1) if word in _ORDINALS and word != "last" else None
    return (i + 1, other[1], _ORDINALS[word]) if other is not None and other[1] > 1 else None


def place_of_year(tokens: tuple[Token, ...], i: int) -> int:
    """Where the year of a part stands that ends at a place."""
    while i < len(tokens) and tokens[i].word in _BEFORE_A_YEAR:
        i += 1
    return i


def year_of_other(tokens: tuple[Token, ...], begin: int, part: Part) -> tuple[int, int] | None:
    """Where the year stands that is said of the other one only, and how many years from it this one lies."""
    end, months, number = part
    other = _other(tokens, end)
    if other is not None and other[1] == months:
        earlier = tokens[end].word in _FOLLOWING and number > other[2]
        return place_of_year(tokens, other[0]), -1 if earlier else 0
    link = begin - 1
    while word_at(tokens, link) in _BETWEEN:
        link -= 1
    if word_at(tokens, link) not in _HOLDING | _FOLLOWING - {"to"}:
        return None
    for start in range(max(0, link - 5), link):
        found = part_of_year(tokens, start)
        if found is not None and found[1] == months and place_of_year(tokens, found[0]) in {link - 1, link - 2}:
            return place_of_year(tokens, found[0]), 0
    return None


def _other(tokens: tuple[Token, ...], i: int) -> Part | None:
    behind = i + 1
    while word_at(tokens, behind) in _BETWEEN:
        behind += 1
    return part_of_year(tokens, behind) if word_at(tokens, i) in _HOLDING | _FOLLOWING else None


def next_to(first: Days, second: Days) -> str | None:
    """How one period precedes another: right before it, or a year earlier."""
    if first.start is None or first.end is None or second.start is None or second.end is None:
        return None
    lengths = abs((first.end - first.start) - (second.end - second.start))
    if second.end == first.start and lengths <= timedelta(days=_DAYS_BETWEEN_LENGTHS):
        return "previous_period"
    if _year_before(first.start) == second.start and _year_before(first.end) == second.end:
        return "same_period_last_year"
    return None


def _year_before(day: date) -> date:
    last = 28 if day.month == 2 else day.day
    return day.replace(year=day.year - 1, day=min(day.day, last))
