"""What a language model is sent of the bank's data: every byte that reaches a loopback server, over the question sets.

The model asked here understands every question and writes its right SQL, so that every result that there is comes up to
be told. A sampled part runs by default, all of it with `-m slow`.
"""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import duckdb
import pytest

from ai_engine.prompts.loader import load_prompt
from ai_engine.types import Answer as Told
from backend.opening import open_assistant
from backend.service import Assistant
from backend.settings import Settings
from tests.ai_engine.llm.server import Answer, ChatServer, says

FOLDER = Path(__file__).parent / "questions"
SETTINGS = ("none", "aggregates", "sample")
EVERY_NTH = 40
_AGGREGATE = re.compile(r"\b(group by|count|sum|avg|min|max|median|stddev|quantile\w*|distinct)\b", re.IGNORECASE)
_LEAST_ANSWERED = 0.8


def questions() -> list[dict[str, Any]]:
    files = (FOLDER / f"{name}.jsonl" for name in ("sample_bank", "conversations"))
    lines = [line for file in files for line in file.read_text(encoding="utf-8").splitlines()]
    return [one for one in map(json.loads, lines) if one.get("gold_sql")]


class KnowingServer(ChatServer):
    """Writes the right SQL for the question that is on, and tells any result in a sentence."""

    def __init__(self) -> None:
        super().__init__(())
        self.gold_sql = ""

    def next_answer(self, request: dict[str, Any], key: str | None) -> Answer:
        self.requests.append(request)
        system = request["messages"][0]["content"]
        if system.startswith(load_prompt("intent").system[:60]):
            return says({"outcome": "query", "restatement": "as asked", "assumptions": ["as it is"]})
        if system.startswith(load_prompt("sql").system[:60]):
            return says({"sql": self.gold_sql, "assumptions": [], "reason": None})
        return says({"summary": "This is what was found.", "chart": "table"})

    def sent(self) -> str:
        return "\n".join(json.dumps(request, ensure_ascii=False) for request in self.requests)

    def tellings(self) -> list[str]:
        """What was sent to have a result told."""
        start = load_prompt("insight").system[:60]
        return [
            one["messages"][1]["content"] for one in self.requests if one["messages"][0]["content"].startswith(start)
        ]


@contextmanager
def asked_with(bank: Path, send_rows: str, folder: Path) -> Iterator[tuple[Assistant, KnowingServer]]:
    server = KnowingServer()
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    assistant = open_assistant(
        Settings(
            database_url=str(bank), cache_dir=folder, store_url=f"sqlite:///{folder / 'store.sqlite'}",
            openai_base_url=server.base_url, send_rows=send_rows, database_workers=1, max_retries=0, allow_union=True,
        )
    )  # fmt: skip
    try:
        yield assistant, server
    finally:
        assistant.close()
        server.shutdown()
        server.server_close()
        thread.join(5)


@pytest.fixture(scope="module")
def withheld(small_bank: Path) -> dict[str, frozenset[str]]:
    """Texts that may never leave, by what they are."""
    with duckdb.connect(str(small_bank), read_only=True) as connection:

        def texts(column: str, table: str) -> frozenset[str]:
            return frozenset(
                str(value)
                for (value,) in connection.execute(f"SELECT DISTINCT {column} FROM {table}").fetchall()
                if value
            )

        return {
            "sensitive": texts("email", "customers") | texts("phone", "customers"),
            "people": texts("customer_name", "customers"),
            "accounts": texts("account_number", "accounts"),
        }


def occurring(texts: frozenset[str], sent: str) -> list[str]:
    return [text for text in texts if text in sent]


def judged(
    one: dict[str, Any], answer: Told, server: KnowingServer, send_rows: str, withheld: dict[str, frozenset[str]]
):
    """Look through what one question sent; the judge knows the statement and the bank, and no rule of ours."""
    sent, tellings = server.sent(), server.tellings()
    assert not occurring(withheld["sensitive"], sent.replace(one["question"], "")), one["id"]
    if send_rows == "none":
        assert not tellings, one["id"]
    if send_rows == "aggregates":
        if not _AGGREGATE.search(one["gold_sql"]):
            assert not tellings, one["id"]
        for told in tellings:
            said = f"{one['question']} {one['gold_sql']}"
            personal = {*occurring(withheld["people"], told), *occurring(withheld["accounts"], told)}
            assert not [text for text in personal if text not in said], one["id"]
    if send_rows == "sample" and tellings and answer.result is not None:
        rows = tellings[-1].split("The rows,")[1].strip("~\n ").splitlines()
        assert len(rows) <= answer.result.row_count + 5
        assert len(rows) <= Settings().model_max_rows + 5


def look_at(asked: list[dict[str, Any]], send_rows: str, bank: Path, folder: Path, withheld) -> int:
    """Ask all, and return how many results were sent to be told."""
    told = answered = 0
    with asked_with(bank, send_rows, folder) as (assistant, server):
        for one in asked:
            server.requests.clear()
            server.gold_sql = one["gold_sql"]
            answer = assistant.ask(one["question"])
            answered += answer.status == "answered"
            told += len(server.tellings())
            judged(one, answer, server, send_rows, withheld)
    assert answered >= _LEAST_ANSWERED * len(asked)
    return told


@pytest.mark.parametrize("send_rows", SETTINGS)
def test_nothing_leaves_that_the_setting_keeps_back(send_rows: str, small_bank: Path, tmp_path: Path, withheld):
    asked = questions()[::EVERY_NTH]
    told = look_at(asked, send_rows, small_bank, tmp_path, withheld)
    assert (told == 0) is (send_rows == "none")


@pytest.mark.slow
@pytest.mark.timeout(1_800)
@pytest.mark.parametrize("send_rows", SETTINGS)
def test_over_all_question_sets_nothing_leaves_that_the_setting_keeps_back(
    send_rows: str, small_bank: Path, tmp_path: Path, withheld
):
    told = look_at(questions(), send_rows, small_bank, tmp_path, withheld)
    assert (told == 0) is (send_rows == "none")


def test_the_judge_sees_a_value_that_leaves(small_bank: Path, tmp_path: Path, withheld):
    """With the first rows permitted, a list of people does send their names: the test above is able to fail."""
    one = {"id": "x", "question": "List customers", "gold_sql": "SELECT customer_name FROM customers LIMIT 5"}
    with asked_with(small_bank, "sample", tmp_path) as (assistant, server):
        server.gold_sql = one["gold_sql"]
        assistant.ask(one["question"])
        assert occurring(withheld["people"], "".join(server.tellings()))


def test_evidence_given_with_a_question_goes_to_the_model_as_notes(small_bank: Path, tmp_path: Path):
    with asked_with(small_bank, "none", tmp_path) as (assistant, server):
        server.gold_sql = "SELECT COUNT(*) FROM customers"
        assistant.with_notes("whales are customers with an annual income above 10000000").ask(
            "How many whales are there?"
        )
        (first, *_) = server.requests
        assert "whales are customers with an annual income above 10000000" in first["messages"][1]["content"]
        assert "whales are" not in first["messages"][0]["content"]
