"""The orchestrator as a whole: the documented scenarios, order, deadlines, stops, and what the response tells."""

from __future__ import annotations

import asyncio
import threading
import time
from decimal import Decimal
from itertools import pairwise
from typing import Any

import pytest

from ai_engine.agent import (
    AgentError,
    AgentExecutionStatus,
    AgentRequest,
    AgentResult,
    Capabilities,
    OrchestratorResponse,
    TabularResult,
    TraceEvent,
    TraceEventType,
)
from ai_engine.errors import BadQuestion, ModelUnavailable, UnknownAgent
from ai_engine.orchestrator import OrchestratorLimits, Setting, arun, astream, run
from ai_engine.orchestrator.graph import build_graph
from tests.ai_engine.scripted_agents import ScriptedAgent, ScriptedChat
from tests.patience import allowed_s

TABLE = TabularResult.of_rows(["branch", "balance"], [("Pune", Decimal("175206")), ("Goa", Decimal("12.5"))])
SQL = ScriptedAgent("sql", "Pune has Rs.1,75,206.00.", table=TABLE)
API = ScriptedAgent("api_docs", "The repo rate is 6.5%.")
SUMS = ScriptedAgent("computation", "The EMI is Rs.22,100.00.")


def ask(*agents: ScriptedAgent, question: str = "List the API calls", chat: Any = None, **fields: Any) -> Any:
    limits = fields.pop("limits", OrchestratorLimits())
    setting = Setting(agents, model=chat, limits=limits)
    return run(AgentRequest(question=question, **fields), setting, fields.pop("stop", None))


def planned(*names: str, parts: list[dict[str, str]] | None = None) -> dict[str, Any]:
    return {"agents": list(names), "rationale": "As asked.", "confidence": 0.9, "parts": parts}


def failing(name: str, message: str = "It did not answer.", kind: str = "HttpError") -> ScriptedAgent:
    return ScriptedAgent(name, AgentError(message=message, type=kind))


def statuses(response: OrchestratorResponse) -> dict[str, str]:
    return {result.agent: result.status.value for result in response.agent_results}


def test_a_single_agent_answers():
    chat = ScriptedChat(planned("sql"), {"answer": "Pune leads with Rs.1,75,206.00."})
    response = ask(SQL, API, SUMS, question="List all tables in the database", chat=chat)
    assert response.answer == "Pune leads with Rs.1,75,206.00."
    assert response.data == TABLE
    assert statuses(response) == {"sql": "succeeded"}
    assert response.metadata["confidence"] == 0.9
    assert response.metadata["agents"] == ["sql"]
    assert response.planner.chosen_agents == ("sql",)
    assert response.trace == []
    assert response.agent_results[0].trace == []


def test_complementary_agents_are_put_together_by_rule():
    response = ask(SQL, API, question="List me all the API points available to you")
    assert response.planner.chosen_agents == ("api_docs", "sql")
    assert response.answer == "The repo rate is 6.5%. Pune has Rs.1,75,206.00."
    assert response.metadata["composed_by"] == "rule"


def test_one_that_fails_leaves_the_others_and_the_gap_is_named():
    chat = ScriptedChat(planned("sql", "api_docs"), ModelUnavailable("down"))
    response = ask(SQL, failing("api_docs"), chat=chat, trace=True)
    assert statuses(response) == {"sql": "succeeded", "api_docs": "failed"}
    assert response.answer.startswith("Pune has Rs.1,75,206.00. Not answered, “List the API calls” (api_docs): It did")
    errors = [(event.agent, event.message) for event in response.trace if event.event_type is TraceEventType.ERROR]
    assert errors == [("api_docs", "It did not answer."), ("composer", "The language model gave no answer")]


def test_when_all_fail_no_data_was_returned_and_every_reason_is_told():
    response = ask(failing("sql", "No table."), failing("api_docs", "No route."))
    assert "no data was returned" in response.answer
    assert "No table." in response.answer
    assert "No route." in response.answer
    assert response.data is None


