"""A settled reading runs through the same steps as its question, and no model is asked."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from ai_engine.semantics.intent import Condition, FieldRef, Intent, Measure
from ai_engine.types import Answer, ResultReady, StepFinished, StepStarted, StillWorking
from backend.evaluation.questions import read_questions
from backend.opening import open_assistant
from backend.service import Assistant
from backend.settings import Settings
from tests.backend.test_service import ENDLESS
from tests.conftest import AS_OF
from tests.test_questions import FOLDER

QUESTIONS = [question.text for question in read_questions(FOLDER / "sample_bank.jsonl")][::14]
DEPOSITS = "total deposits by branch"


class NeverAsked:
    """A language model that fails whoever asks it."""

    name = "never asked"

    def __getattr__(self, asked: str) -> Any:
        raise AssertionError(f"the language model was asked to {asked}")


@pytest.fixture(scope="module")
def assistant(small_bank: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Assistant]:
    settings = Settings(
        database_url=str(small_bank), cache_dir=tmp_path_factory.mktemp("cache"), as_of=date.fromisoformat(AS_OF),
        database_workers=1,
    )  # fmt: skip
    opened = open_assistant(settings)
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def silent(assistant: Assistant) -> Assistant:
    """The same with a language model that may not be asked."""
    return replace(assistant, model=NeverAsked(), chat=object())


def told(answer: Answer) -> dict[str, Any]:
    """All that a person sees of an answer, without how long it took."""
    names = (
        "status", "sql", "columns", "headline", "summary", "chart", "restatement", "intent", "period", "scope",
        "things", "trust", "error",
    )  # fmt: skip
    seen = {name: getattr(answer, name) for name in names}
    return seen | {"rows": sorted(answer.result.rows, key=repr) if answer.result else None}


@pytest.mark.parametrize("question", QUESTIONS)
def test_a_reading_runs_again_to_the_same_answer(question: str, assistant: Assistant, silent: Assistant):
    asked = assistant.ask(question)
    if asked.intent is None or asked.status != "answered":
        return
    again = silent.run_again(asked.intent, question=question, assumptions=asked.assumptions)
    assert told(again) == told(asked)
    assert again.assumptions == asked.assumptions
    assert again.model == "built-in"


def test_a_statement_runs_as_it_is_given_and_is_shown_canonical(silent: Assistant):
    answer = silent.run_again("select count(*) as accounts from accounts", question="my accounts")
    assert (answer.status, answer.trust, answer.question) == ("answered", "given SQL", "my accounts")
    assert answer.sql == "SELECT\n  COUNT(*) AS accounts\nFROM accounts\nLIMIT 100"
    assert answer.result.row_count == 1
    assert answer.headline
    assert (answer.intent, answer.restatement, answer.stands_alone) == (None, "", False)


def test_a_statement_s_chart_and_headline_are_made_by_rule_from_its_rows(silent: Assistant):
    asked = silent.run_again("SELECT account_type, COUNT(*) AS n FROM accounts GROUP BY 1", question="accounts by type")
    assert asked.chart in ("bar", "horizontal_bar", "pie")
    assert asked.headline


@pytest.mark.parametrize(
    ("sql", "reason", "part", "place"),
    [
        ("DELETE FROM accounts", "only SELECT may run", "DELETE", None),
        ("SELECT balanc FROM accounts", "nearest: balance", "balanc", None),
        ("SELECT pan_number FROM customers", "pan_number", "pan_number", None),
        ("SELECT balance,\n  FRM accounts WHERE", "syntax error at line 2", "", (2, 16)),
        ("", "there is no statement", "", None),
        ("SELECT 'unclosed", "a quote or a comment is not closed", "SELECT 'unclosed", None),
    ],
)
def test_a_refused_statement_comes_back_with_the_guard_s_reason_and_its_place(
    sql: str, reason: str, part: str, place: tuple[int, int] | None, silent: Assistant
):
    answer = silent.run_again(sql, question="mine")
    assert (answer.status, answer.error_kind, answer.sql, answer.result) == ("failed", "SqlRejected", None, None)
    assert reason in answer.error
    (failure,) = answer.failures
    assert (failure.sql, failure.stage, failure.place) == (sql, "validation", place)
    assert part in failure.part


def test_what_the_database_refuses_is_told_and_no_other_statement_is_tried(silent: Assistant):
    answer = silent.run_again("SELECT CAST(first_name AS INTEGER) AS n FROM customers", question="mine")
    assert (answer.status, len(answer.failures)) == ("failed", 1)
    assert answer.failures[0].stage == "execution"


@pytest.mark.parametrize(
    "reading",
    [
        Intent(measures=(Measure(aggregate="count", dataset="ghosts"),)),
        Intent(subject="accounts", columns=(FieldRef(dataset="accounts", field="ghost"),)),
        Intent(filters=(Condition(field=FieldRef(dataset="ghosts", field="x"), operator="is null"),)),
    ],
)
def test_a_reading_of_which_the_vocabulary_knows_nothing_any_more_is_told_so(reading: Intent, silent: Assistant):
    answer = silent.run_again(reading, question="mine")
    assert (answer.status, answer.error_kind) == ("failed", "IntentNotCovered")
    assert "no longer" in answer.error


def test_the_stream_tells_the_steps_from_the_sql_on_and_the_answer_last(assistant: Assistant, silent: Assistant):
    intent = assistant.ask(DEPOSITS).intent
    for reading, steps in ((intent, 4), ("SELECT COUNT(*) AS n FROM loans", 3)):
        events = [
            event
            for event in silent.stream_again(reading, question="x")
            if not isinstance(event, (StillWorking, ResultReady))
        ]
        assert [type(event) for event in events] == [*[StepStarted, StepFinished] * steps, Answer]


def test_a_stop_ends_it(assistant: Assistant, silent: Assistant):
    intent = assistant.ask(DEPOSITS).intent
    stop = threading.Event()
    stop.set()
    answer = silent.run_again(intent, question="x", stop=stop)
    assert (answer.status, answer.error_kind) == ("failed", "QueryStopped")


def test_the_deadline_ends_it(silent: Assistant):
    hurried = replace(
        silent,
        limits=replace(silent.limits, timeout_s=0.3),
        policy=replace(silent.policy, allow_union=True, allow_recursive=True),
    )
    answer = hurried.run_again(ENDLESS, question="x")
    assert (answer.status, answer.error_kind) == ("failed", "QueryTimedOut")


def test_a_name_longer_than_a_question_may_be_is_cut(assistant: Assistant, silent: Assistant):
    intent = assistant.ask(DEPOSITS).intent
    answer = silent.run_again(intent, question="x" * 10_000)
    assert (answer.status, len(answer.question)) == ("answered", silent.limits.max_question_chars)


def test_the_answer_says_of_which_one_its_reading_was_made(assistant: Assistant, silent: Assistant):
    asked = assistant.ask(DEPOSITS)
    *_, answer = silent.stream_again(asked.intent, question="x", derived_from=asked.question_id)
    assert (answer.derived_from, asked.derived_from) == (asked.question_id, "")
