"""Two banks that differ in what is withheld make equal requests, byte for byte, whatever a language model replies.

Its replies are drawn from the words of each request, so that equal requests get equal replies: what is asked, said and
written names what only one of the banks has, or is there to fail.
"""

from __future__ import annotations

import json
import logging
import random
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from hashlib import sha1
from pathlib import Path
from typing import Any, TypeAlias

import duckdb
import pytest
from fastapi.testclient import TestClient

from ai_engine.turns import turn_of
from backend.settings import Settings
from backend.sources.sources import Sources
from tests.ai_engine.llm.server import Answer, ChatServer, chunks, declines, fails, says, streams
from tests.backend.test_told_nowhere import api

Bank: TypeAlias = tuple[TestClient, Sources, "Hostile"]
NAMES = (("Asha Kapoor", "Bela Iyer", "Chand Oza"), ("Zubin Wadia", "Yash Vora", "Xena Uppal"))
GUESSES = ("asha kapoor", "Bela Iyer", "Zubin Wadia", "AC000031", "qq7@qq.example", "Goa", "vault", "10.5")
SAID = ("total deposits", "customers by city", "balance per segment", "list customers", "the largest accounts")
ASKED = ("total deposits", "list customers", "customers by city", "the largest accounts", "and by segment?")
OPERATORS = ("sql", "data_analyst", "computation", "orchestrator", "query_rewriter", "analyzer", "writer", "coder")
SQL = (
    "SELECT COUNT(*) AS n FROM customers",
    "SELECT customer_name, annual_income FROM customers ORDER BY annual_income DESC LIMIT 5",
    "SELECT segment, COUNT(*) AS n, SUM(annual_income) AS total FROM customers GROUP BY segment",
    "SELECT segment, COUNT(*) AS n, MIN(CASE WHEN customer_name < 'M' THEN 1 END) AS annual_income FROM customers"
    " GROUP BY segment ORDER BY segment",
    "SELECT city, MIN(customer_name) AS segment, COUNT(*) AS n FROM customers GROUP BY city ORDER BY city",
    "SELECT email FROM customers", "SELECT * FROM customers", "SELECT * FROM vault", "SELECT nope FROM customers",
    "SELECT segment, COUNT(*) AS n FROM customers GROUP BY segment ORDER BY MAX(email)",
    "SELECT tax_number || '' AS t, COUNT(*) AS n FROM customers GROUP BY 1",
    "SELECT city, COUNT(*) AS n FROM customers GROUP BY city ORDER BY MIN(customer_name)",
    "SELECT CAST(customer_name AS INTEGER) AS x FROM customers",
    "SELECT error(customer_name) AS x FROM customers",
    "SELECT account_type, COUNT(*) AS n FROM accounts GROUP BY account_type",
    "SELECT customer_name FROM customers WHERE customer_id < 0", "SELEC", "",
)  # fmt: skip
CODE = ("result = table['rows'][0]", "raise ValueError(str(table['rows']))", "result = 1/0", "result = 2 + 2", "def")
SUBJECTS: tuple[dict[str, Any], ...] = (
    {"subject": "customers", "columns": ["customers.customer_name", "customers.city"]},
    {"subject": "customers", "columns": ["customers.email"]}, {"subject": "vault"},
    {"measures": [{"aggregate": "count", "dataset": "customers"}], "dimensions": [{"field": "customers.city"}]},
    {"measures": [{"aggregate": "sum", "field": "accounts.balance"}], "dimensions": [{"field": "customers.segment"}]},
    {"measures": [{"aggregate": "sum", "field": "accounts.balance"}], "limit": 3,
     "dimensions": [{"field": "customers.customer_name"}], "order": [{"measure": 1, "descending": True}]},
    {"measures": [{"aggregate": "max", "field": "customers.tax_number"}]},
)  # fmt: skip


