from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import httpx
import pytest
import uvicorn
from fastapi.testclient import TestClient

from ai_engine import errors
from ai_engine.agent import in_thread
from ai_engine.types import Answer, FailedDraft, OutputColumn, QueryResult
from backend import VERSION
from backend.api.errors import HTTP_STATUS
from backend.main import create_app
from backend.opening import open_assistant
from backend.settings import PROJECT_ROOT, read_settings
from backend.sources.sources import Sources
from tests.backend.canned_assistant import CUSTOMERS, CannedAssistant, Reply
from tests.loopback_server import serving
from tests.patience import allowed_s


@contextmanager
def api(**replies: Reply) -> Iterator[TestClient]:
    with client_of(CannedAssistant(replies)) as client:
        yield client


@contextmanager
def client_of(assistant: Any) -> Iterator[TestClient]:
    with TestClient(create_app(lambda: assistant)) as client:
        yield client


def failed(kind: type[errors.AssistantError], **more: Any) -> Answer:
    return Answer(
        question="q", status="failed", model="canned", error=kind.user_message, error_kind=kind.__name__, **more
    )


def error_classes(root: type[errors.AssistantError] = errors.AssistantError) -> set[type[errors.AssistantError]]:
    return {root}.union(
        *(error_classes(child) for child in root.__subclasses__() if child.__module__.startswith(f"{errors.__name__}."))
    )


def test_an_answer_comes_in_the_documented_shape():
    with api(q=CUSTOMERS) as client:
        reply = client.post("/ask", json={"query": "q"})
    assert reply.status_code == 200
    body = reply.json()
    assert body["status"] == "answered"
    assert body["validated_sql"] == CUSTOMERS.sql
    assert body["execution_result"] == {
        "data": [{"customers": 12_000}],
        "row_count": 1,
        "execution_time_seconds": 0.004,
        "truncated": False,
        "total_rows": None,
        "error": None,
    }
    assert body["summary"] == CUSTOMERS.summary
    assert body["chart_suggestion"] == "metric"
    assert body["error"] is None
    assert body["units"] == {"customers": "count"}


def test_the_chart_comes_as_a_plotly_figure_where_it_is_asked_for():
    columns = (OutputColumn("city", "City"), OutputColumn("customers", "Customers", "count", "measure", adds_up=True))
    result = QueryResult(("city", "customers"), ("text", "integer"), (("Pune", 2), ("<b>Goa</b>", 1)))
    answer = Answer("q", "answered", "canned", result=result, columns=columns, chart="bar", scope="where city is new")
    with api(q=answer, none=Answer("none", "refused", "canned")) as client:
        plain, figure, pie, other, refused = (
            client.post("/ask", json=body).json()["figure"]
            for body in (
                {"query": "q"},
                {"query": "q", "figure": "suggested"},
                {"query": "q", "figure": "pie"},
                {"query": "q", "figure": "line"},
                {"query": "none", "figure": "suggested"},
            )
        )
        assert client.post("/ask", json={"query": "q", "figure": "cake"}).status_code == 422
    assert (plain, refused) == (None, None)
    assert figure["layout"]["title"]["text"] == "Customers by city where city is new"
    assert figure["data"][0]["y"] == [2, 1]
    assert figure["layout"]["xaxis"]["ticktext"] == ["Pune", "&lt;b&gt;Goa&lt;/b&gt;"]
    assert (pie["data"][0]["type"], other["data"][0]["type"]) == ("pie", "bar")


def test_cells_keep_their_digits_and_dates():
    result = QueryResult(
        ("balance", "opened", "wide"),
        ("decimal", "date", "decimal"),
        ((Decimal("175206.00"), date(2026, 9, 30), Decimal("12345678901234567.89")),),
    )
    answer = Answer("q", "answered", "canned", sql="SELECT 1", result=result, columns=(OutputColumn("balance", "B"),))
    with api(q=answer) as client:
        data = client.post("/ask", json={"query": "q"}).json()["execution_result"]["data"]
    assert data == [{"balance": 175206.0, "opened": "2026-09-30", "wide": "12345678901234567.89"}]


@pytest.mark.parametrize("status", ["refused", "clarify"])
def test_a_refusal_and_a_question_back_are_answers(status):
    answer = Answer("q", status, "canned", error="Which balance?", choices=("a", "b"), suggestions=("c",))
    with api(q=answer) as client:
        reply = client.post("/ask", json={"query": "q"})
    assert reply.status_code == 200
    body = reply.json()
    assert (body["status"], body["error"], body["choices"], body["suggestions"]) == (
        status, "Which balance?", ["a", "b"], ["c"],
    )  # fmt: skip
    assert body["execution_result"] is None
    assert body["chart_suggestion"] is None