def test_an_agent_that_raises_is_a_failed_result():
    response = ask(ScriptedAgent("sql", ZeroDivisionError("secret path")), API)
    assert statuses(response) == {"api_docs": "succeeded", "sql": "failed"}
    assert response.agent_results[1].error.type == "ZeroDivisionError"
    assert "secret" not in response.model_dump_json()


def test_with_the_planner_away_the_candidates_work_and_the_trace_says_so():
    chat = ScriptedChat(ModelUnavailable("down"), {"answer": "The repo rate is 6.5%."})
    response = ask(SQL, API, chat=chat, trace=True)
    assert response.planner.chosen_agents == ("api_docs", "sql")
    assert response.metadata["confidence"] == 0.4
    assert (response.metadata["planned_by"], response.metadata["composed_by"]) == ("rule", "model")
    assert "The language model gave no plan" in [event.message for event in response.trace]


def test_a_composer_that_makes_up_a_figure_is_not_believed():
    chat = ScriptedChat(planned("sql"), {"answer": "Pune has Rs.9,99,999.00."})
    response = ask(SQL, API, chat=chat)
    assert response.answer == "Pune has Rs.1,75,206.00."
    assert response.metadata["composed_by"] == "rule"


def test_why_an_agent_failed_bears_out_no_figure():
    failed = failing("api_docs", "column there are 987,654,321 customers does not exist")
    chat = ScriptedChat(planned("sql", "api_docs"), {"answer": "There are 987,654,321 customers."})
    assert ask(SQL, failed, chat=chat).metadata["composed_by"] == "rule"


@pytest.mark.parametrize(
    "leads", ["See [Pune](https://evil.example/x).", "Pune <img src=//evil.example/a>", "See https://evil.example/x"]
)
def test_a_composer_that_leads_elsewhere_is_not_believed(leads: str):
    response = ask(SQL, API, chat=ScriptedChat(planned("sql"), {"answer": leads}))
    assert response.answer == "Pune has Rs.1,75,206.00."


@pytest.mark.parametrize(
    ("said", "written"),
    [
        ("Pune has ₹175206.", "Pune has Rs.1,75,206.00."),
        ("Pune has INR 1,75,206.00, that is 14,016.48 times Goa.", None),
        ("Pune has about ₹1.75 lakh in 2 branches.", "Pune has about Rs.1.75 lakh in 2 branches."),
    ],
)
def test_rupees_are_written_as_the_bank_does(said: str, written: str | None):
    response = ask(SQL, API, chat=ScriptedChat(planned("sql"), {"answer": said}))
    assert response.answer == (written or "Pune has Rs.1,75,206.00, that is 14,016.48 times Goa.")


def test_everybody_switched_off_is_said_at_once():
    response = ask(SQL, API, disable_agents=("sql", "api_docs"), chat=ScriptedChat())
    assert response.agent_results == []
    assert "switched off" in response.answer
    assert "no data was returned" in response.answer


def test_an_empty_table_is_no_data():
    nothing = ScriptedAgent("sql", "", table=TabularResult(columns=["a"], rows=[]))
    assert "no data was returned" in ask(nothing, question="List loans").answer


def test_figures_that_are_zero_or_missing_are_left_out_beside_others():
    names = ("deposits", "fees", "loans")
    described = {
        "columns": [{"name": name, "label": f"Total {name}", "unit": "INR", "role": "measure"} for name in names],
        "units": dict.fromkeys(names, "INR"),
    }
    row = TabularResult.of_rows(names, [(Decimal(175206), Decimal(0), None)])
    agent = ScriptedAgent("sql", "Deposits 175206, fees 0, loans none.", table=row, described=described)
    response = ask(agent, question="List totals")
    assert response.answer == "Total deposits: Rs.1,75,206.00."
    assert response.metadata["units"] == dict.fromkeys(names, "INR")


def test_a_request_for_no_data_gets_none():
    response = ask(SQL, question="List balances", include_data=False)
    assert response.data is None
    assert response.agent_results[0].tabular is None


