"""Several specialists through every door: command line, API, stream of events, on a real bank."""

from __future__ import annotations

import json
import logging
import re
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from decimal import Decimal
from pathlib import Path
from typing import Any

import httpx
import pytest
import uvicorn
from fastapi.testclient import TestClient

from ai_engine.agent import AgentError, AgentRequest, OrchestratorResponse, TabularResult, TraceEvent
from ai_engine.errors import BadConfiguration
from ai_engine.run_log import question_id
from ai_engine.types import StillWorking
from backend import cli
from backend.answers.result_answers import answer_of
from backend.api import orchestrate as orchestrate_api
from backend.main import create_app
from backend.opening import open_assistant
from backend.orchestration import Orchestrator, SharedOutside
from backend.service import Assistant
from backend.settings import Settings, read_settings
from tests.ai_engine.scripted_agents import ScriptedAgent
from tests.patience import allowed_s

BOTH = "How many customers are there, and what is 12 % of 4.5 crore?"
TABLE = TabularResult.of_rows(["branch", "balance"], [("Pune", Decimal("175206.50")), ("Goa", None)])
KEYS = ["answer", "data", "agent_results", "trace", "planner", "metadata"]


@pytest.fixture(scope="module")
def settings(small_bank: Path) -> Settings:
    return read_settings(database_url=str(small_bank))


@pytest.fixture(scope="module")
def assistant(settings: Settings) -> Iterator[Assistant]:
    with closing(open_assistant(settings)) as opened:
        yield opened


@pytest.fixture(scope="module")
def real(assistant: Assistant, settings: Settings) -> Iterator[Orchestrator]:
    with closing(SharedOutside(lambda: settings)) as outside:
        yield Orchestrator(assistant, outside.get())


@contextmanager
def client_of(found: Orchestrator | Exception) -> Iterator[TestClient]:
    def factory() -> Orchestrator:
        if isinstance(found, Exception):
            raise found
        return found

    with TestClient(create_app(lambda: None, factory)) as client:  # type: ignore[arg-type,return-value]
        yield client


def events_of(text: str) -> list[tuple[str, dict[str, Any]]]:
    blocks = [dict(line.split(": ", 1) for line in block.splitlines()) for block in text.strip().split("\n\n")]
    return [(block["event"], json.loads(block["data"])) for block in blocks]


# the bank itself


def test_one_question_is_answered_by_the_database_and_by_a_formula(real: Orchestrator):
    response = real.answer(AgentRequest(question=BOTH))
    assert response.planner is not None
    assert response.planner.chosen_agents == ("sql", "computation")
    assert "600" in response.answer
    assert "54,00,000" in response.answer
    assert list(response.data.rows[0].values()) == [600]  # type: ignore[union-attr]


def test_the_stream_tells_that_it_still_works_and_ends_with_the_response(assistant: Assistant):
    slow = Orchestrator(assistant, {}, (ScriptedAgent("sql", waits_s=0.7),))
    *before, response = slow.stream(AgentRequest(question="List"))
    assert isinstance(response, OrchestratorResponse)
    assert {type(happening) for happening in before} == {TraceEvent, StillWorking}


def test_leaving_the_stream_stops_the_agents(assistant: Assistant):
    agent = ScriptedAgent("sql", waits_s=20)
    stream = Orchestrator(assistant, {}, (agent,)).stream(AgentRequest(question="List"))
    while not agent.asked:
        next(stream)
    started = time.monotonic()
    stream.close()  # type: ignore[attr-defined]
    assert time.monotonic() - started < allowed_s(2)


def test_a_table_of_any_agent_is_drawn_like_an_answer(real: Orchestrator, assistant: Assistant):
    response = real.answer(AgentRequest(question="Total deposits by branch", trace=True))
    answer = answer_of("q", response.agent_results[0], assistant.vocabulary)
    alone = assistant.ask("Total deposits by branch")
    assert answer.result is not None
    assert alone.result is not None
    assert (answer.result.rows, answer.result.types) == (alone.result.rows, alone.result.types)
    for field in ("columns", "chart", "sql", "summary", "headline", "restatement", "assumptions", "scope"):
        assert getattr(answer, field) == getattr(alone, field)


