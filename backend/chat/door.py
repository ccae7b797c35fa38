"""What the chat API needs of whoever answers: one door for API, page and command line."""

from __future__ import annotations

import threading
from collections.abc import AsyncGenerator, Mapping, Sequence
from typing import Any, Protocol

from pydantic import BaseModel, ConfigDict, Field

from ai_engine.chat_history import ChatMessage
from ai_engine.events import Event
from ai_engine.model_use import LOCAL
from ai_engine.tools import ElicitationResponse

CONVERSATION_ID = r"^[A-Za-z0-9._:-]{1,100}$"
"""What clients may call a conversation."""


class ChatRequest(BaseModel):
    """One message of a conversation; a new conversation where none is named.

    Attributes:
        person: who asks, whose own templates can be asked for.
        context: what the calling program says of the person and what they look at; data, and not kept.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    conversation_id: str | None = None
    message: str
    person: str = LOCAL
    context: dict[str, Any] = Field(default_factory=dict)


class ToolListing(BaseModel):
    """One thing that the chat can do: an operator, or a tool of a server with the server's health."""

    model_config = ConfigDict(frozen=True)

    name: str
    description: str
    server_id: str | None = None
    healthy: bool = True


class TemplateInput(BaseModel):
    """A text in the inputs of a workflow that is asked for under a name the next time."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str = Field(max_length=64)
    text: str = Field(max_length=500)


class TemplateWish(BaseModel):
    """How a workflow that ran is to be kept: under its title, by which it is asked for again."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    title: str = Field(max_length=200)
    inputs: tuple[TemplateInput, ...] = Field(default=(), max_length=20)


class TemplateDraft(BaseModel):
    """What a workflow was for, and what in it could be another the next time."""

    model_config = ConfigDict(frozen=True)

    goal: str
    inputs: tuple[TemplateInput, ...]


class TemplateListing(BaseModel):
    """A template that can be asked for; the person's own are seen by nobody else."""

    model_config = ConfigDict(frozen=True)

    name: str
    title: str
    description: str
    parameters: tuple[str, ...] = ()
    is_own: bool = False


class Templates(Protocol):
    """Workflow templates, and how a person makes one of a workflow that ran in a conversation of theirs."""

    async def listed(self, person: str) -> list[TemplateListing]:
        """List what a person can ask for, their own first; so do all methods, raises StoreUnavailable."""
        ...

    async def draft(self, conversation_id: str, workflow_id: str) -> TemplateDraft:
        """Say what could be another text the next time.

        Raises:
            BadQuestion: the conversation keeps no such workflow, or it is a template's.
        """
        ...

    async def keep(self, person: str, conversation_id: str, workflow_id: str, wish: TemplateWish) -> TemplateListing:
        """Keep a workflow as a template, in the place of an own one of its name.

        Raises:
            BadQuestion: as `draft`, or it cannot be kept so.
        """
        ...

    async def drop(self, person: str, name: str) -> bool:
        """Forget an own template; False where there is none."""
        ...


class Chat(Protocol):
    """Answers messages; safe to share between requests."""

    def events(self, request: ChatRequest, stop: threading.Event | None = None) -> AsyncGenerator[Event, None]:
        """Yield what happens, `response.done` at the end; closing it stops all work within a second."""
        ...

    async def respond(self, request_id_of_clarify: str, response: ElicitationResponse) -> bool:
        """Answer a question of a running request; False where nobody waits for it."""
        ...

    async def history(self, conversation_id: str) -> list[ChatMessage]:
        """Return the messages of a conversation, the oldest first."""
        ...

    async def whys_withheld(self, conversation_id: str, told: Sequence[Sequence[Mapping[str, Any]]]) -> list[str]:
        """Say of the events of each request of a conversation why they are not shown any more; empty where they are.

        Raises:
            StoreUnavailable: the conversation cannot be read.
        """
        ...

    async def tools(self) -> Sequence[ToolListing]:
        """List operators and tools."""
        ...

    @property
    def templates(self) -> Templates:
        """The workflow templates."""
        ...


def kept_as(conversation_id: str, who: str) -> str:
    """Return the name under which a conversation is kept: with whoever holds it, so that nobody reads another's."""
    return conversation_id if who == LOCAL else f"{conversation_id}/{who}"
