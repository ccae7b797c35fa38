"""Numbers written in digits: 1,75,206.50, 5 lakh, 987 654 321, 3/4, 12%, H 9999 crore."""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal

from ai_engine.insight.checking.disguised import is_in_another_script
from ai_engine.insight.checking.figure import LARGEST_ROUNDING, Figure, Kind, Reading, scale_of
from ai_engine.insight.checking.spelling import UNREADABLE
from ai_engine.insight.checking.words import DIGIT_WORDS, PARTS_OF_ONE

SCALE_WORDS = (
    r"hundreds?|thousands?|haza?ars?|karo[dr]s?|lakhs?|lacs?|crores?|crs?|millions?|mn|mio|billions?|bn|trillions?|tn|arab|kharab"
    r"|(?:quadr|quint|sext|sept|oct|non|dec)illions?|googols?|dozens?|milles?|milliards?"
)
_CLUSTER = re.compile(r"\+?(?:(?<![A-Za-z\d])\.)?\d+(?:[^A-Za-z\d□]\d+)*(?:e[+-]?\d{1,3}(?![A-Za-z]))?", re.IGNORECASE)
_AFTER = re.compile(
    rf"(?P<scales>(?:[\s-]?(?:{SCALE_WORDS})\b|[\s-]?[klmb]\b)*)"
    r"(?P<kind>\s?%|[\s-]?(?:per\s?cent(?:age\s+points?)?|percentage\s+points?|pct|pp|bps?|basis\s+points?|x|times|fold)\b"
    r"|(?:st|nd|rd|th)\b)?(?P<odd>\s?[‰‱]|\s[.•]\s?(?=\d)"
    rf"|[\s-]+(?:point|dot|comma|decimal)[\s-]+(?=\d|(?:{DIGIT_WORDS}|[a-z])\b)"
    r"|/[-=]|\s?[(\[]\s?(?:in\s+)?(?:[klmb]|mm|crs?|bn|mn|tn|'?000s?|thousands?|millions?|lakhs?|crores?)\s?[)\]]|\s'000s?|[\s,.'-]?o{2,}\b|[\s-]?(?:per\s?mill?e?|per\s?thousand|ppm|ppb|parts\s+per\s+\w+|per\s?mil|thou|gross|mil|t|mm|mln|mrd|bio|lks?|tsd|thsd|kilo|mega|giga|mill|hunderd|zillions?|padma|myriads?|grand(?!\s+totals?)|promill?e?|prozent|percento|p\.\s?c\.?"
    r"|basis\s+pts?|tens\s+of|of\s+(?:an?|one)\s+per\s?cent|squared|cubed)\b)?",
    re.IGNORECASE,
)
_ABOUT = re.compile(
    r"(?:\b(?:about|around|nearly|roughly|almost|over|approximately|approx\.?|some|more\ than|close\ to|just\ under"
    r"|just\ over)\s+|~\s*)(?:[A-Za-z]{1,3}\.?\s?|[₹$€£¥]\s?)?$",
    re.IGNORECASE,
)
_MINUS = re.compile(
    r"(?:\b(?:minus|negative)\s+|(?<![\w.,)%\s])[-\N{MINUS SIGN}]\s?"
    r"|(?<=\s)[-\N{MINUS SIGN}\N{EM DASH}\N{HORIZONTAL BAR}])"
    r"(?:[A-Za-z]{1,3}\.?\s?|[₹$€£¥]\s?)?$"
    r"|(?:[A-Za-z]{2,3}\.?\s?|[₹$€£¥]\s?)[-\N{MINUS SIGN}]$",
    re.IGNORECASE,
)
_BEFORE = re.compile(r"([A-Za-z]+)\.?$")
_PART_AFTER = re.compile(r"[\s-]([a-z]+?)s?\b", re.IGNORECASE)
_LOOKED_BACK_CHARS = 40
"""Patterns that end at a figure are tried from so far before it: from the beginning, a long text takes minutes."""
_PERIOD_MARKS = {"q": 4, "h": 2, "w": 53}
_CURRENCY = re.compile(r"Rs|[A-Z]{3}", re.ASCII)
_LIKE_A_GROUP = re.compile(r"\d{1,3}\.0{3}")
_GROUPED = re.compile(r"\d+(?:,\d+)*(?:\.\d+)?|\.\d+")
_JOINED = re.compile(r"\d+(?:([ _'.,])\d+)(?:\1\d+)*(?:\.\d+)?")
_FRACTION = re.compile(r"\+?(?:(\d+)[ +])?\+?(\d+)[/⁄](\d+)")
_EXPONENT = re.compile(r"(\d+(?:\.\d+)?)e([+-]?\d{1,3})", re.IGNORECASE)
_DASHED = re.compile(r"[\d.,]+(?:[-\N{EM DASH}][\d.,]+)+")


