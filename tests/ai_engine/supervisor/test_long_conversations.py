"""A conversation full of figures keeps nobody else waiting, neither at its beginning nor at the door."""

from __future__ import annotations

import asyncio
import contextlib
from typing import Any

import pytest

from ai_engine.chat_history import ChatMessage, MemoryChatHistory
from ai_engine.operators.base import OperatorFailed
from ai_engine.operators.calling import call_operator
from ai_engine.operators.outgoing import Outgoing
from ai_engine.supervisor.service import astream
from tests.ai_engine.operators.calls import caller
from tests.ai_engine.operators.scripted_tools import ScriptedTools, gives
from tests.ai_engine.supervisor.chats import ScriptedModel, answer, setting_of
from tests.patience import allowed_s
from tests.waiting_loop import with_longest_wait_s

FIGURES = ["Rs.5 " * 400, "x1y2 " * 400, "一百" * 1_000]
HITS = {"results": [{"title": "Rates", "url": "https://example.org", "snippet": "Rates rise."}]}


async def answered(message: str, earlier: list[ChatMessage], given: dict[str, Any]) -> None:
    history = MemoryChatHistory()
    await history.add("c", earlier)
    setting = setting_of(ScriptedModel(answer("You are welcome.")), history=history)
    async for _ in astream(message, "c", setting, given=given):
        pass


@pytest.mark.parametrize("figures", FIGURES)
def test_a_message_waits_for_the_figures_of_a_long_conversation_alone(figures: str):
    earlier = [ChatMessage(role=role, content=figures) for _ in range(15) for role in ("user", "assistant")]
    _, waited_s = asyncio.run(with_longest_wait_s(answered("thanks", earlier, {})))
    assert waited_s < allowed_s(0.4)


def test_so_does_one_with_a_context_of_figures():
    _, waited_s = asyncio.run(with_longest_wait_s(answered(FIGURES[0][:2_000], [], {"seen": "Rs.5 " * 1_500})))
    assert waited_s < allowed_s(0.4)


@pytest.mark.parametrize("figures", FIGURES)
def test_what_leaves_is_held_to_them_while_others_go_on(figures: str):
    tools = ScriptedTools({"web_search": gives(HITS)})
    by = caller(tools=tools, outgoing=Outgoing([figures] * 10, has_read=True))

    async def searched() -> None:
        with contextlib.suppress(OperatorFailed):
            await call_operator("web_searcher", "rates", {}, by, timeout_s=60)

    _, waited_s = asyncio.run(with_longest_wait_s(searched()))
    assert waited_s < allowed_s(0.4)
    assert [name for name, _ in tools.called] == ["web_search"]