def test_every_error_class_has_a_status_and_no_other_has():
    assert set(HTTP_STATUS) == error_classes()


@pytest.mark.parametrize(("kind", "status"), HTTP_STATUS.items(), ids=lambda value: getattr(value, "__name__", value))
def test_a_failure_has_the_status_of_its_class_and_its_sentence(kind, status):
    with api(q=failed(kind)) as client:
        reply = client.post("/ask", json={"query": "q"})
    assert reply.status_code == status
    body = reply.json()
    assert (body["status"], body["error"], body["error_kind"]) == ("failed", kind.user_message, kind.__name__)
    assert reply.headers.get("Retry-After") == ("1" if kind in {errors.DatabaseBusy, errors.ServerStopping} else None)


def test_a_failed_statement_is_reported_where_its_rows_would_be():
    draft = FailedDraft("SELECT 1", "no such function: foo", "m", stage="execution", error_kind="QueryFailed")
    with api(q=failed(errors.QueryFailed, failures=(draft,))) as client:
        body = client.post("/ask", json={"query": "q"}).json()
    assert body["execution_result"]["error"] == "no such function: foo"
    assert body["execution_result"]["data"] == []


@pytest.mark.parametrize("body", [{}, {"query": None}, {"query": 7}, [], "text"])
def test_a_request_that_is_no_question_is_refused_in_the_same_shape(body):
    with api() as client:
        reply = client.post("/ask", json=body)
    assert reply.status_code == 422
    assert reply.json()["status"] == "failed"
    assert reply.json()["error"].startswith("The request is not a question: body")


def test_broken_json_is_refused_in_the_same_shape():
    with api() as client:
        reply = client.post("/ask", content=b'{"query": ', headers={"Content-Type": "application/json"})
    assert reply.status_code == 422
    assert reply.json()["error_kind"] == "BadQuestion"


@pytest.mark.parametrize(
    ("content", "status"), [(b"{", 422), (b"\xff\xfe{", None), (b"[" * 100_000, None), (b'"' + b"x" * 50_000, None)]
)
def test_a_body_that_is_no_json_is_refused_in_the_same_shape_and_not_repeated(content, status):
    with api() as client:
        reply = client.post("/ask", content=content, headers={"Content-Type": "application/json"})
    assert reply.status_code in ({status} if status else {400, 422})
    assert (reply.json()["status"], reply.json()["error_kind"]) == ("failed", "BadQuestion")
    assert len(reply.content) < 1_000


@pytest.mark.parametrize(
    ("method", "path", "status"), [("POST", "/ask/", 404), ("GET", "/ask", 405), ("GET", "/x", 404)]
)
def test_an_address_that_is_not_there_leads_nowhere_else_and_has_the_same_shape(method, path, status):
    with api() as client:
        reply = client.request(method, path, follow_redirects=False)
    assert reply.status_code == status
    assert "location" not in reply.headers
    assert reply.json()["error_kind"] == "BadQuestion"


@pytest.mark.parametrize("chunked", [False, True])
def test_a_body_beyond_the_bound_is_refused_and_not_repeated(chunked):
    content = b'{"query": "' + b"x" * 300_000 + b'"}'
    with api() as client:
        reply = client.post("/ask", content=iter([content]) if chunked else content)
    assert reply.status_code == 413
    assert "BANK_HTTP_MAX_BODY_KB" in reply.json()["error"]
    assert len(reply.content) < 1_000


def test_a_question_beyond_its_bound_is_not_repeated(small_bank):
    with (
        closing(open_assistant(read_settings(database_url=str(small_bank)))) as assistant,
        client_of(assistant) as client,
    ):
        reply = client.post("/ask", json={"query": "x" * 200_000})
    assert (reply.status_code, reply.json()["error_kind"]) == (422, "BadQuestion")
    assert len(reply.content) < 5_000


@pytest.mark.parametrize(
    "host",
    [
        *("evil.example", "localhost.evil.example", "127.0.0.2", "", "localhost@evil.example", "["),
        *("evil.example@localhost", "localhost/evil", "localhost?.evil.example", "localhost#.evil.example"),
        *("localhost:x", "localhost localhost", "[localhost]"),
    ],
)
def test_under_a_name_that_is_not_its_own_it_does_not_answer_and_says_which_setting_to_change(host):
    with api(q=CUSTOMERS) as client:
        reply = client.post("/ask", json={"query": "q"}, headers={"Host": host})
    assert reply.status_code == 421
    assert "BANK_ALLOWED_HOSTS" in reply.json()["error"]
    assert "evil" not in reply.text


