from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest

from ai_engine.built_in import BuiltInModel
from ai_engine.errors import BadConfiguration, BadVocabulary, QueryStopped, SqlRejected
from ai_engine.llm.model import OpenAICompatibleModel
from ai_engine.semantics.model import Dataset, Field, SemanticModel
from ai_engine.semantics.osi import dump_vocabulary
from ai_engine.types import Answer, StepFinished, StepStarted, StillWorking
from backend import opening
from backend.opening import open_assistant
from backend.service import Assistant
from backend.settings import Settings
from backend.vocabulary import reading as vocabulary
from tests.ai_engine.built_in.bank import MODEL
from tests.ai_engine.scripted_model import ScriptedModel, exchange, understood, write_bank

ENDLESS = "WITH RECURSIVE r AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM r) SELECT COUNT(*) AS n FROM r"


@pytest.fixture(scope="module")
def bank_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The small bank with its vocabulary beside it."""
    file = write_bank(tmp_path_factory.mktemp("service") / "bank.duckdb")
    file.with_suffix(".yaml").write_text(dump_vocabulary(MODEL), encoding="utf-8")
    return file


@pytest.fixture
def bare_file(tmp_path: Path) -> Path:
    """The small bank without a vocabulary."""
    return write_bank(tmp_path / "bare.sqlite")


@contextmanager
def opened(file: Path | str, tmp_path: Path, **options: object) -> Iterator[Assistant]:
    settings = Settings(
        database_url=str(file), cache_dir=tmp_path / "cache", database_workers=1, database_memory_mb=512, **options
    )
    assistant = open_assistant(settings)
    try:
        yield assistant
    finally:
        assistant.close()


@pytest.fixture(scope="module")
def assistant(bank_file: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Assistant]:
    with opened(bank_file, tmp_path_factory.mktemp("shared"), as_of=date(2026, 11, 21)) as shared:
        yield shared


def eventually(holds: Callable[[], bool], within_s: float = 10.0) -> bool:
    end = time.monotonic() + within_s
    while not holds() and time.monotonic() < end:
        time.sleep(0.02)
    return holds()


def threads_named(name: str) -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread.name == name]


# --- the vocabulary ----------------------------------------------------------------------------------------------


def test_the_vocabulary_beside_the_file_is_found(assistant):
    assert (assistant.vocabulary.model.name, assistant.vocabulary.model.inferred) == ("hand-made bank", False)
    answer = assistant.ask("How many clients by gender?")
    assert answer.result is not None
    assert sorted(answer.result.rows) == [("Female", 2), ("Male", 1)]


def test_without_a_file_the_vocabulary_is_inferred(bare_file, tmp_path):
    with opened(bare_file, tmp_path) as inferred:
        assert inferred.vocabulary.model.inferred
        answer = inferred.ask("How many customers are there?")
        assert answer.result is not None
        assert answer.result.rows == ((3,),)


def test_a_named_file_comes_before_the_one_beside_the_database(bank_file, tmp_path):
    other = tmp_path / "other.yaml"
    other.write_text(dump_vocabulary(replace(MODEL, name="other bank")), encoding="utf-8")
    with opened(bank_file, tmp_path, vocabulary_file=other) as found:
        assert found.vocabulary.model.name == "other bank"


def test_a_vocabulary_file_that_is_missing_is_named(bank_file, tmp_path):
    with (
        pytest.raises(BadConfiguration, match=r"none\.yaml cannot be read"),
        opened(bank_file, tmp_path, vocabulary_file=tmp_path / "none.yaml"),
    ):
        pass


def test_a_vocabulary_that_does_not_fit_closes_the_database_again(bank_file, tmp_path):
    broken = tmp_path / "broken.yaml"
    broken.write_text(dump_vocabulary(MODEL).replace("source: loans", "source: lones"), encoding="utf-8")
    before = threading.active_count()
    with pytest.raises(BadVocabulary, match="lones"), opened(bank_file, tmp_path, vocabulary_file=broken):
        pass
    assert eventually(lambda: threading.active_count() <= before)


@pytest.mark.parametrize("url", ["nonsense://x", "duckdb:////no/such/bank.duckdb", "bank.txt", ""])
def test_a_wrong_database_url_says_what_is_wrong(url, tmp_path):
    with pytest.raises(BadConfiguration) as caught, opened(url, tmp_path):
        pass
    assert caught.value.user_message == str(caught.value) != ""


def test_the_values_of_the_data_are_learnt_for_questions(assistant):
    answer = assistant.ask("Balance of account AC1001")
    assert answer.result is not None
    assert [float(row[0]) for row in answer.result.rows] == [150_000.25]


# --- the day it is -----------------------------------------------------------------------------------------------


def test_the_setting_decides_the_day(assistant):
    assert assistant.vocabulary.as_of == date(2026, 11, 21)


@pytest.mark.parametrize(
    ("field", "expected"), [("accounts.opened_on", date(2026, 10, 3)), ("transactions.posted_at", date(2026, 11, 1))]
)
def test_else_the_data_say_the_day(bank_file, tmp_path, field, expected):
    dated = tmp_path / "dated.yaml"
    dated.write_text(dump_vocabulary(replace(MODEL, as_of=field)), encoding="utf-8")
    with opened(bank_file, tmp_path, vocabulary_file=dated) as found:
        assert found.vocabulary.as_of == expected
    with opened(bank_file, tmp_path, vocabulary_file=dated, as_of=date(2020, 2, 29)) as found:
        assert found.vocabulary.as_of == date(2020, 2, 29)


class _Day(date):
    @classmethod
    def today(cls) -> date:
        return date(2031, 5, 4)


def test_else_it_is_today(bank_file, tmp_path, monkeypatch):
    monkeypatch.setattr(vocabulary, "date", _Day)
    with opened(bank_file, tmp_path) as found:
        assert found.vocabulary.as_of == date(2031, 5, 4)


# --- what may be read --------------------------------------------------------------------------------------------


def test_a_sensitive_column_may_not_be_read_by_anybody(assistant):
    for sql in ("SELECT email FROM customers", "SELECT full_name FROM customers WHERE email = 'a@x'"):
        with pytest.raises(SqlRejected, match="email"):
            assistant.check(sql)
    assert assistant.check("SELECT full_name FROM customers").sql
    assert assistant.ask("show the emails of customers").status == "refused"


@pytest.mark.parametrize("source", ["Customers", "main.customers"])
def test_a_sensitive_field_hides_every_column_it_is_made_of(tmp_path, source):
    """However the table is written, and although another dataset shows the same table."""
    file = write_bank(tmp_path / "bank.duckdb")
    mail = Field("mail", "LOWER(Email)", "text", "text", "mail", sensitive=True)
    born = Field("born", "date_of_birth", "date", "time", "birth", sensitive=True)
    model = SemanticModel("bank", (Dataset("a", source, (mail,), "person"), Dataset("b", "customers", (born,), "man")))
    file.with_suffix(".yaml").write_text(dump_vocabulary(model), encoding="utf-8")
    with opened(file, tmp_path) as found:
        for column in ("email", "date_of_birth"):
            with pytest.raises(SqlRejected, match=rf"(?i){column}"):
                found.check(f"SELECT {column} FROM customers")
        assert found.check("SELECT full_name FROM customers").sql


def test_limits_and_switches_of_the_settings_reach_the_run(bank_file, tmp_path):
    options = {
        "query_timeout_s": 7, "max_rows": 11, "default_limit_rows": 5, "max_retries": 1, "max_question_chars": 99,
        "allow_union": True,
    }  # fmt: skip
    with opened(bank_file, tmp_path, **options) as found:
        limits, policy = found.limits, found.policy
        assert (limits.timeout_s, limits.max_rows, limits.default_limit_rows) == (7, 11, 5)
        assert (limits.max_retries, limits.max_question_chars) == (1, 99)
        assert (policy.max_rows, policy.default_limit_rows, policy.allow_union) == (11, 5, True)
        _, result = found.run_statement("SELECT a.account_id FROM accounts AS a")
        assert result.row_count == 3


def test_an_analyst_s_own_statement_runs_under_the_same_guard(assistant):
    statement, result = assistant.run_statement("SELECT COUNT(*) AS n FROM loans")
    assert result.rows == ((2,),)
    assert "loans" in statement.sql
    with pytest.raises(SqlRejected):
        assistant.run_statement("DELETE FROM loans")


def test_an_analyst_s_own_statement_can_be_stopped(assistant):
    stop = threading.Event()
    threading.Timer(0.3, stop.set).start()
    free = replace(assistant, policy=replace(assistant.policy, allow_recursive=True, allow_union=True))
    with pytest.raises(QueryStopped):
        free.run_statement(ENDLESS, stop)


# --- the model ---------------------------------------------------------------------------------------------------


def test_without_a_key_the_built_in_model_answers(assistant):
    assert isinstance(assistant.model, BuiltInModel)


@pytest.mark.parametrize(
    "options",
    [{"openai_api_key": "sk-secret"}, {"openai_base_url": "http://127.0.0.1:9/v1"}],
)
def test_with_a_key_or_an_address_the_language_model_does(bank_file, tmp_path, options):
    with opened(bank_file, tmp_path, model="a-model", **options) as found:
        assert isinstance(found.model, OpenAICompatibleModel)
        assert found.model.name == "a-model"
        assert "sk-secret" not in repr(found)


@pytest.mark.parametrize("options", [{}, {"openai_base_url": "http://127.0.0.1:9/v1"}])
def test_every_example_is_answered_also_without_a_vocabulary_file(bare_file, tmp_path, options):
    with opened(bare_file, tmp_path, **options) as found:
        assert len(found.examples) > 2
        by_rule = replace(found, model=found.built_in)
        assert {example: by_rule.ask(example).status for example in found.examples} == dict.fromkeys(
            found.examples, "answered"
        )


# --- the stream --------------------------------------------------------------------------------------------------


def test_the_stream_tells_the_steps_in_order_and_the_answer_last(assistant):
    events = [event for event in assistant.stream("How many loans?") if not isinstance(event, StillWorking)]
    assert [type(event) for event in events] == [*[StepStarted, StepFinished] * 5, Answer]
    assert events[-1].result.rows == ((2,),)
    assert eventually(lambda: not threads_named("question"))


def endless(assistant: Assistant) -> Assistant:
    policy = replace(assistant.policy, allow_recursive=True, allow_union=True)
    return replace(assistant, policy=policy, model=ScriptedModel(ENDLESS, reading=understood()))


def test_a_long_statement_is_told_to_be_still_running(assistant):
    events = endless(assistant).stream("endless")
    beats = []
    for event in events:
        if isinstance(event, StillWorking):
            beats.append(event.elapsed_ms)
        if len(beats) == 3:
            break
    events.close()
    assert beats == sorted(beats)
    assert beats[0] > 0


def test_closing_the_stream_stops_the_run_and_its_statement(assistant):
    events = endless(assistant).stream("endless")
    for event in events:
        if isinstance(event, StepStarted) and event.step == "execution_tool":
            break
    events.close()
    assert eventually(lambda: not threads_named("question") and not threads_named("query"))
    _, result = assistant.run_statement("SELECT COUNT(*) AS n FROM loans")
    assert result.rows == ((2,),)


def test_a_stop_given_to_a_question_ends_it(assistant):
    stop = threading.Event()
    stop.set()
    answer = assistant.ask("How many loans?", stop=stop)
    assert (answer.status, answer.error_kind) == ("failed", "QueryStopped")


# --- the plain function ------------------------------------------------------------------------------------------


@pytest.fixture
def fresh_default() -> Iterator[None]:
    opening.shared_sources.close()
    yield
    opening.shared_sources.close()


def test_the_plain_function_answers_from_the_database_of_the_environment(fresh_default, bank_file, monkeypatch):
    monkeypatch.setenv("BANK_DATABASE_URL", str(bank_file))
    found = opening.run_banking_assistant("How many loans?", verbose=False)
    assert (found["error"], found["execution_result"]["row_count"]) == (None, 1)
    assert opening.default_assistant() is opening.default_assistant()


@pytest.mark.parametrize("name", ["bank.duckdb", "bank.sqlite"])
def test_an_exchanged_file_is_opened_anew_for_the_next_question(fresh_default, tmp_path, monkeypatch, name):
    file = write_bank(tmp_path / name)
    monkeypatch.setenv("BANK_DATABASE_URL", str(file))
    first = opening.default_assistant()
    assert first.ask("How many branches?").result.rows == ((4,),)
    exchange(file, "CREATE TABLE lockers (locker_id INTEGER PRIMARY KEY, branch_id INTEGER)")
    assert "Ask again" in first.ask("How many branches?").error
    second = opening.default_assistant()
    assert second is not first
    assert second.vocabulary.catalogue.table("lockers") is not None
    assert second.ask("How many lockers?").result.rows == ((0,),)
    exchange(file, "INSERT INTO lockers VALUES (1, 1)")
    third = opening.default_assistant()
    assert third.ask("How many lockers?").result.rows == ((1,),)
    assert opening.default_assistant() is third


def test_rows_that_a_live_writer_adds_are_read_without_opening_anew(fresh_default, tmp_path, monkeypatch):
    file = write_bank(tmp_path / "bank.sqlite")
    monkeypatch.setenv("BANK_DATABASE_URL", str(file))
    first = opening.default_assistant()
    with closing(sqlite3.connect(file)) as writer:
        writer.execute("DELETE FROM branches WHERE branch_id = 4")
        writer.commit()
    assert opening.default_assistant() is first
    assert first.ask("How many branches?").result.rows == ((3,),)


def test_a_file_that_is_gone_or_spoilt_keeps_the_assistant_until_it_is_back(fresh_default, tmp_path, monkeypatch):
    file = write_bank(tmp_path / "bank.duckdb")
    monkeypatch.setenv("BANK_DATABASE_URL", str(file))
    first = opening.default_assistant()
    content = file.read_bytes()
    file.unlink()
    assert opening.default_assistant() is first
    assert first.ask("How many branches?").error_kind == "DatabaseUnavailable"
    file.write_bytes(b"no database")
    with pytest.raises(BadConfiguration):
        opening.default_assistant()
    file.write_bytes(content)
    assert opening.default_assistant().ask("How many branches?").result.rows == ((4,),)


@pytest.mark.parametrize(
    ("name", "value"),
    [("BANK_DATABASE_URL", "/no/such/bank.duckdb"), ("BANK_MAX_ROWS", "many"), ("BANK_DATABASE_URL", "nonsense://x")],
)
def test_the_plain_function_says_what_is_configured_wrong(fresh_default, monkeypatch, name, value):
    monkeypatch.setenv(name, value)
    found = opening.run_banking_assistant("How many loans?", verbose=False)
    assert set(found) == {"validated_sql", "execution_result", "summary", "chart_suggestion", "error"}
    assert found["error"]
    assert found["execution_result"] is None


def test_the_plain_function_raises_nothing_whatever_happens(fresh_default, monkeypatch):
    def broken() -> Assistant:
        raise ZeroDivisionError("a bug")

    monkeypatch.setattr(opening, "default_assistant", broken)
    found = opening.run_banking_assistant("How many loans?", verbose=False)
    assert found["error"] == "The assistant could not be started."
    monkeypatch.undo()


def test_people_take_turns_at_the_database_whoever_asked_first(bank_file, tmp_path):
    """The one worker is taken by somebody else; who asks travels from the question to the queue."""
    with opened(bank_file, tmp_path, database_queue_per_person=1, database_queue_size=2) as assistant:
        stop, answers = threading.Event(), {}

        begun = threading.Event()

        def take() -> None:
            with suppress(QueryStopped):
                begun.set()
                assistant.database.runner.run(ENDLESS, max_rows=1, timeout_s=30, stop=stop)

        taken = threading.Thread(target=take)

        def ask(person: str, name: str) -> threading.Thread:
            thread = threading.Thread(
                target=lambda: answers.setdefault(name, assistant.ask("How many customers are there?", who=person))
            )
            thread.start()
            return thread

        with closing_thread(taken, stop):
            assert begun.wait(20)
            time.sleep(0.5)  # a place that is free is taken at once
            waiting = [ask("asha", "first")]
            assert eventually(lambda: assistant.database.load.waiting == 1)
            ask("asha", "second").join(20)
            assert "your own" in answers["second"].error
            waiting.append(ask("vikram", "his"))
            assert eventually(lambda: assistant.database.load.waiting == 2)
        for thread in waiting:
            thread.join(20)
        assert [answers[name].status for name in ("first", "his")] == ["answered"] * 2


@contextmanager
def closing_thread(thread: threading.Thread, stop: threading.Event) -> Iterator[None]:
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join(20)
