from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest

from ai_engine.errors import BadQuestion, CannotVerify, NotPermitted, SqlRejected
from ai_engine.semantics.model import VerifiedQuestion
from ai_engine.semantics.osi import dump_vocabulary, load_vocabulary
from ai_engine.types import Answer
from backend.opening import open_assistant
from backend.service import Assistant
from backend.settings import PROJECT_ROOT, Settings, read_settings
from tests.ai_engine.built_in.bank import MODEL
from tests.ai_engine.scripted_model import write_bank

QUESTION = "How many customers are there?"
UNREADABLE = "How many punters frobnicate?"
RETAIL = "SELECT COUNT(*) AS people FROM customers WHERE segment = 'Retail'"


@pytest.fixture
def bank_file(tmp_path: Path) -> Path:
    file = write_bank(tmp_path / "bank.sqlite")
    file.with_suffix(".yaml").write_text(dump_vocabulary(MODEL), encoding="utf-8")
    return file


@pytest.fixture
def settings(bank_file: Path, store_url: str, tmp_path: Path) -> Settings:
    return read_settings(
        database_url=str(bank_file), store_url=store_url, cache_dir=tmp_path / "cache", database_workers=1,
        database_memory_mb=512, verifiers="asha, vikram", as_of=date(2026, 11, 21),
    )  # fmt: skip


@pytest.fixture
def assistant(settings: Settings) -> Iterator[Assistant]:
    opened = open_assistant(settings)
    yield opened
    opened.close()


def by_hand(question: str = UNREADABLE, sql: str = RETAIL) -> Answer:
    return Answer(question, "answered", "", restatement=question, sql=sql)


def test_an_answer_is_used_again_once_it_is_verified_and_no_longer_once_it_is_retracted(assistant: Assistant):
    assert assistant.ask(UNREADABLE).status == "refused"
    kept = assistant.verified.verify(by_hand(), "asha")
    answer = assistant.ask("how many punters frobnicate")
    assert (answer.status, answer.trust, answer.result.rows) == ("answered", "verified", ((2,),))
    assert (answer.verified.saved_by, answer.verified.id) == ("asha", kept.answer.id)
    assistant.verified.retract(kept.answer.id, "vikram", "retail is not all")
    assert assistant.ask(UNREADABLE).status == "refused"
    (listed,) = assistant.verified.listed()
    assert (listed.state, listed.ended_by, listed.reason) == ("retracted", "vikram", "retail is not all")


def test_what_one_process_retracts_no_other_uses_again(assistant: Assistant, settings: Settings, tmp_path: Path):
    kept = assistant.verified.verify(by_hand(), "asha")
    assert assistant.ask(UNREADABLE).trust == "verified"
    environment = {
        **os.environ, "BANK_STORE_URL": settings.store_url, "BANK_VERIFIERS": "asha",
        "BANK_CACHE_DIR": str(settings.cache_dir),
    }  # fmt: skip
    command = [
        sys.executable, "-m", "backend.cli", "verified", "retract", kept.answer.id, "--who", "asha", "--database",
        settings.database_url,
    ]  # fmt: skip
    done = subprocess.run(command, cwd=PROJECT_ROOT, env=environment, capture_output=True, timeout=90, check=False)
    assert done.returncode == 0, done.stderr.decode()
    assert assistant.ask(UNREADABLE).status == "refused"


def test_another_wording_with_the_same_reading_is_verified_too(assistant: Assistant):
    assistant.verified.verify(assistant.ask(QUESTION), "asha")
    for wording in (QUESTION, "Count the customers", "number of customers"):
        assert assistant.ask(wording).trust == "verified"
    answer = assistant.ask("How many customers are there?")
    assert answer.columns[0].unit == "count"
    assert assistant.ask("How many premium customers are there?").trust == "compiled"


def test_words_that_are_counted_from_today_are_not_answered_with_the_days_of_then(assistant: Assistant, settings):
    question = "Number of transactions last month"
    first = assistant.ask(question)
    assert first.result.rows == ((2,),)
    assistant.verified.verify(first, "asha")
    assert assistant.ask(question).trust == "verified"
    later = open_assistant(settings.model_copy(update={"as_of": date(2026, 12, 21)}))
    answer = later.ask(question)
    assert (answer.trust, answer.result.rows) == ("compiled", ((1,),))
    assert later.ask("Number of transactions in October 2026").trust == "verified"
    later.close()


def test_a_question_of_a_conversation_is_known_by_its_reading_alone(assistant: Assistant):
    answer = replace(by_hand("and those?"), stands_alone=False)
    assistant.verified.verify(answer, "asha")
    assert assistant.ask("and those?").status == "refused"


@pytest.mark.parametrize(
    ("change", "holds"),
    [
        ("ALTER TABLE customers RENAME COLUMN segment TO kind", False),
        ("ALTER TABLE customers ADD COLUMN shoe_size INTEGER", True),
        ("ALTER TABLE loans ADD COLUMN note VARCHAR(10)", True),
    ],
)
def test_an_answer_whose_tables_have_changed_is_withdrawn(
    settings: Settings, bank_file: Path, change: str, holds: bool
):
    first = open_assistant(settings)
    first.verified.verify(by_hand(), "asha")
    first.close()
    bank_file.with_suffix(".yaml").unlink()
    with closing(sqlite3.connect(bank_file)) as writer:
        writer.execute(change)
        writer.commit()
    second = open_assistant(settings)
    assert (second.ask(UNREADABLE).trust == "verified") is holds
    (listed,) = second.verified.listed()
    assert listed.state == ("verified" if holds else "withdrawn")
    assert bool(listed.reason) is not holds
    second.close()