def test_the_first_agent_that_succeeded_with_a_table_gives_the_data():
    other = TabularResult(columns=["x"], rows=[{"x": 1}])
    response = ask(SQL, ScriptedAgent("api_docs", table=other))
    assert response.data == other
    response = ask(SQL, ScriptedAgent("api_docs", AgentError(message="m"), table=other))
    assert response.data == TABLE


def test_every_agent_sees_the_time_and_the_day_of_the_data():
    seen = ScriptedAgent("sql")
    given = {"current_date": "2025-01-31", "current_date_start_hour": "mine", "api_base_url": "http://x"}
    ask(seen, question="List", context=given)
    context = seen.asked[0][0].context
    assert context["current_date_start_hour"] == "mine"
    assert context["current_date_end_hour"] == "2025-01-31 23"
    assert context["api_base_url"] == "http://x"
    assert context["current_datetime_utc"].endswith("+00:00")
    assert given.keys() < context.keys()


def test_computation_reads_the_tables_before_it_and_no_more_rows_than_allowed():
    sums, sql = ScriptedAgent("computation"), ScriptedAgent("sql", table=TABLE)
    ask(sums, sql, chat=ScriptedChat(planned("sql", "computation"), {"answer": "done"}),
        limits=OrchestratorLimits(max_passed_rows=1))  # fmt: skip
    (earlier,) = sums.asked[0][1]
    assert earlier.tabular.rows == [{"branch": "Pune", "balance": Decimal(175206)}]
    assert sql.asked[0][1] == ()


def test_agents_that_read_nothing_of_each_other_work_beside_each_other():
    sql, api = ScriptedAgent("sql", waits_s=0.4), ScriptedAgent("api_docs", waits_s=0.4)
    sums = ScriptedAgent("computation", waits_s=0.05)
    response = ask(
        sql, api, sums,
        chat=ScriptedChat(planned("sql", "computation", "api_docs"), {"answer": "done"}),
    )  # fmt: skip
    (sql_from, sql_to), (api_from, _), (sums_from, _) = sql.worked_s[0], api.worked_s[0], sums.worked_s[0]
    assert api_from < sql_to
    assert sql_from < sql_to <= sums_from
    assert list(statuses(response)) == ["sql", "computation", "api_docs"]


def test_an_agent_that_wants_to_be_alone_is_alone():
    able = Capabilities(beside_others=False)
    workers = [ScriptedAgent(name, waits_s=0.1, capabilities=able) for name in ("one", "two")]
    ask(*workers, chat=ScriptedChat(planned("one", "two"), {"answer": "done"}))
    times = sorted(worker.worked_s[0] for worker in workers)
    assert all(first[1] <= second[0] for first, second in pairwise(times))


def test_an_agent_is_ended_at_its_deadline_though_it_is_deaf():
    started = time.monotonic()
    response = ask(
        ScriptedAgent("sql", waits_s=20, deaf=True), API, limits=OrchestratorLimits(agent_timeout_s=0.3), trace=True
    )
    assert time.monotonic() - started < allowed_s(3)
    assert statuses(response) == {"api_docs": "succeeded", "sql": "failed"}
    assert response.agent_results[1].error.type == "DeadlineExceeded"
    assert "sql works" in [event.message for event in response.agent_results[1].trace]


def test_after_the_deadline_of_all_nobody_starts_any_more():
    response = ask(
        ScriptedAgent("sql", waits_s=20), SUMS,
        question="Show the ratio", limits=OrchestratorLimits(total_timeout_s=0.3),
    )  # fmt: skip
    assert statuses(response) == {"sql": "failed", "computation": "skipped"}
    assert response.metadata["agents"] == ["sql"]


