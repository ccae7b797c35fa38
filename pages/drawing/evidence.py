"""What an answer rests on: its SQL, the reading of the question, the steps and their times."""

from __future__ import annotations

import streamlit as st

from ai_engine.model_use import ModelCall, cost_usd
from ai_engine.types import Answer, FailedDraft
from pages import session
from pages.drawing.escaping import as_html
from pages.drawing.progress import step_line
from pages.session import Exchange

_TIMED = {
    "intent": "Understanding",
    "sql": "Writing SQL",
    "validation": "Checking SQL",
    "execution": "Database",
    "insight": "Explaining",
    "total": "Total",
}


_CALLS = {"IntentReply": "Reading the question", "SqlReply": "Writing SQL", "InsightReply": "Telling the result"}


def draw_evidence(exchange: Exchange, key: str) -> None:
    """Draw everything that supports an answer, folded away until someone asks."""
    answer = exchange.answer
    asked = any(call.prompt for call in answer.model_calls) and session.may_read_prompts()
    tabs = [name for name, there in (("SQL", answer.sql), ("Details", True), ("Language model", asked)) if there]
    heading = "How this was answered" if answer.status == "answered" else "What was tried"
    with st.expander(heading, key=f"evidence_{key}"):
        for name, tab in zip(tabs, st.tabs(tabs), strict=True):
            with tab:
                if name == "SQL":
                    st.code(answer.sql or "", language="sql", wrap_lines=True)
                elif name == "Details":
                    _draw_details(exchange)
                else:
                    _draw_prompts(answer)


def _draw_details(exchange: Exchange) -> None:
    answer = exchange.answer
    if answer.meanings:
        st.html(_facts("Words of the question", [(item.words, item.meaning) for item in answer.meanings]))
    if exchange.steps:
        st.html('<p class="ba-note">Steps</p>' + "".join(step_line(step) for step in exchange.steps))
    st.html(_facts("Time", _times(answer)))
    if answer.model_calls:
        st.html(_facts("Language model", _calls(answer)))
    for failure in answer.failures:
        _draw_failure(failure)


def _times(answer: Answer) -> list[tuple[str, str]]:
    spent = [(name, answer.timings_ms[step]) for step, name in _TIMED.items() if answer.timings_ms.get(step)]
    return [*((name, f"{elapsed_ms:,.0f} ms") for name, elapsed_ms in spent), ("Answered by", answer.model)]


def _calls(answer: Answer) -> list[tuple[str, str]]:
    """Say what each call took, and all of them together."""
    told = [(_CALLS.get(call.shape, call.shape), _use((call,))) for call in answer.model_calls]
    return told if len(told) == 1 else [*told, ("Together", _use(answer.model_calls))]


def _use(calls: tuple[ModelCall, ...]) -> str:
    tokens = [sum(call.input_tokens for call in calls), sum(call.output_tokens for call in calls)]
    cost = cost_usd(calls)
    parts = [f"{sum(call.elapsed_ms for call in calls):,.0f} ms"]
    parts += [f"{tokens[0]:,} + {tokens[1]:,} tokens"] if any(tokens) else []
    parts += [f"{cost:.6f} US dollars"] if cost is not None else []
    return ", ".join(parts)


def _draw_prompts(answer: Answer) -> None:
    """Draw the exact words of each call; text of other programs, so as code."""
    for call in answer.model_calls:
        st.html(f'<p class="ba-note">{as_html(_CALLS.get(call.shape, call.shape))}, {as_html(call.model)}</p>')
        st.code(call.prompt, language=None, wrap_lines=True)
        st.code(call.reply, language=None, wrap_lines=True)


def _draw_failure(failure: FailedDraft) -> None:
    st.html(f'<p class="ba-note">An earlier attempt did not work: {as_html(failure.user_message)}</p>')
    if failure.sql:
        st.code(failure.sql, language="sql", wrap_lines=True)


def _facts(heading: str, facts: list[tuple[str, str]]) -> str:
    rows = "".join(f"<tr><th>{as_html(name)}</th><td>{as_html(value)}</td></tr>" for name, value in facts)
    return f'<p class="ba-note">{as_html(heading)}</p><table class="ba-facts">{rows}</table>'
