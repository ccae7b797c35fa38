"""Questions to several agents: is the plan right, and does every expected figure come back?"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any, Literal, TypeAlias

from ai_engine.agent import AgentExecutionStatus, AgentRequest, OrchestratorResponse
from ai_engine.errors import BadConfiguration
from ai_engine.insight import figures_of_text
from ai_engine.insight.amounts import exact
from backend.databases import Database
from backend.orchestration import Orchestrator

AgentVerdict: TypeAlias = Literal["right", "gap", "wrong"]
"""All figures are there; some are missing and an agent says that it failed; some are missing and nobody says so."""

_CLOSE = Decimal("0.0001")
_TIMEOUT_S = 60.0
_MAX_ROWS = 1_000


@dataclass(frozen=True, slots=True)
class AgentQuestion:
    """One line of a file.

    Attributes:
        agents: who should work, in any order.
        golds: statements whose every figure is expected.
        figures: further figures that are expected.
    """

    key: str
    text: str
    agents: frozenset[str]
    golds: tuple[str, ...] = ()
    figures: tuple[Decimal, ...] = ()


@dataclass(frozen=True, slots=True)
class AgentOutcome:
    """What came of one question; `missing` are the expected figures that did not come back."""

    question: AgentQuestion
    verdict: AgentVerdict
    plan: tuple[str, ...]
    missing: tuple[Decimal, ...]
    answer: str

    @property
    def plan_right(self) -> bool:
        """Just those agents work who should."""
        return frozenset(self.plan) == self.question.agents


def names_agents(file: Path) -> bool:
    """Tell whether a file holds questions to several agents: its first line says which."""
    try:
        with file.open(encoding="utf-8") as lines:
            return "agents" in json.loads(next(lines, "{}"))
    except (OSError, ValueError, TypeError):
        return False  # whoever reads the file says what is wrong with it


def read_agent_questions(file: Path) -> tuple[AgentQuestion, ...]:
    """Read one JSON object per line: `id`, `question`, `agents`, `gold_sql` (a list), `figures`.

    Raises:
        BadConfiguration: names the line and what is wrong with it.
    """
    questions = []
    for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
        try:
            fields = json.loads(line, parse_float=Decimal)
            figures = tuple(Decimal(figure) for figure in fields.get("figures", ()))
            golds = tuple(fields.get("gold_sql", ()))
            questions.append(
                AgentQuestion(fields["id"], fields["question"], frozenset(fields["agents"]), golds, figures)
            )
        except (ValueError, KeyError, TypeError, ArithmeticError) as fault:
            raise BadConfiguration(f"{file}, line {number}: {type(fault).__name__}: {fault}") from fault
    return tuple(questions)


def ask_agents(questions: Sequence[AgentQuestion], asked: Orchestrator, golds: Database) -> Iterator[AgentOutcome]:
    """Ask each question; `golds` is the same database once more, which no guard stands before."""
    for question in questions:
        expected = [*question.figures, *(figure for gold in question.golds for figure in _figures_of(gold, golds))]
        response = asked.answer(AgentRequest(question=question.text))
        yield judge_response(question, expected, response)


def judge_response(
    question: AgentQuestion, expected: Sequence[Decimal], response: OrchestratorResponse
) -> AgentOutcome:
    """Look for every expected figure in the answer and in the tables."""
    given = sorted(_given(response))
    missing = tuple(figure for figure in expected if not any(_is_close(figure, one) for one in given))
    honest = any(result.status is not AgentExecutionStatus.succeeded for result in response.agent_results)
    nobody = not response.agent_results
    verdict: AgentVerdict = "right" if not missing else "gap" if honest or nobody else "wrong"
    plan = response.planner.chosen_agents if response.planner else ()
    return AgentOutcome(question, verdict, plan, missing, response.answer)


def agent_report_text(outcomes: Sequence[AgentOutcome]) -> str:
    """Write the shares, and every question that is not right."""
    plans = sum(outcome.plan_right for outcome in outcomes)
    counts = {verdict: sum(one.verdict == verdict for one in outcomes) for verdict in ("right", "gap", "wrong")}
    lines = [
        f"{len(outcomes)} questions to several agents",
        f"plan right      {plans:4}  {100 * plans / len(outcomes):5.1f} %",
        *(f"figures {name:7} {count:4}  {100 * count / len(outcomes):5.1f} %" for name, count in counts.items()),
    ]
    for outcome in outcomes:
        if not outcome.plan_right or outcome.verdict != "right":
            missing = ", ".join(f"{figure:f}" for figure in outcome.missing) or "none"
            lines += ["", f"{outcome.question.key} {outcome.verdict}: {outcome.question.text}",
                      f"  plan {', '.join(outcome.plan)}; missing {missing}", f"  {outcome.answer}"]  # fmt: skip
    return "\n".join(lines)


def agent_report_to_json(outcomes: Sequence[AgentOutcome]) -> dict[str, Any]:
    """Write figures and every outcome."""
    return {
        "questions": len(outcomes),
        "plan_right": sum(outcome.plan_right for outcome in outcomes),
        "outcomes": [
            {"id": one.question.key, "verdict": one.verdict, "plan": list(one.plan), "plan_right": one.plan_right,
             "missing": [float(figure) for figure in one.missing], "answer": one.answer}
            for one in outcomes
        ],
    }  # fmt: skip


def _figures_of(gold: str, golds: Database) -> list[Decimal]:
    result = golds.runner.run(gold, max_rows=_MAX_ROWS, timeout_s=_TIMEOUT_S, stop=threading.Event())
    return [number for row in result.rows for cell in row if (number := exact(cell)) is not None]


def _given(response: OrchestratorResponse) -> Iterator[Decimal]:
    yield from figures_of_text(response.answer)
    for result in response.agent_results:
        for row in result.tabular.rows if result.tabular else ():
            yield from (number for cell in row.values() if (number := exact(cell)) is not None)


def _is_close(expected: Decimal, given: Decimal) -> bool:
    return abs(expected - given) <= max(abs(expected) * _CLOSE, Decimal("0.005"))
