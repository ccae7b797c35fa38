"""What of an answer the next question of a conversation may refer to."""

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
