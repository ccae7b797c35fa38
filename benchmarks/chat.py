"""What the chat costs: the first event, many streams at once, the supervisor, workflows, and memory.

`python -m benchmarks.chat` prints the tables that are kept in `benchmarks/chat.md`; it needs the sample bank.
"""

from __future__ import annotations

import asyncio
import gc
import json
import os
import platform
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterator
from contextlib import aclosing, asynccontextmanager, closing, contextmanager
from pathlib import Path
from statistics import median, quantiles
from typing import Any, ClassVar

import httpx
from pydantic import BaseModel

from ai_engine.chat_history import ChatMessage, MemoryChatHistory
from ai_engine.events import Event, EventType
from ai_engine.operators.base import BaseOperator, OperatorContext, OperatorResult, OperatorType
from ai_engine.operators.registry import OperatorRegistry
from ai_engine.supervisor.service import astream
from ai_engine.supervisor.setting import SupervisorSetting
from ai_engine.tools import ElicitationResponse, Tools
from ai_engine.workflows.definition import WorkflowLimits, WorkflowStep, read_definition
from ai_engine.workflows.running import Engine, run_workflow
from backend.chat.door import ChatRequest, ToolListing
from backend.chat.readers import ChatBounds
from backend.chat.runs import ChatRuns
from backend.events.sharing import shared_events
from backend.http.connections import serve
from backend.http.life_cycle import LifeCycle
from backend.main import create_app
from backend.settings import PROJECT_ROOT, read_settings
from backend.store import ConversationLeases, open_store

FIRST_EVENTS = 30
STREAMS = 100
MODEL_S = 0.5
CHUNKS = 40
CHATS = 10_000
STEP_S = 0.3
ITERATIONS = 5


class SimulatedChat:
    """Answers as with a model that takes half a second to decide; events say when they were made."""

    def __init__(self, model_s: float = MODEL_S, chunks: int = CHUNKS) -> None:
        self._model_s = model_s
        self._chunks = chunks

    async def events(self, _: ChatRequest, __: threading.Event | None = None) -> AsyncGenerator[Event, None]:
        yield _made(EventType.SUPERVISOR_THINKING, message="Reading", iteration=1)
        await asyncio.sleep(self._model_s)
        yield _made(EventType.SUPERVISOR_DECIDED, action="answer", message="Answer", reasoning="", iteration=1)
        for _place in range(self._chunks):
            await asyncio.sleep(self._model_s / 10)
            yield _made(EventType.RESPONSE_CHUNK, content="some words of an answer ")
        yield _made(EventType.RESPONSE_DONE, status="answered", action="answer", tools=[], citations=[], missing=[])

    async def respond(self, _: str, __: ElicitationResponse) -> bool:
        return False

    async def history(self, _: str) -> list[ChatMessage]:
        return []

    async def tools(self) -> list[ToolListing]:
        return []


def _made(kind: EventType, **data: Any) -> Event:
    return Event(type=kind, request_id="", data={**data, "made": time.time()})


class Echo(BaseOperator):
    """Does nothing, at once."""

    name = "echo"
    description = "Says again what it is asked."
    operator_type = OperatorType.PURE_LLM
    context_requirements: ClassVar[tuple[str, ...]] = ("query",)

    async def execute(self, context: OperatorContext, tools: Tools | None = None) -> OperatorResult:  # noqa: ARG002
        return OperatorResult(output=context.query, text=f"You said {context.query}.")


class InstantModel:
    """Has the echo called until the last round, and answers then; no reply takes any time."""

    name = "instant"

    def __init__(self) -> None:
        self.asked = 0

    def ask(self, _messages: Any, shape: type[BaseModel], make: Callable[[Any], Any], *, stop: Any) -> Any:  # noqa: ARG002
        fields = shape.model_fields
        if "recommendation" in fields:
            reply = {"recommendation": "need_more", "quality_score": 0.5, "is_complete": False}
            return make(shape.model_validate(reply))
        self.asked += 1
        params = {"query": "word " * self.asked}
        return make(
            shape.model_validate({"action": "CALL_TOOL", "reasoning": "", "operator": "echo", "params": params})
        )

    async def converse(self, *_: Any, **__: Any) -> AsyncIterator[Any]:
        raise NotImplementedError
        yield


