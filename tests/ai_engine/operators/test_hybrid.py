"""Operators that reason and act: with a server's tools, and with what this app has itself."""

from __future__ import annotations

from typing import Any

import pytest

from ai_engine.events import EventType
from ai_engine.operators.base import OperatorFailed
from ai_engine.operators.calling import OperatorCaller
from backend.orchestration import Orchestrator
from tests.ai_engine.operators.calls import Listener, call, caller
from tests.ai_engine.operators.scripted_tools import ScriptedTools, fails, gives, in_turn
from tests.ai_engine.scripted_agents import ScriptedChat

SCHEMA = {
    "success": True,
    "dialect": "sqlite",
    "tables": [
        {"name": "staff", "columns": [{"name": "branch", "type": "TEXT"}, {"name": "heads", "type": "INTEGER"}]}
    ],
}
ROWS = {"success": True, "columns": ["branch", "heads"], "data": [["Pune", 30], ["Goa", 10]], "row_count": 2}
GOOD = {"sql": "SELECT branch, heads FROM staff ORDER BY heads DESC"}
CODE = {"code": "print(12 * 4)"}


def database(**works: Any) -> ScriptedTools:
    return ScriptedTools({"mcp_db_schema": gives(SCHEMA), "mcp_db_query": gives(ROWS), **works})


def by(tools: ScriptedTools | None = None, *replies: Any, **given: Any) -> OperatorCaller:
    return caller(given.pop("listener", None), tools=tools, model=ScriptedChat(*replies) if replies else None, **given)


# data_analyst


def test_the_bank_is_asked_first_and_what_stands_out_is_said(found: Orchestrator):
    tools = database()
    result = call("data_analyst", "total deposits by branch", by(tools, services=found.setting.services))
    assert result.output["sql"].startswith("SELECT")
    assert any("highest for" in line for line in result.output["findings"])
    assert result.text.endswith(result.output["findings"][-1])
    assert tools.called == []


def test_a_servers_database_is_asked_with_a_statement_that_the_guard_let_through():
    listener, tools = Listener(), database()
    result = call("data_analyst", "staff by branch", by(tools, GOOD, listener=listener))
    assert result.output["rows"] == [{"branch": "Pune", "heads": 30}, {"branch": "Goa", "heads": 10}]
    assert result.output["findings"] == ["Heads: highest for Pune (30), lowest for Goa (10)."]
    assert result.metadata["may_leave"] is False, "rows of a server's database are shown to no language model"
    name, arguments = tools.called[-1]
    assert name == "mcp_db_query"
    assert "LIMIT" in arguments["query"], "as the guard wrote it anew"
    assert any("Asks server: SELECT" in event["message"] for event in listener.told(EventType.TOOL_PROGRESS))


def test_a_statement_that_may_not_run_never_reaches_the_server_and_the_model_is_told_why():
    tools = database()
    model = ScriptedChat({"sql": "DELETE FROM staff"}, {"sql": "SELECT salary FROM staff"}, GOOD)
    result = call("data_analyst", "staff by branch", caller(tools=tools, model=model))
    assert result.output["row_count"] == 2
    assert [name for name, _ in tools.called] == ["mcp_db_schema", "mcp_db_query"]
    assert "salary" in model.asked[2].user
    assert "DELETE" in model.asked[2].user


def test_that_a_server_refused_a_statement_is_told_to_the_model_in_our_words_and_three_are_enough():
    refused = gives({"success": False, "error": "no such table: staff"})
    with pytest.raises(OperatorFailed, match="No statement for server could be run"):
        call("data_analyst", "staff", by(database(mcp_db_query=refused), GOOD, GOOD, GOOD))
    tools = database(mcp_db_query=in_turn(refused, gives(ROWS)))
    model = ScriptedChat(GOOD, GOOD)
    assert call("data_analyst", "staff", caller(tools=tools, model=model)).output["row_count"] == 2
    said = "the server's database refused the statement; it speaks of a table; it names staff"
    assert said in model.asked[1].user
    assert "no such table" not in model.asked[1].user


CELLS = 'invalid input syntax for type integer: "Asha Rao, PAN ABCDE1234F"'


@pytest.mark.parametrize(
    "refused",
    [gives({"success": False, "error": CELLS}), gives(text=CELLS), fails(CELLS)],
    ids=["said", "text", "fault"],
)
def test_cells_that_a_servers_error_quotes_reach_neither_the_model_nor_the_failure_nor_the_progress(refused: Any):
    listener, model = Listener(), ScriptedChat(GOOD, GOOD, GOOD)
    asking = caller(listener, tools=database(mcp_db_query=refused), model=model)
    with pytest.raises(OperatorFailed) as failed:
        call("data_analyst", "staff", asking)
    asked = "".join(one.user for one in model.asked)
    told = f"{failed.value} {failed.value.details} {listener.events} {asked}"
    assert "staff" in told
    assert "Asha" not in told
    assert "ABCDE" not in told


