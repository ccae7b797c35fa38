"""POST /chat over a real server on loopback: events in order, none lost, nothing left running."""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Callable
from typing import Any

import httpx
import pytest
from fastapi.testclient import TestClient

from ai_engine.errors import AssistantError
from ai_engine.events import EventType
from backend.front_desk import FrontDesk
from backend.main import create_app
from backend.settings import read_settings
from tests.backend.canned_assistant import CannedAssistant
from tests.backend.chat.scripted_chat import DONE, ScriptedChat, chunk
from tests.patience import allowed_s


class Heard:
    """What a reader got: ids with the objects of their events, and comments; it reads on where it stopped."""

    def __init__(self, response: httpx.Response) -> None:
        self._lines = response.iter_lines()
        self.events: list[tuple[str, dict[str, Any]]] = []
        self.comments = 0

    def read(self, most: int = 10_000, comments: int = 10_000) -> Heard:
        event_id = ""
        for line in self._lines:
            if line.startswith("id: "):
                event_id = line[4:]
            elif line.startswith("data: "):
                self.events.append((event_id, json.loads(line[6:])))
                event_id = ""
            elif line.startswith(":"):
                self.comments += 1
            if len(self.events) >= most or self.comments >= comments:
                break
        return self

    @property
    def types(self) -> list[str]:
        return [event["type"] for _, event in self.events]

    @property
    def last_id(self) -> str:
        return self.events[-1][0]

    @property
    def text(self) -> str:
        return "".join(event.get("content", "") for _, event in self.events if event["type"] == "response.chunk")


def asked(message: str, conversation: str | None = "monday", **more: Any) -> dict[str, Any]:
    return {"conversation_id": conversation, "message": message, **more}


def wait_until(is_true: Callable[[], bool], within_s: float = 20.0) -> float:
    began = time.monotonic()
    while not is_true():
        assert time.monotonic() - began < within_s, "it did not happen in time"
        time.sleep(0.01)
    return time.monotonic() - began


def test_a_message_is_answered_in_events_with_ids_and_types(served_chat):
    url, _ = served_chat()
    with httpx.stream("POST", f"{url}/chat", json=asked("Hello")) as response:
        heard = Heard(response).read()
    assert response.status_code == 200
    assert response.headers["content-type"].startswith("text/event-stream")
    assert response.headers["cache-control"] == "no-store"
    assert response.headers["x-content-type-options"] == "nosniff"
    request_id = response.headers["x-request-id"]
    assert [event_id for event_id, _ in heard.events] == [f"{request_id}-{place}" for place in range(1, 6)]
    assert heard.types == [
        "supervisor.thinking", "supervisor.decided", "response.chunk", "response.chunk", "response.done"
    ]  # fmt: skip
    assert heard.events[0][1] == {
        "type": "supervisor.thinking", "message": "Reading the question.", "iteration": 1
    }  # fmt: skip
    assert heard.text == "Good morning."
    kept = httpx.get(f"{url}/chat/monday/history").json()["messages"]
    assert [(one["role"], one["content"]) for one in kept] == [("user", "Hello"), ("assistant", "Good morning.")]


def test_what_the_client_says_of_the_person_reaches_the_chat(served_chat):
    url, chat = served_chat()
    httpx.post(f"{url}/chat", json=asked("Hello", context={"branch": "Pune"}))
    assert chat.asked[0].context == {"branch": "Pune"}


def test_a_new_conversation_gets_a_name_of_its_own(served_chat):
    url, chat = served_chat()
    with httpx.stream("POST", f"{url}/chat", json={"message": "Hello"}) as response:
        Heard(response).read()
    assert response.headers["x-conversation-id"] == chat.asked[0].conversation_id
    assert len(response.headers["x-conversation-id"]) == 32


@pytest.mark.parametrize("by", ["POST", "GET"])
def test_who_comes_back_with_the_last_id_misses_nothing(served_chat, by):
    url, chat = served_chat(
        {"Count": [*(chunk(f"{n} ") for n in range(5)), 0.3, *(chunk(f"{n} ") for n in range(5, 9)), DONE]}
    )
    with httpx.stream("POST", f"{url}/chat", json=asked("Count")) as response:
        first = Heard(response).read(most=3)
    headers = {"Last-Event-ID": first.last_id}
    if by == "POST":
        request = httpx.Request("POST", f"{url}/chat", json=asked("Count"), headers=headers)
    else:
        request = httpx.Request("GET", f"{url}/chat/monday/events", headers=headers)
    with httpx.Client() as client:
        rest = Heard(client.send(request, stream=True)).read()
    assert first.text + rest.text == "".join(f"{n} " for n in range(9))
    assert rest.types[-1] == "response.done"
    assert len(chat.asked) == 1


