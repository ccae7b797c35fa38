"""What an answer says of the language model that was asked for it: calls, tokens, cost, words, and time."""

from __future__ import annotations

import threading
from datetime import date
from decimal import Decimal
from pathlib import Path

import pytest

from ai_engine.agents.reading import BUDGET_SPENT
from ai_engine.errors import BadConfiguration, ModelUnavailable
from ai_engine.llm.client import ChatClient
from ai_engine.llm.config import LlmConfig
from ai_engine.model_use import ModelUse, model_use
from ai_engine.prompts.loader import Messages
from backend.api.errors import http_status_of
from backend.api.models import response_of
from backend.configuration.model_prices import read_prices
from backend.opening import open_assistant
from backend.settings import read_settings
from tests.ai_engine.llm.server import says, serving, silent
from tests.ai_engine.llm.test_client import Colour

READ = {
    "outcome": "query",
    "restatement": "Number of customers",
    "intent": {"measures": [{"aggregate": "count", "dataset": "customers"}]},
}
TOLD = {"summary": "There are customers.", "chart": "metric"}
NEVER = threading.Event()


def answered(bank: Path, tmp_path: Path, **options):
    with serving(says(READ), says(TOLD)) as server:
        settings = read_settings(
            database_url=f"duckdb:///{bank}", cache_dir=tmp_path, openai_base_url=server.base_url, model="m",
            as_of=date(2026, 11, 21), store_url=f"sqlite:///{tmp_path / 'store.sqlite'}", **options,
        )  # fmt: skip
        assistant = open_assistant(settings)
        try:
            return assistant.ask("How many customers do we have?")
        finally:
            assistant.close()


def test_an_answer_says_what_its_calls_took_and_cost(small_bank: Path, tmp_path: Path):
    answer = answered(small_bank, tmp_path, model_prices_usd="m=2/8, other=1/1")
    assert answer.status == "answered", answer.error
    assert [(call.model, call.shape) for call in answer.model_calls] == [("m", "IntentReply"), ("m", "InsightReply")]
    assert {call.prompt + call.reply for call in answer.model_calls} == {""}
    use = response_of(answer).model_use
    assert (use.calls, use.input_tokens, use.output_tokens, use.cost_usd) == (2, 2, 2, 20e-6)


def test_words_are_kept_only_where_somebody_may_read_them_and_cost_only_by_a_price(small_bank: Path, tmp_path: Path):
    answer = answered(small_bank, tmp_path, prompt_readers="asha")
    first = answer.model_calls[0]
    assert first.prompt.startswith("[system]\n")
    assert "[user]\n" in first.prompt
    assert "How many customers do we have?" in first.prompt
    assert '"Number of customers"' in first.reply
    assert response_of(answer).model_use.cost_usd is None


def test_all_calls_of_a_question_share_its_time():
    use = ModelUse(0.3)
    model_use.set(use)
    with silent() as silence:
        client = ChatClient(LlmConfig(api_key="", base_url=silence.base_url, model="m", timeout_s=30))
        with pytest.raises(ModelUnavailable, match=r"no answer within 0\.3 s"):
            client.ask(Messages("s", "u"), Colour, lambda reply: reply, stop=NEVER)
    assert use.left_s == 0
    with serving() as server, pytest.raises(ModelUnavailable, match=r"within 0\.3 s"):
        client = ChatClient(LlmConfig(api_key="", base_url=server.base_url, model="m", timeout_s=30))
        client.ask(Messages("s", "u"), Colour, lambda reply: reply, stop=NEVER)
    assert server.requests == []
    model_use.set(None)


def test_over_the_days_budget_the_built_in_reader_goes_on_and_says_so(small_bank: Path, tmp_path: Path):
    with serving(says(READ), says(TOLD), says(READ), says(TOLD)) as server:
        settings = read_settings(
            database_url=f"duckdb:///{small_bank}", cache_dir=tmp_path, openai_base_url=server.base_url,
            as_of=date(2026, 11, 21), store_url=f"sqlite:///{tmp_path / 'store.sqlite'}", model_max_tokens_per_day=4,
        )  # fmt: skip
        assistant = open_assistant(settings)
        try:
            first = assistant.ask("How many customers do we have?", who="asha")
            over = assistant.ask("How many customers do we have?", who="asha")
            lost = assistant.ask("Why is the sky so florbly?", who="asha")
            other = assistant.ask("How many customers do we have?", who="vikram")
        finally:
            assistant.close()
    assert (first.model, other.model) == (assistant.model.name, assistant.model.name)
    assert (over.status, over.model, over.model_calls) == ("answered", "built-in", ())
    assert over.assumptions[0] == BUDGET_SPENT
    assert (lost.status, lost.error) == ("failed", "Your budget for the language model is used up for today.")
    assert http_status_of(lost.error_kind) == 429


def test_prices_are_read_and_a_wrong_one_is_named():
    assert read_prices("a=0.15/0.60, b:7=1/2") == {
        "a": (Decimal("0.15"), Decimal("0.60")), "b:7": (Decimal(1), Decimal(2)),
    }  # fmt: skip
    assert read_prices(None) == {}
    with pytest.raises(BadConfiguration, match=r"'a=1' is not MODEL=PRICE/PRICE"):
        read_settings(model_prices_usd="a=1")
