"""`/mcp` of the HTTP API, met by strangers: names, origins, bodies, sessions, and clients that go in the middle."""

from __future__ import annotations

import json
import sqlite3
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from pathlib import Path

import httpx
import pytest

from tests.backend.mcp.connected import over_http, said, served_bank, structured
from tests.backend.mcp.test_server import ENDS_WITHIN_S, SLOW
from tests.patience import allowed_s

HEADERS = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}
OPENING = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
    "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}}  # fmt: skip


@pytest.fixture(scope="module")
def address(small_bank: Path) -> Iterator[str]:
    with served_bank(small_bank, api_threads=2, api_queue_size=2, mcp_sessions=3, http_max_body_kb=16) as served:
        yield served


@pytest.fixture
def opened(address: str) -> Iterator[httpx.Client]:
    """A session of the older protocol, letter by letter."""
    with httpx.Client(headers=HEADERS, timeout=20) as client:
        reply = client.post(address, json=OPENING)
        client.headers["Mcp-Session-Id"] = reply.headers["mcp-session-id"]
        client.headers["MCP-Protocol-Version"] = "2025-06-18"
        client.post(address, json={"jsonrpc": "2.0", "method": "notifications/initialized"})
        yield client
        client.delete(address)


def called(tool: str, **arguments: object) -> dict:
    return {"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {
        "name": tool, "arguments": arguments, "_meta": {"progressToken": 1}}}  # fmt: skip


@pytest.mark.parametrize(
    ("headers", "status"), [({"Host": "evil.example"}, 421), ({"Origin": "https://evil.example"}, 403)]
)
def test_another_name_and_pages_of_another_origin_are_refused(address: str, headers: dict, status: int):
    assert httpx.post(address, json=OPENING, headers=HEADERS | headers).status_code == status


def test_a_body_beyond_the_bound_is_refused_before_it_is_parsed(address: str):
    body = called("run_sql", query="SELECT " + "1," * 20_000 + "1")
    assert httpx.post(address, json=body, headers=HEADERS).status_code == 413


def test_sessions_are_bounded_and_a_stranger_finds_none(address: str):
    opened = [httpx.post(address, json=OPENING, headers=HEADERS) for _ in range(5)]
    assert [reply.status_code for reply in opened] == [200, 200, 200, 503, 503]
    guessed = httpx.post(address, json=called("ask"), headers=HEADERS | {"Mcp-Session-Id": "0" * 32})
    assert guessed.status_code == 404
    for reply in opened[:3]:
        ended = httpx.delete(address, headers=HEADERS | {"Mcp-Session-Id": reply.headers["mcp-session-id"]})
        assert ended.status_code == 200


def test_one_persons_sessions_leave_some_to_others_and_one_that_ended_is_none(small_bank: Path):
    def opened(person: str) -> httpx.Response:
        return httpx.post(served, json=OPENING, headers=HEADERS | {"X-User": person})

    with served_bank(small_bank, mcp_sessions=8, user_header="X-User") as served:
        mine = [opened("asha") for _ in range(4)]
        assert [reply.status_code for reply in mine] == [200, 200, 503, 503]
        assert "2 sessions open" in mine[-1].text
        assert opened("vikram").status_code == 200
        modern = {"X-User": "asha", "MCP-Protocol-Version": "2026-01-01"}
        assert httpx.post(served, json=called("ask"), headers=HEADERS | modern).status_code != 503
        session = {"X-User": "asha", "Mcp-Session-Id": mine[0].headers["mcp-session-id"]}
        assert httpx.delete(served, headers=HEADERS | session).status_code == 200
        assert [opened("asha").status_code for _ in range(2)] == [200, 503]


def test_nor_does_one_person_take_more_by_opening_them_all_at_once(small_bank: Path):
    def opened(_: int) -> int:
        return httpx.post(served, json=OPENING, headers=HEADERS | {"X-User": "asha"}, timeout=20).status_code

    with served_bank(small_bank, mcp_sessions=8, user_header="X-User") as served, ThreadPoolExecutor(12) as clients:
        assert sorted(clients.map(opened, range(12))) == [200] * 2 + [503] * 10


def test_an_opening_that_came_to_nothing_takes_no_place(small_bank: Path):
    with served_bank(small_bank, mcp_sessions=8, user_header="X-User") as served:
        mine = HEADERS | {"X-User": "asha"}
        refused = [httpx.post(served, json=called("ask"), headers=mine).status_code for _ in range(3)]
        refused += [httpx.post(served, json=OPENING, headers=mine | {"Accept": "text/html"}).status_code] * 3
        assert not {200, 503} & set(refused)
        assert httpx.post(served, json=OPENING, headers=mine).status_code == 200


