"""The plan and the program that a language model writes, in the shape that rules make them too."""

from __future__ import annotations

import re
import threading
from collections.abc import Mapping
from decimal import Decimal
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from ai_engine.agent import TabularResult
from ai_engine.insight.checking.claim_words import CLAIMS
from ai_engine.insight.checking.marks import figures_with_other_marks, told_below_zero
from ai_engine.insight.checking.plain_words import TIME_UNITS, other_marks, other_words
from ai_engine.insight.figures import figures_in
from ai_engine.insight.retold import figures_of_text
from ai_engine.ports import ChatModel
from ai_engine.prompts.loader import load_prompt
from ai_engine.specialists.computation.calculation import Calculation, InputMissing
from ai_engine.specialists.computation.program_figures import (
    MARKUP,
    invented_figures,
    known_figures,
    says_more,
    unknown_figures,
)
from ai_engine.specialists.computation.sandbox import MAX_PROGRAM_CHARS
from ai_engine.specialists.computation.table_operations import EarlierTable

_SHOWN_CHARS = 4_000
_PROBE, _PROBED = "70,123", Decimal(70_123)
FIGURE = "{result}"
_NO_CURRENCY = frozenset({""})
"""The figure brings its own."""
_ALONE = re.compile(r"[\s(),.;:!?]?")
_ENDS = ".,;:!?()'\""
_SAID_OF = re.compile(r"\b(?:of|for|over|after|in|at|on|per|from|to|with|until|by)\s+$", re.IGNORECASE)
"""Behind the result a number stands in a phrase of its own, or it would be a part of it."""
_CLAIMED = frozenset(
    "total all average median highest lowest more less moves order per as other time between on".split()
)
"""What a figure may be called; that it is none, or the only one, says something else."""
_TURNED = re.compile(r"(?:\b(?:minus|negative|not|no|never|without)\b|[-\u2212\u2013])\s*\S{0,3}\s*$", re.IGNORECASE)


class ComputationPlan(BaseModel):
    """What the model is asked for."""

    model_config = ConfigDict(extra="forbid")

    steps: list[Annotated[str, Field(max_length=1_000)]] = Field(max_length=12)
    code: str = Field(max_length=MAX_PROGRAM_CHARS)
    unit: Literal["money", "percent", "years", "number", "table"]
    sentence: str = Field(max_length=400)
    missing: str = Field("", max_length=300)


def plan_by_model(
    model: ChatModel, question: str, found: Mapping[str, EarlierTable], stop: threading.Event, *, may_leave: bool
) -> tuple[Calculation, str]:
    """Ask the model once.

    Args:
        model: what is asked.
        question: as it stands alone.
        found: tables by the names under which the program has them.
        stop: ends the asking when set.
        may_leave: the model may see every cell of them.

    Returns:
        The calculation, and the sentence in which its figure is told; empty where it says figures of its own.

    Raises:
        InputMissing: the model says that something is not known.
        ModelFailed, QueryStopped: as `ChatModel.ask`.
    """
    tables = {name: one.table for name, one in found.items()}
    messages = load_prompt("computation").fill(question=question, tables=_shown(found, may_leave=may_leave))
    plan = model.ask(messages, ComputationPlan, lambda plan: _checked(plan, question, tables), stop=stop)
    if plan.missing and not plan.code.strip():
        known = not says_more(plan.missing, question)
        raise InputMissing(f"the calculation needs {plan.missing if known else 'more than the question says'}")
    steps = tuple(step for step in plan.steps if not unknown_figures(step, question))
    calculation = Calculation("result", steps, plan.code, plan.unit, "as asked", tables=tables, is_ours=False)
    return calculation, plan.sentence if _tells_only(plan.sentence, question) else ""


def _checked(plan: ComputationPlan, question: str, tables: Mapping[str, TabularResult]) -> ComputationPlan:
    if not plan.code.strip():
        if not plan.missing.strip():
            raise ValueError("code is empty, and missing does not say what is needed")
        return plan
    try:
        names = {*tables, *(column for table in tables.values() for column in table.columns)}
        invented = invented_figures(plan.code, question, names)
    except (SyntaxError, RecursionError, MemoryError) as fault:
        raise ValueError(f"code is no valid Python: {fault}") from None
    except ArithmeticError:
        raise ValueError("code has a number that is too large or too small to calculate with") from None
    if invented:
        raise ValueError(f"code uses figures that neither the question nor a table says: {', '.join(invented)[:200]}")
    return plan


def _tells_only(sentence: str, question: str) -> bool:
    """Whether a sentence has one place for the figure, alone, and no other figure than the question's."""
    before, place, after = sentence.partition(FIGURE)
    if not place or FIGURE in after or MARKUP.search(before + after) or _TURNED.search(before):
        return False
    if not (_ALONE.fullmatch(before[-1:]) and _ALONE.fullmatch(after[:1])) or not _is_plain(before + after, question):
        return False
    if any(not _SAID_OF.search(after[: figure.start]) for figure in figures_in(after)):
        return False
    with_another, asked = f"{before}{_PROBE}{after}", question.lower()
    own, figures = figures_of_text(with_another) - {_PROBED}, figures_in(with_another)
    if any(figures_with_other_marks(figures, with_another, asked, _NO_CURRENCY)):
        return False
    if any(told_below_zero(figure, with_another, asked) for figure in figures):
        return False
    return _PROBED in figures_of_text(with_another) and own <= known_figures(question)


def _is_plain(around: str, question: str) -> bool:
    """Whether all around the figure are marks and words of a closed list, and numbers as they were asked."""
    if any(other_marks(around, ())):
        return False
    asked = {token.strip(_ENDS) for token in question.split()}
    tokens = [token.strip(_ENDS) for token in around.split()]
    numbers = {token for token in tokens if any(map(str.isdigit, token))}
    words = " ".join(token for token in tokens if token not in numbers)
    claimed = (word for word in re.findall(r"[a-z]+", words.lower()) if CLAIMS.get(word, "total") not in _CLAIMED)
    return numbers <= asked and not any(other_words(words, [question, TIME_UNITS])) and not any(claimed)


def _shown(found: Mapping[str, EarlierTable], *, may_leave: bool) -> str:
    """Tables as they are called, with the kind of each column; of cells and rows its author needs to know nothing.

    Where cells may not leave no kind is told, which they decide, nor what columns a program has made, of which they
    may be the names and the number.
    """
    described = []
    for name, one in found.items():
        names = ", ".join(
            f"{column} ({_kind(one.table, column)})" if may_leave else column for column in one.table.columns
        )
        is_told = may_leave or one.has_statement
        described.append(f"{name}: " + (f"columns {names}" if is_told else 'columns as table["columns"] has them'))
    return "\n".join(described)[:_SHOWN_CHARS] or "none"


def _kind(table: TabularResult, column: str) -> str:
    cell = next((row[column] for row in table.rows if row.get(column) is not None), None)
    if isinstance(cell, bool):
        return "true or false"
    if isinstance(cell, (int, float, Decimal)):
        return "number"
    return "text" if isinstance(cell, str | None) else type(cell).__name__
