"""The nodes of the response sub-flow: what was found put together, written up, and sent piece by piece."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace
from typing import Any

from langgraph.runtime import Runtime

from ai_engine.events import EventType
from ai_engine.model_use import said_of_budget
from ai_engine.operators.base import Citation, OperatorFailed, OperatorResult
from ai_engine.operators.calling import call_operator
from ai_engine.operators.links import defused
from ai_engine.supervisor.setting import SupervisorRun
from ai_engine.supervisor.state import ChatState, Response

_SYNTHESIZER, _WRITER = "synthesizer", "writer"
_PIECE = re.compile(r".{1,79}(?:\s+|\Z)|\S{1,79}", re.DOTALL)


async def synthesize(state: ChatState, runtime: Runtime[SupervisorRun]) -> ChatState:
    """Have one text made of several results; where that fails they are told one after the other."""
    return {"synthesis": await _written(_SYNTHESIZER, state, runtime.context)}


async def write(state: ChatState, runtime: Runtime[SupervisorRun]) -> ChatState:
    """Write the response, and behind it what could not be done."""
    response = state["response"] if "response" in state else await _response(state, runtime.context)
    due = said_of_budget(response.text)
    return {"response": replace(response, text=f"{response.text}\n\n{due}" if due else response.text)}


async def _response(state: ChatState, run: SupervisorRun) -> Response:
    decision, entries = state["decision"], state["results"].entries
    results = [entry.result for entry in entries]
    citations = tuple(dict.fromkeys(one for result in results for one in result.citations))
    if decision.action == "ANSWER" and decision.response:
        return Response(decision.response, "answered", citations)
    whole = state["synthesis"]
    if whole is None and run.model is not None and not all(result.text for result in results):
        whole = await _written(_WRITER, state, run)
    text = whole.text if whole is not None else "\n\n".join(result.text for result in results if result.text)
    told = () if whole is None else whole.missing
    missing = tuple(dict.fromkeys([*told, *(gap for result in results for gap in result.missing), *_gaps(state)]))
    unsaid = [gap for gap in missing if gap not in told and gap not in text]
    assumed = [] if whole is not None else _assumptions(results)
    text += _listed("Assumed", [one for one in assumed if one not in text]) + _listed("Not done", unsaid)
    return Response(text, "partial" if missing else "answered", citations, missing)


def _assumptions(results: Sequence[OperatorResult]) -> list[str]:
    """Return what operators assumed, each once."""
    told = [result.metadata.get("assumptions") or () for result in results]
    return list(dict.fromkeys(str(text) for one in told if isinstance(one, (list, tuple)) for text in one))


def _listed(heading: str, sentences: Sequence[str]) -> str:
    return f"\n\n{heading}:" + "".join(f"\n- {one}" for one in sentences) if sentences else ""


async def _written(operator: str, state: ChatState, run: SupervisorRun) -> OperatorResult | None:
    """Have an operator write about the results of this turn; None where there is none, or it failed."""
    if operator not in state["available"] or run.is_over:
        return None
    timeout_s = min(run.setting.limits.operator_timeout_s, run.left_s)
    try:
        return await call_operator(operator, run.message, {}, run.caller(state), timeout_s=timeout_s)
    except OperatorFailed:
        return None


def _gaps(state: ChatState) -> tuple[str, ...]:
    """Say what failed, where the reflection found the answer incomplete."""
    reflection = state.get("reflection")
    if reflection is None or reflection.is_complete:
        return ()
    failed = [one.message for one in state["actions"] if one.outcome == "failed"]
    return tuple(dict.fromkeys(failed)) or reflection.issues


async def stream(state: ChatState, runtime: Runtime[SupervisorRun]) -> ChatState:
    """Send the response in pieces, then how it ended."""
    run, response = runtime.context, state["response"]
    for piece in pieces_of(defused(response.text)):
        run.tell(EventType.RESPONSE_CHUNK, content=piece)
    run.tell(
        EventType.RESPONSE_DONE,
        status=response.status,
        action=_action(state),
        tools=_tools(state),
        citations=[_cited(one) for one in response.citations],
        missing=list(response.missing),
        elapsed_ms=round((time.monotonic() - run.started) * 1_000, 3),
    )
    return {}


def _cited(place: Citation) -> dict[str, Any]:
    """Write a place; that a document is the bank's own needs no word."""
    return {name: value for name, value in asdict(place).items() if name != "server" or value}


def pieces_of(text: str) -> Iterator[str]:
    """Cut a text between words; together the pieces are the text."""
    return (found.group() for found in _PIECE.finditer(text))


def _action(state: ChatState) -> str:
    """Name what was done: a question back is one, whoever asks it."""
    return "clarify" if state["response"].status == "clarify" else state["actions"].actions[-1].action


def _tools(state: ChatState) -> list[str]:
    """Name the operators that were called, each once, in order."""
    steps = [entry.operator for entry in state["results"]]
    return list(dict.fromkeys([*state["actions"].operators_tried(), *steps]))