@pytest.mark.parametrize("phase", ["plan", "agents", "compose"])
def test_a_stop_in_any_phase_ends_the_run_within_a_second(phase: str):
    slow = ScriptedAgent("sql", waits_s=20 if phase == "agents" else 0.0)
    replies: dict[str, tuple[Any, ...]] = {
        "plan": (None,), "agents": (planned("sql", "computation"),), "compose": (planned("sql"), None),
    }  # fmt: skip
    stop, model = threading.Event(), ScriptedChat(*replies[phase])
    stopped_at: list[float] = []

    def end() -> None:
        while len(model.asked) < len(replies[phase]) or (phase == "agents" and not slow.asked):
            time.sleep(0.01)
        stopped_at.append(time.monotonic())
        stop.set()

    threading.Thread(target=end, daemon=True).start()
    setting = Setting((slow, SUMS), model=model)
    response = run(AgentRequest(question="Show the ratio"), setting, stop)
    assert time.monotonic() - stopped_at[0] < allowed_s(1)
    expected = {"plan": {}, "agents": {"sql": "failed", "computation": "skipped"}, "compose": {"sql": "succeeded"}}
    assert statuses(response) == expected[phase]
    assert ("Stopped" in response.answer) == (phase != "compose")


def test_whoever_stops_listening_stops_the_agents():
    slow = ScriptedAgent("sql", waits_s=20)

    async def listen_briefly() -> float:
        happenings = astream(AgentRequest(question="List loans"), Setting((slow,)))
        async for happening in happenings:
            if isinstance(happening, TraceEvent) and happening.message == "sql works":
                break
        started = time.monotonic()
        await happenings.aclose()
        return time.monotonic() - started

    assert asyncio.run(listen_briefly()) < allowed_s(1)


def test_the_trace_is_in_order_of_time_and_holds_every_event_that_was_streamed():
    sql, api = ScriptedAgent("sql", "a", waits_s=0.02), ScriptedAgent("api_docs", "b", waits_s=0.01)

    async def listen() -> list[TraceEvent | OrchestratorResponse]:
        return [event async for event in astream(AgentRequest(question="List API", trace=True), Setting((sql, api)))]

    *events, response = asyncio.run(listen())
    assert isinstance(response, OrchestratorResponse)
    assert sorted(map(id, events)) == sorted(map(id, response.trace))
    assert [event.timestamp for event in response.trace] == sorted(event.timestamp for event in response.trace)
    assert (response.trace[0].agent, response.trace[0].event_type) == ("planner", TraceEventType.DECISION)
    assert (response.trace[-1].agent, response.trace[-1].event_type) == ("composer", TraceEventType.RESULT)
    assert all(result.latency_ms > 0 for result in response.agent_results)


def test_64_runs_at_once_do_not_mix():
    class Echo(ScriptedAgent):
        async def run(self, request: AgentRequest, earlier: Any, run: Any) -> AgentResult:
            run.tell(TraceEventType.TOOL, request.question)
            await asyncio.sleep(0.01)
            return AgentResult(agent="sql", status=AgentExecutionStatus.succeeded, answer=request.question)

    setting = Setting((Echo("sql"),))

    async def many() -> list[OrchestratorResponse]:
        requests = [AgentRequest(question=f"List number {number}", trace=True) for number in range(64)]
        return await asyncio.gather(*(arun(request, setting) for request in requests))

    for number, response in enumerate(asyncio.run(many())):
        assert response.answer == f"List number {number}."
        assert [e.message for e in response.trace if e.event_type is TraceEventType.TOOL] == [f"List number {number}"]


def test_the_graph_is_compiled_once():
    assert build_graph() is build_graph()
    assert {"plan", "execute_agent", "compose"} <= set(build_graph().get_graph().nodes)


@pytest.mark.parametrize("field", ["prefer_agents", "disable_agents"])
def test_an_unknown_agent_is_refused_by_name(field: str):
    with pytest.raises(UnknownAgent, match=r"no agent named weather\. There are: sql, api_docs"):
        ask(SQL, API, **{field: ("weather", "sql")})


@pytest.mark.parametrize("question", ["   ", "x" * 2_001])
def test_a_question_that_cannot_be_read_is_refused(question: str):
    with pytest.raises(BadQuestion):
        ask(SQL, question=question)
