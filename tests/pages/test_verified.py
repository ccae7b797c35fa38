"""The page of verified answers: approving, withdrawing, running again, and the last day."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from ai_engine.errors import CannotVerify
from ai_engine.semantics.osi import dump_vocabulary
from ai_engine.types import Answer
from backend.opening import open_assistant
from backend.service import Assistant
from backend.settings import read_settings
from pages import session
from tests.ai_engine.built_in.bank import MODEL
from tests.ai_engine.scripted_model import write_bank
from tests.pages.test_screen import APP, labels, words

QUESTION = "How many punters frobnicate?"
TODAY = datetime.now(UTC).date()


@pytest.fixture(params=["asha, local"])
def assistant(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> Iterator[Assistant]:
    file = write_bank(tmp_path / "bank.sqlite")
    file.with_suffix(".yaml").write_text(dump_vocabulary(MODEL), encoding="utf-8")
    opened = open_assistant(
        read_settings(
            database_url=str(file), store_url=f"sqlite:///{tmp_path / 'store.sqlite'}", cache_dir=tmp_path,
            database_workers=1, as_of=date(2026, 11, 21), verifiers=request.param, verified_by_two=True,
            verified_days=30,
        )
    )  # fmt: skip
    monkeypatch.setattr(session, "get_assistant", lambda: opened)
    yield opened
    opened.close()


def saved(assistant: Assistant, question: str = QUESTION, **more) -> str:
    sql = "SELECT COUNT(*) AS people FROM customers WHERE segment = 'Retail'"
    answer = Answer(question, "answered", "", restatement=question, sql=sql)
    return assistant.verified.verify(answer, "asha", **more).answer.id


def page() -> AppTest:
    return AppTest.from_file(APP, default_timeout=60).run().switch_page("pages/verified.py").run()


def test_what_waits_is_approved_run_again_and_withdrawn_with_a_reason(assistant: Assistant):
    name = saved(assistant)
    screen = page()
    assert not screen.exception
    assert "for 30 days" in words(screen)
    screen.button(key=f"approve_{name}").click().run()
    assert assistant.ask(QUESTION).trust == "verified"
    screen.segmented_control(key="verified_section").set_value("In use").run()
    screen.button(key=f"again_{name}").click().run()
    assert "Ran again: the same rows as were checked." in words(screen)
    screen.button(key=f"end_{name}").click().run()
    assert "Say why" in words(screen)
    screen.text_input(key=f"why_{name}").set_value("retail is not all")
    screen.button(key=f"end_{name}").click().run()
    assert "Withdrawn: it is used nowhere any more." in words(screen)
    assert "None here" in words(screen)
    screen.segmented_control(key="verified_section").set_value("Withdrawn").run()
    assert "retracted by local: retail is not all" in words(screen)
    assert assistant.ask(QUESTION).status == "refused"


@pytest.mark.parametrize("assistant", ["asha"], indirect=True)
def test_who_may_not_verify_reads_and_does_nothing(assistant: Assistant):
    saved(assistant)
    screen = page()
    assert "You may read them" in words(screen)
    assert not {"Approve", "Run again", "Withdraw for everybody"} & set(labels(screen))
    assert "Said of answers" not in screen.segmented_control(key="verified_section").options


def test_an_answer_is_not_used_after_its_last_day_until_somebody_lets_it(assistant: Assistant):
    book = assistant.verified
    name = saved(assistant)
    book.confirm(name, "local")
    (kept,) = book.listed()
    assert kept.expires_on == TODAY + timedelta(days=30)
    with assistant.store.get().writing() as on:
        on.exec_driver_sql(f"UPDATE verified_answers SET expires_on = '{TODAY - timedelta(days=1)}'")
    assert assistant.ask(QUESTION).status == "refused"
    assert book.listed()[0].has_expired
    assert book.exported() == ()
    book.extend(name, TODAY, "local")
    assert assistant.ask(QUESTION).trust == "verified"
    with pytest.raises(CannotVerify):
        book.extend(name, TODAY - timedelta(days=1), "local")
    with pytest.raises(CannotVerify):
        saved(assistant, expires_on=TODAY - timedelta(days=1))


def test_rows_that_have_changed_are_told(assistant: Assistant):
    name = saved(assistant)
    with assistant.store.get().writing() as on:
        on.exec_driver_sql("UPDATE verified_answers SET result_hash = 'other'")
    assert assistant.verified.ran_again(name, "asha") == "changed"
    assistant.verified.extend(name, TODAY, "local")
    assert assistant.verified.ran_again(name, "asha") == "same"


def test_what_people_said_is_listed_and_dealt_with(assistant: Assistant):
    answer = assistant.ask("How many customers are there?")
    assistant.feedback.say(answer, "wrong", "staff are <b>not</b> customers", "vikram")
    screen = page()
    screen.segmented_control(key="verified_section").set_value("Said of answers").run()
    assert "staff are &lt;b&gt;not&lt;/b&gt; customers" in words(screen)
    (button,) = [one for one in screen.button if one.label == "Dealt with"]
    button.click().run()
    assert "Nothing to look at" in words(screen)
