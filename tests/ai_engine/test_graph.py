from __future__ import annotations

import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest
from langgraph.runtime import Runtime

from ai_engine.errors import DatabaseBusy, DatabaseUnavailable, QueryFailed
from ai_engine.graph import build_graph, should_retry, should_retry_after_execution, should_write_sql
from ai_engine.guard.policy import Policy
from ai_engine.main import ask, stream
from ai_engine.ports import Services
from ai_engine.semantics.intent import Intent, Measure
from ai_engine.state import create_initial_state
from ai_engine.types import (
    Answer,
    CheckedStatement,
    Interpretation,
    Limits,
    QueryResult,
    StepFinished,
    StepStarted,
    Turn,
)
from backend.databases import Database
from tests.ai_engine.built_in.bank import vocabulary
from tests.ai_engine.scripted_model import ScriptedModel, understood

GOOD = "SELECT COUNT(*) AS customers FROM customers"
UNKNOWN_TABLE = "SELECT COUNT(*) FROM custmers"
UNKNOWN_COLUMN = "SELECT balanse FROM accounts"
# Passes the guard, and fails in both engines when it runs.
FAILS_IN_THE_DATABASE = "SELECT ABS(-9223372036854775807 - account_id) AS x FROM accounts"
# Only a bank that allows recursion lets this through, and then it never ends by itself.
ENDLESS = "WITH RECURSIVE r AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM r) SELECT COUNT(*) AS n FROM r"
ALLOWS_RECURSION = Policy(allow_recursive=True, allow_union=True)


def services(model: ScriptedModel, bank: Database, **parts: object) -> Services:
    known = replace(vocabulary(), catalogue=bank.catalogue)
    return Services(model=model, vocabulary=known, runner=bank.runner, **parts)


class CountingRunner:
    """Passes statements on to a real runner and counts them."""

    def __init__(self, runner: object) -> None:
        self._runner = runner
        self.ran: list[str] = []

    def run(self, sql: str, *, max_rows: int, timeout_s: float, stop: threading.Event) -> QueryResult:
        self.ran.append(sql)
        return self._runner.run(sql, max_rows=max_rows, timeout_s=timeout_s, stop=stop)


class FailingRunner:
    """Raises the same fault for every statement."""

    def __init__(self, fault: Exception) -> None:
        self._fault = fault
        self.ran = 0

    def run(self, sql: str, *, max_rows: int, timeout_s: float, stop: threading.Event) -> QueryResult:
        self.ran += 1
        raise self._fault


def eventually(holds: Callable[[], bool], within_s: float = 20.0) -> bool:
    end = time.monotonic() + within_s
    while not holds() and time.monotonic() < end:
        time.sleep(0.02)
    return holds()


# --- the way through ---------------------------------------------------------------------------------------------


def test_a_clean_draft_is_run_once_and_explained(bank):
    model = ScriptedModel(GOOD)
    answer = ask("How many customers?", services=services(model, bank))
    assert (answer.status, answer.error, answer.failures) == ("answered", None, ())
    assert answer.result is not None
    assert answer.result.rows == ((3,),)
    assert answer.summary == "Here it is."
    assert [task.result.rows for task in model.explained] == [((3,),)]
    assert len(model.tasks) == 1


def test_what_the_vocabulary_covers_is_compiled_and_no_model_writes_sql(bank):
    intent = Intent(measures=(Measure(aggregate="count", dataset="customers"),))
    model = ScriptedModel(reading=understood(intent=intent))
    answer = ask("How many customers?", services=services(model, bank))
    assert answer.status == "answered"
    assert answer.result is not None
    assert answer.result.rows == ((3,),)
    assert model.tasks == model.unscripted == []


def test_what_cannot_be_compiled_is_left_to_the_model_with_the_reason(bank):
    intent = Intent(measures=(Measure(aggregate="count", dataset="customers", window=3, transform="rolling_average"),))
    model = ScriptedModel(GOOD, reading=understood(intent=intent))
    assert ask("How many customers?", services=services(model, bank)).status == "answered"
    (failure,) = model.tasks[0].failures
    assert (failure.stage, failure.sql) == ("sql", None)
    assert failure.reason


