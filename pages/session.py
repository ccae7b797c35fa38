"""What one visitor's session holds: the assistant, the turns so far, and the question on its way."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import streamlit as st

from ai_engine.agent import OrchestratorResponse
from ai_engine.errors import AssistantError, QueryStopped
from ai_engine.tools import ElicitationResponse
from ai_engine.turns import is_remembered, turn_of
from ai_engine.types import Answer, StepFinished, Turn
from backend.answers.withheld import Basis
from pages import source
from pages.drawing.chat_view import ChatView, view_of
from pages.telling import Telling

if TYPE_CHECKING:
    from ai_engine.routing.messages import AgentResponse, ConversationMessage
    from ai_engine.semantics.intent import Intent
    from backend.chat.door import Chat
    from backend.chat.thread import ChatThread
    from backend.front_desk import FrontDesk
    from backend.orchestration import Orchestrator
    from backend.service import Assistant

_REMEMBERED_TURNS = 10
_WHOLE_TURNS = 2
"""A page of thirty charts and tables takes a browser more than a second to go through at every step."""


@dataclass(frozen=True)
class Exchange:
    """One question with its answer and the steps that led to it; `telling` while a summary is on its way.

    `asked_by` names who asked, where that may be somebody else.
    """

    answer: Answer
    steps: Sequence[StepFinished] = ()
    telling: Telling | None = None
    asked_by: str = ""
    id: str = field(default_factory=lambda: uuid4().hex)


@dataclass(frozen=True)
class Investigation:
    """One question to several agents, with all that came of it."""

    question: str
    response: OrchestratorResponse
    basis: Basis


@dataclass(frozen=True)
class Said:
    """One message to the desks and what came of it; without an answer, `fault` says why."""

    message: str
    basis: Basis
    response: AgentResponse | None = None
    whole: ConversationMessage | None = None
    fault: str = QueryStopped.user_message


def get_assistant() -> Assistant:
    """Return the assistant of the data source that this visitor has chosen, which all visitors share."""
    return source.opened_assistant()


def get_orchestrator() -> Orchestrator:
    """Give the agents the assistant that all visitors share, and open what else they need once."""
    from backend.orchestration import Orchestrator, shared_outside

    return Orchestrator(get_assistant(), shared_outside.get())


def get_front_desk() -> FrontDesk:
    """Give the desks the assistant that all visitors share, and the memory of all of them."""
    from backend.front_desk import open_front_desk, shared_chats

    return open_front_desk(get_orchestrator(), shared_chats.get())


def get_chats() -> ChatThread:
    """Open the supervised chat once for all visitors; as they share it, it asks the first data source only."""
    from backend.chat.opening import open_chat, shared_chat
    from backend.chat.thread import ChatThread, shared_chat_thread
    from backend.mcp.client import shared_tools
    from backend.opening import shared_sources
    from backend.orchestration import default_orchestrator
    from backend.store import shared_store

    def chat() -> Chat:
        history, questions = shared_chat.get()
        return open_chat(default_orchestrator(), history, questions, shared_tools.enabled(), shared_store.get)

    return shared_chat_thread.get(lambda: ChatThread(shared_sources.settings, chat, shared_store.get))


def conversation() -> tuple[str, bool]:
    """Return what this visitor's supervised conversation is called in the store, and whether the address named it."""
    from backend.chat.door import CONVERSATION_ID, kept_as

    named = st.query_params.get("c", "")
    is_named = re.fullmatch(CONVERSATION_ID, named) is not None
    if is_named:
        st.session_state["chat_conversation"] = named
    kept: str = st.session_state.setdefault("chat_conversation", uuid4().hex)
    return kept_as(kept, visitor()), is_named


def name_conversation() -> None:
    """Put the conversation into the page's address, so that it is found again after a restart."""
    st.query_params["c"] = st.session_state["chat_conversation"]


