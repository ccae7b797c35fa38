"""How long people wait on the page, seen in a browser: at first, at a question early and late in a talk, many at once.

A real server and a real Chromium; times are taken inside the browser, at the frame that shows what is waited for. Needs
Chromium and the packages of requirements-dev.txt. Run with `make bench`, or `python -m benchmarks.browser`.
"""

from __future__ import annotations

import os
import platform
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median, quantiles

from playwright.sync_api import Browser, Page, sync_playwright

from benchmarks.page_session import PageSession

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
LATE_TURN = 100
SAMPLES = 12
STARTS = 3
SESSIONS = 20
QUESTIONS_OF_A_SESSION = 6
START_S = 90
PATIENCE_MS = 60_000
SWITCHES = [
    "--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu", "--disable-renderer-backgrounding",
    "--disable-background-timer-throttling", "--disable-backgrounding-occluded-windows",
]  # fmt: skip
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
_PAINTED = """() => new Promise(done => {
  const look = () => {
    const paint = performance.getEntriesByName('first-contentful-paint')[0];
    const box = document.querySelector('[data-testid="stChatInputTextArea"]');
    if (paint && box) done({paint: paint.startTime, box: performance.now()});
    else requestAnimationFrame(look);
  };
  look();
})"""
_SWITCH = """place => new Promise((done, fail) => {
  const links = [...document.querySelectorAll('[data-testid="stSidebarNavLink"]')], link = links[place];
  const start = performance.now(), before = document.querySelector('[data-testid="stMain"]').innerText;
  link.click();
  const look = () => {
    const shown = performance.now() - start, main = document.querySelector('[data-testid="stMain"]');
    const arrived = location.pathname === new URL(link.href).pathname && main.innerText.trim() !== before.trim();
    if (arrived && main.innerText.trim()) done(shown);
    else if (shown > 30000) fail(link.innerText);
    else requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
})"""


@dataclass(frozen=True)
class Server:
    """One running page, and the process that began it."""

    url: str
    pid: int


def main() -> None:
    """Measure everything and write the report."""
    chromium = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if chromium is None:
        sys.exit("Chromium is not installed; the page was not measured.")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=SWITCHES)
        sections = [_first_sight(browser), _conversation(browser), _other_pages(browser), _many()]
        browser.close()
    report = "\n\n".join([_head(), *sections]) + "\n"
    REPORT.write_text(report)
    print(report)


def _first_sight(browser: Browser) -> str:
    """A browser that was never here, at a server that has just come up."""
    seen = []
    for _ in range(STARTS):
        with _server("server.py", "page", "--port") as server:
            page = _new_page(browser)
            page.goto(server.url, wait_until="commit", timeout=PATIENCE_MS)
            seen.append(page.evaluate(_PAINTED))
            page.context.close()
    rows = [
        f"| {said} | {median(one[what] for one in seen):,.0f} | {max(one[what] for one in seen):,.0f} |"
        for what, said in (("paint", "first paint"), ("box", "a question can be typed"))
    ]
    told = f"Milliseconds after the address was entered, at {STARTS} servers that had just started."
    return _section("First sight", told, "shown | p50 | longest", rows)


def _conversation(browser: Browser) -> str:
    """Questions in a new conversation, in a long one, and on the least page that Streamlit can draw."""
    options = ("--server.headless=true", "--server.fileWatcherType=none", "--browser.gatherUsageStats=false")
    bare_command = ("-m", "streamlit", "run", str(BARE_PAGE), *options, "--server.port")
    with _server("server.py", "page", "--port") as server, _server(*bare_command) as bare_server:
        page, bare = _opened(browser, server), _opened(browser, bare_server)
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
        page.context.close()
        bare.context.close()
    least, early = least[1:], early[1:]  # the first question loads the charts' code: its tab is not warm
    rows = [
        _row(f"{what} | {turn}", [times[what] for times in measured], [times[what] for times in least])
        for what in ("step", "answer", "chart", "ready")
        for turn, measured in (("bare", least), ("1", early), (str(LATE_TURN), late))
    ]
    told = (
        f"Milliseconds from Enter in a warm tab, {SAMPLES} questions each; turn {LATE_TURN} is the first of those "
        "measured late in one conversation. `ready`: the next question can be asked. `bare` is the least Streamlit "
        "page that shows a step, a sentence and a chart (`bare_page.py`), asked in turn with the first ones: what "
        "server, browser and machine take alone, whatever else keeps them busy."
    )
    return _section("A question", told, "shown | turn | p50 | p90 | longest | p50 beyond bare", rows)


