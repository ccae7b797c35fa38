"""A call that nobody waits for any more ends, and its connection with it; the judge is a server that never answers."""

from __future__ import annotations

import gc
import threading
import time
from collections.abc import Callable

import pytest

from ai_engine import main
from ai_engine.errors import ModelUnavailable, QueryStopped
from ai_engine.guard.policy import Policy
from ai_engine.llm import client as client_module
from ai_engine.llm.calls import unless_stopped
from ai_engine.llm.config import LlmConfig
from ai_engine.llm.model import OpenAICompatibleModel
from ai_engine.ports import InsightTask, Services, SqlTask
from ai_engine.types import OutputColumn, QueryResult
from tests.ai_engine.llm.bank import BANK
from tests.ai_engine.llm.server import KEY, Silence, fails, serving, silent
from tests.patience import allowed_s

LATEST_S = 3.0  # far before anything but the stop would end a call
RESULT = QueryResult(("segment",), ("text",), (("Retail",),))
CALLS: dict[str, Callable[[OpenAICompatibleModel, threading.Event], object]] = {
    "interpret": lambda model, stop: model.interpret("total deposits?", (), BANK, stop=stop),
    "write_sql": lambda model, stop: model.write_sql(SqlTask("total deposits?", ""), BANK, stop=stop),
    "explain": lambda model, stop: model.explain(
        InsightTask("segments?", "Segments.", "SELECT 1", RESULT, (OutputColumn("segment", "Segment"),)),
        BANK,
        stop=stop,
    ),
}


class NoRunner:
    def run(self, sql: str, *, max_rows: int, timeout_s: float, stop: threading.Event) -> QueryResult:
        raise AssertionError("nothing was to be run")


def model(base_url: str, timeout_s: float = 30.0) -> OpenAICompatibleModel:
    config = LlmConfig(api_key=KEY, base_url=base_url, model="m", timeout_s=timeout_s, send_rows="sample")
    return OpenAICompatibleModel(config)


def stop_once_asked(server: Silence, stop: threading.Event, stopped_at: list[float]) -> threading.Thread:
    def work() -> None:
        assert server.asked.wait(10)
        stopped_at.append(time.monotonic())
        stop.set()

    thread = threading.Thread(target=work)
    thread.start()
    return thread


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS.keys())
def test_a_stop_ends_a_call_that_is_not_answered_and_hangs_up(call):
    stop, stopped_at = threading.Event(), []
    with silent() as server:
        stopper = stop_once_asked(server, stop, stopped_at)
        with pytest.raises(QueryStopped):
            call(model(server.base_url), stop)
        assert time.monotonic() - stopped_at[0] < allowed_s(LATEST_S)
        assert server.hung_up.wait(allowed_s(5))
        stopper.join()


def test_a_stop_ends_the_whole_run_while_the_model_says_nothing():
    stop, stopped_at = threading.Event(), []
    with silent() as server:
        stopper = stop_once_asked(server, stop, stopped_at)
        services = Services(model(server.base_url), BANK, NoRunner(), Policy(), stop=stop)
        answer = main.ask("total deposits?", services=services)
        assert time.monotonic() - stopped_at[0] < allowed_s(LATEST_S)
        stopper.join()
    assert (answer.status, answer.error_kind) == ("failed", "QueryStopped")


def test_the_deadline_ends_a_call_that_is_not_answered_and_hangs_up():
    with silent() as server:
        with pytest.raises(ModelUnavailable):
            CALLS["interpret"](model(server.base_url, timeout_s=0.3), threading.Event())
        assert server.hung_up.wait(allowed_s(5))


def test_a_stop_is_heard_between_two_attempts(monkeypatch):
    monkeypatch.setattr(client_module, "_FIRST_WAIT_S", 4.0)
    stop = threading.Event()
    with serving(fails(503)) as server:
        asking = model(server.base_url)
        timer = threading.Timer(0.5, stop.set)
        timer.start()
        started = time.monotonic()
        with pytest.raises(QueryStopped):
            CALLS["interpret"](asking, stop)
        assert time.monotonic() - started < 0.5 + LATEST_S
        timer.join()


def test_many_calls_at_once_are_stopped_one_by_one():
    stops = [threading.Event() for _ in range(20)]
    ended: list[int] = []

    def work(number: int) -> None:
        with pytest.raises(QueryStopped):
            CALLS["interpret"](asking, stops[number])
        ended.append(number)

    with silent() as server:
        asking = model(server.base_url)
        threads = [threading.Thread(target=work, args=(number,)) for number in range(len(stops))]
        for thread in threads:
            thread.start()
        assert server.asked.wait(10)
        stops[7].set()
        threads[7].join(allowed_s(5))
        assert ended == [7]
        for stop in stops:
            stop.set()
        for thread in threads:
            thread.join(allowed_s(5))
    assert sorted(ended) == list(range(len(stops)))


def test_a_model_that_nobody_uses_any_more_leaves_no_thread():
    before = set(threading.enumerate())
    with serving(fails(401)) as server:
        asking = model(server.base_url)
        with pytest.raises(Exception, match="refused"):
            CALLS["interpret"](asking, threading.Event())
        del asking
        gc.collect()
    assert not [thread for thread in threading.enumerate() if thread.name == "language-model" and thread not in before]


def test_work_that_nobody_waits_for_any_more_is_left_to_itself():
    stop, held = threading.Event(), threading.Event()
    threading.Timer(0.1, stop.set).start()
    began = time.monotonic()
    with pytest.raises(QueryStopped):
        unless_stopped(lambda: held.wait(30), stop)
    assert time.monotonic() - began < 5
    held.set()


def test_work_that_is_waited_for_gives_what_it_gives():
    assert unless_stopped(lambda: 17, threading.Event()) == 17
    with pytest.raises(ValueError, match="wrong"):
        unless_stopped(lambda: int("wrong"), threading.Event())


def test_work_is_not_begun_after_a_stop():
    stop, begun = threading.Event(), threading.Event()
    stop.set()
    with pytest.raises(QueryStopped):
        unless_stopped(begun.set, stop)
    assert not begun.is_set()
