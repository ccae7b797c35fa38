"""The parts of a question as chips: a cross takes one off, a menu puts something else in its place; both run anew."""

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
    from ai_engine.semantics.edits.edit import Chip, Edit, Numbers
    from ai_engine.semantics.intent import Intent
    from ai_engine.semantics.vocabulary import Vocabulary

_LONGEST_CHIP_CHARS = 60


@st.fragment
def draw_chips(answer: Answer, key: str) -> None:
    """Draw one chip per part of an answer's question; opening one draws the chips alone again."""
    if session.question_waits():
        st.rerun()
    if answer.intent is None or answer.failures:
        return
    chips, readings = chips_under(session.get_assistant().vocabulary, answer.intent)
    if not chips and not readings:
        return
    with st.container(horizontal=True, gap="xsmall", key=f"chips_{key}"):
        for place, chip in enumerate(chips):
            _draw_chip(answer, chip, f"{key}_{place}")
        for place, edit in enumerate(readings):
            with st.container(width="content", key=f"chip_other_{key}_{place}"):
                st.button(
                    as_label(edit.label, _LONGEST_CHIP_CHARS), key=f"reading_{key}_{place}", type="tertiary",
                    icon=":material/swap_horiz:", on_click=run_edit, args=(answer, edit),
                )  # fmt: skip


def chips_under(vocabulary: Vocabulary, intent: Intent) -> tuple[tuple[Chip, ...], tuple[Edit, ...]]:
    """Return the chips of a question, and its other readings; another day, fiscal year or data source has others."""
    return _chips(intent_to_text(intent) or "", id(vocabulary), intent, vocabulary)[:2]


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
) -> tuple[tuple[Chip, ...], tuple[Edit, ...], Vocabulary]:
    """Find the chips; the vocabulary is kept with them, so that no other one takes over its id."""
    from ai_engine.semantics.edits.chips import chips_of  # takes long to load, and the page is drawn before
    from ai_engine.semantics.edits.readings import other_readings

    return chips_of(_intent, _vocabulary), other_readings(_intent, _vocabulary), _vocabulary


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


def _draw_chip(answer: Answer, chip: Chip, key: str) -> None:
    label = for_visitor(chip.label)
    with st.container(
        horizontal=True, gap=None, width="content", vertical_alignment="center",
        key=f"chip_{'add' if chip.adds else 'part'}_{key}",
    ):  # fmt: skip
        if chip.opens:
            _draw_menu(answer, chip, label, key)
        else:
            st.html(f'<span class="ba-chip">{as_html(label)}</span>', width="content")
        if chip.removal is not None:
            st.button(
                as_label(f"Leave out {label}"), key=f"off_{key}", icon=":material/close:", type="tertiary",
                on_click=_run, args=(answer, chip.removal, key),
            )  # fmt: skip


def _draw_menu(answer: Answer, chip: Chip, label: str, key: str) -> None:
    """Draw what a chip opens, which is found only when it is opened."""
    menu = st.popover(
        as_label(label, _LONGEST_CHIP_CHARS), key=_menu_key(key), type="tertiary", on_change="rerun",
        icon=":material/add:" if chip.adds else None,
        help=as_label(label, 400) if len(label) > _LONGEST_CHIP_CHARS else None,
    )  # fmt: skip
    if not menu.open:
        return
    with menu, st.container(gap=None):
        for place, edit in enumerate(chip.choices):
            st.button(
                as_label(for_visitor(edit.label)), key=f"choice_{key}_{place}", type="tertiary", width="stretch",
                on_click=_run, args=(answer, edit, key),
            )  # fmt: skip
    with menu:
        if chip.takes_days:
            _draw_own_days(answer, key)
        if chip.numbers is not None:
            _draw_numbers(answer, chip.numbers, key)


def _run(answer: Answer, edit: Edit, key: str) -> None:
    st.session_state[_menu_key(key)] = False
    run_edit(answer, edit)


def _menu_key(key: str) -> str:
    return f"menu_{key}"


def _draw_own_days(answer: Answer, key: str) -> None:
    """Let first and last day be chosen; both are included."""
    period = answer.intent.period if answer.intent is not None else None
    today = session.get_assistant().vocabulary.as_of
    first = period.start if period is not None and period.start is not None else today.replace(day=1)
    last = period.end - timedelta(days=1) if period is not None and period.end is not None else today
    written = "YYYY-MM-DD" if chosen_formats().dates == "iso" else "DD/MM/YYYY"
    st.date_input(
        "From and to, both included", (min(first, last), last), key=f"dates_{key}", format=written,
        min_value=date(1900, 1, 1), max_value=date(2200, 1, 1),
    )  # fmt: skip
    if st.button("Apply", key=f"apply_{key}", type="primary", on_click=_apply_days, args=(answer, key)):
        st.html('<p class="ba-note" role="alert">Choose a first and a last day, other than those of now.</p>')


def _apply_days(answer: Answer, key: str) -> None:
    from ai_engine.semantics.edits.periods import on_days

    days: tuple[date, ...] = st.session_state[f"dates_{key}"]
    if answer.intent is None or len(days) != 2:
        return
    edit = on_days(answer.intent, days[0], days[1], session.get_assistant().vocabulary)
    if edit is not None:
        _run(answer, edit, key)


def _draw_numbers(answer: Answer, numbers: Numbers, key: str) -> None:
    """Let other numbers be given in the place of those of now."""
    kind: type[float] = int if numbers.whole else float
    labels = ["Another number"] if len(numbers.now) == 1 else ["From", "To"]
    with st.form(f"numbers_{key}", border=False):
        for place, number in enumerate(numbers.now):
            decimals = max(2, -int(number.normalize().as_tuple().exponent))
            st.number_input(
                labels[place], value=kind(number), min_value=None if numbers.least is None else kind(numbers.least),
                format="%d" if numbers.whole else f"%.{decimals}f", key=_number_key(key, place),
            )  # fmt: skip
        if st.form_submit_button("Apply", type="primary", on_click=_apply_numbers, args=(answer, numbers, key)):
            st.html('<p class="ba-note" role="alert">Choose a number other than that of now.</p>')


def _apply_numbers(answer: Answer, numbers: Numbers, key: str) -> None:
    edit = numbers.put([st.session_state[_number_key(key, place)] for place in range(len(numbers.now))])
    if edit is not None:
        _run(answer, edit, key)


def _number_key(key: str, place: int) -> str:
    return f"number_{key}_{place}"
