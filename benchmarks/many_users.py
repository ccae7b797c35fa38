"""How page and API do with many people at once, by number of processes, and what one greedy person costs another.

`python -m benchmarks.many_users > benchmarks/many_users.md`, with `--store` on PostgreSQL and a `--redis` for the API
of several processes. Clients, servers and databases share the processors of one machine; the sample bank must be built.
"""

from __future__ import annotations

import argparse
import os
import platform
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from statistics import quantiles

import httpx

from benchmarks.page_session import PageSession

PROJECT_ROOT = Path(__file__).resolve().parents[1]
QUESTIONS = (
    "Total deposits by branch",
    "Transactions by channel this year",
    "Number of customers by city",
    "Transactions by month this year",
    "Number of loans by loan type",
)
TURNS = 4
START_S = 120
GREEDY = 24
"""Questions that the greedy person keeps under way: as many as one may have."""


def main() -> None:
    """Measure, and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--processes", type=int, nargs="+", default=[1, 2, 4])
    parser.add_argument("--people", type=int, nargs="+", default=[5, 20, 40])
    parser.add_argument("--seconds", type=float, default=20, help="of each run of the API")
    parser.add_argument("--store", help="URL of an empty PostgreSQL database; else a SQLite file")
    parser.add_argument("--redis", default="redis://127.0.0.1:6379/12")
    asked = parser.parse_args()
    print(f"# Many users (Python {platform.python_version()}, {os.cpu_count()} cores)\n")
    page = [_page_row(count, people, asked) for count in asked.processes for people in asked.people]
    api = [_api_row(count, people, asked) for count in asked.processes for people in asked.people]
    greedy = [_greedy_row(is_greedy, asked) for is_greedy in (False, True)]
    print(
        f"Load average {os.getloadavg()[1]:.1f} over the last 5 minutes, clients, servers and databases included; "
        f"store: {'PostgreSQL' if asked.store else 'SQLite'}. Written by `python -m benchmarks.many_users`.\n"
    )
    _print_table(
        "The page",
        f"Milliseconds from a question until its answer has come whole, and until the next can be asked; all people "
        f"ask at the same moment, {TURNS} times each. Memory is that of all processes, database workers included.",
        "processes | people | answer p50 | answer p95 | ready p50 | ready p95 | MB",
        page,
    )
    _print_table(
        "The API",
        "`POST /ask`, each person the next question as soon as the last is answered; milliseconds.",
        "processes | people | questions/s | p50 | p95 | not answered | MB",
        api,
    )
    _print_table(
        "One greedy person",
        f"Milliseconds of one person's questions, one after the other, at one process with one worker for statements: "
        f"alone, and while another keeps {GREEDY} questions under way.",
        "another | p50 | p95",
        greedy,
    )


def _page_row(count: int, people: int, asked: argparse.Namespace) -> str:
    with serving("page", count, **_shared(asked)) as (url, pid):
        PageSession.at(url).close()
        sessions = [PageSession.at(url) for _ in range(people)]
        seen: list[dict[str, float]] = []
        with ThreadPoolExecutor(people) as threads:
            for turn in range(TURNS):
                questions = [QUESTIONS[(place + turn) % len(QUESTIONS)] for place in range(people)]
                seen += threads.map(PageSession.ask, sessions, questions)
        memory = memory_mb(pid)
        for session in sessions:
            session.close()
    times = [cut for what in ("answer", "ready") for cut in cuts([one[what] for one in seen])]
    return row(count, people, *times, memory)


def _api_row(count: int, people: int, asked: argparse.Namespace) -> str:
    with serving("api", count, **_shared(asked)) as (url, pid), ThreadPoolExecutor(people) as threads:
        runs = list(threads.map(lambda place: ask_on(url, f"person-{place}", asked.seconds), range(people)))
        memory = memory_mb(pid)
    spent = [one for times, _ in runs for one in times]
    return row(count, people, f"{len(spent) / asked.seconds:.1f}", *cuts(spent), sum(lost for _, lost in runs), memory)


def _greedy_row(is_greedy: bool, asked: argparse.Namespace) -> str:
    with (
        serving("api", 1, BANK_DATABASE_WORKERS="1", **_shared(asked)) as (url, _),
        ThreadPoolExecutor(GREEDY + 1) as threads,
    ):
        others = [threads.submit(ask_on, url, "greedy", asked.seconds) for _ in range(GREEDY if is_greedy else 0)]
        time.sleep(1)
        times, _ = ask_on(url, "modest", asked.seconds - 1)
        for other in others:
            other.result()
    return row("greedy" if is_greedy else "nobody", *cuts(times))


def ask_on(url: str, person: str, for_s: float) -> tuple[list[float], int]:
    """Ask one question after the other; returns the milliseconds of those that were answered, and how many were not."""
    until, spent, lost = time.monotonic() + for_s, [], 0
    with httpx.Client(base_url=url, headers={"X-User": person}, timeout=120, trust_env=False) as client:
        while time.monotonic() < until:
            began = time.perf_counter()
            reply = client.post("/ask", json={"query": QUESTIONS[(len(spent) + lost) % len(QUESTIONS)]})
            if reply.status_code == httpx.codes.OK:
                spent.append((time.perf_counter() - began) * 1_000)
            else:
                lost += 1
    return spent, lost


def _shared(asked: argparse.Namespace) -> dict[str, str]:
    return {"BANK_REDIS_URL": asked.redis} | ({"BANK_STORE_URL": asked.store} if asked.store else {})


@contextmanager
def serving(what: str, count: int, **settings: str) -> Iterator[tuple[str, int]]:
    """Serve on a free port; gives address and process, once every process answers and has its data open."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    with tempfile.TemporaryDirectory() as folder, (Path(folder) / "log").open("w+") as log:
        own = {
            "BANK_CACHE_DIR": folder, "BANK_STORE_URL": f"sqlite:///{folder}/store.sqlite",
            "BANK_USER_HEADER": "X-User", **settings,
        }  # fmt: skip
        command = [sys.executable, "server.py", what, "--port", str(port), "--workers", str(count)]
        environment = {**os.environ, "PYTHONWARNINGS": "ignore", **own}
        process = subprocess.Popen(command, cwd=PROJECT_ROOT, env=environment, stderr=log)
        try:
            url = f"http://127.0.0.1:{port}"
            _wait_until_ready(url, Path(folder) / "log", count)
            yield url, process.pid
        finally:
            process.terminate()
            process.wait(60)


