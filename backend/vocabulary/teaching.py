"""Words that were not understood: counted without who asked, and taught as proposed changes of the vocabulary."""

from __future__ import annotations

import logging
import re
import threading
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from sqlalchemy.exc import IntegrityError

from ai_engine.built_in.cues import cue_table
from ai_engine.errors import CannotChangeVocabulary, StoreUnavailable
from ai_engine.model_use import LOCAL, asker
from ai_engine.semantics.vocabulary_edits import Edit
from ai_engine.types import Answer, Interpretation
from backend.catalogue.entries import is_understood, reading_of
from backend.store import unknown_words as rows
from backend.store.opening import Store
from backend.store.vocabulary_changes import VocabularyChange

if TYPE_CHECKING:
    from backend.service import Assistant

_log = logging.getLogger(__name__)
_WORDS = re.compile(r"[^\W\d_]{2,}(?:[ '&/-][^\W\d_]{2,}){0,2}")
_MOST_CHARS = 40
_MOST_MEANING_CHARS = 300
_MOST_LISTED = 50
_FEWEST_ASKED = 2
"""A word asked for once may be somebody's name."""
_MOST_REMEMBERED = 10_000


def teachable(answer: Answer) -> tuple[str, ...]:
    """Return the words of an answer that somebody could say the meaning of: letters alone, no everyday words."""
    everyday = cue_table().words
    found = (" ".join(words.split()) for words in answer.unplaced)
    return tuple(
        dict.fromkeys(
            words for words in found
            if len(words) <= _MOST_CHARS and _WORDS.fullmatch(words) and not any(map(str.isnumeric, words))
            and not all(word in everyday for word in words.lower().split())
        )
    )  # fmt: skip


def teach(assistant: Assistant, word: str, meaning: str, who: str) -> VocabularyChange:
    """Propose that a word of the bank stands for a phrase, which must itself be understood.

    Raises:
        CannotChangeVocabulary: the word is none, the meaning is not understood or speaks of the word.
        BadVocabulary, StoreUnavailable: as the book.
    """
    word, meaning = " ".join(word.split()).lower(), " ".join(meaning.split()).rstrip(".")
    if not word or len(word) > _MOST_CHARS or not re.search(r"[^\W\d_]", word):
        raise CannotChangeVocabulary("A word has letters, and at most 40 characters.")
    if not meaning or len(meaning) > _MOST_MEANING_CHARS:
        raise CannotChangeVocabulary("Say what it means, in at most 300 characters.")
    if re.search(rf"(?<!\w){re.escape(word)}(?!\w)", meaning, re.IGNORECASE):
        raise CannotChangeVocabulary(f"“{word}” cannot be explained by itself.")
    asked = (meaning, f"How many {meaning}?", f"List {meaning}", f"What is {meaning}?")
    readings = [reading_of(question, assistant) for question in asked]
    if not any(is_understood(reading) for reading in readings):
        raise CannotChangeVocabulary(_not_understood(meaning, readings))
    edit = Edit("word", word, "", assistant.vocabulary.model.glossary.get(word), meaning)
    return assistant.changes.propose([edit], f"“{word}” means {meaning}", who)


def _not_understood(meaning: str, readings: Iterable[Interpretation]) -> str:
    choices = next((reading.choices for reading in readings if reading.outcome == "clarify" and reading.choices), ())
    if choices:
        return f"“{meaning}” can be read in several ways: {'; '.join(choices)}. Say which."
    return f"“{meaning}” is not understood itself. Say it as you would ask it."


class UnknownWords:
    """What people asked for in vain, of one database; a store that is away counts and lists nothing.

    Args:
        most: words that are counted.

    What one person asks for again counts once, as far as this process remembers, as it may be a name that nobody else
    asks for. Where all are `local`, each question is taken for another person's.
    """

    def __init__(self, store: Callable[[], Store], database: str, most: int) -> None:
        self._store = store
        self._database = database
        self._most = most
        self._lock = threading.Lock()
        self._counted: set[tuple[str, str]] = set()

    def count(self, answer: Answer) -> None:
        """Count the words of an answer, if any; never raises."""
        words = [word.lower() for word in teachable(answer)] if answer.status in ("refused", "clarify") else []
        words = self._first_asked(words)
        if not words or not self._most:
            return
        try:
            with self._store().writing() as on:
                rows.count(on, self._database, words, self._most)
        except (StoreUnavailable, IntegrityError) as fault:  # two servers may count a new word at one moment
            _log.warning("words that were not understood could not be counted: %s", type(fault).__name__)

    def _first_asked(self, words: Iterable[str]) -> list[str]:
        """Return those that whoever asks now has not asked for before."""
        who = asker().person
        with self._lock:
            fresh = [word for word in words if who == LOCAL or (who, word) not in self._counted]
            if len(self._counted) > _MOST_REMEMBERED:
                self._counted.clear()
            self._counted.update((who, word) for word in fresh)
        return fresh

    def most_asked(self) -> list[tuple[str, int]]:
        """Return the words with how often they were asked for, most often first; none where the store is away."""
        try:
            with self._store().reading() as on:
                return rows.most_asked(on, self._database, _MOST_LISTED, _FEWEST_ASKED)
        except StoreUnavailable as fault:
            _log.warning("words that were not understood cannot be listed: %s", fault)
            return []

    def forget(self, words: Iterable[str]) -> None:
        """Count words no more that have a meaning now."""
        try:
            with self._store().writing() as on:
                rows.forget(on, self._database, words)
        except StoreUnavailable as fault:
            _log.warning("words that were taught are still listed: %s", fault)
