"""Reads a question with the values that the data holds beyond those that were learnt."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TypeAlias

from ai_engine.built_in.knowledge import Knowledge
from ai_engine.built_in.outcomes.outcome import decide
from ai_engine.built_in.outcomes.unlearnt import left_over, names_and_codes
from ai_engine.semantics.values import FoundValues
from ai_engine.types import Interpretation, Turn

_Search: TypeAlias = Callable[[Sequence[str]], FoundValues]


def decide_with_search(question: str, history: Sequence[Turn], knowledge: Knowledge, search: _Search) -> Interpretation:
    """Read a question, look up what may be a value of the data, and read it again with what was found."""
    told = decide(question, history, knowledge)
    texts = _unlearnt(question, told, knowledge)
    if not texts:
        return told
    found = search(texts)
    if found.values:
        told = decide(question, history, knowledge.also_knowing(found.values))
    return told if found.complete else _saying_it_is_unfinished(told, texts[0])


def find_named_values(question: str, history: Sequence[Turn], knowledge: Knowledge, search: _Search) -> FoundValues:
    """Look up what may be a value of the data, for whoever reads the question."""
    texts = _unlearnt(question, decide(question, history, knowledge), knowledge)
    return replace(search(texts), texts=texts) if texts else FoundValues()


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
