"""What strangers can do to the page and the API: hold connections, send without end, come under another name."""

from __future__ import annotations

import json
import os
import resource
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from http.client import HTTPConnection
from pathlib import Path

import httpx
import pytest

from tests.conftest import PROJECT_ROOT
from tests.patience import allowed_s
from tests.test_serving import Served, free_port, recipe, wait_until_served

HANDLES = 1_024
STRANGERS = 1_100
HALF_A_REQUEST = [b"", b"GET / HT", b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX-A: ",
                  b"POST /ask HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 1000\r\n\r\n{"]  # fmt: skip


@contextmanager
def serving(target: str, path: str, bank: Path, **settings: str) -> Iterator[Served]:
    """Page or API as make starts them, with 1,024 file handles."""
    port = free_port()
    environment = {**os.environ, "BANK_DATABASE_URL": str(bank), **settings}
    process = subprocess.Popen(
        [sys.executable, *recipe(target, port)], cwd=PROJECT_ROOT, env=environment, stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (HANDLES, HANDLES)),  # noqa: PLW1509
    )  # fmt: skip
    try:
        url = f"http://127.0.0.1:{port}{path}"
        wait_until_served(url, process)
        yield Served(target, url, process)
    finally:
        process.terminate()
        process.wait(20)


@pytest.fixture(params=[("app", "/_stcore/health"), ("api", "/health")], ids=["app", "api"], scope="module")
def served(request: pytest.FixtureRequest, small_bank: Path) -> Iterator[Served]:
    """Page and API, with two seconds to send a request."""
    with serving(*request.param, small_bank, BANK_HTTP_RECEIVE_TIMEOUT_S="2") as one:
        yield one


@pytest.fixture
def many_handles() -> Iterator[None]:
    """Enough file handles for the strangers of one test."""
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    if before[1] < 2 * STRANGERS:
        pytest.skip("needs more file handles")
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(before[0], 2 * STRANGERS), before[1]))
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, before)


def port_of(served: Served) -> int:
    return httpx.URL(served.url).port or 80


def health_s(served: Served) -> float:
    """The time of a new connection and its answer, the best of five: the machine may be busy with something else."""
    spent = []
    for _ in range(5):
        began = time.monotonic()
        with closing(HTTPConnection("127.0.0.1", port_of(served), timeout=20)) as connection:
            connection.request("GET", httpx.URL(served.url).path)
            assert connection.getresponse().status == 200
        spent.append(time.monotonic() - began)
    return min(spent)


def memory_mb(process: subprocess.Popen[bytes]) -> float:
    status = Path(f"/proc/{process.pid}/status").read_text()
    return int(status.partition("VmRSS:")[2].split()[0]) / 1024


@pytest.mark.usefixtures("many_handles")
@pytest.mark.parametrize("sent", HALF_A_REQUEST, ids=["nothing", "half a line", "half a header", "half a body"])
def test_eleven_hundred_half_open_connections_keep_nobody_out(served, sent):
    with ExitStack() as strangers:
        for _ in range(STRANGERS):
            connection = strangers.enter_context(socket.create_connection(("127.0.0.1", port_of(served)), timeout=20))
            with suppress(OSError):
                connection.sendall(sent)
        assert health_s(served) < allowed_s(0.2)
        assert served.process.poll() is None


def test_requests_that_do_not_arrive_whole_are_left_in_time(served):
    with ExitStack() as strangers:
        waiting = [
            strangers.enter_context(socket.create_connection(("127.0.0.1", port_of(served)), timeout=15))
            for _ in HALF_A_REQUEST
        ]
        began = time.monotonic()
        for connection, sent in zip(waiting, HALF_A_REQUEST, strict=True):
            connection.sendall(sent)
        for connection in waiting:
            with suppress(ConnectionResetError):
                while connection.recv(1 << 16):
                    pass
        assert time.monotonic() - began < 10


@pytest.mark.slow
def test_one_byte_at_a_time_gains_no_time(served):
    with socket.create_connection(("127.0.0.1", port_of(served)), timeout=15) as connection:
        began = time.monotonic()
        with suppress(OSError):
            connection.sendall(b"GET / HTTP/1.1\r\nX-A: ")
            while time.monotonic() - began < 15:
                connection.sendall(b"a")
                time.sleep(0.1)
        assert time.monotonic() - began < 10


def test_headers_without_end_are_refused(served):
    with socket.create_connection(("127.0.0.1", port_of(served)), timeout=15) as connection:
        with suppress(OSError):
            connection.sendall(b"GET / HTTP/1.1\r\nX-A: " + b"a" * 10_000_000)
        with suppress(OSError):
            assert connection.recv(1 << 16)[:12] in {b"HTTP/1.1 400", b""}


