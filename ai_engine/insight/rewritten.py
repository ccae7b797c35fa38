"""Sentences whose figures and days are exact, written as another reader wants them; what is quoted stays."""

from __future__ import annotations

import calendar
import re
from datetime import date
from decimal import Decimal

from ai_engine.formats import Formats
from ai_engine.insight.amounts import group_digits

_MONTH = "|".join((*calendar.month_name[1:], *calendar.month_abbr[1:]))
_QUOTED = re.compile(r'("[^"]*"|“[^”]*”)')
_MONTHS = {name: number for names in (calendar.month_name, calendar.month_abbr) for number, name in enumerate(names)}
_DAY = re.compile(
    rf"\b(?:(?P<from>\d{{1,2}})(?: (?P<from_month>{_MONTH}))?(?: (?P<from_year>\d{{4}}))? to )?"
    rf"(?P<day>\d{{1,2}}) (?P<month>{_MONTH}) (?P<year>\d{{4}})\b"
)
_ISO_DAY = re.compile(r"(?<![\w-])(\d{4})-(\d{2})-(\d{2})(?![\w-])")
_SAID_TWICE = re.compile(r"\b(\d[^()]*) \(\1\)")
_SIZES = {
    "thousand": Decimal(1_000), "lakh": Decimal(100_000), "million": Decimal(1_000_000),
    "crore": Decimal(10_000_000), "billion": Decimal(1_000_000_000),
}  # fmt: skip
_FIGURE = re.compile(
    r"(?<![\w,])(?<!\d\.)(?:(?P<counted>\d[\d,]*(?:\.\d+)?) (?P<size>thousand|lakh|million|crore|billion)\b"
    r"|(?P<grouped>\d{1,3}(?:,\d{2,3})*,\d{3}(?:\.\d+)?)(?![\w,]))"
)


def in_formats(text: str, formats: Formats) -> str:
    """Write the figures and days of a text in a reader's formats; one who has chosen none gets it as it is.

    For texts that say figures exactly: "above 5 lakh" becomes "above 500,000". A rounded figure would seem exact.
    """
    if not formats.are_own:
        return text
    parts = _QUOTED.split(text)
    return "".join(part if place % 2 else _rewritten(part, formats) for place, part in enumerate(parts))


def _rewritten(text: str, formats: Formats) -> str:
    if formats.dates is not None:
        text = _DAY.sub(lambda found: _days(found, formats), text)
        text = _ISO_DAY.sub(lambda found: _day(int(found[1]), int(found[2]), int(found[3]), formats) or found[0], text)
        text = _SAID_TWICE.sub(r"\1", text)  # "1 April 2026 (1 Apr 2026)"
    if formats.grouping is not None:
        text = _FIGURE.sub(lambda found: _figure(found, formats), text)
    return text


def _days(found: re.Match[str], formats: Formats) -> str:
    """Write one day or a run of days, whose first may leave out what it shares with the last."""
    year, month = int(found["year"]), _MONTHS[found["month"]]
    days = [_day(year, month, int(found["day"]), formats)]
    if found["from"] is not None:
        began = int(found["from_year"] or year), _MONTHS[found["from_month"] or found["month"]]
        days.insert(0, _day(*began, int(found["from"]), formats))
    return " to ".join(days) if all(days) else found[0]


def _day(year: int, month: int, day: int, formats: Formats) -> str:
    """Write a day; empty where there is none like it."""
    try:
        return formats.day(date(year, month, day))
    except ValueError:
        return ""


def _figure(found: re.Match[str], formats: Formats) -> str:
    if found["grouped"] is not None:
        return group_digits(Decimal(found["grouped"].replace(",", "")), formats)
    number = Decimal(found["counted"].replace(",", "")) * _SIZES[found["size"]]
    for size, word in formats.scales():
        if number >= size:
            return f"{group_digits(_plain(number / size), formats)} {word}"
    return group_digits(_plain(number), formats)


def _plain(number: Decimal) -> Decimal:
    """Drop zeros behind the point: 15.20 is 15.2, and 500 stays 500."""
    return number.to_integral_value() if number == number.to_integral_value() else number.normalize()
