"""How an answer came about, as HTML: decisions with reasons, calls with progress, a workflow as a small graph."""

from __future__ import annotations

from collections.abc import Iterable

from pages.drawing.chat_view import Call, ChatView, Step
from pages.drawing.escaping import as_html

_ACTIONS = {"answer": "Answer", "call_tool": "Use a tool", "workflow": "Run a workflow", "clarify": "Ask back"}
_MARKS = {"pending": "○", "running": "◐", "succeeded": "●", "failed": "✕", "left": "–"}
_SAID = {"pending": "waiting", "running": "running", "succeeded": "done", "failed": "failed", "left": "not done"}
_LONGEST_CHARS = 300


def steps_html(view: ChatView) -> str:
    """Write decisions and calls, one line each."""
    lines = [_decision(str(one.get("action", "")), one.get("message"), one.get("reasoning")) for one in view.decisions]
    lines += [_call(one) for one in view.calls.values()]
    lines += [f'<p class="ba-step"><b class="ba-failed">Fault:</b> {_short(one)}</p>' for one in view.faults]
    return "".join(lines)


def workflow_html(steps: Iterable[Step]) -> str:
    """Write the steps of a workflow, those that run beside each other in one column; empty where there are none."""
    batches: dict[int, list[Step]] = {}
    for step in steps:
        batches.setdefault(step.batch, []).append(step)
    columns = (
        f'<div class="ba-batch" role="listitem">{"".join(map(_step, batches[place]))}</div>'
        for place in sorted(batches)
    )
    arrow = '<span class="ba-arrow" aria-hidden="true">→</span>'
    return f'<div class="ba-flow" role="list" aria-label="Workflow">{arrow.join(columns)}</div>' if batches else ""


def label_of(view: ChatView) -> str:
    """Say in a few words what is going on, or what was done."""
    if view.done is None:
        return view.now
    parts = []
    if view.decisions:
        parts.append(_ACTIONS.get(str(view.decisions[0].get("action")), "Decided"))
    if view.steps:
        parts.append(f"{len(view.steps)} steps")
    if view.calls:
        parts.append(", ".join(dict.fromkeys(call.tool for call in view.calls.values() if call.tool != "workflow")))
    elapsed_ms = view.done.get("elapsed_ms")
    if elapsed_ms is not None:
        parts.append(f"{elapsed_ms / 1_000:.1f} s")
    return " · ".join(parts) or "How this came about"


def _decision(action: str, message: object, reasoning: object) -> str:
    why = f'<span class="ba-note">{_short(reasoning)}</span>' if reasoning else ""
    return f'<p class="ba-step"><b>{_ACTIONS.get(action, as_html(action))}:</b> {_short(message)} {why}</p>'


def _call(call: Call) -> str:
    server = f" <small>on {as_html(call.server)}</small>" if call.server else ""
    took = f" <small>{call.elapsed_ms:,.0f} ms</small>" if call.elapsed_ms is not None else ""
    bar = ""
    if call.progress is not None:
        bar = f' <progress max="1" value="{min(1.0, max(0.0, float(call.progress))):.2f}"></progress>'
    style = "ba-failed" if call.state == "failed" else f"ba-is-{call.state}"
    name = f'<b class="{style}">{_MARKS[call.state]} {as_html(call.tool)}</b>{server}'
    return f'<p class="ba-step">{name} {_short(call.said)}{took}{bar}</p>'


def _step(step: Step) -> str:
    title = f' title="{as_html(step.said)}"' if step.said else ""
    return (
        f'<div class="ba-node ba-{step.state}"{title}><b>{_MARKS[step.state]} {_short(step.name)}</b>'
        f"<small>{as_html(step.operator)} · {_SAID[step.state]}</small></div>"
    )


def _short(text: object) -> str:
    said = str(text or "")
    return as_html(said if len(said) <= _LONGEST_CHARS else f"{said[:_LONGEST_CHARS]}…")
