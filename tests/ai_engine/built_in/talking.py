"""Speaks a scripted conversation with the built-in model, keeping its turns as the pages do."""

from __future__ import annotations

from ai_engine.built_in.knowledge import Knowledge
from ai_engine.built_in.outcomes.outcome import decide
from ai_engine.types import Interpretation, Turn


def converse(knowledge: Knowledge, *questions: str) -> list[Interpretation]:
    turns: list[Turn] = []
    replies: list[Interpretation] = []
    for question in questions:
        reply = decide(question, tuple(turns), knowledge)
        replies.append(reply)
        outcome = "refused" if reply.outcome == "refused" else "answered"
        turns.append(Turn(question, reply.restatement, reply.intent, outcome))
    return replies


def last(knowledge: Knowledge, *questions: str) -> Interpretation:
    return converse(knowledge, *questions)[-1]