def test_bodies_of_two_hundred_megabytes_take_no_memory_and_are_not_repeated(served):
    before = memory_mb(served.process)
    chunk = b"x" * 1_000_000
    replies: list[bytes] = []

    def send(head: bytes) -> None:
        with closing(socket.create_connection(("127.0.0.1", port_of(served)), timeout=30)) as connection:
            with suppress(OSError):
                connection.sendall(b"POST /ask HTTP/1.1\r\nHost: 127.0.0.1\r\n" + head + b"\r\n\r\n")
                for _ in range(200):
                    connection.sendall(b"f4240\r\n" + chunk + b"\r\n" if b"chunked" in head else chunk)
            with suppress(OSError):
                replies.append(connection.recv(1 << 20))

    heads = [b"Content-Length: 200000000", b"Transfer-Encoding: chunked"] * 2
    threads = [threading.Thread(target=send, args=(head,)) for head in heads]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert health_s(served) < allowed_s(0.2)
    assert memory_mb(served.process) - before < 50
    assert all(len(reply) < 5_000 for reply in replies)


def test_files_of_nobodys_session_take_no_memory(served):
    before = memory_mb(served.process)
    head = b"PUT /_stcore/upload_file/nobody/nothing HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 49000000\r\n\r\n"
    with ExitStack() as held:
        for _ in range(5):
            upload = held.enter_context(closing(socket.create_connection(("127.0.0.1", port_of(served)), timeout=30)))
            with suppress(OSError):
                upload.sendall(head)
                for _ in range(48):
                    upload.sendall(b"x" * 1_000_000)
        assert memory_mb(served.process) - before < 50
        assert health_s(served) < allowed_s(0.2)


@pytest.mark.parametrize("path", ["/", "/ask", "/_stcore/health", "/health", "/docs", "/ask/"])
def test_under_the_name_of_another_host_nothing_is_answered(served, path):
    reply = httpx.get(httpx.URL(served.url).copy_with(path=path), headers={"Host": "evil.example"}, trust_env=False)
    assert reply.status_code == 421
    assert "BANK_ALLOWED_HOSTS" in reply.text
    assert "evil.example" not in reply.text + str(reply.headers)


@pytest.mark.parametrize(
    ("host", "origin", "status"),
    [("127.0.0.1", "http://evil.example", 403), ("evil.example", "http://evil.example", 403), ("own", "own", 101)],
)
def test_the_web_socket_of_the_page_opens_for_its_own_page_only(served, host, origin, status):
    if served.target == "api":
        pytest.skip("the API has no web socket")
    own = f"127.0.0.1:{port_of(served)}"
    head = (
        f"GET /_stcore/stream HTTP/1.1\r\nHost: {own if host == 'own' else host}\r\nConnection: Upgrade\r\n"
        f"Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
        f"Origin: {f'http://{own}' if origin == 'own' else origin}\r\n\r\n"
    )
    with socket.create_connection(("127.0.0.1", port_of(served)), timeout=15) as connection:
        connection.sendall(head.encode())
        assert connection.recv(1 << 16).startswith(f"HTTP/1.1 {status}".encode())


@pytest.mark.slow
def test_an_open_page_outlives_the_time_that_a_request_may_take(served):
    if served.target != "app":
        pytest.skip("only the page keeps a web socket")
    host, port = served.url.removeprefix("http://").split("/")[0].split(":")
    with socket.create_connection((host, int(port)), timeout=10) as page:
        page.sendall(
            f"GET /_stcore/stream HTTP/1.1\r\nHost: {host}:{port}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
            "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n".encode()
        )
        assert page.recv(4096).startswith(b"HTTP/1.1 101")
        page.settimeout(6)  # the server of these tests waits two seconds for a request
        with pytest.raises(TimeoutError):
            while page.recv(65536):
                pass
            pytest.fail("the server has closed the page's connection")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/chat", {"message": "hello"}),
        ("/orchestrate/stream", {"question": "hello"}),
        ("/route", {"user_input": "hello", "user_id": "a", "session_id": "b", "stream_response": True}),
    ],
)
def test_readers_that_read_nothing_do_not_keep_the_places_for_questions(small_bank, path, body):
    """Each asks behind replies that it has not taken, so that not even the headers of its answer get out."""
    few = {"BANK_API_THREADS": "1", "BANK_API_QUEUE_SIZE": "1", "BANK_CHAT_SEND_TIMEOUT_S": "1"}
    sent = json.dumps(body).encode()
    post = f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n".encode()
    post += f"Content-Length: {len(sent)}\r\n\r\n".encode() + sent
    get = b"GET /openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n"
    with serving("api", "/health", small_bank, **few) as served, ExitStack() as strangers:
        for _ in range(8):
            connection = strangers.enter_context(socket.socket())
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2_048)
            connection.connect(("127.0.0.1", port_of(served)))
            with suppress(OSError):
                connection.sendall((get + post) * 60)
        time.sleep(10)
        for _ in range(3):
            reply = httpx.post(httpx.URL(served.url).join(path), json=body, timeout=30)
            assert reply.status_code == 200, reply.text