def test_a_table_that_nothing_is_told_of_gets_types_and_roles(assistant: Assistant):
    agent = Orchestrator(assistant, {}, (ScriptedAgent("web", table=TABLE, described={"units": {"balance": "INR"}}),))
    response = agent.answer(AgentRequest(question="x", prefer_agents=("web",), trace=True))
    assert response.agent_results == []  # nobody's words are in the question
    agent = Orchestrator(assistant, {}, (ScriptedAgent("sql", table=TABLE, described={"units": {"balance": "INR"}}),))
    answer = answer_of("x", agent.answer(AgentRequest(question="x", trace=True)).agent_results[0], assistant.vocabulary)
    assert answer.result is not None
    assert answer.result.types == ("text", "decimal")
    assert [(column.role, column.unit) for column in answer.columns] == [("category", None), ("measure", "INR")]


# the API


def test_a_response_has_the_documented_keys_and_exact_cells(assistant: Assistant):
    with client_of(Orchestrator(assistant, {}, (ScriptedAgent("sql", "Pune.", table=TABLE),))) as client:
        body = client.post("/orchestrate", json={"question": "List", "trace": True}).json()
    assert list(body) == KEYS
    assert body["data"] == {
        "columns": ["branch", "balance"],
        "rows": [{"branch": "Pune", "balance": 175206.5}, {"branch": "Goa", "balance": None}],
        "row_count": 2,
    }
    assert body["planner"]["chosen_agents"] == ["sql"]
    assert body["trace"][0]["event_type"] == "decision"


def test_events_are_sent_as_they_happen_and_the_response_last(assistant: Assistant):
    with client_of(Orchestrator(assistant, {}, (ScriptedAgent("sql", "Done.", table=TABLE),))) as client:
        reply = client.post("/orchestrate/stream", json={"question": "List"})
    assert reply.headers["content-type"].startswith("text/event-stream")
    *traced, (last, response) = events_of(reply.text)
    assert {name for name, _ in traced} == {"trace"}
    assert [event["agent"] for _, event in traced if event["event_type"] != "message"] == [
        "planner", "sql", "sql", "composer",
    ]  # fmt: skip
    assert last == "response"
    assert response["answer"] == "Done."


@pytest.mark.parametrize("path", ["/orchestrate", "/orchestrate/stream"])
@pytest.mark.parametrize(
    ("body", "kind"),
    [
        ({"question": ""}, "BadQuestion"),
        ({"question": "  "}, "BadQuestion"),
        ({"question": "q", "prefer": ["sql"]}, "BadQuestion"),
        ({"question": "q", "prefer_agents": ["weather"]}, "UnknownAgent"),
    ],
)
def test_what_cannot_be_asked_is_refused_in_the_same_shape(
    assistant: Assistant, path: str, body: dict[str, Any], kind: str
):
    with client_of(Orchestrator(assistant, {}, (ScriptedAgent("sql"),))) as client:
        reply = client.post(path, json=body)
    assert reply.status_code == 422
    assert list(reply.json()) == KEYS
    assert reply.json()["metadata"]["error_kind"] == kind


def test_why_it_cannot_be_opened_goes_to_the_log_and_not_over_the_wire(caplog: pytest.LogCaptureFixture):
    with client_of(BadConfiguration("the file /secret/place is wrong")) as client:
        reply = client.post("/orchestrate", json={"question": "q"})
    assert reply.status_code == 500
    assert "secret" not in reply.text
    assert "secret" in caplog.text


@contextmanager
def served(found: Orchestrator) -> Iterator[int]:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        app = create_app(lambda: found.assistant, lambda: found)
        server = uvicorn.Server(uvicorn.Config(app, log_level="error", lifespan="on"))
        thread = threading.Thread(target=server.run, args=([listening],))
        thread.start()
        try:
            yield listening.getsockname()[1]
        finally:
            server.should_exit = True
            thread.join(20)


