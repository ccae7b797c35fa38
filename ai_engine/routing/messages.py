"""What travels between a person, the front desk and its agents."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Iterable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from pydantic import BaseModel, ConfigDict, Field

if TYPE_CHECKING:
    from ai_engine.routing.agent import RoutedAgent

INTERRUPTED = "[interrupted]"
"""Ends the memory of an answer that nobody waited for, or that broke off."""
WITHHELD = "(Answered with figures of the bank's data, which are not told to a language model.)"


def now_ms() -> int:
    """Milliseconds since 1970."""
    return time.time_ns() // 1_000_000


class ParticipantRole(StrEnum):
    """Who said something."""

    USER = "user"
    ASSISTANT = "assistant"


class ConversationMessage(BaseModel):
    """One turn; `content` is a list of blocks such as `{"text": ...}`; no model hears one with `"withheld": true`.

    `"statements": [...]` on a block: the SQL on the bank's data that the turn rests on, by which it is judged again.
    `"source"` and `"closed"` are the database that it was said of, and a mark of what of that was closed then.
    """

    model_config = ConfigDict(frozen=True)

    role: ParticipantRole
    content: list[dict[str, Any]] = Field(default_factory=list)

    @classmethod
    def of(cls, role: ParticipantRole, text: str) -> ConversationMessage:
        """Write a turn of one block of text."""
        return cls(role=role, content=[{"text": text}])

    @property
    def text(self) -> str:
        """All blocks of text, one after the other."""
        return "".join(str(block["text"]) for block in self.content if "text" in block)

    @property
    def told_text(self) -> str:
        """The text as a language model may be told it."""
        texts = (block for block in self.content if "text" in block)
        return "".join(WITHHELD if block.get("withheld") else str(block["text"]) for block in texts)

    @property
    def is_withheld(self) -> bool:
        """Whether a part of it is kept from language models."""
        return any(block.get("withheld") for block in self.content)

    @property
    def statements(self) -> tuple[str, ...] | None:
        """What it rests on; None where nobody noted that."""
        noted = [block["statements"] for block in self.content if "statements" in block]
        return tuple(dict.fromkeys(sql for statements in noted for sql in statements)) if noted else None

    @property
    def source(self) -> str | None:
        """What it was said of; None where nobody noted that."""
        return next((block["source"] for block in self.content if "source" in block), None)

    @property
    def closed(self) -> str:
        """The mark of what was closed; empty where nobody noted that."""
        return next((block["closed"] for block in self.content if "closed" in block), "")


class TimestampedMessage(ConversationMessage):
    """A turn with the moment at which it was said, in milliseconds since 1970."""

    timestamp: int = Field(default_factory=now_ms)


class FaultMessage(ConversationMessage):
    """An answer that says why there is none; `error_type` is a class of error such as "NothingFound"."""

    error_type: str


class StoppedMessage(ConversationMessage):
    """An answer that says that a message was stopped; neither of the two is kept."""


class AgentStreamResponse(BaseModel):
    """A piece of an answer on its way; exactly one, the last, has `final_message`.

    `statements` is what the answer rests on as far as it has come.
    """

    model_config = ConfigDict(frozen=True)

    text: str = ""
    thinking: str = ""
    final_message: ConversationMessage | None = None
    final_thinking: str | None = None
    statements: tuple[str, ...] = ()


_Turn = TypeVar("_Turn", bound=ConversationMessage)
AgentStream: TypeAlias = AsyncIterator[AgentStreamResponse]


class AgentProcessingResult(BaseModel):
    """Who was asked what by whom; `additional_params` is a copy, with `error_type` where something went wrong."""

    model_config = ConfigDict(frozen=True)

    user_input: str
    agent_id: str
    agent_name: str
    user_id: str
    session_id: str
    additional_params: dict[str, Any] = Field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class AgentResponse:
    """An answer, or the stream of one.

    Attributes:
        output: a message, or where `streaming` an iterator of pieces; not reading it to its end leaves it interrupted.
        confidence: of the choice of the agent, 0 to 1.
        reason: why this agent, for people.
        candidates: ids of agents that it could have been too, best first.
    """

    metadata: AgentProcessingResult
    output: ConversationMessage | AgentStream
    streaming: bool
    confidence: float = 0.0
    reason: str = ""
    candidates: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ClassifierResult:
    """Which agent is to answer; none where it cannot be told.

    Attributes:
        confidence: 0 to 1.
        reason: why, for people.
        candidates: agents that it could be too, best first.
        user_input: what the agent is to answer, where that is not what was typed: the question that was left open.
    """

    selected_agent: RoutedAgent | None
    confidence: float = 0.0
    reason: str = ""
    candidates: tuple[RoutedAgent, ...] = field(default=())
    user_input: str | None = None


def as_markdown(message: ConversationMessage) -> str:
    """Write a turn with its tables, `{"table": {"columns": [...], "rows": [[...]]}}`, as text."""
    parts = [message.text]
    for block in message.content:
        if "table" in block:
            head, rows = block["table"]["columns"], block["table"]["rows"]
            lines = [head, ["---"] * len(head), *rows]
            parts.append("\n".join(f"| {' | '.join(_cell(cell) for cell in line)} |" for line in lines))
    return "\n\n".join(part for part in parts if part)


def _cell(text: object) -> str:
    return " ".join(str(text).split()).replace("|", "\\|")


def withheld(message: ConversationMessage) -> ConversationMessage:
    """Return a turn that no language model is told."""
    return message.model_copy(update={"content": [{**block, "withheld": True} for block in message.content]})


def resting_on(message: _Turn, statements: Iterable[str]) -> _Turn:
    """Note at a turn what it rests on, besides what is noted there; that it rests on nothing is noted too."""
    noted = list(dict.fromkeys([*(message.statements or ()), *statements]))
    first, *others = message.content or [{"text": ""}]
    return message.model_copy(update={"content": [{**first, "statements": noted}, *others]})


def said_of(message: _Turn, source: str, closed: str) -> _Turn:
    """Note at a turn what it was said of, in place of what was noted there."""
    first, *others = message.content or [{"text": ""}]
    return message.model_copy(update={"content": [{**first, "source": source, "closed": closed}, *others]})


def interrupted(text: str) -> ConversationMessage:
    """Write what was said of an answer until it broke off."""
    return ConversationMessage.of(ParticipantRole.ASSISTANT, f"{text}\n{INTERRUPTED}" if text else INTERRUPTED)
