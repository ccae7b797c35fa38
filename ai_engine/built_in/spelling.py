"""Misspelt words: a real word of English that means nothing here is reported, never respelt into another."""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from functools import cache, lru_cache

from rapidfuzz import fuzz, process
from spellchecker import SpellChecker

from ai_engine.semantics.words import words

SHORTEST_TYPO = 4
_TYPO_SCORE = 80.0
_TIED_TYPO = 1.0
_NEAR_SCORE = 70.0
_CLEAR_TYPO_SCORE = 90.0

_COMMON = 400  # occurrences in the dictionary's own corpus; rarer entries are often misspellings themselves


@cache
def _dictionary() -> SpellChecker:
    return SpellChecker(language="en", distance=1)


def occurrences(word: str) -> int:
    """How often a lower-case word occurs in the corpus of the dictionary that comes with the library."""
    return int(_dictionary()[word])


@lru_cache(maxsize=8_192)
def is_english(word: str) -> bool:
    """Tell whether that dictionary has a lower-case word."""
    return occurrences(word) >= _COMMON


def corrections(word: str, common: Container[str], spellable: Sequence[str]) -> tuple[str, ...]:
    """Words that an unknown word is probably a misspelling of, best first.

    Args:
        word: in lower case.
        common: words that are known also with two letters swapped.
        spellable: words that may be respelt into, of `SHORTEST_TYPO` letters or more.
    """
    if is_english(word):
        return ()
    doer = word.removesuffix("s").endswith(("er", "or"))  # "defaulters" are no "defaulted"
    swapped = tuple(known for known in with_letters_swapped(word) if known in common)
    if swapped or len(word) < SHORTEST_TYPO:
        return swapped
    near = process.extract(word, spellable, scorer=fuzz.ratio, score_cutoff=_TYPO_SCORE, limit=3)
    same_start = [(text, score) for text, score, _ in near if text[0] == word[0] or score >= _CLEAR_TYPO_SCORE]
    same_start = [(text, score) for text, score in same_start if not (doer and text.endswith(("ed", "ing")))]
    best = max((score for _, score in same_start), default=0.0)
    return tuple(text for text, score in same_start if score >= best - _TIED_TYPO)


def nearest(word: str, labels: Iterable[str], limit: int) -> tuple[str, ...]:
    """Names with a word close to one that is not known, the closest first."""
    named = [
        (max((fuzz.ratio(word.lower(), part) for part in words(label)), default=0.0), label)
        for label in dict.fromkeys(labels)
    ]
    near = sorted((scored for scored in named if scored[0] >= _NEAR_SCORE), key=lambda scored: -scored[0])
    return tuple(dict.fromkeys(label for _, label in near))[:limit]


def with_letters_swapped(word: str) -> tuple[str, ...]:
    """ "teh", "adn", "wiht": the commonest slip of the fingers, and too short for a measure of likeness."""
    return tuple(word[:at] + word[at + 1] + word[at] + word[at + 2 :] for at in range(len(word) - 1))
