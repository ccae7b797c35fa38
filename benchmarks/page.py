"""How long a person waits on the page: from Enter to the first step and to the chart, early and late in a talk.

A real server and a real Chromium; times are taken inside the browser, at the frame that shows what is waited for. Needs
Chromium and the packages of requirements-dev.txt. Run with `make bench`.
"""

from __future__ import annotations

import os
import platform
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from statistics import median, quantiles

from playwright.sync_api import Page, sync_playwright

PROJECT_ROOT = Path(__file__).resolve().parents[1]

BARE_PAGE = Path(__file__).with_name("bare_page.py")
REPORT = Path(__file__).with_suffix(".md")
QUESTIONS = (
    "Total deposits by branch",
    "Transactions by channel this year",
    "Number of customers by city",
    "Transactions by month this year",
    "Number of loans by loan type",
)
LATE_TURN = 30
SAMPLES = 12
START_S = 90
PATIENCE_MS = 60_000
SWITCHES = ["--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu"]
_WATCH = """place => new Promise((done, fail) => {
  const seen = {}, start = performance.now(), turn = `.st-key-turn_${place} `;
  const look = () => {
    const shown = performance.now() - start;
    const answered = document.querySelector(turn + '.ba-answer');
    if (!seen.step && (answered || document.querySelector(turn + '[data-testid="stExpander"]'))) seen.step = shown;
    if (!seen.answer && answered) seen.answer = shown;
    if (!seen.chart && document.querySelector(turn + '.cartesianlayer .trace path')) seen.chart = shown;
    if (seen.step && seen.answer && seen.chart) done(seen);
    else if (shown > 30000) fail(JSON.stringify(seen));
    else requestAnimationFrame(look);
  };
  const box = document.querySelector('[data-testid="stChatInputTextArea"]');
  box.dispatchEvent(new KeyboardEvent('keydown', {key: 'Enter', code: 'Enter', keyCode: 13, bubbles: true}));
  requestAnimationFrame(look);
})"""


def main() -> None:
    chromium = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if chromium is None:
        sys.exit("Chromium is not installed; the page was not measured.")
    with _server("server.py", "page", "--port") as url, _bare_server() as bare_url, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=SWITCHES)
        page, bare = (browser.new_context(viewport={"width": 1280, "height": 900}).new_page() for _ in range(2))
        page.goto(url, timeout=PATIENCE_MS)
        bare.goto(bare_url, timeout=PATIENCE_MS)
        least, early = [], []
        for place in range(SAMPLES + 1):
            bare.bring_to_front()
            least.append(_ask(bare, place))
            page.bring_to_front()
            _settle(page)
            early.append(_ask(page, 0))
            page.get_by_role("button", name="New conversation").click()
            page.wait_for_selector(".st-key-turn_0", state="detached", timeout=PATIENCE_MS)
        late = [_ask(page, place) for place in range(LATE_TURN - 1 + SAMPLES)][LATE_TURN - 1 :]
        browser.close()
    report = _report(least[1:], early[1:], late)  # the first question loads the charts' code: its tab is not warm
    REPORT.write_text(report)
    print(report)


def _bare_server() -> AbstractContextManager[str]:
    options = ("--server.headless=true", "--server.fileWatcherType=none", "--browser.gatherUsageStats=false")
    return _server("-m", "streamlit", "run", str(BARE_PAGE), *options, "--server.port")


@contextmanager
def _server(*command: str) -> Iterator[str]:
    """Run a server, whose command ends with its port."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "PYTHONPATH": str(PROJECT_ROOT), "BANK_CACHE_DIR": folder}
        silent = subprocess.DEVNULL
        process = subprocess.Popen(
            [sys.executable, *command, str(port)], cwd=PROJECT_ROOT, env=environment, stdout=silent, stderr=silent
        )
        try:
            url = f"http://127.0.0.1:{port}"
            _wait_until_healthy(url)
            yield url
        finally:
            process.terminate()
            process.wait(20)


def _wait_until_healthy(url: str) -> None:
    deadline = time.monotonic() + START_S
    while time.monotonic() < deadline:
        try:
            with urllib.request.urlopen(f"{url}/_stcore/health", timeout=2):
                return
        except OSError:
            time.sleep(0.2)
    raise TimeoutError("the page's server did not start")


def _settle(page: Page) -> None:
    page.wait_for_selector('[data-testid="stChatInputTextArea"]:enabled', timeout=PATIENCE_MS)
    page.wait_for_selector('[data-test-script-state="notRunning"]', timeout=PATIENCE_MS)


def _ask(page: Page, place: int) -> dict[str, float]:
    """Ask the next question, and return milliseconds until its first step, its answer and its chart were shown."""
    _settle(page)
    page.get_by_test_id("stChatInputTextArea").fill(QUESTIONS[place % len(QUESTIONS)])
    seen: dict[str, float] = page.evaluate(_WATCH, place)
    started = time.perf_counter()
    _settle(page)
    return seen | {"ready": max(seen.values()) + (time.perf_counter() - started) * 1_000}


def _report(least: list[dict[str, float]], early: list[dict[str, float]], late: list[dict[str, float]]) -> str:
    rows = [
        _row(what, turn, [times[what] for times in measured], [times[what] for times in least])
        for what in ("step", "answer", "chart", "ready")
        for turn, measured in (("bare", least), ("1", early), (str(LATE_TURN), late))
    ]
    return "\n".join(
        [
            f"# The page (Python {platform.python_version()}, {os.cpu_count()} cores, {SAMPLES} questions each)",
            "",
            f"Milliseconds from Enter, seen in the browser of a warm tab; turn {LATE_TURN} is the first of those",
            "measured late in one conversation. `ready`: the next question can be asked. `bare` is the least Streamlit",
            "page that shows a step, a sentence and a chart (`bare_page.py`), asked in turn with the first ones: what",
            "server, browser and machine take alone, whatever else keeps them busy.",
            "",
            f"Load average {os.getloadavg()[1]:.1f} over the last 5 minutes. Written by `python -m benchmarks.page`.",
            "",
            "| shown | turn | p50 | p90 | longest | p50 beyond bare |",
            "|---|---|---|---|---|---|",
            *rows,
            "",
        ]
    )


def _row(what: str, turn: str, times_ms: list[float], least_ms: list[float]) -> str:
    p50, p90 = (quantiles(times_ms, n=10, method="inclusive")[place] for place in (4, 8))
    beyond = "" if turn == "bare" else f"{p50 - median(least_ms):+,.0f} ({p50 / median(least_ms):.1f} ×)"
    return f"| {what} | {turn} | {p50:,.0f} | {p90:,.0f} | {max(times_ms):,.0f} | {beyond} |"


if __name__ == "__main__":
    main()
