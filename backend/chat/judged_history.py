"""The chat's conversations as they may be shown and told today."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ai_engine.chat_history import ChatHistory, ChatMessage, RunningSummary
from backend.answers.withheld import why_withheld

_OF_ANOTHER_DATABASE = "data_analyst"
"""Asks databases that other servers look after, which judge for themselves."""


class JudgedHistory:
    """A ChatHistory that says of an answer why it is not shown, where a table in it may not be read any more.

    Args:
        kept: where they are.
        check: judges a statement as it would be judged now; raises SqlRejected.
    """

    def __init__(self, kept: ChatHistory, check: Callable[[str], object]) -> None:
        self._kept = kept
        self._check = check

    async def add(self, conversation_id: str, messages: Sequence[ChatMessage]) -> None:
        """See ChatHistory."""
        await self._kept.add(conversation_id, messages)

    async def messages(self, conversation_id: str, last: int | None = None) -> list[ChatMessage]:
        """See ChatHistory."""
        return [self._judged(one) for one in await self._kept.messages(conversation_id, last)]

    async def summary(self, conversation_id: str) -> RunningSummary:
        """See ChatHistory."""
        return await self._kept.summary(conversation_id)

    async def keep_summary(self, conversation_id: str, summary: RunningSummary) -> None:
        """See ChatHistory."""
        await self._kept.keep_summary(conversation_id, summary)

    def _judged(self, message: ChatMessage) -> ChatMessage:
        why = why_withheld(map(_statement_of, message.contents), self._check)
        if not why:
            return message
        emptied = {"content": why, "contents": (), "citations": (), "decisions": (), "workflow": None}
        return message.model_copy(update=emptied)


def _statement_of(content: dict[str, Any]) -> str | None:
    """Return the statement of a table that was shown."""
    widget = content.get("data")
    table = widget.get("data") if isinstance(widget, dict) else None
    is_ours = content.get("tool") != _OF_ANOTHER_DATABASE and isinstance(table, dict)
    return table.get("sql") if is_ours else None  # type: ignore[union-attr]
