"""A running investigation: the plan, and each agent's work as it happens."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

import streamlit as st
from streamlit.elements.lib.mutable_status_container import StatusContainer

from ai_engine.agent import OrchestratorResponse, TraceEvent, TraceEventType
from ai_engine.types import StillWorking
from pages.drawing.agents import draw_event, strip_html

_STATES: dict[str, Literal["complete", "error"]] = {"succeeded": "complete", "failed": "error", "skipped": "error"}


class _Board:
    """Where each agent's work stands; one place per agent, in the planned order."""

    def __init__(self) -> None:
        self._strip = st.empty()
        self._rationale = ""
        self._confidence: float | None = None
        self._statuses: dict[str, str] = {}
        self._places: dict[str, StatusContainer] = {}

    def take(self, event: TraceEvent) -> None:
        if event.event_type is TraceEventType.DECISION and "parts" in event.data:
            self._rationale = str(event.data.get("rationale", ""))
            self._confidence = event.data.get("confidence")
            for name in event.data["agents"]:
                self._statuses[name] = "pending"
                self._places[name] = st.status(f"{name} · waiting", state="running")
        name = event.agent or ""
        status = event.data.get("status")
        if name in self._places and status in {"running", *_STATES}:
            self._statuses[name] = status
            self._places[name].update(
                label=f"{name} · {status}", state=_STATES.get(status, "running"), expanded=status == "running"
            )  # fmt: skip
        elif name in self._places:
            draw_event(self._places[name], event)
        self._strip.html(strip_html(list(self._statuses.items()), self._rationale, self._confidence))


def follow_agents(
    happenings: Iterator[TraceEvent | StillWorking | OrchestratorResponse],
) -> OrchestratorResponse | None:
    """Draw a run until its response is there."""
    status = st.empty()
    stop_place = st.empty()
    board = _Board()
    status.html('<p class="ba-note">Planning who works on what</p>')
    can_stop = False
    for happening in happenings:
        if isinstance(happening, OrchestratorResponse):
            return happening
        if isinstance(happening, TraceEvent):
            board.take(happening)
            continue
        status.html(f'<p class="ba-note">Working · {happening.elapsed_ms / 1_000:.0f} s</p>')
        if not can_stop:
            stop_place.button("Stop", key="stop", icon=":material/stop_circle:")
            can_stop = True
    return None
