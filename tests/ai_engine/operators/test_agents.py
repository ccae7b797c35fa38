"""The agents as operators, on the sample bank and in the real sandbox."""

from __future__ import annotations

import threading
import time
from decimal import Decimal
from typing import Any

import pytest

from ai_engine.agent import TabularResult
from ai_engine.events import EventType
from ai_engine.operators.base import OperatorFailed, OperatorResult
from ai_engine.operators.calling import OperatorCaller
from backend.orchestration import Orchestrator
from tests.ai_engine.operators.calls import Listener, call, caller, knows
from tests.patience import allowed_s


def by(found: Orchestrator, listener: Listener | None = None, **given: object) -> OperatorCaller:
    return caller(listener, services=found.setting.services, **given)


def test_a_question_to_the_bank_gives_a_table_with_its_statement(found: Orchestrator):
    listener = Listener()
    result = call("sql", "total deposits by branch", by(found, listener))
    assert result.table is not None
    assert result.output["columns"] == result.table.columns
    assert result.output["row_count"] == result.table.row_count == len(result.output["rows"])
    assert result.output["sql"].startswith("SELECT")
    assert result.output["answer"] == result.text
    assert result.metadata["units"] == {"total_deposits": "INR"}
    assert listener.types[0] == "tool.start"
    assert listener.types[-3:] == ["tool.content", "tool.content", "tool.complete"]
    text, table = listener.told(EventType.TOOL_CONTENT)
    assert (text["content_type"], text["data"]) == ("text/markdown", result.text)
    assert table["data"]["widget_type"] == "data_table"
    assert table["data"]["data"]["rows"] == result.output["rows"]
    assert [one["name"] for one in table["data"]["data"]["meanings"]] == result.table.columns
    assert listener.told(EventType.TOOL_PROGRESS)[-1]["message"] == f"{result.table.row_count} rows were found"


def test_what_the_bank_cannot_answer_fails_with_what_to_ask_instead(found: Orchestrator):
    with pytest.raises(OperatorFailed) as failed:
        call("sql", "what is the weather in Pune", by(found))
    assert failed.value.kind in {"NotUnderstood", "ClarificationNeeded"}


def test_a_question_leans_on_those_before_it(found: Orchestrator):
    before = [
        {"role": "user", "text": "How many customers are there in Pune?"},
        {"role": "assistant", "text": "50"},
        {"role": "user", "text": "and in Mumbai?"},
    ]
    alone = call("sql", "How many customers are there in Mumbai?", by(found))
    leaning = call("sql", "and in Mumbai?", by(found, assemble=knows(conversation_recent=before)))
    assert leaning.output["rows"] == alone.output["rows"]


def test_a_calculation_runs_in_the_sandbox(found: Orchestrator):
    result = call("computation", "EMI on 25 lakh at 8.75 % for 20 years", by(found))
    assert "22,092.77" in result.text
    assert result.output["row_count"] == 1


def test_it_calculates_with_a_table_that_it_is_handed(found: Orchestrator):
    table = {"columns": ["branch", "balance"], "rows": [{"branch": "A", "balance": 30}, {"branch": "B", "balance": 70}]}
    result = call("computation", "share of each branch in the total", by(found), table=table)
    assert [float(row[result.output["columns"][-1]]) for row in result.output["rows"]] == [30.0, 70.0]


def test_it_calculates_with_a_table_found_in_this_turn(found: Orchestrator):
    rows = TabularResult.of_rows(["branch", "balance"], [("A", Decimal(30)), ("B", Decimal(70))])
    earlier = {"s1": OperatorResult(output={}, table=rows, metadata={"operator": "sql", "units": {"balance": "INR"}})}
    result = call("computation", "share of each branch in the total", by(found, assemble=knows(results_all=earlier)))
    assert result.table is not None
    assert result.table.row_count == 2


def test_a_table_whose_rows_do_not_fit_is_refused(found: Orchestrator):
    with pytest.raises(OperatorFailed, match="do not fit"):
        call("computation", "share of each", by(found), table={"columns": ["a", "b"], "rows": [{"a": 1}]})


def test_the_services_of_the_bank_are_described(found: Orchestrator):
    assert call("api_docs", "Which endpoints are there?", by(found)).text


def test_an_agent_ends_with_a_stop(found: Orchestrator):
    stop = threading.Event()
    stop.set()
    started = time.monotonic()
    with pytest.raises(OperatorFailed) as failed:
        call("sql", "total deposits by branch", by(found, stop=stop))
    assert failed.value.kind == "QueryStopped"
    assert time.monotonic() - started < allowed_s(1)


def test_the_orchestrator_shares_a_question_among_its_agents(found: Orchestrator):
    listener = Listener()
    result = call("orchestrator", "How many customers are there, and what is 12 % of 4.5 crore?", by(found, listener))
    assert "54,00,000" in result.text
    assert result.metadata["agents"] == ["sql", "computation"]
    assert result.output["row_count"] == 1
    assert listener.told(EventType.TOOL_PROGRESS)


def test_the_orchestrator_says_what_no_agent_could_do(found: Orchestrator):
    with pytest.raises(OperatorFailed):
        call("orchestrator", "What is the weather in Pune?", by(found))


def test_without_a_database_no_agent_for_it_is_there(found: Orchestrator):
    with pytest.raises(OperatorFailed, match="sql needs Services, which is not set up") as failed:
        call("sql", "total deposits by branch", caller())
    assert failed.value.kind == "NotSetUp"


LIST = "list customers with name and income"


def test_what_is_made_of_rows_that_may_not_leave_may_not_leave_either(found: Orchestrator):
    listed = call("sql", LIST, by(found))
    assert listed.metadata["may_leave"] is False
    assert listed.output["may_leave"] is False
    knowing = by(found, assemble=knows(results_all={"s1": listed}))
    for name in ("analyzer", "writer", "synthesizer", "computation"):
        asked = "share of each in the total" if name == "computation" else "write it"
        assert call(name, asked, knowing).metadata["may_leave"] is False, name
    table = call("computation", "share of each in the total", by(found), table=listed.output)
    assert table.metadata["may_leave"] is False
    assert call("orchestrator", LIST, by(found)).metadata["may_leave"] is False
    assert "may_leave" not in call("sql", "How many customers are there?", by(found)).metadata


@pytest.mark.parametrize(
    ("name", "given"), [("computation", {}), ("analyzer", {}), ("writer", {"sources": [{"text": ""}]})]
)
def test_nor_may_why_it_failed(found: Orchestrator, name: str, given: dict[str, Any]):
    rows = TabularResult.of_rows(["name"], [("Naveen Chauhan",)])

    def failure(**metadata: object) -> OperatorFailed:
        results = {"s1": OperatorResult(output={}, table=rows, metadata={"operator": "sql", **metadata})}
        with pytest.raises(OperatorFailed) as failed:
            call(name, "what is the capital of France", by(found, assemble=knows(results_all=results)), **given)
        return failed.value

    assert failure().may_leave
    assert not failure(may_leave=False).may_leave
