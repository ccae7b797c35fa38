"""A service that repeats in its error what it was sent puts no question into the log."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Iterator
from typing import Any

import pytest

from ai_engine.errors import ModelFailed
from ai_engine.llm.client import ChatClient
from ai_engine.llm.config import LlmConfig
from ai_engine.routing.classifier import ModelClassifier
from ai_engine.routing.squad import AgentSquad
from ai_engine.routing.word_classifier import WordClassifier
from tests.ai_engine.llm.server import Answer, ChatServer, fails

QUESTION = "What is the balance of Asha Rao, card 4111111111111111?"


class Echoing(ChatServer):
    def next_answer(self, request: dict[str, Any], key: str | None) -> Answer:
        self.requests.append(request)
        return fails(418, f"cannot process: {request['messages'][-1]['content'][-150:]}")


@pytest.fixture
def model() -> Iterator[ChatClient]:
    with Echoing(()) as serving:
        threading.Thread(target=serving.serve_forever, daemon=True).start()
        yield ChatClient(LlmConfig(api_key="k", base_url=serving.base_url))
        serving.shutdown()


def test_words_that_decide_in_its_place_say_in_the_log_what_kind_of_fault_it_was(model: ChatClient, caplog):
    caplog.set_level(logging.INFO)
    classifier = ModelClassifier(model, fallback=WordClassifier())
    assert asyncio.run(classifier.classify(QUESTION, [], {})).selected_agent is None
    assert "the classifier's model failed, words decide: ModelFailed" in caplog.text
    assert "Asha" not in caplog.text
    assert "4111" not in caplog.text


def test_so_does_every_attempt_that_is_made_again(model: ChatClient, caplog):
    caplog.set_level(logging.INFO)
    squad = AgentSquad({"MAX_RETRIES": 2}, classifier=ModelClassifier(model))
    with pytest.raises(ModelFailed):
        asyncio.run(squad._classify(QUESTION, []))
    assert "attempt 1 at a classification failed: ModelFailed" in caplog.text
    assert "Asha" not in caplog.text
    assert "4111" not in caplog.text
