"""The statement of an answer: read, told in words, changed and run."""

from __future__ import annotations

import re
from functools import partial

import streamlit as st

from ai_engine.errors import SqlRejected
from ai_engine.said_scan import said_read
from ai_engine.sql_in_words import sql_in_words
from ai_engine.types import Answer
from pages import session
from pages.drawing.escaping import as_html
from pages.drawing.views import View

_QUOTED = re.compile(r"`([^`]*)`")
_HEIGHT_PX = (180, 520)
_LINE_PX = 24


def sql_views(answer: Answer, key: str) -> tuple[View, ...]:
    """Return the statement for the tabs, where there is one."""
    return (("SQL", partial(_draw_sql, answer, key)),) if answer.sql else ()


@st.fragment
def _draw_sql(answer: Answer, key: str) -> None:
    """Draw the statement, or a field in which it is changed; either is drawn again alone."""
    sql = answer.sql or ""
    if st.session_state.get(_editing(key)):
        _draw_editor(answer, sql, key)
        return
    st.code(sql, language="sql", wrap_lines=True)
    expected = answer.result.expected if answer.result is not None else None
    if expected is not None and (said := said_read(expected)):
        st.html(f'<p class="ba-note">{as_html(said)}</p>')
    with st.container(horizontal=True, gap="small", vertical_alignment="center"):
        st.button(
            "Edit and run", key=f"edit_sql_{key}", icon=":material/edit:", type="tertiary", on_click=_edit, args=(key,)
        )
        told = st.toggle("Explain this SQL", key=f"explain_sql_{key}")
    if told:
        _draw_words(sql)


def _draw_words(sql: str) -> None:
    """Tell the statement in sentences; what they quote is set as code."""
    sentences = sql_in_words(sql, session.get_assistant().vocabulary)
    if not sentences:
        st.html('<p class="ba-note">This statement cannot be told in words.</p>')
        return
    told = (_QUOTED.sub(r"<code>\1</code>", as_html(said)) for said in sentences)
    items = "".join(f"<li>{said}</li>" for said in told)
    st.html(f'<ul class="ba-words">{items}</ul>')


def _draw_editor(answer: Answer, sql: str, key: str) -> None:
    height_px = min(max(_HEIGHT_PX[0], _LINE_PX * (sql.count("\n") + 3)), _HEIGHT_PX[1])
    told = st.container()  # below a tall field it would be out of sight
    typed = st.text_area(
        "Your own SQL: one SELECT, checked like every other", value=sql, key=f"own_sql_{key}", height=height_px,
        max_chars=session.get_assistant().policy.max_sql_chars,
    )  # fmt: skip
    with st.container(horizontal=True, gap="small"):
        runs = st.button("Run", key=f"run_sql_{key}", icon=":material/play_arrow:", type="primary")
        st.button("Cancel", key=f"leave_sql_{key}", type="tertiary", on_click=_leave, args=(key,))
    if runs and typed and typed.strip():
        with told:
            _run(answer, typed, key)


def _run(answer: Answer, typed: str, key: str) -> None:
    """Put a statement on its way that passes the guard; of another say at the place what is wrong."""
    try:
        session.get_assistant().check(typed)
    except SqlRejected as refusal:
        st.html(_said_of(refusal, typed))
        return
    _leave(key)
    session.ask_settled("Your own SQL", typed, derived_from=answer.question_id)
    st.rerun()


def _said_of(refusal: SqlRejected, typed: str) -> str:
    """Say why the guard lets a statement not through, under the line that it is about where that is known."""
    said = f'<p class="ba-problem" role="alert">{as_html(refusal.user_message)}</p>'
    place = place_of(refusal, typed)
    if place is None:
        return said
    line, column, width = place
    text = typed.splitlines()[line - 1]
    marked = (
        f"{as_html(text[: column - 1])}<mark>{as_html(text[column - 1 : column - 1 + width] or ' ')}</mark>"
        f"{as_html(text[column - 1 + width :])}"
    )
    return f'{said}<p class="ba-note">Line {line}, column {column}</p><pre class="ba-pre">{marked}</pre>'


def place_of(refusal: SqlRejected, typed: str) -> tuple[int, int, int] | None:
    """Return line, column and length of what was refused, counted from 1; None where it stands nowhere or twice."""
    lines = typed.splitlines()
    if refusal.place is not None and 0 < refusal.place[0] <= len(lines):
        return (*refusal.place, max(1, len(refusal.part)))
    pattern = re.compile(rf"(?<!\w){re.escape(refusal.part)}(?!\w)", re.IGNORECASE) if refusal.part else None
    found = [
        (number, match.start() + 1, len(match[0]))
        for number, text in enumerate(lines, 1)
        for match in (pattern.finditer(text) if pattern else ())
    ]
    return found[0] if len(found) == 1 else None


def _editing(key: str) -> str:
    return f"editing_sql_{key}"


def _edit(key: str) -> None:
    st.session_state[_editing(key)] = True


def _leave(key: str) -> None:
    st.session_state[_editing(key)] = False