@pytest.mark.parametrize(
    ("host", "origin", "status"),
    [
        ("localhost:8000", "http://localhost:8000", 200),
        ("localhost:8000", "http://localhost:3000", 403),
        ("localhost:8000", "http://evil.example", 403),
        ("localhost:8000", "null", 403),
        ("localhost:8000", ["http://localhost:8000", "http://evil.example"], 403),
        ("127.0.0.1:8000", None, 200),
        ("[::1]:8000", "http://[::1]:8000", 200),
        ("bank.example", "https://bank.example", 200),
        ("localhost", "https://Bank.example", 200),
    ],
)
def test_a_page_of_another_origin_may_not_ask(host, origin, status, monkeypatch):
    monkeypatch.setenv("BANK_ALLOWED_HOSTS", "Bank.example, other.example")
    origins = [origin] if isinstance(origin, str) else origin or []
    headers = [("Host", host), *(("Origin", one) for one in origins)]
    with api(q=CUSTOMERS) as client:
        assert client.post("/ask", json={"query": "q"}, headers=headers).status_code == status


def test_a_question_that_takes_too_long_is_ended(monkeypatch):
    monkeypatch.setenv("BANK_API_TIMEOUT_S", "0.3")

    def endless(stop: threading.Event) -> Answer:
        assert stop.wait(20)
        return failed(errors.QueryStopped)

    with api(q=endless) as client:
        reply = client.post("/ask", json={"query": "q"})
    assert (reply.status_code, reply.json()["error_kind"]) == (504, "QueryTimedOut")


def test_health_tells_whether_it_answers_and_nothing_of_what_it_answers_from():
    with api() as client:
        reply = client.get("/health")
    assert reply.status_code == 200
    assert reply.json() == {"status": "ok", "error": None}
    assert f'version = "{VERSION}"' in (PROJECT_ROOT / "pyproject.toml").read_text()


@pytest.mark.parametrize("fault", [errors.BadConfiguration("no file /home/me/secret.duckdb"), RuntimeError("secret")])
def test_an_assistant_that_cannot_be_opened_is_reported_without_its_addresses(fault):
    def broken() -> Any:
        raise fault

    with TestClient(create_app(broken)) as client:
        health, answer = client.get("/health"), client.post("/ask", json={"query": "q"})
    assert (health.status_code, answer.status_code) == (503, 500)
    assert health.json()["status"] == "unavailable"
    assert "secret" not in health.text + answer.text


def test_the_database_may_come_up_later():
    attempts: list[int] = []

    def opens_at_last() -> Any:
        attempts.append(1)
        if len(attempts) < 3:
            raise errors.DatabaseUnavailable("connection refused")
        return CannedAssistant({"q": CUSTOMERS})

    with TestClient(create_app(opens_at_last)) as client:
        while len(attempts) < 1:
            time.sleep(0.01)
        assert client.get("/health").status_code == 503
        assert client.post("/ask", json={"query": "q"}).status_code == 200


def test_health_does_not_wait_for_a_vocabulary_that_is_being_taken_up():
    release, taken_up = threading.Event(), threading.Event()
    release.set()
    assistant, faults = CannedAssistant({"q": CUSTOMERS}), []

    def renewed() -> Any:
        assert release.wait(30)
        taken_up.set()
        if faults:
            raise faults[0]
        return assistant

    with TestClient(create_app(renewed)) as client:
        assert client.get("/health").status_code == 200
        release.clear()
        began = time.monotonic()
        assert [client.get("/health").status_code for _ in range(3)] == [200] * 3
        assert time.monotonic() - began < allowed_s(1)
        faults.append(errors.DatabaseUnavailable("it is away"))
        taken_up.clear()
        release.set()
        assert taken_up.wait(30)
        assert client.get("/health").status_code == 503
        faults.clear()
        assert client.get("/health").status_code == 200


def test_what_is_raised_is_answered_with_the_headers_of_every_reply():
    app = create_app(lambda: CannedAssistant({}))

    def broken() -> None:
        raise ValueError("secret")

    app.add_api_route("/broken", broken)
    with TestClient(app, raise_server_exceptions=False) as client:
        reply = client.get("/broken")
    assert (reply.status_code, reply.text) == (500, "Internal Server Error")
    assert {"x-frame-options", "x-content-type-options", "content-security-policy"} <= reply.headers.keys()


