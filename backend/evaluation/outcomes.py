"""What came of one question."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import tee
from typing import Literal, TypeAlias

from ai_engine.errors import QueryTimedOut
from ai_engine.row_comparison import Difference, Rows, difference
from ai_engine.types import Answer
from backend.answers.withheld import mark_without_figures
from backend.evaluation.gold import GoldResult
from backend.evaluation.questions import Question

Verdict: TypeAlias = Literal["right", "extra columns", "wrong", "refused", "clarified", "failed", "left out"]
Reason: TypeAlias = Difference | Literal["error", "timeout", "nothing", "answered", "gold failed", ""]

_NEAREST: tuple[Difference | None, ...] = (
    None, "extra columns", "wrong order", "wrong value", "missing columns", "missing rows", "extra rows",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Outcome:
    """One question with its judgement.

    Attributes:
        verdict: "wrong" is wrong with confidence: figures that are not the right ones, or any where none were due.
            "left out" is a question whose own statements do not run.
        reason: why it is not right, empty when it is.
        said: the choices offered, else the refusal, else the summary.
        expected_status: of a question that had to be refused or asked back, whether it was the one or the other.
        thinking_ms: everything but the database's time.
        mark: what the figure rests on, as the answer has it.
        other_verdict: of the built-in reader's rows, where a language model's reading was compared with them.
        closed: the mark of what might not be read then, as the answer has it.
    """

    question: Question
    verdict: Verdict
    reason: Reason
    sql: str | None
    said: str
    restatement: str
    expected_status: bool
    thinking_ms: float
    execution_ms: float
    mark: str = ""
    other_verdict: Verdict | None = None
    closed: str = ""


def judge(question: Question, answer: Answer, golds: Iterable[GoldResult]) -> Outcome:
    """Compare an answer with what was expected of the question; `golds` are read until one of them agrees."""
    own, others = tee(golds)
    verdict, reason = _verdict(question, answer, own)
    execution_ms = answer.timings_ms.get("execution", 0.0)
    return Outcome(
        question,
        verdict,
        reason,
        answer.sql,
        " | ".join(answer.choices) or answer.error or answer.summary,
        answer.restatement,
        _status(answer) == question.expect,
        max(0.0, answer.timings_ms.get("total", 0.0) - execution_ms),
        execution_ms,
        answer.trust or "",
        _other_verdict(answer, verdict, others),
        mark_without_figures(answer),
    )


def _other_verdict(answer: Answer, verdict: Verdict, golds: Iterable[GoldResult]) -> Verdict | None:
    if answer.trust == "agreed":
        return verdict
    results = iter(golds)
    if answer.other_reading is None or (first := next(results, None)) is None:
        return None
    return _judge_rows(answer.other_reading.result.rows, first, results)[0]


def _verdict(question: Question, answer: Answer, golds: Iterable[GoldResult]) -> tuple[Verdict, Reason]:
    results = iter(golds)
    first = next(results, None)
    if question.golds and first is None:
        return "left out", "gold failed"
    status = _status(answer)
    if status == "failed":
        kinds = {answer.error_kind, *(draft.error_kind for draft in answer.failures[-1:])}
        return "failed", "timeout" if QueryTimedOut.__name__ in kinds else "error"
    if question.expect in ("refused", "clarify"):
        return ("right", "") if status in ("refused", "clarify") else ("wrong", "answered")
    if status == "refused":
        return "refused", "nothing"
    if status == "clarify":
        return "clarified", "nothing"
    if question.expect == "about":
        return ("right", "") if status == "about" else ("wrong", "answered")
    if answer.result is None or first is None:
        return "failed", "nothing"
    return _judge_rows(answer.result.rows, first, results)


def _judge_rows(rows: Rows, first: GoldResult, others: Iterator[GoldResult]) -> tuple[Verdict, Reason]:
    """Take the statement that the rows come nearest to."""
    nearest = difference(first.result.rows, rows, ordered=first.ordered)
    for gold in others:
        if nearest is None:
            break
        nearest = min(nearest, difference(gold.result.rows, rows, ordered=gold.ordered), key=_NEAREST.index)
    if nearest is None:
        return "right", ""
    return ("extra columns" if nearest == "extra columns" else "wrong"), nearest


def _status(answer: Answer) -> str:
    return "about" if answer.status == "answered" and answer.sql is None else answer.status
