"""What the front desk costs, what it loses when many talk at once, and how often it chooses right.

`python -m benchmarks.routing` prints the tables that are kept in `benchmarks/routing.md`. With the sample bank built it
also routes `tests/questions/routing.jsonl`; PostgreSQL is measured where `BANK_BENCH_POSTGRES` names a server.
"""

from __future__ import annotations

import asyncio
import json
import os
import platform
import tempfile
import time
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, closing
from pathlib import Path
from statistics import median, quantiles
from typing import Any
from uuid import uuid4

from sqlalchemy import create_engine, text

from ai_engine.routing import (
    AgentSquad,
    ChatStorage,
    ClassifierResult,
    ConversationMessage,
    InMemoryChatStorage,
    ParticipantRole,
    RoutedAgent,
)
from ai_engine.routing.supervisor_agent import Team, TeamMessage
from backend.front_desk import RouteRequest, open_front_desk
from backend.opening import open_assistant
from backend.orchestration import Orchestrator, SharedOutside
from backend.settings import PROJECT_ROOT, SAMPLE_BANK_FILE, read_settings
from backend.store import SqlChatStorage, open_store

REQUESTS = 1_000
SESSIONS = 200
MESSAGES = 10_000
MEMBER_S = 0.3
AGENTS = ("one", "two", "three", "four", "five")


class Answering(RoutedAgent):
    """Answers at once with what it was asked, or after a while."""

    def __init__(self, name: str, works_s: float = 0.0) -> None:
        super().__init__(name, f"Does {name}.")
        self._works_s = works_s

    async def process_request(
        self,
        input_text: str,
        user_id: str,  # noqa: ARG002
        session_id: str,  # noqa: ARG002
        chat_history: Sequence[ConversationMessage],  # noqa: ARG002
        additional_params: dict[str, Any] | None = None,  # noqa: ARG002
    ) -> ConversationMessage:
        if self._works_s:
            await asyncio.sleep(self._works_s)
        return ConversationMessage.of(ParticipantRole.ASSISTANT, f"{self.id} heard {input_text}")


class Dealing:
    """Chooses by the message's last word, which takes no time."""

    async def classify(
        self,
        input_text: str,
        chat_history: Sequence[ConversationMessage],  # noqa: ARG002
        agents: dict[str, RoutedAgent],
    ) -> ClassifierResult:
        return ClassifierResult(agents[input_text.rsplit(" ", 1)[1]], 1.0)


def squad_on(storage: ChatStorage) -> AgentSquad:
    squad = AgentSquad(storage=storage, classifier=Dealing())
    for name in AGENTS:
        squad.add_agent(Answering(name))
    return squad


async def overheads_ms(storage: ChatStorage) -> list[float]:
    """Time requests, one after the other, in sessions of ten; classifier and agent take no time of their own."""
    squad = squad_on(storage)
    taken: list[float] = []
    for number in range(REQUESTS):
        started = time.perf_counter()
        await squad.route_request(f"message {number} {AGENTS[number % 5]}", "u", f"s{number // 10}")
        taken.append((time.perf_counter() - started) * 1_000)
    return taken


async def crowd(storage: ChatStorage) -> tuple[float, int, int, int]:
    """Let all sessions talk at once; returns seconds, and what reading back shows: lost, foreign, repeated messages."""
    squad = squad_on(storage)
    turns = MESSAGES // SESSIONS // 2  # each turn is two messages

    async def talk(session: int) -> None:
        for turn in range(turns):
            response = await squad.route_request(f"s{session} t{turn} {AGENTS[turn % 5]}", f"u{session}", "s")
            assert "error_type" not in response.metadata.additional_params, response.output

    started = time.perf_counter()
    await asyncio.gather(*(talk(session) for session in range(SESSIONS)))
    elapsed_s = time.perf_counter() - started
    lost = foreign = repeated = 0
    for session in range(SESSIONS):
        for place, agent in enumerate(AGENTS):
            asked = [f"s{session} t{turn} {agent}" for turn in range(place, turns, 5)]
            expected = [said for one in asked for said in (one, f"{agent} heard {one}")]
            kept = [message.text for message in await storage.fetch_chat(f"u{session}", "s", agent)]
            counts = Counter(kept)
            lost += sum(one not in counts for one in expected)
            foreign += sum(one not in set(expected) for one in kept)
            repeated += sum(times - 1 for times in counts.values())
            assert kept == expected or lost or foreign or repeated, "out of order"
    return elapsed_s, lost, foreign, repeated


async def team_ratios() -> list[float]:
    """Time a team of three slow members, as a share of one member's time."""
    names = ("A", "B", "C")
    team = Team("Team", [Answering(name, MEMBER_S) for name in names], InMemoryChatStorage())
    ratios = []
    for number in range(10):
        started = time.perf_counter()
        await team.send_messages([TeamMessage(recipient=name, content="work") for name in names], "u", str(number))
        ratios.append((time.perf_counter() - started) / MEMBER_S)
    return ratios