def test_a_source_of_any_length_is_not_repeated_and_no_name_of_one_is_logged(
    small_bank: Path, caplog: pytest.LogCaptureFixture
):
    name = "kilobytes" * 1_500
    settings = read_settings(database_url=str(small_bank), database_workers=1)
    sources = Sources(lambda: settings, open_assistant)
    app = create_app(sources.assistant, lambda: None, sources=sources, settings=settings)  # type: ignore[arg-type, return-value]
    with closing(sources), TestClient(app, base_url="http://localhost") as client:
        caplog.clear()
        replies = [
            client.get("/verified", params={"source": name}),
            client.post("/orchestrate", params={"source": name}, json={"question": "How many?"}),
            client.post("/ask", json={"query": "q", "source": "kilobytes"}),
        ]
    assert [reply.status_code for reply in replies] == [422] * 3
    assert all(len(reply.text) < 2_000 for reply in replies)
    assert "kilobytes" not in caplog.text


def test_a_slow_question_does_not_hold_up_the_others():
    release = threading.Event()

    def slow(stop: threading.Event) -> Answer:
        assert release.wait(20)
        return CUSTOMERS

    with api(slow=slow, quick=CUSTOMERS) as client:
        outcome: list[int] = []
        waiting = threading.Thread(
            target=lambda: outcome.append(client.post("/ask", json={"query": "slow"}).status_code)
        )
        waiting.start()
        assert client.post("/ask", json={"query": "quick"}).status_code == 200
        assert outcome == []
        release.set()
        waiting.join(20)
    assert outcome == [200]


