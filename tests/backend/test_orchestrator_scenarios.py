"""The scenarios of several agents, whole: a bank, the example services over HTTP, the sandbox and a scripted model."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from fastapi import FastAPI

from ai_engine import orchestrator
from ai_engine.agent import AgentRequest, OrchestratorResponse, TraceEventType
from ai_engine.errors import ModelFailed
from ai_engine.orchestrator.planner import make_plan
from ai_engine.orchestrator.setting import OrchestratorRun
from ai_engine.ports import Services
from backend.databases import DatabaseLimits, open_database
from backend.opening import open_assistant
from backend.orchestration import Orchestrator, SharedOutside
from backend.settings import EXAMPLE_SERVICES_FILE, read_settings
from data.example_services import EMAIL, PASSWORD, build_app
from tests.ai_engine.orchestrator.test_keywords import cases, no_word_chooses
from tests.ai_engine.scripted_agents import ScriptedChat
from tests.ai_engine.scripted_model import ScriptedModel
from tests.loopback_server import serving
from tests.mcp_database import serving_database
from tests.patience import allowed_s

COUNT, EMI, LIMIT = "How many customers are there", "the EMI on 25 lakh at 8.75 % for 20 years", "daily limit for UPI"
ALL = f"{COUNT}, what is {EMI}, and what is the {LIMIT}?"
SLOW = "call the slow service for 20 seconds"


class Clock:
    """The service's own time, which can run ahead."""

    def __init__(self) -> None:
        self.ahead_s = 0.0

    def __call__(self) -> float:
        return time.time() + self.ahead_s


@dataclass
class Bank:
    """An orchestrator on everything real, with the services that it calls and their clock."""

    whole: Orchestrator
    app: FastAPI
    port: int
    clock: Clock

    def ask(
        self, question: str, *, model: Any = None, stop: Any = None, writes: str = "", **asked: Any
    ) -> OrchestratorResponse:
        """Ask; `writes` is the statement that the SQL agent's model writes, whatever it is asked."""
        setting = replace(self.whole.setting, model=model)
        if writes:
            services = replace(setting.services[Services], model=ScriptedModel(writes))
            setting = replace(setting, services={**setting.services, Services: services})
        return orchestrator.run(AgentRequest(question=question, trace=True, **asked), setting, stop)


@pytest.fixture(scope="module", params=["file", "MCP server"])
def place(request: pytest.FixtureRequest, small_bank: Path) -> Iterator[dict[str, Any]]:
    """Settings that name the database: as the file that it is, and behind an MCP server."""
    if request.param == "file":
        yield {"database_url": str(small_bank)}
        return
    with open_database(str(small_bank), DatabaseLimits(workers=1)) as database, serving_database(database) as url:
        yield {"mcp_database_url": url, "vocabulary_file": small_bank.with_suffix(".yaml")}


@pytest.fixture(scope="module")
def bank(small_bank: Path, place: dict[str, Any]) -> Iterator[Bank]:
    clock = Clock()
    app = build_app(bank=small_bank, now=clock)
    with serving(app) as address:
        settings = read_settings(
            **place, services_base_url=address, services_email=EMAIL, services_password=PASSWORD,
            services_identity_url=f"{address}/identity/v1/accounts:signInWithPassword",
            services_file=EXAMPLE_SERVICES_FILE, database_workers=1, database_connections=1, sandbox_timeout_s=30,
        )  # fmt: skip
        with closing(open_assistant(settings)) as assistant, closing(SharedOutside(lambda: settings)) as outside:
            yield Bank(Orchestrator(assistant, outside.get()), app, int(address.rpartition(":")[2]), clock)


def statuses(response: OrchestratorResponse) -> dict[str, str]:
    return {result.agent: result.status.value for result in response.agent_results}


def http_statuses(response: OrchestratorResponse) -> list[int]:
    calls = [event for event in response.trace if event.agent == "api_docs" and event.event_type is TraceEventType.TOOL]
    return [event.data["status"] for event in calls]


def planned(*parts: tuple[str, str]) -> dict[str, Any]:
    return {
        "agents": [agent for agent, _ in parts], "rationale": "As told.", "confidence": 0.9,
        "parts": [{"agent": agent, "question": question} for agent, question in parts],
    }  # fmt: skip


def test_a_single_agent_answers(bank: Bank):
    response = bank.ask(COUNT)
    assert statuses(response) == {"sql": "succeeded"}
    assert "600" in response.answer


@pytest.mark.parametrize("question", ["What is the daily limit for UPI?", "What is the EMI?"])
def test_who_claims_a_question_answers_it_when_those_that_its_words_speak_for_cannot(bank: Bank, question: str):
    response = bank.ask(question)
    assert response.planner is not None
    assert response.planner.chosen_agents == ("computation",)
    assert list(statuses(response).values()) == ["failed", "succeeded"]
    assert "Not answered" not in response.answer


def test_the_words_of_a_question_choose_among_the_real_agents_as_documented(bank: Bank):
    asked = [(question, agents) for question, agents in cases() if not no_word_chooses(question)]
    assert [question for question, agents in asked if chosen(bank, question) != agents] == []
    assert len(asked) >= 40


def chosen(bank: Bank, question: str) -> tuple[str, ...]:
    """Plan only."""
    run = OrchestratorRun(bank.whole.setting, lambda _: None, threading.Event(), time.monotonic() + 60)
    return asyncio.run(make_plan(AgentRequest(question=question), run)).decision.chosen_agents


