"""What planning, running and composing cost beside the agents' own work: `python -m benchmarks.orchestrator`.

Prints the tables that are kept in `benchmarks/orchestrator.md`. With the sample bank built, also 16 requests at once.
"""

from __future__ import annotations

import asyncio
import os
import platform
import sys
import threading
import time
from collections.abc import Sequence
from contextlib import closing
from datetime import date
from statistics import median, quantiles

from ai_engine.agent import AgentExecutionStatus, AgentRequest, AgentResult, AgentRun, Capabilities
from ai_engine.orchestrator import Setting, arun
from backend.opening import open_assistant
from backend.orchestration import Orchestrator, SharedOutside
from backend.sandbox import InterpreterSandbox, SandboxLimits
from backend.settings import SAMPLE_BANK_FILE, read_settings

RUNS = 200
SLOW_RUNS = 20
WORK_S = 0.3
AT_ONCE = 16
REQUESTS = 64
PROGRAM = "result = emi(Decimal('2500000'), Decimal('8.75'), 240)"
QUESTION = "How many customers are there, and what is 12 % of 4.5 crore?"


class Working:
    """An agent that works for a while and answers."""

    description = "Works for a while."

    def __init__(self, name: str, works_s: float) -> None:
        self.name = name
        self.capabilities = Capabilities(keywords=("work",))
        self._works_s = works_s

    def claim(self, part: str, run: AgentRun) -> float | None:  # noqa: ARG002 - it cannot tell
        return None

    async def run(
        self,
        request: AgentRequest,  # noqa: ARG002 - whatever it is
        earlier: Sequence[AgentResult],  # noqa: ARG002 - it reads none
        run: AgentRun,  # noqa: ARG002 - it tells nothing
    ) -> AgentResult:
        await asyncio.sleep(self._works_s)
        return AgentResult(agent=self.name, status=AgentExecutionStatus.succeeded, answer="Done.")


async def overheads_ms() -> list[float]:
    """Time runs of two agents that do nothing, less what the agents took."""
    setting = Setting((Working("one", 0), Working("two", 0)))
    times = []
    for _ in range(RUNS):
        began = time.perf_counter()
        response = await arun(AgentRequest(question="work"), setting)
        spent = (time.perf_counter() - began) * 1_000
        times.append(spent - max(result.latency_ms or 0 for result in response.agent_results))
    return times


async def together_ms() -> list[float]:
    """Time runs of two agents that read nothing of each other's."""
    setting = Setting((Working("one", WORK_S), Working("two", WORK_S)))
    times = []
    for _ in range(SLOW_RUNS):
        began = time.perf_counter()
        await arun(AgentRequest(question="work"), setting)
        times.append((time.perf_counter() - began) * 1_000)
    return times


def sandbox_ms() -> list[float]:
    times = []
    with closing(InterpreterSandbox(SandboxLimits(), date(2026, 9, 30))) as sandbox:
        for _ in range(RUNS):
            ran = sandbox.run(PROGRAM, {}, timeout_s=5, stop=threading.Event())
            if ran.status != "ok":
                sys.exit(f"the program failed: {ran.error}")
            times.append(ran.elapsed_ms)
    return times


def at_once() -> tuple[list[float], int]:
    """Ask the sample bank from 16 threads; ms each, and how many failed."""
    settings = read_settings()
    times: list[float] = []
    failures: list[str] = []
    left = iter(range(REQUESTS))
    lock = threading.Lock()

    def ask(found: Orchestrator) -> None:
        while True:
            with lock:
                if next(left, None) is None:
                    return
            began = time.perf_counter()
            response = found.answer(AgentRequest(question=QUESTION))
            times.append((time.perf_counter() - began) * 1_000)
            if any(result.status is not AgentExecutionStatus.succeeded for result in response.agent_results):
                failures.append(response.answer)

    with closing(open_assistant(settings)) as assistant, closing(SharedOutside(lambda: settings)) as outside:
        found = Orchestrator(assistant, outside.get())
        found.answer(AgentRequest(question=QUESTION))
        threads = [threading.Thread(target=ask, args=(found,)) for _ in range(AT_ONCE)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    return times, len(failures)


def main() -> None:
    asyncio.run(overheads_ms())  # compiles the graph
    began = time.process_time()
    overhead = asyncio.run(overheads_ms())
    cpu_ms = (time.process_time() - began) * 1_000 / RUNS
    together, program = asyncio.run(together_ms()), sandbox_ms()
    load = os.getloadavg()[0]
    print("# The orchestrator\n\n`python -m benchmarks.orchestrator`\n")
    print(f"{os.cpu_count()} cores, Python {platform.python_version()}, load average {load:.1f} "
          "(other work on the machine counts in every figure).\n")  # fmt: skip
    print("| | p50 ms | p95 ms | target |\n|---|---:|---:|---|")
    for name, times, target in (
        ("beside the work of its agents", overhead, "p50 under 5"),
        (f"two independent agents of {WORK_S * 1_000:.0f} ms", together, f"under {1.15 * WORK_S * 1_000:.0f}"),
        ("the sandbox, from call to result", program, "p50 under 10"),
    ):
        print(f"| {name} | {median(times):.2f} | {quantiles(times, n=20)[-1]:.2f} | {target} |")
    print(f"\nOne run with its two agents takes {cpu_ms:.1f} ms of processor time, which no other work adds to.")
    if SAMPLE_BANK_FILE.exists():
        times, failed = at_once()
        print(f"\n| {REQUESTS} requests, {AT_ONCE} at once, database and formula each | |\n|---|---:|")
        print(f"| failures (target 0) | {failed} |\n| p50 ms | {median(times):.0f} |")
        print(f"| p95 ms | {quantiles(times, n=20)[-1]:.0f} |")


if __name__ == "__main__":
    main()
