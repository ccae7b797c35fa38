"""Stretches of time as analysts write them, resolved against the as-of day."""

from __future__ import annotations

import calendar
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, timedelta
from typing import TypeAlias

from ai_engine.built_in.calendar_days import Unit, add_months, around, iso_or_indian, moved, same_year, spell
from ai_engine.built_in.meanings import Days
from ai_engine.built_in.numbers import number_at
from ai_engine.built_in.tokens import Token

_Read: TypeAlias = tuple[int, Days]

_MONTHS = {name.lower(): index for index, name in enumerate(calendar.month_name) if name}
_MONTHS |= {name.lower(): index for index, name in enumerate(calendar.month_abbr) if name} | {"sept": 9}
_UNITS: dict[str, Unit] = {
    "day": "day", "days": "day", "week": "week", "weeks": "week", "month": "month", "months": "month",
    "quarter": "quarter", "quarters": "quarter", "year": "year", "years": "year", "yr": "year", "yrs": "year",
    "fy": "fiscal year",
}  # fmt: skip
_ORDINALS = {"first": 1, "1st": 1, "second": 2, "2nd": 2, "third": 3, "3rd": 3, "fourth": 4, "4th": 4, "last": 4}
_TO_DATE: dict[str, Unit] = {"mtd": "month", "ytd": "year", "qtd": "quarter", "fytd": "fiscal year"}
_SIDES = {
    "since",
    "from",
    "starting",
    "onwards",
    "after",
    "post",
    "before",
    "pre",
    "until",
    "till",
    "through",
    "upto",
    "by",
}
_SKIPPED = {"the", "of", "in", "year", "month", "calendar"}
_BEFORE_A_MONTH = _SIDES | {"in", "of", "for", "during", "between", "to", "last", "this", "month"}
_EARLIEST_YEAR, _LATEST_YEAR = 1800, 2200


