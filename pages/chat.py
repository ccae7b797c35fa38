"""A conversation with the supervisor; or with the bank's desks, where the front desk sends each message to one."""

from __future__ import annotations

from collections.abc import Generator
from typing import TYPE_CHECKING, Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from ai_engine.errors import AssistantError
from backend.answers.withheld import Basis
from backend.http.life_cycle import shared_page_work
from pages import session
from pages.drawing.chat_view import ChatView
from pages.drawing.desk import draw_said, follow_desk
from pages.drawing.escaping import as_html
from pages.drawing.question import draw_question
from pages.drawing.source import draw_first_only
from pages.drawing.style import apply_style, scroll_to_turn
from pages.drawing.welcome import draw_heading, draw_questions, offer_fresh_start, opened
from pages.session import Said
from pages.supervised import draw_beginning, draw_conversation, list_tools, offer_tools
from pages.withheld import withhold_talk, withhold_views

if TYPE_CHECKING:
    from backend.front_desk import FrontDesk

_MOST_EXAMPLES = 5
_FRONT_DESK = "front-desk"
_SUPERVISOR = "supervisor"


def show() -> None:
    """Draw the whole screen."""
    apply_style()
    heading = draw_heading()
    welcome = st.empty()
    choosing = st.container(key="choosing")
    turns = st.container(key="turns")
    with st.container(key="ask"):
        is_supervised = st.session_state.get("assistant") in {None, _SUPERVISOR}
        invitation = "Ask, or say what should be done" if is_supervised else "Ask the bank's desks"
        typed = st.chat_input(invitation, key="message", submit_mode="disable")
    desk = opened(session.get_front_desk, "the desks", welcome)
    if desk is None:
        return
    with choosing:
        with st.container(horizontal=True, vertical_alignment="center"):
            chosen = _choose_assistant(desk)
            shows_tools = chosen == _SUPERVISOR and offer_tools()
        if shows_tools:
            list_tools()
    if chosen == _SUPERVISOR:
        draw_first_only()
        _show_supervised(heading, welcome, turns, typed)
        return
    past, assistant = session.talk(), session.get_assistant()
    withhold_talk(past, assistant)
    message = session.take_question(typed)
    if past or message is not None:
        welcome.empty()
        with heading:
            offer_fresh_start()
    else:
        with welcome.container():
            _draw_examples(desk)
    with turns:
        for place, said in enumerate(past):
            with _turn(place, said.message):
                st.empty()  # where scrolling
                st.empty()  # and progress were
                draw_said(said, _others(desk), f"c{place}", last=place == len(past) - 1 and message is None)
        if message is not None:
            with _turn(len(past), message):
                _run(desk, message, chosen, past, Basis.of(assistant))


def _show_supervised(
    heading: DeltaGenerator, welcome: DeltaGenerator, turns: DeltaGenerator, typed: str | None
) -> None:
    """Draw the conversation with the supervisor, or why there is none."""
    message = session.take_question(typed)
    past = opened(_judged_views, "the conversation", welcome)
    if past is None:
        return
    if past or message is not None:
        welcome.empty()
        with heading:
            offer_fresh_start()
    else:
        with welcome.container():
            draw_beginning()
    with turns:
        draw_conversation(message)


def _judged_views() -> list[ChatView]:
    views = session.views()
    withhold_views(views)
    return views


def _choose_assistant(desk: FrontDesk) -> str:
    """Offer who is asked: the front desk, or one desk directly; kept for the session."""
    names = {
        _SUPERVISOR: "Supervisor",
        _FRONT_DESK: "Front desk",
        **{agent.id: agent.name for agent in desk.squad.agents.values()},
    }
    if st.session_state.get("assistant") not in names:
        st.session_state["assistant"] = _SUPERVISOR
    return str(
        st.selectbox(
            "Assistant", list(names), format_func=names.__getitem__, key="assistant", label_visibility="collapsed",
            width=240,
        )
    )  # fmt: skip


def _others(desk: FrontDesk) -> dict[str, str]:
    return {agent.id: agent.name for agent in desk.squad.agents.values() if agent is not desk.squad.default_agent}


def _draw_examples(desk: FrontDesk) -> None:
    names = as_html(", ".join(_others(desk).values()))
    st.html(
        '<h2 class="ba-lead">Who can help?</h2><p class="ba-muted">Just type: the front desk sends each message to '
        f"the desk that answers it, and you see which one and why. {names} each remember their own part.</p>"
    )
    firsts = [agent.examples[0] for agent in desk.squad.agents.values() if agent.examples]
    draw_questions(tuple(firsts[:_MOST_EXAMPLES]), key="example")


def _turn(place: int, message: str) -> DeltaGenerator:
    """Begin one turn with its message."""
    turn = st.container(key=f"turn_{place}")
    with turn:
        draw_question(message)
    return turn


def _run(desk: FrontDesk, message: str, chosen: str, past: list[Said], basis: Basis) -> None:
    """Have one message answered in sight; kept as stopped from the start, as on the Ask page."""
    from backend.front_desk import RouteRequest  # the engine behind it takes seconds to load

    place = len(past)
    past.append(Said(message, basis))
    scroll_to_turn(place)
    progress = st.empty()
    user, conversation = session.talker()
    request = RouteRequest(
        user_input=message,
        user_id=user,
        session_id=conversation,
        additional_params={"assistant": chosen},
        stream_response=True,
    )
    happenings: Generator[Any] | None = None
    try:
        happenings = shared_page_work.during(desk.stream(request, who=session.visitor()))
        with progress.container():
            past[place] = follow_desk(message, basis, happenings)
    except AssistantError as fault:
        past[place] = Said(message, basis, fault=fault.user_message)
    finally:
        if happenings is not None:
            happenings.close()
    progress.empty()
    draw_said(past[place], _others(desk), f"c{place}", last=True)


show()
