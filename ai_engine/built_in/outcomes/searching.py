"""Reads a question with the values that the data holds beyond those that were learnt."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from ai_engine.built_in.knowledge import Knowledge
from ai_engine.built_in.outcomes.outcome import decide
from ai_engine.built_in.outcomes.unlearnt import left_over, names_and_codes
from ai_engine.semantics.values import FoundValues
from ai_engine.types import Interpretation, Turn

_Search: TypeAlias = Callable[[Sequence[str]], FoundValues]


@dataclass(frozen=True, slots=True)
class FirstLook:
    """A question as it reads by what was learnt, with what the data has for the words that may be values beyond that.

    Whoever reads the question as well needs the same, hence it is kept.

    Attributes:
        question, history, knowledge: what was read.
        told: what it came to.
        found: what the search found, with the texts that were sought.
    """

    question: str
    history: tuple[Turn, ...]
    knowledge: Knowledge
    told: Interpretation
    found: FoundValues

    def is_of(self, question: str, history: Sequence[Turn], knowledge: Knowledge) -> bool:
        """Tell whether this is of the same question in the same place."""
        return knowledge is self.knowledge and (question, tuple(history)) == (self.question, self.history)

    def decide(self) -> Interpretation:
        """Read the question again with what was found."""
        told, found = self.told, self.found
        if found.values:
            told = decide(self.question, self.history, self.knowledge.also_knowing(found.values))
        return told if found.complete else _saying_it_is_unfinished(told, found.texts[0])


def look(question: str, history: Sequence[Turn], knowledge: Knowledge, search: _Search) -> FirstLook:
    """Read a question, and look up what may be a value of the data."""
    told = decide(question, history, knowledge)
    texts = _unlearnt(question, told, knowledge)
    found = replace(search(texts), texts=texts) if texts else FoundValues()
    return FirstLook(question, tuple(history), knowledge, told, found)


def _unlearnt(question: str, told: Interpretation, knowledge: Knowledge) -> tuple[str, ...]:
    """What of a question may be a value that was not learnt.

    Besides the words that found no place, these are names and codes: one of them may have been read as another that is
    spelled like it. Nothing is sought in a question whose every word is known, nor in one that is refused whatever its
    words.
    """
    if told.outcome == "about" or (told.outcome == "refused" and not told.unplaced):
        return ()
    return tuple(dict.fromkeys((*names_and_codes(question, knowledge), *left_over(question, told.unplaced))))


def _saying_it_is_unfinished(told: Interpretation, text: str) -> Interpretation:
    note = f"The data could not be searched to the end for “{text}”."
    if told.outcome == "query":
        return replace(told, assumptions=(*told.assumptions, note))
    return replace(told, reply=f"{told.reply} {note}") if told.unplaced else told