def test_a_second_person_confirms_where_two_are_asked_for(settings: Settings):
    careful = open_assistant(settings.model_copy(update={"verified_by_two": True}))
    kept = careful.verified.verify(by_hand(), "asha")
    assert kept.state == "waiting"
    assert careful.ask(UNREADABLE).status == "refused"
    with pytest.raises(NotPermitted):
        careful.verified.confirm(kept.answer.id, "asha")
    careful.verified.confirm(kept.answer.id, "vikram")
    answer = careful.ask(UNREADABLE)
    assert (answer.trust, answer.verified.confirmed_by) == ("verified", "vikram")
    with pytest.raises(CannotVerify):
        careful.verified.confirm(kept.answer.id, "vikram")
    careful.close()


def test_only_those_whom_the_setting_names_may_verify(assistant: Assistant, settings: Settings):
    book = assistant.verified
    with pytest.raises(NotPermitted):
        book.verify(by_hand(), "mallory")
    kept = book.verify(by_hand(), "asha")
    with pytest.raises(NotPermitted):
        book.retract(kept.answer.id, "")
    assert assistant.ask(UNREADABLE).trust == "verified"
    nobody = open_assistant(settings.model_copy(update={"verifiers": None}))
    with pytest.raises(NotPermitted):
        nobody.verified.verify(by_hand(), "asha")
    nobody.close()
    everybody = open_assistant(settings.model_copy(update={"verifiers": "*"}))
    everybody.verified.retract(kept.answer.id, "local")
    everybody.close()


def test_a_statement_must_pass_the_guard_and_run_before_it_is_kept(assistant: Assistant):
    for sql in ("DELETE FROM customers", "SELECT 1 AS x FROM nowhere"):
        with pytest.raises(SqlRejected):
            assistant.verified.verify(by_hand(sql=sql), "asha")
    with pytest.raises(CannotVerify):
        assistant.verified.verify(assistant.ask(UNREADABLE), "asha")
    assert assistant.verified.listed() == []


def test_a_newer_answer_to_the_same_takes_the_place_of_the_older(assistant: Assistant):
    assistant.verified.verify(by_hand(), "asha")
    assistant.verified.verify(by_hand(sql="SELECT COUNT(*) AS people FROM customers"), "vikram")
    assert assistant.ask(UNREADABLE).result.rows == ((3,),)
    assert sorted(one.state for one in assistant.verified.listed()) == ["retracted", "verified"]


def test_a_statement_that_is_not_that_of_its_intent_is_kept_without_it(assistant: Assistant):
    answer = replace(assistant.ask(QUESTION), sql=RETAIL, restatement="Retail customers")
    kept = assistant.verified.verify(answer, "asha")
    assert kept.answer.intent is None
    assert kept.reading_key == "Retail customers"


def test_similar_questions_are_given_best_first_and_within_the_bound(assistant: Assistant, settings: Settings):
    for question in ("Total balance by account type", QUESTION, "Number of loans by loan type"):
        assistant.verified.verify(assistant.ask(question), "asha")
    near = assistant.verified.near("Average balance by account type")
    assert near[0].question == "Total balance by account type"
    assert assistant.verified.near("frobnicate") == ()
    short = open_assistant(settings.model_copy(update={"verified_max_tokens": 10}))
    assert short.verified.near("Average balance by account type") == ()
    short.close()


def test_what_is_verified_travels_with_the_vocabulary(assistant: Assistant, settings: Settings, tmp_path: Path):
    assistant.verified.verify(assistant.ask(QUESTION), "asha")
    assistant.verified.verify(by_hand(), "asha")
    gone = assistant.verified.verify(by_hand("Who frobnicates?"), "asha")
    assistant.verified.retract(gone.answer.id, "asha")
    written = dump_vocabulary(replace(MODEL, verified_questions=assistant.verified.exported()))
    read = load_vocabulary(written, assistant.vocabulary.catalogue).verified_questions
    assert {one.question for one in read} == {QUESTION, UNREADABLE}
    elsewhere = open_assistant(settings.model_copy(update={"store_url": f"sqlite:///{tmp_path / 'other.sqlite'}"}))
    kept, faults = elsewhere.verified.take_over((*read, VerifiedQuestion("bad", "DROP TABLE customers")), "asha")
    assert (len(kept), len(faults)) == (2, 1)
    assert faults[0].startswith("bad: ")
    assert elsewhere.ask("Count the customers").trust == "verified"
    assert elsewhere.ask(UNREADABLE).trust == "verified"
    elsewhere.close()


def test_what_is_verified_about_one_bank_says_nothing_of_another(
    assistant: Assistant, settings: Settings, tmp_path: Path
):
    assistant.verified.verify(by_hand(), "asha")
    other = write_bank(tmp_path / "other_bank.sqlite")
    second = open_assistant(settings.model_copy(update={"database_url": str(other)}))
    assert second.ask(UNREADABLE).status == "refused"
    assert second.verified.listed() == []
    second.close()


def test_a_store_that_is_away_makes_no_question_fail(settings: Settings, caplog: pytest.LogCaptureFixture):
    lost = open_assistant(settings.model_copy(update={"store_url": "postgresql://nobody@127.0.0.1:9/store"}))
    assert lost.ask(QUESTION).status == "answered"
    assert "verified answers cannot be looked up" in caplog.text
    lost.close()


def test_an_empty_question_is_still_an_empty_question(assistant: Assistant):
    assert assistant.ask("  ").error_kind == BadQuestion.__name__
