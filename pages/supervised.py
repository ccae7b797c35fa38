"""A conversation with the supervisor, as the page Chat shows it."""

from __future__ import annotations

import streamlit as st

from ai_engine.errors import AssistantError
from pages import session
from pages.drawing.chat_view import ChatView
from pages.drawing.escaping import as_html
from pages.drawing.question import draw_question
from pages.drawing.style import scroll_to_turn
from pages.drawing.supervisor import draw_tools, draw_view, follow_chat
from pages.drawing.templates import draw_templates
from pages.drawing.welcome import draw_questions

_EXAMPLES = (
    "Deposits by branch",
    "When does a loan become an NPA?",
    "What is 4 % of 25 lakh?",
    "Prepare the branch review for Pune",
    "Loans by type, and who may approve one of 60 lakh?",
)
_MOST_OWN = 3
_RUNNING = "chat_running"


def draw_conversation(message: str | None) -> None:
    """Draw what was said; then have a new message answered, or follow the one that is on its way."""
    views = session.views()
    running: str | None = st.session_state.get(_RUNNING)
    last = len(views) - 1
    for place, view in enumerate(views):
        if running is not None and place == last and message is None:
            _turn(place, view.asked, running)
        else:
            with st.container(key=f"turn_{place}"):
                draw_question(view.asked)
                draw_view(view, f"s{place}", last=place == last and message is None)
    if message is not None:
        views.append(ChatView(message))
        _turn(len(views) - 1, message, None)


def draw_beginning() -> None:
    """Say what the supervisor does, and offer first questions."""
    st.html(
        '<h2 class="ba-lead">What should be done?</h2><p class="ba-muted">The supervisor decides what your message '
        "needs: a look at the figures, a calculation, the bank's documents, or several steps at once. You see what it "
        "decides and why, and it asks when something is unclear. Nothing is changed: everything here only reads.</p>"
    )
    try:
        listed = session.get_chats().templates(session.visitor())
    except AssistantError:
        listed = []  # the list below says why
    own = [f"Run {one.title}" for one in listed if one.is_own]
    draw_questions((*own[:_MOST_OWN], *_EXAMPLES), key="example")


def offer_tools() -> bool:
    """Offer to list tools, servers and templates."""
    return st.toggle("Show tools and templates", key="show_tools")


def list_tools() -> None:
    """List tools, servers and templates."""
    chats = session.get_chats()
    try:
        draw_tools(chats.tools())
        draw_templates(chats.templates(session.visitor()))
    except AssistantError as fault:
        st.html(f'<p class="ba-problem" role="alert">{as_html(fault.user_message)}</p>')


def _turn(place: int, message: str, request_id: str | None) -> None:
    with st.container(key=f"turn_{place}"):
        draw_question(message)
        progress = st.empty()
        scroll_to_turn(place)
        view = ChatView(message)
        with progress.container():
            _follow(view, request_id, place)
        session.views()[place] = view
        st.session_state.pop(_RUNNING, None)
        progress.empty()
        draw_view(view, f"s{place}", last=True)


def _follow(view: ChatView, request_id: str | None, place: int) -> None:
    """Follow a request from its beginning; without one, begin it."""
    from backend.chat.door import ChatRequest  # the engine behind it takes seconds to load

    chats = session.get_chats()
    try:
        if request_id is None:
            session.name_conversation()
            request = ChatRequest(
                conversation_id=session.conversation()[0], message=view.asked, person=session.visitor()
            )
            request_id = st.session_state[_RUNNING] = chats.start(request)
        follow_chat(view, request_id, chats.follow(request_id), f"s{place}")
    except AssistantError as fault:
        view.take({"type": "error", "message": fault.user_message})
        view.take({"type": "response.done", "status": "failed"})
