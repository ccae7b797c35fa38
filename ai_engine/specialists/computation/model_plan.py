"""The plan and the program that a language model writes, in the shape that rules make them too."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from ai_engine.agent import TabularResult
from ai_engine.ports import ChatModel
from ai_engine.prompts.loader import load_prompt
from ai_engine.specialists.computation.calculation import Calculation, InputMissing
from ai_engine.specialists.computation.quantities import quantities
from ai_engine.specialists.computation.sandbox import MAX_PROGRAM_CHARS

_SHOWN_ROWS = 5
_SHOWN_CHARS = 4_000
FIGURE = "{result}"


class ComputationPlan(BaseModel):
    """What the model is asked for."""

    model_config = ConfigDict(extra="forbid")

    steps: list[str] = Field(max_length=12)
    code: str = Field(max_length=MAX_PROGRAM_CHARS)
    unit: Literal["money", "percent", "years", "number", "table"]
    sentence: str = Field(max_length=400)
    missing: str = Field("", max_length=300)


def plan_by_model(
    model: ChatModel, question: str, tables: Mapping[str, TabularResult], stop: threading.Event
) -> tuple[Calculation, str]:
    """Ask the model once.

    Returns:
        The calculation, and the sentence in which its figure is told; empty where it says figures of its own.

    Raises:
        InputMissing: the model says that something is not known.
        ModelFailed, QueryStopped: as `ChatModel.ask`.
    """
    messages = load_prompt("computation").fill(question=question, tables=_shown(tables))
    plan = model.ask(messages, ComputationPlan, _checked, stop=stop)
    if plan.missing and not plan.code.strip():
        raise InputMissing(f"the calculation needs {plan.missing}")
    calculation = Calculation("result", tuple(plan.steps), plan.code, plan.unit, "as asked", tables=dict(tables))
    return calculation, plan.sentence if _tells_only(plan.sentence, question) else ""


def _checked(plan: ComputationPlan) -> ComputationPlan:
    if not plan.code.strip() and not plan.missing.strip():
        raise ValueError("code is empty, and missing does not say what is needed")
    return plan


def _tells_only(sentence: str, question: str) -> bool:
    """Whether a sentence has one place for the figure, and no other figure than the question's."""
    if sentence.count(FIGURE) != 1:
        return False
    known = {quantity.value for quantity in quantities(question)}
    return all(quantity.value in known for quantity in quantities(sentence.replace(FIGURE, "")))


def _shown(tables: Mapping[str, TabularResult]) -> str:
    if not tables:
        return "none"
    lines: list[str] = []
    for name, table in tables.items():
        lines.append(f"{name}: {table.row_count} rows, columns {', '.join(table.columns)}")
        lines += ["\t".join(str(row.get(column)) for column in table.columns) for row in table.rows[:_SHOWN_ROWS]]
    return "\n".join(lines)[:_SHOWN_CHARS]
