"""How an answer came about: the reading, the steps and their times, the model and its price, what failed on the way."""

from __future__ import annotations

from functools import partial

import streamlit as st

from ai_engine.model_use import ModelCall, cost_usd
from ai_engine.trust import said_of_trust
from ai_engine.types import Answer, FailedDraft
from pages import session
from pages.drawing.escaping import as_html
from pages.drawing.progress import step_line
from pages.drawing.views import View
from pages.formats import chosen_formats
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


def detail_views(exchange: Exchange) -> tuple[View, ...]:
    """Return what tells how an answer came about, for the tabs; what a model was asked only to those permitted."""
    asked = any(call.prompt for call in exchange.answer.model_calls) and session.may_read_prompts()
    prompts: tuple[View, ...] = (("Language model", partial(_draw_prompts, exchange.answer)),) if asked else ()
    return (("Details", partial(_draw_details, exchange)), *prompts)


def _draw_details(exchange: Exchange) -> None:
    answer = exchange.answer
    if answer.meanings:
        st.html(_facts("Words of the question", [(item.words, item.meaning) for item in answer.meanings]))
    if exchange.steps:
        st.html('<p class="ba-note">Steps</p>' + "".join(step_line(step) for step in exchange.steps))
    for failure in answer.failures:
        _draw_failure(failure)
    st.html(_facts("Time", _times(answer)))
    if answer.model_calls:
        st.html(_facts("Language model", _calls(answer)))
    st.html(_facts("Answer", _about(answer)))


def _times(answer: Answer) -> list[tuple[str, str]]:
    spent = [(name, answer.timings_ms[step]) for step, name in _TIMED.items() if answer.timings_ms.get(step)]
    return [(name, f"{elapsed_ms:,.0f} ms") for name, elapsed_ms in spent]


def _about(answer: Answer) -> list[tuple[str, str]]:
    """Say what the figures are of, and by what name the log knows them."""
    told: list[tuple[str, str]] = []
    result = answer.result
    if result is not None:
        of_all = f" of {result.total_rows:,}" if result.truncated and result.total_rows is not None else ""
        told.append(("Rows", f"{result.row_count:,}{of_all or (' of more' if result.truncated else '')}"))
    if answer.sql and answer.as_of:
        told.append(("Data as of", chosen_formats().day(answer.as_of)))
    told.append(("Answered by", answer.model))
    if said := said_of_trust(answer):
        told.append(("Rests on", said))
    if answer.question_id:
        told.append(("Question", answer.question_id))
    return told


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