def test_events_of_a_message_that_has_ended_are_read_again_from_the_beginning(served_chat):
    url, _ = served_chat()
    with httpx.stream("POST", f"{url}/chat", json=asked("Hello")) as response:
        whole = Heard(response).read()
    with httpx.stream("GET", f"{url}/chat/monday/events") as response:
        assert Heard(response).read().events == whole.events
    with httpx.stream("GET", f"{url}/chat/monday/events", headers={"Last-Event-ID": whole.last_id}) as response:
        assert Heard(response).read().events == []
    beyond = {"Last-Event-ID": f"{whole.last_id}0"}
    with httpx.stream("GET", f"{url}/chat/monday/events", headers=beyond) as response:
        assert [event["error_type"] for _, event in Heard(response).read().events] == ["EventsGone"]


def test_events_that_nobody_keeps_any_more_are_refused_and_nothing_is_asked_again(served_chat):
    url, chat = served_chat(chat_log_keep_s=1)
    with httpx.stream("POST", f"{url}/chat", json=asked("Hello")) as response:
        heard = Heard(response).read(most=2)
        time.sleep(1.2)
    for last, status in [
        (heard.last_id, 410),
        ("ab12-3", 410),
        ("nonsense", 422),
        ("a-b-9", 422),
        ("ab-99999999999", 422),
    ]:
        again = httpx.post(f"{url}/chat", json=asked("Hello"), headers={"Last-Event-ID": last})
        assert again.status_code == status
        assert set(again.json()) == {"error", "error_kind"}
    assert httpx.get(f"{url}/chat/monday/events").status_code == 410
    assert len(chat.asked) == 1


def test_events_of_another_conversation_are_not_given_out(served_chat):
    url, _ = served_chat(user_header="X-User")
    with httpx.stream("POST", f"{url}/chat", json=asked("Hello"), headers={"X-User": "asha"}) as response:
        heard = Heard(response).read()
    other = {"X-User": "ravi", "Last-Event-ID": heard.last_id}
    assert httpx.get(f"{url}/chat/monday/events", headers=other).status_code == 410
    assert httpx.get(f"{url}/chat/monday/events", headers={"X-User": "ravi"}).status_code == 410
    assert httpx.get(f"{url}/chat/monday/history", headers={"X-User": "ravi"}).json() == {"messages": []}
    assert len(httpx.get(f"{url}/chat/monday/history", headers={"X-User": "asha"}).json()["messages"]) == 2


def test_a_log_that_is_full_drops_the_oldest_and_says_so(served_chat):
    url, _ = served_chat({"Much": [*(chunk("x" * 10) for _ in range(50)), DONE]}, chat_log_events=10)
    with httpx.stream("POST", f"{url}/chat", json=asked("Much")) as response:
        Heard(response).read()
    with httpx.stream("GET", f"{url}/chat/monday/events") as response:
        heard = Heard(response).read()
    assert heard.types == ["error", *["response.chunk"] * 9, "response.done"]
    assert heard.events[0][1]["error_type"] == "EventsGone"


def test_a_silent_stream_is_sent_comments(served_chat):
    url, _ = served_chat(chat_heartbeat_s=0.1)
    with httpx.stream("POST", f"{url}/chat", json=asked("Work")) as response:
        assert Heard(response).read(comments=2).comments == 2


def test_a_client_that_hangs_up_ends_the_work_within_a_second(served_chat):
    url, chat = served_chat()
    with httpx.stream("POST", f"{url}/chat", json=asked("Work")) as response:
        _first = Heard(response).read(most=1)
    assert wait_until(lambda: "Work" in chat.closed) < allowed_s(1.0)
    with httpx.stream("GET", f"{url}/chat/monday/events") as response:
        heard = Heard(response).read()
    assert heard.events[-1][1]["status"] == "stopped"


def test_work_goes_on_while_somebody_else_still_reads_it(served_chat):
    url, chat = served_chat({"Two": [chunk("a"), 1.5, chunk("b"), DONE]})
    with httpx.stream("POST", f"{url}/chat", json=asked("Two")) as first:
        _first = Heard(first).read(most=1)
        with httpx.stream("GET", f"{url}/chat/monday/events") as second:
            heard = Heard(second).read(most=1)
            first.close()
            assert heard.read().text == "ab"
    assert chat.closed == ["Two"]
    assert not chat.stopped.is_set()


