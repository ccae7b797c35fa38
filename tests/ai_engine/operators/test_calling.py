"""One call of one operator: tried again, done by its fallback, ended in time, told as events."""

from __future__ import annotations

import asyncio
import threading
import time
from typing import Any, ClassVar

import pytest

from ai_engine.errors import DatabaseBusy
from ai_engine.events import EventType
from ai_engine.operators.base import BaseOperator, OperatorContext, OperatorFailed, OperatorResult, OperatorType
from ai_engine.operators.calling import call_operator
from ai_engine.operators.parameters import object_schema
from ai_engine.operators.registry import OperatorRegistry
from ai_engine.tools import ToolContent, Tools
from tests.ai_engine.operators.calls import Listener, call, caller, knows
from tests.patience import allowed_s


class Says(BaseOperator):
    """Fails as often as told, then says what it was given."""

    description = "Says what it is told"
    operator_type = OperatorType.PURE_LLM
    parameters = object_schema(word={"type": "string", "default": "so"})
    faults: ClassVar[list[Exception]] = []

    async def execute(self, context: OperatorContext, tools: Tools | None = None) -> OperatorResult:
        if self.faults:
            raise self.faults.pop(0)
        return OperatorResult(output={"said": context.query, "word": context.params["word"]}, text=context.query)


def registry(**by_name: type[BaseOperator]) -> OperatorRegistry:
    return OperatorRegistry().with_others(*(type(kind.__name__, (kind,), {"name": n}) for n, kind in by_name.items()))


def failing(*faults: Exception, **said: Any) -> type[BaseOperator]:
    return type("Failing", (Says,), {"faults": list(faults), **said})


class Endless(Says):
    """Works until it is told to stop."""

    ended: ClassVar[threading.Event]

    async def execute(self, context: OperatorContext, tools: Tools | None = None) -> OperatorResult:
        while not context.stop.is_set():
            await asyncio.sleep(0.01)
        self.ended.set()
        raise OperatorFailed("ended")


class Deaf(Says):
    """Hears no stop."""

    async def execute(self, context: OperatorContext, tools: Tools | None = None) -> OperatorResult:
        await asyncio.sleep(30)
        raise AssertionError


def test_a_call_is_told_from_start_to_end():
    listener = Listener()
    result = call("says", "hello", caller(listener, registry(says=Says)))
    assert result.output == {"said": "hello", "word": "so"}
    assert result.metadata == {"operator": "says"}
    assert listener.types == ["tool.start", "tool.complete"]
    assert listener.events[0].data == {"message": "hello", "tool": "says", "call_id": "call-1"}
    assert listener.events[1].data.keys() == {"content_count", "elapsed_ms", "tool", "call_id"}
    assert {event.request_id for event in listener.events} == {"request-1"}


def test_the_query_among_the_parameters_is_what_is_to_be_done():
    assert call("says", "the message", caller(None, registry(says=Says)), query="the task").text == "the task"


def test_it_is_tried_twice_again():
    listener = Listener()
    kind = failing(OperatorFailed("No luck."), DatabaseBusy("queue"))
    assert call("says", "hello", caller(listener, registry(says=kind))).text == "hello"
    told = [event["message"] for event in listener.told(EventType.TOOL_PROGRESS)]
    assert told == ["No luck. Trying again.", f"{DatabaseBusy.user_message} Trying again."]


def test_a_third_failure_is_the_last():
    listener = Listener()
    kind = failing(OperatorFailed("1"), OperatorFailed("2"), OperatorFailed("Three.", "Broken", {"code": "x"}))
    with pytest.raises(OperatorFailed, match="Three") as failed:
        call("says", "hello", caller(listener, registry(says=kind)))
    assert (failed.value.kind, failed.value.details) == ("Broken", {"code": "x"})
    assert listener.types[-1] == "tool.error"
    assert listener.events[-1].data == {
        "message": "Three.", "error_type": "Broken", "tool": "says", "call_id": "call-1",
    }  # fmt: skip


def test_then_its_fallback_does_it_with_what_that_takes_of_the_parameters():
    listener = Listener()
    kind = failing(
        OperatorFailed("No luck."),
        max_retries=0,
        fallback_operator="says",
        parameters=object_schema(word={"type": "string"}, depth={"type": "integer"}),
    )
    result = call("deep", "hello", caller(listener, registry(deep=kind, says=Says)), word="indeed", depth=3)
    assert result.output == {"said": "hello", "word": "indeed"}
    assert result.metadata["operator"] == "says"
    assert listener.told(EventType.TOOL_PROGRESS)[0]["message"] == "No luck. says does it instead."
    assert {event.data["tool"] for event in listener.events} == {"deep"}


