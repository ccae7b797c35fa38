"""What is remembered of a conversation: its last messages word for word, and a running summary of those before."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from ai_engine.chat_history import ChatHistory, ChatMessage, RunningSummary
from ai_engine.context.tokens import cut_to_tokens, estimated_tokens

Summarise: TypeAlias = Callable[[str, Sequence[ChatMessage]], Awaitable[str]]
"""Given the summary until now and the messages that leave the window, oldest first: the new summary."""

_SENTENCE_TOKENS = 60
_SUMMARY_TOKENS = 600
_LEFT_OUT = "(What was said before is left out.)"


@dataclass(frozen=True, slots=True)
class ConversationMemory:
    """A conversation before the message that is being answered.

    Attributes:
        messages: all that are at hand, oldest first, never fewer than the window where there are so many.
        summary: of all that left the window; empty while nothing has.
        window: how many of the last messages are told word for word.
    """

    messages: tuple[ChatMessage, ...] = ()
    summary: str = ""
    window: int = 5

    def recent(self, number: int | None = None) -> list[dict[str, str]]:
        """Return the last messages, oldest first, as requirements give them; by default those of the window."""
        number = self.window if number is None else number
        return [{"role": one.role, "text": one.content} for one in self.messages[-number:]]


async def load_memory(
    history: ChatHistory, conversation_id: str, window: int, summarise: Summarise
) -> ConversationMemory:
    """Read a conversation; its summary is made anew only where messages have left the window since it was made.

    Raises:
        StoreUnavailable: the history cannot be read or written.
    """
    summary = await history.summary(conversation_id)
    messages = await history.messages(conversation_id)
    left = messages[summary.messages : max(len(messages) - window, 0)]
    if left:
        text = await summarise(summary.text, left)
        summary = RunningSummary(text=text, messages=summary.messages + len(left))
        await history.keep_summary(conversation_id, summary)
    return ConversationMemory(tuple(messages), summary.text, window)


def summary_by_rule(before: str, left: Sequence[ChatMessage]) -> str:
    """Carry a summary on with the beginning of each message, and drop its oldest lines where it grows too long."""
    said = {"user": "Asked", "assistant": "Answered"}
    new = [f"{said[one.role]}: {_beginning(one.content)}" for one in left if one.content.strip()]
    lines = [line for line in before.splitlines() if line != _LEFT_OUT] + new
    kept = lines[-1:]
    for line in reversed(lines[:-1]):
        if estimated_tokens("\n".join([line, *kept])) > _SUMMARY_TOKENS:
            break
        kept.insert(0, line)
    return "\n".join([_LEFT_OUT, *kept] if len(kept) < len(lines) or _LEFT_OUT in before else kept)


def _beginning(text: str) -> str:
    first = next(line for line in text.splitlines() if line.strip())
    return cut_to_tokens(" ".join(first.split()), _SENTENCE_TOKENS)
