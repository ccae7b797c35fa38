"""How servers end: real processes that are sent real signals."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Generator, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import duckdb
import httpx
import pytest

from ai_engine.errors import ServerStopping
from backend.http.life_cycle import PageWork
from backend.settings import SAMPLE_DOCUMENTS
from tests.backend.chat.test_api import Heard, asked
from tests.backend.mcp.tool_servers import stdio_entry
from tests.conftest import PROJECT_ROOT
from tests.patience import allowed_s
from tests.test_serving import free_port, wait_until_served

Started = Callable[..., tuple[str, subprocess.Popen[bytes]]]


@pytest.fixture
def started(tmp_path: Path) -> Iterator[Started]:
    """Starts servers that end with the test at the latest."""
    processes: list[subprocess.Popen[bytes]] = []

    def start(*command: str, path: str, **settings: str) -> tuple[str, subprocess.Popen[bytes]]:
        port = free_port()
        environment = {
            **os.environ, "PYTHONWARNINGS": "ignore", "BANK_STORE_URL": f"sqlite:///{tmp_path}/store.sqlite", **settings
        }  # fmt: skip
        arguments = [sys.executable, *(part.format(port=port) for part in command)]
        with (tmp_path / "log").open("wb") as log:
            process = subprocess.Popen(arguments, cwd=PROJECT_ROOT, env=environment, stderr=log)
        processes.append(process)
        wait_until_served(f"http://127.0.0.1:{port}{path}", process)
        return f"http://127.0.0.1:{port}", process

    yield start
    for process in processes:
        process.kill()
        process.wait(10)


@pytest.fixture
def chat_server(started: Started) -> Callable[..., tuple[str, subprocess.Popen[bytes]]]:
    return lambda **settings: started(
        "-m", "tests.backend.chat.scripted_chat_server", "{port}", path="/health", **settings
    )


def test_a_signal_lets_open_streams_end_refuses_new_ones_and_exits_with_0(chat_server):
    url, process = chat_server()
    with httpx.stream("POST", f"{url}/chat", json=asked("Two seconds"), timeout=20) as response:
        heard = Heard(response).read(most=1)
        process.send_signal(signal.SIGTERM)
        heard.read(most=2)
        assert heard.events[1][1]["error_type"] == "ServerStopping"
        refused = httpx.post(f"{url}/chat", json=asked("Hello", "tuesday"))
        assert refused.status_code == 503
        assert int(refused.headers["retry-after"]) > 0
        assert refused.headers["x-frame-options"] == "DENY"
        assert refused.json()["error_kind"] == "ServerStopping"
        assert httpx.get(f"{url}/health").status_code == 503
        headers = {"Last-Event-ID": heard.last_id}
        with httpx.stream("GET", f"{url}/chat/monday/events", headers=headers, timeout=20) as again:
            assert Heard(again).read().types == ["response.chunk", "response.done"]
        assert heard.read().text == "ab"
    assert process.wait(10) == 0


@pytest.mark.slow
def test_what_takes_longer_than_the_time_for_it_is_stopped_and_says_so(chat_server):
    url, process = chat_server(BANK_SHUTDOWN_TIMEOUT_S="1")
    with httpx.stream("POST", f"{url}/chat", json=asked("Work"), timeout=20) as response:
        heard = Heard(response).read(most=1)
        process.send_signal(signal.SIGTERM)
        began = time.monotonic()
        heard.read()
    assert 0.8 < time.monotonic() - began < allowed_s(4)
    assert heard.types == ["response.chunk", "error", "response.done"]
    assert heard.events[-1][1]["status"] == "stopped"
    assert process.wait(10) == 0


def test_the_log_has_the_id_of_each_request_and_nothing_of_what_was_said(chat_server, tmp_path):
    url, process = chat_server(BANK_LOG_FORMAT="json")
    with httpx.stream("POST", f"{url}/chat", json=asked("Hello")) as response:
        Heard(response).read()
    process.send_signal(signal.SIGTERM)
    assert process.wait(10) == 0
    lines = [json.loads(line) for line in (tmp_path / "log").read_text().splitlines()]
    mine = [line["message"] for line in lines if line["question_id"] == response.headers["x-request-id"]]
    assert len(mine) == 1
    assert mine[0].startswith("a chat request answered after ")
    assert "morning" not in (tmp_path / "log").read_text()


def heard_of(url: str, path: str, body: dict[str, object], sent: threading.Event) -> tuple[int, str, str | None]:
    """Status, text and Retry-After of a reply; `sent` is set when its first event has come."""
    with httpx.stream("POST", f"{url}{path}", json=body, timeout=allowed_s(30)) as response:
        lines = []
        for line in response.iter_lines():
            lines.append(line)
            if "clarify.request" in line or "event: trace" in line:
                sent.set()
    return response.status_code, "\n".join(lines), response.headers.get("retry-after")


@pytest.mark.slow
def test_whoever_waits_for_a_query_or_a_persons_answer_is_told_of_the_end_in_time(started, tmp_path):
    with duckdb.connect(str(tmp_path / "slow.duckdb")) as bank:
        bank.execute("CREATE TABLE sales AS SELECT i AS sale_id, i % 1000 AS amount FROM range(20000) t(i)")
        bank.execute(
            "CREATE VIEW slow_sales AS SELECT a.sale_id, md5((a.amount * b.amount * c.amount)::VARCHAR) AS code "
            "FROM sales a, sales b, (SELECT * FROM sales LIMIT 1000) c"
        )
    servers = [stdio_entry("notes", "tests.backend.mcp.asking_notes")]
    (tmp_path / "servers.json").write_text(json.dumps({"servers": servers}))
    url, process = started(
        "server.py", "api", "--port", "{port}", path="/health", BANK_DATABASE_URL=str(tmp_path / "slow.duckdb"),
        BANK_MCP_SERVERS=str(tmp_path / "servers.json"), BANK_SHUTDOWN_TIMEOUT_S="5", BANK_QUERY_TIMEOUT_S="60",
    )  # fmt: skip
    slow, policy = "How many distinct codes are there in slow sales?", "What is our policy on leasing submarines?"
    bodies = {
        "/chat": {"message": policy}, "/orchestrate/stream": {"question": slow}, "/ask": {"query": slow},
        "/orchestrate": {"question": slow}, "/route": {"user_input": slow, "user_id": "a", "session_id": "b"},
    }  # fmt: skip
    sent = {path: threading.Event() for path in bodies}
    with ThreadPoolExecutor(len(bodies)) as threads:
        heard = {path: threads.submit(heard_of, url, path, body, sent[path]) for path, body in bodies.items()}
        assert sent["/chat"].wait(allowed_s(20))
        assert sent["/orchestrate/stream"].wait(allowed_s(20))
        time.sleep(1)
        process.send_signal(signal.SIGTERM)
        replies = {path: future.result() for path, future in heard.items()}
        assert process.wait(20) == 0
    for path in ("/ask", "/orchestrate", "/route"):
        status, text, retry_after = replies[path]
        assert (status, retry_after is not None) == (503, True), path
        assert "ServerStopping" in text
    assert "ServerStopping" in replies["/orchestrate/stream"][1].rpartition("event: response")[2]
    told = [json.loads(line[6:]) for line in replies["/chat"][1].splitlines() if line.startswith("data: ")]
    types = [one["type"] for one in told]
    asked = types.index("clarify.request")
    assert "ServerStopping" in [one.get("error_type") for one in told[asked:]]
    assert (types[-1], told[-1]["status"] in {"stopped", "blocked"}) == ("response.done", True)
    assert "Traceback" not in (tmp_path / "log").read_text()


@pytest.mark.slow
@pytest.mark.parametrize("first", [signal.SIGTERM, signal.SIGINT])
def test_a_second_signal_exits_at_once(chat_server, first):
    url, process = chat_server()
    with httpx.stream("POST", f"{url}/chat", json=asked("Work"), timeout=20) as response:
        heard = Heard(response).read(most=1)
        process.send_signal(first)
        heard.read(most=2)
        began = time.monotonic()
        process.send_signal(signal.SIGTERM)
        process.wait(10)
    assert time.monotonic() - began < allowed_s(1)
    assert process.returncode == -signal.SIGTERM


@pytest.mark.parametrize(("what", "path"), [("page", "/"), ("api", "/health")])
def test_page_and_api_exit_with_0(started, small_bank, what, path):
    _, process = started("server.py", what, "--port", "{port}", path=path, BANK_DATABASE_URL=str(small_bank))
    process.send_signal(signal.SIGTERM)
    assert process.wait(15) == 0


class Question:
    """Something that is heard of until it is closed."""

    def __init__(self, events: int) -> None:
        self.is_closed = False
        self._events = events

    def heard(self) -> Generator[int]:
        try:
            yield from range(self._events)
        finally:
            self.is_closed = True


@pytest.mark.slow
def test_a_server_that_was_told_to_end_is_not_told_of_as_killed(started, small_bank, tmp_path):
    server = "server.py", "api", "--port", "{port}"
    url, process = started(*server, path="/health", BANK_DATABASE_URL=f"duckdb:///{small_bank}")
    httpx.post(f"{url}/ask", json={"query": "How many customers are there?"}, timeout=60).raise_for_status()
    process.send_signal(signal.SIGTERM)
    assert process.wait(allowed_s(30)) == 0
    with closing(sqlite3.connect(tmp_path / "store.sqlite")) as store:
        assert store.execute("SELECT COUNT(*) FROM audit_entries").fetchone() == (1,)
        assert store.execute("SELECT COUNT(*) FROM audit_runs").fetchone() == (0,)


def test_a_question_of_the_page_counts_until_its_answer_has_had_time_to_arrive(monkeypatch: pytest.MonkeyPatch):
    now = [100.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    work, question = PageWork(), Question(3)
    following = work.during(question.heard())
    assert work.running == 0
    next(following)
    now[0] += 2.9
    assert work.running == 1
    assert list(following) == [1, 2]
    assert (question.is_closed, work.running) == (True, 1)
    now[0] += 3.1
    assert work.running == 0


def test_a_question_that_nobody_follows_any_more_is_not_waited_for(monkeypatch: pytest.MonkeyPatch):
    now = [100.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    work = PageWork()
    following = work.during(Question(3).heard())
    next(following)
    now[0] += 3.1
    assert work.running == 0
    next(following)
    assert work.running == 1


def test_a_page_that_ends_begins_no_question_and_closes_those_that_are_left():
    work, question = PageWork(), Question(1_000)
    following = work.during(question.heard())
    next(following)
    asyncio.run(work.tell_stopping())
    assert next(following) == 1
    with pytest.raises(ServerStopping):
        work.during(Question(1).heard())
    asyncio.run(work.close())
    assert list(following) == []
    assert question.is_closed


@pytest.mark.slow
def test_no_step_that_a_killed_server_told_done_is_done_again(started, small_bank):
    def served() -> tuple[str, subprocess.Popen[bytes]]:
        settings = {"BANK_DATABASE_URL": f"duckdb:///{small_bank}", "BANK_DOCUMENTS_DIR": str(SAMPLE_DOCUMENTS)}
        return started("server.py", "api", "--port", "{port}", path="/health", **settings)

    def steps(told: Heard, kind: str) -> list[str]:
        return [data["id"] for _, data in told.events if data["type"] == f"workflow.step.{kind}"]

    url, process = served()
    message = asked("Prepare the branch review for Mumbai")
    with httpx.stream("POST", f"{url}/chat", json=message, timeout=allowed_s(60)) as response:
        before = Heard(response)
        while len(steps(before, "complete")) < 4:
            before.read(most=len(before.events) + 1)
        process.kill()
    assert process.wait(10) == -signal.SIGKILL
    url, _ = served()
    with httpx.stream("POST", f"{url}/chat", json=asked("Go on"), timeout=allowed_s(60)) as response:
        after = Heard(response).read()
    assert after.events[-1][1]["status"] == "answered"
    assert not set(steps(before, "complete")) & set(steps(after, "start"))
    assert len(set(steps(after, "complete"))) == 7