@contextmanager
def server(*command: str, path: str) -> Iterator[str]:
    """A server in a process of its own, on a free port."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "BANK_STORE_URL": f"sqlite:///{folder}/store.sqlite"}
        process = subprocess.Popen(
            [sys.executable, *(part.format(port=port) for part in command)],
            cwd=PROJECT_ROOT, env=environment, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        try:
            while True:
                try:
                    if httpx.get(f"http://127.0.0.1:{port}{path}", timeout=60).status_code == 200:
                        break
                except httpx.TransportError:
                    time.sleep(0.2)
            yield f"http://127.0.0.1:{port}"
        finally:
            process.terminate()
            process.wait(60)


def simulated(port: int) -> None:
    """Serve the simulated chat."""
    settings, life, chat = read_settings(), LifeCycle(), SimulatedChat()
    serve(create_app(chat_factory=lambda: chat, settings=settings, life=life), "127.0.0.1", port, settings, life)


def first_events() -> list[float]:
    """Milliseconds from a request to the real API until its first event has arrived."""
    found: list[float] = []
    with server("server.py", "api", "--port", "{port}", path="/health") as url, httpx.Client(timeout=60) as client:
        for place in range(FIRST_EVENTS + 3):
            body = {"conversation_id": f"c{place}", "message": "How many customers do we have?"}
            began = time.perf_counter()
            with client.stream("POST", f"{url}/chat", json=body) as response:
                arrived = [time.perf_counter() for line in response.iter_lines() if line.startswith("data:")]
            found.append((arrived[0] - began) * 1_000)
    return found[3:]


async def streams() -> tuple[list[float], float]:
    """Milliseconds from making to arrival of every event of many streams, and how long all of them took."""
    gaps: list[float] = []
    limits = httpx.Limits(max_connections=STREAMS)
    code = "import benchmarks.chat as c; c.simulated({port})"
    with server("-c", code, path="/openapi.json") as url:

        async def talk(client: httpx.AsyncClient, place: int) -> None:
            body = {"conversation_id": f"c{place}", "message": "Hello"}
            async with client.stream("POST", f"{url}/chat", json=body) as response:
                async for line in response.aiter_lines():
                    if line.startswith("data:"):
                        gaps.append((time.time() - json.loads(line[5:])["made"]) * 1_000)

        async with httpx.AsyncClient(timeout=120, limits=limits) as client:
            await talk(client, STREAMS)
            gaps.clear()
            began = time.perf_counter()
            await asyncio.gather(*(talk(client, place) for place in range(STREAMS)))
            return gaps, time.perf_counter() - began


async def supervisor(clock: Callable[[], float]) -> list[float]:
    """Milliseconds per iteration of the supervisor whose model and operator take no time."""
    found: list[float] = []
    for place in range(30):
        registry = OperatorRegistry({"echo": Echo})
        setting = SupervisorSetting(registry=registry, history=MemoryChatHistory(), model=InstantModel())  # type: ignore[arg-type]
        began, iterations = clock(), 0
        async with aclosing(astream("Say it again and again", f"c{place}", setting)) as events:
            async for event in events:
                iterations += event.type is EventType.SUPERVISOR_DECIDED
        found.append((clock() - began) * 1_000 / iterations)
    assert iterations == ITERATIONS, iterations
    return found[5:]


async def workflow() -> list[float]:
    """How much longer than its critical path a workflow of four steps takes, of which two run beside each other."""
    steps = [
        {"id": name, "name": name, "operator": "echo", "input_mapping": {"query": name}, "depends_on": needs}
        for name, needs in (("first", []), ("left", ["first"]), ("right", ["first"]), ("last", ["left", "right"]))
    ]

    async def run_step(step: WorkflowStep, *_: Any) -> OperatorResult:
        await asyncio.sleep(STEP_S if step.id in {"left", "right"} else 0.0)
        return OperatorResult(output=step.id)

    operators = {"echo": {"type": "object", "properties": {"query": {"type": "string"}}}}
    engine = Engine(operators, run_step, lambda *_: None, WorkflowLimits(), None)
    found: list[float] = []
    for place in range(10):
        began = time.perf_counter()
        definition = read_definition({"goal": "g", "steps": steps})
        result = await run_workflow(definition, engine, run_id=f"r{place}", inputs={})
        assert result.status == "completed", result.status
        found.append((time.perf_counter() - began) / STEP_S)
    return found


@asynccontextmanager
async def _runs(folder: str) -> AsyncIterator[ChatRuns]:
    settings = read_settings(store_url=f"sqlite:///{folder}/store.sqlite", chat_log_keep_s=1)
    chat = SimulatedChat(model_s=0, chunks=5)

    async def open_chat() -> SimulatedChat:
        return chat

    with closing(open_store(settings)) as store:
        async with shared_events(settings) as (log, bus):
            leases = ConversationLeases(lambda: store, lease_s=15)
            yield ChatRuns(open_chat, log, bus, leases, ChatBounds.of(settings))


async def memory() -> list[tuple[int, float]]:
    """Megabytes of this process after so many chats."""
    found: list[tuple[int, float]] = []
    with tempfile.TemporaryDirectory() as folder:
        async with _runs(folder) as runs:
            for place in range(CHATS + 1):
                if place in {500, 1_000, 2_500, 5_000, CHATS}:
                    gc.collect()
                    pages = int(Path("/proc/self/statm").read_text().split()[1])
                    found.append((place, pages * os.sysconf("SC_PAGE_SIZE") / 1e6))
                request_id = await runs.start(ChatRequest(conversation_id=f"c{place}", message="Hello"))
                async for _ in runs.read(request_id):
                    pass
    return found


def _row(what: str, asked: str, values: list[float]) -> None:
    print(f"| {what} | {asked} | {median(values):.2f} | {quantiles(values, n=20)[18]:.2f} |", flush=True)


def main() -> None:
    """Measure, and print the tables."""
    print("# The chat\n")
    cores, load = os.cpu_count(), os.getloadavg()[0]
    print(
        f"`python -m benchmarks.chat` on {cores} cores at a load of {load:.0f}, Python {platform.python_version()}.\n"
    )
    print("| what | asked | median | 95th percentile |\n|---|---|---|---|")
    _row("first event after a request, sample bank, no model (ms)", "< 50", first_events())
    gaps, took_s = asyncio.run(streams())
    told = f"{STREAMS} streams, {len(gaps):,} events in {took_s:.1f} s, model of 500 ms"
    _row(f"{told}: making to arrival (ms)", "< 100", gaps)
    for clock, told in ((time.perf_counter, "ms"), (time.process_time, "ms of processor")):
        _row(f"supervisor, per iteration, model and operator at once ({told})", "< 10", asyncio.run(supervisor(clock)))
    _row("four steps, two of 300 ms beside each other (x critical path)", "< 1.2", asyncio.run(workflow()))
    print("\n| chats so far | memory (MB) |\n|---|---|")
    for chats, megabytes in asyncio.run(memory()):
        print(f"| {chats:,} | {megabytes:.1f} |")


if __name__ == "__main__":
    main()
