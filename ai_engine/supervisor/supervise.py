"""The supervisor node: thinks about the message and what was found until now, and decides what to do next."""

from __future__ import annotations

from langgraph.runtime import Runtime

from ai_engine.agent import in_thread
from ai_engine.context.actions import Action
from ai_engine.errors import QueryStopped
from ai_engine.events import EventType
from ai_engine.supervisor.decision import SupervisorDecision
from ai_engine.supervisor.model_choice import choose_by_model
from ai_engine.supervisor.observation import judged_anew
from ai_engine.supervisor.resumption import interrupted_workflow
from ai_engine.supervisor.rule_choice import choose_by_rule
from ai_engine.supervisor.setting import SupervisorRun
from ai_engine.supervisor.state import ChatState, Choice, Response
from ai_engine.supervisor.wishes import declined_choice

_TOLD = {
    "answer": "I answer",
    "call_tool": "I ask {operator}",
    "workflow": "I make a plan",
    "clarify": "I ask back",
}


async def supervisor(state: ChatState, runtime: Runtime[SupervisorRun]) -> ChatState:
    """Decide.

    Raises:
        QueryStopped: the person wants no more.
    """
    run, iteration = runtime.context, state["iteration"] + 1
    if run.stop.is_set():
        raise QueryStopped
    thought = "Reading your message" if iteration == 1 else "Looking for another way"
    run.tell(EventType.SUPERVISOR_THINKING, message=f"{thought}…", iteration=iteration)
    judged = await judged_anew(state, run)
    choice, *alternatives = await _decided({**state, **judged}, run)
    decision = choice.decision
    action = Action(
        action=decision.name,
        reasoning=decision.reasoning,
        iteration=iteration,
        operator=decision.operator if decision.action == "CALL_TOOL" else None,
        query=decision.query(run.message),
        params=decision.params or {},
        withheld=choice.withheld,
    )
    leans = choice.withheld or choice.resumes is not None
    offers = {"offers": True} if choice.offers else {}
    run.tell(EventType.SUPERVISOR_DECIDED, **_told(decision), leans=leans, **offers, iteration=iteration)
    response: ChatState = {"response": Response(str(decision.response), "blocked")} if choice.declines else {}
    return {
        **response,
        **judged,
        "iteration": iteration,
        "decision": decision,
        "filled": choice.filled,
        "resumes": choice.resumes,
        "alternatives": tuple(alternatives),
        "actions": state["actions"].adding(action),
    }


async def _decided(state: ChatState, run: SupervisorRun) -> tuple[Choice, ...]:
    """Return the decision and, where rules decide, what comes next; with a model in reach it decides each time anew."""
    going_on = await interrupted_workflow(run) if state["iteration"] == 0 else None
    if going_on is not None:
        return (going_on,)
    if run.model is not None:
        if state["iteration"] == 0 and not state["tool_summaries"]:
            declined = await in_thread(declined_choice, run, state["memory"].messages)
            if declined is not None:
                return (declined,)
        choice = await choose_by_model(state, run)
        if choice is not None:
            return (choice,)
    return state["alternatives"] or await choose_by_rule(state, run)


def _told(decision: SupervisorDecision) -> dict[str, str]:
    operator = decision.operator if decision.action == "CALL_TOOL" else None
    message = f"{_TOLD[decision.name].format(operator=operator)}."
    told = {"action": decision.name, "message": message, "reasoning": decision.reasoning}
    return told | ({"operator": operator} if operator else {})