def test_the_earlier_turns_reach_the_model_oldest_first(bank):
    history = (Turn("one", "One"), Turn("two", "Two"))
    model = ScriptedModel(GOOD)
    ask("three", services=services(model, bank), history=history)
    assert model.asked == [("three", history)]


# --- going back --------------------------------------------------------------------------------------------------


def test_a_refused_draft_goes_back_with_its_sql_the_reason_and_the_nearest_names(bank):
    model = ScriptedModel(UNKNOWN_TABLE, UNKNOWN_COLUMN, GOOD)
    answer = ask("How many customers?", services=services(model, bank))
    assert answer.status == "answered"
    assert [len(task.failures) for task in model.tasks] == [0, 1, 2]
    first, second = model.tasks[2].failures
    assert (first.sql, first.stage, first.error_kind) == (UNKNOWN_TABLE, "validation", "SqlRejected")
    assert "custmers" in first.reason
    assert "customers" in first.reason.replace("custmers", "")
    assert second.sql == UNKNOWN_COLUMN
    assert "balance" in second.reason
    assert answer.failures == (first, second)


def test_a_statement_the_database_refused_goes_back_as_well(bank):
    model = ScriptedModel(FAILS_IN_THE_DATABASE, GOOD)
    answer = ask("How many customers?", services=services(model, bank))
    assert answer.status == "answered"
    (failure,) = model.tasks[1].failures
    assert (failure.stage, failure.error_kind) == ("execution", "QueryFailed")
    assert "ABS" in (failure.sql or "")
    assert "overflow" in failure.reason.lower()


@pytest.mark.parametrize(
    "drafts",
    [
        (UNKNOWN_TABLE, UNKNOWN_TABLE, UNKNOWN_TABLE, GOOD),
        (FAILS_IN_THE_DATABASE, FAILS_IN_THE_DATABASE, FAILS_IN_THE_DATABASE, GOOD),
        (UNKNOWN_TABLE, FAILS_IN_THE_DATABASE, UNKNOWN_COLUMN, GOOD),
    ],
    ids=["refused", "failed", "mixed"],
)
def test_the_sql_step_runs_three_times_whoever_said_no(bank, drafts):
    model = ScriptedModel(*drafts)
    answer = ask("How many customers?", services=services(model, bank))
    assert (answer.status, len(model.tasks), len(answer.failures)) == ("failed", 3, 3)
    assert answer.sql is None
    assert answer.result is None
    assert answer.error == answer.failures[-1].user_message


@pytest.mark.parametrize("max_retries", [0, 1, 4])
def test_the_number_of_retries_is_a_limit_of_the_run(bank, max_retries):
    model = ScriptedModel(*[UNKNOWN_TABLE] * 9)
    ask("How many customers?", services=services(model, bank, limits=Limits(max_retries=max_retries)))
    assert len(model.tasks) == max_retries + 1


@pytest.mark.parametrize("fault", [DatabaseBusy("full"), DatabaseUnavailable("gone")])
def test_a_database_that_cannot_answer_now_is_not_asked_again(bank, fault):
    model, runner = ScriptedModel(GOOD, GOOD), FailingRunner(fault)
    answer = ask("How many customers?", services=replace(services(model, bank), runner=runner))
    assert (answer.status, answer.error_kind, runner.ran) == ("failed", type(fault).__name__, 1)
    assert answer.error == fault.user_message


@pytest.mark.parametrize("outcome", ["clarify", "refused", "about"])
def test_a_question_that_is_not_understood_ends_without_sql(bank, outcome):
    model = ScriptedModel(reading=Interpretation(outcome=outcome, restatement="", reply="Which one?"))
    runner = CountingRunner(bank.runner)
    events = list(stream("what?", services=replace(services(model, bank), runner=runner)))
    assert [event.step for event in events if isinstance(event, StepStarted)] == ["intent_agent"]
    assert (model.tasks, runner.ran) == ([], [])
    assert isinstance(events[-1], Answer)
    assert events[-1].sql is None


# --- where the state leads ---------------------------------------------------------------------------------------