def make_bank(path: Path, *, names: int, secrets: int) -> None:
    with duckdb.connect(str(path)) as bank:
        bank.execute(
            "CREATE TABLE customers (customer_id INTEGER PRIMARY KEY, customer_name VARCHAR, email VARCHAR,"
            " tax_number VARCHAR, segment VARCHAR, city VARCHAR, annual_income DECIMAL(12, 2));"
            "CREATE TABLE accounts (account_id INTEGER PRIMARY KEY, account_number VARCHAR, customer_id INTEGER"
            " REFERENCES customers(customer_id), account_type VARCHAR, balance DECIMAL(12, 2), opened_on DATE)"
        )
        rows = [
            (i, NAMES[names][i % 3], f"{'qz'[secrets] * 2}{i * 7 % 12}@{'qz'[secrets] * 2}.example",
             f"T{'qz'[secrets]}{i * 5 % 12}", ("Retail", "SME")[i % 2], ("Goa", "Pune", "Delhi")[i % 3], 1_000 + i * 77)
            for i in range(12)
        ]  # fmt: skip
        bank.executemany("INSERT INTO customers VALUES (?, ?, ?, ?, ?, ?, ?)", rows)
        accounts = [
            (i, f"{('AC', 'BX')[names]}{i * 31 % 97:06}", i % 12, ("savings", "current")[i % 2], 10.5 * (i * 7 % 24),
             f"2024-{i % 12 + 1:02}-05") for i in range(24)
        ]  # fmt: skip
        bank.executemany("INSERT INTO accounts VALUES (?, ?, ?, ?, ?, ?)", accounts)


class Hostile(ChatServer):
    """Replies by the seed and the words of the request, in the shape that is asked for."""

    def __init__(self) -> None:
        super().__init__(())
        self.seed = 0
        self.heard: Counter[str] = Counter()

    def begin(self, seed: int) -> None:
        self.seed = seed
        self.heard.clear()

    def next_answer(self, request: dict[str, Any], key: str | None) -> Answer:
        text = json.dumps(request, sort_keys=True)
        with self._lock:
            self.heard[text] += 1
            drawn = random.Random(f"{self.seed} {self.heard[text]} {sha1(text.encode()).hexdigest()}")
        asked = request.get("response_format")
        if asked is None:
            return self._converses(request, drawn)
        if drawn.random() < 0.06:
            return drawn.choice((says(f"no JSON of {drawn.choice(GUESSES)}"), declines(), fails(401), says({"x": 1})))
        reply = written(asked["json_schema"]["name"], drawn)
        return streams(reply) if request.get("stream") else says(reply)

    @staticmethod
    def _converses(request: dict[str, Any], drawn: random.Random) -> Answer:
        if any(one["role"] == "tool" for one in request["messages"]) and drawn.random() < 0.7:
            return streams(phrase(drawn))
        sent = [{"recipient": drawn.choice(("Figures", "Calculations")), "content": phrase(drawn)} for _ in range(2)]
        called = {"name": "send_messages", "arguments": json.dumps({"messages": sent})}
        return chunks({"tool_calls": [{"index": 0, "id": "1", "type": "function", "function": called}]})


def phrase(drawn: random.Random) -> str:
    guessed = drawn.sample(GUESSES, drawn.choice((0, 1, 2)))
    return f"{drawn.choice(SAID)}{' of ' if guessed else ''}{' and '.join(guessed)}"


