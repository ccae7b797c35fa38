from __future__ import annotations

import time
from collections.abc import Iterator
from datetime import date
from pathlib import Path

import httpx
import pytest
from fastapi.testclient import TestClient

from ai_engine.semantics.osi import dump_vocabulary
from backend.main import create_app
from backend.opening import open_assistant
from backend.settings import read_settings
from tests.ai_engine.built_in.bank import MODEL
from tests.ai_engine.scripted_model import write_bank
from tests.backend.mcp.connected import served_bank
from tests.backend.mcp.test_server import ENDS_WITHIN_S, SLOW
from tests.patience import allowed_s

ASHA, VIKRAM = {"X-Person": "asha"}, {"X-Person": "vikram"}
RETAIL = "SELECT COUNT(*) AS people FROM customers WHERE segment = 'Retail'"


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    folder = tmp_path_factory.mktemp("api")
    file = write_bank(folder / "bank.sqlite")
    file.with_suffix(".yaml").write_text(dump_vocabulary(MODEL), encoding="utf-8")
    settings = read_settings(
        database_url=str(file), store_url=f"sqlite:///{folder / 'store.sqlite'}", cache_dir=folder, database_workers=1,
        as_of=date(2026, 11, 21), verifiers="asha,vikram", user_header="X-Person", verified_by_two=True,
    )  # fmt: skip
    assistant = open_assistant(settings)
    with TestClient(create_app(lambda: assistant, settings=settings), base_url="http://localhost") as client:
        yield client
    assistant.close()


def ask(client: TestClient, question: str) -> dict:
    return client.post("/ask", json={"query": question}).json()


def checked(answer: dict, **changes: object) -> dict:
    fields = {"query": answer["question"], "sql": answer["validated_sql"]}
    return fields | {name: answer[name] for name in ("restatement", "intent", "stands_alone")} | changes


def test_an_answer_is_sent_back_as_it_came_confirmed_used_listed_and_retracted(client: TestClient):
    answer = ask(client, "Total balance of savings accounts")
    assert (answer["trust"], answer["verified_by"]) == ("compiled", None)
    kept = client.post("/verified", json=checked(answer), headers=ASHA)
    assert (kept.status_code, kept.json()["state"]) == (200, "waiting")
    where = f"/verified/{kept.json()['id']}"
    assert client.post(f"{where}/confirm", headers=ASHA).status_code == 403
    assert client.post(f"{where}/confirm", headers=VIKRAM).status_code == 204
    again = ask(client, "total balance of savings accounts?")
    assert (again["trust"], again["verified_by"], again["model"]) == ("verified", "asha", "verified")
    assert again["units"] == answer["units"] != {}
    (listed,) = client.get("/verified").json()
    assert (listed["state"], listed["confirmed_by"]) == ("verified", "vikram")
    assert client.post(f"{where}/retract", json={"reason": "no"}, headers=VIKRAM).status_code == 204
    assert ask(client, "Total balance of savings accounts")["trust"] == "compiled"
    assert client.post(f"{where}/retract", headers=VIKRAM).status_code == 422


@pytest.mark.parametrize(
    ("headers", "changes", "status"),
    [
        ({}, {}, 403),
        ({"X-Person": "mallory"}, {}, 403),
        (ASHA, {"sql": "DROP TABLE customers"}, 422),
        (ASHA, {"sql": "SELECT balanse FROM accounts"}, 422),
        (ASHA, {"sql": 7}, 422),
        (ASHA, {"intent": {"measures": [{"metric": "no_such_metric"}]}}, 200),
    ],
)
def test_what_may_not_be_verified_is_refused_with_its_status(
    client: TestClient, headers: dict, changes: dict, status: int
):
    body = {"query": "Retail people", "sql": RETAIL, **changes}
    found = client.post("/verified", json=body, headers=headers)
    assert found.status_code == status
    assert found.json()["error" if status != 200 else "state"]


@pytest.mark.parametrize("names", [("asha", "vikram"), ("asha", "asha"), ("a" * 201,), ("asha\x1f",), ("as\x7fha",)])
def test_who_asks_is_one_name_or_the_request_is_refused(client: TestClient, names: tuple[str, ...]):
    headers = [("X-Person", name) for name in names]
    for reply in (client.get("/verified", headers=headers), client.post("/ask", json={"query": "q"}, headers=headers)):
        assert reply.status_code == 400
        assert "once" in reply.text


@pytest.mark.parametrize("name", ["asha\xa0", "\x85asha"])
def test_a_name_is_another_by_any_character_of_it(client: TestClient, name: str):
    headers = [(b"X-Person", name.encode("latin-1"))]
    found = client.post("/verified", json={"query": "Retail people", "sql": RETAIL}, headers=headers)
    assert found.status_code == 403


def test_half_of_a_character_is_refused_as_no_question(client: TestClient):
    headers = {"Content-Type": "application/json"}
    found = client.post("/ask", content=b'{"query": "\\ud800 how many customers"}', headers=headers)
    assert (found.status_code, found.json()["error_kind"]) == (422, "BadQuestion")


def test_there_is_no_answer_of_an_unknown_name(client: TestClient):
    found = client.post("/verified/nothing/retract", headers=ASHA)
    assert (found.status_code, found.json()["error_kind"]) == (422, "CannotVerify")


def test_who_hangs_up_while_the_statement_runs_ends_it_and_gives_the_place_back(small_bank: Path):
    with served_bank(small_bank, api_threads=1, api_queue_size=0, verifiers="*", query_timeout_s=60) as address:
        url = address.removesuffix("/mcp")
        with pytest.raises(httpx.ReadTimeout):
            httpx.post(f"{url}/verified", json={"query": "How many?", "sql": SLOW}, timeout=1)
        until = time.monotonic() + allowed_s(ENDS_WITHIN_S)
        while (reply := httpx.get(f"{url}/verified", timeout=30)).status_code == 503 and time.monotonic() < until:
            time.sleep(0.1)
        assert reply.json() == []
