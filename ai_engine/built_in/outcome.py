"""Which of the four outcomes a question has: answered, a question back, refused, or about the data itself."""

from __future__ import annotations

from collections.abc import Sequence

from ai_engine.built_in.about import about_the_data
from ai_engine.built_in.knowledge import Knowledge
from ai_engine.built_in.reading import Reading
from ai_engine.built_in.refusals import Refusal, refuse_outright, sensitive_field, sensitive_reply
from ai_engine.built_in.rivals import Verdict, judge_alone, restated
from ai_engine.built_in.small_talk import small_talk
from ai_engine.built_in.suggestions import near_questions
from ai_engine.types import Interpretation, Turn

_MOST_CHOICES = 4


def decide(question: str, history: Sequence[Turn], knowledge: Knowledge) -> Interpretation:
    """Read a question in the light of the turns before it, and decide what becomes of it."""
    talk = small_talk(question, knowledge)
    if talk is not None:
        return talk
    refusal = refuse_outright(question, knowledge)
    if refusal is not None:
        return _refused_outright(refusal, knowledge)
    about = about_the_data(question, knowledge)
    if about is not None:
        return about
    return _told(question, judge_alone(question, knowledge), knowledge)


def _told(question: str, verdict: Verdict, knowledge: Knowledge) -> Interpretation:
    """Say what the readings came to."""
    best = verdict.best
    if best is None or not verdict.understood:
        return _not_understood(question, best, knowledge)
    if not verdict.distinct:
        return _not_covered(question, best, knowledge)
    best = verdict.distinct[0]
    assert best.intent is not None  # noqa: S101 - only complete readings are distinct
    kept_back = sensitive_field(best.intent, knowledge)
    if kept_back is not None:
        return _refused_outright(Refusal(sensitive_reply(kept_back, knowledge)), knowledge)
    if not verdict.is_answered:
        return Interpretation(
            outcome="clarify",
            restatement="",
            choices=tuple(restated(reading, knowledge) for reading in verdict.distinct[:_MOST_CHOICES]),
            reply="This can be read in more than one way, with different results. Which one do you mean?",
            meanings=best.meanings,
        )
    return Interpretation(
        outcome="query",
        restatement=restated(best, knowledge),
        intent=best.intent,
        assumptions=best.assumptions,
        meanings=best.meanings,
    )


def _refused_outright(refusal: Refusal, knowledge: Knowledge) -> Interpretation:
    return Interpretation(
        outcome="refused",
        restatement="",
        suggestions=near_questions(refusal.remainder, (), knowledge),
        reply=refusal.reply,
    )


def _not_covered(question: str, best: Reading, knowledge: Knowledge) -> Interpretation:
    """Understood, but not to be said in one statement."""
    understood = restated(best, knowledge)
    return Interpretation(
        outcome="refused",
        restatement="",
        suggestions=near_questions(question, (), knowledge),
        reply=f"I understood “{understood}”, but cannot compute that yet. Try asking for one part of it.",
        meanings=best.meanings,
    )


def _not_understood(question: str, best: Reading | None, knowledge: Knowledge) -> Interpretation:
    unplaced = best.unplaced if best is not None else (question,)
    quoted = ", ".join(f"“{words}”" for words in unplaced)
    nearest = list(dict.fromkeys(name for words in unplaced for name in knowledge.lexicon.nearest(words)))
    hint = f" The nearest things that exist: {', '.join(nearest[:4])}." if nearest else ""
    return Interpretation(
        outcome="refused",
        restatement="",
        unplaced=unplaced,
        suggestions=near_questions(question, unplaced, knowledge),
        reply=f"I did not understand {quoted or 'what is asked'}.{hint}",
        meanings=best.meanings if best is not None else (),
    )
