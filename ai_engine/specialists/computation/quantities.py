"""Numbers of a question with their units: 25 lakh, 8.75 %, 20 years, Rs. 1,75,206.50, 1 January 2026."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Literal, TypeAlias

from ai_engine.conversions import CURRENCIES

QuantityKind: TypeAlias = Literal["money", "percent", "years", "months", "days", "number", "date"]

_SCALES = {
    "hundred": 100, "thousand": 1_000, "k": 1_000, "lakh": 100_000, "lac": 100_000, "l": 100_000,
    "million": 1_000_000, "mn": 1_000_000, "m": 1_000_000, "crore": 10_000_000, "cr": 10_000_000,
    "billion": 1_000_000_000, "bn": 1_000_000_000,
}  # fmt: skip
_WORDS = {
    word: number
    for number, word in enumerate(
        "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
        "eighteen nineteen twenty".split(),
        1,
    )
} | {"thirty": 30, "forty": 40, "fifty": 50}
_UNITS: dict[str, QuantityKind] = {
    "%": "percent", "percent": "percent", "pct": "percent", "per cent": "percent", "year": "years", "yr": "years",
    "month": "months", "mth": "months", "day": "days",
}  # fmt: skip
_PER = re.compile(
    r"\s*(?:(?:per|an?|each|every|/)\s*(?P<unit>annum|year|half[- ]year|quarter|month|week|day)\b"
    r"|p\.?\s?(?P<short>[am])\b|(?P<adverb>quarterly|monthly|weekly|daily)\b(?! (?:compound|rest|reducing)))",
    re.IGNORECASE,
)
_A_YEAR = {"annum": 1, "year": 1, "a": 1, "half-year": 2, "quarter": 4, "quarterly": 4, "month": 12, "monthly": 12,
           "m": 12, "week": 52, "weekly": 52, "day": 365, "daily": 365}  # fmt: skip
_POINTER = re.compile(r"\b(?:the|these|those|which|any|no)\s+$", re.IGNORECASE)
_MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split()
_DATE = re.compile(
    r"\b(?P<iso>\d{4}-\d{2}-\d{2})\b"
    r"|\b(?P<day>\d{1,2})(?:st|nd|rd|th)?\s+(?P<month>jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?,?\s+"
    r"(?P<year>\d{4})\b",
    re.IGNORECASE,
)
_NUMBER = re.compile(
    r"(?P<sign>(?:(?<=^)|(?<=[\s(,;]))-)?"
    r"(?P<before>(?:rs\.?|inr|usd|eur|gbp)\s*|[₹$€£]\s*)?"
    r"(?<![\w.])(?P<figure>\d[\d,]*(?:\.\d+)?|\.\d+|\b(?:" + "|".join(_WORDS) + r")\b)"
    r"(?:\s*-?\s*(?P<scale>" + "|".join(f"{scale}s?" for scale in sorted(_SCALES, key=len, reverse=True)) + r")\b\.?)?"
    r"(?:\s*-?\s*(?P<unit>%|percent\b|per\s+cent\b|pct\b|(?:years?|yrs?|months?|mths?|days?|"
    r"rupees?|dollars|euros|inr|usd|eur|gbp)\b))?",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number as it stands in a text.

    Attributes:
        kind: `money` where a currency or a scale of money (lakh, crore) was written, `number` where nothing was.
        start, end: where it stands.
        currency: code of the currency that was written, None when none was.
        day: the date, where `kind` is `date`; `value` is then 0.
        a_year: for a percent, how often a year it is meant: 12 of "1.5 % a month"; 1 also where nothing was said.
    """

    value: Decimal
    kind: QuantityKind
    start: int
    end: int
    currency: str | None = None
    day: date | None = None
    a_year: int = 1


def quantities(text: str) -> tuple[Quantity, ...]:
    """Find every number, amount, rate, duration and date, in order; what is part of a word is none."""
    dates = [found for match in _DATE.finditer(text) if (found := _date(match)) is not None]
    taken = [(day.start, day.end) for day in dates]
    numbers = [
        _number(match, text)
        for match in _NUMBER.finditer(text)
        if not any(start < match.end() and match.start() < end for start, end in taken) and not _points(match, text)
    ]
    return tuple(sorted([*dates, *numbers], key=lambda quantity: quantity.start))


def of_kind(found: Collection[Quantity], *kinds: QuantityKind) -> list[Quantity]:
    """Those of the given kinds, in order."""
    return [quantity for quantity in found if quantity.kind in kinds]


def _points(match: re.Match[str], text: str) -> bool:
    """Whether a number word is no number but stands for things: "the two", "which one"."""
    word = match["figure"].lower() in _WORDS and not match["scale"] and not match["unit"]
    return word and _POINTER.search(text[: match.start()]) is not None


def _date(match: re.Match[str]) -> Quantity | None:
    try:
        if match["iso"]:
            day = date.fromisoformat(match["iso"])
        else:
            day = date(int(match["year"]), _MONTHS.index(match["month"].lower()) + 1, int(match["day"]))
    except ValueError:
        return None
    return Quantity(Decimal(0), "date", match.start(), match.end(), day=day)


def _number(match: re.Match[str], text: str) -> Quantity:
    figure = match["figure"].lower()
    value = Decimal(_WORDS[figure]) if figure in _WORDS else Decimal(figure.replace(",", ""))
    if match["sign"]:
        value = -value
    scale = (match["scale"] or "").lower()
    scale = scale if scale in _SCALES else scale.removesuffix("s")
    value *= _SCALES.get(scale, 1)
    unit = re.sub(r"\s+", " ", (match["unit"] or "").lower())
    currency = CURRENCIES.get((match["before"] or "").strip().rstrip(".").lower()) or CURRENCIES.get(unit)
    kind: QuantityKind = _UNITS.get(unit) or _UNITS.get(unit.removesuffix("s")) or "number"
    if kind == "number" and (currency or scale in {"lakh", "lac", "l", "crore", "cr"}):
        kind = "money"
    a_year = _times_a_year(text[match.end() :]) if kind == "percent" else 1
    return Quantity(value, kind, match.start(), match.end(), currency, a_year=a_year)


def _times_a_year(behind: str) -> int:
    """How often a year a rate is meant, by the words right behind it."""
    found = _PER.match(behind)
    if found is None:
        return 1
    said = next(word for word in found.groups() if word)
    return _A_YEAR[said.lower().replace(" ", "-")]
