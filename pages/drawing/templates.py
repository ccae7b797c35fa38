"""Workflow templates: how a workflow that ran is kept as one, and those that can be asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

import streamlit as st

from ai_engine.errors import AssistantError
from pages import session
from pages.drawing.escaping import as_html, as_label

if TYPE_CHECKING:
    from backend.chat.door import TemplateListing

_LONGEST_TITLE = 80


def offer_template(workflow: str) -> None:
    """Offer to keep a workflow: under which name, and what in it is asked for the next time."""
    told: str = st.session_state.get(f"told_{workflow}", "")
    kept: TemplateListing | None = st.session_state.get(f"kept_{workflow}")
    if kept is not None:
        title = as_html(kept.title)
        st.html(f'<p class="ba-note" role="status">Kept as a template of yours: say “{title}” to run it again.</p>')
    elif f"draft_{workflow}" in st.session_state:
        _draw_form(workflow)
    else:
        st.button(
            "Save as template", key=f"save_{workflow}", type="tertiary", icon=":material/bookmark_add:",
            on_click=_draft, args=(workflow,),
        )  # fmt: skip
    if told:
        st.html(f'<p class="ba-problem" role="alert">{as_html(told)}</p>')


def draw_templates(listed: Iterable[TemplateListing]) -> None:
    """List the templates; one's own can be dropped."""
    found = list(listed)
    rows = "".join(
        f"<tr><th>{as_html(one.title)}</th><td>{as_html(one.description)}</td></tr>" for one in found if not one.is_own
    )
    st.html(
        '<div class="ba-strip"><span class="ba-agent">Templates</span></div>'
        f'<div class="ba-scroll"><table class="ba-facts">{rows}</table></div>'
    )
    for one in found:
        if one.is_own:
            asks = f" Asks for: {as_html(', '.join(one.parameters))}." if one.parameters else ""
            with st.container(horizontal=True, vertical_alignment="center", key=f"own_{one.name}"):
                st.html(f'<p class="ba-desk"><b>{as_html(one.title)}</b>, your own.{asks}</p>', width="stretch")
                st.button(
                    as_label(f"Delete {one.title}"), key=f"drop_{one.name}", type="tertiary",
                    icon=":material/delete:", on_click=_drop, args=(one.name,),
                )  # fmt: skip


def _draw_form(workflow: str) -> None:
    draft = st.session_state[f"draft_{workflow}"]
    with st.form(key=f"template_{workflow}", border=True):
        title, inputs = f"title_{workflow}", f"inputs_{workflow}"
        st.text_input("Name, by which you ask for it again", key=title, max_chars=_LONGEST_TITLE)
        if draft.inputs:
            st.multiselect(
                "Ask me for these the next time",
                draft.inputs,
                format_func=lambda one: f"{one.text} ({one.name.replace('_', ' ')})",
                placeholder="Nothing: run it as it is",
                key=inputs,
            )
        with st.container(horizontal=True):
            st.form_submit_button("Save", type="primary", on_click=_keep, args=(workflow, title, inputs))
            st.form_submit_button("Cancel", on_click=_leave, args=(workflow,))


def _draft(workflow: str) -> None:
    _telling(workflow, lambda: session.get_chats().draft(session.conversation()[0], workflow), "draft")


def _keep(workflow: str, key_of_title: str, key_of_inputs: str) -> None:
    from backend.chat.door import TemplateWish  # the engine behind it takes seconds to load

    title, inputs = st.session_state[key_of_title].strip(), tuple(st.session_state.get(key_of_inputs, ()))
    wish = TemplateWish(title=title, inputs=inputs)
    owner = session.visitor(), session.conversation()[0]
    _telling(workflow, lambda: session.get_chats().keep_template(*owner, workflow, wish), "kept")


def _leave(workflow: str) -> None:
    st.session_state.pop(f"draft_{workflow}", None)
    st.session_state.pop(f"told_{workflow}", None)


def _drop(name: str) -> None:
    _telling(name, lambda: session.get_chats().drop_template(session.visitor(), name), "dropped")


def _telling(key: str, work: Callable[[], Any], result: str) -> None:
    """Do something and keep what came of it for the page; why it could not be done is told beside the button."""
    st.session_state[f"told_{key}"] = ""
    try:
        st.session_state[f"{result}_{key}"] = work()
    except AssistantError as fault:
        st.session_state[f"told_{key}"] = fault.user_message
