"""Several agents within one operator: what one of them reads in the bank's data leaves by none of the others."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

import pytest

from ai_engine.conversation import LanguageModel
from ai_engine.events import Event
from ai_engine.specialists.api_docs.catalogue import read_catalogue
from ai_engine.specialists.api_docs.outside import ApiServices, HttpRequest
from ai_engine.supervisor.service import astream
from backend.chat.opening import Chat
from tests.ai_engine.supervisor.chats import SATISFIED, text_of
from tests.ai_engine.supervisor.test_door import PATH, SERVICES, NoTokens, Obeying, Recording, tool

ASKED = "What are our total deposits, and what is the current rate of gold for {}?"


def sent_by(chat: Chat, message: str, model: LanguageModel) -> tuple[list[HttpRequest], list[Event]]:
    setting, calls = chat.setting(), Recording()
    services = {**setting.services, ApiServices: ApiServices(read_catalogue(SERVICES, "rates.yaml"), calls, NoTokens())}

    async def events() -> list[Event]:
        given = replace(setting, model=model, services=services, renewed=lambda: services)
        return [event async for event in astream(message, "c", given)]

    return calls.sent, asyncio.run(events())


def sharing(amount: str, sends: Any) -> Obeying:
    parts = [("sql", "What are our total deposits?"), ("api_docs", f"current rate of gold for an amount of {amount}")]
    told = [{"agent": agent, "question": question} for agent, question in parts]
    call = {"path": PATH, "path_params": {"product": "gold"}, "query_params": {"amount": sends}}
    return Obeying(
        tool("orchestrator", query=ASKED.format(amount)),
        PlannerReply={"agents": ["sql", "api_docs"], "rationale": "", "confidence": 1.0, "parts": told},
        ApiCallPlan={"make_request": True, **call},
        ReflectionReply=SATISFIED,
    )


def test_a_figure_that_one_agent_found_is_sent_by_no_other(chat: Chat):
    sent, events = sent_by(chat, ASKED.format("that"), sharing("that", 276315797.76))
    assert not sent
    assert "Total deposits are" in text_of(events)
    assert "no figures that you have not written" in text_of(events)


@pytest.mark.parametrize("sends", [500_000, "500000"])
def test_one_that_the_person_wrote_is_sent(chat: Chat, sends: Any):
    sent, _ = sent_by(chat, ASKED.format("5 lakh"), sharing("5 lakh", sends))
    assert [request.query for request in sent] == [(("amount", "500000"),)]
