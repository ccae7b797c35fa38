"""What a desk said: who answered and why, the words, the table, and the way to another desk."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from typing import Any

import pandas as pd
import streamlit as st

from ai_engine.routing.messages import AgentResponse, AgentStreamResponse, ConversationMessage
from backend.answers.withheld import Basis
from pages import session
from pages.drawing.escaping import as_html, as_label, as_prose
from pages.session import Said

_ROW = re.compile(r"\s*\|.*\|\s*$")
_RULE = re.compile(r"\s*\|[\s:|-]+\|\s*$")
_BETWEEN = re.compile(r"(?<!\\)\|")


def follow_desk(message: str, basis: Basis, happenings: Iterator[AgentResponse | AgentStreamResponse | None]) -> Said:
    """Draw an answer on its way until it is whole."""
    place = st.empty()
    stop_place = st.empty()
    place.html('<p class="ba-note">Finding the right desk</p>')
    response: AgentResponse | None = None
    whole: ConversationMessage | None = None
    said: list[str] = []
    can_stop = False
    for one in happenings:
        if not can_stop:
            stop_place.button("Stop", key="stop", icon=":material/stop_circle:")
            can_stop = True
        if isinstance(one, AgentResponse):
            response = one
            whole = one.output if isinstance(one.output, ConversationMessage) else None
            place.html(who_html(one))
        elif one is not None and response is not None:
            said.append(one.text)
            whole = one.final_message or whole
            place.html(f"{who_html(response)}{words_html(''.join(said), 'ba-desk')}")
    rests_on = replace(basis, statements=(whole.statements or ()) if whole is not None else ())
    return Said(message, rests_on, response, whole)


def draw_said(said: Said, others: Mapping[str, str], key: str, *, last: bool) -> None:
    """Draw a whole answer; the last one can be put to another desk."""
    if said.response is None or said.whole is None:
        st.html(f'<p class="ba-problem">{as_html(said.fault)}</p>')
        return
    failed = said.response.metadata.additional_params.get("error_type") is not None
    style = "ba-problem" if failed else "ba-desk"
    st.html(f"{who_html(said.response)}{words_html(said.whole.text, style)}")
    for number, block in enumerate(said.whole.content):
        if "table" in block:
            _draw_table(block["table"], f"{key}_{number}")
    if last:
        _offer_others(said.message, said.response, others, key)


def who_html(response: AgentResponse) -> str:
    """Write who answers, how sure that is and why, as HTML."""
    name = as_html(response.metadata.agent_name)
    sure = f" <small>{response.confidence:.0%} sure</small>" if response.confidence else ""
    reason = f'<span class="ba-note">{as_html(response.reason)}</span>' if response.reason else ""
    return f'<div class="ba-strip"><span class="ba-agent">{name}{sure}</span>{reason}</div>'


def words_html(text: str, style: str) -> str:
    """Write an answer as HTML: its lines as they are, and rows of a Markdown table as a table."""
    parts: list[str] = []
    for is_table, lines in groupby(text.splitlines(), lambda line: _ROW.match(line) is not None):
        if is_table:
            parts.append(_table_html([_cells(line) for line in lines if not _RULE.match(line)]))
        elif words := "\n".join(lines).strip():
            parts.append(f'<p class="{style}">{as_prose(words)}</p>')
    return "".join(parts)


def _cells(line: str) -> list[str]:
    return [cell.strip().replace("\\|", "|") for cell in _BETWEEN.split(line.strip()[1:-1])]


def _table_html(rows: Sequence[Sequence[str]]) -> str:
    if not rows:
        return ""
    head = "".join(f"<th>{as_html(cell)}</th>" for cell in rows[0])
    body = "".join(f"<tr>{''.join(f'<td>{as_html(cell)}</td>' for cell in row)}</tr>" for row in rows[1:])
    return f'<div class="ba-scroll"><table class="ba-rows-of"><tr>{head}</tr>{body}</table></div>'


def _draw_table(table: Mapping[str, Any], key: str) -> None:
    names: Sequence[str] = table["columns"]
    places = [str(place) for place in range(len(names))]
    frame = pd.DataFrame([list(row) for row in table["rows"]], columns=places, dtype="str")
    headings = {place: st.column_config.Column(as_label(name)) for place, name in zip(places, names, strict=True)}
    st.dataframe(frame, hide_index=True, column_config=headings, key=f"table_{key}")
    if table["row_count"] > len(frame):
        told = f"The first {len(frame):,} of {table['row_count']:,} rows; the page Ask shows all of them."
        st.html(f'<p class="ba-note ba-rows">{told}</p>')


def _offer_others(message: str, response: AgentResponse, others: Mapping[str, str], key: str) -> None:
    """Offer the desks that did not answer: after a question back those that it may have been for at once."""
    left = [one for one in others if one != response.metadata.agent_id]
    near = [one for one in response.candidates if one in left] if response.confidence == 0 else []
    if near:
        with st.container(horizontal=True, gap="small", key=f"near_{key}"):
            for one in near:
                _offer(message, one, others[one], key)
    with st.popover("Not the right one?", key=f"other_{key}"):
        for one in left:
            if one not in near:
                _offer(message, one, others[one], key)


def _offer(message: str, desk_id: str, name: str, key: str) -> None:
    st.button(as_label(name), key=f"to_{desk_id}_{key}", on_click=session.ask_desk, args=(message, desk_id))
