from __future__ import annotations

import asyncio
import socket
import threading
import time
from collections.abc import Iterator

import pytest
from fastapi import FastAPI, Request
from fastapi.responses import PlainTextResponse, RedirectResponse, Response, StreamingResponse

from ai_engine.errors import ApiCallFailed, ApiCallRefused, BadConfiguration, QueryStopped
from ai_engine.specialists.api_docs.outside import HttpRequest, HttpResponse
from backend.outgoing.http_calls import HttpxCalls, Origin, origin_of, origins_of
from tests.loopback_server import serving
from tests.patience import allowed_s

PUBLIC = "93.184.216.34"


class Resolver:
    """Answers as told, one list of addresses per question; the last one stays."""

    def __init__(self, *answers: list[str]) -> None:
        self._answers = list(answers)
        self.asked: list[tuple[str, int]] = []

    def __call__(self, host: str, port: int) -> list[str]:
        self.asked.append((host, port))
        return self._answers.pop(0) if len(self._answers) > 1 else self._answers[0]


def odd_services() -> FastAPI:
    app = FastAPI()
    app.state.heard = []

    @app.get("/echo/{rest:path}")
    async def echo(request: Request, rest: str) -> dict[str, object]:
        app.state.heard.append(rest)
        return {
            "path": request.scope["raw_path"].decode(),
            "query": request.url.query,
            "headers": dict(request.headers),
        }

    @app.get("/moved")
    async def moved(to: str) -> RedirectResponse:
        return RedirectResponse(to)

    @app.get("/large")
    async def large(size: int) -> PlainTextResponse:
        return PlainTextResponse("x" * size)

    @app.get("/charset")
    async def charset(size: int, name: str) -> Response:
        said = b"x-" + b"9" * size if size else "Zürich".encode("latin-1" if "8859-1" in name.lower() else "utf-8")
        return Response(said, headers={"content-type": f"text/plain; charset{name}"})

    @app.get("/endless")
    async def endless() -> StreamingResponse:
        async def chunks():
            while True:
                yield b"x" * 1_024
                await asyncio.sleep(0)

        return StreamingResponse(chunks())

    @app.get("/drip")
    async def drip() -> StreamingResponse:
        async def chunks():
            while True:
                yield b"."
                await asyncio.sleep(0.05)

        return StreamingResponse(chunks())

    return app


class Flow:
    """A service that answers once, with a kind of content that no framework would send."""

    def __init__(self, size: int, kind: bytes) -> None:
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.address = f"http://127.0.0.1:{self._listener.getsockname()[1]}"
        self._said = b"x-" + b"9" * size
        self._head = b"HTTP/1.1 200 OK\r\ncontent-type: %s\r\ncontent-length: %d\r\n\r\n" % (kind, len(self._said))
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        connection, _ = self._listener.accept()
        with connection, self._listener:
            connection.recv(1 << 16)
            connection.sendall(self._head + self._said)


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    with serving(odd_services()) as address:
        yield address


def calls(
    *permitted: str, resolver: Resolver | None = None, timeout_s: float = 5, max_response_kb: int = 64
) -> HttpxCalls:
    return HttpxCalls(
        origins_of(permitted), timeout_s=timeout_s, max_response_kb=max_response_kb, resolver=resolver or Resolver([])
    )


def send(
    using: HttpxCalls, url: str, *query: tuple[str, str], stop: threading.Event | None = None, within_s: float = 20,
    **headers: str,
) -> HttpResponse:  # fmt: skip
    request = HttpRequest("GET", url, query, headers)
    return asyncio.run(using.send(request, stop=stop or threading.Event(), deadline=time.monotonic() + within_s))


# --- what is called ----------------------------------------------------------------------------------------------


def test_a_listed_service_on_this_machine_answers(server):
    found = send(calls(server), f"{server}/echo/a%2Fb", ("q", "1 & 2"), Accept="application/json")
    assert (found.status, found.url) == (200, f"{server}/echo/a%2Fb?q=1+%26+2")
    assert '"path":"/echo/a%2Fb"' in found.body
    assert '"accept":"application/json"' in found.body
    assert f'"host":"{server.removeprefix("http://")}"' in found.body