def test_the_reason_told_is_that_of_the_first_that_had_what_it_needs():
    tools = {"operator_type": OperatorType.MCP_BACKED, "mcp_tools": ("web_search",), "max_retries": 0}
    first = failing(fallback_operator="second", **tools)
    second = failing(OperatorFailed("The second cannot."), fallback_operator="third", max_retries=0)
    third = failing(OperatorFailed("Nor can the third."), max_retries=0)
    with pytest.raises(OperatorFailed, match="The second cannot"):
        call("first", "hello", caller(None, registry(first=first, second=second, third=third)))
    with pytest.raises(OperatorFailed, match="No server that is enabled offers web_search"):
        call("first", "hello", caller(None, registry(first=failing(**tools))))


@pytest.mark.parametrize(
    ("name", "params", "why"),
    [
        ("says", {"word": 5}, "says: word must be string."),
        ("says", {"wort": "x"}, "says: there is no wort, word is meant."),
        ("sais", {}, "There is no operator 'sais'. The nearest is says."),
    ],
)
def test_a_wrong_call_is_refused_without_trying(name: str, params: dict[str, Any], why: str):
    listener = Listener()
    with pytest.raises(OperatorFailed) as failed:
        call(name, "hello", caller(listener, registry(says=Says)), **params)
    assert str(failed.value) == why
    assert listener.types == ["tool.start", "tool.error"]


def test_what_an_operator_raises_that_it_must_not_is_told_in_our_words():
    with pytest.raises(OperatorFailed, match="Something went wrong") as failed:
        call("says", "hello", caller(None, registry(says=failing(KeyError("secret"), max_retries=0))))
    assert failed.value.kind == "KeyError"


def test_it_is_given_exactly_the_context_that_it_asks_for():
    class Curious(Says):
        context_requirements = ("query", "word", "conversation.recent(2)", "results.all")

        async def execute(self, context: OperatorContext, tools: Tools | None = None) -> OperatorResult:
            return OperatorResult(output=dict(context.context))

    by = caller(None, registry(curious=Curious), assemble=knows(conversation_recent=["a", "b"], conversation_all="no"))
    assert call("curious", "hello", by, word="w").output == {
        "query": "hello", "word": "w", "conversation.recent(2)": ["a", "b"], "results.all": None,
    }  # fmt: skip


def test_what_it_tells_reaches_the_listener_under_its_call_and_content_is_shown_once():
    note = ToolContent.text("a note")

    class Telling(Says):
        async def execute(self, context: OperatorContext, tools: Tools | None = None) -> OperatorResult:
            context.emit(EventType.TOOL_PROGRESS, {"progress": 0.5, "message": "half"})
            context.emit(EventType.TOOL_CONTENT, {"content_type": "text/plain", "data": "a note", "metadata": {}})
            return OperatorResult(output=None, contents=(note, ToolContent.text("another")))

    listener = Listener()
    call("telling", "hello", caller(listener, registry(telling=Telling)))
    assert listener.types == ["tool.start", "tool.progress", "tool.content", "tool.content", "tool.complete"]
    assert [event["data"] for event in listener.told(EventType.TOOL_CONTENT)] == ["a note", "another"]
    assert listener.told(EventType.TOOL_COMPLETE)[0]["content_count"] == 2


@pytest.mark.parametrize("kind", [Endless, Deaf])
def test_it_ends_within_a_second_from_a_stop(kind: type[Says]):
    kind = type("Kind", (kind,), {"ended": threading.Event(), "fallback_operator": "says"})
    stop = threading.Event()
    timer = threading.Timer(0.2, stop.set)
    timer.start()
    started = time.monotonic()
    with pytest.raises(OperatorFailed, match="Stopped") as failed:
        call("kind", "hello", caller(None, registry(kind=kind, says=Says), stop=stop))
    assert failed.value.kind == "QueryStopped"
    assert time.monotonic() - started < allowed_s(1.2)
    assert kind.ended.is_set() or issubclass(kind, Deaf)


def test_it_ends_at_its_deadline_and_nobody_else_tries():
    listener = Listener()
    kind = type("Kind", (Deaf,), {"fallback_operator": "says"})
    started = time.monotonic()
    with pytest.raises(OperatorFailed, match=r"longer than 0.2 s") as failed:
        call("kind", "hello", caller(listener, registry(kind=kind, says=Says)), timeout_s=0.2)
    assert failed.value.kind == "DeadlineExceeded"
    assert time.monotonic() - started < allowed_s(1.2)
    assert listener.types == ["tool.start", "tool.error"]


def test_cancelling_the_call_ends_it_and_says_so():
    listener = Listener()
    kind = type("Kind", (Endless,), {"ended": threading.Event()})

    async def cancelled() -> None:
        by = caller(listener, registry(kind=kind))
        task = asyncio.create_task(call_operator("kind", "hello", {}, by, timeout_s=20))
        await asyncio.sleep(0.1)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert await asyncio.to_thread(kind.ended.wait, 1) or task.done()

    asyncio.run(cancelled())
    assert listener.types == ["tool.start", "tool.error"]
