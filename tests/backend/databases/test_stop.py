"""Stop, as the page does it: the listener goes away, and with it the run, wherever it is."""

from __future__ import annotations

import contextlib
import threading
import time

import pytest

from ai_engine.errors import QueryStopped
from ai_engine.types import StepFinished
from backend.opening import open_assistant
from backend.settings import read_settings
from tests.ai_engine.llm.server import silent
from tests.backend.databases.statements import ENDLESS
from tests.patience import allowed_s

SOON_S = 3.0  # a second is promised; the machine may be busy
QUESTION = "How many customers are there?"


@pytest.fixture
def assistant(small_bank, tmp_path):
    settings = read_settings(
        database_url=str(small_bank), cache_dir=tmp_path, database_workers=1, openai_api_key=None, openai_base_url=None
    )
    with contextlib.closing(open_assistant(settings)) as opened:
        yield opened


def questions_running():
    return [thread for thread in threading.enumerate() if thread.name == "question"]


def test_who_stops_listening_in_the_queue_leaves_it(assistant):
    stop = threading.Event()

    def hold_the_only_worker():
        with pytest.raises(QueryStopped):
            assistant.database.runner.run(ENDLESS["duckdb"], max_rows=1, timeout_s=60, stop=stop)

    holder = threading.Thread(target=hold_the_only_worker)
    holder.start()
    try:
        time.sleep(0.2)
        events = assistant.stream(QUESTION)
        steps = (event.step for event in events if isinstance(event, StepFinished))
        assert "validation_agent" in steps  # read up to there; from here on it waits for the worker
        began = time.monotonic()
        events.close()
        assert time.monotonic() - began < allowed_s(SOON_S)
        assert questions_running() == []
    finally:
        stop.set()
        holder.join()
    assert assistant.ask(QUESTION).status == "answered"


def test_who_stops_listening_while_the_model_says_nothing_leaves_it(small_bank, tmp_path):
    with silent() as server:
        settings = read_settings(database_url=str(small_bank), cache_dir=tmp_path, openai_base_url=server.base_url)
        with contextlib.closing(open_assistant(settings)) as assistant:
            events = assistant.stream(QUESTION)
            while not server.asked.is_set():
                next(events)
            began = time.monotonic()
            events.close()
            assert time.monotonic() - began < allowed_s(SOON_S)
            assert questions_running() == []
        assert server.hung_up.wait(allowed_s(5))
