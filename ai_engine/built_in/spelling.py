"""Which words are English: a real word that means nothing here is reported, never respelt into another."""

from __future__ import annotations

from functools import cache, lru_cache

from spellchecker import SpellChecker

_COMMON = 400  # occurrences in the dictionary's own corpus; rarer entries are often misspellings themselves


@cache
def _dictionary() -> SpellChecker:
    return SpellChecker(language="en", distance=1)


@lru_cache(maxsize=8_192)
def is_english(word: str) -> bool:
    """Tell whether the dictionary that comes with the library has a lower-case word."""
    return int(_dictionary()[word]) >= _COMMON


def with_letters_swapped(word: str) -> tuple[str, ...]:
    """ "teh", "adn", "wiht": the commonest slip of the fingers, and too short for a measure of likeness."""
    return tuple(word[:at] + word[at + 1] + word[at] + word[at + 2 :] for at in range(len(word) - 1))
