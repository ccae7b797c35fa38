"""Figures that may not leave, in later messages: rules calculate with them, and no language model hears of them."""

from __future__ import annotations

import asyncio
import re
import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from ai_engine.chat_history import MemoryChatHistory
from ai_engine.errors import ModelUnavailable
from ai_engine.events import Event
from ai_engine.ports import Services
from ai_engine.prompts.loader import Messages
from ai_engine.semantics.vocabulary_edits import Edit
from ai_engine.supervisor.service import astream
from backend.chat.opening import Chat, open_chat
from backend.opening import open_assistant
from backend.orchestration import Orchestrator
from backend.renewal import trying
from backend.settings import read_settings
from tests.ai_engine.supervisor.chats import NEED_MORE, SATISFIED, ScriptedModel, answer, call, done_of, text_of
from tests.backend.chat.talking import send

WIDGET = "application/vnd.mcp.widget+json"
LIST = "Show the account with the highest balance"


def say(chat: Chat, message: str, model: ScriptedModel) -> list[Event]:
    async def all_events() -> list[Event]:
        return [event async for event in astream(message, "c", replace(chat.setting(), model=model))]

    return asyncio.run(all_events())


def cells_of(events: list[Event], column: str) -> list[str]:
    """Return the figures of a column that was shown, their digits before the point."""
    tables = [event.data["data"]["data"] for event in events if event.data.get("content_type") == WIDGET]
    return [str(row[column]).partition(".")[0] for table in tables for row in table["rows"]]


def hears(model: ScriptedModel, figure: str) -> bool:
    texts = [*(f"{one.system}\n{one.user}" for one in model.asked), *model.requests]
    return any(figure in re.sub(r"[,\s]", "", text) for text in texts)


def test_a_model_that_is_away_for_the_choice_alone_is_told_no_figure_of_the_last_answer(chat: Chat):
    [balance] = cells_of(send(chat, LIST), "balance")
    model = ScriptedModel(ModelUnavailable("away"), NEED_MORE, answer(None), SATISFIED)
    events = say(chat, "what is 15 % of that?", model)
    [part] = cells_of(events, "part")

    assert done_of(events)["tools"] == ["computation"]
    assert len(model.asked) > 1, "it was asked again once it was back"
    assert not hears(model, balance)
    assert not hears(model, part)

    after = ScriptedModel(answer("Good bye."))
    say(chat, "thanks", after)
    assert not hears(after, balance)
    assert not hears(after, part)


class Closing(ScriptedModel):
    """Closes a column while it judges what was found."""

    is_closed = False

    def ask(self, messages: Messages, shape: type[Any], make: Callable[[Any], Any], *, stop: threading.Event) -> Any:
        self.is_closed = self.is_closed or len(self.asked) == 1
        return super().ask(messages, shape, make, stop=stop)


def test_a_column_that_is_closed_while_a_message_is_answered_is_read_and_told_no_more(chat: Chat):
    closed = trying(chat.found.assistant, [Edit("column", "accounts.balance", "sensitive", False, True)])
    asked = "What is our total deposit balance?"
    model = Closing(call("sql", asked), NEED_MORE, call("sql", f"{asked} Again."), NEED_MORE, answer(None))

    def renewed() -> dict[type[Any], Any]:
        return {**setting.services, Services: (closed if model.is_closed else chat.found.assistant).services()}

    setting = chat.setting()

    async def all_events() -> list[Event]:
        return [event async for event in astream(asked, "c", replace(setting, model=model, renewed=renewed))]

    events = asyncio.run(all_events())
    found = [event.data for event in events if event.data.get("content_type") == WIDGET]
    assert len(found) == 1, "it was read before, and not again"
    [figure] = [str(cell).partition(".")[0] for row in found[0]["data"]["data"]["rows"] for cell in row.values()]
    told = [re.sub(r"[,\s]", "", messages.user) for messages in model.asked]
    assert figure in told[1]
    assert not any(figure in text for text in told[2:])


def test_a_chat_asks_what_is_in_force_before_each_call(published: Orchestrator):
    chat = open_chat(published, MemoryChatHistory())
    renewed = chat.setting().renewed
    assert renewed is not None
    before = renewed()[Services]
    book = published.assistant.changes
    book.publish(book.propose([Edit("column", "accounts.balance", "sensitive", False, True)], "", "una").id, "una")
    assert "balance" not in before.policy.restricted_columns.get("accounts", ())
    assert "balance" in renewed()[Services].policy.restricted_columns["accounts"]


@pytest.fixture
def published(small_bank: Path, tmp_path: Path) -> Iterator[Orchestrator]:
    settings = read_settings(
        database_url=f"duckdb:///{small_bank}", store_url=f"sqlite:///{tmp_path / 'store.sqlite'}",
        cache_dir=tmp_path / "cache", editors="*", vocabulary_check_s=0,
    )  # fmt: skip
    with closing(open_assistant(settings)) as assistant:
        yield Orchestrator(assistant, {})


def test_nor_where_the_calculation_fails(chat: Chat):
    [balance] = cells_of(send(chat, LIST), "balance")
    model = ScriptedModel(ModelUnavailable("away"), NEED_MORE, answer("I cannot."))
    assert balance not in text_of(say(chat, "what is the compound interest on that?", model))
    assert not hears(model, balance)
    after = ScriptedModel(answer("Good bye."))
    say(chat, "thanks", after)
    assert not hears(after, balance)
