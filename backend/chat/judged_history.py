"""The chat's conversations as they may be shown and told today."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ai_engine.chat_history import ChatHistory, ChatMessage, RunningSummary, statement_of
from backend.answers.withheld import why_withheld


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
        found, why = [], ""
        for one in await self._kept.messages(conversation_id):
            if one.role == "assistant":
                statements = [sql for sql in map(statement_of, one.contents) if sql]
                leant_on = why if _leans(one, statements) else ""
                why = why_withheld(statements, self._check) or leant_on
            found.append(_emptied(one, why) if why and one.role == "assistant" else one)
        return found if last is None else found[len(found) - min(last, len(found)) :]

    async def summary(self, conversation_id: str) -> RunningSummary:
        """See ChatHistory."""
        return await self._kept.summary(conversation_id)

    async def keep_summary(self, conversation_id: str, summary: RunningSummary) -> None:
        """See ChatHistory."""
        await self._kept.keep_summary(conversation_id, summary)


def _emptied(message: ChatMessage, why: str) -> ChatMessage:
    emptied = {"content": why, "contents": (), "citations": (), "decisions": (), "workflow": None}
    return message.model_copy(update=emptied)


def _leans(message: ChatMessage, statements: Sequence[str]) -> bool:
    """Tell whether figures of the answer before are in this one; of one that does not say so that it may be."""
    return any(decision.get("leans", not statements) for decision in message.decisions)