def views() -> list[ChatView]:
    """Return this visitor's supervised messages, oldest first; the list itself, to be added to."""
    if "views" not in st.session_state:
        kept_name, is_named = conversation()
        st.session_state["views"] = _kept_views(kept_name) if is_named else []
    kept: list[ChatView] = st.session_state["views"]
    return kept


def _kept_views(kept_name: str) -> list[ChatView]:
    found: list[ChatView] = []
    messages = get_chats().history(kept_name)
    for place, message in enumerate(messages):
        if message.role == "user":
            after = messages[place + 1] if place + 1 < len(messages) else None
            found.append(view_of(message.content, after if after is not None and after.role == "assistant" else None))
    return found


def stop_chat(request_id: str) -> None:
    """End the request on its way."""
    get_chats().stop(request_id)


def respond(question_id: str, content: Mapping[str, Any] | None, fields: Mapping[str, str]) -> None:
    """Answer a question of the request on its way: with `content`, with what stands in widgets, or not at all.

    Args:
        question_id: the question.
        content: what is answered; None declines, unless there are fields.
        fields: name in the answer to the key of its widget.
    """
    said = {name: st.session_state[key] for name, key in fields.items()} if fields else content
    response = ElicitationResponse("decline" if said is None else "accept", said)
    get_chats().respond(conversation()[0], question_id, response)


def talk() -> list[Said]:
    """Return this visitor's messages to the desks, oldest first; the list itself, to be added to."""
    kept: list[Said] = st.session_state.setdefault("talk", [])
    return kept


def talker() -> tuple[str, str]:
    """Return the ids of this visitor and of the conversation, by which the desks remember."""
    user: str = st.session_state.setdefault("talk_user", f"page-{uuid4().hex}")
    conversation: str = st.session_state.setdefault("talk_session", uuid4().hex)
    return user, conversation


def ask_desk(message: str, desk_id: str) -> None:
    """Put a message on its way to one desk, which stays chosen for the session."""
    st.session_state["assistant"] = desk_id
    ask_next(message)


def investigations() -> list[Investigation]:
    """Return this visitor's investigations, oldest first; the list itself, to be added to."""
    kept: list[Investigation] = st.session_state.setdefault("investigations", [])
    return kept


def may_verify() -> bool:
    """Tell whether this visitor may mark answers as verified."""
    return get_assistant().verified.permissions.allow(visitor())


def may_read_prompts() -> bool:
    """Tell whether this visitor may see what the language model was asked and replied."""
    from backend.configuration.people import is_among, people_in

    return is_among(people_in(get_assistant().settings.prompt_readers), visitor())


def verify(answer: Answer, key: str) -> None:
    """Mark an answer as verified; what came of it is told beside it."""
    book = get_assistant().verified
    try:
        kept = book.verify(answer, visitor())
        told = "Verified." if kept.state == "verified" else "Kept; a second person must confirm it."
    except AssistantError as fault:
        told = fault.user_message
    st.session_state[f"told_{key}"] = told


def retract(answer: Answer, key: str) -> None:
    """Take the verified answer that was used here out of use, for everybody."""
    try:
        if answer.verified is not None:
            get_assistant().verified.retract(answer.verified.id, visitor())
        told = "Retracted. Ask again for a new answer."
    except AssistantError as fault:
        told = fault.user_message
    st.session_state[f"told_{key}"] = told


def told_of_verifying(key: str) -> str:
    """Return what came of the last such click beside an answer."""
    told: str = st.session_state.get(f"told_{key}", "")
    return told


def visitor() -> str:
    """Name who sits before this page; see `who_asks`."""
    from backend.api.verified import who_asks

    return who_asks(st.context.headers, get_assistant().settings)


def exchanges() -> list[Exchange]:
    """Return this visitor's conversation, oldest first; the list itself, to be added to."""
    kept: list[Exchange] = st.session_state.setdefault("exchanges", [])
    return kept


