"""The sql agent on a real file: one event per attempt, four attempts, and a table that is typed."""

from __future__ import annotations

import asyncio
import threading
import time
from dataclasses import replace
from datetime import UTC, datetime
from decimal import Decimal

import pytest

from ai_engine.agent import AgentRequest, AgentResult, AgentRun, TraceEvent, TraceEventType
from ai_engine.agent_call import Caller, call_agent
from ai_engine.built_in import BuiltInModel
from ai_engine.guard.policy import Policy
from ai_engine.ports import AssistantModel, QueryRunner, Services
from ai_engine.specialists.sql import SqlAgent
from ai_engine.types import Interpretation, QueryResult, ScanEstimate
from backend.databases import Database
from tests.ai_engine.built_in.bank import vocabulary
from tests.ai_engine.scripted_agents import SQL_WORDS, ScriptedChat
from tests.ai_engine.scripted_model import ScriptedModel
from tests.patience import allowed_s

# Only a bank that allows recursion lets this through, and then it never ends by itself.
ENDLESS = "WITH RECURSIVE r AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM r) SELECT COUNT(*) AS n FROM r"
ALLOWS_RECURSION = Policy(allow_recursive=True, allow_union=True)
GOOD = "SELECT loan_type, SUM(principal) AS total FROM loans GROUP BY loan_type ORDER BY total DESC"


def services(model: AssistantModel, bank: Database) -> Services:
    return Services(model=model, vocabulary=replace(vocabulary(), catalogue=bank.catalogue), runner=bank.runner)


def ask(model: AssistantModel, bank: Database, question: str = "loans", **given: object) -> AgentResult:
    caller = Caller(question, lambda event: None, threading.Event(), services={Services: services(model, bank)})
    return asyncio.run(call_agent(SqlAgent(), AgentRequest(question=question), (), caller, timeout_s=20))


def told(result: AgentResult, kind: TraceEventType) -> list[TraceEvent]:
    return [event for event in result.trace if event.event_type is kind]


def test_it_has_the_documented_words():
    assert SqlAgent().capabilities.keywords == SQL_WORDS


def test_the_rows_come_as_the_database_has_them(bank: Database):
    result = ask(ScriptedModel(GOOD), bank)
    assert result.tabular.columns == ["loan_type", "total"]
    assert [row["loan_type"] for row in result.tabular.rows] == ["Home Loan", "Gold Loan"]
    assert all(isinstance(row["total"], (Decimal, float, int)) for row in result.tabular.rows)
    (tool,) = told(result, TraceEventType.TOOL)
    assert (tool.data["attempt"], tool.data["row_count"]) == (1, 2)
    assert tool.data["latency_ms"] > 0
    assert "FROM loans" in tool.data["query"]
    (end,) = told(result, TraceEventType.RESULT)
    assert end.data["chart"] == "table"
    assert end.data["assumptions"][-1].startswith("Free SQL: a language model wrote the statement")
    assert end.message == result.answer == "Here it is."


class OfYesterday:
    """Gives the rows of an earlier run, with what was expected of it."""

    def __init__(self, runner: QueryRunner) -> None:
        self._runner = runner

    def run(self, sql: str, *, max_rows: int, timeout_s: float, stop: threading.Event) -> QueryResult:
        found = self._runner.run(sql, max_rows=max_rows, timeout_s=timeout_s, stop=stop)
        return replace(found, ran_at=datetime(2026, 11, 20, 9, 30, tzinfo=UTC), expected=ScanEstimate(3, 120))


def test_it_tells_of_when_the_rows_are_and_what_was_read_for_them(bank: Database):
    given = replace(services(ScriptedModel(GOOD), bank), runner=OfYesterday(bank.runner))
    caller = Caller("loans", lambda event: None, threading.Event(), services={Services: given})
    result = asyncio.run(call_agent(SqlAgent(), AgentRequest(question="loans"), (), caller, timeout_s=20))
    (end,) = told(result, TraceEventType.RESULT)
    assert end.data["expected_scan"] == "Reads about 3 rows (120 bytes) by the engine's estimate."
    assert "Rows as of 2026-11-20 09:30:00 UTC, kept from an earlier run." in end.data["assumptions"]


def test_each_of_four_attempts_is_one_event_and_the_model_is_told_of_all_before(bank: Database):
    model = ScriptedModel("SELECT nme FROM loans", "DROP TABLE loans", "SELECT 1 FROM nowhere", GOOD)
    result = ask(model, bank)
    errors = told(result, TraceEventType.ERROR)
    assert [event.data["attempt"] for event in errors] == [1, 2, 3]
    assert [event.data["query"] for event in errors] == [
        "SELECT nme FROM loans", "DROP TABLE loans", "SELECT 1 FROM nowhere",
    ]  # fmt: skip
    assert all(event.data["error"] for event in errors)
    assert [len(task.failures) for task in model.tasks] == [0, 1, 2, 3]
    assert result.status == "succeeded"


def test_after_four_attempts_it_fails_with_their_history(bank: Database):
    result = ask(ScriptedModel(*(f"SELECT x{number} FROM loans" for number in range(9))), bank)
    assert result.status == "failed"
    assert result.error.type == "SqlRejected"
    assert [one["query"] for one in result.error.details["attempts"]] == [f"SELECT x{n} FROM loans" for n in range(4)]


def test_a_question_back_is_a_failure_that_offers_its_choices(bank: Database):
    reading = Interpretation("clarify", "", choices=("A?", "B?"), reply="Which?")
    result = ask(ScriptedModel(reading=reading), bank)
    assert (result.error.type, result.error.message) == ("ClarificationNeeded", "Which?")
    assert result.error.details == {"choices": ["A?", "B?"]}


@pytest.mark.parametrize(
    ("part", "claimed"),
    [("How many customers are there per segment?", 1.0), ("the EMI on 5 lakh at 8.75 % over 20 years", 0.0)],
)
def test_it_claims_what_the_built_in_model_understands(bank: Database, part: str, claimed: float):
    def run(chat: ScriptedChat | None) -> AgentRun:
        given = {Services: services(BuiltInModel(), bank)}
        return AgentRun("sql", part, lambda _: None, threading.Event(), time.monotonic() + 9, chat, given)

    assert SqlAgent().claim(part, run(None)) == claimed
    assert SqlAgent().claim(part, run(ScriptedChat())) is None


def test_a_stop_ends_the_statement_in_the_database(bank: Database):
    stop = threading.Event()
    given = replace(services(ScriptedModel(ENDLESS), bank), policy=ALLOWS_RECURSION)
    caller = Caller("q", lambda event: None, stop, services={Services: given})
    threading.Timer(0.7, stop.set).start()
    started = time.monotonic()
    result = asyncio.run(call_agent(SqlAgent(), AgentRequest(question="q"), (), caller, timeout_s=20))
    assert time.monotonic() - started < 0.7 + allowed_s(1.5)
    assert result.error.type == "QueryStopped"
    assert bank.runner.run("SELECT 1 AS one", max_rows=1, timeout_s=5, stop=threading.Event()).rows == ((1,),)