def _other_pages(browser: Browser) -> str:
    """From each page to the next by its link, and round again."""
    with _server("server.py", "page", "--port") as server:
        page = _opened(browser, server)
        links = page.get_by_test_id("stSidebarNavLink")
        names = [name.splitlines()[-1].strip() for name in links.all_inner_texts()]  # after the name of its icon
        taken: dict[str, list[float]] = {name: [] for name in names}
        for _ in range(SAMPLES // 2 + 1):
            for place in [*range(1, len(names)), 0]:
                _drawn(page)
                taken[names[place]].append(page.evaluate(_SWITCH, place))
        page.context.close()
    rows = [_row(name, times[1:]) for name, times in taken.items()]  # the first visit is not warm
    told = "Milliseconds from a click on a page's name until that page's own content is seen."
    return _section("Another page", told, "page | p50 | p90 | longest", rows)


def _many() -> str:
    """Several people ask at the same moment, each with a computer of their own."""
    with _server("server.py", "page", "--port") as server, _memory_of(server.pid) as used_mb:
        PageSession.at(server.url).close()
        sessions = [PageSession.at(server.url) for _ in range(SESSIONS)]
        seen: list[dict[str, float]] = []
        with ThreadPoolExecutor(SESSIONS) as people:
            for turn in range(QUESTIONS_OF_A_SESSION):
                asked = [QUESTIONS[(place + turn) % len(QUESTIONS)] for place in range(SESSIONS)]
                seen += people.map(PageSession.ask, sessions, asked)
        for session in sessions:
            session.close()
    rows = [_row(what, [times[what] for times in seen], share=95) for what in ("step", "answer", "chart", "ready")]
    told = (
        f"Milliseconds from the message that Enter sends until it has come whole, to each of {SESSIONS} sessions that "
        f"ask at the same moment, {QUESTIONS_OF_A_SESSION} times. They speak the page's protocol and draw nothing, as "
        "people have computers of their own; they share the processors with the server, which used at most "
        f"{max(used_mb):,.0f} MB with its workers."
    )
    return _section(f"{SESSIONS} people at once", told, "shown | p50 | p95 | longest", rows)


@contextmanager
def _server(*command: str) -> Iterator[Server]:
    """Run a server, whose command ends with its port, with a cache and a store of its own."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    with tempfile.TemporaryDirectory() as folder:
        own = {"BANK_CACHE_DIR": folder, "BANK_STORE_URL": f"sqlite:///{folder}/store.sqlite"}
        environment = {**os.environ, "PYTHONPATH": str(PROJECT_ROOT), **own}
        silent = subprocess.DEVNULL
        process = subprocess.Popen(
            [sys.executable, *command, str(port)], cwd=PROJECT_ROOT, env=environment, stdout=silent, stderr=silent
        )
        try:
            url = f"http://127.0.0.1:{port}"
            _wait_until_healthy(url)
            yield Server(url, process.pid)
        finally:
            process.terminate()
            process.wait(40)


def _wait_until_healthy(url: str) -> None:
    deadline = time.monotonic() + START_S
    while time.monotonic() < deadline:
        try:
            with urllib.request.urlopen(f"{url}/_stcore/health", timeout=2):
                return
        except OSError:
            time.sleep(0.05)
    raise TimeoutError("the page's server did not start")


@contextmanager
def _memory_of(pid: int) -> Iterator[list[float]]:
    """Note every half second how many MB a process and its children have for themselves or share, by their parts."""
    noted: list[float] = []
    ended = threading.Event()

    def note() -> None:
        while not ended.wait(0.5):
            noted.append(sum(_proportional_mb(one) for one in _family(pid)))

    thread = threading.Thread(target=note)
    thread.start()
    try:
        yield noted
    finally:
        ended.set()
        thread.join()


def _family(pid: int) -> list[int]:
    try:
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except OSError:
        return []
    return [pid, *(one for child in children for one in _family(int(child)))]


def _proportional_mb(pid: int) -> float:
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    except OSError:
        return 0.0
    return sum(int(line.split()[1]) for line in lines if line.startswith("Pss:")) / 1_024


def _new_page(browser: Browser) -> Page:
    return browser.new_context(viewport={"width": 1280, "height": 900}).new_page()


def _opened(browser: Browser, server: Server) -> Page:
    page = _new_page(browser)
    page.goto(server.url, timeout=PATIENCE_MS)
    _settle(page)
    return page


def _settle(page: Page) -> None:
    page.wait_for_selector('[data-testid="stChatInputTextArea"]:enabled', timeout=PATIENCE_MS)
    _drawn(page)


def _drawn(page: Page) -> None:
    page.wait_for_selector('[data-test-script-state="notRunning"]', timeout=PATIENCE_MS)


def _ask(page: Page, place: int) -> dict[str, float]:
    """Ask the next question, and return milliseconds until its first step, its answer and its chart were shown."""
    _settle(page)
    page.get_by_test_id("stChatInputTextArea").fill(QUESTIONS[place % len(QUESTIONS)])
    seen: dict[str, float] = page.evaluate(_WATCH, place)
    started = time.perf_counter()
    _settle(page)
    return seen | {"ready": max(seen.values()) + (time.perf_counter() - started) * 1_000}


def _head() -> str:
    return (
        f"# The page (Python {platform.python_version()}, {os.cpu_count()} cores)\n\n"
        f"Load average {os.getloadavg()[1]:.1f} over the last 5 minutes, browsers and servers included. "
        "Written by `python -m benchmarks.browser`."
    )


def _section(title: str, told: str, heads: str, rows: Sequence[str]) -> str:
    return "\n".join([f"## {title}", "", told, "", f"| {heads} |", "|---" * (heads.count("|") + 1) + "|", *rows])


def _row(what: str, times_ms: Sequence[float], least_ms: Sequence[float] | None = None, share: int = 90) -> str:
    cuts = quantiles(times_ms, n=100, method="inclusive")
    cells = [what, f"{cuts[49]:,.0f}", f"{cuts[share - 1]:,.0f}", f"{max(times_ms):,.0f}"]
    if least_ms is not None:
        p50, least = cuts[49], median(least_ms)
        cells.append("" if times_ms is least_ms or p50 == least else f"{p50 - least:+,.0f} ({p50 / least:.1f} ×)")
    return f"| {' | '.join(cells)} |"


if __name__ == "__main__":
    main()