def written(shape: str, drawn: random.Random) -> dict[str, Any]:
    """Write a reply of a shape; what no shape has of it is ignored."""
    outcome = drawn.choice(("query",) * 6 + ("clarify", "refused", "about"))
    operator = drawn.choice(("sql", *OPERATORS))
    step = {"id": "s1", "name": phrase(drawn), "operator": "sql", "input_mapping": {"query": phrase(drawn)}}
    found = {"query": drawn.choice((phrase(drawn), "{{s1.output.answer}}")), "table": "{{s1.output}}"}
    then = {"id": "s2", "name": phrase(drawn), "operator": drawn.choice(("computation", "sql")), "input_mapping": found}
    shapes: dict[str, dict[str, Any]] = {
        "IntentReply": {
            "outcome": outcome, "restatement": phrase(drawn), "reply": phrase(drawn), "assumptions": [phrase(drawn)],
            "choices": [phrase(drawn), phrase(drawn), SAID[0]], "suggestions": [phrase(drawn)],
            **({"intent": drawn.choice(SUBJECTS)} if outcome == "query" and drawn.random() < 0.5 else {}),
        },
        "SqlReply": {"sql": drawn.choice(SQL), "assumptions": [phrase(drawn)], "reason": phrase(drawn)},
        "InsightReply": {"summary": f"{phrase(drawn)} is 12.", "chart": drawn.choice(("bar", "pie", "table"))},
        "PlannerReply": {
            "agents": ["sql", "computation"], "rationale": phrase(drawn), "confidence": 1,
            "parts": [{"agent": one, "question": phrase(drawn)} for one in ("sql", "computation")],
        },
        "ComposerReply": {"answer": phrase(drawn)},
        "SelectionReply": {
            "userinput": "", "confidence": 1, "selected_agent": drawn.choice(("figures", "report-team")),
        },
        "SupervisorDecision": {
            "action": drawn.choice(("CALL_TOOL", "CALL_TOOL", "CREATE_WORKFLOW", "ANSWER", "CLARIFY")),
            "reasoning": phrase(drawn), "operator": operator, "params": {"query": phrase(drawn)},
            "goal": phrase(drawn), "steps": [step, then], "question": phrase(drawn), "choices": [phrase(drawn)],
        },
        "ReflectionReply": {
            "recommendation": drawn.choice(("satisfied", "need_more")), "quality_score": 0.5, "is_complete": False,
            "issues": [phrase(drawn)],
        },
        "ComputationPlan": {
            "steps": [phrase(drawn)], "code": drawn.choice(CODE), "unit": "number", "sentence": "It is {result}.",
            "missing": phrase(drawn),
        },
        "ProgramReply": {"code": drawn.choice(CODE), "missing": phrase(drawn)},
        "RewrittenQuery": {"standalone": phrase(drawn), "internal_query": phrase(drawn), "external_query": ""},
        "SummaryReply": {"summary": phrase(drawn)},
        "TextReply": {"text": phrase(drawn)},
    }  # fmt: skip
    return shapes[shape]


@contextmanager
def asked_of(folder: Path, send_rows: str, *, names: int, secrets: int) -> Iterator[Bank]:
    server = Hostile()
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    folder.mkdir()
    make_bank(folder / "bank.duckdb", names=names, secrets=secrets)
    settings = Settings(
        database_url=str(folder / "bank.duckdb"), cache_dir=folder, store_url=f"sqlite:///{folder / 'store.sqlite'}",
        openai_base_url=server.base_url, send_rows=send_rows, database_workers=1, allow_union=True, audit=False,
        as_of="2024-12-31", max_retries=1, chat_max_iterations=3,
    )  # fmt: skip
    try:
        with api(settings) as (client, sources):
            yield client, sources, server
    finally:
        server.shutdown()
        server.server_close()
        thread.join(5)


@contextmanager
def twins(folder: Path, send_rows: str) -> Iterator[list[Bank]]:
    """Two banks of which one has other e-mails and tax numbers, and other names where those may not leave."""
    with ExitStack() as stack:
        other = 0 if send_rows == "sample" else 1
        stack.callback(logging.disable, logging.root.manager.disable)
        logging.disable(logging.CRITICAL)
        opened = [
            stack.enter_context(asked_of(folder / f"{send_rows}{secrets}", send_rows, names=names, secrets=secrets))
            for names, secrets in ((0, 0), (other, 1))
        ]
        for _, sources, _ in opened:
            sources.assistant()
        yield opened


@pytest.fixture(scope="module", params=["none", "aggregates", "sample"])
def banks(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory):
    with twins(tmp_path_factory.mktemp("twins"), request.param) as opened:
        yield opened


def heard(bank: Bank, door: str, seed: int) -> list[Counter[str]]:
    """Ask twice in one conversation; returns what was sent meanwhile."""
    client, sources, server = bank
    server.begin(seed)
    drawn, found, history = random.Random(seed), list[Counter[str]](), []
    for _ in range(2):
        message = drawn.choice(ASKED)
        if door == "ask":
            history.append(turn_of(sources.assistant().ask(message, history)))
        elif door == "orchestrate":
            client.post("/orchestrate", json={"question": message})
        elif door == "chat":
            client.post("/chat", json={"conversation_id": f"{seed}", "message": message})
        else:
            client.post("/route", json={"user_input": message, "user_id": "una", "session_id": f"{seed}"})
        found.append(Counter(server.heard))
    return found


@pytest.mark.parametrize(("door", "seed"), [("ask", 2), ("orchestrate", 1), ("chat", 13), ("route", 1)])
def test_whatever_a_model_replies_two_banks_that_differ_in_what_is_withheld_send_the_same(door: str, seed: int, banks):
    one, other = (heard(bank, door, seed) for bank in banks)
    assert one == other
    assert one[-1]
