"""What several agents did for one question: the plan as a strip, each one's work, and the trace with its times."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from ai_engine.agent import AgentExecutionStatus, AgentResult, TraceEvent, TraceEventType
from pages.drawing.escaping import as_html

MARKS = {"pending": "○", "running": "◐", "succeeded": "●", "failed": "✕", "skipped": "–"}
_CODE = {"query": "sql", "code": "python", "body": "json"}
"""Entries of an event that are drawn as code, which can be copied."""
_PLAIN = ("method", "url", "status_code", "attempt", "row_count", "error", "output", "inputs", "variables", "steps")
_LONGEST_CHARS = 1_200


def strip_html(parts: Sequence[tuple[str, str]], rationale: str, confidence: float | None) -> str:
    """Write the plan: its agents in order with how far each is, why they were chosen and how sure that is."""
    cells = [
        f'<span class="ba-agent ba-{as_html(status)}"><span aria-hidden="true">{MARKS.get(status, "")}</span> '
        f"{as_html(name)} <small>{as_html(status)}</small></span>"
        for name, status in parts
    ]
    sure = f" Confidence {confidence:.0%}." if confidence is not None else ""
    row = '<span class="ba-then" aria-hidden="true">→</span>'.join(cells) or '<span class="ba-agent">nobody</span>'
    return f'<div class="ba-strip">{row}</div><p class="ba-note">{as_html(rationale)}{sure}</p>'


def draw_event(place: DeltaGenerator, event: TraceEvent) -> None:
    """Draw one thing that happened: its sentence, then the statement, program or call that goes with it."""
    failed = ' class="ba-failed"' if event.event_type is TraceEventType.ERROR else ""
    facts = "; ".join(
        f"{name.replace('_', ' ')} {_written(event.data[name])}" for name in _PLAIN if _there(event, name)
    )
    note = f": {as_html(facts)}" if facts else ""
    place.html(f'<p class="ba-step"><b{failed}>{as_html(event.message or event.event_type.value)}</b>{note}</p>')
    if event.event_type is not TraceEventType.RESULT:
        for name, language in _CODE.items():
            if _there(event, name):
                place.code(str(event.data[name]), language=language, wrap_lines=True)


def draw_work(result: AgentResult, question: str, key: str) -> DeltaGenerator:
    """Draw what one agent did, folded away; returns the place, where its table may follow."""
    status = result.status.value
    label = f"{MARKS[status]} {result.agent} · {status} · {result.latency_ms or 0:,.0f} ms"
    place = st.expander(label, key=f"work_{key}")
    place.html(f'<p class="ba-note">Asked: {as_html(question)}</p>')
    for event in result.trace:
        if event.data.get("status") not in _STATUSES:
            draw_event(place, event)
    if result.error is not None and not any(event.event_type is TraceEventType.ERROR for event in result.trace):
        place.html(f'<p class="ba-problem">{as_html(result.error.message)}</p>')
    return place


_STATUSES = frozenset(status.value for status in AgentExecutionStatus)


def draw_trace(trace: Iterable[TraceEvent], key: str) -> None:
    """Draw everything in order of time, folded away until somebody asks."""
    events = list(trace)
    if not events:
        return
    began = events[0].timestamp
    rows = "".join(
        f"<tr><th>{_since(began, event.timestamp)}</th><td>{as_html(event.agent or '')}</td>"
        f"<td>{event.event_type.value}</td><td>{as_html((event.message or '')[:_LONGEST_CHARS])}</td></tr>"
        for event in events
    )
    with st.expander(f"Trace · {len(events)} events", key=f"trace_{key}"):
        st.html(f'<div class="ba-scroll"><table class="ba-facts">{rows}</table></div>')


def _since(began: datetime, moment: datetime) -> str:
    return f"{(moment - began).total_seconds() * 1_000:,.0f} ms"


def _there(event: TraceEvent, name: str) -> bool:
    return event.data.get(name) not in (None, "", [], {}, ())


def _written(value: Any) -> str:
    if isinstance(value, dict):
        text = ", ".join(f"{key} = {item}" for key, item in value.items())
    elif isinstance(value, (list, tuple)):
        text = "; ".join(map(str, value))
    else:
        text = str(value)
    return text if len(text) <= _LONGEST_CHARS else f"{text[:_LONGEST_CHARS]}…"
