"""Conversations of the chat and of the desks as they may be shown and told today."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from typing import Any

from ai_engine.agent import in_thread
from ai_engine.chat_history import ChatHistory, ChatMessage, RunningSummary, statement_of
from ai_engine.events import EventType
from ai_engine.guard import Policy
from ai_engine.routing import ChatStorage, ConversationMessage, ParticipantRole
from ai_engine.routing.messages import resting_on, said_of, withheld
from backend.answers.withheld import CLOSED_SINCE, mark_of, question_of_several, why_withheld

_NAMES_VALUES = frozenset({"clarify", "partial", "failed", "blocked"})
"""How answers end that may offer values of columns which no statement of theirs names."""
_OF_NO_COLUMN = frozenset({"computation", "documents", "api_docs", "rag_retriever", "web_searcher"})
"""The tools that say nothing of what words and columns mean, with their values, for which no statement runs."""


class JudgedHistory:
    """A ChatHistory that says of an answer why it is not shown, where a table in it may not be read any more.

    So it does of one that may offer choices, or say what a column holds, where other columns were closed when it was
    given. The question before such an answer stays only where its statements have no value.

    Args:
        kept: where they are.
        check: judges a statement as it would be judged now; raises SqlRejected.
        policy: what is closed now.
    """

    def __init__(self, kept: ChatHistory, check: Callable[[str], object], policy: Policy) -> None:
        self._kept = kept
        self._check = check
        self._closed = mark_of(policy)

    async def add(self, conversation_id: str, messages: Sequence[ChatMessage]) -> None:
        """See ChatHistory."""
        await self._kept.add(conversation_id, [self._noted(one) for one in messages])

    async def messages(self, conversation_id: str, last: int | None = None) -> list[ChatMessage]:
        """See ChatHistory."""
        found = await in_thread(self._as_may_be_shown, await self._kept.messages(conversation_id))
        return found if last is None else found[len(found) - min(last, len(found)) :]

    def _as_may_be_shown(self, messages: Sequence[ChatMessage]) -> list[ChatMessage]:
        """Judge each statement once; in a thread, as a long conversation takes a while."""
        found: list[ChatMessage] = []
        why = ""
        refusal = cache(lambda sql: why_withheld((sql,), self._check))
        for one in messages:
            if one.role == "assistant":
                statements = [sql for sql in map(statement_of, one.contents) if sql]
                leant_on = why if _leans(one.decisions, statements) else ""
                why = (
                    next(filter(None, map(refusal, statements)), "")
                    or leant_on
                    or why_outdated(one.status, one.contents, one.decisions, self._closed)
                )
                if why and found and found[-1].role == "user":
                    asked = question_of_several(found[-1].content, statements)
                    found[-1] = found[-1].model_copy(update={"content": asked})
            found.append(_emptied(one, why) if why and one.role == "assistant" else one)
        return found

    async def summary(self, conversation_id: str) -> RunningSummary:
        """See ChatHistory; one that was made when other columns were closed is none, and is made anew."""
        kept = await self._kept.summary(conversation_id)
        return kept if kept.closed == self._closed else RunningSummary()

    async def keep_summary(self, conversation_id: str, summary: RunningSummary) -> None:
        """See ChatHistory."""
        await self._kept.keep_summary(conversation_id, summary.model_copy(update={"closed": self._closed}))

    def _noted(self, message: ChatMessage) -> ChatMessage:
        decisions = tuple({**one, "closed": self._closed} for one in message.decisions)
        return message.model_copy(update={"decisions": decisions})


def why_outdated(
    status: str, contents: Iterable[Mapping[str, Any]], decisions: Iterable[Mapping[str, Any]], closed: str
) -> str:
    """Say why an answer is not shown any more that may name values which no statement reads; empty where it may be.

    Args:
        status: how it ended.
        contents: of it.
        decisions: that led to it, each with the mark of what was closed then.
        closed: the mark of what is closed now.
    """
    was_other = any(one.get("closed", closed) != closed for one in decisions)
    may_name = was_other and (status in _NAMES_VALUES or any(map(_may_list_values, contents)))
    return CLOSED_SINCE if may_name else ""


def statements_alone(messages: Iterable[ChatMessage]) -> tuple[str, ...]:
    """Return the statements that all values in answers come from; none where these may name some that nobody noted."""
    found: list[str] = []
    for one in messages:
        if one.status in _NAMES_VALUES or any(map(_may_list_values, one.contents)):
            return ()
        found += filter(None, map(statement_of, one.contents))
    return tuple(found)


def _may_list_values(content: Mapping[str, Any]) -> bool:
    return content.get("tool") not in _OF_NO_COLUMN and not statement_of(content)


def why_told_no_more(
    told: Iterable[Sequence[Mapping[str, Any]]], check: Callable[[str], object], closed: str
) -> list[tuple[str, bool]]:
    """Say of the events of each request why they are told no more, and whether they lean on an answer before.

    Args:
        told: the events.
        check: judges a statement as it would be judged now, each once; raises SqlRejected.
        closed: the mark of what is closed now.
    """
    refusal, found = cache(lambda sql: why_withheld((sql,), check)), []
    for events in told:
        contents = [event for event in events if event.get("type") == EventType.TOOL_CONTENT.value]
        statements = [sql for sql in map(statement_of, contents) if sql]
        decided = [event for event in events if event.get("type") == EventType.SUPERVISOR_DECIDED.value]
        ended = next((event["status"] for event in events if event.get("type") == EventType.RESPONSE_DONE.value), "")
        why = next(filter(None, map(refusal, statements)), "") or why_outdated(ended, contents, decided, closed)
        found.append((why, _leans(decided, statements)))
    return found


def _emptied(message: ChatMessage, why: str) -> ChatMessage:
    emptied: dict[str, Any] = {"content": why, "contents": (), "citations": (), "missing": (), "decisions": ()}
    emptied |= {"workflow": None, "is_withheld": True}
    return message.model_copy(update=emptied)


def _leans(decisions: Iterable[Mapping[str, Any]], statements: Sequence[str]) -> bool:
    """Tell whether figures of the answer before are in this one; of one that does not say so that it may be."""
    return any(decision.get("leans", not statements) for decision in decisions)


class JudgedChatStorage(ChatStorage):
    """A ChatStorage that tells no turn to a language model which may not be told any more.

    That is one whose statements may not run; one that rests on none and was said when other columns were closed, as the
    choices that it offers are values of columns that nobody noted; one that was said of another source; and one that an
    earlier version kept, of which nobody can tell what it rests on.

    Args:
        kept: where they are.
        check: judges a statement as it would be judged now; raises SqlRejected.
        source: what is asked, under the name by which the store knows it.
        policy: what of it is closed now.
    """

    def __init__(self, kept: ChatStorage, check: Callable[[str], object], source: str, policy: Policy) -> None:
        self._kept = kept
        self._check = check
        self._source = source
        self._closed = mark_of(policy)

    async def save_chat_messages(
        self,
        user_id: str,
        session_id: str,
        agent_id: str,
        new_messages: Sequence[ConversationMessage],
        max_history_size: int | None = None,
    ) -> list[ConversationMessage]:
        """See ChatStorage."""
        noted = [self._noted(message) for message in new_messages]
        return await self._judged(
            await self._kept.save_chat_messages(user_id, session_id, agent_id, noted, max_history_size)
        )

    async def fetch_chat(
        self, user_id: str, session_id: str, agent_id: str, max_history_size: int | None = None
    ) -> list[ConversationMessage]:
        """See ChatStorage."""
        return await self._judged(await self._kept.fetch_chat(user_id, session_id, agent_id, max_history_size))

    async def fetch_all_chats(self, user_id: str, session_id: str) -> list[ConversationMessage]:
        """See ChatStorage."""
        return await self._judged(await self._kept.fetch_all_chats(user_id, session_id))

    def _noted(self, message: ConversationMessage) -> ConversationMessage:
        """Note at a turn what it was said of, and what was closed then; a person's own words are nobody's data."""
        is_own = message.role is ParticipantRole.USER and message.statements is None
        return said_of(resting_on(message, ()), self._source, "" if is_own else self._closed)

    async def _judged(self, turns: list[ConversationMessage]) -> list[ConversationMessage]:
        return await asyncio.to_thread(self._as_may_be_told, turns)

    def _as_may_be_told(self, turns: list[ConversationMessage]) -> list[ConversationMessage]:
        statements = {sql for turn in turns if turn.source == self._source for sql in turn.statements or ()}
        whys = {sql: why_withheld([sql], self._check) for sql in statements}
        return [self._as_told(turn, whys) for turn in turns]

    def _as_told(self, turn: ConversationMessage, whys: Mapping[str, str]) -> ConversationMessage:
        if turn.source != self._source:
            is_known = turn.source is not None or turn.role is ParticipantRole.ASSISTANT
            return withheld(turn) if is_known else turn
        why = next(filter(None, (whys[sql] for sql in turn.statements or ())), "")
        if why:
            return withheld(ConversationMessage.of(turn.role, why))
        return withheld(turn) if not turn.statements and turn.closed not in ("", self._closed) else turn
