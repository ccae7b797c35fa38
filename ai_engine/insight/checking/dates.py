"""Days, months, quarters and years that a text tells, and whether they are those of the result."""

from __future__ import annotations

import calendar
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date, timedelta

from ai_engine.insight.checking.digits import SCALE_WORDS
from ai_engine.insight.checking.marks import stands_before_money
from ai_engine.insight.checking.spelling import blanked

_MONTH_NUMBERS = {
    name.lower(): number
    for names in (calendar.month_name, calendar.month_abbr)
    for number, name in enumerate(names)
    if name
} | {"sept": 9}
_MONTH_NAMES = "|".join(sorted(_MONTH_NUMBERS, key=len, reverse=True))
_MONTH = rf"(?P<month_name>{_MONTH_NAMES})\b\.?"
_YEAR = r"(?P<year>(?:19|20)\d\d)(?!\d)"
_DAY = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?"
_FIRST = rf"(?P<first_day>\d{{1,2}})(?:st|nd|rd|th)?(?:\s+(?:of\s+)?(?P<first_month>{_MONTH_NAMES})\b\.?)?"
_LAST = rf"{_DAY}\s+(?:of\s+)?{_MONTH}(?:,?\s+{_YEAR})?"
_WORDS_AFTER_YEAR = (
    "and to was is were are the it its compared than over with as when by against through until versus vs at had has "
    "have saw but from a an there which while where of or"
)
_FORMS = tuple(
    re.compile(form, re.IGNORECASE)
    for form in (
        r"\b(?P<year>(?:19|20)\d\d)-(?P<month>\d\d)(?:-(?P<day>\d\d))?\b(?![-/]?\d)",
        r"\b(?P<day>\d{1,2})[/.](?P<month>\d{1,2})[/.](?P<year>(?:19|20)\d\d)\b",
        rf"(?<![\w.,]){_FIRST}\s*(?:\b(?:to|until|till|through)\b|-)\s*{_LAST}",
        rf"(?<=\bbetween\s){_FIRST}\s+and\s+{_LAST}",
        rf"(?<![\w.,]){_LAST}",
        rf"\b{_MONTH}\s+{_DAY}(?!\d)(?![.,]\d)(?:,?\s+{_YEAR})?(?!\s*(?:%|lakh|crore|million|thousand|billion))",
        rf"\b{_MONTH}(?:\s+of)?,?\s+{_YEAR}(?![.,]?\d)",
        r"\b(?P<part>Q[1-4]|H[12]),?\s+(?:of\s+)?(?!FY)(?P<year>(?:19|20)\d\d)(?![\d.,]*\d)"
        r"(?:-(?P<next>\d\d(?:\d\d)?)\b)?",
        r"\b(?:FY|financial\s+year|fiscal\s+year)\s?'?(?P<fiscal>(?:(?:19|20)\d\d|\d\d))"
        r"(?:[-/](?P<next>\d{4}|\d\d))?(?![\d.,]*\d)",
        r"\b(?P<fiscal>(?:19|20)\d\d)[-/](?P<next>(?:\d\d){1,2})\b(?![.,-]?\d)",
        r"(?<![\w.,])(?:in|since|from|to|until|till|during|through|before|after|of|for|by|and|between|year|years|"
        rf"than|versus|vs\.?|calendar)\s+{_YEAR}(?![.,]?\d)"
        rf"(?!\s?%)(?!\s+(?!(?:{'|'.join(_WORDS_AFTER_YEAR.split())})\b)\w)",
    )
)
_MAY_HAVE_A_YEAR = re.compile(r"(?:19|20)\d\d|(?:FY|year)\s?'?\d\d", re.IGNORECASE)
"""Without one no form gives a day; the cells of a large result are many."""
_BARE_PART = re.compile(
    r"(?<![\w-])(?P<part>Q[1-4]|H[12])(?![\w-])(?!,?\s+(?:of\s+)?(?:the\s+)?(?:FY|fiscal|financial|\d{4}|□))",
    re.IGNORECASE,
)
_NTH_PART = re.compile(r"\b(?P<nth>first|second|third|fourth)[\s-]+(?P<size>quarter|half)\b", re.IGNORECASE)
_NTH = ("first", "second", "third", "fourth")
_AMOUNTED = re.compile(
    r"\b(?:(?:rose|rises?|risen|grew|grows?|grown|fell|falls?|fallen|came|comes?|climbed|dropped|increased|decreased"
    r"|declined|jumped|leads?|led|trails?|trailed|lags?|lagged|ahead|behind|short|amount(?:s|ed)?|add(?:s|ed)?\s+up|total(?:s|led)?|sum(?:s|med)?(?:\s+up)?)\s+(?:\w+ly\s+)?(?:to|by)"
    r"|(?:more|fewer|less)\s+than|(?:sum|total|value|amount|count|number|figure|balance|average|mean)\s+of)\s+\d{4}$",
    re.IGNORECASE,
)
_AMOUNTED_CHARS = 60
_MORE_AFTER = re.compile(
    rf"\w|\s?[%\u066a\ufe6a\u2030]|[\s-]?(?:{SCALE_WORDS}|[klmb]|per\s?cent\w*|pct|percentage|bps?|basis\s+points?"
    r"|times|fold)\b",
    re.IGNORECASE,
)
_THING_AFTER = re.compile(rf"\s+(?!(?:{'|'.join(_WORDS_AFTER_YEAR.replace(' of', '').split())})\b)[a-z]", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class KnownDates:
    """The days that the result, its period and its statement speak of, and its figures that read like years."""

    days: frozenset[date]
    year_like: frozenset[int] = frozenset()

    def left_out_of(self, text: str) -> str:
        """Blank the dates of a text that are among these days, so that no number of them is a figure."""
        for form in _FORMS:
            text = form.sub(lambda match: blanked(match) if self._knows(match) else match.group(), text)
        return text

    def _knows(self, match: re.Match[str]) -> bool:
        parts = match.groupdict()
        if is_an_amount(match) or _is_told_as_more(match, parts) or not _follows(parts):
            return False
        given = {name for name, part in parts.items() if part}
        if given == {"year"} and int(parts["year"] or 0) in self.year_like:
            return False
        if parts.get("fiscal"):
            year = int(parts["fiscal"]) + (0 if len(parts["fiscal"]) > 2 else 2000)
            return any(day.year in {year, year + 1, year - 1} for day in self.days)
        first = _first_of_range(parts)
        if parts.get("part"):
            year, months = int(parts["year"] or 0), _months_of(parts["part"] or "")
            return any(day.year == year and day.month in months for day in self.days)
        return self._has(parts) and (first is None or self._has(first))

    def _has(self, parts: dict[str, str | None]) -> bool:
        name, month, year, day = (parts.get(part) for part in ("month_name", "month", "year", "day"))
        wanted = {
            "year": int(year) if year else None,
            "month": _MONTH_NUMBERS[name.lower()] if name else int(month) if month else None,
            "day": int(day) if day else None,
        }
        return any(
            all(value is None or getattr(known, part) == value for part, value in wanted.items()) for known in self.days
        )


def quarters_from_nowhere(text: str, days: Iterable[date], fiscal_start_month: int, named: str) -> Iterator[str]:
    """Yield the quarters and halves that a text names without a year and that hold none of these days.

    Args:
        text: what is told, without the dates that are known.
        days: with which the steps of the result begin, and its period where that is no longer than a quarter.
        fiscal_start_month: quarters are those of the calendar or of this year.
        named: what the result is called, in lower case.
    """
    months = {month for day in days for month in (day.month, (day.month - fiscal_start_month) % 12 + 1)}
    told = [(found["part"], found["part"]) for found in _BARE_PART.finditer(text)]
    told += [
        (found.group(), f"{found['size'][0]}{_NTH.index(found['nth'].lower()) + 1}")
        for found in _NTH_PART.finditer(text)
    ]
    for said, part in told:
        if months.isdisjoint(_months_of(part)) and said.lower() not in named:
            yield said


def is_an_amount(year: re.Match[str]) -> bool:
    """Tell whether a year is told as what something came to."""
    return bool(_AMOUNTED.search(year.string, max(0, year.start() - _AMOUNTED_CHARS), year.end()))


def _is_told_as_more(match: re.Match[str], parts: dict[str, str | None]) -> bool:
    """Tell whether what touches a date makes a figure of it: "2025cr", "2025%", "March 31 accounts", "2025 rupees"."""
    after = match.string[match.end() : match.end() + _AMOUNTED_CHARS]
    if _MORE_AFTER.match(after) or stands_before_money(match.string, match.end()):
        return True
    is_bare = bool(parts.get("day") and parts.get("month_name") and not parts.get("year"))
    return is_bare and match.group()[-1].isdigit() and _THING_AFTER.match(after) is not None


def _follows(parts: dict[str, str | None]) -> bool:
    """Tell whether the second half of 2024-25 is the year after the first."""
    told, first = parts.get("next"), int(parts.get("fiscal") or parts.get("year") or 0)
    return told is None or int(told) in {first + 1, (first + 1) % 100}


def _months_of(part: str) -> range:
    number, size = int(part[1]), 3 if part[0].upper() == "Q" else 6
    return range((number - 1) * size + 1, number * size + 1)


def dates_in(text: str) -> Iterator[date]:
    """Read the dates of a text; a month is its first day, a year its first and last one."""
    for form in _FORMS if _MAY_HAVE_A_YEAR.search(text) else ():
        for match in form.finditer(text):
            parts = match.groupdict()
            yield from _days_of(parts)
            yield from _days_of(_first_of_range(parts) or {})


def _first_of_range(parts: dict[str, str | None]) -> dict[str, str | None] | None:
    """Read the 14 of "14 to 21 November 2026", whose month and year may stand with the last day only."""
    if parts.get("first_day") is None:
        return None
    return parts | {"day": parts["first_day"], "month_name": parts["first_month"] or parts["month_name"]}


def _days_of(parts: dict[str, str | None]) -> Iterable[date]:
    year = parts.get("year") or parts.get("fiscal")
    if year is None:
        return []
    number = int(year) + (0 if len(year) > 2 else 2000)
    name, month = parts.get("month_name"), parts.get("month")
    if parts.get("part"):
        months = _months_of(parts["part"] or "")
        return [date(number, months[0], 1), date(number, months[-1], 1)]
    if not name and not month:
        return [date(number, 1, 1), date(number, 12, 31)]
    try:
        return [date(number, _MONTH_NUMBERS[name.lower()] if name else int(month or 1), int(parts.get("day") or 1))]
    except ValueError:
        return []


def day_and_eve(day: date) -> tuple[date, date]:
    """Return a day and the one before: a half open range ends on the day after the last that it names."""
    return day, day - timedelta(days=1) if day > date.min else day
