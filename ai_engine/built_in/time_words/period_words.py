"""What all readers of periods share: the bank's calendar, and the words for years and units of time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, timedelta
from typing import TypeAlias

from ai_engine.built_in.meanings import Days
from ai_engine.built_in.tokens import Token
from ai_engine.semantics.calendar_days import Unit, around

_EVENTS = {"built": "build", "made": "make", "sold": "sale", "founded": "founding"}
_EARLIEST_YEAR, _LATEST_YEAR = 1800, 2200
SIDES = frozenset("since from starting onwards after post before pre until till through upto by".split())
"""Words that say on which side of a stretch the asked one lies."""
_UNITS: dict[str, Unit] = {
    "day": "day", "days": "day", "week": "week", "weeks": "week", "month": "month", "months": "month",
    "quarter": "quarter", "quarters": "quarter", "year": "year", "years": "year", "yr": "year", "yrs": "year",
    "fy": "fiscal year",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class BankCalendar:
    """The day from which "last month" counts, and the month with which the bank's year begins."""

    as_of: date
    fiscal_start: int

    @property
    def tomorrow(self) -> date:
        """The first day that has not begun."""
        return self.as_of + timedelta(days=1)

    def around(self, unit: Unit, shift: int) -> tuple[date, date]:
        """First day of the unit that lies `shift` units from the current one, and the first day after it."""
        return around(unit, self.as_of, shift, self.fiscal_start)

    def year_of(self, month: int, *, coming: bool = False) -> int:
        """A month without a year is the latest one that has begun, or the next one where it is to come."""
        if coming:
            return self.as_of.year + (month < self.as_of.month)
        return self.as_of.year - (month > self.as_of.month)


Read: TypeAlias = tuple[int, Days]
"""The index after the words that were read, and what they mean."""
Reader: TypeAlias = Callable[[BankCalendar, tuple[Token, ...], int], Read | None]


def word_at(tokens: tuple[Token, ...], i: int) -> str:
    """The word at a place; empty beyond the ends, and for quoted text, which is no word of a period."""
    return tokens[i].word if 0 <= i < len(tokens) and tokens[i].kind != "quoted" else ""


def without_article(tokens: tuple[Token, ...], i: int) -> tuple[int, str]:
    """The place and the word after "the", if that stands there."""
    return (i + 1, word_at(tokens, i + 1)) if word_at(tokens, i) == "the" else (i, word_at(tokens, i))


def unit_at(tokens: tuple[Token, ...], i: int) -> tuple[Unit | None, int]:
    """The unit of time named at a place, None where there is none, and the place after it."""
    word, following = word_at(tokens, i), word_at(tokens, i + 1)
    if word in {"fiscal", "financial"} and following in {"year", "years", "quarter", "quarters"}:
        return ("fiscal year" if following.startswith("year") else "fiscal quarter"), i + 2
    if word == "calendar" and following in _UNITS:
        return _UNITS[following], i + 2
    return (_UNITS[word], i + 1) if word in _UNITS else (None, i)


def year_at(calendar: BankCalendar, tokens: tuple[Token, ...], i: int) -> tuple[int, int] | None:
    """The place after a year, and the year: 2024, last year."""
    word = word_at(tokens, i)
    if is_year(word):
        return i + 1, int(word)
    if word in {"last", "previous", "this", "current"} and word_at(tokens, i + 1) == "year":
        return i + 2, calendar.as_of.year - (word in {"last", "previous"})
    return None


def is_year(word: str) -> bool:
    """Tell whether four digits are a year that data can be of."""
    return len(word) == 4 and word.isdecimal() and _EARLIEST_YEAR <= int(word) <= _LATEST_YEAR


def event_of(participle: str) -> str | None:
    """What happened, as a column says it: "build" for "built"; None for a word that is no participle."""
    return _EVENTS.get(participle, participle if participle.endswith("ed") else None)
