"""What changes while one chat message is answered: every field that a node may write."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias, TypedDict

from ai_engine.context.actions import ActionHistory
from ai_engine.context.memory import ConversationMemory
from ai_engine.context.results import ResultStore
from ai_engine.operators.base import Citation, OperatorResult
from ai_engine.operators.outgoing import Outgoing
from ai_engine.supervisor.decision import SupervisorDecision
from ai_engine.tools import ToolSummary
from ai_engine.workflows.filling import Filled

Recommendation: TypeAlias = Literal["satisfied", "need_more", "blocked"]
ResponseStatus: TypeAlias = Literal["answered", "partial", "clarify", "blocked", "failed", "stopped"]


@dataclass(frozen=True, slots=True)
class Reflection:
    """How good what was found is.

    Attributes:
        quality_score: 0 to 1.
        issues: what is wrong or missing, one sentence each.
    """

    recommendation: Recommendation
    quality_score: float = 1.0
    is_complete: bool = True
    issues: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Response:
    """What the person is told; `missing` says, a sentence each, what was asked and could not be done."""

    text: str
    status: ResponseStatus
    citations: tuple[Citation, ...] = ()
    missing: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Choice:
    """A decision, with the template that it runs where it is one of ours, or the id of the run that goes on.

    Attributes:
        declines: its response says that what is wished is not done.
        withheld: figures of an earlier answer were written into it, of which no language model may be told.
        offers: it asks back with values of the data, of which no language model may be told.
    """

    decision: SupervisorDecision
    filled: Filled | None = None
    resumes: str | None = None
    declines: bool = False
    withheld: bool = False
    offers: bool = False


class ChatState(TypedDict, total=False):
    """One request.

    Attributes:
        available: operators that can work.
        iteration: of the current decision, from 1.
        alternatives: what the rules would do next, best first.
        decision: the current one; `filled` the template that it runs, `resumes` the run that goes on, if any.
        observations: what came back, as the supervisor is told it.
        synthesis: one text of several results.
        outgoing: what the request may hand to other programs.
    """

    memory: ConversationMemory
    outgoing: Outgoing
    tool_summaries: tuple[ToolSummary, ...]
    available: tuple[str, ...]
    iteration: int
    alternatives: tuple[Choice, ...]
    decision: SupervisorDecision
    filled: Filled | None
    resumes: str | None
    actions: ActionHistory
    results: ResultStore
    observations: str
    reflection: Reflection
    synthesis: OperatorResult | None
    response: Response
