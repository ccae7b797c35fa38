"""Makes one answer of the results: by one question to the model, or by rule."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, ConfigDict

from ai_engine.agent import AgentExecutionStatus, AgentRequest, AgentResult, OrchestratorResponse, TabularResult
from ai_engine.agent_results import described, rows_may_leave
from ai_engine.errors import ModelFailed, QueryStopped
from ai_engine.insight import unretold_figures
from ai_engine.operators.links import fetches_or_links
from ai_engine.orchestrator.execution import Finished
from ai_engine.orchestrator.model_call import ask_model
from ai_engine.orchestrator.planner import Plan
from ai_engine.orchestrator.setting import OrchestratorRun
from ai_engine.orchestrator.telling import answer_by_rule, summary_lines, told, with_rupees
from ai_engine.prompts.loader import load_prompt

_LONGEST_ANSWER_CHARS = 2_000
_SHORTEST_CALL_S = 0.1


class ComposerReply(BaseModel):
    """What the model replies."""

    model_config = ConfigDict(extra="ignore")

    answer: str


@dataclass(frozen=True, slots=True)
class Composition:
    """The response without its trace, and why the model did not write it though there is one."""

    response: OrchestratorResponse
    fallback: str | None = None


async def compose(request: AgentRequest, plan: Plan, finished: Sequence[Finished], run: OrchestratorRun) -> Composition:
    """Put the results together; a table is chosen, figures only come from results, gaps are named. Never raises."""
    currency = run.setting.currency
    results = [one.result for one in finished]
    finished = _those_that_count(plan, finished)
    answer, fallback = answer_by_rule(finished, plan.left_out, currency), None
    composed_by = "rule"
    may_leave = rows_may_leave([one.result for one in finished])
    if run.setting.model is not None and may_leave and any(one.result.answer for one in finished):
        try:
            answer, composed_by = await _by_model(request, plan, finished, run), "model"
        except (ModelFailed, QueryStopped) as fault:
            fallback = str(fault)
    if not plan.steps:
        answer = f"{plan.decision.rationale} {answer}".strip()
    chosen = first_table(results) if request.include_data else None
    response = OrchestratorResponse(
        answer=answer,
        data=chosen.tabular if chosen else None,
        agent_results=[_as_asked(result, request) for result in results],
        planner=plan.decision,
        metadata=_metadata(plan, results, chosen, composed_by),
    )
    return Composition(response, fallback)


def first_table(results: Sequence[AgentResult]) -> AgentResult | None:
    """Return the first result of an agent that succeeded with a table."""
    succeeded = (result for result in results if result.status is AgentExecutionStatus.succeeded)
    return next((result for result in succeeded if result.tabular is not None), None)


def _those_that_count(plan: Plan, finished: Sequence[Finished]) -> Sequence[Finished]:
    """Leave out who could not answer a question that another, who claims all of it, has answered."""
    succeeded = [one for one in finished if one.result.status is AgentExecutionStatus.succeeded]
    return succeeded if any(one.planned.step == plan.owner for one in succeeded) else finished


async def _by_model(request: AgentRequest, plan: Plan, finished: Sequence[Finished], run: OrchestratorRun) -> str:
    """Ask the model once.

    Raises:
        ModelFailed: no usable answer, or one that leads somewhere or has figures that no result bears out; why an agent
            failed bears out none.
        QueryStopped: the person wants no more.
    """
    assert run.setting.model is not None, "asked only where there is one"  # noqa: S101
    if run.stop.is_set():
        raise QueryStopped
    if run.left_s < _SHORTEST_CALL_S:
        raise ModelFailed("no time is left for the model")
    currency = run.setting.currency
    messages = load_prompt("compose").fill(
        question=request.question,
        rationale=plan.decision.rationale,
        results=summary_lines(finished, plan.left_out, currency),
        manner=request.system_prompt or "(none)",
    )
    answers = [told(one.result, currency) for one in finished]
    said = [*answers, *(one.result.error.message for one in finished if one.result.error is not None)]
    tables = [_rows(one.result.tabular) for one in finished if one.result.tabular is not None]

    def make(reply: ComposerReply) -> str:
        text = with_rupees(" ".join(reply.answer.split()), currency)[:_LONGEST_ANSWER_CHARS]
        if not text:
            raise ValueError("answer is empty")
        unfounded = unretold_figures(text, answers, tables)
        if unfounded:
            raise ValueError(f"these figures stand in no agent's answer: {', '.join(unfounded)}")
        if fetches_or_links(text, " ".join(said)):
            raise ValueError("answer has a link, a picture, HTML or an address; write plain text without them")
        return text

    return await ask_model(run.setting.model, messages, ComposerReply, make, stop=run.stop, timeout_s=run.left_s)


def _rows(table: TabularResult) -> list[list[Any]]:
    return [[row.get(name) for name in table.columns] for row in table.rows]


def _as_asked(result: AgentResult, request: AgentRequest) -> AgentResult:
    """Leave out of a result what the request does not ask for: events, tables."""
    dropped: dict[str, Any] = {} if request.trace else {"trace": []}
    if not request.include_data:
        dropped["tabular"] = None
    return result.model_copy(update=dropped) if dropped else result


def _metadata(
    plan: Plan, results: Sequence[AgentResult], chosen: AgentResult | None, composed_by: str
) -> dict[str, Any]:
    decision = plan.decision
    ran = [result for result in results if result.status is not AgentExecutionStatus.skipped]
    assumptions = dict.fromkeys(text for result in results for text in described(result).get("assumptions", ()))
    return {
        "confidence": decision.confidence,
        "agents": list(dict.fromkeys(result.agent for result in ran)),
        "planned_by": "rule" if plan.by_rule else "model",
        "composed_by": composed_by,
        "assumptions": list(assumptions),
        "units": dict(described(chosen).get("units", {})) if chosen else {},
    }