def test_two_hundred_questions_at_once_are_answered_or_told_that_it_is_busy(small_bank, tmp_path):
    settings = read_settings(
        database_url=str(small_bank), cache_dir=tmp_path, database_workers=1, database_queue_size=10
    )
    with closing(open_assistant(settings)) as assistant, served(assistant) as port:
        address = f"http://127.0.0.1:{port}"
        gate = threading.Barrier(200)
        replies: list[httpx.Response] = []

        def ask() -> None:
            gate.wait()
            body = {"query": "How many customers are there?"}
            replies.append(httpx.post(f"{address}/ask", json=body, timeout=120, trust_env=False))

        threads = [threading.Thread(target=ask) for _ in range(200)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        after = httpx.get(f"{address}/health", timeout=60, trust_env=False)
    assert after.json()["status"] == "ok"
    assert len(replies) == 200
    answered = [reply for reply in replies if reply.status_code == 200]
    busy = [reply for reply in replies if reply.status_code == 503]
    assert len(answered) + len(busy) == 200
    assert answered
    assert all("600" in reply.json()["summary"] for reply in answered)
    assert all(reply.json()["error_kind"] == "DatabaseBusy" and reply.headers["Retry-After"] for reply in busy)


def test_who_comes_when_all_places_are_taken_is_told_at_once_and_health_still_answers(monkeypatch):
    monkeypatch.setenv("BANK_API_THREADS", "2")
    monkeypatch.setenv("BANK_API_QUEUE_SIZE", "1")
    release = threading.Event()
    statuses: list[int] = []

    def slow(stop: threading.Event) -> Answer:
        assert release.wait(20)
        return CUSTOMERS

    with api(slow=slow) as client:
        desk = client.app.state.desk  # type: ignore[attr-defined]

        def ask() -> None:
            statuses.append(client.post("/ask", json={"query": "slow"}).status_code)

        threads = [threading.Thread(target=ask) for _ in range(3)]
        for thread in threads:
            thread.start()
        while desk.places.taken < 3:
            time.sleep(0.01)
        turned_away = client.post("/ask", json={"query": "slow"})
        assert (turned_away.status_code, turned_away.json()["error_kind"]) == (503, "DatabaseBusy")
        assert turned_away.headers["Retry-After"]
        assert client.get("/health").status_code == 200
        release.set()
        for thread in threads:
            thread.join(20)
    assert statuses == [200, 200, 200]


def test_one_persons_requests_leave_places_to_others_and_are_told_what_to_do(monkeypatch):
    monkeypatch.setenv("BANK_USER_HEADER", "X-User")
    monkeypatch.setenv("BANK_API_QUESTIONS_PER_PERSON", "2")
    release = threading.Event()
    statuses: list[int] = []

    def slow(stop: threading.Event) -> Answer:
        assert release.wait(20)
        return CUSTOMERS

    with api(slow=slow, quick=CUSTOMERS) as client:
        desk = client.app.state.desk  # type: ignore[attr-defined]

        def ask(person: str, question: str = "slow") -> httpx.Response:
            return client.post("/ask", json={"query": question}, headers={"X-User": person})

        threads = [threading.Thread(target=lambda: statuses.append(ask("asha").status_code)) for _ in range(2)]
        for thread in threads:
            thread.start()
        while desk.places.taken < 2:
            time.sleep(0.01)
        refused = ask("asha")
        assert (refused.status_code, refused.json()["error_kind"]) == (503, "DatabaseBusy")
        assert "2 requests of yours" in refused.json()["error"]
        assert ask("vikram", "quick").status_code == 200
        release.set()
        for thread in threads:
            thread.join(20)
        assert ask("asha", "quick").status_code == 200
    assert statuses == [200, 200]


def test_work_of_a_desk_whose_client_has_gone_keeps_its_place_until_it_ends():
    release, begun = threading.Event(), threading.Event()

    class Slow:
        def directly_chosen(self, body: Any) -> None: ...

        async def route(self, body: Any, asked_by: str) -> Any:
            def work() -> None:
                begun.set()
                assert release.wait(30)

            await in_thread(work)

    app = create_app(lambda: CannedAssistant({}), front_desk_factory=Slow)  # type: ignore[arg-type]
    with serving(app, lifespan="on") as address:
        asked = {"user_input": "q", "user_id": "a", "session_id": "b"}
        for more in ({}, {"stream_response": True}):
            begun.clear()
            release.clear()
            with pytest.raises(httpx.ReadTimeout):
                httpx.post(f"{address}/route", json=asked | more, timeout=1)
            assert begun.is_set()
            time.sleep(1)
            assert app.state.desk.places.taken == 1
            release.set()
            until = time.monotonic() + allowed_s(5)
            while app.state.desk.places.taken and time.monotonic() < until:
                time.sleep(0.05)
            assert app.state.desk.places.taken == 0


def test_hanging_up_stops_the_question():
    started, stopped = threading.Event(), threading.Event()

    def endless(stop: threading.Event) -> Answer:
        started.set()
        if stop.wait(20):
            stopped.set()
        return failed(errors.QueryStopped)

    with served(CannedAssistant({"q": endless})) as port:
        with socket.create_connection(("127.0.0.1", port)) as connection:
            body = b'{"query": "q"}'
            connection.sendall(
                b"POST /ask HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                b"Content-Length: %d\r\n\r\n%s" % (len(body), body)
            )
            assert started.wait(20)
            assert not stopped.is_set()
        assert stopped.wait(allowed_s(5))


@contextmanager
def served(assistant: Any) -> Iterator[int]:
    """A real server on a free port of the loopback interface."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        server = uvicorn.Server(uvicorn.Config(create_app(lambda: assistant), log_level="error", lifespan="on"))
        thread = threading.Thread(target=server.run, args=([listening],))
        thread.start()
        try:
            yield listening.getsockname()[1]
        finally:
            server.should_exit = True
            thread.join(20)


def test_a_question_goes_all_the_way_to_the_database(small_bank):
    with (
        closing(open_assistant(read_settings(database_url=str(small_bank)))) as assistant,
        client_of(assistant) as client,
    ):
        assert client.get("/health").json()["status"] == "ok"
        body = client.post("/ask", json={"query": "How many customers are there?"}).json()
    assert body["status"] == "answered"
    ((count,),) = (row.values() for row in body["execution_result"]["data"])
    assert count == 600
    assert "600" in body["summary"]
    assert "customers" in body["validated_sql"]


def test_the_documentation_shows_the_shapes_and_every_failure():
    with api() as client:
        document = client.get("/openapi.json").json()
    operation = document["paths"]["/ask"]["post"]
    assert set(operation["responses"]) == {"200", "403", "422", "429", "500", "502", "503", "504"}
    for response in operation["responses"].values():
        assert response["content"]["application/json"]["schema"] == {"$ref": "#/components/schemas/AskResponse"}
    assert "validated_sql" in document["components"]["schemas"]["AskResponse"]["properties"]
    assert "data" in document["components"]["schemas"]["ExecutionResult"]["properties"]


@pytest.mark.parametrize("path, field", [("/ask", "query"), ("/route", "user_input")])
def test_a_failure_repeats_no_more_than_the_beginning_of_an_overlong_question(path, field):
    def broken():
        raise errors.DatabaseUnavailable("gone")

    body = {field: "zebra " * 30_000, "user_id": "u", "session_id": "s"}
    with TestClient(create_app(broken, front_desk_factory=broken), base_url="http://localhost") as client:
        reply = client.post(path, json=body if path == "/route" else {field: body[field]})
    assert reply.status_code >= 400
    assert len(reply.text) < 5_000
