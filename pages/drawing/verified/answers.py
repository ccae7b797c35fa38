"""One verified answer: what was checked, by whom, until when, and what may be done with it."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta

import streamlit as st

from ai_engine.errors import AssistantError
from backend.store.verified_answers import KeptAnswer
from backend.trust.verified_book import VerifiedBook
from pages.drawing.escaping import as_html, as_label

_TOLD = "verified_told"
_LONGER = timedelta(days=365)


def draw_verified(kept: KeptAnswer, book: VerifiedBook, who: str) -> None:
    """Draw an answer, closed until somebody asks, with what this visitor may do."""
    answer = kept.answer
    with st.expander(as_label(answer.question), key=f"verified_{answer.id}"):
        draw_told(answer.id)
        rows = "".join(
            f"<tr><th>{name}</th><td>{as_html(text)}</td></tr>" for name, text in _facts(kept).items() if text
        )
        st.html(f'<table class="ba-facts">{rows}</table>')
        st.code(answer.sql, language="sql", wrap_lines=True)
        if kept.state in ("waiting", "verified") and book.permissions.allow(who):
            _draw_deeds(kept, book, who)


def draw_told(*names: str) -> None:
    """Say what came of the last click, if it was about one of these answers."""
    about, told = st.session_state.get(_TOLD, ("", ""))
    if about in names:
        st.html(f'<p class="ba-note" role="status">{as_html(told)}</p>')


def _draw_deeds(kept: KeptAnswer, book: VerifiedBook, who: str) -> None:
    name = kept.answer.id
    may_confirm = kept.state == "waiting" and kept.answer.saved_by != who and not kept.has_expired
    with st.container(horizontal=True, gap="small", vertical_alignment="center"):
        if may_confirm:
            _button("Approve", ":material/check:", f"approve_{name}", kept, lambda: _approved(book, name, who))
        _button("Run again", ":material/refresh:", f"again_{name}", kept, lambda: _ran_again(book, name, who))
        with st.popover("Use longer", icon=":material/event:", type="tertiary"):
            st.date_input("Last day of its use", value=_first_guess(kept), min_value="today", key=f"until_{name}")
            _button("Run and keep", None, f"longer_{name}", kept, lambda: _longer(book, name, who))
        with st.popover("Withdraw", icon=":material/undo:", type="tertiary"):
            st.text_input("Reason", key=f"why_{name}", max_chars=500)
            _button("Withdraw for everybody", None, f"end_{name}", kept, lambda: _withdrawn(book, name, who))


def _button(label: str, icon: str | None, key: str, kept: KeptAnswer, deed: Callable[[], str]) -> None:
    """Draw a button; what came of it is told with the answer.

    A deed reads its widgets when it is done: what is typed last reaches the server with the click itself.
    """

    def done() -> None:
        try:
            said = deed()
        except AssistantError as fault:
            said = fault.user_message
        st.session_state[_TOLD] = (kept.answer.id, said)

    st.button(label, icon=icon, key=key, type="tertiary", on_click=done)


def _approved(book: VerifiedBook, answer_id: str, who: str) -> str:
    book.confirm(answer_id, who)
    return "Approved: it is used from now on."


def _ran_again(book: VerifiedBook, answer_id: str, who: str) -> str:
    return {
        "same": "Ran again: the same rows as were checked.",
        "changed": "Ran again: the rows have changed since they were checked.",
        "unknown": "It runs. Which rows were checked is not known of an answer this old.",
    }[book.ran_again(answer_id, who)]


def _longer(book: VerifiedBook, answer_id: str, who: str) -> str:
    until: date | None = st.session_state[f"until_{answer_id}"]
    if until is None:
        return "Choose a day first."
    book.extend(answer_id, until, who)
    return f"It ran again and is used until {until:%-d %B %Y}."


def _withdrawn(book: VerifiedBook, answer_id: str, who: str) -> str:
    why = str(st.session_state[f"why_{answer_id}"]).strip()
    if not why:
        return "Say why, for those who used it."
    book.retract(answer_id, who, why)
    return "Withdrawn: it is used nowhere any more."


def _first_guess(kept: KeptAnswer) -> date:
    today = datetime.now(UTC).date()
    return max(kept.expires_on or today, today) + _LONGER


def _facts(kept: KeptAnswer) -> dict[str, str]:
    answer = kept.answer
    return {
        "Understood as": answer.restatement,
        "Checked": f"by {answer.saved_by} on {answer.saved_at:%-d %B %Y}, as of {answer.as_of:%-d %B %Y}",
        "Confirmed": f"by {answer.confirmed_by}" if answer.confirmed_by else "",
        "Last day of its use": _said_of_day(kept),
        "Out of use": f"{kept.state} by {kept.ended_by or 'the app'}: {kept.reason}" if kept.reason else "",
        "Id": answer.id,
    }


def _said_of_day(kept: KeptAnswer) -> str:
    if kept.expires_on is None:
        return "none"
    return f"{kept.expires_on:%-d %B %Y}{', which has passed: it is not used' if kept.has_expired else ''}"
