"""Questions through the whole app: a Trino server before the sample bank tells what DuckDB tells of the same file."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest

from backend.evaluation.questions import Question
from backend.opening import open_assistant
from backend.service import Assistant
from backend.settings import PROJECT_ROOT, Settings
from tests.conftest import AS_OF
from tests.patience import allowed_s
from tests.same_answers import spread, told
from tests.trino_server import Behaviour, Coordinator, serving_trino

pytestmark = pytest.mark.server
QUESTIONS = spread(14)
GONE_WITHIN_S = 2.0


def opened(url: str) -> Assistant:
    vocabulary = PROJECT_ROOT / "data" / "sample_bank.yaml"
    as_of = date.fromisoformat(AS_OF)
    return open_assistant(Settings(database_url=url, vocabulary_file=vocabulary, as_of=as_of, tie_out=False))


@pytest.fixture(scope="module")
def banks(trino_file: Path, small_bank: Path) -> Iterator[tuple[Assistant, Assistant, Coordinator]]:
    """The sample bank as a file, and the same file behind a server."""
    with serving_trino(small_bank, Behaviour(page_rows=500)) as (url, coordinator):
        here, there = opened(str(small_bank)), opened(url)
        yield here, there, coordinator
        here.close()
        there.close()


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda question: question.text)
def test_a_question_gets_the_same_words_and_rows_as_on_duckdb(
    banks: tuple[Assistant, Assistant, Coordinator], question: Question
):
    here, there = (assistant.ask(question.text) for assistant in banks[:2])
    assert here.result is not None
    assert there.sql
    assert told(there) == told(here), there.sql


def test_a_question_that_is_stopped_runs_on_nowhere(banks: tuple[Assistant, Assistant, Coordinator]):
    _, there, coordinator = banks
    usual, coordinator.behaviour = coordinator.behaviour, Behaviour(page_rows=1, latency_s=0.05)
    stop = threading.Event()
    threading.Timer(allowed_s(0.8), stop.set).start()
    try:
        answer = there.ask("Total balance by branch and month in 2025", stop=stop)
        stopped = time.monotonic()
        while coordinator.running():
            assert time.monotonic() - stopped < allowed_s(GONE_WITHIN_S)
            time.sleep(0.01)
    finally:
        coordinator.behaviour = usual
    assert answer.result is None