EMPTY = create_initial_state("what?")
STATEMENT = CheckedStatement(GOOD, GOOD, 10)
RESULT = QueryResult(("n",), ("integer",), ((1,),))


def runtime(max_retries: int = 2) -> Runtime[Services]:
    limits = Limits(max_retries=max_retries)
    return Runtime(
        context=Services(model=ScriptedModel(), vocabulary=vocabulary(), runner=FailingRunner(QueryFailed("no")),
                         policy=Policy(), limits=limits)
    )  # fmt: skip


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        ({"validated_sql": GOOD}, "execution_tool"),
        ({"validated_sql": GOOD, "error_message": "no", "retry_count": 3}, "end_failure"),
        ({"error_message": "no", "retry_count": 2}, "sql_agent"),
        ({"error_message": "no", "retry_count": 3}, "end_failure"),
        ({}, "end_failure"),
        ({"validated_sql": ""}, "end_failure"),
    ],
)
def test_after_validation_only_a_clean_statement_runs_and_an_unclear_state_ends(changed, expected):
    assert should_retry({**EMPTY, **changed}, runtime()) == expected


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        ({"execution_result": RESULT}, "insight_agent"),
        ({"execution_result": RESULT, "error_message": "no", "retry_count": 3}, "end_failure"),
        ({"error_message": "no", "retry_count": 1}, "sql_agent"),
        ({"error_message": "no", "retry_count": 3}, "end_failure"),
        ({}, "end_failure"),
    ],
)
def test_after_execution_only_a_result_is_explained_and_an_unclear_state_ends(changed, expected):
    assert should_retry_after_execution({**EMPTY, **changed}, runtime()) == expected


def test_without_an_interpretation_no_sql_is_written():
    assert should_write_sql(EMPTY) == "end"
    assert should_write_sql({**EMPTY, "interpreted_intent": understood()}) == "sql_agent"


# --- many at once ------------------------------------------------------------------------------------------------


def test_64_questions_at_once_on_the_one_graph_do_not_mix(bank):
    assert build_graph() is build_graph()
    questions = {f"question {n}": f"SELECT {n} AS n FROM branches WHERE branch_id = 1" for n in range(64)}
    model = ScriptedModel(by_question=questions)
    shared = services(model, bank)

    def one(question: str) -> Answer:
        return ask(question, services=replace(shared, stop=threading.Event()))

    with ThreadPoolExecutor(64) as threads:
        answers = list(threads.map(one, questions))
    assert [answer.error for answer in answers] == [None] * 64
    assert [answer.question for answer in answers] == list(questions)
    assert [answer.result.rows for answer in answers if answer.result] == [((n,),) for n in range(64)]
    assert all(f" {n} AS n" in " ".join((answer.sql or "").split()) for n, answer in enumerate(answers))
    assert len(model.tasks) == 64


# --- stopping ----------------------------------------------------------------------------------------------------


def test_a_run_that_was_stopped_before_it_began_asks_nobody(bank):
    stop = threading.Event()
    stop.set()
    model, runner = ScriptedModel(GOOD), CountingRunner(bank.runner)
    answer = ask("How many?", services=replace(services(model, bank, stop=stop), runner=runner))
    assert (answer.status, answer.error_kind) == ("failed", "QueryStopped")
    assert (model.asked, runner.ran) == ([], [])


def test_a_stop_ends_the_statement_that_runs_and_nothing_is_tried_again(bank):
    before = threading.active_count()
    stop = threading.Event()
    model = ScriptedModel(ENDLESS, GOOD)
    events = []
    for event in stream("endless", services=services(model, bank, stop=stop, policy=ALLOWS_RECURSION)):
        events.append(event)
        if isinstance(event, StepStarted) and event.step == "execution_tool":
            threading.Timer(0.3, stop.set).start()
    answer = events[-1]
    assert isinstance(answer, Answer)
    assert (answer.status, answer.error_kind) == ("failed", "QueryStopped")
    assert len(model.tasks) == 1
    assert_nothing_is_left(bank, before)


