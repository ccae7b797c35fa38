"""In the chat, a report that was interrupted goes on when the person says so, in another process as well."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import aclosing
from dataclasses import replace
from pathlib import Path

import pytest

from ai_engine.chat_history import MemoryChatHistory
from ai_engine.events import Event, EventType
from ai_engine.semantics.vocabulary_edits import Edit
from backend.chat.door import ChatRequest
from backend.chat.opening import Chat, open_chat
from backend.opening import open_assistant
from backend.orchestration import Orchestrator, SharedOutside
from backend.renewal import trying
from backend.settings import SAMPLE_DOCUMENTS, read_settings
from tests.backend.chat.talking import send, text_of


@pytest.fixture
def found(small_bank: Path, tmp_path: Path) -> Iterator[Orchestrator]:
    settings = read_settings(
        database_url=f"duckdb:///{small_bank}",
        documents_dir=SAMPLE_DOCUMENTS,
        store_url=f"sqlite:///{tmp_path / 'store.sqlite'}",
        workflow_parallel_steps=1,
    )
    outside = SharedOutside(lambda: settings)
    assistant = open_assistant(settings)
    yield Orchestrator(assistant, outside.get())
    outside.close()
    assistant.close()


def a_process(found: Orchestrator) -> Chat:
    """A chat with nothing in memory of any before it."""
    return replace(open_chat(found, MemoryChatHistory()))


def interrupted(chat: Chat, message: str, conversation_id: str) -> list[Event]:
    """Hang up once the second step is done."""

    async def happened() -> list[Event]:
        told: list[Event] = []
        async with aclosing(chat.events(ChatRequest(conversation_id=conversation_id, message=message))) as events:
            async for event in events:
                told.append(event)
                if [one.type for one in told].count(EventType.WORKFLOW_STEP_COMPLETE) == 2:
                    break
        return told

    return asyncio.run(happened())


def steps(events: list[Event], kind: EventType) -> list[str]:
    return [event.data["id"] for event in events if event.type is kind]


def test_go_on_finishes_the_report_from_the_steps_that_are_done(found: Orchestrator):
    before = interrupted(a_process(found), "Prepare the branch review for Mumbai", "talk/1")
    done = steps(before, EventType.WORKFLOW_STEP_COMPLETE)
    assert len(done) == 2

    after = send(a_process(found), "Please continue", "talk/1")
    assert sorted(steps(after, EventType.WORKFLOW_STEP_COMPLETE)) == sorted(
        ["glance", "months", "customers", "lending", "overdue", "peers", "policy"]
    )
    assert not set(done) & set(steps(after, EventType.WORKFLOW_STEP_START))
    assert text_of(after).startswith("# Branch review: Mumbai")
    assert "## Deposits month by month" in text_of(after)
    assert after[-1].data["status"] == "answered"
    assert "workflow.created" not in [one.type.value for one in send(a_process(found), "go on", "talk/1")]


def test_what_was_found_of_a_column_that_has_become_restricted_since_is_told_no_more(found: Orchestrator):
    interrupted(a_process(found), "Prepare the branch review for Mumbai", "talk/1")
    hides = Edit("column", "accounts.balance", "sensitive", False, True)
    now = replace(found, assistant=trying(found.assistant, [hides]))
    after = send(a_process(now), "Please continue", "talk/1")
    assert not steps(after, EventType.WORKFLOW_STEP_COMPLETE)
    assert "column balance of accounts is restricted" in text_of(after)
    assert "Rs." not in str([event.data for event in after])


def test_nobody_goes_on_with_what_another_conversation_asked(found: Orchestrator):
    interrupted(a_process(found), "Prepare the branch review for Mumbai", "talk/1")
    for other in ("talk", "talk/1/2", "talk/", "%"):
        events = send(a_process(found), "continue", other)
        assert not [one for one in events if one.type is EventType.WORKFLOW_CREATED]


def test_words_that_a_report_does_nothing_with_are_said(found: Orchestrator):
    events = send(a_process(found), "Prepare the branch review for Mumbai with staff costs", "c")
    assert "This report has nothing about “staff costs”." in events[-1].data["missing"]
    assert events[-1].data["status"] == "partial"
