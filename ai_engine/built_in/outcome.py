"""Which of the four outcomes a question has: answered, a question back, refused, or about the data itself."""

from __future__ import annotations

from collections.abc import Sequence

from ai_engine.built_in.knowledge import Knowledge
from ai_engine.built_in.reading import Reading, readings
from ai_engine.built_in.suggestions import near_questions
from ai_engine.semantics.restatement import restate
from ai_engine.types import Interpretation, Turn

_NEARLY_EQUAL = 0.04


def decide(question: str, history: Sequence[Turn], knowledge: Knowledge) -> Interpretation:
    """Read a question and decide what becomes of it."""
    found = readings(question, knowledge)
    complete = [reading for reading in found if reading.complete]
    if not found or not complete or found[0].unplaced and found[0].cost < complete[0].cost - 1.0:
        return _refused(question, found[0] if found else None, knowledge)
    best = complete[0]
    rivals = [reading for reading in complete[1:] if reading.cost <= best.cost + _NEARLY_EQUAL]
    restatements = tuple(dict.fromkeys(_restated(reading, knowledge) for reading in (best, *rivals)))
    if len(restatements) > 1:
        return Interpretation(
            outcome="clarify",
            restatement="",
            choices=restatements[:4],
            reply="This can be read in more than one way, with different results. Which one do you mean?",
            meanings=best.meanings,
        )
    return Interpretation(
        outcome="query",
        restatement=restatements[0],
        intent=best.intent,
        assumptions=best.assumptions,
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