def test_complementary_agents_make_one_answer(bank: Bank):
    response = bank.ask(ALL)
    assert statuses(response) == {"sql": "succeeded", "computation": "succeeded", "api_docs": "succeeded"}
    assert all(figure in response.answer for figure in ("600", "Rs.22,092.77", "1,00,000"))
    assert response.data is not None
    assert list(response.data.rows[0].values()) == [600]
    assert [event.timestamp for event in response.trace] == sorted(event.timestamp for event in response.trace)


def test_one_that_fails_leaves_the_others_and_the_gap_is_named(bank: Bank):
    response = bank.ask(f"{COUNT}, and call the failing service")
    assert statuses(response) == {"sql": "succeeded", "api_docs": "failed"}
    assert "600" in response.answer
    assert "Not answered" in response.answer


def test_when_all_fail_every_reason_is_told_and_there_is_no_data(bank: Bank):
    response = bank.ask("EMI on 25 lakh for 20 years, and call the failing service")
    assert set(statuses(response).values()) == {"failed"}
    assert len(response.agent_results) == 2
    assert "no data was returned" in response.answer
    assert "the rate" in response.answer
    assert response.data is None


def test_with_the_planner_away_the_words_of_the_question_choose(bank: Bank):
    response = bank.ask(LIMIT, model=ScriptedChat(*(ModelFailed("away") for _ in range(9))))
    assert statuses(response)["api_docs"] == "succeeded"
    assert response.planner is not None
    assert response.planner.confidence == 0.4
    assert "1,00,000" in response.answer


def test_with_the_composer_away_the_answer_is_made_by_rule(bank: Bank):
    away = [ModelFailed("away")] * 9
    response = bank.ask(LIMIT, model=ScriptedChat(planned(("api_docs", LIMIT)), *away))
    assert statuses(response) == {"api_docs": "succeeded"}
    assert response.planner is not None
    assert response.planner.confidence == 0.9
    assert "1,00,000" in response.answer


def test_after_401_another_token_is_had_and_the_answer_is_whole(bank: Bank):
    response = bank.ask(LIMIT, context={"api_bearer_token": "long-expired"})
    assert http_statuses(response) == [401, 200]
    assert "1,00,000" in response.answer


def test_after_400_the_bounds_of_today_are_added(bank: Bank):
    response = bank.ask("rate history of home loans from the rates service")
    assert http_statuses(response) == [400, 200]
    assert statuses(response)["api_docs"] == "succeeded"


def test_a_token_that_expires_at_the_edge_is_replaced_once(bank: Bank):
    bank.ask(LIMIT)
    before = bank.app.state.services.sign_ins
    bank.clock.ahead_s += 3_600
    response = bank.ask("daily limit for IMPS")
    assert http_statuses(response) == [401, 200]
    assert bank.app.state.services.sign_ins == before + 1


ENDLESS_SQL = """SELECT COUNT(DISTINCT a.amount + b.amount * c.amount) AS sums FROM transactions a
    JOIN transactions b ON a.channel = b.channel JOIN transactions c ON b.channel = c.channel"""
ENDLESS_PROGRAM = {"steps": ["count"], "code": "n = 25\nwhile True:\n    n = n + 1", "unit": "number", "sentence": ""}
AWAY = ModelFailed("away")
PHASES: dict[str, tuple[tuple[Any, ...], dict[str, str]]] = {
    "plan": ((None,), {}),
    "sql": ((planned(("sql", COUNT)),), {"sql": "failed"}),
    "api": ((planned(("api_docs", SLOW)), AWAY), {"api_docs": "failed"}),
    "computation": ((planned(("computation", EMI)), ENDLESS_PROGRAM), {"computation": "failed"}),
    "compose": ((planned(("api_docs", LIMIT)), AWAY, AWAY, None), {"api_docs": "succeeded"}),
}
"""Replies until the phase is reached, and who has ended how after it was cancelled there."""


@pytest.mark.parametrize("phase", PHASES)
def test_cancelled_in_any_phase_all_of_it_ends_within_a_second(bank: Bank, phase: str):
    replies, expected = PHASES[phase]
    stop, model = threading.Event(), ScriptedChat(*replies)
    database, port = bank.whole.assistant.database, bank.port
    stopped_at: list[float] = []

    def end() -> None:
        deadline = time.monotonic() + 10
        while len(model.asked) < len(replies) and time.monotonic() < deadline:
            time.sleep(0.01)
        time.sleep(0.5)
        stopped_at.append(time.monotonic())
        stop.set()

    ending = threading.Thread(target=end)
    ending.start()
    question = {"api": SLOW, "computation": EMI}.get(phase, LIMIT)
    response = bank.ask(question, model=model, stop=stop, writes=ENDLESS_SQL)
    ended = time.monotonic()
    ending.join()
    all_ended = stopped_at[0] + allowed_s(1)
    assert stopped_at[0] <= ended < all_ended
    assert statuses(response) == expected
    left_s = all_ended - time.monotonic()
    freed = database.runner.run("SELECT 1", max_rows=1, timeout_s=left_s, stop=threading.Event())
    assert freed.rows == ((1,),)
    while connections_to(port) and time.monotonic() < all_ended:
        time.sleep(0.01)
    assert connections_to(port) == 0


def connections_to(port: int) -> int:
    """Count the calls of this machine that a service still answers; `01` stands for an open connection."""
    lines = Path("/proc/net/tcp").read_text().splitlines()[1:]
    return sum(line.split()[1].endswith(f":{port:04X}") and line.split()[3] == "01" for line in lines)
