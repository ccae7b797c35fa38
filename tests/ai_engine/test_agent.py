"""The port of the specialists: what its values take, refuse and compute, and how blocking work is awaited."""

from __future__ import annotations

import asyncio
import threading
import time
from datetime import UTC, datetime
from decimal import Decimal

import pytest
from pydantic import ValidationError

from ai_engine.agent import (
    AgentError,
    AgentExecutionStatus,
    AgentRequest,
    AgentResult,
    AgentRun,
    OrchestratorResponse,
    PlannerDecision,
    TabularResult,
    TraceEvent,
    TraceEventType,
    in_thread,
)
from ai_engine.errors import BadConfiguration
from ai_engine.ports import Services
from tests.patience import allowed_s


def a_run(**given: object) -> AgentRun:
    defaults = {"agent": "sql", "whole_question": "?", "emit": lambda event: None, "stop": threading.Event()}
    return AgentRun(**{**defaults, "deadline": time.monotonic() + 5, **given})  # type: ignore[arg-type]


def test_a_request_has_the_documented_fields_and_defaults():
    assert AgentRequest(question="How many accounts?").model_dump() == {
        "question": "How many accounts?",
        "context": {},
        "prefer_agents": (),
        "disable_agents": (),
        "max_turns": None,
        "include_data": True,
        "trace": False,
        "system_prompt": None,
    }


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        (["SQL", " Api_Docs "], ("sql", "api_docs")),
        ("Computation", ("computation",)),
        (["sql", None], ("sql",)),
        (None, ()),
    ],
)
def test_names_of_agents_are_lower_cased_and_gaps_dropped(given: object, kept: tuple[str, ...]):
    request = AgentRequest(question="q", prefer_agents=given, disable_agents=given)  # type: ignore[arg-type]
    assert request.prefer_agents == request.disable_agents == kept


@pytest.mark.parametrize(
    "wrong",
    [{"question": ""}, {}, {"question": "q", "prefer": ["sql"]}, {"question": "q", "disable_agents": ["drop table"]},
     {"question": "q", "context": "k=v"}, {"question": "q", "prefer_agents": 3}],
)  # fmt: skip
def test_a_request_that_cannot_be_meant_is_refused(wrong: dict[str, object]):
    with pytest.raises(ValidationError):
        AgentRequest.model_validate(wrong)


def test_every_value_is_frozen():
    values = (
        AgentRequest(question="q"),
        TabularResult(columns=[], rows=[]),
        AgentError(message="m"),
        AgentResult(agent="sql", status=AgentExecutionStatus.succeeded),
        TraceEvent(event_type=TraceEventType.MESSAGE),
        PlannerDecision(rationale="r", chosen_agents=("sql",)),
        OrchestratorResponse(answer="a"),
    )
    for value in values:
        with pytest.raises(ValidationError):
            setattr(value, next(iter(type(value).model_fields)), "other")


def test_a_table_counts_its_rows_and_survives_the_wire():
    table = TabularResult.of_rows(["branch", "balance"], [("Pune", Decimal("1.50")), ("Goa", None)])
    assert table.rows == [{"branch": "Pune", "balance": Decimal("1.50")}, {"branch": "Goa", "balance": None}]
    assert table.model_dump(mode="json")["row_count"] == 2
    assert TabularResult.model_validate({**table.model_dump(), "row_count": 99}).row_count == 2


def test_an_event_is_stamped_in_utc():
    before = datetime.now(UTC)
    assert before <= TraceEvent(event_type=TraceEventType.TOOL).timestamp <= datetime.now(UTC)


@pytest.mark.parametrize("confidence", [-0.1, 1.1])
def test_confidence_lies_between_none_and_certain(confidence: float):
    with pytest.raises(ValidationError):
        PlannerDecision(rationale="r", chosen_agents=(), confidence=confidence)


def test_an_agent_tells_events_in_its_own_name():
    told: list[TraceEvent] = []
    a_run(emit=told.append).tell(TraceEventType.TOOL, "Ran", row_count=3)
    assert [(event.agent, event.message, event.data) for event in told] == [("sql", "Ran", {"row_count": 3})]


def test_a_service_that_was_not_given_is_named():
    with pytest.raises(BadConfiguration, match="sql needs Services"):
        a_run().service(Services)
    assert a_run(services={int: 3}).service(int) == 3


async def _together(count: int) -> list[int]:
    barrier = threading.Barrier(count, timeout=10)

    def meet(number: int) -> int:
        barrier.wait()
        return number

    return await asyncio.gather(*(in_thread(meet, number) for number in range(count)))


def test_no_pool_bounds_the_work_in_threads():
    assert asyncio.run(_together(64)) == list(range(64))


def test_what_a_thread_raises_is_raised_where_it_is_awaited():
    with pytest.raises(ZeroDivisionError):
        asyncio.run(in_thread(lambda: 1 / 0))


def test_a_loop_ends_without_the_thread_that_nobody_awaits_any_more():
    release = threading.Event()

    async def abandon() -> None:
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(in_thread(release.wait, 20), timeout=0.05)

    started = time.monotonic()
    asyncio.run(abandon())
    assert time.monotonic() - started < allowed_s(5)
    release.set()
