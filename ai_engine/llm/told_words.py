"""What the vocabulary and the data have for the very words of a question, so that no prompt lists them all."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property

from ai_engine.llm.said_values import as_written
from ai_engine.model_use import is_typed
from ai_engine.semantics.model import SemanticModel
from ai_engine.semantics.values import FoundValues, Phrase, StoredValue
from ai_engine.semantics.vocabulary import Vocabulary
from ai_engine.semantics.words import stem, words

_LONGEST_PHRASE = 4
_MOST_LINES = 24
_MOST_PLACES = 4
_NONE = "(none)"


class ToldWords:
    """Says what words stand for in one vocabulary, whose synonyms are gathered once."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._vocabulary = vocabulary

    def describe(self, text: str, found: FoundValues) -> str:
        """Say what words of a question stand for, and of what was searched in the data whether it is there.

        No value of a sensitive field is told, nor whether one is there.
        """
        lines = [*_searched(found, self._vocabulary), *self._known(text)]
        return "\n".join(list(dict.fromkeys(lines))[:_MOST_LINES]) or _NONE

    def _known(self, text: str) -> Iterator[str]:
        """Go through the phrases of a text, longer first; what is inside a phrase that is known is not told again."""
        said = words(text)
        told: set[int] = set()
        for length in range(min(_LONGEST_PHRASE, len(said)), 0, -1):
            for start in range(len(said) - length + 1):
                places = set(range(start, start + length))
                if places & told:
                    continue
                phrase = said[start : start + length]
                meant = [*self._names.get(tuple(map(stem, phrase)), ()), *_values(phrase, text, self._vocabulary)]
                if meant:
                    told |= places
                    yield f"{' '.join(phrase)!r}: {'; '.join(list(dict.fromkeys(meant))[:_MOST_PLACES])}"

    @cached_property
    def _names(self) -> dict[Phrase, list[str]]:
        return _names(self._vocabulary.model)


def _searched(found: FoundValues, vocabulary: Vocabulary) -> Iterator[str]:
    shown = [one for one in found.values if _may_be_told(one, vocabulary)]
    missing = "not found" if found.complete else "not found so far, the search was cut short"
    known = {str(one.value).casefold() for one in found.values}
    lost = [text for text in found.texts if text.casefold() not in known]
    for text in found.texts:
        same = [one for one in shown if str(one.value).casefold() == text.casefold()]
        if same:
            yield f"searched {text!r}: found {_places(same)}"
        elif text in lost and not any(text != longer and f" {text} " in f" {longer} " for longer in lost):
            yield f"searched {text!r}: {missing}"
    yield from (f"found: {_places([one])}" for one in shown if str(one.value).casefold() not in _folded(found.texts))


def _folded(texts: Iterable[str]) -> set[str]:
    return {text.casefold() for text in texts}


def _values(phrase: Phrase, text: str, vocabulary: Vocabulary) -> list[str]:
    if not is_typed(phrase):
        return []
    index = vocabulary.values
    stored = index.exactly(phrase) or index.by_synonym(phrase) or (index.by_stem(phrase) if phrase[0].isalpha() else ())
    return [_places([one]) for one in as_written(stored, phrase, text) if _may_be_told(one, vocabulary)]


def _names(model: SemanticModel) -> dict[Phrase, list[str]]:
    """Synonyms that the vocabulary text does not tell, by their stems."""
    found: dict[Phrase, list[str]] = {}

    def add(meant: str, synonyms: Iterable[str]) -> None:
        for synonym in synonyms:
            found.setdefault(tuple(stem(word) for word in words(synonym)), []).append(meant)

    for metric in model.metrics:
        add(f"metric {metric.name}", (metric.label, *metric.synonyms))
    for link in model.relationships:
        add(f"way {link.name}", link.synonyms)
    for dataset in model.datasets:
        add(f"dataset {dataset.name}", dataset.synonyms)
        for item in dataset.fields:
            add(f"{dataset.name}.{item.name}", item.synonyms)
    for short, meant in model.glossary.items():
        add(f"stands for {meant!r}", (short,))
    return found


def _places(stored: Iterable[StoredValue]) -> str:
    return ", ".join(f"{one.dataset}.{one.field} = {str(one.value)!r}" for one in stored)


def _may_be_told(one: StoredValue, vocabulary: Vocabulary) -> bool:
    return not vocabulary.model.dataset(one.dataset).field(one.field).sensitive
