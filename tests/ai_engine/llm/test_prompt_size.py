"""How long the request is that has a question read: what is sent with each question decides what it costs.

Counted in characters, since the tokenizer depends on the model: 4.1 of them are a token of cl100k, 3.7 one of Gemma 3,
which takes each digit for a token.
"""

from __future__ import annotations

import json
import re
import threading
from dataclasses import replace
from pathlib import Path

import pytest

from ai_engine.llm.config import LlmConfig
from ai_engine.llm.model import OpenAICompatibleModel
from ai_engine.llm.recorded import ReplayedModel
from ai_engine.llm.replies import IntentReply
from ai_engine.llm.schema_text import reply_schema
from ai_engine.prompts.loader import Messages
from ai_engine.semantics.values import ValueIndex
from ai_engine.semantics.vocabulary import Vocabulary
from backend.opening import open_assistant
from backend.settings import PROJECT_ROOT, read_settings

SIX = frozenset({"branches", "customers", "accounts", "transactions", "loans", "cards"})
MOST_CHARS = 13_000  # 3,500 tokens of Gemma 3
QUESTIONS = PROJECT_ROOT / "tests" / "questions" / "sample_bank.jsonl"
EVERY_NTH = 8
SCHEMA = json.dumps(reply_schema(IntentReply, strict=False), separators=(",", ":"))


class Asked(ReplayedModel):
    """Replies nothing, and keeps what it was asked."""

    def __init__(self) -> None:
        super().__init__(())
        self.messages: list[Messages] = []

    def ask(self, messages, shape, make, **options):
        self.messages.append(messages)
        return super().ask(messages, shape, make, **options)


@pytest.fixture(scope="module")
def six_tables(small_bank: Path, tmp_path_factory: pytest.TempPathFactory) -> Vocabulary:
    """The six main tables of the sample bank with all that its vocabulary file says of them, 32 metrics too."""
    settings = read_settings(database_url=str(small_bank), cache_dir=tmp_path_factory.mktemp("cache"))
    assistant = open_assistant(settings)
    known = assistant.vocabulary
    assistant.close()
    datasets = {dataset.name for dataset in known.model.datasets}
    model = replace(
        known.model,
        datasets=tuple(one for one in known.model.datasets if one.name in SIX),
        relationships=tuple(one for one in known.model.relationships if {one.from_dataset, one.to_dataset} <= SIX),
        metrics=tuple(
            one for one in known.model.metrics if datasets.intersection(re.findall(r"(\w+)\.", one.expression)) <= SIX
        ),
    )
    values = tuple(one for one in known.values.columns if one.dataset in SIX)
    return replace(known, model=model, values=ValueIndex(values, model))


def requests(vocabulary: Vocabulary) -> list[Messages]:
    client = Asked()
    model = OpenAICompatibleModel(LlmConfig(api_key=""), client=client)
    for line in QUESTIONS.read_text(encoding="utf-8").splitlines()[::EVERY_NTH]:
        with pytest.raises(Exception, match="no IntentReply is recorded"):
            model.interpret(json.loads(line)["question"], (), vocabulary, stop=threading.Event())
    return client.messages


def test_prompt_and_schema_stay_short_on_six_tables_with_a_vocabulary_of_their_own(six_tables: Vocabulary):
    sizes = sorted(len(one.system) + len(one.user) + len(SCHEMA) for one in requests(six_tables))
    assert len(six_tables.model.metrics) > 28
    assert sizes[len(sizes) * 95 // 100] <= MOST_CHARS


def test_requests_are_alike_down_to_what_belongs_to_the_question(six_tables: Vocabulary):
    starts = {one.system + one.user.partition("Metrics close to the question")[0] for one in requests(six_tables)}
    (start,) = starts
    assert " metrics: total_deposits, casa_deposits, casa_ratio" in start


def test_metrics_close_to_the_question_are_defined_and_others_are_named(six_tables: Vocabulary):
    client = Asked()
    model = OpenAICompatibleModel(LlmConfig(api_key=""), client=client)
    with pytest.raises(Exception, match="no IntentReply is recorded"):
        model.interpret("CASA ratio by branch", (), six_tables, stop=threading.Event())
    told = client.messages[0].user
    assert "metric casa_ratio, percent = 100.0 * SUM(balance where account_type IN ('Savings', 'Current'))" in told
    assert "transaction_failure_rate" in told
    assert "metric transaction_failure_rate" not in told
