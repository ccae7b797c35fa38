"""Which answers the next question of a conversation may refer to, and what of them."""

from __future__ import annotations

from ai_engine.types import Answer, Turn


def turn_of(answer: Answer) -> Turn:
    """Keep how a question was understood, what was assumed and what was asked back."""
    return Turn(
        question=answer.question,
        restatement=answer.restatement,
        intent=answer.intent,
        outcome=answer.status,
        assumptions=answer.assumptions,
        choices=answer.choices,
    )


def is_remembered(answer: Answer) -> bool:
    """Tell whether the next question may lean on an answer: one that was given, or that asked back."""
    return answer.status in {"answered", "clarify"}
