"""Text that came from outside, without what nobody sees and what turns the order of letters."""

from __future__ import annotations

import re

_UNSEEN = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200e\u200f"
    "\u2028-\u202e\u2060-\u206f\u3164\ud800-\udfff\ufeff\uffa0\ufff0-\ufffb"
    "\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)
"""Controls, marks of direction, blanks without width, fillers, tags and halves of characters."""
_SHAPING_NOTHING = re.compile("(?:^|(?<=[\x00-\u058f\u2000-\u206f]))[\u200c\u200d\ufe00-\ufe0f]+", re.MULTILINE)
"""Joiners and selectors of a shape behind letters that have none: Latin, Greek and Cyrillic ones, digits, signs."""


def seen(text: str) -> str:
    """Drop what a reader cannot see, so that texts of different letters look different; lines and tabs stay."""
    return _SHAPING_NOTHING.sub("", _UNSEEN.sub("", text))
