"""The parts of a question as chips: a click takes one off or puts something else in its place, and runs it anew."""

from __future__ import annotations

from datetime import date, timedelta
from typing import TYPE_CHECKING

import streamlit as st

from ai_engine.types import Answer
from ai_engine.verified import intent_to_text
from pages import session
from pages.drawing.escaping import as_html, as_label
from pages.formats import chosen_formats, for_visitor
from pages.rerun import run_edit

if TYPE_CHECKING:
    from ai_engine.semantics.edits.edit import Chip, Edit
    from ai_engine.semantics.intent import Intent
    from ai_engine.semantics.vocabulary import Vocabulary

_LONGEST_CHIP_CHARS = 60
_REMOVE, _OWN_DAYS = -1, -2


def draw_chips(answer: Answer, key: str) -> None:
    """Draw one chip per part of an answer's question, each with a menu of what may become of it."""
    if answer.intent is None or answer.failures:
        return
    chips = chips_under(session.get_assistant().vocabulary, answer.intent)
    if not chips:
        return
    with st.container(horizontal=True, gap="xsmall", key=f"chips_{key}"):
        for place, chip in enumerate(chips):
            _draw_chip(answer, chip, key, f"chip_{key}_{place}")
    if st.session_state.get(_days_key(key)):
        _draw_own_days(answer, key)


def chips_under(vocabulary: Vocabulary, intent: Intent) -> tuple[Chip, ...]:
    """Return the chips of a question; another day, fiscal year or data source has others."""
    return _chips(intent_to_text(intent) or "", id(vocabulary), intent, vocabulary)[0]


def draw_origin(answer: Answer) -> None:
    """Say of which answer a changed one was made."""
    if not answer.derived_from:
        return
    before = next((item.answer for item in session.exchanges() if item.answer.question_id == answer.derived_from), None)
    what = f"“{as_html(before.question)}”" if before is not None else "an earlier answer"
    st.html(f'<p class="ba-note ba-origin">Changed from {what}</p>')


def draw_next_questions(answer: Answer, key: str) -> None:
    """Offer questions that follow from an answer."""
    if answer.intent is None or answer.failures or answer.result is None or not answer.result.rows:
        return
    rows = answer.result.row_count
    known = session.get_assistant().vocabulary
    found, _ = _next(intent_to_text(answer.intent) or "", id(known), rows, answer.intent, known)
    if not found:
        return
    with st.container(horizontal=True, gap="xsmall", key=f"next_{key}"):
        for place, edit in enumerate(found):
            st.button(
                as_label(edit.said), key=f"next_{key}_{place}", icon=":material/arrow_forward:", type="tertiary",
                on_click=run_edit, args=(answer, edit),
            )  # fmt: skip


@st.cache_resource(max_entries=500, show_spinner=False)
def _chips(
    text: str,  # noqa: ARG001 - this and the next are the key
    made_by: int,  # noqa: ARG001
    _intent: Intent,
    _vocabulary: Vocabulary,
) -> tuple[tuple[Chip, ...], Vocabulary]:
    """Find the chips; the vocabulary is kept with them, so that no other one takes over its id."""
    from ai_engine.semantics.edits.chips import chips_of  # takes long to load, and the page is drawn before

    return chips_of(_intent, _vocabulary), _vocabulary


@st.cache_resource(max_entries=500, show_spinner=False)
def _next(
    text: str,  # noqa: ARG001 - this and the next are the key
    made_by: int,  # noqa: ARG001
    rows: int,
    _intent: Intent,
    _vocabulary: Vocabulary,
) -> tuple[tuple[Edit, ...], Vocabulary]:
    """Find the next questions, as `_chips` does."""
    from ai_engine.semantics.edits.next_questions import next_questions

    return next_questions(_intent, _vocabulary, rows=rows), _vocabulary


def _draw_chip(answer: Answer, chip: Chip, key: str, widget: str) -> None:
    removable = [_REMOVE] if chip.removal is not None else []
    options = [*removable, *range(len(chip.choices)), *([_OWN_DAYS] if chip.takes_days else [])]
    if not options:
        st.html(f'<span class="ba-chip">{as_html(for_visitor(chip.label))}</span>', width="content")
        return

    def said(option: int) -> str:
        if option == _OWN_DAYS:
            return "Own dates …"
        edit = chip.removal if option == _REMOVE else chip.choices[option]
        return as_label(for_visitor(edit.label)) if edit is not None else ""

    label = for_visitor(chip.label)
    st.menu_button(
        as_label(label, _LONGEST_CHIP_CHARS), options, key=widget, format_func=said,
        icon=":material/add:" if chip.adds else None, on_click=_choose, args=(answer, chip, key, widget),
        help=as_label(label, 400) if len(label) > _LONGEST_CHIP_CHARS else None,
    )  # fmt: skip


def _choose(answer: Answer, chip: Chip, key: str, widget: str) -> None:
    option = st.session_state.get(widget)
    if option is None:
        return
    if option == _OWN_DAYS:
        st.session_state[_days_key(key)] = True
        return
    edit = chip.removal if option == _REMOVE else chip.choices[option]
    if edit is not None:
        run_edit(answer, edit)


def _draw_own_days(answer: Answer, key: str) -> None:
    """Let first and last day be chosen; both are included."""
    period = answer.intent.period if answer.intent is not None else None
    today = session.get_assistant().vocabulary.as_of
    first = period.start if period is not None and period.start is not None else today.replace(day=1)
    last = period.end - timedelta(days=1) if period is not None and period.end is not None else today
    with st.container(horizontal=True, vertical_alignment="bottom", key=f"own_days_{key}"):
        written = "YYYY-MM-DD" if chosen_formats().dates == "iso" else "DD/MM/YYYY"
        st.date_input(
            "From and to, both included", (min(first, last), last), key=f"dates_{key}", format=written,
            min_value=date(1900, 1, 1), max_value=date(2200, 1, 1), width=280,
        )  # fmt: skip
        st.button("Apply", key=f"apply_{key}", type="primary", on_click=_apply_days, args=(answer, key))
        st.button("Cancel", key=f"cancel_{key}", type="tertiary", on_click=_close_days, args=(key,))
    if told := st.session_state.get(_told_key(key)):
        st.html(f'<p class="ba-note" role="alert">{as_html(told)}</p>')


def _apply_days(answer: Answer, key: str) -> None:
    from ai_engine.semantics.edits.periods import on_days

    days = st.session_state.get(f"dates_{key}") or ()
    edit = None
    if answer.intent is not None and len(days) == 2:
        edit = on_days(answer.intent, days[0], days[1], session.get_assistant().vocabulary)
    if edit is None:
        st.session_state[_told_key(key)] = "Choose a first and a last day, other than those of now."
        return
    _close_days(key)
    run_edit(answer, edit)


def _close_days(key: str) -> None:
    st.session_state.pop(_days_key(key), None)
    st.session_state.pop(_told_key(key), None)


def _days_key(key: str) -> str:
    return f"own_days_open_{key}"


def _told_key(key: str) -> str:
    return f"own_days_told_{key}"