def test_a_second_message_waits_for_the_first_and_is_never_mixed_with_it(served_chat):
    url, chat = served_chat({"First": [chunk("1"), 0.5, chunk("1"), DONE], "Second": [chunk("2"), DONE]})
    texts: dict[str, str] = {}

    def ask(message: str) -> None:
        with httpx.stream("POST", f"{url}/chat", json=asked(message), timeout=20) as response:
            texts[message] = Heard(response).read().text

    first = threading.Thread(target=ask, args=("First",))
    first.start()
    wait_until(lambda: bool(chat.working))
    ask("Second")
    first.join()
    assert texts == {"First": "11", "Second": "2"}
    assert chat.closed == ["First", "Second"]
    assert chat.most_working == 1


def test_a_message_that_waited_too_long_is_told_so_also_by_another_process(served_chat):
    url, chat = served_chat()
    other_url, other = served_chat(chat_wait_s=0.2)
    with httpx.stream("POST", f"{url}/chat", json=asked("Work")) as response:
        _first = Heard(response).read(most=1)
        busy = httpx.post(f"{other_url}/chat", json=asked("Hello"))
        assert (busy.status_code, busy.json()["error_kind"]) == (409, "ConversationBusy")
        assert busy.headers["retry-after"]
        assert httpx.post(f"{other_url}/chat", json=asked("Hello", "tuesday")).status_code == 200
    wait_until(lambda: not chat.working)
    wait_until(lambda: httpx.post(f"{other_url}/chat", json=asked("Hello")).status_code == 200)
    assert [one.message for one in other.asked] == ["Hello", "Hello"]


def test_a_question_in_the_middle_is_answered_once_and_only_in_its_own_conversation(served_chat):
    ask = (EventType.CLARIFY_REQUEST, {"question": "Which branch?", "id": "q1", "timeout_s": 30})
    url, _ = served_chat({"Review": [ask, "q1", DONE]})
    body = {"id": "q1", "action": "accept", "content": {"branch": "Pune"}}
    with httpx.stream("POST", f"{url}/chat", json=asked("Review")) as response:
        lines = Heard(response).read(most=1)
        assert lines.events[0][1]["id"] == "q1"
        assert httpx.post(f"{url}/chat/tuesday/respond", json=body).status_code == 410
        assert httpx.post(f"{url}/chat/monday/respond", json={**body, "id": "q2"}).status_code == 410
        assert httpx.post(f"{url}/chat/monday/respond", json=body).status_code == 204
        assert httpx.post(f"{url}/chat/monday/respond", json=body).status_code == 410
        with httpx.stream("GET", f"{url}/chat/monday/events", headers={"Last-Event-ID": lines.last_id}) as again:
            assert Heard(again).read().text == "{'branch': 'Pune'}"


def test_tools_are_listed_with_the_health_of_their_server(served_chat):
    url, _ = served_chat()
    assert httpx.get(f"{url}/tools").json() == {
        "tools": [
            {"name": "sql", "description": "Looks at the figures.", "server_id": None, "healthy": True},
            {"name": "rag_search", "description": "Searches notes.", "server_id": "documents", "healthy": False},
        ]
    }


@pytest.mark.parametrize(
    ("fault", "told"),
    [(AssistantError("secret", "Not today."), "Not today."), (RuntimeError("secret"), "Something went wrong")],
)
def test_a_fault_is_told_in_our_words_and_the_stream_still_ends_properly(served_chat, fault, told):
    url, chat = served_chat({"Break": [chunk("a"), fault]})
    with httpx.stream("POST", f"{url}/chat", json=asked("Break")) as response:
        heard = Heard(response).read()
    assert heard.types == ["response.chunk", "error", "response.done"]
    assert heard.events[1][1]["message"].startswith(told)
    assert heard.events[2][1]["status"] == "failed"
    assert "secret" not in json.dumps(heard.events)
    assert not chat.working
    assert httpx.post(f"{url}/chat", json=asked("Hello")).status_code == 200