def written_figures(text: str) -> Iterator[Figure]:
    """Find every number that is written in digits, in a text that has only the digits 0-9."""
    for position, char in enumerate(text):
        if char == UNREADABLE:
            yield Figure(char, position, position + 1)
    for match in _CLUSTER.finditer(text):
        figure = _read(text, match)
        if figure is not None:
            yield figure


def _read(text: str, match: re.Match[str]) -> Figure | None:
    after = _AFTER.match(text, match.end())
    assert after is not None, "every part of it may be missing"  # noqa: S101
    near = max(0, match.start() - _LOOKED_BACK_CHARS)
    word = _BEFORE.search(text, near, match.start())
    touching = word[1] if word else ""
    if not after.group() and _is_period_mark(touching.lower(), match.group()):
        return None
    figure = Figure(f"{match.group()}{after.group()}", match.start(), after.end())
    if (touching and not _CURRENCY.fullmatch(touching)) or text[after.end() : after.end() + 1].isalpha():
        return figure
    part = _PART_AFTER.match(text, after.end())
    if (
        after["odd"]
        or (part is not None and part[1].lower() in PARTS_OF_ONE)
        or is_in_another_script(text[after.end() :].lstrip()[:1])
    ):
        return figure
    scale = Decimal(1)
    for name in re.findall(r"[A-Za-z]+", after["scales"]):
        scale *= scale_of(name) or 1
    about = bool(_ABOUT.search(text, near, match.start()))
    readings = tuple(
        tuple(_reading(number, places, scale, _kind_of(after["kind"] or ""), about) for number, places in numbers)
        for numbers in _numbers(match.group())
    )
    below_zero = bool(_MINUS.search(text, near, match.start()))
    return Figure(figure.text, figure.start, figure.end, readings, below_zero)


def _is_period_mark(before: str, digits: str) -> bool:
    """Tell whether this is Q1, H2 or W35."""
    return before in _PERIOD_MARKS and digits.isdigit() and int(digits) <= _PERIOD_MARKS[before]


def _numbers(cluster: str) -> Iterator[list[tuple[Decimal, int]]]:
    """Read a cluster of digits in each way it can be meant, with the places that each number is told to."""
    if _LIKE_A_GROUP.fullmatch(cluster):  # 200, or two hundred thousand for half of the world
        yield [_plain(cluster), _plain(cluster.replace(".", ""))]
    elif _GROUPED.fullmatch(cluster.removeprefix("+")):
        yield [_plain(cluster.removeprefix("+"))]
    elif found := _EXPONENT.fullmatch(cluster):
        yield [(Decimal(found[1]).scaleb(int(found[2])), _places(found[1]) - int(found[2]))]
    elif found := _FRACTION.fullmatch(cluster):
        if not found[1] and int(found[2]) >= int(found[3]):  # "240/130" is no number, but two
            yield from [[_plain(found[2]), _plain(found[3])]] if int(found[2]) > int(found[3]) else []  # "50/50"
        elif int(found[3]):
            yield [(int(found[1] or 0) + Decimal(found[2]) / Decimal(found[3]), 2)]
    elif found := _JOINED.fullmatch(cluster):
        whole, point, rest = cluster.rpartition(".") if found[1] != "." else (cluster, "", "")
        digits = re.sub(r"\D", "", whole or rest)
        yield [_plain(f"{digits}.{rest}" if point and whole else digits)]
    elif _DASHED.fullmatch(cluster):
        parts = re.split(r"[-\N{EM DASH}]", cluster)
        if all(_GROUPED.fullmatch(part) for part in parts):
            yield [_plain(part) for part in parts]
            yield [_plain("".join(parts))]


def _plain(digits: str) -> tuple[Decimal, int]:
    number = Decimal(digits.replace(",", ""))
    return number, _places(digits)


def _places(digits: str) -> int:
    return len(digits.partition(".")[2])


def _kind_of(word: str) -> Kind | None:
    word = word.strip(" -").lower()
    if word in {"st", "nd", "rd", "th"}:
        return "rank"
    if word in {"x", "times", "fold"}:
        return "ratio"
    if word.startswith(("bp", "basis")):
        return None
    return "percent" if word else "plain"


def _reading(number: Decimal, places: int, scale: Decimal, kind: Kind | None, about: bool) -> Reading:
    if kind is None:  # a basis point is a hundredth of a percent
        number, places, kind = number / 100, places + 2, "percent"
    if places <= 0 and about:
        places = -_trailing_zeros(number)
    value = number * scale
    half = Decimal(1).scaleb(-places) * scale / 2
    slack = half if places > 0 and scale == 1 else min(half, value * LARGEST_ROUNDING)
    return Reading(value, Decimal(0) if kind == "rank" else slack, kind)


def _trailing_zeros(number: Decimal) -> int:
    text = str(int(number))
    return min(len(text) - len(text.rstrip("0")), len(text) - 1)
