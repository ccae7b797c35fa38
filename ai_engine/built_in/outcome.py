"""Which of the four outcomes a question has: answered, a question back, refused, or about the data itself."""

from __future__ import annotations

from collections.abc import Sequence

from ai_engine.built_in.knowledge import Knowledge
from ai_engine.built_in.reading import Reading, readings
from ai_engine.built_in.suggestions import near_questions
from ai_engine.errors import IntentNotCovered
from ai_engine.semantics.compiler import compile_intent
from ai_engine.semantics.restatement import restate
from ai_engine.types import Interpretation, Turn

_NEARLY_EQUAL = 0.04
_MOST_CHOICES = 4


def decide(question: str, history: Sequence[Turn], knowledge: Knowledge) -> Interpretation:
    """Read a question and decide what becomes of it."""
    found = readings(question, knowledge)
    complete = [reading for reading in found if reading.complete]
    if not found or not complete or found[0].unplaced and found[0].cost < complete[0].cost - 1.0:
        return _refused(question, found[0] if found else None, knowledge)
    distinct = _distinct(
        [reading for reading in complete if reading.cost <= complete[0].cost + _NEARLY_EQUAL], knowledge
    )
    if not distinct:
        return _not_covered(complete[0], knowledge)
    best = distinct[0]
    if len(distinct) > 1:
        return Interpretation(
            outcome="clarify",
            restatement="",
            choices=tuple(_restated(reading, knowledge) for reading in distinct[:_MOST_CHOICES]),
            reply="This can be read in more than one way, with different results. Which one do you mean?",
            meanings=best.meanings,
        )
    return Interpretation(
        outcome="query",
        restatement=_restated(best, knowledge),
        intent=best.intent,
        assumptions=best.assumptions,
        meanings=best.meanings,
    )


def _distinct(rivals: list[Reading], knowledge: Knowledge) -> list[Reading]:
    """Those that can be compiled, and ask the database different things."""
    vocabulary = knowledge.vocabulary
    found: dict[str, Reading] = {}
    for reading in rivals:
        assert reading.intent is not None  # noqa: S101 - only complete readings come here
        try:
            draft = compile_intent(reading.intent, vocabulary.model, vocabulary.catalogue.dialect, vocabulary.as_of)
        except IntentNotCovered:
            continue
        found.setdefault(draft.sql, reading)
    return list({_restated(reading, knowledge): reading for reading in found.values()}.values())


def _not_covered(best: Reading, knowledge: Knowledge) -> Interpretation:
    """Understood, but not to be said in one statement."""
    understood = _restated(best, knowledge)
    return Interpretation(
        outcome="refused",
        restatement="",
        suggestions=near_questions(None, knowledge),
        reply=f"I understood “{understood}”, but cannot compute that yet. Try asking for one part of it.",
        meanings=best.meanings,
    )


def _restated(reading: Reading, knowledge: Knowledge) -> str:
    assert reading.intent is not None  # noqa: S101 - only complete readings come here
    return restate(reading.intent, knowledge.model, knowledge.as_of)


def _refused(question: str, best: Reading | None, knowledge: Knowledge) -> Interpretation:
    unplaced = best.unplaced if best is not None else (question,)
    quoted = ", ".join(f"“{words}”" for words in unplaced)
    nearest = list(dict.fromkeys(name for words in unplaced for name in knowledge.lexicon.nearest(words)))
    hint = f" The nearest things that exist: {', '.join(nearest[:4])}." if nearest else ""
    return Interpretation(
        outcome="refused",
        restatement="",
        unplaced=unplaced,
        suggestions=near_questions(best, knowledge),
        reply=f"I did not understand {quoted or 'what is asked'}.{hint}",
        meanings=best.meanings if best is not None else (),
    )