@dataclass(frozen=True)
class PeriodReader:
    """Reads periods as of one day, with the bank's own first month of the year."""

    as_of: date
    fiscal_start: int = 4

    def read(self, tokens: tuple[Token, ...], start: int) -> _Read | None:
        """Return the index after the longest period that begins at `start`, and the period; None when there is none."""
        try:
            found = [read for reader in _READERS if (read := reader(self, tokens, start)) is not None]
        except (OverflowError, ValueError):
            return None  # "last 9000 years": before the calendar begins
        return max(found, key=lambda read: read[0], default=None)

    # --- single stretches -------------------------------------------------------------------------------------------

    def relative(self, tokens: tuple[Token, ...], i: int) -> _Read | None:
        """today, yesterday, this month, last quarter, previous fiscal year, current week."""
        word = _word(tokens, i)
        if word in {"today", "yesterday", "tomorrow"}:
            day = self.as_of + timedelta(days={"today": 0, "yesterday": -1, "tomorrow": 1}[word])
            return i + 1, _days(day, day + timedelta(days=1), word)
        i, word = self._without_article(tokens, i)
        shift = {"this": 0, "current": 0, "last": -1, "previous": -1, "past": -1, "prior": -1, "preceding": -1}.get(
            word
        )
        if word in {"next", "coming", "upcoming"}:
            shift = 1
        if shift is None:
            return None
        unit, end = self._unit(tokens, i + 1)
        if unit is None or _plural(tokens, end - 1):
            return None
        counted = self._counted_in(tokens, end) if shift < 0 else None
        if counted is not None:  # "the past month, inclusive of 1 month ago" counts back from today
            return counted, _days(moved(self.as_of, unit, -1), self.as_of + timedelta(days=1), f"past {unit}")
        start, stop = around(unit, self.as_of, shift, self.fiscal_start)
        return end, _days(start, stop, f"{'this' if not shift else 'last' if shift < 0 else 'next'} {unit}")

    def trailing(self, tokens: tuple[Token, ...], i: int) -> _Read | None:
        """last 30 days, past three months, trailing 12 months; whole days counted back from the as-of day."""
        i, word = self._without_article(tokens, i)
        if word not in {"last", "past", "previous", "trailing", "recent", "latest", "next", "coming"}:
            return None
        number = number_at(tokens, i + 1)
        if number is None or number[1].value != int(number[1].value):
            return None
        end, amount = number
        unit: Unit | None = {"days": "day", "weeks": "week", "months": "month", "years": "year"}.get(amount.unit or "")  # type: ignore[assignment]
        if unit is None:
            if _word(tokens, end) in {"calendar", "full", "complete"}:
                end += 1
            unit, end = self._unit(tokens, end)
        if unit is None:
            return None
        count = int(amount.value)
        label = f"{word} {count} {unit}{'s' * (count != 1)}"
        if word in {"next", "coming"}:
            return end, _days(self.as_of, moved(self.as_of, unit, count) + timedelta(days=1), label)
        end = self._counted_in(tokens, end) or end
        return end, _days(moved(self.as_of, unit, -count), self.as_of + timedelta(days=1), label)

    def _counted_in(self, tokens: tuple[Token, ...], end: int) -> int | None:
        """The end of ", inclusive of 30 days ago", which says that the first day counts; None when nothing says so."""
        start = end + (_word(tokens, end) == ",")
        if _word(tokens, start) not in {"inclusive", "including"} or _word(tokens, start + 1) != "of":
            return None
        first = self.ago(tokens, start + 2)
        return first[0] if first is not None else None

    def ago(self, tokens: tuple[Token, ...], i: int) -> _Read | None:
        """3 months ago: the whole of that day, week, month or year."""
        number = number_at(tokens, i)
        if number is None or number[1].unit not in {"days", "weeks", "months", "years"}:
            return None
        end, amount = number
        if _word(tokens, end) not in {"ago", "back", "earlier"}:
            return None
        unit: Unit = amount.unit[:-1]  # type: ignore[index, assignment]
        start, stop = around(unit, self.as_of, -int(amount.value), self.fiscal_start)
        return end + 1, _days(start, stop, f"{amount.value} {amount.unit} ago")

    def part_of_month(self, tokens: tuple[Token, ...], i: int) -> _Read | None:
        """first week of October 2026, last 10 days of March, first fortnight of June."""
        i, word = self._without_article(tokens, i)
        if word not in {"first", "last"}:
            return None
        number = number_at(tokens, i + 1)
        unit = _word(tokens, i + 1)
        if number is not None and number[1].unit == "days":
            end, days = number[0], int(number[1].value)
        elif unit in {"week", "fortnight"}:
            end, days = i + 2, 7 if unit == "week" else 15
        else:
            return None
        if _word(tokens, end) not in {"of", "in"}:
            return None
        month = self.named_month(tokens, end + 1)
        if month is None or month[1].start is None or month[1].end is None or not 0 < days < 28:
            return None
        first, after = month[1].start, month[1].end
        start, stop = (
            (first, first + timedelta(days=days)) if word == "first" else (after - timedelta(days=days), after)
        )
        return month[0], _days(start, stop, f"{word} {days} days of {month[1].label}")

    def to_date(self, tokens: tuple[Token, ...], i: int) -> _Read | None:
        """month to date, YTD, this year so far."""
        i, word = self._without_article(tokens, i)
        if word in _TO_DATE:
            return i + 1, self._until_now(_TO_DATE[word])
        if word in {"this", "current"}:
            i += 1
        unit, end = self._unit(tokens, i)
        if unit and tuple(_word(tokens, end + k) for k in range(2)) in {
            ("to", "date"),
            ("so", "far"),
            ("till", "date"),
        }:
            return end + 2, self._until_now(unit)
        return None

    def named_month(self, tokens: tuple[Token, ...], i: int) -> _Read | None:
        """March 2025, Mar, March last year."""
        if _word(tokens, i) == "month" and _word(tokens, i + 1) == "of":
            i += 2
        month = _MONTHS.get(_word(tokens, i))
        if month is None or (_word(tokens, i) == "may" and not (self._year(tokens, i + 1) or _dates(tokens, i - 1))):
            return None
        end = i + 1
        if _word(tokens, end) in {"of", "in"} or (end < len(tokens) and tokens[end].word == ","):
            end += 1
        end, year = self._year(tokens, end) or (i + 1, self._latest_year_of(month))
        if _word(tokens, end) == "quarter":
            return end + 1, self._quarter_ending(year, month)
        return end, self._month(year, month)

    def _quarter_ending(self, year: int, month: int) -> Days:
        """The September 2026 quarter is the three months that end with it."""
        after = add_months(date(year, month, 1), 1)
        return _days(add_months(after, -3), after, f"the {calendar.month_name[month]} {year} quarter")

    def named_day(self, tokens: tuple[Token, ...], i: int) -> _Read | None:
        """2024-03-15, 15/03/2024, 15 March 2024, March 15th, 2024."""
        if tokens[i].kind == "date":
            day = iso_or_indian(tokens[i].text)
            return (i + 1, _days(day, day + timedelta(days=1), spell(day))) if day else None
        link = _word(tokens, i + 1) == "of"  # "15th of March"
        first, second, after = _word(tokens, i), _word(tokens, i + 1 + link), i + 2 + link
        for number, name in ((first, second), *(() if link else ((second, first),))):
            day_text = number.removesuffix("st").removesuffix("nd").removesuffix("rd").removesuffix("th")
            if name in _MONTHS and day_text.isdecimal() and 1 <= int(day_text) <= 31:
                has_link = after < len(tokens) and tokens[after].word in {",", "of"}
                year = self._year(tokens, after + has_link)
                end, found = year or (after, self._latest_year_of(_MONTHS[name]))
                try:
                    day = date(found, _MONTHS[name], int(day_text))
                except ValueError:
                    return None
                return end, _days(day, day + timedelta(days=1), spell(day))
        return None

    def quarter(self, tokens: tuple[Token, ...], i: int) -> _Read | None:
        """Q1 2025, Q3, first quarter of 2023, Q2 FY25, H1 2024; those of a fiscal year count from its first month."""
        i, word = self._without_article(tokens, i)
        if word[:1] in {"q", "h"} and word[1:].isdecimal() and len(word) == 2:
            length, number, end = (3 if word[0] == "q" else 6), int(word[1:]), i + 1
        elif word in _ORDINALS and _word(tokens, i + 1) in {"quarter", "half"}:
            length, number, end = (3 if _word(tokens, i + 1) == "quarter" else 6), _ORDINALS[word], i + 2
        elif word == "quarter" and _word(tokens, i + 1).isdecimal():
            length, number, end = 3, int(_word(tokens, i + 1)), i + 2
        else:
            return None
        if not 1 <= number <= 12 // length:
            return None
        while _word(tokens, end) in _SKIPPED or (end < len(tokens) and tokens[end].word == ","):
            end += 1
        name = f"{'Q' if length == 3 else 'H'}{number}"
        fiscal = self.fiscal_year(tokens, end)
        if fiscal is not None and fiscal[1].start is not None:
            start = add_months(fiscal[1].start, length * (number - 1))
            return fiscal[0], _days(start, add_months(start, length), f"{name} {fiscal[1].label}")
        year = self._year(tokens, end)
        end, value = year or (i + (1 if word[0] in "qh" and len(word) == 2 else 2), self.as_of.year)
        start = date(value, length * (number - 1) + 1, 1)
        if year is None and start > self.as_of:
            start = add_months(start, -12)
        return end, _days(start, add_months(start, length), f"{name} {start.year}")

    def fiscal_year(self, tokens: tuple[Token, ...], i: int) -> _Read | None:
        """FY24, FY 2024-25, fiscal year 2025, 2023-24; named by the year in which it ends, as in India."""
        i, word = self._without_article(tokens, i)
        end, explicit, text = i + 1, True, ""
        if word.startswith("fy") and word[2:].isdecimal():
            text = word[2:]
        elif word == "fy" or (word in {"fiscal", "financial"} and _word(tokens, i + 1) == "year"):
            end = i + 1 if word == "fy" else i + 2
            text, end = _word(tokens, end), end + 1
        elif len(word) == 4 and word.isdecimal():
            text, explicit = word, False
        if not text.isdecimal():
            return None
        first, second = int(text), _signless(_word(tokens, end))
        if second is not None and second == (first + 1) % 100:
            last_year, end = (first if first > 99 else 2000 + first) + 1, end + 1
        elif explicit:
            last_year = first if first > 99 else 2000 + first
        else:
            return None
        if not _EARLIEST_YEAR <= last_year <= _LATEST_YEAR:
            return None
        stop = date(last_year, self.fiscal_start, 1) if self.fiscal_start > 1 else date(last_year + 1, 1, 1)
        return end, _days(add_months(stop, -12), stop, f"FY{last_year - 1}-{last_year % 100:02d}")

    def year_alone(self, tokens: tuple[Token, ...], i: int) -> _Read | None:
        """2024, the year 2024, 1990s."""
        i, word = self._without_article(tokens, i)
        if word == "year":
            i, word = i + 1, _word(tokens, i + 1)
        if len(word) == 5 and word[:4].isdecimal() and word[4] == "s":
            decade = int(word[:4])
            return i + 1, _days(date(decade, 1, 1), date(decade + 10, 1, 1), f"the {decade}s")
        if len(word) == 4 and word.isdecimal() and _EARLIEST_YEAR <= int(word) <= _LATEST_YEAR:
            return i + 1, _days(date(int(word), 1, 1), date(int(word) + 1, 1, 1), word)
        return None

    # --- stretches with a stated side ----------------------------------------------------------------------------

    def bounded(self, tokens: tuple[Token, ...], i: int) -> _Read | None:
        """since March, after 2020, before 1950, until Q2, between Jan and March, from 1 April to 5 May."""
        word = _word(tokens, i)
        if word == "prior" and _word(tokens, i + 1) == "to":
            return self._side("before", self._single(tokens, i + 2))
        if word in {"between", "from"}:
            first = self._first_of_two(tokens, i + 1)
            return self._until(tokens, i + 1, first) if first else self._from(tokens, i)
        following = self._single(tokens, i + 1)
        if following is None or word not in _SIDES:
            if word == "on" and (side := {"or after": "after", "or before": "before"}.get(
                f"{_word(tokens, i + 1)} {_word(tokens, i + 2)}"
            )):  # fmt: skip
                following = self._single(tokens, i + 3)
                return self._side("from" if side == "after" else "through", following)
            return self._second_range(tokens, i)
        return self._side(word, following)

    def _side(self, word: str, following: _Read | None) -> _Read | None:
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

    def _from(self, tokens: tuple[Token, ...], i: int) -> _Read | None:
        following = self._single(tokens, i + 1)
        if following is None or _word(tokens, i) != "from":
            return None
        end, days = following
        if _word(tokens, end) in {"onwards", "onward", "on"}:
            end += 1
        elif self._width_is_one(days):
            return None
        return end, Days(days.start, None, f"since {days.label}")

    def _second_range(self, tokens: tuple[Token, ...], i: int) -> _Read | None:
        first = self._first_of_two(tokens, i)
        return self._until(tokens, i, first) if first else None

    def _first_of_two(self, tokens: tuple[Token, ...], i: int) -> _Read | None:
        first = self._single(tokens, i)
        if first is not None and _word(tokens, first[0]) in {"and", "to", "till", "until", "through", "thru"}:
            return first
        return None

    def _until(self, tokens: tuple[Token, ...], begin: int, first: _Read) -> _Read | None:
        second = self._single(tokens, first[0] + 1)
        if second is None or first[1].start is None or second[1].end is None:
            return None
        start, label = first[1].start, first[1].label
        if not _says_year(tokens[begin : first[0]]) and label.endswith(f" {start.year}"):
            earlier = same_year(start, second[1].end)
            start, label = earlier, label.replace(str(start.year), str(earlier.year))
        if start >= second[1].end:
            return None
        return second[0], Days(start, second[1].end, f"{label} to {second[1].label}")

    def _single(self, tokens: tuple[Token, ...], i: int) -> _Read | None:
        if i >= len(tokens):
            return None
        readers = (r for r in _READERS if r is not PeriodReader.bounded)
        found = [read for reader in readers if (read := reader(self, tokens, i)) is not None]
        return max(found, key=lambda read: read[0], default=None)

    # --- calendar arithmetic ---------------------------------------------------------------------------------------

    def _without_article(self, tokens: tuple[Token, ...], i: int) -> tuple[int, str]:
        return (i + 1, _word(tokens, i + 1)) if _word(tokens, i) == "the" else (i, _word(tokens, i))

    def _unit(self, tokens: tuple[Token, ...], i: int) -> tuple[Unit | None, int]:
        word, following = _word(tokens, i), _word(tokens, i + 1)
        if word in {"fiscal", "financial"} and following in {"year", "years", "quarter", "quarters"}:
            return ("fiscal year" if following.startswith("year") else "fiscal quarter"), i + 2
        if word == "calendar" and following in _UNITS:
            return _UNITS[following], i + 2
        return (_UNITS[word], i + 1) if word in _UNITS else (None, i)

    def _until_now(self, unit: Unit) -> Days:
        return _days(
            around(unit, self.as_of, 0, self.fiscal_start)[0], self.as_of + timedelta(days=1), f"{unit} to date"
        )

    def _month(self, year: int, month: int) -> Days:
        start = date(year, month, 1)
        return _days(start, add_months(start, 1), f"{calendar.month_name[month]} {year}")

    def _latest_year_of(self, month: int) -> int:
        """A month without a year is the latest one that has begun."""
        return self.as_of.year - (month > self.as_of.month)

    def _year(self, tokens: tuple[Token, ...], i: int) -> tuple[int, int] | None:
        word = _word(tokens, i)
        if len(word) == 4 and word.isdecimal() and _EARLIEST_YEAR <= int(word) <= _LATEST_YEAR:
            return i + 1, int(word)
        if word in {"last", "previous", "this", "current"} and _word(tokens, i + 1) == "year":
            return i + 2, self.as_of.year - (word in {"last", "previous"})
        return None

    def _width_is_one(self, days: Days) -> bool:
        return days.start is not None and days.end is not None and (days.end - days.start).days > 1