@pytest.mark.parametrize("path", ["/orchestrate", "/orchestrate/stream"])
def test_hanging_up_stops_every_agent(assistant: Assistant, path: str):
    agents = (ScriptedAgent("sql", waits_s=20), ScriptedAgent("api_docs", waits_s=20))
    with served(Orchestrator(assistant, {}, agents)) as port:
        body = b'{"question": "List the API"}'
        with socket.create_connection(("127.0.0.1", port)) as connection:
            connection.sendall(
                b"POST %s HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s"
                % (path.encode(), len(body), body)
            )
            deadline = time.monotonic() + 20
            while not all(agent.asked for agent in agents) and time.monotonic() < deadline:
                time.sleep(0.02)
        hung_up = time.monotonic()
        deadline = hung_up + 5
        while not all(agent.worked_s for agent in agents) and time.monotonic() < deadline:
            time.sleep(0.02)
    assert all(agent.worked_s for agent in agents)
    assert all(end - hung_up < 1 for agent in agents for _, end in agent.worked_s)


@pytest.mark.parametrize("path", ["/orchestrate", "/orchestrate/stream"])
def test_the_time_of_the_api_bounds_all_agents_together(
    assistant: Assistant, path: str, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("BANK_API_TIMEOUT_S", "0.5")
    agent = ScriptedAgent("sql", waits_s=20)
    with client_of(Orchestrator(assistant, {}, (agent,))) as client:
        reply = client.post(path, json={"question": "List"})
    body = events_of(reply.text)[-1][1] if path.endswith("stream") else reply.json()
    assert body["agent_results"][0]["status"] != "succeeded"
    assert all(end - start < 5 for start, end in agent.worked_s)


@pytest.mark.parametrize("path", ["/orchestrate", "/orchestrate/stream"])
def test_the_response_and_every_line_of_the_log_bear_one_id_and_the_question_is_counted(
    settings: Settings, path: str, caplog: pytest.LogCaptureFixture
):
    seen: list[tuple[str, str]] = []
    handler = logging.Handler()
    handler.emit = lambda record: seen.append((record.name, question_id.get()))  # type: ignore[method-assign]
    ours = logging.getLogger("ai_engine")
    with closing(open_assistant(settings)) as counted, closing(SharedOutside(lambda: settings)) as outside:
        with client_of(Orchestrator(counted, outside.get())) as client, caplog.at_level(logging.INFO):
            ours.addHandler(handler)
            try:
                reply = client.post(path, json={"question": BOTH})
            finally:
                ours.removeHandler(handler)
        text = counted.metrics.text().decode()
    body = events_of(reply.text)[-1][1] if path.endswith("stream") else reply.json()
    assert re.fullmatch(r"[0-9a-f]{12}", body["metadata"]["question_id"])
    assert {given for _, given in seen} == {body["metadata"]["question_id"]}
    assert 'bank_orchestrations_total{status="answered"} 1.0' in text
    assert "bank_orchestration_seconds_count 1.0" in text
    assert 'bank_questions_total{model="built-in",status="answered"} 1.0' in text


@pytest.mark.parametrize("path", ["/orchestrate", "/orchestrate/stream"])
@pytest.mark.parametrize("headers", [{"Host": "evil.example"}, {"Origin": "http://evil.example"}])
def test_other_names_and_origins_ask_no_agent(assistant: Assistant, path: str, headers: dict[str, str]):
    agent = ScriptedAgent("sql")
    with client_of(Orchestrator(assistant, {}, (agent,))) as client:
        reply = client.post(path, json={"question": "List"}, headers={"Host": "localhost", **headers})
    assert reply.status_code in {403, 421}
    assert not agent.asked


def test_sixteen_requests_at_once_are_answered(real: Orchestrator):
    with served(real) as port:
        replies: list[httpx.Response] = []

        def ask() -> None:
            replies.append(httpx.post(f"http://127.0.0.1:{port}/orchestrate", json={"question": BOTH}, timeout=60))

        threads = [threading.Thread(target=ask) for _ in range(16)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(90)
    assert [reply.status_code for reply in replies] == [200] * 16
    assert len({reply.json()["answer"] for reply in replies}) == 1


def test_beyond_its_places_it_is_busy(assistant: Assistant, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("BANK_API_THREADS", "1")
    monkeypatch.setenv("BANK_API_QUEUE_SIZE", "0")
    agent = ScriptedAgent("sql", waits_s=1.5)
    with client_of(Orchestrator(assistant, {}, (agent,))) as client:
        first = threading.Thread(target=client.post, args=("/orchestrate",), kwargs={"json": {"question": "q"}})
        first.start()
        while not agent.asked:
            time.sleep(0.01)
        reply = client.post("/orchestrate", json={"question": "q"})
        first.join(20)
        assert client.post("/orchestrate", json={"question": "q", "disable_agents": ["sql"]}).status_code == 200
    assert reply.status_code == 503
    assert reply.headers["Retry-After"] == "1"
    assert reply.json()["metadata"]["question_id"]


def test_the_routes_stand_in_the_documentation(assistant: Assistant):
    with client_of(Orchestrator(assistant, {}, ())) as client:
        paths = client.get("/openapi.json").json()["paths"]
    assert {route.path for route in orchestrate_api.router.routes} <= set(paths)  # type: ignore[attr-defined]


# the command line


def run(*arguments: str | Path) -> int:
    return cli.main([str(argument) for argument in arguments])


def test_a_person_reads_the_answer_the_table_and_the_plan(small_bank: Path, capsys: pytest.CaptureFixture[str]):
    assert run("orchestrate", BOTH, "--database", small_bank, "--trace") == 0
    printed = capsys.readouterr().out
    assert "600" in printed
    assert "Plan: sql → computation." in printed
    assert "SQL agent attempt succeeded" in printed


def test_flags_become_the_request(small_bank: Path, capsys: pytest.CaptureFixture[str]):
    flags = ("--disable", "computation", "--prefer", "SQL", "--context", "note=a=b", "--json")
    assert run("orchestrate", BOTH, "--database", small_bank, *flags) == 0
    printed = json.loads(capsys.readouterr().out)
    assert list(printed) == KEYS
    assert printed["planner"]["guardrails"] == {"disabled_agents": ["computation"], "preferred_agents": ["sql"]}
    assert "switched off" in printed["answer"]
    assert printed["trace"] == []


def test_an_unknown_agent_is_wrong_use(small_bank: Path, capsys: pytest.CaptureFixture[str]):
    assert run("orchestrate", "q", "--database", small_bank, "--prefer", "weather") == 2
    assert "no agent named weather" in capsys.readouterr().err


def test_a_question_that_nobody_answers_ends_with_status_1(small_bank: Path, capsys: pytest.CaptureFixture[str]):
    assert run("orchestrate", "the weather of Mars", "--database", small_bank) == 1
    assert "no data was returned" in capsys.readouterr().out


def test_a_batch_keeps_order_and_ids_and_a_bad_line_fails_alone(small_bank: Path, tmp_path: Path):
    lines: list[Any] = [
        {"id": "a", "question": BOTH, "trace": True, "include_data": False},
        {"id": "b", "question": "12 % of 4.5 crore", "disable_agents": ["weather"]},
        {"id": "c"},
        "no json",
        {"id": "d", "question": "12 % of 4.5 crore", "max_turns": "many"},
        {"id": "e", "question": "12 % of 4.5 crore"},
    ]
    source, target = tmp_path / "in.jsonl", tmp_path / "out.jsonl"
    source.write_text("".join((line if isinstance(line, str) else json.dumps(line)) + "\n" for line in lines))
    assert run("orchestrate", "--batch", source, "--out", target, "--database", small_bank, "--jobs", "3") == 0
    written = [json.loads(line) for line in target.read_text().splitlines()]
    assert [line["id"] for line in written] == ["a", "b", "c", None, "d", "e"]
    assert all(list(line) == ["id", *KEYS] for line in written)
    kinds = [line["metadata"].get("error_kind") for line in written]
    assert kinds == [None, "UnknownAgent", "BadQuestion", "BadQuestion", "BadQuestion", None]
    assert written[0]["trace"]
    assert written[0]["data"] is None
    assert "54,00,000" in written[5]["answer"]


def test_a_fault_of_one_agent_is_told_and_not_raised(assistant: Assistant):
    found = Orchestrator(assistant, {}, (ScriptedAgent("sql", AgentError(message="No.", type="QueryError")),))
    assert "No." in found.answer(AgentRequest(question="List")).answer
