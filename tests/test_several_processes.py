"""Several processes behind one address: who is sent where, what a killed one costs, and how all of them end."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, suppress
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from websockets.sync.client import connect

from ai_engine.errors import ProcessLost
from backend.http.front import Target, chosen
from tests.conftest import PROJECT_ROOT
from tests.patience import allowed_s
from tests.test_serving import free_port, wait_until_served

COOKIE = "bank_process"


@dataclass(frozen=True)
class Several:
    """The front, and what it and the processes behind it printed."""

    url: str
    process: subprocess.Popen[bytes]
    log: Path

    def behind(self) -> set[int]:
        """The processes that the front has started and that run."""
        children = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text()
        return {int(one) for one in children.split()}


@pytest.fixture
def started(tmp_path: Path) -> Iterator[Callable[..., Several]]:
    running: list[Several] = []

    def start(*more: str, workers: int = 2, **settings: str) -> Several:
        port = free_port()
        command = [sys.executable, "-m", "tests.small_process", "--port", str(port), "--workers", str(workers), *more]
        log = tmp_path / f"log-{port}"
        with log.open("wb") as output:
            process = subprocess.Popen(command, cwd=PROJECT_ROOT, env={**os.environ, **settings}, stderr=output)
        running.append(Several(f"http://127.0.0.1:{port}", process, log))
        return running[-1]

    yield start
    for one in running:
        one.process.kill()  # what it has started ends with it
        one.process.wait(10)


@pytest.fixture
def several(started: Callable[..., Several]) -> Several:
    one = started()
    wait_until_served(f"{one.url}/who", one.process)
    assert wait_for(lambda: one.log.read_text().count("is ready") == 2)
    return one


def wait_for(what: Callable[[], bool], quiet_s: float = 20) -> bool:
    deadline = time.monotonic() + allowed_s(quiet_s)
    while not what() and time.monotonic() < deadline:
        time.sleep(0.05)
    return what()


def is_gone(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


def test_a_browser_and_a_session_of_a_client_stay_with_one_process_and_others_are_shared_out(several):
    with httpx.Client(base_url=several.url) as browser:
        assert len({browser.get("/who").json()["process"] for _ in range(10)}) == 1
        assert len(browser.cookies.jar) == 1
    assert len({httpx.get(f"{several.url}/who").json()["process"] for _ in range(4)}) == 2
    begun = httpx.post(f"{several.url}/who?begin")
    session = {"Mcp-Session-Id": begun.headers["mcp-session-id"]}
    told = [httpx.post(f"{several.url}/who", headers=session).json() for _ in range(4)]
    assert {(one["process"], one["mcp-session-id"]) for one in told} == {(begun.json()["process"], "seven")}


def test_an_app_sees_who_is_connected_whatever_a_client_says_of_it(several):
    port = int(several.url.rpartition(":")[2])
    for head in (
        b"GET /who HTTP/1.1\r\nX-Bank-Front-Met: 9.9.9.9 1 9.9.9.9 1\r\nHost: localhost\r\n\r\n",
        b"GET /who HTTP/1.1\nX-Bank-Front-Met: 9.9.9.9 1 9.9.9.9 1\nHost: localhost\n\n",
        b"GET /who HTTP/1.1\r\nHost: localhost\r\nx-bank-front-met: 9.9.9.9 1 9.9.9.9 1\r\n\r\n",
    ):
        with closing(socket.create_connection(("127.0.0.1", port), timeout=10)) as client:
            client.sendall(head)
            told = httpx.Response(200, content=read_all(client).partition(b"\r\n\r\n")[2]).json()
            assert told["client"] == list(client.getsockname())
        assert told["server"] == ["127.0.0.1", port]
        assert told["x-bank-front-met"] is None


@pytest.mark.parametrize("line", [b" x: folded", b"\t\xff\xff", b" "])
def test_a_first_header_that_goes_on_from_another_is_left_and_reaches_no_process(several, line):
    port = int(several.url.rpartition(":")[2])
    for end in (b"\r\n", b"\n"):
        with closing(socket.create_connection(("127.0.0.1", port), timeout=10)) as client:
            client.sendall(b"GET /who HTTP/1.1" + end + line + end + b"Host: localhost" + end * 2)
            with suppress(ConnectionError):
                assert read_all(client) == b""
    assert httpx.get(f"{several.url}/who").status_code == 200
    assert "ValueError" not in several.log.read_text()


def read_all(client: socket.socket) -> bytes:
    said = b""
    while piece := client.recv(1 << 16):
        said += piece
    return said


def test_bodies_streams_web_sockets_refusals_and_hanging_up_pass_through(several):
    with httpx.Client(base_url=several.url, timeout=20) as browser:
        assert browser.post("/who", content=b"y" * 200_000).json()["body"] == 200_000
        assert len(browser.get("/large").content) == 1 << 24
        assert browser.get("/who", headers={"Host": "evil.example"}).status_code == 421
        refused = browser.post("/who", content=b"y" * 5_000_000)
        assert refused.status_code == 413
        mark = {"Cookie": f"{COOKIE}={browser.cookies[COOKIE]}"}
        with connect(f"{several.url.replace('http', 'ws')}/echo", additional_headers=mark) as talk:
            talk.send("hello")
            assert talk.recv(10) == f"{browser.get('/who').json()['process']} hello"
        with pytest.raises(httpx.ReadTimeout):
            browser.get("/slow?s=20", timeout=0.5)
        assert wait_for(lambda: browser.get("/hung-up").text == "True", 2)


def test_of_a_killed_process_only_what_it_worked_on_is_lost_and_says_so(several):
    with ThreadPoolExecutor(8) as threads, httpx.Client(base_url=several.url, timeout=30) as browser:
        killed = browser.get("/who").json()["process"]
        mark = {"Cookie": f"{COOKIE}={browser.cookies[COOKIE]}"}
        asked = threads.submit(httpx.post, f"{several.url}/slow?s=30", headers=mark, timeout=30)
        read = threads.submit(httpx.get, f"{several.url}/slow?s=2", headers=mark, timeout=30)
        time.sleep(0.5)
        os.kill(killed, signal.SIGKILL)
        lost = asked.result()
        assert (lost.status_code, lost.text) == (503, ProcessLost.user_message)
        assert int(lost.headers["retry-after"]) > 0
        assert lost.headers["x-frame-options"] == "DENY"
        assert read.result().text.startswith("done by ")  # reading changes nothing: another has done it
        after = {httpx.get(f"{several.url}/who", headers=mark).json()["process"] for _ in range(6)}
        assert len(after - {killed}) == 1 == len(after)
    assert wait_for(lambda: several.log.read_text().count("is ready") == 3)
    assert len(several.behind()) == 2


@pytest.mark.slow
def test_under_load_a_kill_loses_nothing_but_what_was_in_flight_on_that_process(several):
    over = time.monotonic() + 3

    def ask_on(_: int) -> Counter[int]:
        found: Counter[int] = Counter()
        while time.monotonic() < over:
            try:
                found[httpx.post(f"{several.url}/slow?s=0.1", timeout=30).status_code] += 1
            except httpx.RemoteProtocolError:  # killed between the head of its reply and the rest
                found[503] += 1
        return found

    with ThreadPoolExecutor(8) as threads:
        asking = [threads.submit(ask_on, one) for one in range(8)]
        time.sleep(1)
        os.kill(min(several.behind()), signal.SIGKILL)
        told = sum((one.result() for one in asking), Counter())
    assert set(told) <= {200, 503}
    assert told[200] > 20
    assert told[503] <= 8


def test_a_signal_lets_what_is_under_way_end_and_leaves_no_process(several):
    behind = several.behind()
    with ThreadPoolExecutor(1) as threads:
        asked = threads.submit(httpx.post, f"{several.url}/slow?s=1.5", timeout=30)
        time.sleep(0.5)
        several.process.send_signal(signal.SIGTERM)
        time.sleep(0.3)
        assert httpx.get(f"{several.url}/who").status_code == 503
        assert asked.result().status_code == 200
    assert several.process.wait(15) == 0
    assert all(map(is_gone, behind))
    assert "process 1 " in several.log.read_text()


@pytest.mark.slow
def test_processes_end_with_a_front_that_was_killed(several):
    behind = several.behind()
    several.process.kill()
    assert wait_for(lambda: all(map(is_gone, behind)), 10)


@pytest.mark.slow
def test_connections_that_ask_nothing_keep_nobody_out(started):
    one = started(BANK_HTTP_CONNECTIONS="8")
    assert wait_for(lambda: one.log.read_text().count("is ready") == 2)
    with ExitStack() as strangers:
        for _ in range(60):
            address = ("127.0.0.1", httpx.URL(one.url).port)
            strangers.enter_context(closing(socket.create_connection(address, timeout=10)))
        assert httpx.get(f"{one.url}/who", timeout=allowed_s(5)).status_code == 200


@pytest.mark.slow
def test_one_that_answers_nothing_any_more_is_ended_and_started_anew(started):
    one = started(BANK_PROCESS_SILENT_S="2")
    assert wait_for(lambda: one.log.read_text().count("is ready") == 2)
    stuck = min(one.behind())
    os.kill(stuck, signal.SIGSTOP)
    assert wait_for(lambda: stuck not in one.behind(), 25)
    assert wait_for(lambda: one.log.read_text().count("is ready") == 3)


def test_a_start_that_cannot_succeed_ends_at_once_and_leaves_nothing(started, tmp_path):
    assert started("--fail", TMPDIR=str(tmp_path)).process.wait(20) == 1
    with socket.create_server(("127.0.0.1", 0)) as other:
        taken = started("--port", str(other.getsockname()[1]), TMPDIR=str(tmp_path))
        assert taken.process.wait(20) == 1
    assert "Traceback" not in taken.log.read_text()
    assert list(tmp_path.glob("bank-*")) == []


MARKS = st.text("0123456789abcdef", min_size=4, max_size=4)


@given(st.lists(MARKS, min_size=2, max_size=6, unique=True), st.sets(MARKS, min_size=200, max_size=200))
def test_visitors_of_an_ended_process_are_spread_over_the_others_each_to_one_and_come_back_to_none(marks, visitors):
    targets = [Target(place, mark, Path()) for place, mark in enumerate(marks)]
    gone, left = targets[0], targets[1:]
    for visitor in visitors:
        assert chosen(targets, gone.mark, visitor) is gone
        assert chosen(left, gone.mark, visitor) is chosen(left[::-1], gone.mark, visitor)
    found = Counter(chosen(left, gone.mark, visitor) for visitor in visitors)
    assert min(found[one] for one in left) > 200 / len(left) / 4
