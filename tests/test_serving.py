"""What `make app` and `make api` start, seen from outside: who can reach it, and what it sends."""

from __future__ import annotations

import os
import re
import socket
import subprocess
import sys
import threading
import time
import tomllib
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.conftest import PROJECT_ROOT

LOOPBACK = {"0100007F", "00000000000000000000000001000000", "0000000000000000FFFF00000100007F"}
LISTENING = "0A"
START_S = 60


@dataclass(frozen=True)
class Served:
    """A process that was started as the Makefile says."""

    target: str
    url: str
    process: subprocess.Popen[bytes]


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def recipe(target: str, port: int) -> list[str]:
    """The command by which make would start a server, its variables filled in; some shells set HOST for themselves."""
    asked = ["make", "--dry-run", target, f"PORT={port}", f"API_PORT={port}"]
    environment = {name: value for name, value in os.environ.items() if name != "MAKEFLAGS"} | {"HOST": "0.0.0.0"}
    said = subprocess.run(asked, cwd=PROJECT_ROOT, env=environment, capture_output=True, text=True, check=True).stdout
    [line] = re.findall(r"^exec \.venv/bin/python (server\.py .*)$", said, re.MULTILINE) or [said]
    return line.split()


@pytest.fixture(params=[("app", "/"), ("api", "/health")], ids=["app", "api"], scope="module")
def served(request: pytest.FixtureRequest, small_bank: Path) -> Iterator[Served]:
    """`make app` and `make api` on a free port and a small bank."""
    target, path = request.param
    port = free_port()
    environment = {**os.environ, "BANK_DATABASE_URL": str(small_bank), "PYTHONWARNINGS": "ignore"}
    command = [sys.executable, *recipe(target, port)]
    process = subprocess.Popen(command, cwd=PROJECT_ROOT, env=environment, stderr=subprocess.DEVNULL,
                               stdout=subprocess.DEVNULL)  # fmt: skip
    try:
        url = f"http://127.0.0.1:{port}{path}"
        wait_until_served(url, process)
        yield Served(target, url, process)
    finally:
        process.terminate()
        process.wait(20)


