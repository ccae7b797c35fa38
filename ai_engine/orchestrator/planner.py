"""Chooses and orders the agents: by their keywords and preferences, then by one question to the model or by rule."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from pydantic import BaseModel, ConfigDict

from ai_engine.agent import Agent, AgentRequest, PlannerDecision, in_thread
from ai_engine.errors import ModelFailed
from ai_engine.insight import unsaid_figures
from ai_engine.operators.links import fetches_or_links
from ai_engine.orchestrator.keywords import keyword_candidates
from ai_engine.orchestrator.model_call import ask_model
from ai_engine.orchestrator.setting import OrchestratorRun
from ai_engine.orchestrator.sharing import Step, shared_steps
from ai_engine.prompts.loader import Messages, load_prompt

FALLBACK_CONFIDENCE = 0.4
_LONGEST_RATIONALE_CHARS = 600
_CHOSEN = "The language model chose these agents."


class PartReply(BaseModel):
    """One part of the question, worded to stand alone, and the agent that does it."""

    model_config = ConfigDict(extra="ignore")

    agent: str
    question: str


class PlannerReply(BaseModel):
    """What the model replies; `parts` is null where each agent gets the whole question."""

    model_config = ConfigDict(extra="ignore")

    agents: list[str]
    rationale: str
    confidence: float
    parts: list[PartReply] | None = None


@dataclass(frozen=True, slots=True)
class Plan:
    """What will be done.

    Attributes:
        steps: the agents' work in order; one agent may have several parts.
        candidates: those the keywords and preferences proposed.
        left_out: parts for which nobody may work.
        by_rule: the model did not plan.
        fallback: why it did not though there is one, None when it did or there is none.
        owner: who claims the whole question, see `sharing.Shared`.
    """

    decision: PlannerDecision
    steps: tuple[Step, ...]
    candidates: tuple[str, ...] = ()
    left_out: tuple[Step, ...] = ()
    by_rule: bool = True
    fallback: str | None = None
    owner: Step | None = None

    @property
    def reserve(self) -> Step | None:
        """Who is asked when nobody of the plan could answer."""
        return None if self.owner in self.steps else self.owner


async def make_plan(request: AgentRequest, run: OrchestratorRun) -> Plan:
    """Decide who works on what.

    Raises:
        QueryStopped: the person wants no more.
    """
    available = run.setting.available
    permitted = tuple(agent for agent in available if _may_work(agent, request))
    barred = _names(set(available) - set(permitted))
    found = apply_preferences(keyword_candidates(request.question, available), request.prefer_agents, barred)
    candidates = found or keyword_candidates(request.question, permitted)
    if not permitted:
        rationale = "Every agent that could work is switched off or lacks what it needs."
        return _bounded(Plan(_decision(rationale, (), None), ()), request, available)
    fallback = None
    if run.setting.model is not None:
        try:
            plan = await _planned_by_model(request, run, permitted, candidates)
        except ModelFailed as fault:
            fallback = str(fault)
        else:
            return _bounded(plan, request, available)
    shared = await in_thread(shared_steps, request, run, permitted, candidates)
    decision = _decision(_told(shared.steps, shared.left_out, fallback), shared.steps, FALLBACK_CONFIDENCE)
    plan = Plan(decision, shared.steps, candidates, shared.left_out, fallback=fallback, owner=shared.owner)
    return _bounded(plan, request, available)


def apply_preferences(candidates: Iterable[str], prefer: Sequence[str], disable: Iterable[str]) -> tuple[str, ...]:
    """Put preferred candidates first, in the order of preference, and leave disabled ones out."""
    disabled = set(disable)
    kept = [name for name in candidates if name not in disabled]
    return tuple(dict.fromkeys([*(name for name in prefer if name in kept), *kept]))


def _may_work(agent: Agent, request: AgentRequest) -> bool:
    return agent.name not in request.disable_agents and not _missing(agent, request)


def _missing(agent: Agent, request: AgentRequest) -> list[str]:
    return [key for key in agent.capabilities.needs_context if key not in request.context]


async def _planned_by_model(
    request: AgentRequest, run: OrchestratorRun, permitted: Sequence[Agent], candidates: tuple[str, ...]
) -> Plan:
    """Ask the model once; it may drop, reorder and add, but nobody who is disabled or unknown."""
    assert run.setting.model is not None, "asked only where there is one"  # noqa: S101
    names = _names(permitted)

    def make(reply: PlannerReply) -> Plan:
        chosen = tuple(dict.fromkeys(name for name in _lowered(reply.agents) if name in names))
        if not chosen:
            raise ValueError(f"agents must name at least one of: {', '.join(names)}")
        steps = tuple(Step(name, part) for name in chosen for part in _parts_of(name, reply, request.question))
        if not all(_is_of(step.question, request.question) for step in steps):
            raise ValueError("parts have figures or an address that the question has not; keep to those it has")
        rationale = reply.rationale if _is_of(reply.rationale, request.question) else _CHOSEN
        return Plan(_decision(rationale, steps, _normal(reply.confidence)), steps, candidates, by_rule=False)

    timeout_s = min(run.setting.limits.planner_timeout_s, run.left_s)
    messages = _messages(request, permitted, candidates)
    return await ask_model(run.setting.model, messages, PlannerReply, make, stop=run.stop, timeout_s=timeout_s)


def _messages(request: AgentRequest, permitted: Sequence[Agent], candidates: tuple[str, ...]) -> Messages:
    return load_prompt("plan").fill(
        question=request.question,
        context_keys=", ".join(sorted(request.context)) or "(none)",
        agents="\n".join(_described(agent) for agent in permitted),
        preferred=", ".join(request.prefer_agents) or "(none)",
        candidates=", ".join(candidates) or "(none)",
        disabled=", ".join(request.disable_agents) or "(none)",
    )


def _described(agent: Agent) -> str:
    examples = "; ".join(agent.capabilities.examples)
    reads = " Reads the results of agents before it." if agent.capabilities.reads else ""
    return f"{agent.name}: {agent.description}{reads}{f' Such as: {examples}' if examples else ''}"


def _parts_of(name: str, reply: PlannerReply, whole: str) -> list[str]:
    parts = [part.question.strip() for part in reply.parts or () if part.agent.strip().lower() == name]
    return list(dict.fromkeys(part for part in parts if part)) or [whole]


def _is_of(text: str, question: str) -> bool:
    """Tell whether a model's words have no figure and no address that the question has not: agents take them for it."""
    return not unsaid_figures(text, [question]) and not fetches_or_links(text, question)


