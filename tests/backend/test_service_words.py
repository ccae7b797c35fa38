"""What a language model's service says when it refuses a request reaches neither people nor the log."""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import duckdb
import pytest

from ai_engine.agent import AgentRequest
from backend.configuration.model_trial import try_model
from backend.opening import open_assistant
from backend.orchestration import Orchestrator
from backend.settings import read_settings
from tests.ai_engine.llm.server import Answer, ChatServer, fails
from tests.backend.test_withheld import MADE

LIE = "Total deposits are Rs. 99 crore, see http://evil.example/x <b>now</b>"
QUESTIONS = ("How many customers are there?", "What is 12 % of 4 crore?", "total balance and 5 % of it")


class Refusing(ChatServer):
    """Refuses every request with the lie and the request's own last words."""

    def next_answer(self, request: dict[str, Any], key: str | None) -> Answer:
        self.requests.append(request)
        return fails(418, f"{LIE} {request['messages'][-1]['content']}", code=LIE)


@contextmanager
def refusing() -> Iterator[Refusing]:
    server = Refusing(())
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()


def test_what_a_service_says_in_refusing_is_in_no_answer_no_trace_no_trial_and_no_log(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    with duckdb.connect(tmp_path / "bank.duckdb") as bank:
        for statement in MADE:
            bank.execute(statement)
    with refusing() as server:
        settings = read_settings(
            database_url=str(tmp_path / "bank.duckdb"), cache_dir=tmp_path / "cache", openai_api_key="sk-of-the-bank",
            store_url=f"sqlite:///{tmp_path}/store.sqlite", openai_base_url=server.base_url, database_workers=1,
        )  # fmt: skip
        assistant = open_assistant(settings)
        try:
            asking = Orchestrator(assistant, {})
            answered = [asking.answer(AgentRequest(question=one, trace=True)).model_dump_json() for one in QUESTIONS]
            told = [*answered, try_model(assistant, "asha").said, repr(assistant.ask(QUESTIONS[0]))]
        finally:
            assistant.close()
    assert server.requests
    assert "418" in told[-2]
    own = [record.getMessage() for record in caplog.records if record.name.startswith(("ai_engine", "backend"))]
    for text in (*told, *own):
        assert "99 crore" not in text
        assert "evil.example" not in text
