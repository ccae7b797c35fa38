"""Text that came from a person, a database or a model, made ready for the page, which shows it letter by letter."""

from __future__ import annotations

import html
import re

from ai_engine.seen_text import seen

_PUNCTUATION = re.compile(r"([!-/:-@\[-`{-~])")
_PAIRED = re.compile(r"(?<=[:@<>=~-])(?=\S)|(?<=www)(?=\.)", re.IGNORECASE)
"""Places where Streamlit replaces text even where Markdown escapes it: :emoji:, ->, a@b.c, www.x.y, https://."""
_MINUS = re.compile(r"(?<![^\s(])-(?=\S)")
_WORD_JOINER = "\u2060"


def as_html(text: str) -> str:
    """Write text inside an HTML element: no tag, entity or attribute of its own survives."""
    return html.escape(seen(text))


def as_prose(text: str) -> str:
    """Write a sentence inside an HTML element; a line may break after a hyphen, not after a minus sign."""
    return as_html(_MINUS.sub("\N{MINUS SIGN}", text))


def as_label(text: str, most_chars: int = 200) -> str:
    """Write text as the label of a button or a tab, which Streamlit reads as Markdown.

    Every punctuation mark is escaped, and an invisible word joiner parts what Streamlit would still replace.
    """
    line = " ".join(seen(text).split())
    short = line if len(line) <= most_chars else f"{line[: most_chars - 1].rstrip()}…"
    return _PUNCTUATION.sub(r"\\\1", _PAIRED.sub(_WORD_JOINER, short))
