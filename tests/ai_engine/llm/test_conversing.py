"""Conversations with a real service on loopback: text, tool calls, pieces, stops."""

from __future__ import annotations

import threading
import time

import pytest

from ai_engine.conversation import ChatTurn, Piece, ToolCall, ToolSpec
from ai_engine.errors import ModelFailed, ModelUnavailable, QueryStopped
from tests.ai_engine.llm.server import Silence, chunks, events, fails, says, serving
from tests.ai_engine.llm.test_client import NEVER, client

WEATHER = ToolSpec("get_weather", "Get weather", {"type": "object", "properties": {}, "required": []})
TURNS = [ChatTurn("user", "Hi")]


def test_a_reply_comes_whole_with_the_turns_in_the_words_of_the_protocol():
    with serving(says("Hello")) as server:
        earlier = [
            *TURNS,
            ChatTurn("assistant", calls=(ToolCall("c1", "get_weather", "{}"),)),
            ChatTurn("tool", "55", call_id="c1"),
        ]
        reply = client(server).converse("Be kind.", earlier, [WEATHER], stop=NEVER)
    assert reply.text == "Hello"
    request = server.requests[0]
    assert [turn["role"] for turn in request["messages"]] == ["system", "user", "assistant", "tool"]
    assert request["messages"][2]["tool_calls"][0]["function"] == {"name": "get_weather", "arguments": "{}"}
    assert request["messages"][3]["tool_call_id"] == "c1"
    assert request["tools"][0]["function"]["name"] == "get_weather"
    assert "response_format" not in request


def test_pieces_come_as_they_are_and_calls_are_put_together():
    call = {"index": 0, "id": "c1", "type": "function", "function": {"name": "get_weather", "arguments": '{"a"'}}
    rest = {"index": 0, "function": {"arguments": ": 1}"}}
    answer = chunks({"content": "I'd"}, {"content": " be"}, {"tool_calls": [call]}, {"tool_calls": [rest]})
    pieces: list[Piece] = []
    with serving(answer) as server:
        reply = client(server).converse("s", TURNS, [WEATHER], on_piece=pieces.append, stop=NEVER)
    assert [piece.text for piece in pieces] == ["I'd", " be"]
    assert reply.text == "I'd be"
    assert reply.calls == (ToolCall("c1", "get_weather", '{"a": 1}'),)
    assert (reply.input_tokens, reply.output_tokens) == (5, 2)


def test_what_is_no_part_of_a_reply_says_nothing_in_a_stream():
    call = {"index": 0, "id": "c1", "type": "function", "function": {"name": "get_weather", "arguments": "{}"}}
    odd = [{"choices": choices} for choices in ([None], 5, {}, "x", [5], [{"delta": "x"}], [{"delta": None}], [[]])]
    odd += [{"choices": [{"delta": {"content": content}}]} for content in (5, [], {}, True, "\ud83d")]
    odd += [{"choices": [{"delta": {"tool_calls": calls}}]} for calls in (5, [5], [{"index": []}], [{"index": None}])]
    odd += [{"choices": [{"delta": {"tool_calls": [{"index": 0, "function": what}]}}]} for what in (5, {"name": 5})]
    odd += [{"choices": [], "usage": usage} for usage in (5, "x", {"prompt_tokens": "many", "completion_tokens": 0.5})]
    odd += [{"choices": [], "usage": {"prompt_tokens": -5, "completion_tokens": 10**30}}]
    answer = events(*odd, {"choices": [{"delta": {"content": "ok", "tool_calls": [call]}}]})
    with serving(answer) as server:
        reply = client(server).converse("s", TURNS, [WEATHER], on_piece=lambda _: None, stop=NEVER)
    assert (reply.text, reply.calls) == ("ok", (ToolCall("c1", "get_weather", "{}"),))
    assert reply.input_tokens == 0
    assert reply.output_tokens < 10**9


@pytest.mark.parametrize("event", ["{not json", "[1, 2]", '"x"', "null", "5", "[" * 200_000])
def test_a_stream_that_cannot_be_read_is_a_fault_of_the_model(event):
    with serving(events(event)) as server, pytest.raises(ModelFailed):
        client(server).converse("s", TURNS, on_piece=lambda _: None, stop=NEVER)


def test_a_service_that_cannot_count_while_it_streams_is_asked_without():
    with serving(fails(400, "what is stream_options?"), chunks({"content": "ok"}, usage=False)) as server:
        assert client(server).converse("s", TURNS, on_piece=lambda _: None, stop=NEVER).text == "ok"
    assert "stream_options" in server.requests[0]
    assert "stream_options" not in server.requests[1]


def test_passing_faults_are_waited_out_and_an_empty_reply_is_a_fault():
    with serving(fails(503), says("ok")) as server:
        assert client(server).converse("s", TURNS, stop=NEVER).text == "ok"
    with serving(says("")) as server, pytest.raises(ModelFailed, match="empty"):
        client(server).converse("s", TURNS, stop=NEVER)
    with serving(fails(500), fails(500), fails(500)) as server, pytest.raises(ModelUnavailable):
        client(server).converse("s", TURNS, stop=NEVER)


def test_a_stop_ends_a_conversation_at_once():
    stop = threading.Event()
    silence = Silence()
    threading.Timer(0.1, stop.set).start()
    started = time.monotonic()
    with pytest.raises(QueryStopped):
        client(silence, timeout_s=30).converse("s", TURNS, on_piece=lambda _: None, stop=stop)
    assert time.monotonic() - started < 10


def test_a_reply_without_end_is_left():
    with serving(chunks(*[{"content": "x" * 1_000}] * 100)) as server, pytest.raises(ModelFailed, match="longer"):
        client(server, max_reply_kb=16).converse("s", TURNS, on_piece=lambda _: None, stop=NEVER)
