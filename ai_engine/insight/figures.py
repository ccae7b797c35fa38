"""Finds numbers in a text that the result does not bear out."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal

from ai_engine.insight.founded import FoundedNumbers, founded_numbers
from ai_engine.ports import InsightTask
from ai_engine.semantics.vocabulary import Vocabulary

_FIGURE = re.compile(
    r"""
    (?P<about>
        \b(?:about|around|nearly|roughly|almost|over|approximately|approx\.?|some|more\ than|close\ to|just\ under)\s+
        | ~\s*
    )?
    (?P<before>[A-Za-z]+\.?\s?|[₹$€£¥]\s?)?
    (?P<digits>\d[\d,]*(?:\.\d+)?(?:e[+-]?\d{1,3}\b)?|\.\d+)
    \s?
    (?P<scale>
        %
        | (?:per\ ?cent|percentage\ points?|lakhs?|lacs?|crores?|cr|thousand|million|billion|mn|bn|k|m|x|times)\b
    )?
    """,
    re.VERBOSE | re.IGNORECASE,
)
_SCALES: dict[str, Decimal] = {
    "lakh": Decimal(10) ** 5,
    "lac": Decimal(10) ** 5,
    "crore": Decimal(10) ** 7,
    "cr": Decimal(10) ** 7,
    "thousand": Decimal(10) ** 3,
    "k": Decimal(10) ** 3,
    "million": Decimal(10) ** 6,
    "mn": Decimal(10) ** 6,
    "m": Decimal(10) ** 6,
    "billion": Decimal(10) ** 9,
    "bn": Decimal(10) ** 9,
}
_PERCENT = frozenset({"%", "percent", "per cent", "percentage point"})
_TIMES = frozenset({"x", "time"})
_PERIOD_MARKS = frozenset({"q", "h", "fy", "w"})
_LARGEST_ROUNDING = Decimal("0.05")


@dataclass(frozen=True, slots=True)
class _Figure:
    """One number of a text; it stands for any number within `slack` of `value`."""

    text: str
    value: Decimal
    slack: Decimal
    kind: str


def unfounded_figures(text: str, task: InsightTask, vocabulary: Vocabulary) -> tuple[str, ...]:
    """Return the numbers of a text, as written, that are neither given nor plainly derived.

    Given are the cells and the numbers of the question, the period and the statement. Plainly derived are rounded forms
    (also in lakh, crore, million), counts of rows, differences and percentage changes, ratios, and, where no row was
    left out and the figures may be added up, sums, means and shares.
    """
    founded = founded_numbers(task, vocabulary)
    return tuple(figure.text for figure in _figures(text) if not _is_founded(figure, founded))


def _figures(text: str) -> Iterator[_Figure]:
    for match in _FIGURE.finditer(text):
        before = (match["before"] or "").strip(" .").lower()
        digits = match["digits"].rstrip(",")
        if before in _PERIOD_MARKS and len(digits) <= 4:
            continue
        yield _read(match, digits)


def _read(match: re.Match[str], digits: str) -> _Figure:
    scale_word = (match["scale"] or "").lower()
    scale_word = scale_word if scale_word in _SCALES or scale_word == "x" else scale_word.removesuffix("s")
    scale = _SCALES.get(scale_word, Decimal(1))
    number = Decimal(digits.replace(",", ""))
    exponent = number.as_tuple().exponent
    places = -exponent if isinstance(exponent, int) else 0
    if places <= 0 and match["about"]:
        places = -_trailing_zeros(number)
    step = Decimal(1).scaleb(-places) * scale
    value = number * scale
    slack = step / 2 if places > 0 and scale == 1 else min(step / 2, value * _LARGEST_ROUNDING)
    kind = "percent" if scale_word in _PERCENT else "ratio" if scale_word in _TIMES else "plain"
    return _Figure(f"{digits}{match['scale'] or ''}", value, slack, kind)


def _trailing_zeros(number: Decimal) -> int:
    text = str(int(number))
    return min(len(text) - len(text.rstrip("0")), len(text) - 1)


def _is_founded(figure: _Figure, founded: FoundedNumbers) -> bool:
    if founded.mentions(figure.value):
        return True
    if figure.kind == "percent":
        return founded.has_percent(figure.value, figure.slack)
    if figure.kind == "ratio":
        return founded.has_ratio(figure.value, figure.slack) or founded.has_number(figure.value, figure.slack)
    return founded.has_number(figure.value, figure.slack)
