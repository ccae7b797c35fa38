"""A reply within its bound of bytes keeps nobody busy, and nobody else waiting, however it is made."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable

import pytest
from pydantic import BaseModel

from ai_engine.conversation import ChatTurn, ModelReply
from ai_engine.errors import ModelFailed, QueryStopped
from ai_engine.llm.calls import CallLoop
from ai_engine.llm.client import ChatClient
from ai_engine.llm.config import LlmConfig
from ai_engine.llm.replies import InsightReply, IntentReply, SqlReply
from ai_engine.llm.reply_text import complaint_about, read_reply
from ai_engine.operators.founded_text import TextReply
from ai_engine.prompts.loader import Messages
from ai_engine.supervisor.decision import SupervisorDecision
from tests.ai_engine.llm.server import KEY, Answer, events, says, serving
from tests.patience import allowed_s

MESSAGES = Messages("Answer.", "~~~\nhow many customers?\n~~~")
NEVER = threading.Event()
A_MOMENT_S = 1.5
DEADLINE_S = 5.0
LARGEST_CHARS = 950_000
INTENT = '{"outcome":"query","restatement":"r","intent":{"%s":[%s]}}'


def many(item: str) -> str:
    return ",".join([item] * (LARGEST_CHARS // (len(item) + 1)))


SHAPES: dict[str, tuple[type[BaseModel], str]] = {
    **{
        f"{name} of {item}": (IntentReply, INTENT % (name, many(item)))
        for name in ("filters", "measures", "having", "order", "columns")
        for item in ("{}", "1")
    },
    "values": (IntentReply, INTENT % ("filters", '{"field":"a.b","operator":"=","values":[' + many("{}") + "]}")),
    "lists for a statement": (SqlReply, '{"sql":[' + many("[]") + "]}"),
    "numbers for sentences": (SqlReply, '{"sql":"SELECT 1","assumptions":[' + many("1") + "]}"),
    "keys nobody asked for": (InsightReply, "{" + ",".join(f'"k{number}":[]' for number in range(80_000)) + "}"),
    "a list without a bound of its own": (TextReply, '{"text":"t","citations":[' + many("1") + "]}"),
    "objects for choices": (SupervisorDecision, '{"action":"CLARIFY","reasoning":"r","choices":[' + many("{}") + "]}"),
    "lists in single quotes": (SqlReply, "{'sql':[" + many("[]") + "]}"),
    "numbers in single quotes": (SqlReply, "{'sql':[" + many("-1") + "]}"),
    "texts side by side": (SqlReply, "{'sql':" + "'a' " * 200_000 + "}"),
    "cut off in the middle": (SqlReply, '{"sql":[' + many("[]") + "}"),
}


@pytest.mark.parametrize(("shape", "text"), SHAPES.values(), ids=SHAPES.keys())
def test_a_reply_of_many_parts_is_refused_in_a_moment_with_a_short_complaint(shape: type[BaseModel], text: str) -> None:
    began = time.monotonic()
    with pytest.raises(ValueError, match=r".") as problem:
        read_reply(text, shape)
    complaint = complaint_about(problem.value, shape)
    assert time.monotonic() - began < allowed_s(A_MOMENT_S)
    assert len(complaint) < 2_000


def test_a_complaint_does_not_repeat_a_field_of_any_length() -> None:
    with pytest.raises(ValueError, match="no field") as problem:
        read_reply(INTENT % ("columns", '"%s"' % ("a" * 500_000)), IntentReply)
    assert len(complaint_about(problem.value, IntentReply)) < 2_000


@pytest.mark.parametrize("quote", ['"', "'"])
def test_a_long_statement_is_read_in_both_spellings(quote: str) -> None:
    sql = f"SELECT {', '.join(f'column_{number}' for number in range(2_000))} FROM accounts"
    text = f"{{{quote}sql{quote}: {quote}{sql}{quote}}}"
    assert read_reply(text, SqlReply).sql == sql


def client(base_url: str, timeout_s: float = DEADLINE_S) -> ChatClient:
    return ChatClient(LlmConfig(api_key=KEY, base_url=base_url, model="m", timeout_s=timeout_s))


def test_a_reply_of_many_parts_is_sent_back_once_and_then_refused_in_a_moment() -> None:
    began = time.monotonic()
    unusable = says(INTENT % ("filters", ",".join(["1"] * 12_000)))
    with serving(unusable, unusable) as server, pytest.raises(ModelFailed, match="more than 10,000 parts"):
        client(server.base_url).ask(MESSAGES, IntentReply, lambda reply: reply, stop=NEVER)
    assert time.monotonic() - began < allowed_s(2 * A_MOMENT_S)


def completion(**parts: object) -> Answer:
    return Answer(json.dumps({"id": "c", "object": "chat.completion", "created": 1, "model": "m", **parts}))


def chosen(**message: object) -> Answer:
    message = {"role": "assistant", "content": "x", **message}
    return completion(choices=[{"index": 0, "finish_reason": "stop", "message": message}])


COMPLETIONS: dict[str, Answer] = {
    "calls of no kind": chosen(tool_calls=[{"type": "zz"}] * 60_000),
    "empty calls": chosen(tool_calls=[{}] * 250_000),
    "notes": chosen(annotations=[1] * 300_000),
    "empty choices": completion(choices=[{}] * 250_000),
    "keys nobody knows": completion(choices=[], **{f"k{number}": {} for number in range(80_000)}),
}
STREAMS: dict[str, Answer] = {
    "choices": events({"choices": [{}] * 250_000}),
    "parts of calls": events({"choices": [{"index": 0, "delta": {"tool_calls": [{}] * 250_000}}]}),
    "keys": events({f"k{number}": {} for number in range(80_000)}),
    "tiny events": events(*[{}] * 80_000),
    "parts of calls over many events": events(
        *[{"choices": [{"index": 0, "delta": {"tool_calls": [{"index": 1}] * 200}}]}] * 300
    ),
}


def converse(shared: ChatClient, on_piece: Callable[[object], None] | None) -> object:
    try:
        return shared.converse("Answer.", [ChatTurn("user", "hello")], on_piece=on_piece, stop=NEVER)
    except ModelFailed as fault:
        return fault


@pytest.mark.parametrize(
    ("answer", "on_piece"),
    [*((one, None) for one in COMPLETIONS.values()), *((one, lambda _: None) for one in STREAMS.values())],
    ids=[*COMPLETIONS, *(f"streamed {name}" for name in STREAMS)],
)
def test_a_completion_of_many_parts_keeps_no_other_question_waiting(
    answer: Answer, on_piece: Callable[[object], None] | None
) -> None:
    """Both share one client, so that one busy with a reply would keep the other."""
    with serving(answer, says("hello")) as server:
        shared = client(server.base_url)
        odd = threading.Thread(target=converse, args=(shared, on_piece))
        odd.start()
        while not server.requests:
            time.sleep(0.01)
        began = time.monotonic()
        other = converse(shared, None)
        assert time.monotonic() - began < allowed_s(A_MOMENT_S)
        odd.join(allowed_s(A_MOMENT_S) + DEADLINE_S)
        assert not odd.is_alive()
    assert isinstance(other, ModelReply)
    assert other.text == "hello"


def test_a_long_reply_of_few_parts_is_read_whole_in_both_ways() -> None:
    said = "Deposits rose, in all, by a little, and more. " * 2_000
    for answer, on_piece in ((says(said), None), (events({"choices": [{"delta": {"content": said}}]}), lambda _: None)):
        with serving(answer) as server:
            read = converse(client(server.base_url), on_piece)
        assert isinstance(read, ModelReply)
        assert read.text == said


@pytest.mark.parametrize("status", [200, 400, 500])
def test_a_charset_that_takes_a_minute_to_decode_keeps_no_other_question_waiting(status: int) -> None:
    kind = {"content-type": "application/json; charset=punycode"}
    odd = Answer("x-" + "9" * 500_000, status=status, headers=kind)
    ends = threading.Thread(target=lambda: converse(shared, None))
    with serving(odd, *[says("hello")] * (2 if status == 500 else 1)) as server:
        shared = client(server.base_url)
        ends.start()
        while not server.requests:
            time.sleep(0.01)
        began = time.monotonic()
        other = converse(shared, None)
        assert time.monotonic() - began < allowed_s(A_MOMENT_S)
        ends.join(DEADLINE_S)
        assert not ends.is_alive()
    assert isinstance(other, ModelReply)


@pytest.mark.parametrize("stops", [False, True])
def test_a_caller_leaves_at_its_deadline_or_stop_also_while_the_shared_loop_is_busy(stops: bool) -> None:
    calls, stop, began = CallLoop(nothing), threading.Event(), time.monotonic()

    async def busy() -> None:
        time.sleep(4.0)

    if stops:
        threading.Timer(0.3, stop.set).start()
    with pytest.raises(QueryStopped if stops else TimeoutError):
        calls.run(busy(), timeout_s=30.0 if stops else 0.3, stop=stop)
    assert time.monotonic() - began < 3.0


async def nothing() -> None:
    """There is nothing to give back."""