def test_nor_do_those_that_its_schema_quotes():
    with pytest.raises(OperatorFailed, match="could not be asked") as failed:
        call("data_analyst", "staff", by(database(mcp_db_schema=fails(CELLS)), GOOD))
    assert "Asha" not in f"{failed.value} {failed.value.details}"


@pytest.mark.parametrize(
    "works",
    [
        {"mcp_db_schema": gives({"success": True, "dialect": "cobol", "tables": []})},
        {"mcp_db_schema": gives({"tables": "all"})},
        {"mcp_db_schema": gives(text="garbage")},
        {"mcp_db_query": gives({"success": True, "columns": ["a"], "data": [[1, 2]]})},
        {"mcp_db_query": gives({"success": True, "columns": ["a", "a"], "data": []})},
        {"mcp_db_query": fails("gone")},
    ],
)
def test_a_server_that_tells_nonsense_fails_in_our_words(works: dict[str, Any]):
    with pytest.raises(OperatorFailed) as failed:
        call("data_analyst", "staff", by(database(**works), GOOD))
    assert failed.value.kind == "ToolFailed"


def test_of_several_servers_one_has_to_be_named():
    both = ("hr", "risk")
    works = {f"{server}.{name}": work for server in both for name, work in
             {"mcp_db_schema": gives(SCHEMA), "mcp_db_query": gives(ROWS)}.items()}  # fmt: skip
    with pytest.raises(OperatorFailed, match="Several servers offer a database: hr, risk") as failed:
        call("data_analyst", "staff", by(ScriptedTools(works), GOOD))
    assert failed.value.details == {"choices": ["hr", "risk"]}
    tools = ScriptedTools(works)
    assert call("data_analyst", "staff", by(tools, GOOD), server="risk").metadata["server"] == "risk"
    assert {name for name, _ in tools.called} == {"risk.mcp_db_schema", "risk.mcp_db_query"}
    with pytest.raises(OperatorFailed, match="No server 'it' offers a database"):
        call("data_analyst", "staff", by(tools, GOOD), server="it")


def test_without_a_model_only_the_banks_own_database_is_asked(found: Orchestrator):
    with pytest.raises(OperatorFailed, match="Without a language model"):
        call("data_analyst", "staff", by(database()))
    with pytest.raises(OperatorFailed) as failed:
        call("data_analyst", "the weather in Pune", by(database(), services=found.setting.services))
    assert failed.value.kind in {"NotUnderstood", "ClarificationNeeded"}


def test_tables_that_do_not_answer_are_said_to():
    with pytest.raises(OperatorFailed, match="do not answer this"):
        call("data_analyst", "weather", by(database(), {"sql": "", "reason": "no weather"}))


# coder


def test_a_program_runs_at_the_server_that_runs_programs():
    tools = ScriptedTools({"run_python": gives(text="48")}, {"run_python": {"code": {}}})
    result = call("coder", "12 times 4", by(tools, CODE))
    assert tools.called == [("run_python", CODE)]
    assert result.output["answer"] == "48"
    assert result.text == "```python\nprint(12 * 4)\n```\n\nIt printed:\n\n```\n48\n```"


def test_what_a_program_printed_cannot_leave_its_block():
    tools = ScriptedTools({"run_python": gives(text="```\n![x](http://evil)")})
    assert "````\n```\n![x](http://evil)\n````" in call("coder", "12 times 4", by(tools, CODE)).text


def test_without_such_a_server_it_runs_in_this_apps_sandbox(found: Orchestrator):
    result = call("coder", "EMI on 25 lakh at 8.75 % for 20 years", by(services=found.setting.services))
    assert "22,092.77" in result.text
    assert "emi(" in result.output["code"]
    assert result.metadata["operator"] == "computation"


def test_rows_of_the_bank_stay_in_this_apps_sandbox(found: Orchestrator):
    tools = ScriptedTools({"run_python": gives(text="no")})
    table = {"columns": ["branch", "balance"], "rows": [["A", 30], ["B", 70]]}
    services = found.setting.services
    result = call("coder", "share of each branch in the total", caller(tools=tools, services=services), table=table)
    assert result.output["row_count"] == 2
    assert tools.called == []


@pytest.mark.parametrize(
    "code", ["print(12 * 77)", "print(Decimal('1e999999999') + 4)", f"print(12 * 4){' ' * 20_000}"]
)
def test_a_program_with_figures_that_nobody_said_or_can_judge_is_not_run(found: Orchestrator, code: str):
    tools = ScriptedTools({"run_python": gives(text="99")})
    invented = {"code": code}
    with pytest.raises(OperatorFailed):
        call("coder", "12 times 4", by(tools, *[invented] * 3))
    assert tools.called == []


def test_a_program_that_fails_there_is_written_anew_and_then_left_to_our_sandbox(found: Orchestrator):
    tools = ScriptedTools({"run_python": fails("boom")})
    model = ScriptedChat(*[CODE] * 3, {"code": "result = 12 * 4", "sentence": "It is {result}.", "unit": "number"})
    result = call("coder", "12 times 4", caller(tools=tools, model=model, services=found.setting.services))
    assert len(tools.called) == 3
    assert "48" in result.text
