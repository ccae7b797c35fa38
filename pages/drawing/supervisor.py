"""The supervised chat: a request as it is answered, and an answer with how it came about."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from typing import TYPE_CHECKING, Any

import streamlit as st

from backend.chat.elicitation import asker_of
from pages import session
from pages.drawing.chat_steps import label_of, steps_html, workflow_html
from pages.drawing.chat_view import ChatView
from pages.drawing.contents import draw_content
from pages.drawing.escaping import as_html, as_label
from pages.drawing.markdown import markdown_html
from pages.drawing.templates import offer_template
from pages.drawing.welcome import draw_questions

if TYPE_CHECKING:
    from backend.chat.door import ToolListing

_MOST_OPEN = 2
_STOPPED = "Stopped. Nothing is running any more."


def follow_chat(view: ChatView, request_id: str, events: Iterator[Mapping[str, Any] | None], key: str) -> None:
    """Draw a request on its way until it ends; a button stops it, a question of it is answered in place."""
    status = st.status(view.now, expanded=True)
    flow, steps = status.empty(), status.empty()  # not `with`, whose end would say that all is done
    contents = st.container()
    words = st.empty()
    asking = st.container()
    stop_place = st.empty()
    can_stop = False
    for event in events:
        if not can_stop:
            stop_place.button(
                "Stop", key="stop", icon=":material/stop_circle:", on_click=session.stop_chat, args=(request_id,)
            )
            can_stop = True
        if event is None:
            continue
        view.take(event)
        kind = event["type"]
        if kind == "response.chunk":
            words.html(markdown_html(view.text))
        elif kind == "tool.content":
            with contents:
                draw_content(event, f"{key}_live_{len(view.contents)}")
        elif view.waits and kind == "clarify.request":
            with asking:
                _ask(event)
        else:
            status.update(label=as_label(view.now or "Done"), expanded=True)
            if view.steps:
                flow.html(workflow_html(view.steps.values()))
            steps.html(steps_html(view) or "<p></p>")


def draw_view(view: ChatView, key: str, *, last: bool) -> None:
    """Draw a whole answer: how it came about folded away, the words with their sources, what was shown."""
    done = view.done or {}
    if view.decisions or view.calls or view.steps:
        with st.expander(as_label(label_of(view)), key=f"how_{key}"):
            if view.steps:
                st.html(workflow_html(view.steps.values()))
            st.html(steps_html(view))
    if view.text:
        st.html(markdown_html(view.text))
    elif view.faults:
        st.html(f'<p class="ba-problem" role="alert">{as_html(view.faults[-1])}</p>')
    if done.get("status") == "stopped":
        st.html(f'<p class="ba-problem">{_STOPPED}</p>')
    _draw_missing(done.get("missing") or ())
    _draw_citations(done.get("citations") or ())
    _draw_contents(view, key)
    if view.workflow is not None and not view.workflow.get("template") and view.workflow.get("id"):
        offer_template(str(view.workflow["id"]))
    if view.question is not None and done.get("status") == "clarify":
        _draw_question(view, key, last=last)


def draw_tools(listed: Iterable[ToolListing]) -> None:
    """List operators, then the tools of each server with how it is."""
    for server, tools in groupby(sorted(listed, key=lambda one: one.server_id or ""), lambda one: one.server_id):
        found = list(tools)
        healthy = all(one.healthy for one in found)
        state = "" if server is None else f" <small>{'answers' if healthy else 'does not answer'}</small>"
        style = "ba-agent" if healthy else "ba-agent ba-failed"
        rows = "".join(f"<tr><th>{as_html(one.name)}</th><td>{as_html(one.description)}</td></tr>" for one in found)
        st.html(
            f'<div class="ba-strip"><span class="{style}">{as_html(server or "Built in")}{state}</span></div>'
            f'<div class="ba-scroll"><table class="ba-facts">{rows}</table></div>'
        )


def _draw_contents(view: ChatView, key: str) -> None:
    """Draw what was shown below the words; that of a workflow is folded away, as its report says it again."""
    if view.steps and len(view.contents) > _MOST_OPEN:
        with st.expander(f"{len(view.contents)} tables, charts and files of the steps", key=f"contents_{key}"):
            _draw_each(view, key)
    else:
        _draw_each(view, key)


def _draw_each(view: ChatView, key: str) -> None:
    for number, content in enumerate(view.contents):
        draw_content(content, f"{key}_{number}")


def _draw_missing(missing: Iterable[str]) -> None:
    for one in missing:
        st.html(f'<p class="ba-warning">{as_html(str(one))}</p>')


def _draw_citations(citations: Iterable[Mapping[str, Any]]) -> None:
    told = [
        f"{as_html(str(one.get('title') or one.get('document')))}, paragraph {as_html(str(one.get('paragraph')))}"
        + (f" at {as_html(str(one['server']))}" if one.get("server") else "")
        for one in citations
    ]
    if told:
        st.html(f'<p class="ba-note">Sources: {"; ".join(dict.fromkeys(told))}</p>')


def _draw_question(view: ChatView, key: str, *, last: bool) -> None:
    asked = view.question or {}
    if str(asked.get("question", "")) not in view.text:
        st.html(f'<p class="ba-desk">{as_html(str(asked.get("question", "")))}</p>')
    if last and asked.get("choices"):
        draw_questions(tuple(map(str, asked["choices"])), key=f"choice_{key}")


def _ask(event: Mapping[str, Any]) -> None:
    """Draw the fields of a question, whose answer goes to the request that waits for it."""
    question, properties = str(event["id"]), dict((event.get("schema") or {}).get("properties") or {})
    if who := asker_of(event):
        st.html(f'<p class="ba-warning">{as_html(who)}</p>')
    st.html(f'<p class="ba-desk">{as_html(str(event.get("question", "")))}</p>')
    choices = list(event.get("choices") or ())
    if choices:
        name = next(iter(properties), "answer")
        with st.container(horizontal=True, gap="small", key="answers"):
            for place, choice in enumerate(choices):
                given: tuple[Any, ...] = (question, {name: choice}, {})
                st.button(as_label(str(choice)), key=f"answer_{place}", on_click=session.respond, args=given)
    else:
        properties = properties or {"answer": {"type": "string"}}
        with st.form(key=f"question_{question}", border=True):
            fields = {name: _field(name, schema, f"field_{question}_{name}") for name, schema in properties.items()}
            st.form_submit_button("Answer", type="primary", on_click=session.respond, args=(question, None, fields))
    st.button("Do not answer", key="decline", type="tertiary", on_click=session.respond, args=(question, None, {}))


def _field(name: str, schema: Mapping[str, Any], key: str) -> str:
    """Draw one field of a form by its JSON schema; returns the key of its widget."""
    label = as_label(str(schema.get("title") or schema.get("description") or name))
    kind = schema.get("type")
    if schema.get("enum"):
        st.selectbox(label, list(schema["enum"]), format_func=str, key=key)
    elif kind == "boolean":
        st.checkbox(label, key=key)
    elif kind == "integer":
        st.number_input(label, step=1, key=key)
    elif kind == "number":
        st.number_input(label, key=key)
    else:
        st.text_input(label, key=key, max_chars=1_000)
    return key
