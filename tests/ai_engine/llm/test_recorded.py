from __future__ import annotations

import threading

import pytest
from pydantic import BaseModel

from ai_engine.errors import ModelFailed, ModelUnavailable, QueryStopped
from ai_engine.llm.client import ChatClient
from ai_engine.llm.config import LlmConfig
from ai_engine.llm.recorded import RecordedReply, ReplayedModel
from ai_engine.prompts.loader import Messages
from tests.ai_engine.llm.server import says, serving

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
