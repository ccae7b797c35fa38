"""A request within its bound of bytes keeps nobody else waiting, however its body is made."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator

import pytest
from fastapi.testclient import TestClient
from httpx import Response

from backend.main import create_app
from tests.backend.canned_assistant import CUSTOMERS, CannedAssistant
from tests.patience import allowed_s

A_MOMENT_S = 0.5
LARGEST_CHARS = 255_000
COMMAS = "1, " * 30_000


@pytest.fixture(scope="module")
def client() -> Iterator[TestClient]:
    with TestClient(create_app(lambda: CannedAssistant({COMMAS: CUSTOMERS}))) as client:
        client.post("/orchestrate", json={"question": 1})
        yield client


def post(client: TestClient, path: str, body: bytes) -> tuple[Response, float]:
    """Return the reply, and the seconds that the quickest of three took: collecting what earlier tests left is slow."""
    took_s = []
    for _ in range(3):
        began = time.monotonic()
        reply = client.post(path, content=body, headers={"content-type": "application/json"})
        took_s.append(time.monotonic() - began)
    return reply, min(took_s)


def many(item: str) -> str:
    return ",".join([item] * (LARGEST_CHARS // (len(item) + 1)))


KEYS = ",".join(f'"k{number}":1' for number in range(20_000))
BODIES = {
    "numbers for agents": ("/orchestrate", '{"question":"x","prefer_agents":[' + many("1") + "]}"),
    "lists for agents": ("/orchestrate", '{"question":"x","disable_agents":[' + many("[]") + "]}"),
    "keys of no question": ("/orchestrate", '{"question":"x",' + KEYS + "}"),
    "keys of no stream": ("/orchestrate/stream", '{"question":"x",' + KEYS + "}"),
    "keys of no message": ("/chat", '{"message":"x",' + KEYS + "}"),
    "keys of no reply": ("/chat/c/respond", '{"id":"x",' + KEYS + "}"),
    "keys of no route": ("/route", '{"user_input":"x","user_id":"a","session_id":"b",' + KEYS + "}"),
    "keys beside a query": ("/ask", '{"query":"q",' + KEYS + "}"),
    "texts of no template": ("/chat/c/workflows/w/template", '{"title":"x","inputs":[' + many("1") + "]}"),
    "an intent": ("/verified", '{"query":"x","sql":"SELECT 1","intent":{"a":[' + many("[]") + "]}}"),
    "a call of a tool": ("/mcp", '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":[' + many("{}") + "]}"),
}


@pytest.mark.parametrize("levels", [65, 200, 900, 100_000])
@pytest.mark.parametrize(("opens", "closes"), [('{"a":', "}"), ("[", "]")])
def test_a_body_of_many_levels_is_refused_before_anybody_writes_it_again(
    client: TestClient, levels: int, opens: str, closes: str
) -> None:
    deep = opens * levels + "1" + closes * levels
    asked = '{"user_input":"q","user_id":"a","session_id":"b","additional_params":{"a":' + deep + "}}"
    reply = client.post("/route", content=asked[:LARGEST_CHARS], headers={"content-type": "application/json"})
    assert reply.status_code in {400, 413}
    assert "x-frame-options" in reply.headers
    assert len(reply.text) < 2_000


@pytest.mark.parametrize(("path", "body"), BODIES.values(), ids=BODIES.keys())
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_a_body_of_very_many_parts_is_refused_in_a_moment(
    client: TestClient, path: str, body: str, encoding: str
) -> None:
    if encoding == "utf-16":
        body = body[: LARGEST_CHARS // 2].rpartition(",")[0] + ("" if "k1" in body else "]") + "}"
    reply, took_s = post(client, path, body.encode(encoding))
    assert took_s < allowed_s(A_MOMENT_S)
    assert (reply.status_code, "parts" in reply.text) == ((413, True) if encoding == "utf-8" else (400, False))
    assert len(reply.text) < 2_000


def test_the_most_faults_that_a_body_can_have_are_told_in_a_moment(client: TestClient) -> None:
    body = {"question": "x", **dict.fromkeys(map(str, range(4_900)), 1)}
    reply, took_s = post(client, "/orchestrate", json.dumps(body).encode())
    assert took_s < allowed_s(A_MOMENT_S)
    assert reply.status_code == 422
    assert len(reply.text) < 2_000


def test_a_list_of_agents_is_left_at_a_hundred(client: TestClient) -> None:
    told = [client.post("/orchestrate", json={"question": "x", "prefer_agents": [1] * count}) for count in (101, 4_000)]
    assert [reply.status_code for reply in told] == [422, 422]
    assert all("at most 100" in reply.text for reply in told)


def test_a_long_text_full_of_commas_is_one_part(client: TestClient) -> None:
    assert client.post("/ask", json={"query": COMMAS}).status_code == 200
