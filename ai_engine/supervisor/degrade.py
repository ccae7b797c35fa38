"""The nodes that end without an answer: a question back, and what can be said where nothing leads on."""

from __future__ import annotations

import uuid
from collections.abc import Sequence

from langgraph.runtime import Runtime

from ai_engine.context.actions import Action
from ai_engine.errors import QueryStopped
from ai_engine.events import EventType
from ai_engine.supervisor.decision import REPHRASE
from ai_engine.supervisor.reflection import QUESTIONS_BACK
from ai_engine.supervisor.setting import SupervisorRun
from ai_engine.supervisor.state import ChatState, Response

_MOST_OFFERS = 8


async def clarify(state: ChatState, runtime: Runtime[SupervisorRun]) -> ChatState:
    """Ask the person; the next message of the conversation answers."""
    decision = state["decision"]
    return {"response": _asked(decision.question or REPHRASE, decision.choices, runtime.context)}


async def handle_blocked(state: ChatState, runtime: Runtime[SupervisorRun]) -> ChatState:
    """Pass an operator's question on; otherwise say what could not be done, and why."""
    run, last = runtime.context, state["actions"].actions[-1]
    if last.kind == QueryStopped.__name__ or run.stop.is_set():
        return {"response": Response(QueryStopped.user_message, "stopped")}
    if last.kind in QUESTIONS_BACK:
        return {"response": _asked(last.message, _offers(last, "choices"), run)}
    told = dict.fromkeys(action.message for action in state["actions"] if action.outcome == "failed")
    first = next(action for action in state["actions"] if action.outcome == "failed")
    text = first.message + _listed(_offers(first, "suggestions"))
    return {"response": Response(text, "blocked", missing=tuple(told))}


def _asked(question: str, choices: Sequence[str], run: SupervisorRun) -> Response:
    told = {"choices": list(choices)} if choices else {}
    run.tell(EventType.CLARIFY_REQUEST, question=question, id=uuid.uuid4().hex, **told)
    return Response(question + _listed(choices), "clarify")


def _offers(action: Action, name: str) -> tuple[str, ...]:
    return tuple(str(one) for one in action.details.get(name, ()))[:_MOST_OFFERS]


def _listed(offers: Sequence[str]) -> str:
    return "".join(f"\n- {offer}" for offer in offers)
