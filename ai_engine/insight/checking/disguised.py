"""Numbers in a guise that is not read: Roman numerals, letters apart, words run together, old measures."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from decimal import Decimal

from ai_engine.insight.checking.figure import Figure, Reading
from ai_engine.insight.checking.words import spelled_figures

_LEVELS = r"tier|phase|part|basel|schedule|annex|chapter|class|grade|level|stage|type|series|category|section"
_RUN_TOGETHER = (
    r"(?:one|two|three|four(?:teen)?|five|six(?:teen|ty)?|seven(?:teen|ty)?|eight(?:een|y)?|nine(?:teen|ty)?|ten|eleven"
    r"|twelve|thirteen|fifteen|twenty|thirty|forty|fifty|hundred|thousand|lakh|crore|million|billion|trillion)"
)
_GUISES = (
    re.compile(rf"\b{_RUN_TOGETHER}(?:(?:and)?{_RUN_TOGETHER})+\b", re.IGNORECASE),
    re.compile(r"(?<!\w)[lI|]OO+(?!\w)"),
    re.compile(r"(?<!\w)(?<!-)(?=[MDCLXVI]{3,}\b)M{0,4}(?:CM|CD|D?C{0,4})(?:XC|XL|L?X{0,4})(?:IX|IV|V?I{0,4})\b"),
    re.compile(r"\b[A-Za-z](?:[ .·-][A-Za-z]){2,}\b"),
    re.compile(
        r"\b(?:an?|the|\d+|one|two|three|four|five|six|several|many)\s+(?:great\s+)?(?:gross|score|myriad)s?\s+(?:of\b|and\b)"
        r"|\beleventy\b|\b(?:\d|two|three|four|five|six|seven|eight|nine|ten|multi)[\s-]figures?\b|\b[mb]illionaires?\b"
        r"|\b(?:tens|dozens|lots|plenty|many|several|few|couple)\s+(?:of\s+)?(?:hundred|thousand|lakh|lac|crore|million|billion)s?\b"
        r"|(?<!the\s)\b(?:one|two|three|four|five|six|seven|eight|nine|ten|several|many|\d+)\s+scores?\s+[a-z]+s\b"
        r"|\b(?:one|two|three|four|five|six|several|many|\d+)\s+gross\b|\ba\s+gross\s+[a-z]+s\b(?!\s+(?:margin|figure))"
        r"|\b(?:duos?|trios?|quartets?|quintets?|sextets?|octets?|tenners?|baker's dozen|tens|teens|zilch|nada|nix)\b"
        r"|\b(?:deciles?|quintiles?|quartiles?)\s+of\b|\b(?:one|two|three|\d+)\s+grand\b(?!\s+total)"
        r"|\b(?:an?|one|only|just)\s+(?:single|lone|sole|solitary)\s+[a-z]+\s+(?:is|was|has|had|remains?)\b"
        r"|\b(?:an?|one)\s+(?:couple|pair|handful|fistful)\s+of\b|\bdozens?\s+dozens?\b|\ba\s+gross\s+(?:too|more|less|fewer|or|and|in)\b|\bscores\s+of\b|\bmyriads?\s+of\b|\bthree\s?score\b|\bfour\s?score\b",
        re.IGNORECASE,
    ),
)
_PARTS = {
    re.compile(
        r"(?<!the\s)(?<!at\s)\bmost(?:\s+of\b(?!\s+which)|\s+(?!of\b)[a-z]+s\b(?!\s*[,.]?\s*$))"
        r"|\b(?:a|the|an)\s+(?:(?:vast|great|large|clear|overwhelming|small|slim)\s+)?majority\b|\bthe\s+(?:bulk|lion's\s+share)\b",
        re.IGNORECASE,
    ): Decimal(75),
    re.compile(
        r"\b(?:nearly|almost|virtually|practically|just\s+about)\s+(?:all|every|everyone)\b", re.IGNORECASE
    ): Decimal(95),
    re.compile(r"\b(?:a|the)\s+(?:(?:tiny|small)\s+)?minority\b", re.IGNORECASE): Decimal(25),
}
"""Words for a part of all, with the middle of what they may mean in percent."""
_NTH = ("", "", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
_EVERY_NTH = re.compile(
    rf"\b(?:every|each)\s+(?P<nth>{'|'.join(filter(None, _NTH))})\s+(?!(?:day|week|month|quarter|year)\b)[a-z]+",
    re.IGNORECASE,
)
_NTH_SLACK = Decimal("0.5")
_HUNDRED = Decimal(100)
_ROMAN_COUNT = re.compile(r"(?<!\w)(?<!-)(?:I[IVX]|V[I]|X[IVXLC]|L[IVX])(?=\s+[a-z]{3,}s\b)")
_HALF = Decimal(50)
_WORD = re.compile(r"[^\W\d_]+")
_LEVEL_BEFORE = re.compile(rf"\b(?:{_LEVELS})s?\s+$", re.IGNORECASE)
_INITIALS = re.compile(r"[A-Z](?:[ .][A-Z])+")


def disguised_figures(text: str) -> Iterator[Figure]:
    """Find every number of a text that is in such a guise."""
    yield from look_alikes(text)
    for guise in (*_GUISES, _ROMAN_COUNT):
        for match in guise.finditer(text):
            if not _LEVEL_BEFORE.search(text[: match.start()]) and not _INITIALS.fullmatch(match.group()):
                yield Figure(match.group(), match.start(), match.end())


def parts_told(text: str) -> Iterator[Figure]:
    """Find words that tell how large a part is without a number: most customers, the majority, every third customer."""
    for found in _EVERY_NTH.finditer(text):
        share = Reading(_HUNDRED / _NTH.index(found["nth"].lower()), _NTH_SLACK, "part")
        yield Figure(found.group(), found.start(), found.end(), ((share,),))
    for pattern, middle in _PARTS.items():
        slack = min(middle % _HALF, _HALF - middle % _HALF)
        for match in pattern.finditer(text):
            yield Figure(match.group(), match.start(), match.end(), ((Reading(middle, slack, "part"),),))


def look_alikes(text: str) -> Iterator[Figure]:
    """Find every word of another script, whose words for numbers are not read, and words for numbers with accents.

    Letters of other scripts also look like ours: "nin\u0435" is nobody's word.
    """
    for word in _WORD.finditer(text):
        if not word.group().isascii() and (
            any(map(is_in_another_script, word.group())) or _is_an_accented_number(word.group())
        ):
            yield Figure(word.group(), word.start(), word.end())


def _is_an_accented_number(word: str) -> bool:
    plain = "".join(char for char in unicodedata.normalize("NFD", word) if char.isascii())
    return bool(plain) and any(True for _ in spelled_figures(plain))


def is_in_another_script(char: str) -> bool:
    """Whether a character is a letter of a script whose words for numbers are not read."""
    return char.isalpha() and not char.isascii() and not unicodedata.name(char, "").startswith("LATIN")
