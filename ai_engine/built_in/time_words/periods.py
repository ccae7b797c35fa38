"""Stretches of time as analysts write them, resolved against the as-of day: one stretch, or what lies between two."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta
from functools import lru_cache

from ai_engine.built_in.meanings import Days
from ai_engine.built_in.time_words import named_periods, relative_periods
from ai_engine.built_in.time_words.period_words import SIDES, BankCalendar, Read, unit_at, without_article, word_at
from ai_engine.built_in.tokens import Token
from ai_engine.semantics.calendar_days import add_months, same_year, spell
from ai_engine.semantics.intent import Grain

_SINGLE = (*relative_periods.READERS, *named_periods.READERS)
_KEPT_PLACES = 2_048  # of the last few questions, whose words are looked at again and again


@dataclass(frozen=True)
class PeriodReader:
    """Reads periods as of one day, with the bank's own first month of the year."""

    as_of: date
    fiscal_start: int = 4

    def read(self, tokens: tuple[Token, ...], start: int) -> Read | None:
        """Return the index after the longest period that begins at `start`, and the period; None when there is none."""
        return _read(BankCalendar(self.as_of, self.fiscal_start), tokens, start)

    def first_of_two(self, tokens: tuple[Token, ...], start: int) -> Read | None:
        """Return what `read` does but for a period told after it: of "Q1 and Q2 2025" the first, with its year."""
        return _stretch(BankCalendar(self.as_of, self.fiscal_start), tokens, start)

    def moment_at(self, tokens: tuple[Token, ...], start: int) -> Read | None:
        """Return the index after the day that begins at `start`, whose end is asked about; None when there is none."""
        read = self.read(tokens, start)
        return read if read is not None and read[1].moment else None


@lru_cache(maxsize=_KEPT_PLACES)
def _read(calendar: BankCalendar, tokens: tuple[Token, ...], start: int) -> Read | None:
    try:
        return _longest(_single(calendar, tokens, start), _bounded(calendar, tokens, start))
    except (OverflowError, ValueError):
        return None  # "last 9000 years": before the calendar begins


def _stretch(calendar: BankCalendar, tokens: tuple[Token, ...], start: int) -> Read | None:
    try:
        return _single(calendar, tokens, start)
    except (OverflowError, ValueError):
        return None


def _longest(*found: Read | None) -> Read | None:
    return max((read for read in found if read is not None), key=lambda read: read[0], default=None)


@lru_cache(maxsize=_KEPT_PLACES)
def _single(calendar: BankCalendar, tokens: tuple[Token, ...], i: int) -> Read | None:
    """The longest stretch or moment that begins at a place and has no side."""
    if i >= len(tokens):
        return None
    return _longest(_moment(calendar, tokens, i), *(reader(calendar, tokens, i) for reader in _SINGLE))


def _moment(calendar: BankCalendar, tokens: tuple[Token, ...], i: int) -> Read | None:
    """as on 31 March 2026, at the end of October, last month end, March end: the last day of each."""
    stated = word_at(tokens, i) == "as" and word_at(tokens, i + 1) in {"on", "of", "at"}
    i += 2 if stated else word_at(tokens, i) in {"at", "on"}
    placed = stated or word_at(tokens, i - 1) in {"at", "on"}
    i, word = without_article(tokens, i)
    if word in {"end", "close"} and word_at(tokens, i + 1) == "of":
        return _last_day(_single(calendar, tokens, i + 2))
    last = word in {"last", "previous"}
    unit, end = unit_at(tokens, i + last)
    if unit is not None and word_at(tokens, end) == "end" and (last or placed):
        return _last_day((end + 1, Days(*calendar.around(unit, -1), unit)))
    month = named_periods.named_month(calendar, tokens, i)
    if month is not None and word_at(tokens, month[0]) == "end":
        return _last_day((month[0] + 1, month[1]))
    return _last_day(_single(calendar, tokens, i)) if stated else None


def _last_day(found: Read | None) -> Read | None:
    if found is None or found[1].end is None:
        return None
    day = found[1].end - timedelta(days=1)
    return found[0], Days(day, found[1].end, spell(day), moment=True)


def _bounded(calendar: BankCalendar, tokens: tuple[Token, ...], i: int) -> Read | None:
    """since March, after 2020, before 1950, until Q2, between Jan and March, from 1 April to 5 May."""
    word = word_at(tokens, i)
    if word == "prior" and word_at(tokens, i + 1) == "to":
        return _side("before", _single(calendar, tokens, i + 2))
    if word in {"between", "from"}:
        first = _first_of_two(calendar, tokens, i + 1)
        return _until(calendar, tokens, i + 1, first) if first else _from(calendar, tokens, i)
    following = _opening(calendar, tokens, i + 1) or _single(calendar, tokens, i + 1)
    if following is None or word not in SIDES:
        if word in {"on", "in", "during"} and (side := {"or after": "after", "or before": "before"}.get(
            f"{word_at(tokens, i + 1)} {word_at(tokens, i + 2)}"
        )):  # fmt: skip
            following = _single(calendar, tokens, i + 3)
            return _side("from" if side == "after" else "through", following)
        return _second_range(calendar, tokens, i)
    return _side(word, following)


