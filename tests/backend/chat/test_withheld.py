"""Figures that may not leave, in later messages: rules calculate with them, and no language model hears of them."""

from __future__ import annotations

import asyncio
import re
from dataclasses import replace

from ai_engine.errors import ModelUnavailable
from ai_engine.events import Event
from ai_engine.supervisor.service import astream
from backend.chat.opening import Chat
from tests.ai_engine.supervisor.chats import NEED_MORE, SATISFIED, ScriptedModel, answer, done_of, text_of
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


def test_nor_where_the_calculation_fails(chat: Chat):
    [balance] = cells_of(send(chat, LIST), "balance")
    model = ScriptedModel(ModelUnavailable("away"), NEED_MORE, answer("I cannot."))
    assert balance not in text_of(say(chat, "what is the compound interest on that?", model))
    assert not hears(model, balance)
    after = ScriptedModel(answer("Good bye."))
    say(chat, "thanks", after)
    assert not hears(after, balance)