def test_a_statement_past_its_time_is_ended_in_the_database(bank):
    before = threading.active_count()
    model = ScriptedModel(ENDLESS)
    limits = Limits(timeout_s=0.5, max_retries=0)
    answer = ask("endless", services=services(model, bank, limits=limits, policy=ALLOWS_RECURSION))
    assert (answer.status, answer.error_kind) == ("failed", "QueryTimedOut")
    assert answer.failures[0].stage == "execution"
    assert "0.5 s" in answer.failures[0].reason
    assert_nothing_is_left(bank, before)


def assert_nothing_is_left(bank: Database, threads_before: int) -> None:
    """The bank has one worker: it answers again only when the statement before is gone."""
    assert eventually(lambda: not [thread for thread in threading.enumerate() if thread.name == "query"])
    assert eventually(lambda: threading.active_count() <= threads_before)
    found = bank.runner.run("SELECT 1 AS one", max_rows=1, timeout_s=5, stop=threading.Event())
    assert found.rows == ((1,),)


# --- what is told ------------------------------------------------------------------------------------------------


def test_each_step_is_told_as_it_starts_and_ends_with_its_attempt(bank):
    model = ScriptedModel(UNKNOWN_TABLE, GOOD)
    events = list(stream("How many customers?", services=services(model, bank)))
    told = [(type(event), event.step, event.attempt) for event in events[:-1]]
    steps = [
        ("intent_agent", 1), ("sql_agent", 1), ("validation_agent", 1), ("sql_agent", 2), ("validation_agent", 2),
        ("execution_tool", 1), ("insight_agent", 1),
    ]  # fmt: skip
    assert told == [(kind, *step) for step in steps for kind in (StepStarted, StepFinished)]
    assert isinstance(events[-1], Answer)
    failed = [(event.step, event.attempt) for event in events if isinstance(event, StepFinished) and event.failed]
    assert failed == [("validation_agent", 1)]
    assert "custmers" in next(event.note for event in events if isinstance(event, StepFinished) and event.failed)


def test_the_time_of_every_step_adds_up_over_its_attempts(bank):
    answer = ask("How many customers?", services=services(ScriptedModel(UNKNOWN_TABLE, GOOD), bank))
    parts = {"intent", "sql", "validation", "execution", "insight"}
    assert set(answer.timings_ms) == parts | {"total"}
    assert all(answer.timings_ms[part] > 0 for part in parts)
    assert sum(answer.timings_ms[part] for part in parts) <= answer.timings_ms["total"]


# --- how much is fetched -----------------------------------------------------------------------------------------


def test_a_list_that_is_cut_off_is_counted_in_full(bank):
    few = Policy(max_rows=2, default_limit_rows=1)
    answer = ask("?", services=services(ScriptedModel("SELECT segment FROM customers ORDER BY 1"), bank, policy=few))
    assert (answer.result.row_count, answer.result.truncated, answer.result.total_rows) == (2, True, 3)
    assert answer.assumptions == ("The first 2 of 3 rows were fetched. Narrow the question to see the rest.",)


def test_a_list_that_is_all_there_knows_its_total_without_a_count(bank):
    runner = CountingRunner(bank.runner)
    known = services(ScriptedModel("SELECT segment FROM customers"), bank, policy=Policy(default_limit_rows=1))
    answer = ask("?", services=replace(known, runner=runner))
    assert (answer.result.row_count, answer.result.total_rows, len(runner.ran)) == (3, 3, 1)


def test_groups_are_cut_by_their_own_bound_alone_and_it_is_said(bank):
    sql = "SELECT customer_id, COUNT(*) AS n FROM accounts GROUP BY customer_id"
    whole = ask("?", services=services(ScriptedModel(sql), bank, policy=Policy(max_rows=1, default_limit_rows=1)))
    assert not whole.result.truncated
    assert whole.result.row_count > 1
    cut = ask("?", services=services(ScriptedModel(sql), bank, policy=Policy(max_groups=2)))
    assert (cut.result.row_count, cut.result.total_rows) == (2, None)
    assert cut.assumptions == ("The first 2 groups were fetched; there are more. Narrow the question to see the rest.",)
