"""The API by two processes, on one PostgreSQL store and one Redis: what is done at one holds at the other at once."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import httpx
import pytest

from ai_engine.semantics.osi import dump_vocabulary
from tests.ai_engine.built_in.bank import MODEL
from tests.ai_engine.scripted_model import write_bank
from tests.backend.chat.test_api import Heard, asked, wait_until
from tests.backend.databases.servers.small_bank import own_postgres
from tests.conftest import PROJECT_ROOT
from tests.test_serving import free_port, wait_until_served

pytestmark = [pytest.mark.server, pytest.mark.slow]
ASHA, VIKRAM = {"X-Person": "asha"}, {"X-Person": "vikram"}
Two = tuple[httpx.Client, httpx.Client, str]
QUESTION = "Total balance of savings accounts"


@pytest.fixture(scope="module")
def two(postgres_url: str, redis_url: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Two]:
    """A client that stays with the one process, one that stays with the other, and the URL of their store."""
    folder = tmp_path_factory.mktemp("two")
    file = write_bank(folder / "bank.sqlite")
    file.with_suffix(".yaml").write_text(dump_vocabulary(MODEL), encoding="utf-8")
    port, url = free_port(), postgres_url.replace("+psycopg", "")
    with ExitStack() as held:
        store = f"{url}/{held.enter_context(own_postgres(url, 'two'))}"
        settings = {
            "BANK_DATABASE_URL": str(file), "BANK_STORE_URL": store,
            "BANK_REDIS_URL": redis_url, "BANK_CACHE_DIR": str(folder), "BANK_DATABASE_WORKERS": "1",
            "BANK_VERIFIERS": "asha,vikram", "BANK_USER_HEADER": "X-Person", "PYTHONWARNINGS": "ignore",
        }  # fmt: skip
        log = held.enter_context((folder / "log").open("wb"))
        process = subprocess.Popen(
            [sys.executable, "server.py", "api", "--port", str(port), "--workers", "2"], cwd=PROJECT_ROOT,
            env={**os.environ, **settings}, stderr=log,
        )  # fmt: skip
        held.callback(process.wait, 60)
        held.callback(process.terminate)
        wait_until_served(f"http://127.0.0.1:{port}/health", process)
        wait_until(lambda: Path(log.name).read_text().count("is ready") == 2, 90)
        here, there = both(f"http://127.0.0.1:{port}", held)
        yield here, there, store


def both(url: str, held: ExitStack) -> list[httpx.Client]:
    """Clients of both processes: who comes without a mark is given the one that was given nobody for longest."""
    clients: dict[str, httpx.Client] = {}
    while len(clients) < 2:
        client = held.enter_context(httpx.Client(base_url=url, timeout=60))
        client.get("/health")
        clients.setdefault(client.cookies["bank_process"].partition(".")[0], client)
    return list(clients.values())


def test_what_is_verified_at_one_is_used_at_the_other_and_what_is_retracted_there_is_not_used_here(two):
    here, there, _ = two
    answer = here.post("/ask", json={"query": QUESTION}, headers=ASHA).json()
    assert there.post("/ask", json={"query": QUESTION}, headers=ASHA).json()["trust"] == "compiled"
    fields = {"query": answer["question"], "sql": answer["validated_sql"]}
    fields |= {name: answer[name] for name in ("restatement", "intent", "stands_alone")}
    kept = here.post("/verified", json=fields, headers=ASHA).json()
    assert there.post("/ask", json={"query": QUESTION}, headers=VIKRAM).json()["trust"] == "verified"
    assert there.post(f"/verified/{kept['id']}/retract", headers=VIKRAM).status_code == 204
    assert here.post("/ask", json={"query": QUESTION}, headers=VIKRAM).json()["trust"] == "compiled"


def test_a_chat_that_runs_at_one_is_read_on_at_the_other_and_goes_on_there(two):
    here, there, _ = two
    with here.stream("POST", "/chat", json=asked(QUESTION), headers=ASHA) as response:
        heard = Heard(response).read(most=1)
        with there.stream("GET", "/chat/monday/events", headers={**ASHA, "Last-Event-ID": heard.last_id}) as again:
            rest = Heard(again).read()
        heard.read()
    assert rest.types == heard.types[1:]
    with there.stream("POST", "/chat", json=asked("How many customers are there?"), headers=ASHA) as response:
        assert Heard(response).read().events[-1][1]["status"] == "answered"
    said = here.get("/chat/monday/history", headers=ASHA).json()
    assert [one["role"] for one in said["messages"]] == ["user", "assistant"] * 2


def test_both_write_one_chain_of_the_audit_trail(two):
    here, there, store = two
    for client in (here, there, here):
        assert client.post("/ask", json={"query": "How many customers are there?"}, headers=ASHA).status_code == 200
    command = [sys.executable, "-m", "backend.cli", "verify-audit", "--json"]
    environment = {**os.environ, "BANK_STORE_URL": store, "PYTHONWARNINGS": "ignore"}

    def entries() -> int:
        told = subprocess.run(command, cwd=PROJECT_ROOT, env=environment, capture_output=True, text=True, check=False)
        assert told.returncode == 0, told.stdout + told.stderr
        return int(json.loads(told.stdout)["entries"])

    wait_until(lambda: entries() >= 3, 30)
