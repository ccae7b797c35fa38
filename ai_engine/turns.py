"""Which answers the next question of a conversation may refer to, and what of them."""

from __future__ import annotations

from ai_engine.types import Answer, Turn

SEE_THE_REST = "Narrow the question to see the rest."
"""How it ends what is said of rows that a limit cut off."""


def turn_of(answer: Answer) -> Turn:
    """Keep how a question was understood, what was assumed of it and what was asked back; nothing of the rows."""
    return Turn(
        question=answer.question,
        restatement=answer.restatement,
        intent=answer.intent,
        outcome=answer.status,
        assumptions=assumed_in_reading(answer),
        choices=answer.choices,
    )


def is_remembered(answer: Answer) -> bool:
    """Tell whether the next question is read in its light: what failed by itself says nothing of a question."""
    return answer.status != "failed"


def assumed_in_reading(answer: Answer) -> tuple[str, ...]:
    """Return what was assumed when a question was read and compiled, without what was said of the rows it gave."""
    from ai_engine.agents.equal_rows import said_of_equal_rows  # takes long to load, and a page is drawn before

    result, intents = answer.result, (answer.intent, None)  # after a failure no intent stands behind the rows
    of_rows = {said for intent in intents for said in said_of_equal_rows(intent, result)} if result is not None else ()
    return tuple(item for item in answer.assumptions if item not in of_rows and not item.endswith(SEE_THE_REST))