async def right_desks() -> tuple[Counter[str], Counter[str], list[float]]:
    """Route the labelled messages by words alone; counts by kind of what was right, and of all; ms per choice."""
    settings = read_settings(database_url=f"duckdb:///{SAMPLE_BANK_FILE}", openai_api_key=None, openai_base_url=None)
    right: Counter[str] = Counter()
    asked: Counter[str] = Counter()
    taken: list[float] = []
    with closing(open_assistant(settings)) as assistant, closing(SharedOutside(lambda: settings)) as outside:
        desk = open_front_desk(Orchestrator(assistant, outside.get()), InMemoryChatStorage())
        for line in (PROJECT_ROOT / "tests" / "questions" / "routing.jsonl").read_text(encoding="utf-8").splitlines():
            case = json.loads(line)
            started = time.perf_counter()
            chosen = await desk.classify(
                RouteRequest(user_input=case["user_input"], user_id="u", session_id=case["session"])
            )
            taken.append((time.perf_counter() - started) * 1_000)
            got = chosen.selected_agent.id if chosen.selected_agent and chosen.confidence else "clarify"
            asked[case["kind"]] += 1
            right[case["kind"]] += got == case["desk"]
            asked["wrong, not asked back"] += got not in (case["desk"], "clarify")
    return right, asked, taken


@asynccontextmanager
async def storages() -> AsyncIterator[dict[str, ChatStorage]]:
    """Open one storage of each kind, in databases of their own that go at the end."""
    with tempfile.TemporaryDirectory() as folder:
        urls = {"SQLite": f"sqlite:///{Path(folder) / 'store.sqlite'}"}
        server, name = os.environ.get("BANK_BENCH_POSTGRES"), f"bench_{uuid4().hex[:12]}"
        if server:
            _administer(server, f"CREATE DATABASE {name}")
            urls["PostgreSQL"] = f"{server}/{name}"
        stores = {kind: open_store(read_settings(store_url=url)) for kind, url in urls.items()}
        chats = {kind: SqlChatStorage(store) for kind, store in stores.items()}
        try:
            yield {"memory": InMemoryChatStorage(), **chats}
        finally:
            for kind, store in stores.items():
                chats[kind].close()
                store.close()
            if server:
                _administer(server, f"DROP DATABASE {name} WITH (FORCE)")


def _administer(server: str, statement: str) -> None:
    engine = create_engine(
        f"{server.replace('postgresql://', 'postgresql+psycopg://')}/postgres", isolation_level="AUTOCOMMIT"
    )
    with engine.connect() as connection:
        connection.execute(text(statement))
    engine.dispose()


async def main() -> None:
    print(f"# The front desk\n\n`python -m benchmarks.routing`, Python {platform.python_version()}.")
    print(
        f"\n{REQUESTS:,} requests one after the other, in sessions of ten with five agents; neither the choice nor the"
    )
    print("agents take time. Milliseconds per request, saved and read back included.\n")
    print("| storage | median | p95 |\n|---|---|---|")
    async with storages() as found:
        for kind, storage in found.items():
            taken = await overheads_ms(storage)
            print(f"| {kind} | {median(taken):.2f} | {quantiles(taken, n=20)[-1]:.2f} |")
        print(f"\n{SESSIONS} sessions at once, {MESSAGES:,} messages; every conversation is read back and compared.\n")
        print("| storage | seconds | messages/s | lost | in another's | twice |\n|---|---|---|---|---|---|")
        for kind, storage in found.items():
            elapsed_s, *wrong = await crowd(storage)
            print(f"| {kind} | {elapsed_s:.1f} | {MESSAGES / elapsed_s:,.0f} | {' | '.join(map(str, wrong))} |")
    ratios = await team_ratios()
    member_ms = round(MEMBER_S * 1_000)
    print(f"\nA team of three members of {member_ms} ms each answers in {median(ratios):.3f} times that;")
    print(f"median of ten, the slowest {max(ratios):.3f}.")
    if SAMPLE_BANK_FILE.exists():
        right, asked, taken = await right_desks()
        total = sum(right.values())
        print(f"\n{total} of 120 labelled messages by words and claims, no key: "
              f"{total / 120:.1%}; {median(taken):.1f} ms per choice (median).\n")  # fmt: skip
        print("| kind | right | asked |\n|---|---|---|")
        for kind in right:
            print(f"| {kind} | {right[kind]} | {asked[kind]} |")
        print(f"\n{asked['wrong, not asked back']} went to a wrong desk; the other misses were asked back.")


if __name__ == "__main__":
    asyncio.run(main())
