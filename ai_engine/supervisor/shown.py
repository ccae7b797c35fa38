"""What a person is told of a request, free of links, pictures and HTML, whoever wrote it."""

from __future__ import annotations

from typing import Any

from ai_engine.events import Event, EventType
from ai_engine.operators.links import defused
from ai_engine.tools import ContentType

_MEANT_LITERALLY = frozenset({"schema", "input_mapping", "metadata"})
"""Fields that programs read: what a form takes, what a step is given."""


def as_shown(event: Event) -> Event:
    """Take out of an event's texts what leads or loads; contents that are no Markdown are judged where they are drawn.

    The pieces of a response are those of a text that was judged whole.
    """
    if event.type is EventType.RESPONSE_CHUNK:
        return event
    left = _MEANT_LITERALLY
    if event.type is EventType.TOOL_CONTENT and event.data.get("content_type") != ContentType.MARKDOWN.value:
        left |= {"data"}
    shown = {name: value if name in left else _shown(value) for name, value in event.data.items()}
    return event.model_copy(update={"data": shown})


def _shown(value: Any) -> Any:
    if isinstance(value, str):
        return defused(value)
    if isinstance(value, dict):
        return {name: item if name in _MEANT_LITERALLY else _shown(item) for name, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_shown(item) for item in value]
    return value
