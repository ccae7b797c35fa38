"""The events of one call of an operator, under its name and its id."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Mapping
from typing import Any

from ai_engine.agent import TabularResult
from ai_engine.events import Event, EventType
from ai_engine.json_values import any_to_json
from ai_engine.operators.base import OperatorResult
from ai_engine.tools import ToolContent, WidgetSpec

_log = logging.getLogger(__name__)
_SHOWN_AS = {EventType.MCP_PROGRESS: EventType.TOOL_PROGRESS, EventType.MCP_CONTENT: EventType.TOOL_CONTENT}
"""What servers tell, as clients see it; their errors and questions are told by whoever made the call."""
_KNOWN_OF_TABLES = ("units", "chart", "sql", "server", "truncated", "columns")
"""What of a result's metadata goes with its table, for whoever draws it; `columns` goes as `meanings`."""


class CallEvents:
    """Passes events of a call on until it is closed: whoever was left behind tells nobody any more."""

    def __init__(self, tool: str, call_id: str, request_id: str, emit: Callable[[Event], None]) -> None:
        self._named = {"tool": tool, "call_id": call_id}
        self._request_id = request_id
        self._emit = emit
        self._lock = threading.Lock()
        self._closed = False
        self._contents: list[dict[str, Any]] = []

    def tell(self, event_type: EventType, **data: Any) -> None:
        """Tell an event; from any thread."""
        self.emit(event_type, data)

    def emit(self, event_type: EventType, data: Mapping[str, Any]) -> None:
        """Tell an event as operators do; from any thread."""
        if event_type.value.startswith("mcp."):
            _log.debug("%s of %s in %s", event_type.value, data.get("server"), self._named["tool"])
            if event_type not in _SHOWN_AS:
                return
        event_type = _SHOWN_AS.get(event_type, event_type)
        fields = {name: any_to_json(value) for name, value in data.items()}
        with self._lock:
            if not self._closed:
                if event_type is EventType.TOOL_CONTENT:
                    self._contents.append(fields)
                self._emit(Event(type=event_type, request_id=self._request_id, data={**fields, **self._named}))

    def tell_contents(self, result: OperatorResult) -> int:
        """Tell what a result has to show and was not shown on the way; returns how many items were shown in all."""
        shown = list(result.contents)
        if result.table is not None and not any(content.is_widget for content in shown):
            shown.append(_as_widget(result.table, result.metadata))
        for content in shown:
            fields = content_fields(content)
            if not any(fields.items() <= told.items() for told in self._contents):
                self.tell(EventType.TOOL_CONTENT, **fields)
        return len(self._contents)

    def close(self, event_type: EventType, **data: Any) -> None:
        """Tell the last event."""
        self.tell(event_type, **data)
        with self._lock:
            self._closed = True


def content_fields(content: ToolContent) -> dict[str, Any]:
    """Write an item as the fields of `tool.content`."""
    made: dict[str, Any] = {"content_type": content.content_type, "data": any_to_json(content.data)}
    if content.encoding is not None:
        made["encoding"] = content.encoding
    return made | {"metadata": any_to_json(content.metadata)}


def _as_widget(table: TabularResult, described: Mapping[str, Any]) -> ToolContent:
    """Make a `data_table` of a table, with what is known of its columns."""
    known = {name: described[name] for name in _KNOWN_OF_TABLES if described.get(name)}
    known["meanings"] = known.pop("columns", [])
    data = {"columns": table.columns, "rows": table.rows, "row_count": table.row_count, **known}
    return ToolContent.widget(WidgetSpec(widget_type="data_table", data=_json_object(data)))


def _json_object(data: Mapping[str, Any]) -> dict[str, Any]:
    return {name: any_to_json(value) for name, value in data.items()}
