"""Two running servers, one on a script and one on the small sample bank, and a browser to look at them."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

PROJECT_ROOT = Path(__file__).resolve().parents[2]
SCREENSHOTS = PROJECT_ROOT / "tests" / "screenshots"
CHROMIUM_SWITCHES = [
    "--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu", "--disable-background-networking", "--no-first-run",
    "--disable-component-update", "--disable-sync", "--disable-quic",
]  # fmt: skip
START_S = 60
PATIENCE_MS = 90_000
_POLICY = "Content Security Policy"


@dataclass(frozen=True)
class Server:
    """One running page; `log` is what it printed."""

    url: str
    log: Path
    process: subprocess.Popen[bytes]


@contextmanager
def served(command: Callable[[int], list[str]], folder: Path, **settings: str) -> Iterator[Server]:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    log = folder / "server.log"
    streamlit = {"STREAMLIT_SERVER_FILE_WATCHER_TYPE": "none"}
    environment = {**os.environ, "PYTHONPATH": str(PROJECT_ROOT), "PYTHONUNBUFFERED": "1", **streamlit, **settings}
    with log.open("w") as output:
        process = subprocess.Popen(
            [sys.executable, *command(port)], cwd=PROJECT_ROOT, env=environment, stdout=output, stderr=output
        )
        try:
            url = f"http://127.0.0.1:{port}"
            _wait_until_healthy(url, process)
            yield Server(url, log, process)
        finally:
            process.terminate()
            process.wait(20)


def _wait_until_healthy(url: str, process: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + START_S
    while time.monotonic() < deadline and process.poll() is None:
        try:
            with urllib.request.urlopen(f"{url}/_stcore/health", timeout=2):
                return
        except OSError:
            time.sleep(0.2)
    pytest.fail("the page's server did not start")


@pytest.fixture(scope="session")
def scripted_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    def command(port: int) -> list[str]:
        return ["-m", "tests.pages.scripted_server", str(port)]

    with served(command, tmp_path_factory.mktemp("scripted")) as server:
        yield server


@pytest.fixture(scope="session")
def bank_server(small_bank: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    settings = {
        "BANK_DATABASE_URL": f"duckdb:///{small_bank}",
        "BANK_VOCABULARY_FILE": str(PROJECT_ROOT / "data" / "sample_bank.yaml"),
    }

    def command(port: int) -> list[str]:
        return ["server.py", "page", "--port", str(port)]

    with served(command, tmp_path_factory.mktemp("bank_page"), **settings) as server:
        yield server


@pytest.fixture(scope="package")
def browser(chromium: str) -> Iterator[Browser]:
    """Ends with the tests of pages: while it runs, this thread has an event loop that others would stumble over."""
    with sync_playwright() as playwright:
        expect.set_options(timeout=PATIENCE_MS)
        running = playwright.chromium.launch(executable_path=chromium, args=CHROMIUM_SWITCHES)
        yield running
        running.close()


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    context = browser.new_context(viewport={"width": 1280, "height": 900}, accept_downloads=True)
    context.set_default_timeout(PATIENCE_MS)
    opened = context.new_page()
    opened.faults = []
    opened.on("pageerror", lambda fault: opened.faults.append(str(fault)))
    opened.on("console", lambda line: opened.faults.append(line.text) if _POLICY in line.text else None)
    yield opened
    context.close()
    assert opened.faults == [], "the page's own code failed"