@pytest.mark.parametrize(
    "body",
    [{}, {"message": ""}, {"message": "  "}, {"message": "x" * 2_001}, {"message": "hi", "more": 1},
     {"message": "hi", "context": {"a": "x" * 9_000}}, {"message": "hi", "context": [1]},
     {"message": "hi", "conversation_id": "a/b"}, {"message": "hi", "conversation_id": "x" * 101}],
)  # fmt: skip
def test_what_is_no_message_is_refused_in_the_documented_shape(served_chat, body):
    url, chat = served_chat()
    refused = httpx.post(f"{url}/chat", json=body)
    assert refused.status_code == 422
    assert refused.json()["error_kind"] == "BadQuestion"
    assert not chat.asked


def test_open_streams_take_no_place_from_questions_and_have_a_bound_of_their_own(served_chat):
    url, chat = served_chat(api_threads=1, api_queue_size=0, chat_streams=2)
    with httpx.stream("POST", f"{url}/chat", json=asked("Work")) as response:
        _first = Heard(response).read(most=1)
        assert httpx.post(f"{url}/ask", json={"query": "How many?"}).status_code != 503
        with httpx.stream("GET", f"{url}/chat/monday/events") as again:
            _same = Heard(again).read(most=1)
            for busy in (
                httpx.post(f"{url}/chat", json=asked("Hello", "tuesday")),
                httpx.get(f"{url}/chat/monday/events"),
            ):
                assert (busy.status_code, busy.json()["error_kind"]) == (503, "DatabaseBusy")
                assert int(busy.headers["retry-after"]) > 0
                assert "being followed" in busy.json()["error"]
        assert httpx.post(f"{url}/chat", json=asked("Hello", "tuesday")).status_code == 200
    wait_until(lambda: not chat.working)


def no_desks() -> FrontDesk:
    raise AssistantError("no desk is open")


@pytest.mark.parametrize(
    ("method", "path"),
    [("GET", "/chat/monday/history"), ("GET", "/tools"), ("GET", "/templates"), ("DELETE", "/templates/weekly"),
     ("GET", "/chat/monday/workflows/w1/template"), ("POST", "/chat/monday/workflows/w1/template"),
     ("GET", "/route/agents")],
)  # fmt: skip
def test_what_opens_a_source_or_reads_the_store_takes_one_of_its_persons_places(store_file, method, path):
    settings = read_settings(store_url=store_file, api_questions_per_person=1, user_header="X-User")
    app = create_app(
        lambda: CannedAssistant({}),  # type: ignore[arg-type,return-value]
        front_desk_factory=no_desks, chat_factory=lambda: ScriptedChat({}), settings=settings,
    )  # fmt: skip
    wish = {"title": "Weekly"} if method == "POST" else None
    with TestClient(app, base_url="http://localhost") as client:

        def sent(who: str) -> httpx.Response:
            return client.request(method, path, headers={"X-User": who}, json=wish)

        with app.state.desk.place("asha"):
            busy, other = sent("asha"), sent("vikram")
        assert (busy.status_code, busy.headers.get("retry-after")) == (503, "1")
        assert "DatabaseBusy" in busy.text
        assert other.status_code != 503
        assert sent("asha").status_code != 503


def test_who_hangs_up_before_the_first_event_leaves_no_place_taken_and_no_work_behind(served_chat):
    url, chat = served_chat(chat_streams=1, chat_question_grace_s=0.5)
    port = httpx.URL(url).port
    body = json.dumps(asked("Work")).encode()
    head = f"POST /chat HTTP/1.1\r\nHost: localhost:{port}\r\nContent-Type: application/json\r\n"
    for _ in range(5):
        with socket.create_connection(("127.0.0.1", port)) as connection:
            connection.sendall(f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body)
        wait_until(lambda: not chat.working)
    wait_until(lambda: httpx.post(f"{url}/chat", json=asked("Hello", "tuesday")).status_code == 200)


def test_a_reader_that_takes_nothing_is_cut_off_and_may_come_back(served_chat):
    much = [chunk("x" * 20_000) for _ in range(400)]
    url, chat = served_chat({"Flood": [*much, DONE]}, chat_send_timeout_s=0.5, chat_log_kb=20_000, chat_grace_s=5)
    with httpx.stream("POST", f"{url}/chat", json=asked("Flood")) as response:
        heard = Heard(response)
        time.sleep(1.5)
        with pytest.raises(httpx.RemoteProtocolError):
            heard.read()
    assert 0 < len(heard.events) < 400
    with httpx.stream("GET", f"{url}/chat/monday/events", headers={"Last-Event-ID": heard.last_id}) as response:
        rest = Heard(response).read()
    assert len(heard.text + rest.text) == 400 * 20_000
    assert chat.closed == ["Flood"]
