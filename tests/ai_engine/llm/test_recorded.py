from __future__ import annotations

import threading

import pytest
from pydantic import BaseModel

from ai_engine.conversation import ChatTurn, ModelReply, ToolCall
from ai_engine.errors import ModelFailed, ModelUnavailable, QueryStopped
from ai_engine.llm.client import ChatClient
from ai_engine.llm.config import LlmConfig
from ai_engine.llm.recorded import RecordedReply, ReplayedModel
from ai_engine.prompts.loader import Messages
from tests.ai_engine.llm.server import calls_tools, says, serving

NEVER = threading.Event()
WARM = Messages("Name a colour.", "The question:\n\n~~~question\na warm\none?\n~~~")


class Colour(BaseModel):
    name: str


def kept(*replies, question="a warm\none?"):
    return ReplayedModel(RecordedReply("Colour", question, reply) for reply in replies)


def ask(model, messages=WARM, make=lambda reply: reply.name, stop=NEVER):
    return model.ask(messages, Colour, make, stop=stop)


def test_what_was_recorded_is_replayed():
    recorded = []
    with serving(says("?"), says({"name": "red"})) as server:
        config = LlmConfig(api_key="", base_url=server.base_url, model="m")
        assert ask(ChatClient(config, on_reply=recorded.append)) == "red"
    assert recorded == [RecordedReply("Colour", "a warm\none?", reply) for reply in ("?", '{"name": "red"}')]
    assert ask(ReplayedModel(recorded)) == "red"


def test_a_conversation_is_replayed_with_its_calls():
    recorded, pieces = [], []
    called = ModelReply(calls=(ToolCall("1", "weather", '{"city": "Pune"}'),))
    turns = [ChatTurn("user", "Weather?")]
    after = [*turns, ChatTurn("assistant", calls=called.calls), ChatTurn("tool", "dry", call_id="1")]
    with serving(calls_tools(*called.calls), says("Dry.")) as server:
        client = ChatClient(LlmConfig(api_key="", base_url=server.base_url, model="m"), on_reply=recorded.append)
        said = [client.converse("s", one, stop=NEVER) for one in (turns, after)]
    model = ReplayedModel(recorded)
    assert [model.converse("s", one, on_piece=pieces.append, stop=NEVER) for one in (turns, after)] == said
    assert [said[0].calls, said[1].text, pieces[1].text] == [called.calls, "Dry.", "Dry."]
    with pytest.raises(ModelUnavailable, match="no ModelReply is recorded"):
        model.converse("s", [ChatTurn("user", "Rates?")], stop=NEVER)


def test_the_last_reply_is_given_again():
    model = kept('{"name": "red"}', '{"name": "blue"}')
    assert [ask(model), ask(model), ask(model)] == ["red", "blue", "blue"]


def test_a_request_without_a_question_is_known_by_what_it_says():
    recorded, plain = [], Messages("Name a colour.", "warm")
    with serving(says({"name": "red"})) as server:
        config = LlmConfig(api_key="", base_url=server.base_url, model="m")
        ask(ChatClient(config, on_reply=recorded.append), plain)
    assert ask(ReplayedModel(recorded), plain) == "red"
    with pytest.raises(ModelUnavailable, match="no Colour is recorded"):
        ask(ReplayedModel(recorded), Messages("Name a colour.", "cold"))


def test_a_recorded_reply_that_is_unusable_fails_as_it_did():
    with pytest.raises(ModelFailed, match="after one repair"):
        ask(kept("?"))


def test_a_stopped_question_is_not_replayed():
    stop = threading.Event()
    stop.set()
    with pytest.raises(QueryStopped):
        ask(kept('{"name": "red"}'), stop=stop)


def test_repairs_and_what_is_hard_go_to_the_strong_model():
    with serving(says("?"), says({"name": "red"}), says({"name": "blue"})) as server:
        config = LlmConfig(api_key="", base_url=server.base_url, model="fast", strong_model="strong")
        client = ChatClient(config)
        ask(client)
        client.ask(WARM, Colour, lambda reply: reply.name, stop=NEVER, strong=True)
    assert [request["model"] for request in server.requests] == ["fast", "strong", "strong"]
