"""Days, months, quarters and years that a text tells, and whether they are those of the result."""

from __future__ import annotations

import calendar
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date, timedelta

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
        r"\b(?:Q[1-4]|H[12]),?\s+(?:of\s+)?(?!FY)(?P<year>(?:19|20)\d\d)(?![\d.,]*\d)(?:-\d\d(?:\d\d)?\b)?",
        r"\b(?:FY|financial\s+year|fiscal\s+year)\s?'?(?P<fiscal>(?:(?:19|20)\d\d|\d\d))(?:[-/](?:\d{4}|\d\d))?(?![\d.,]*\d)",
        r"\b(?P<fiscal>(?:19|20)\d\d)[-/](?:\d\d){1,2}\b(?![.,-]?\d)",
        r"(?<![\w.,])(?:in|since|from|to|until|till|during|through|before|after|of|for|by|and|between|year|years|"
        rf"than|versus|vs\.?|calendar)\s+{_YEAR}(?![.,]?\d)"
        rf"(?!\s?%)(?!\s+(?!(?:{'|'.join(_WORDS_AFTER_YEAR.split())})\b)\w)",
    )
)

_AMOUNTED = re.compile(
    r"\b(?:(?:rose|rises?|risen|grew|grows?|grown|fell|falls?|fallen|came|comes?|climbed|dropped|increased|decreased"
    r"|declined|jumped|amount(?:s|ed)?|add(?:s|ed)?\s+up|total(?:s|led)?|sum(?:s|med)?(?:\s+up)?)\s+(?:\w+ly\s+)?(?:to|by)"
    r"|(?:more|fewer|less)\s+than)\s+\d{4}$",
    re.IGNORECASE,
)
_AMOUNTED_CHARS = 60


@dataclass(frozen=True, slots=True)
class KnownDates:
    """The days that the result, its period and its statement speak of, and its figures that read like years."""

    days: frozenset[date]
    year_like: frozenset[int] = frozenset()

    def left_out_of(self, text: str) -> str:
        """Blank the dates of a text that are among these days, so that no number of them is a figure."""
        for form in _FORMS:
            text = form.sub(lambda match: " □ " if self._knows(match) else match.group(), text)
        return text

    def _knows(self, match: re.Match[str]) -> bool:
        if is_an_amount(match):
            return False
        parts = match.groupdict()
        given = {name for name, part in parts.items() if part}
        if given == {"year"} and int(parts["year"] or 0) in self.year_like:
            return False
        if parts.get("fiscal"):
            year = int(parts["fiscal"]) + (0 if len(parts["fiscal"]) > 2 else 2000)
            return any(day.year in {year, year + 1, year - 1} for day in self.days)
        first = _first_of_range(parts)
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


def is_an_amount(year: re.Match[str]) -> bool:
    """Tell whether a year is told as what something came to."""
    return bool(_AMOUNTED.search(year.string, max(0, year.start() - _AMOUNTED_CHARS), year.end()))


def dates_in(text: str) -> Iterator[date]:
    """Read the dates of a text; a month is its first day, a year its first and last one."""
    for form in _FORMS:
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
    if not name and not month:
        return [date(number, 1, 1), date(number, 12, 31)]
    try:
        return [date(number, _MONTH_NUMBERS[name.lower()] if name else int(month or 1), int(parts.get("day") or 1))]
    except ValueError:
        return []


def day_and_eve(day: date) -> tuple[date, date]:
    """Return a day and the one before: a half open range ends on the day after the last that it names."""
    return day, day - timedelta(days=1) if day > date.min else day
