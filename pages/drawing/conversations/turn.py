"""What can be done with one turn: its link, sharing it, asking another question in its place."""

from __future__ import annotations

from urllib.parse import urlsplit

import streamlit as st

from ai_engine.formats import Formats
from backend.store.conversations import KeptTurn
from pages import conversations
from pages.drawing.answer import draw_answer
from pages.drawing.escaping import as_html
from pages.drawing.question import draw_question
from pages.session import Exchange

_ALONE = -1


def draw_turn_menu(exchange: Exchange, place: int) -> None:
    """Offer the link of an answer and to change its question, closed until somebody asks."""
    with st.popover("Share or edit", icon=":material/share:", type="tertiary", key=f"menu_{exchange.id}"):
        _draw_link(exchange.id, is_shared=conversations.is_shared(exchange.id))
        key = f"edit_{exchange.id}"
        st.text_area("Ask this instead", value=exchange.answer.question, key=key, max_chars=2_000)
        st.html('<p class="ba-note">This turn and what followed it are replaced; that can be undone.</p>')
        st.button("Ask", key=f"ask_{exchange.id}", on_click=conversations.edit, args=(place, key))


def draw_replaced() -> None:
    """Say what an edited question has replaced, and offer it back."""
    count = len(conversations.replaced())
    if count == 0:
        return
    turns = "One turn was" if count == 1 else f"{count} turns were"
    with st.container(horizontal=True, gap="small", vertical_alignment="center", key="replaced"):
        st.html(f'<p class="ba-note" role="status">{turns} replaced.</p>', width="content")
        st.button("Undo", key="unedit", type="tertiary", icon=":material/undo:", on_click=conversations.take_back_edit)


def draw_left() -> None:
    """Offer the conversation back that was left for a new one."""
    if "left" in st.session_state:
        st.button(
            "Back to the conversation before", key="unforget", type="tertiary", icon=":material/undo:",
            on_click=conversations.go_back,
        )  # fmt: skip


def draw_kept_answer(turn: KeptTurn, formats: Formats) -> None:
    """Draw an answer that was opened by its link, as it was kept, with what it is as of."""
    if turn.answer is None:
        return
    draw_question(turn.answer.question)
    told = [f"As of {formats.day(turn.answer.as_of)}"] if turn.answer.as_of else []
    if turn.answered_at is not None:
        told.append(f"answered on {formats.day(turn.answered_at.date())} at {turn.answered_at:%H:%M} UTC")
    st.html(f'<p class="ba-note">{as_html(", ".join(told))}; kept since, not asked again.</p>')
    with st.container(horizontal=True, gap="small"):
        st.button(
            "Run again", key="run_again", icon=":material/refresh:", on_click=conversations.run_again,
            args=(turn.answer,),
        )  # fmt: skip
        if turn.is_own:
            st.button(
                "Open the conversation", key="open_whole", on_click=conversations.choose, args=(turn.conversation,)
            )
            with st.popover("Share", icon=":material/share:"):
                _draw_link(turn.id, is_shared=turn.is_shared)
    draw_answer(Exchange(turn.answer, turn.steps, asked_by=turn.asked_by, id=turn.id), _ALONE, formats)


def _draw_link(turn_id: str, *, is_shared: bool) -> None:
    address = urlsplit(st.context.url or "")
    place = address.path if address.path.endswith("/") or address.path.endswith("ask") else "/"
    st.html('<p class="ba-note">The link of this answer, as it stands here</p>')
    st.code(f"{address.scheme}://{address.netloc}{place}?a={turn_id}", language=None)
    key = f"share_{turn_id}"
    st.toggle(
        "Anybody who may ask this data can open it", value=is_shared, key=key, on_change=conversations.share,
        args=(turn_id, key),
    )  # fmt: skip
