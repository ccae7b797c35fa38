"""What a figure rests on, the other reading, and the buttons of those who may verify."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import date
from decimal import Decimal
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from ai_engine.model_use import ModelCall
from ai_engine.semantics.osi import dump_vocabulary
from ai_engine.types import OtherReading
from backend.opening import open_assistant
from backend.service import Assistant
from backend.settings import read_settings
from pages import session
from tests.ai_engine.built_in.bank import MODEL
from tests.ai_engine.scripted_model import write_bank
from tests.pages import scripted
from tests.pages.test_screen import APP, ask, labels, words

QUESTION = "How many customers are there?"


@pytest.fixture(params=["*", None])
def assistant(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Assistant]:
    file = write_bank(tmp_path / "bank.sqlite")
    file.with_suffix(".yaml").write_text(dump_vocabulary(MODEL), encoding="utf-8")
    opened = open_assistant(
        read_settings(
            database_url=str(file), store_url=f"sqlite:///{tmp_path / 'store.sqlite'}", cache_dir=tmp_path,
            database_workers=1, as_of=date(2026, 11, 21), verifiers=request.param,
        )
    )  # fmt: skip
    monkeypatch.setattr(session, "get_assistant", lambda: opened)
    yield opened
    opened.close()


@pytest.fixture
def screen(assistant: Assistant) -> AppTest:
    return AppTest.from_file(APP, default_timeout=60).run()


def test_who_is_permitted_marks_an_answer_as_verified_and_retracts_it(screen: AppTest, assistant: Assistant):
    ask(screen, QUESTION)
    assert "Compiled: " in words(screen)
    if not assistant.settings.verifiers:
        assert "Mark as verified" not in labels(screen)
        return
    screen.button(key="verify_0").click().run()
    assert "Verified." in words(screen)
    assert "Mark as verified" not in labels(screen)
    ask(screen, "Count the customers")
    assert assistant.verified.listed()[0].answer.question == QUESTION
    assert "Verified by local on " in words(screen)
    screen.button(key="retract_1").click().run()
    assert "Retracted." in words(screen)
    assert [one.state for one in assistant.verified.listed()] == ["retracted"]
    assert not screen.exception


@pytest.mark.parametrize("assistant", ["*"], indirect=True)
def test_what_was_told_of_one_answer_stands_beside_no_other_that_comes_into_its_place(screen: AppTest):
    ask(screen, QUESTION)
    screen.button(key="verify_0").click().run()
    assert "Verified." in words(screen)
    screen.button(key="forget").click().run()
    ask(screen, "Count the accounts")
    assert "Verified." not in words(screen)
    assert "Mark as verified" in labels(screen)
    screen.button(key="forget").click().run()
    screen.button(key="unforget").click().run()
    assert not screen.exception


@pytest.mark.parametrize("assistant", ["*"], indirect=True)
def test_what_cannot_be_kept_is_told_beside_the_answer(screen: AppTest, assistant: Assistant):
    ask(screen, QUESTION)
    assistant.verified.permissions = replace(assistant.verified.permissions, names=None)
    screen.button(key="verify_0").click().run()
    assert assistant.verified.listed() == []


def test_another_reading_is_one_click_away(monkeypatch: pytest.MonkeyPatch):
    def differing(question: str):
        answer = scripted.ANSWERS["Total deposits by branch"](question)
        other = OtherReading("Number of <b>deposits</b> by branch", "SELECT 1 AS x", answer.result, answer.columns)
        return replace(answer, trust="compiled", other_reading=other)

    monkeypatch.setitem(scripted.ANSWERS, "differing", differing)
    monkeypatch.setattr(session, "get_assistant", scripted.ScriptedAssistant)
    screen = AppTest.from_file(APP, default_timeout=60).run()
    ask(screen, "differing")
    assert not screen.exception
    assert "Read another way, the rows differ" in [one.label for one in screen.expander]
    assert "Understood as: Number of &lt;b&gt;deposits&lt;/b&gt; by branch" in words(screen)
    assert "SELECT 1 AS x" in [code.value for code in screen.code]


@pytest.mark.parametrize("readers", ["asha, local", "asha", None])
def test_tokens_are_told_to_all_and_the_words_of_each_call_to_those_permitted(readers, monkeypatch: pytest.MonkeyPatch):
    calls = tuple(
        ModelCall("m", shape, 1_200, 80, 810.0, Decimal("0.0005"), "[user]\nHow many?", '{"outcome": "query"}')
        for shape in ("IntentReply", "InsightReply")
    )
    question = "Total deposits by branch"
    answer = replace(scripted.ANSWERS[question](question), model_calls=calls)
    monkeypatch.setitem(scripted.ANSWERS, question, lambda _: answer)
    shown = scripted.ScriptedAssistant(settings=read_settings(prompt_readers=readers))
    monkeypatch.setattr(session, "get_assistant", lambda: shown)
    screen = AppTest.from_file(APP, default_timeout=60).run()
    ask(screen, question)
    assert not screen.exception
    assert "1,620 ms, 2,400 + 160 tokens, 0.001000 US dollars" in words(screen)
    assert ("[user]\nHow many?" in [code.value for code in screen.code]) == bool(readers and "local" in readers)


def test_free_sql_says_that_the_reading_is_the_models_own(monkeypatch: pytest.MonkeyPatch):
    question = "Total deposits by branch"
    answer = replace(scripted.ANSWERS[question](question), trust="free SQL")
    monkeypatch.setitem(scripted.ANSWERS, question, lambda _: answer)
    monkeypatch.setattr(session, "get_assistant", scripted.ScriptedAssistant)
    screen = AppTest.from_file(APP, default_timeout=60).run()
    ask(screen, question)
    assert "said itself how the question was understood" in words(screen)
