"""The rows come after one call to the model; what it says of them follows, and need not be waited for."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ai_engine.types import Answer, ResultReady, StepFinished, StillWorking, SummaryGrew
from backend.opening import open_assistant
from backend.question_events import events_of
from backend.service import Assistant
from backend.settings import read_settings
from tests.ai_engine.llm.server import ChatServer, says, serving, streams

QUESTION = "How many customers does each segment have?"
READ = {
    "outcome": "query",
    "restatement": "Number of customers by segment",
    "intent": {"measures": [{"aggregate": "count", "dataset": "customers"}], "dimensions": ["customers.segment"]},
}
SENTENCES = ("Retail is the largest segment.", "Retail has the highest number of customers.")
TOLD = {"summary": " ".join(SENTENCES), "chart": "pie"}


@contextmanager
def asked(bank: Path, tmp_path: Path, *answers) -> Iterator[tuple[Assistant, ChatServer]]:
    with serving(*answers) as server:
        settings = read_settings(
            database_url=f"duckdb:///{bank}", cache_dir=tmp_path, openai_base_url=server.base_url, model="m",
            store_url=f"sqlite:///{tmp_path / 'store.sqlite'}",
        )  # fmt: skip
        assistant = open_assistant(settings)
        try:
            yield assistant, server
        finally:
            assistant.close()


def test_the_rows_are_there_before_the_model_has_told_them(small_bank: Path, tmp_path: Path):
    with asked(small_bank, tmp_path, says(READ), streams(TOLD, pause_s=0.06)) as (assistant, _):
        events = [event for event in assistant.stream(QUESTION) if not isinstance(event, StillWorking | StepFinished)]
        ready, first, *_, answer = [event for event in events if isinstance(event, ResultReady | SummaryGrew | Answer)]
    assert isinstance(ready, ResultReady)
    assert isinstance(first, SummaryGrew)
    assert isinstance(answer, Answer)
    shown = ready.answer
    assert (shown.status, shown.result, shown.chart) == ("answered", answer.result, answer.chart)
    assert shown.summary.startswith(shown.headline)
    assert shown.headline != shown.summary
    assert [len(one.model_calls) for one in (shown, answer)] == [1, 2]
    assert (first.text, answer.summary) == (SENTENCES[0], TOLD["summary"])


def test_a_summary_that_is_stopped_leaves_the_rule_made_one(small_bank: Path, tmp_path: Path):
    with asked(small_bank, tmp_path, says(READ), streams(TOLD, pause_s=1.0)) as (assistant, server):
        events = assistant.stream(QUESTION)
        shown = next(event for event in events if isinstance(event, ResultReady))
        next(event for event in events if isinstance(event, StillWorking))
        events.close()
        assert server.hung_up.wait(10)
        assert shown.answer.summary


def test_a_stop_while_the_rows_are_told_is_an_answer(small_bank: Path, tmp_path: Path):
    stop, answers = threading.Event(), []
    with asked(small_bank, tmp_path, says(READ), streams(TOLD, pause_s=1.0)) as (assistant, server):
        for event in events_of(assistant, QUESTION, (), stop, None, "local", summary_follows=True):
            if len(server.requests) == 2:
                stop.set()
            answers.append(event)
    assert isinstance(answers[-1], Answer)
    assert (answers[-1].status, len(answers[-1].model_calls)) == ("answered", 1)


def test_who_wants_one_answer_gets_one_and_nothing_is_streamed(small_bank: Path, tmp_path: Path):
    heard = []
    with asked(small_bank, tmp_path, says(READ), says(TOLD)) as (assistant, server):
        answer = assistant.ask(QUESTION, heard=heard.append)
    assert answer.summary == TOLD["summary"]
    assert not any(isinstance(event, ResultReady | SummaryGrew) for event in heard)
    assert not any("stream" in request for request in server.requests)
