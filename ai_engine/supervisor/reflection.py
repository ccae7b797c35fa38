"""The reflect node: is what was found an answer, is more needed, or does nothing lead on?"""

from __future__ import annotations

import json

from langgraph.runtime import Runtime
from pydantic import BaseModel, ConfigDict, Field

from ai_engine.context.actions import Action
from ai_engine.errors import DeadlineExceeded, ModelFailed, QueryStopped
from ai_engine.insight import unretold_figures
from ai_engine.orchestrator.model_call import ask_model
from ai_engine.prompts.loader import load_prompt
from ai_engine.supervisor.setting import SupervisorRun
from ai_engine.supervisor.state import ChatState, Recommendation, Reflection

QUESTIONS_BACK = frozenset({"ClarificationNeeded", "InputMissing"})
"""Kinds of failure by which an operator asks the person something."""
_MOST_ISSUES = 5
_ISSUE_CHARS = 200
_ENDS = frozenset({QueryStopped.__name__, DeadlineExceeded.__name__})


class ReflectionReply(BaseModel):
    """What the model replies."""

    model_config = ConfigDict(extra="ignore")

    recommendation: Recommendation
    quality_score: float = Field(ge=0, le=1)
    is_complete: bool
    issues: list[str] = Field(default_factory=list)


async def reflect(state: ChatState, runtime: Runtime[SupervisorRun]) -> ChatState:
    """Judge the results of this turn; what a model recommends counts where there is a choice.

    Raises:
        QueryStopped: the person wants no more.
    """
    run = runtime.context
    by_rule = _by_rule(state, run)
    if run.model is None or not _is_open(state, run):
        return {"reflection": by_rule}
    try:
        return {"reflection": await _by_model(state, run)}
    except ModelFailed:
        return {"reflection": by_rule}


def _by_rule(state: ChatState, run: SupervisorRun) -> Reflection:
    """Judge by how the last action ended, and by whether there is another way."""
    last = state["actions"].actions[-1]
    if last.outcome != "failed":
        missing = tuple(dict.fromkeys(text for entry in state["results"] for text in entry.result.missing))
        return Reflection("satisfied", 0.5 if missing else 1.0, not missing, missing)
    issues = (last.message,)
    if _can_go_on(last, state, run):
        return Reflection("need_more", 0.0, False, issues)
    if len(state["results"]):
        return Reflection("satisfied", 0.5, False, issues)
    return Reflection("blocked", 0.0, False, issues)


def _is_open(state: ChatState, run: SupervisorRun) -> bool:
    """Whether there is anything to recommend: time and a round are left, and the last action brought something new."""
    last = state["actions"].actions[-1]
    if run.is_over or state["iteration"] >= run.setting.limits.max_iterations:
        return False
    return last.kind not in _ENDS | QUESTIONS_BACK and last.outcome != "repeated"


async def _by_model(state: ChatState, run: SupervisorRun) -> Reflection:
    """Ask the model.

    Raises:
        ModelFailed: no usable judgement.
        QueryStopped: the person wants no more.
    """
    assert run.model is not None, "asked only where there is one"  # noqa: S101

    def make(reply: ReflectionReply) -> Reflection:
        if reply.recommendation == "satisfied" and not len(state["results"]):
            raise ValueError("nothing was found, so it is not satisfied")
        issues = tuple(text for one in reply.issues[:_MOST_ISSUES] if (text := " ".join(one.split())[:_ISSUE_CHARS]))
        unfounded = unretold_figures(" ".join(issues), [run.message, state["observations"]], [])
        if unfounded:
            raise ValueError(f"issues have figures that were found nowhere: {', '.join(unfounded)}")
        return Reflection(reply.recommendation, reply.quality_score, reply.is_complete, issues)

    actions = [json.dumps(action.as_told(), ensure_ascii=False) for action in state["actions"]]
    messages = load_prompt("reflect").fill(
        message=run.message, actions="\n".join(actions), found=state["observations"] or "(nothing)"
    )
    timeout_s = min(run.setting.limits.model_timeout_s, run.left_s)
    return await ask_model(run.model, messages, ReflectionReply, make, stop=run.stop, timeout_s=timeout_s)


def _can_go_on(last: Action, state: ChatState, run: SupervisorRun) -> bool:
    """Whether there is something else to try, and time for it."""
    if run.is_over or last.kind in _ENDS or last.kind in QUESTIONS_BACK:
        return False
    has_another_way = bool(state["alternatives"]) or run.model is not None
    return has_another_way and state["iteration"] < run.setting.limits.max_iterations
