"""What names and values are short for: `stu` of "students", `bld_grp` of "blood group", `CANC` of "cancelled"."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from ai_engine.built_in.spelling import SHORTEST_TYPO, is_english, occurrences
from ai_engine.semantics.model import SemanticModel
from ai_engine.semantics.names import singular, split_identifier
from ai_engine.semantics.schema_words import ABBREVIATIONS, WORDS
from ai_engine.semantics.values import StoredValue, ValueIndex
from ai_engine.semantics.words import words

_SHORTEST, _LONGEST = 3, 5
_SHORTEST_IN_FULL = 2  # `qt` has every consonant of a quote
_VOWELS = frozenset("aeiou")
_EVERYDAY = 10_000  # occurrences: "doc" and "spec" are rarer, "car" and "pay" are words of their own
_WRITTEN_SHORT = 0.3


@dataclass(frozen=True)
class ShortForms:
    """The short forms in the names and values of one database."""

    model: SemanticModel
    values: ValueIndex

    def in_names(self, word: str) -> tuple[str, ...]:
        """Pieces of labels that are probably short for a lower-case word that no name has, or written out otherwise.

        `prt` is written out as "part" in a label, and is short for a "port" as well.
        """
        meant = _short_for(singular(word), self._pieces | self._written_out)
        return tuple(dict.fromkeys(ABBREVIATIONS.get(piece, piece) for piece in meant))

    def in_values(self, word: str) -> tuple[StoredValue, ...]:
        """Values in a few capitals that are probably short for a lower-case word."""
        meant = _short_for(word, dict.fromkeys(self._capitals, False))
        return tuple(value for piece in meant for value in self._capitals[piece])

    @cached_property
    def _pieces(self) -> dict[str, bool]:
        """Short pieces of labels, and whether a table is called so."""
        labels = [(dataset.label, True) for dataset in self.model.datasets]
        labels += [(item.label, False) for dataset in self.model.datasets for item in dataset.fields]
        found: dict[str, bool] = {}
        for label, of_table in labels:
            for piece in words(label):
                if piece not in WORDS and _is_short(piece, words_too=self._is_written_short):
                    found[piece] = found.get(piece, False) or of_table
        return found

    @cached_property
    def _written_out(self) -> dict[str, bool]:
        """The same of pieces of names that a label has in one word of several that they may be short for."""
        named = [(dataset.table_name, dataset.label, True) for dataset in self.model.datasets]
        named += [(item.name, item.label, False) for dataset in self.model.datasets for item in dataset.fields]
        found: dict[str, bool] = {}
        for name, label, of_table in named:
            said = words(label)
            for piece in split_identifier(name):
                if ABBREVIATIONS.get(piece) in said:
                    found[piece] = found.get(piece, False) or of_table
        return found

    @cached_property
    def _is_written_short(self) -> bool:
        """Whether a good part of what the columns' names consist of is no word."""
        names = (item.name for dataset in self.model.datasets for item in dataset.fields)
        pieces = {piece for name in names for piece in split_identifier(name)}
        short = [piece for piece in pieces if piece in ABBREVIATIONS or not is_english(piece)]
        return len(short) > _WRITTEN_SHORT * len(pieces)

    @cached_property
    def _capitals(self) -> dict[str, list[StoredValue]]:
        found: dict[str, list[StoredValue]] = defaultdict(list)
        for column in self.values.columns:
            for value in column.values:
                if isinstance(value, str) and value.isupper() and _is_short(value.lower(), words_too=True):
                    found[value.lower()].append(StoredValue(column.dataset, column.field, value))
        return found


def _is_short(piece: str, *, words_too: bool) -> bool:
    """Tell whether a piece may be short for something: a few letters that are no everyday word.

    `words_too` where names are written short throughout: `lab_hrs` is then of labour.
    """
    if not piece.isalpha() or not _SHORTEST_IN_FULL <= len(piece) <= _LONGEST:
        return False
    return words_too or (len(piece) >= _SHORTEST and occurrences(piece) < _EVERYDAY)


def _short_for(word: str, pieces: Mapping[str, bool]) -> tuple[str, ...]:
    """Return the likeliest pieces: how the word begins or sounds, those of tables first, else what is left of it."""
    if len(word) < SHORTEST_TYPO:
        return ()
    shorter = [piece for piece in pieces if piece[0] == word[0] and len(piece) < len(word)]
    ranks = {piece: (kind, not pieces[piece]) for piece in shorter if (kind := _kind(piece, word)) is not None}
    best = min(ranks.values(), default=None)
    return tuple(piece for piece, rank in ranks.items() if rank == best)


def _kind(piece: str, word: str) -> int | None:
    """Return 0 where a word begins so or has these consonants, 1 where half of them are left, None for neither."""
    if word.startswith(piece):
        return 0 if _SHORTEST <= len(piece) < len(word) - 1 else None  # "cars" are no `card`
    sounds = word[0] + "".join(letter for letter in word[1:] if letter not in _VOWELS)
    if piece in {sounds, _without_doubles(sounds)}:
        return 0
    rest = iter(sounds)
    is_left = len(piece) >= max(_SHORTEST, len(sounds) / 2) and all(letter in rest for letter in piece)
    return 1 if is_left else None


def _without_doubles(letters: str) -> str:
    return "".join(letter for before, letter in zip(("", *letters), letters, strict=False) if before != letter)