def _normal(confidence: float) -> float:
    """Bring a confidence, which models also give in percent, between 0 and 1."""
    return min(max(confidence / 100 if 1 < confidence <= 100 else confidence, 0.0), 1.0)


def _decision(rationale: str, steps: Iterable[Step], confidence: float | None) -> PlannerDecision:
    return PlannerDecision(
        rationale=" ".join(rationale.split())[:_LONGEST_RATIONALE_CHARS],
        chosen_agents=tuple(dict.fromkeys(step.agent for step in steps)),
        confidence=confidence,
    )


def _told(steps: Sequence[Step], left_out: Sequence[Step], fallback: str | None) -> str:
    parts = [f"{step.agent} for “{step.question}”" for step in steps]
    missing = [f"“{step.question}” is left out, as {step.agent} is not there" for step in left_out]
    why = "The language model gave no plan; by" if fallback else "By"
    return f"{why} the words of the question: {'; '.join([*parts, *missing])}."


def _bounded(plan: Plan, request: AgentRequest, available: Sequence[Agent]) -> Plan:
    """Keep to `max_turns`, and note every constraint that was applied."""
    most = len(plan.steps) if request.max_turns is None else max(request.max_turns, 0)
    steps, beyond = plan.steps[:most], plan.steps[most:]
    missing = {agent.name: keys for agent in available if (keys := _missing(agent, request))}
    guardrails: dict[str, Any] = {
        "disabled_agents": list(request.disable_agents),
        "preferred_agents": list(request.prefer_agents),
        "missing_context": missing,
        "max_turns": request.max_turns,
        "not_run": [step.agent for step in beyond],
    }
    applied = {name: value for name, value in guardrails.items() if value not in ([], {}, None)}
    decision = plan.decision.model_copy(update={"guardrails": applied})
    may_ask_more = request.max_turns is None or len(steps) < request.max_turns
    owner = plan.owner if may_ask_more or plan.owner in steps else None
    return replace(plan, decision=decision, steps=steps, left_out=(*plan.left_out, *beyond), owner=owner)


def _names(agents: Iterable[Agent]) -> tuple[str, ...]:
    return tuple(agent.name for agent in agents)


def _lowered(names: Iterable[str]) -> list[str]:
    return [name.strip().lower() for name in names]
