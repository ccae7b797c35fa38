"""Asks a real database with a text of definitions beside the question."""

from __future__ import annotations

from backend.service import Assistant


def rows(assistant: Assistant, evidence: str, question: str) -> list[tuple[object, ...]]:
    answer = assistant.with_hints(evidence).ask(question)
    assert answer.status == "answered", (answer.status, answer.error)
    assert answer.result is not None
    return [tuple(row) for row in answer.result.rows]
