"""What is known of one chat request so far, folded from its events or read from the history."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ai_engine.chat_history import ChatMessage

Told = Mapping[str, Any]


@dataclass
class Call:
    """One call of an operator or a tool."""

    tool: str
    server: str = ""
    state: str = "running"
    asked: str = ""
    said: str = ""
    progress: float | None = None
    elapsed_ms: float | None = None


@dataclass
class Step:
    """One step of a workflow; `batch` counts those that run one after the other."""

    name: str
    operator: str
    batch: int
    state: str = "pending"
    said: str = ""


@dataclass
class ChatView:
    """One message with all that came of it."""

    asked: str
    decisions: list[Told] = field(default_factory=list)
    calls: dict[str, Call] = field(default_factory=dict)
    steps: dict[str, Step] = field(default_factory=dict)
    workflow: Told | None = None
    contents: list[Told] = field(default_factory=list)
    text: str = ""
    question: Told | None = None
    faults: list[str] = field(default_factory=list)
    done: Told | None = None
    now: str = "Thinking"

    def take(self, event: Told) -> None:
        """Note one event."""
        kind = str(event["type"])
        if kind.startswith("tool."):
            self._take_call(kind, event)
        elif kind.startswith("workflow."):
            self._take_step(kind, event)
        elif kind == "supervisor.thinking":
            self.now = str(event.get("message") or self.now)
        elif kind == "supervisor.decided":
            self.decisions.append(event)
            self.now = str(event.get("message") or self.now)
        elif kind == "response.chunk":
            self.text += str(event.get("content", ""))
        elif kind == "clarify.request":
            self.question = event
        elif kind == "error":
            self.faults.append(str(event.get("message", "")))
        elif kind == "response.done":
            self.done, self.now = event, ""
            self._end_calls(is_good=event.get("status") in {"answered", "partial"})
            for step in self.steps.values():
                step.state = "left" if step.state in {"pending", "running"} else step.state

    @property
    def judged_events(self) -> list[Told]:
        """Write as events what may hold values, and by what that is judged."""
        contents = [{**one, "type": "tool.content"} for one in self.contents]
        decisions = [{**one, "type": "supervisor.decided"} for one in self.decisions]
        return [*contents, *decisions, {**(self.done or {}), "type": "response.done"}]

    @property
    def waits(self) -> bool:
        """Whether the request waits for a response of the person."""
        return self.done is None and self.question is not None and bool(self.question.get("id"))

    def _end_calls(self, *, is_good: bool) -> None:
        """Leave nothing running behind the last event; some work tells its progress, and never its end."""
        for call in self.calls.values():
            if call.state == "running":
                call.state, call.progress = ("succeeded" if is_good else "failed"), None

    def _take_call(self, kind: str, event: Told) -> None:
        tool = str(event.get("tool", ""))
        call = self.calls.setdefault(str(event.get("call_id") or tool), Call(tool, str(event.get("server") or "")))
        if kind == "tool.content":
            self.contents.append(event)
            return
        call.said = str(event.get("message") or call.said)
        if kind == "tool.start":
            call.asked = call.said
        elif kind == "tool.progress":
            call.progress = event.get("progress")
        elif kind == "tool.complete":
            call.state, call.elapsed_ms, call.progress, call.said = (
                "succeeded", event.get("elapsed_ms"), None, call.asked
            )  # fmt: skip
        elif kind == "tool.error":
            call.state = "failed"
        if kind in {"tool.start", "tool.progress"}:
            self.now = call.said or f"Working with {tool}"

    def _take_step(self, kind: str, event: Told) -> None:
        if kind == "workflow.created":
            self.workflow = event
            self.steps.clear()  # of a workflow before, which this one replaces
            batches = {step: place for place, batch in enumerate(event.get("batches") or []) for step in batch}
            for one in event.get("plan") or []:
                step_id = str(one["id"])
                self.steps[step_id] = Step(str(one["name"]), str(one["operator"]), batches.get(step_id, 0))
            self.now = str(event.get("goal") or self.now)
            return
        step = self.steps.get(str(event.get("id")))
        if step is not None and kind == "workflow.step.start":
            step.state, self.now = "running", step.name
        elif step is not None and kind == "workflow.step.complete":
            step.state = {"completed": "succeeded", "succeeded": "succeeded"}.get(str(event.get("status")), "failed")
            step.said = str(event.get("message") or "")


def view_of(asked: str, answer: ChatMessage | None) -> ChatView:
    """Return what the history knows of a message and its answer."""
    if answer is None:
        return ChatView(asked, done={"status": "stopped"})
    view = ChatView(
        asked,
        decisions=list(answer.decisions),
        calls={tool: Call(tool, state="succeeded") for tool in answer.tools},
        contents=list(answer.contents),
        text=answer.content,
    )
    if answer.workflow is not None:
        view.take({**answer.workflow, "type": "workflow.created"})
        for step, state in answer.workflow["states"].items():
            view.take({**state, "type": "workflow.step.complete", "id": step})
    told = {name: getattr(answer, name) for name in ("status", "action", "citations", "missing")}
    view.take({**told, "type": "response.done"})
    return view
