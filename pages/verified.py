"""Verified answers: what waits for a second person, what is in use until when, and what people said of answers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

import streamlit as st

from ai_engine.errors import AssistantError
from backend.store.verified_answers import KeptAnswer
from pages import session
from pages.drawing.states import draw_empty, draw_failed
from pages.drawing.style import apply_style
from pages.drawing.verified.answers import draw_told, draw_verified
from pages.drawing.verified.feedback import draw_feedback
from pages.drawing.welcome import draw_heading, opened

if TYPE_CHECKING:
    from backend.service import Assistant

_PER_PAGE = 25
_FEEDBACK = "Said of answers"
_SECTIONS: Mapping[str, Callable[[KeptAnswer], bool]] = {
    "In use": lambda one: one.state == "verified" and not one.has_expired,
    "Waiting": lambda one: one.state == "waiting" and not one.has_expired,
    "Expired": lambda one: one.has_expired,
    "Withdrawn": lambda one: one.state in ("retracted", "withdrawn"),
}


def show() -> None:
    """Draw the whole screen."""
    apply_style()
    draw_heading("Verified answers")
    assistant = opened(session.get_assistant, "the assistant", st.empty())
    if assistant is None:
        return
    st.html(f'<p class="ba-muted">{_rules(assistant)}</p>')
    try:
        _draw(assistant, session.visitor())
    except AssistantError as fault:
        draw_failed(fault.user_message)


def _rules(assistant: Assistant) -> str:
    settings, may = assistant.settings, session.may_verify()
    used = "once a second person has approved them" if settings.verified_by_two else "as soon as they are marked"
    lasts = (
        f"for {settings.verified_days} days if no other day is chosen" if settings.verified_days else "until withdrawn"
    )
    yours = "" if may else " You may read them; whoever runs this app decides who may verify."
    return f"Answers that people have checked. They are used {used}, {lasts} or until the day that each names.{yours}"


def _draw(assistant: Assistant, who: str) -> None:
    book = assistant.verified
    kept = book.listed()
    counts = {name: sum(map(belongs, kept)) for name, belongs in _SECTIONS.items()}
    names = [*_SECTIONS, *([_FEEDBACK] if book.permissions.allow(who) else [])]
    first = "Waiting" if counts["Waiting"] and book.permissions.allow(who) else "In use"
    section = st.segmented_control(
        "Which", names, default=first, required=True, key="verified_section", label_visibility="collapsed",
        format_func=lambda name: f"{name} ({counts[name]:,})" if counts.get(name) else name,
    )  # fmt: skip
    if section == _FEEDBACK:
        draw_feedback(assistant.feedback, who, assistant.check)
        return
    words = st.text_input(
        "Search verified answers", key="verified_words", placeholder="Search questions and SQL",
        icon=":material/search:", label_visibility="collapsed",
    )  # fmt: skip
    elsewhere = (one.answer.id for one in kept if not _SECTIONS[section or first](one))
    draw_told(*elsewhere)
    found = [one for one in kept if _SECTIONS[section or first](one) and _has(one, words)]
    if not found:
        _draw_nothing(section or first, words)
        return
    pages = -(-len(found) // _PER_PAGE)
    number = st.pagination(pages, key="verified_page") if pages > 1 else 1
    for one in found[(number - 1) * _PER_PAGE : number * _PER_PAGE]:
        draw_verified(one, book, who)


def _has(kept: KeptAnswer, words: str) -> bool:
    answer = kept.answer
    texts = f"{answer.question}\n{answer.restatement}\n{answer.sql}\n{answer.saved_by}".casefold()
    return all(word in texts for word in words.casefold().split())


def _draw_nothing(section: str, words: str) -> None:
    hints = {
        "In use": "Mark an answer as verified below its figures on the page Ask.",
        "Waiting": "Nothing waits for a second person.",
        "Expired": "No answer has passed its last day.",
        "Withdrawn": "No answer was withdrawn.",
    }
    if words.strip():
        draw_empty("Nothing fits", "Search for a part of the question, or of the SQL.")
    else:
        draw_empty("None here", hints[section])


show()