def _opening(calendar: BankCalendar, tokens: tuple[Token, ...], i: int) -> Read | None:
    """the start of 2025, beginning of the year: its first day."""
    i, word = without_article(tokens, i)
    if word not in {"start", "beginning"} or word_at(tokens, i + 1) != "of":
        return None
    unit, end = unit_at(tokens, without_article(tokens, i + 2)[0])
    found = (end, Days(*calendar.around(unit, 0), f"this {unit}")) if unit is not None else None
    found = found or _single(calendar, tokens, i + 2)
    if found is None or found[1].start is None:
        return None
    day = found[1].start
    return found[0], Days(day, day + timedelta(days=1), f"the {word} of {found[1].label}")


def _side(word: str, following: Read | None) -> Read | None:
    if following is None:
        return None
    end, days = following
    if word in {"since", "from", "starting", "onwards"}:
        return end, Days(days.start, None, f"since {days.label}")
    if word in {"after", "post"}:
        return end, Days(days.end, None, f"after {days.label}")
    if word in {"before", "pre"}:
        return end, Days(None, days.start, f"before {days.label}")
    if word in {"until", "till", "through", "upto", "by"}:
        return end, Days(None, days.end, f"until {days.label}")
    return None


def _from(calendar: BankCalendar, tokens: tuple[Token, ...], i: int) -> Read | None:
    following = _single(calendar, tokens, i + 1)
    if following is None or word_at(tokens, i) != "from":
        return None
    end, days = following
    if word_at(tokens, end) in {"onwards", "onward", "on"}:
        end += 1
    elif _is_longer_than_a_day(days):
        return None
    return end, Days(days.start, None, f"since {days.label}")


def _second_range(calendar: BankCalendar, tokens: tuple[Token, ...], i: int) -> Read | None:
    if word_at(tokens, i) == "quarter":  # "the quarter July to September 2026"
        months = _second_range(calendar, tokens, i + 1 + (word_at(tokens, i + 1) in {"from", "of"}))
        return months if months is not None and _length(months[1], calendar) == "quarter" else None
    first = _first_of_two(calendar, tokens, i)
    return _until(calendar, tokens, i, first) if first else None


def _first_of_two(calendar: BankCalendar, tokens: tuple[Token, ...], i: int) -> Read | None:
    first = _single(calendar, tokens, i)
    if first is not None and word_at(tokens, first[0]) in {"and", "to", "till", "until", "through", "thru"}:
        return first
    return None


def _until(calendar: BankCalendar, tokens: tuple[Token, ...], begin: int, first: Read) -> Read | None:
    second = _single(calendar, tokens, first[0] + 1)
    if second is None or first[1].start is None or second[1].end is None:
        return None
    start, label = first[1].start, first[1].label
    if not _says_year(tokens[begin : first[0]]) and label.endswith(f" {start.year}"):
        earlier = same_year(start, second[1].end)
        start, label = earlier, label.replace(str(start.year), str(earlier.year))
    if start >= second[1].end or (first[1].end != second[1].start and _are_two(tokens, begin, first[0])):
        return None
    if second[1].start == start and _length(second[1], calendar) == "quarter":  # "the July-September quarter of 2026"
        last = add_months(second[1].end, -1)
        return second[0], Days(start, second[1].end, f"{start:%B} to {last:%B} {last.year}")
    each = _length(first[1], calendar) if word_at(tokens, first[0]) == "and" else None
    return second[0], Days(start, second[1].end, f"{label} to {second[1].label}", each=each)


def _are_two(tokens: tuple[Token, ...], begin: int, link: int) -> bool:
    """ "in Q1 and Q3" leaves out what lies between them, "between Q1 and Q3" does not."""
    before = word_at(tokens, begin - 1 - (word_at(tokens, begin - 1) == "the"))
    return word_at(tokens, link) == "and" and before not in {"between", "from"}


def _length(days: Days, calendar: BankCalendar) -> Grain | None:
    """The unit of the calendar that a period is one of."""
    if days.start is None:
        return None
    year: Grain = "fiscal_year" if days.start.month == calendar.fiscal_start != 1 else "year"
    units: tuple[tuple[Grain, int], ...] = (("month", 1), ("quarter", 3), (year, 12))
    return next((unit for unit, months in units if add_months(days.start, months) == days.end), None)


def _is_longer_than_a_day(days: Days) -> bool:
    return days.start is not None and days.end is not None and (days.end - days.start).days > 1


def _says_year(tokens: tuple[Token, ...]) -> bool:
    return any(
        token.kind == "date" or token.word == "year" or (len(token.word) == 4 and token.word.isdecimal())
        for token in tokens
    )