def wait_until_served(url: str, process: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + START_S
    while time.monotonic() < deadline and process.poll() is None:
        with suppress(OSError), urllib.request.urlopen(url, timeout=30):
            return
        time.sleep(0.2)
    pytest.fail("the server did not start")


def listening_addresses(process_id: int) -> set[str]:
    """The local addresses, as /proc/net writes them, on which a process accepts connections."""
    sockets = set()
    for descriptor in Path(f"/proc/{process_id}/fd").iterdir():
        with suppress(OSError):
            sockets.add(str(descriptor.readlink()))
    found = set()
    for table in ("tcp", "tcp6"):
        for line in Path(f"/proc/{process_id}/net/{table}").read_text().splitlines()[1:]:
            fields = line.split()
            if fields[3] == LISTENING and f"socket:[{fields[9]}]" in sockets:
                found.add(fields[1].partition(":")[0])
    return found


@pytest.mark.skipif(not Path("/proc/net/tcp").exists(), reason="needs /proc/net")
def test_nobody_but_this_machine_can_reach_it(served):
    addresses = listening_addresses(served.process.pid)
    assert addresses
    assert addresses <= LOOPBACK


@pytest.mark.parametrize("path", ["", "/nothing-here", "/static/nothing.js", "/docs"])
def test_every_response_carries_the_security_headers(served, path):
    try:
        with urllib.request.urlopen(served.url.rstrip("/") + path, timeout=30) as response:
            headers = response.headers
    except urllib.error.HTTPError as refusal:
        headers = refusal.headers
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["X-Frame-Options"] == "DENY"
    assert headers["Referrer-Policy"] == "no-referrer"
    assert "frame-ancestors 'none'" in headers["Content-Security-Policy"]


def test_nothing_may_be_loaded_from_another_host(served):
    with urllib.request.urlopen(served.url, timeout=30) as response:
        policy = response.headers["Content-Security-Policy"]
    assert ("default-src 'self'" in policy) is (served.target == "app")
    assert not re.search(r"https?:|//|\*", policy)


def test_the_address_of_each_page_says_where_the_server_is_and_that_of_the_first_is_the_root(served):
    if served.target != "app":
        return
    with urllib.request.urlopen(f"{served.url}dashboards?d=1", timeout=30) as response:
        assert b"BACKEND_BASE_URL" in response.read()
    with urllib.request.urlopen(f"{served.url}ask?a=1", timeout=30) as response:
        assert response.url == f"{served.url}?a=1"
    with urllib.request.urlopen(f"{served.url}session", timeout=30) as response:  # a file of pages/ that is no screen
        assert b"BACKEND_BASE_URL" not in response.read()


def test_streamlit_reports_nothing_to_its_makers():
    command = [sys.executable, "-m", "streamlit", "config", "show"]
    shown = subprocess.run(command, cwd=PROJECT_ROOT, capture_output=True, text=True, check=True, timeout=60).stdout
    options = tomllib.loads(shown[shown.index("\n[") :])
    assert options["browser"]["gatherUsageStats"] is False
    assert options["server"]["address"] == "127.0.0.1"


def test_no_run_is_reported_to_a_tracing_service_even_where_the_environment_names_one(small_bank):
    with socket.create_server(("127.0.0.1", 0)) as listener:
        heard = threading.Event()

        def listen() -> None:
            with suppress(OSError), listener.accept()[0]:
                heard.set()

        threading.Thread(target=listen, daemon=True).start()
        environment = {
            **os.environ,
            "LANGSMITH_TRACING": "true",
            "LANGCHAIN_TRACING_V2": "true",
            "LANGSMITH_API_KEY": "key",
            "LANGSMITH_ENDPOINT": f"http://127.0.0.1:{listener.getsockname()[1]}",
        }
        command = [sys.executable, "-m", "backend.cli", "ask", "How many branches are there?"]
        answered = subprocess.run([*command, "--database", str(small_bank)], cwd=PROJECT_ROOT, env=environment,
                                  capture_output=True, text=True, timeout=90, check=False)  # fmt: skip
        assert answered.returncode == 0, answered.stderr
        assert not heard.is_set()
        listener.shutdown(socket.SHUT_RDWR)


_LOGS = """
import logging, sys
from pathlib import Path
import server, uvicorn
from backend.http.life_cycle import LifeCycle
from backend.logs import set_up_logging
from backend.settings import read_settings

settings = read_settings()
set_up_logging(settings)
page = server.page(settings, "127.0.0.1", LifeCycle())
uvicorn.Config(page, access_log=False, log_config=None)
from streamlit import config
config.get_config_options(force_reparse=True)
from streamlit.logger import get_logger
if logging.getLogger("uvicorn.access").hasHandlers():
    logging.getLogger("uvicorn.access").info("GET /?a-question-in-an-address")
for name in ("streamlit.error_util", "streamlit.a_part_that_is_loaded_later", "uvicorn.error", "websockets"):
    try:
        raise ValueError("a-value-of-a-cell")
    except ValueError:
        get_logger(name).error("uncaught in %s", name, exc_info=True)
"""


def test_the_pages_log_tells_no_address_of_a_request_and_no_text_of_an_exception():
    command = [sys.executable, "-c", _LOGS]
    ran = subprocess.run(command, cwd=PROJECT_ROOT, capture_output=True, text=True, timeout=120, check=False)
    assert ran.returncode == 0, ran.stderr
    assert ran.stderr.count("uncaught in ") == ran.stderr.count("ValueError") == 4
    assert "a-question-in-an-address" not in ran.stderr
    assert "a-value-of-a-cell" not in ran.stderr
