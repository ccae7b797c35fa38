"""Questions of the sample bank, and what of two engines' answers has to be the same."""

from __future__ import annotations

from collections import Counter
from decimal import Decimal

from ai_engine.types import Answer
from backend.evaluation.questions import Question, read_questions
from backend.settings import PROJECT_ROOT

_WITH_ROWS = [
    question
    for question in read_questions(PROJECT_ROOT / "tests" / "questions" / "sample_bank.jsonl")
    if question.golds
]


def spread(count: int) -> list[Question]:
    """As many questions, from the whole of the set and in its order."""
    return [_WITH_ROWS[place * len(_WITH_ROWS) // count] for place in range(count)]


def told(answer: Answer) -> tuple[object, ...]:
    """What a person is told, rows in any order, as those that are level may come in any."""
    rows = answer.result.rows if answer.result else ()
    return answer.status, answer.headline, Counter(tuple(map(_plain, row)) for row in rows)


def _plain(cell: object) -> object:
    """Write a number to nine digits, six of them behind the point.

    Engines divide to different lengths, and Spark keeps four places more of an average than its column has.
    """
    if isinstance(cell, (int, float, Decimal)) and not isinstance(cell, bool):
        return round(Decimal(f"{Decimal(str(cell)):.9g}"), 6).normalize()
    return cell