@pytest.mark.parametrize("url", [
    "http://127.0.0.1:1/x", "http://localhost:{port}/x", "https://127.0.0.1:{port}/x", "http://127.0.0.2:{port}/x",
    "http://2130706433:{port}/x", "http://0x7f000001:{port}/x", "http://127.1:{port}/x", "http://[::1]:{port}/x",
    "http://[::ffff:127.0.0.1]:{port}/x", "http://user@127.0.0.1:{port}/x", "http://u:p@127.0.0.1:{port}/x",
    "http://127.0.0.1:{port}@evil.example/x", "http://127.0.0.1:{port}\\@evil.example/x", "file:///etc/passwd",
    "ftp://127.0.0.1:{port}/x", "gopher://127.0.0.1:{port}/x", "//127.0.0.1:{port}/x", "", "http://", "not an address",
    "http://127.0.0.1:99999/x", "http://127.0.0.1:{port}/x?y=1", "http://127.0.0.1:{port}/#", "http://127.0.0.1:{port}.evil.example/x",
    "http://169.254.169.254/latest/meta-data", "http://[fd00::1]/x",
])  # fmt: skip
def test_whatever_is_not_listed_is_not_called(server, url):
    port = server.rsplit(":", 1)[1]
    with pytest.raises(ApiCallRefused):
        send(calls(server, resolver=Resolver(["127.0.0.1"])), url.replace("{port}", port))


@pytest.mark.parametrize("address", [
    "127.0.0.1", "10.1.2.3", "192.168.0.1", "172.16.0.1", "169.254.169.254", "100.64.0.1", "0.0.0.0", "224.0.0.1",
    "::1", "::", "fe80::1", "fe80::1%eth0", "fc00::1", "::ffff:127.0.0.1", "::ffff:10.0.0.1", "2002:7f00:1::1",
    "fec0::1", "feff::1", "64:ff9b:1::7f00:1", "64:ff9b:1:7f00:0:100::", "::ffff:0:7f00:1", "5f00::1", "192.0.0.8",
    "192.0.0.170", "64:ff9b::7f00:1", "64:ff9b::a9fe:a9fe", "::7f00:1", "2001:0:4136:e378:8000:63bf:80ff:fffe",
    "not an address",
])  # fmt: skip
def test_a_name_that_leads_into_a_private_network_is_not_called(address):
    with pytest.raises(ApiCallRefused):
        send(calls("api.bank.example", resolver=Resolver([address])), "https://api.bank.example/x")


def test_one_private_address_among_public_ones_forbids_the_name():
    with pytest.raises(ApiCallRefused):
        send(calls("api.bank.example", resolver=Resolver([PUBLIC, "10.0.0.1"])), "https://api.bank.example/x")


def test_a_name_is_resolved_once_and_the_connection_goes_to_the_address_that_was_judged(monkeypatch):
    """A second look at the name would lead to this machine."""
    connected: list[str] = []

    def refuse(_: socket.socket, address: tuple[str, int]) -> None:
        connected.append(address[0])
        raise ConnectionRefusedError

    monkeypatch.setattr(socket.socket, "connect", refuse)
    resolver = Resolver([PUBLIC], ["127.0.0.1"])
    with pytest.raises(ApiCallFailed):
        send(calls("http://api.bank.example:8080", resolver=resolver), "http://api.bank.example:8080/x")
    assert resolver.asked == [("api.bank.example", 8080)]
    assert connected == [PUBLIC]


def test_a_loopback_service_that_is_listed_by_name_may_only_be_on_this_machine():
    with pytest.raises(ApiCallRefused):
        send(calls("http://localhost:9", resolver=Resolver([PUBLIC])), "http://localhost:9/x")


@pytest.mark.parametrize("to", ["http://169.254.169.254/", "/echo/further", "https://api.bank.example/"])
def test_a_redirect_is_not_followed(to):
    app = odd_services()
    with serving(app) as address, pytest.raises(ApiCallRefused, match="another address"):
        send(calls(address), f"{address}/moved", ("to", to))
    assert app.state.heard == []


def test_a_proxy_of_the_environment_is_not_used(server, monkeypatch):
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:1")
    monkeypatch.setenv("ALL_PROXY", "http://127.0.0.1:1")
    assert send(calls(server), f"{server}/echo/x").status == 200