def key_of(exchange: Exchange, place: int) -> str:
    """Name the widgets of a turn by its place; another turn that comes into that place gets a name of its own.

    Else it would take over what was typed, opened and told beside the one before: "Verified.", for example.
    """
    seen: dict[int, list[str]] = st.session_state.setdefault("turns_in_place", {})
    turns = seen.setdefault(place, [])
    if exchange.id not in turns:
        turns.append(exchange.id)
    before = turns.index(exchange.id)
    return f"{place}v{before}" if before else str(place)


def settle(past: list[Exchange]) -> None:
    """Put the answers of summaries that have ended in the place of those that were shown meanwhile."""
    for place, item in enumerate(past):
        if item.telling is not None and item.telling.answer is not None:
            past[place] = replace(item, answer=item.telling.answer, telling=None)


def stop_telling(past: list[Exchange]) -> None:
    """End every summary that is on its way; what rules told stands."""
    for item in past:
        if item.telling is not None:
            item.telling.stop()
    settle(past)


def history(past: list[Exchange]) -> list[Turn]:
    """Return what a follow-up question may refer to."""
    understood = [item.answer for item in past if is_remembered(item.answer)]
    return [turn_of(answer) for answer in understood[-_REMEMBERED_TURNS:]]


def last_rows(past: list[Exchange]) -> Answer | None:
    """Return the last answer that had rows, which "show as a pie" is about."""
    return next((item.answer for item in reversed(past) if item.answer.result is not None), None)


def ask_next(question: str, context: Mapping[str, Any] | None = None) -> None:
    """Put a question on its way, as a click on a suggestion does; `context` says what was confirmed with the click."""
    st.session_state["next_question"] = question
    st.session_state["next_context"] = dict(context or {})


@dataclass(frozen=True, slots=True)
class Settled:
    """A reading that a click has settled, what was assumed with it and what it was made of; see `ask_settled`."""

    reading: Intent | str
    assumptions: tuple[str, ...]
    derived_from: str
    anew: bool


def ask_settled(
    question: str,
    reading: Intent | str,
    assumptions: Sequence[str] = (),
    *,
    derived_from: str = "",
    anew: bool = False,
) -> None:
    """Put a settled reading on its way, which no model reads again: an intent, or an analyst's own statement.

    `derived_from` is the `question_id` of the answer that a click has changed into it; `anew` has statements run whose
    results are kept.
    """
    ask_next(question)
    st.session_state["next_reading"] = Settled(reading, tuple(assumptions), derived_from, anew)


def take_reading() -> Settled | None:
    """Return the settled reading of this run's question, once."""
    settled: Settled | None = st.session_state.pop("next_reading", None)
    return settled


def take_context() -> dict[str, Any]:
    """Return what was confirmed for the question of this run, once."""
    confirmed: dict[str, Any] = st.session_state.pop("next_context", {})
    return confirmed


def take_question(typed: str | None) -> str | None:
    """Return the question to answer in this run, once."""
    clicked: str | None = st.session_state.pop("next_question", None)
    return clicked or (typed if typed and typed.strip() else None)


def question_waits() -> bool:
    """Tell whether a click has put a question on its way that no run has taken up: one inside a fragment."""
    return "next_question" in st.session_state


def first_whole_turn(turns: int) -> int:
    """Return where the turns begin that are shown whole: the last few, or all where somebody asked for them."""
    return 0 if st.session_state.get("all_whole") else max(0, turns - _WHOLE_TURNS)


def show_all_whole() -> None:
    """Show every turn of this conversation whole."""
    st.session_state["all_whole"] = True


def forget() -> None:
    """Start a new conversation, new investigations, and with desks that remember nothing."""
    stop_telling(exchanges())
    st.session_state["exchanges"] = []
    st.session_state["all_whole"] = False
    st.session_state["investigations"] = []
    st.session_state["talk"] = []
    st.session_state["assistant"] = None
    st.session_state.pop("talk_session", None)
    for key in ("views", "chat_conversation", "chat_running"):
        st.session_state.pop(key, None)
    st.query_params.clear()