def _wait_until_ready(url: str, log: Path, count: int) -> None:
    deadline = time.monotonic() + START_S
    path = "/_stcore/health"
    while time.monotonic() < deadline:
        try:
            answers = httpx.get(url + path, timeout=5).status_code in {httpx.codes.OK, httpx.codes.NOT_FOUND}
        except httpx.HTTPError:
            answers = False
        if answers and (count == 1 or log.read_text().count("is ready") == count):
            for _ in range(2 * count):  # the first question of each opens the data
                httpx.post(f"{url}/ask", json={"query": QUESTIONS[0]}, headers={"X-User": "first"}, timeout=START_S)
            return
        time.sleep(0.1)
    raise TimeoutError("the server did not start")


def memory_mb(pid: int) -> str:
    return f"{sum(map(_proportional_mb, _family(pid))):,.0f}"


def _family(pid: int) -> list[int]:
    try:
        children = "".join(one.read_text() for one in Path(f"/proc/{pid}/task").glob("*/children")).split()
    except OSError:
        return []
    return [pid, *(one for child in children for one in _family(int(child)))]


def _proportional_mb(pid: int) -> float:
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    except OSError:
        return 0.0
    return sum(int(line.split()[1]) for line in lines if line.startswith("Pss:")) / 1_024


def cuts(times_ms: Sequence[float]) -> tuple[str, str]:
    cuts = quantiles(times_ms, n=100, method="inclusive")
    return f"{cuts[49]:,.0f}", f"{cuts[94]:,.0f}"


def row(*cells: object) -> str:
    return f"| {' | '.join(map(str, cells))} |"


def _print_table(title: str, told: str, heads: str, rows: Sequence[str]) -> None:
    print(f"## {title}\n\n{told}\n\n| {heads} |\n{'|---' * (heads.count('|') + 1)}|")
    print("\n".join(rows) + "\n")


if __name__ == "__main__":
    main()
