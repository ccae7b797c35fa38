"""What a person asked before, where a question leans on it: the context's key `earlier_questions`, oldest first."""

from __future__ import annotations

from collections.abc import Iterator

from ai_engine.agent import AgentRequest

EARLIER_QUESTIONS = "earlier_questions"


def earlier_questions(request: AgentRequest) -> list[str]:
    """Return the earlier questions, oldest first; none where the context has no list of texts."""
    given = request.context.get(EARLIER_QUESTIONS)
    return [text for text in given if isinstance(text, str)] if isinstance(given, (list, tuple)) else []


def with_earlier_question(request: AgentRequest) -> Iterator[str]:
    """Yield the question alone, then with the latest earlier one before it, then with the two latest."""
    before = earlier_questions(request)
    yield request.question
    for number in range(1, min(len(before), 2) + 1):
        yield " ".join([*before[-number:], request.question])