def test_a_list_of_services_is_read_with_https_as_its_default():
    assert origins_of(["API.bank.example", "http://127.0.0.1:8600/x"]) == {
        Origin("https", "api.bank.example", 443),
        Origin("http", "127.0.0.1", 8600),
    }
    with pytest.raises(BadConfiguration, match="BANK_SERVICES_HOSTS"):
        origins_of(["ftp://api.bank.example"])


def test_the_final_dot_and_the_case_of_a_host_make_no_other_service():
    assert origin_of("https://API.Bank.Example./x") == origin_of("https://api.bank.example:443/y")


# --- how much, how long ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("path", "query"), [("large", [("size", "70000")]), ("endless", [])])
def test_a_reply_that_is_too_large_is_left(server, path, query):
    with pytest.raises(ApiCallFailed, match="more than 65536"):
        send(calls(server), f"{server}/{path}", *query)


def test_a_reply_as_large_as_allowed_is_read_whole(server):
    assert len(send(calls(server), f"{server}/large", ("size", "65536")).body) == 65_536


NAMED = ["=utf-8", '="UTF-8"', "=iso-8859-1", "=ISO-8859-1;q=1", "", "="]
NOT_READ = ["nonsense", "zlib_codec", "undefined", "idna", "rot13", "iso-8859-99", "unicode_escape", "punycode"]


@pytest.mark.parametrize("name", [*NAMED, *(f"={name}" for name in NOT_READ)])
def test_a_reply_is_read_in_the_charset_it_names_or_as_utf8(server, name):
    assert send(calls(server), f"{server}/charset", ("size", "0"), ("name", name)).body == "Zürich"


@pytest.mark.parametrize(
    ("size", "name"), [(150_000, "=punycode"), (0, "*=punycode''" + "9" * 50_000)], ids=["body", "name"]
)
def test_a_charset_that_takes_seconds_to_decode_keeps_nobody_waiting(server, size, name):
    address = Flow(size, f"text/plain; charset{name}".encode()).address

    async def longest_pause_s() -> float:
        using = calls(address, max_response_kb=1_024)
        sending = using.send(
            HttpRequest("GET", address, (), {}), stop=threading.Event(), deadline=time.monotonic() + 20
        )
        pending, longest_s = asyncio.ensure_future(sending), 0.0
        while not pending.done():
            began = time.monotonic()
            await asyncio.sleep(0.01)
            longest_s = max(longest_s, time.monotonic() - began)
        assert pending.result().status == 200
        return longest_s

    assert asyncio.run(longest_pause_s()) < allowed_s(0.5)


def test_a_service_that_drips_is_left_at_the_time_limit_of_the_whole_call(server):
    began = time.monotonic()
    with pytest.raises(ApiCallFailed, match="no answer within"):
        send(calls(server, timeout_s=0.5), f"{server}/drip")
    assert time.monotonic() - began < allowed_s(3)


def test_the_request_s_deadline_ends_a_call_before_its_own_time_limit(server):
    with pytest.raises(ApiCallFailed, match="no answer within"):
        send(calls(server, timeout_s=30), f"{server}/drip", within_s=0.3)


def test_a_stop_ends_a_call_within_a_second(server):
    stop = threading.Event()
    threading.Timer(0.3, stop.set).start()
    began = time.monotonic()
    with pytest.raises(QueryStopped):
        send(calls(server, timeout_s=30), f"{server}/drip", stop=stop)
    assert time.monotonic() - began < allowed_s(1.3)


def test_a_stop_also_ends_the_wait_for_a_name():
    held = threading.Event()

    def slow(host: str, port: int) -> list[str]:
        held.wait(10)
        return [PUBLIC]

    stop = threading.Event()
    threading.Timer(0.2, stop.set).start()
    began = time.monotonic()
    using = HttpxCalls(origins_of(["api.bank.example"]), timeout_s=30, max_response_kb=1, resolver=slow)
    with pytest.raises(QueryStopped):
        send(using, "https://api.bank.example/", stop=stop)
    held.set()
    assert time.monotonic() - began < allowed_s(1.2)


def test_a_service_that_is_not_there_is_said_to_be_unreachable():
    with pytest.raises(ApiCallFailed):
        send(calls("http://127.0.0.1:1"), "http://127.0.0.1:1/x")


def test_a_header_that_would_begin_another_one_is_not_sent(server):
    with pytest.raises((ApiCallRefused, ApiCallFailed)):
        send(calls(server), f"{server}/echo/x", Accept="a\r\nX-Other: b")
