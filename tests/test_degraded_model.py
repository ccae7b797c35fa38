"""With a model that drops, invents and forgets, nothing wrong that could be seen is shown as answered."""

from __future__ import annotations

import json
import threading
from contextlib import closing
from dataclasses import replace
from datetime import date

import pytest

from ai_engine.llm.config import LlmConfig
from ai_engine.llm.model import OpenAICompatibleModel
from ai_engine.llm.told_history import intent_as_reply
from ai_engine.semantics.compiler import compile_intent
from backend.evaluation.questions import read_questions
from backend.opening import open_assistant
from backend.settings import PROJECT_ROOT, read_settings
from tests.ai_engine.llm.degraded_model import DegradedModel
from tests.conftest import AS_OF

ASKED = 200
STOP = threading.Event()


@pytest.fixture(scope="module")
def assistant(small_bank):
    settings = read_settings(
        database_url=str(small_bank),
        vocabulary_file=PROJECT_ROOT / "data" / "sample_bank.yaml",
        as_of=date.fromisoformat(AS_OF),
    )
    with closing(open_assistant(settings)) as opened:
        yield opened


def test_nothing_wrong_that_could_be_seen_is_shown_as_answered(assistant):
    vocabulary, intents, statements = assistant.vocabulary, {}, {}
    for one in read_questions(PROJECT_ROOT / "tests" / "questions" / "sample_bank.jsonl"):
        read = assistant.built_in.interpret(one.text, (), vocabulary, stop=STOP) if one.golds else None
        if read is not None and read.intent is not None and len(intents) < ASKED:
            intents[one.text] = json.loads(intent_as_reply(read.intent))
            draft = compile_intent(read.intent, vocabulary.model, vocabulary.catalogue.dialect, vocabulary.as_of)
            statements[one.text] = draft.sql
    assert len(intents) == ASKED
    model = DegradedModel(intents, statements)
    degraded = replace(assistant, model=OpenAICompatibleModel(LlmConfig(api_key=""), assistant.built_in, client=model))
    answers = {question: degraded.ask(question) for question in intents}
    wrong = {}
    for question in model.faults:
        given = answers[question]
        if given.status == "answered" and given.result is not None:
            right = assistant.ask(question).result
            if right is None or sorted(map(str, given.result.rows)) != sorted(map(str, right.rows)):
                wrong[question] = sorted(model.faults[question])
    assert len(model.faults) >= ASKED // 10
    assert wrong == {}
    assert sum(answer.status == "answered" for answer in answers.values()) >= ASKED * 9 // 10