_Reader: TypeAlias = Callable[[PeriodReader, tuple[Token, ...], int], _Read | None]
_READERS: tuple[_Reader, ...] = (
    PeriodReader.relative,
    PeriodReader.trailing,
    PeriodReader.ago,
    PeriodReader.part_of_month,
    PeriodReader.to_date,
    PeriodReader.named_month,
    PeriodReader.named_day,
    PeriodReader.quarter,
    PeriodReader.fiscal_year,
    PeriodReader.year_alone,
    PeriodReader.bounded,
)


def _word(tokens: tuple[Token, ...], i: int) -> str:
    return tokens[i].word if 0 <= i < len(tokens) and tokens[i].kind != "quoted" else ""


def _dates(tokens: tuple[Token, ...], i: int) -> bool:
    """Tell whether the word at `i` makes a month of the "may" after it."""
    return _word(tokens, i) in _BEFORE_A_MONTH or (_word(tokens, i) == "and" and _word(tokens, i - 1) in _MONTHS)


def _says_year(tokens: tuple[Token, ...]) -> bool:
    return any(
        token.kind == "date" or token.word == "year" or (len(token.word) == 4 and token.word.isdecimal())
        for token in tokens
    )


def _plural(tokens: tuple[Token, ...], i: int) -> bool:
    return _word(tokens, i).endswith("s")


def _signless(word: str) -> int | None:
    text = word.lstrip("-")
    return int(text) % 100 if text.isdecimal() and len(text) in {2, 4} else None


def _days(start: date, end: date, label: str) -> Days:
    return Days(start, end, label)
