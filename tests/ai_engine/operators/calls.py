"""Calls of operators as tests make them, with every event kept."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Mapping
from typing import Any

from ai_engine.events import Event, EventType
from ai_engine.operators.base import OperatorResult
from ai_engine.operators.calling import OperatorCaller, call_operator
from ai_engine.operators.registry import OperatorRegistry, all_operators


class Listener:
    """Keeps the events of a request."""

    def __init__(self) -> None:
        self.events: list[Event] = []

    def __call__(self, event: Event) -> None:
        self.events.append(event)

    @property
    def types(self) -> list[str]:
        return [event.type.value for event in self.events]

    def told(self, event_type: EventType) -> list[dict[str, Any]]:
        return [event.data for event in self.events if event.type is event_type]


def knows(**context: Any) -> Any:
    """Assemble a context of what is given, each requirement under its name with `.` as `_`."""

    async def assemble(requirements: Any, query: str) -> Mapping[str, Any]:
        return {one: context.get(one.partition("(")[0].replace(".", "_")) for one in requirements}

    return assemble


def caller(listener: Listener | None = None, registry: OperatorRegistry | None = None, **given: Any) -> OperatorCaller:
    given = {"stop": threading.Event(), **given}
    return OperatorCaller(registry or all_operators(), "request-1", listener or Listener(), **given)


def call(name: str, query: str, by: OperatorCaller, /, timeout_s: float = 20, **params: Any) -> OperatorResult:
    return asyncio.run(call_operator(name, query, params, by, timeout_s=timeout_s, call_id="call-1"))
