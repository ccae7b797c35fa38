"""The steps of a running question, one line each as it happens."""

from __future__ import annotations

from collections.abc import Iterator

import streamlit as st

from ai_engine.types import Answer, Event, ResultReady, StepFinished, StepName, StepStarted, StillWorking
from pages.drawing.escaping import as_html

_DOING: dict[StepName, str] = {
    "intent_agent": "Understanding the question",
    "sql_agent": "Writing the SQL",
    "validation_agent": "Checking the SQL",
    "execution_tool": "Asking the database",
    "insight_agent": "Explaining the result",
}
_DONE: dict[StepName, str] = {
    "intent_agent": "Understood",
    "sql_agent": "SQL written",
    "validation_agent": "SQL checked",
    "execution_tool": "Database asked",
    "insight_agent": "Result explained",
}
_LONGEST_NOTE_CHARS = 300


def follow(events: Iterator[Event], steps: list[StepFinished]) -> Answer | ResultReady | None:
    """Draw a run until there is something to show; what a quick run does between two heartbeats would only flicker.

    Args:
        events: the run.
        steps: filled with each finished step, so that a stopped run leaves them behind.
    """
    status = st.status("Understanding the question", expanded=True)
    stop_place = st.empty()
    doing = "Understanding the question"
    can_stop = False
    drawn = 0
    for event in events:
        if isinstance(event, Answer | ResultReady):
            return event
        if isinstance(event, StepStarted):
            doing = _DOING[event.step] + (f", attempt {event.attempt}" if event.attempt > 1 else "")
        elif isinstance(event, StepFinished):
            steps.append(event)
        elif isinstance(event, StillWorking):
            for step in steps[drawn:]:
                status.html(step_line(step))
            drawn = len(steps)
            status.update(label=f"{doing} · {event.elapsed_ms / 1_000:.0f} s", expanded=True)
            if not can_stop:
                stop_place.button("Stop", key="stop", icon=":material/stop_circle:")
                can_stop = True
    return None


def step_line(step: StepFinished) -> str:
    """Write one finished step as HTML."""
    note = step.note if len(step.note) <= _LONGEST_NOTE_CHARS else f"{step.note[:_LONGEST_NOTE_CHARS]}…"
    if step.failed:
        name = f"{_DOING[step.step]} did not succeed" + (f", attempt {step.attempt}" if step.attempt > 1 else "")
        return f'<p class="ba-step"><b class="ba-failed">{name}:</b> {as_html(note)}</p>'
    name = _DONE[step.step] + (f", attempt {step.attempt}" if step.attempt > 1 else "")
    return f'<p class="ba-step"><b>{name}:</b> {as_html(note)}</p>'
