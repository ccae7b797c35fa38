"""The plan without a model: the words of a question choose; claims share out its parts, and break ties.

A question of one part goes to those whose keywords it has, by the documented rule and nothing else. One without any is
a tie of all, which the claims decide. Of several parts each goes to whoever claims it.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass

from ai_engine.agent import Agent, AgentRequest, AgentRun
from ai_engine.errors import AssistantError, QueryStopped
from ai_engine.orchestrator.keywords import keyword_candidates, score
from ai_engine.orchestrator.parts import Share, is_sure, share_out
from ai_engine.orchestrator.referents import THAT_RATE, claim_with_stand_ins, rate_to_look_up
from ai_engine.orchestrator.setting import OrchestratorRun

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Step:
    """One agent's work on one part of the question, which stands alone."""

    agent: str
    question: str


class _Claims:
    """What the agents say of the parts, each asked once."""

    def __init__(self, request: AgentRequest, run: OrchestratorRun, agents: Sequence[Agent]) -> None:
        self._agents = {agent.name: agent for agent in agents}
        self._request = request
        self._run = run
        self._said: dict[tuple[str, str], float | None] = {}

    def __call__(self, name: str, part: str) -> float | None:
        key = (name, part)
        if key not in self._said:
            self._said[key] = self._ask(self._agents[name], part)
        return self._said[key]

    def _ask(self, agent: Agent, part: str) -> float | None:
        if self._run.stop.is_set():
            raise QueryStopped
        caller = self._run.caller(self._request)
        run = AgentRun(
            agent.name, caller.whole_question, lambda _: None, caller.stop, self._run.deadline, caller.model,
            caller.services,
        )  # fmt: skip
        looks_up = agent.capabilities.default and run.model is None
        try:
            return claim_with_stand_ins(part, lambda text: agent.claim(text, run), looks_up=looks_up)
        except QueryStopped:
            raise
        except AssistantError:
            return None
        except Exception:  # noqa: BLE001 - an agent's fault is no fault of the plan
            _log.exception("agent %s cannot say whether a question is its own", agent.name)
            return None


@dataclass(frozen=True, slots=True)
class Shared:
    """What came of the sharing.

    Attributes:
        steps: who works on what.
        left_out: parts that nobody works on, because whoever does them may not.
        owner: who claims the whole of a question that went by its words; asked when none of those can answer.
    """

    steps: tuple[Step, ...]
    left_out: tuple[Step, ...] = ()
    owner: Step | None = None


def shared_steps(
    request: AgentRequest, run: OrchestratorRun, permitted: Sequence[Agent], candidates: tuple[str, ...]
) -> Shared:
    """Share a question out; blocks.

    Candidates without a part of their own stay when they cannot tell whether they have one.
    """
    available = run.setting.available
    claims = _Claims(request, run, available)
    shares = _shares(request, available, claims)
    names = {agent.name for agent in permitted}
    if all(share.agent is None for share in shares):
        return Shared(tuple(Step(name, request.question) for name in candidates))
    if len(shares) == 1 and any(score(request.question, agent.capabilities.keywords) for agent in available):
        owner = _step(shares[0], permitted, candidates, claims)
        return Shared(
            tuple(Step(name, request.question) for name in candidates), owner=owner if owner.agent in names else None
        )
    steps: list[Step] = []
    left_out: list[Step] = []
    for share in shares:
        step = _step(share, permitted, candidates, claims)
        (steps if step.agent in names else left_out).append(step)
    undecided = [
        Step(name, request.question)
        for name in candidates
        if name not in {step.agent for step in steps} and claims(name, request.question) is None
    ]
    preferred = {name: place for place, name in enumerate(request.prefer_agents)}
    ordered = sorted([*steps, *undecided], key=lambda step: preferred.get(step.agent, len(preferred)))
    return Shared(tuple(ordered), tuple(left_out))


def _shares(request: AgentRequest, agents: Sequence[Agent], claims: _Claims) -> tuple[Share, ...]:
    """Share the question out; a rate that another agent looks up ("at today's home loan rate") comes first.

    It does where a calculation takes it, so that no other agent's part loses words.
    """
    names = _asked_in_order(agents, request.prefer_agents)
    phrase = rate_to_look_up(request.question)
    outside = (agent.name for agent in agents if agent.capabilities.works_on == "outside")
    asked = next((name for name in outside if phrase and is_sure(claims(name, phrase))), None)
    if phrase is not None and asked is not None:
        calculating = {agent.name for agent in agents if agent.capabilities.reads}
        shares = share_out(request.question.replace(phrase, THAT_RATE), names, claims)
        if all(share.agent in calculating for share in shares if THAT_RATE in share.part):
            return (Share(phrase, asked), *shares)
    return share_out(request.question, names, claims)


def _asked_in_order(agents: Sequence[Agent], prefer: Sequence[str]) -> tuple[str, ...]:
    """Preferred agents first; last those that take what nobody else does."""
    ranked = sorted(agents, key=lambda agent: (agent.name not in prefer, agent.capabilities.default))
    return tuple(agent.name for agent in ranked)


def _step(share: Share, permitted: Sequence[Agent], candidates: tuple[str, ...], claims: _Claims) -> Step:
    """Give a part that nobody is sure of to whom words speak for, the one of them that claims most of it."""
    if share.agent is not None:
        return Step(share.agent, share.part)
    names = (*keyword_candidates(share.part, permitted), *candidates, permitted[0].name)
    return Step(max(names, key=lambda name: claims(name, share.part) or 0.0), share.part)
