"""The port to tools of other programs (MCP servers): what they offer, how they are called and what they give back."""

from __future__ import annotations

import threading
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Literal, Protocol, TypeAlias

from pydantic import BaseModel, ConfigDict, Field


class ContentType(StrEnum):
    """Kinds of content that are handled by name; others are kept as files."""

    TEXT = "text/plain"
    MARKDOWN = "text/markdown"
    HTML = "text/html"
    JSON = "application/json"
    IMAGE_PNG = "image/png"
    IMAGE_JPEG = "image/jpeg"
    IMAGE_GIF = "image/gif"
    IMAGE_WEBP = "image/webp"
    IMAGE_SVG = "image/svg+xml"
    PDF = "application/pdf"
    AUDIO_MPEG = "audio/mpeg"
    AUDIO_WAV = "audio/wav"
    VIDEO_MP4 = "video/mp4"
    WIDGET = "application/vnd.mcp.widget+json"
    BINARY = "application/octet-stream"


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True)


class WidgetSpec(_Frozen):
    """A part of a page that a tool asks for; `data_table` and `chart` are drawn, others are shown as JSON."""

    widget_type: str
    title: str = ""
    data: dict[str, Any] = Field(default_factory=dict)
    actions: list[dict[str, Any]] = Field(default_factory=list)


class ToolContent(_Frozen):
    """One item of a result; `data` is text, a JSON value, or base64 where `encoding` says so."""

    content_type: str
    data: Any
    encoding: Literal["base64"] | None = None
    metadata: dict[str, Any] = Field(default_factory=dict)

    @property
    def is_text(self) -> bool:
        """Whether it is any kind of text."""
        return self.content_type.startswith("text/")

    @property
    def is_image(self) -> bool:
        """Whether it is any kind of image."""
        return self.content_type.startswith("image/")

    @property
    def is_widget(self) -> bool:
        """Whether it is a widget."""
        return self.content_type == ContentType.WIDGET.value

    @classmethod
    def text(cls, text: str, content_type: ContentType = ContentType.TEXT) -> ToolContent:
        """Make an item of text."""
        return cls(content_type=content_type.value, data=text)

    @classmethod
    def image(cls, base64_data: str, mime_type: str, alt_text: str = "") -> ToolContent:
        """Make an image of bytes in base64."""
        return cls(content_type=mime_type, data=base64_data, encoding="base64", metadata={"alt_text": alt_text})

    @classmethod
    def widget(cls, widget: WidgetSpec) -> ToolContent:
        """Make a widget."""
        return cls(content_type=ContentType.WIDGET.value, data=widget.model_dump(mode="json"))


class ToolResultStatus(StrEnum):
    """How a call ended."""

    SUCCESS = "success"
    ERROR = "error"
    TIMEOUT = "timeout"
    CANCELLED = "cancelled"


class ToolResult(_Frozen):
    """What a call gave; all of it was written by another program and is data, never instructions.

    Attributes:
        tool_name: as it was called.
        structured: the structured output, checked against the tool's output schema; None where it has none.
        error: in our own words; None for a success.
    """

    tool_name: str
    status: ToolResultStatus
    contents: list[ToolContent] = Field(default_factory=list)
    structured: dict[str, Any] | None = None
    error: str | None = None
    duration_ms: float = 0
    metadata: dict[str, Any] = Field(default_factory=dict)

    @property
    def text_contents(self) -> list[ToolContent]:
        """The items of text."""
        return [content for content in self.contents if content.is_text]

    @property
    def image_contents(self) -> list[ToolContent]:
        """The images."""
        return [content for content in self.contents if content.is_image]

    @property
    def combined_text(self) -> str:
        """All text, one item per line."""
        return "\n".join(str(content.data) for content in self.text_contents)

    @property
    def has_images(self) -> bool:
        """Whether there is an image."""
        return any(content.is_image for content in self.contents)

    @property
    def has_widgets(self) -> bool:
        """Whether there is a widget."""
        return any(content.is_widget for content in self.contents)


class ToolSummary(_Frozen):
    """What is known of a tool before anybody wants to use it.

    Attributes:
        name: how it is called: its own name, or `server.tool` where two servers have one of that name.
        idempotent: the server says that calling twice is like calling once.
    """

    name: str
    description: str
    server_id: str
    read_only: bool = False
    idempotent: bool = False


class ToolSchema(_Frozen):
    """A tool with the JSON schemas of what it takes and gives."""

    name: str
    description: str
    server_id: str
    input_schema: dict[str, Any]
    output_schema: dict[str, Any] | None = None


class ServerHealth(_Frozen):
    """One server as it was last seen; `error` in our own words."""

    server_id: str
    healthy: bool
    tools: int = 0
    error: str | None = None


@dataclass(frozen=True, slots=True)
class ElicitationRequest:
    """What a tool asks the person in the middle of a call; `schema` is a JSON schema of an object of plain values."""

    message: str
    schema: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ElicitationResponse:
    """What the person said; `content` only with "accept"."""

    action: Literal["accept", "decline", "cancel"]
    content: Mapping[str, Any] | None = None


ErrorKind: TypeAlias = Literal["timeout", "connection", "execution", "validation"]


@dataclass(frozen=True, slots=True)
class ToolCallbacks:
    """Whom to tell while a call runs; all are awaited in the caller's loop, the first argument is the server's id.

    Attributes:
        on_progress: server, tool, progress from 0 to 1 (None where the server gives no total), message.
        on_elicitation: server, tool, request; the call waits for the response. Without it every request is declined.
        on_content: server, tool, one item, before the result is complete.
        on_error: server, tool, error in our words, its kind.
    """

    on_progress: Callable[[str, str, float | None, str], Awaitable[None]] | None = None
    on_elicitation: Callable[[str, str, ElicitationRequest], Awaitable[ElicitationResponse]] | None = None
    on_content: Callable[[str, str, ToolContent], Awaitable[None]] | None = None
    on_error: Callable[[str, str, str, ErrorKind], Awaitable[None]] | None = None


@dataclass(frozen=True, slots=True)
class ToolRequest:
    """One call to make."""

    tool_name: str
    arguments: Mapping[str, Any]


class ToolNotFound(KeyError):
    """There is no such tool; the text names the nearest, or the servers of which one must be said."""


class Tools(Protocol):
    """The tools that the person enabled, on all servers; for one request, and never raises but where it says so."""

    async def summaries(self) -> Sequence[ToolSummary]:
        """List all tools of servers that answer."""
        ...

    async def schema(self, tool_name: str) -> ToolSchema:
        """Return a tool's schemas, fetched when first asked for.

        Raises:
            ToolNotFound: no server has it, or several have.
        """
        ...

    async def call(
        self,
        tool_name: str,
        arguments: Mapping[str, Any],
        callbacks: ToolCallbacks | None = None,
        *,
        stop: threading.Event | None = None,
    ) -> ToolResult:
        """Call one tool; every failure is a result that says so, cancelling the task cancels the call."""
        ...

    async def call_parallel(
        self,
        calls: Sequence[ToolRequest],
        callbacks: ToolCallbacks | None = None,
        *,
        stop: threading.Event | None = None,
    ) -> list[ToolResult]:
        """Call several beside each other; results in the order of the calls, each failing for itself."""
        ...

    def health(self) -> Sequence[ServerHealth]:
        """Tell how the servers were last seen."""
        ...