def test_a_statement_enters_the_history_under_the_name_of_who_calls_whoevers_session_it_is(small_bank: Path, tmp_path):
    store = tmp_path / "store.sqlite"
    with (
        served_bank(small_bank, user_header="X-User", store_url=f"sqlite:///{store}") as served,
        httpx.Client(headers=HEADERS, timeout=60) as client,
    ):
        session = client.post(served, json=OPENING, headers={"X-User": "asha"}).headers["mcp-session-id"]
        client.headers.update({"Mcp-Session-Id": session, "MCP-Protocol-Version": "2025-06-18"})
        client.post(served, json={"jsonrpc": "2.0", "method": "notifications/initialized"})
        for person, tool in (("asha", "run_sql"), ("vikram", "run_sql"), ("vikram", "mcp_db_query")):
            asked = called(tool, query="SELECT COUNT(*) AS n FROM customers")
            assert '"isError":false' in client.post(served, json=asked, headers={"X-User": person}).text
    with closing(sqlite3.connect(store)) as kept:
        people = kept.execute("SELECT person FROM audit_entries ORDER BY number").fetchall()
    assert people == [("asha",), ("vikram",), ("vikram",)]


def test_there_is_no_stream_to_wait_on(address: str, opened: httpx.Client):
    assert opened.get(address).status_code == 405


def test_who_hangs_up_in_the_middle_of_a_call_ends_its_statement(address: str, opened: httpx.Client):
    with opened.stream("POST", address, json=called("run_sql", query=SLOW)) as reply:
        next(line for line in reply.iter_lines() if "working" in line)
    started = time.monotonic()
    [told] = [
        json.loads(line[6:])
        for line in opened.post(address, json=called("run_sql", query="SELECT 1 AS one") | {"id": 8}).text.splitlines()
        if line.startswith("data: {") and '"result"' in line
    ]
    assert not told["result"]["isError"], told
    assert time.monotonic() - started < allowed_s(ENDS_WITHIN_S)


def test_who_comes_when_all_places_are_taken_is_told_so_and_places_come_back(address: str):
    with over_http("auto", address) as bank:
        slow = {"target": bank.cancel_after, "args": (2, "run_sql"), "kwargs": {"query": SLOW}}
        waiting = [threading.Thread(**slow) for _ in range(4)]
        for thread in waiting:
            thread.start()
        time.sleep(0.7)
        turned_away = bank.call("run_sql", query="SELECT 1 AS one")
        for thread in waiting:
            thread.join(10)
        assert said(turned_away) == "Many questions are being answered right now. Please ask again in a moment."
        until = time.monotonic() + allowed_s(ENDS_WITHIN_S)
        while (back := bank.call("run_sql", query="SELECT 1 AS one")).is_error and time.monotonic() < until:
            time.sleep(0.1)
        assert structured(back)["rows"] == [[1]]


def test_a_call_that_takes_longer_than_a_question_may_is_ended(small_bank: Path):
    with served_bank(small_bank, api_timeout_s=1) as served, over_http("auto", served) as bank:
        started = time.monotonic()
        result = bank.call("run_sql", query=SLOW)
        assert result.is_error
        assert said(result) == "The query took too long and was stopped. Try a shorter period or fewer details."
        assert time.monotonic() - started < allowed_s(3)


@pytest.mark.parametrize("body", [b"", b"[]", b"{", b"[" * 5_000, b'{"jsonrpc":"2.0","id":1,"method":"tools/call"}'])
def test_garbage_gets_an_answer_and_nothing_of_the_inside(address: str, opened: httpx.Client, body: bytes):
    reply = opened.post(address, content=body)
    assert reply.status_code in {200, 400}
    assert "Traceback" not in reply.text and "site-packages" not in reply.text
    assert httpx.get(address.replace("/mcp", "/health")).status_code == 200


def test_one_persons_calls_leave_places_to_others(small_bank: Path):
    bounds = {"api_threads": 4, "api_queue_size": 2, "api_questions_per_person": 2, "user_header": "X-User"}
    with served_bank(small_bank, **bounds) as served, httpx.Client(headers=HEADERS, timeout=60) as client:
        session = client.post(served, json=OPENING).headers["mcp-session-id"]
        client.headers.update({"Mcp-Session-Id": session, "MCP-Protocol-Version": "2025-06-18"})
        client.post(served, json={"jsonrpc": "2.0", "method": "notifications/initialized"})

        def told(person: str, number: int) -> str:
            asked = called("mcp_db_schema") | {"id": number}
            return client.post(served, json=asked, headers={"X-User": person}).text

        with ExitStack() as slow:
            heard = []  # an iterator that goes hangs up
            for number in (1, 2):
                asked = called("run_sql", query=SLOW) | {"id": number}
                reply = slow.enter_context(client.stream("POST", served, json=asked, headers={"X-User": "asha"}))
                heard.append(reply.iter_lines())
                while "working" not in next(heard[-1]):
                    pass
            assert "Many questions are being answered" in told("asha", 3)
            assert '"isError":false' in told("vikram", 4)
