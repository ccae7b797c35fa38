"""A text with every digit, of whatever script, as 0 to 9."""

from __future__ import annotations

import re
import unicodedata
from functools import cache

from ai_engine.seen_text import seen

UNREADABLE = "\ufffd"
"""Stands for a numeral that is not read: of another script without digits, a power, a circled number, a picture."""
_SHOWN_NUMBER = re.compile(
    r"\d|\b(?:ONE|TWO|THREE|FOUR|FIVE|SIX|SEVEN|EIGHT|NINE|TEN|ELEVEN|TWELVE|HUNDRED|THOUSAND|MILLION)\b"
)
"""In the name of a picture that shows a number: a keycap, a clock's face, a die, a playing card."""
_SEPARATORS = {
    "٬": ",",
    "٫": ".",
    "٪": "%",
    "⁄": "⁄",
    "’": "'",
    "‘": "'",
    "′": "'",
    **dict.fromkeys("·˙‧∙⋅・", "."),
    "‐": "-",
    "‑": "-",
    "‒": "-",
    "–": "-",
    "➖": "-",
}


def plain_digits(text: str) -> str:
    """Write digits of all scripts as 0-9, vulgar fractions as +1⁄2, and leave out what is not seen."""
    if text.isascii() and text.isprintable():
        return " ".join(text.split())
    return " ".join("".join(map(_plain, seen(text))).split())


def blanked(match: re.Match[str]) -> str:
    """Write a blank in the place of what is no figure, as long as it is: what stands behind stays where it was."""
    size = len(match.group())
    return f" {'□' * (size - 2)} " if size > 2 else "□" * size


@cache
def _plain(char: str) -> str:
    if char.isascii():
        return char
    digit = unicodedata.decimal(char, None)
    if digit is not None:
        return str(digit)
    if char in _SEPARATORS:
        return _SEPARATORS[char]
    if unicodedata.category(char) in {"Cf", "Mn", "Me"}:
        return ""
    if unicodedata.numeric(char, None) is not None:
        parts = unicodedata.normalize("NFKC", char)
        return f"+{parts}" if "⁄" in parts and not parts.startswith("⁄") else UNREADABLE
    if unicodedata.category(char) == "So" and _SHOWN_NUMBER.search(unicodedata.name(char, "")):
        return UNREADABLE
    compatible = unicodedata.normalize("NFKC", char)
    if any(part.isdigit() for part in compatible):
        return UNREADABLE
    return " " if unicodedata.category(char) == "Zs" else compatible
