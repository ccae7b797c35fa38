"""Steps run beside each other where they can; one that fails fails only those that need it."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ai_engine.agent import TabularResult
from ai_engine.errors import WorkflowInvalid
from ai_engine.events import EventType
from ai_engine.operators.base import BaseOperator, OperatorContext, OperatorFailed, OperatorResult, OperatorType
from ai_engine.operators.calling import OperatorCaller
from ai_engine.operators.registry import OperatorRegistry
from ai_engine.tools import ToolContent, Tools
from ai_engine.workflows.definition import WorkflowDefinition, WorkflowLimits, WorkflowStep
from ai_engine.workflows.running import UnknownRun, resume_workflow, run_workflow
from ai_engine.workflows.step import with_operators
from tests.ai_engine.routing.scripted import ScriptedConversation
from tests.ai_engine.workflows.bench import INPUTS, Bench, fails, gives, in_a_loop, step
from tests.ai_engine.workflows.test_definition import orders
from tests.patience import allowed_s


@in_a_loop
async def test_two_middle_steps_really_overlap():
    bench = Bench(b=gives(wait_s=0.3), c=gives(wait_s=0.3))
    result = await bench.run(step("a"), step("b", "a"), step("c", "a"), step("d", "b", "c"))
    assert bench.spans["b"][0] < bench.spans["c"][1] and bench.spans["c"][0] < bench.spans["b"][1]
    assert result.status == "completed"
    assert [one.id for one in result.steps] == ["a", "b", "c", "d"]


@in_a_loop
async def test_no_more_steps_run_at_once_than_the_bound_allows():
    bench = Bench(**{name: gives(wait_s=0.02) for name in "abcdef"})
    await bench.run(*map(step, "abcdef"), parallel_steps=2)
    assert bench.most_at_once == 2


@in_a_loop
async def test_a_later_step_is_given_what_earlier_ones_found_as_data():
    table = TabularResult(columns=["branch", "amount"], rows=[{"branch": "Pune", "amount": Decimal("12.50")}])
    bench = Bench(
        a=gives({"rows": [{"amount": 12.5}], "internal_query": "{{user_query}}"}, text="Rs.12.50", table=table)
    )
    await bench.run(
        step("a", query="{{user_query}} in {{param.branch}}"),
        step("b", "a", query="{{a.internal_query}}"),
        step(
            "c", "a", operator="synthesizer", sources=["{{a.output.rows[0].amount}}", "{{a.rows}}", {"x": "{{a.text}}"}]
        ),
    )
    assert bench.inputs["a"] == {"query": "how much? in Pune"}
    assert bench.inputs["b"] == {"query": "{{user_query}}"}
    assert bench.inputs["c"] == {"sources": [12.5, [{"amount": 12.5}], {"x": "Rs.12.50"}]}


@in_a_loop
async def test_a_failed_step_fails_only_those_that_need_it():
    bench = Bench(a=fails("The database is away."), b=gives(missing=("“by moonlight” was not understood.",)))
    result = await bench.run(step("a"), step("b"), step("c", "a"), step("d", "c"), step("e", "b"))
    assert result.status == "partial"
    assert {one.id: one.status for one in result.steps} == {
        "a": "failed", "b": "succeeded", "c": "skipped", "d": "skipped", "e": "succeeded",
    }  # fmt: skip
    assert result.missing == (
        "a: The database is away.",
        "c: It needs “a”, which could not be done.",
        "d: It needs “c”, which could not be done.",
        "“by moonlight” was not understood.",
    )
    assert "c" not in bench.inputs and "d" not in bench.inputs


@in_a_loop
async def test_an_operator_that_raises_what_it_must_not_fails_its_step_alone_and_tells_nothing_of_it():
    async def broken() -> OperatorResult:
        raise KeyError("secret of the bank")

    result = await Bench(a=broken).run(step("a"), step("b"))
    assert result.status == "partial"
    assert "secret" not in " ".join(result.missing)


@in_a_loop
async def test_a_template_that_finds_nothing_fails_its_step_and_says_why():
    bench = Bench(a=gives({"rows": []}))
    result = await bench.run(step("a"), step("b", "a", query="{{a.output.rows[0].amount}}"))
    assert result.missing == ("b: {{a.output.rows[0].amount}} leads to nothing: the list has 0 items.",)


@in_a_loop
async def test_what_is_too_large_is_refused_or_left_out():
    image = ToolContent.image("A" * 3_000, "image/png")
    bench = Bench(a=gives("x" * 1_500), b=gives("x" * 3_000), c=gives("y", contents=(image,)))
    result = await bench.run(
        step("a"), step("b"), step("c"), step("d", "a", query="{{a.output}}{{a.output}}"),
        max_input_kb=2, max_result_kb=2,
    )  # fmt: skip
    assert [one.status for one in result.steps] == ["succeeded", "failed", "succeeded", "failed"]
    assert "larger than 2 kB" in result.steps[1].message
    assert result.steps[2].missing == ("Images and files of more than 2 kB are left out.",)
    assert "more than 2 kB, which is the most" in result.steps[3].message


@in_a_loop
async def test_rows_that_no_language_model_may_be_told_are_told_apart_from_a_marked_output_that_is_handed_on():
    secret = {"rows": [{"name": "Asha"}], "may_leave": False}
    bench = Bench(a=gives(secret, metadata={"may_leave": False}), b=gives({"rows": []}))
    await bench.run(
        step("a"), step("b"), step("c", "a", "b", query="of {{a.output.rows[0].name}} {{b.text}}"),
        step("d", "a", query="{{a.text}}"), step("e", "a", "b", operator="synthesizer", sources=["{{a.output}}"]),
        step("f", "b", query="{{b.output}}"), step("g", "a", operator="synthesizer", sources=[["{{ a.rows }}"]]),
    )  # fmt: skip
    assert {name for name, withheld in bench.withheld.items() if withheld} == {"c", "d", "g"}


class Listener(BaseOperator):
    """Says what it was asked, with or without a model."""

    name, description, operator_type = "listener", "Listens.", OperatorType.PURE_LLM

    async def execute(self, context: OperatorContext, tools: Tools | None = None) -> OperatorResult:
        return OperatorResult(output={"asked": context.query, "known": dict(context.context)}, text="heard")


@pytest.mark.parametrize("model", [None, ScriptedConversation()])
def test_with_a_language_model_withheld_rows_are_put_into_no_question(model: ScriptedConversation | None):
    registry = OperatorRegistry({"listener": Listener})
    caller = OperatorCaller(registry, "r", lambda _: None, threading.Event(), model=model)
    run_step = with_operators(caller, WorkflowLimits())
    one = WorkflowStep(id="a", name="A", operator="listener")
    assert asyncio.run(run_step(one, {"query": "of Pune"}, False)).output["asked"] == "of Pune"
    if model is None:
        made = asyncio.run(run_step(one, {"query": "of Asha"}, True))
        assert made.metadata["may_leave"] is False
    else:
        with pytest.raises(OperatorFailed, match="BANK_SEND_ROWS"):
            asyncio.run(run_step(one, {"query": "of Asha"}, True))


def test_a_step_is_told_nothing_of_the_conversation():
    async def everything(requirements: Sequence[str], query: str) -> Mapping[str, Any]:
        return dict.fromkeys(requirements, "said before")

    class Curious(Listener):
        context_requirements = ("query", "conversation.recent(5)", "results.all")

    registry = OperatorRegistry({"listener": Curious})
    caller = OperatorCaller(registry, "r", lambda _: None, threading.Event(), assemble=everything)
    one = WorkflowStep(id="a", name="A", operator="listener")
    made = asyncio.run(with_operators(caller, WorkflowLimits())(one, {"query": "q"}, False))
    assert made.output["known"] == {"query": "q", "conversation.recent(5)": None, "results.all": "said before"}


@in_a_loop
async def test_the_events_tell_the_plan_and_every_step():
    bench = Bench(b=fails("No."))
    await bench.run(step("a"), step("b"), step("c", "b"))
    (created,) = bench.told(EventType.WORKFLOW_CREATED)
    assert created["steps"] == 3 and created["batches"] == [["a", "b"], ["c"]]
    assert created["plan"][2] == step("c", "b")
    assert created["template"] == ""
    started = bench.told(EventType.WORKFLOW_STEP_START)
    assert [(one["step"], one["id"], one["name"]) for one in started] == [(1, "a", "a"), (2, "b", "b")]
    ends = {one["id"]: one for one in bench.told(EventType.WORKFLOW_STEP_COMPLETE)}
    assert {name: one["status"] for name, one in ends.items()} == {"a": "succeeded", "b": "failed", "c": "skipped"}
    assert ends["b"]["message"] == "No." and "message" not in ends["a"]
    assert bench.told(EventType.WORKFLOW_COMPLETE) == [{"status": "partial", "completed": 1, "failed": 2}]
    assert bench.events[-1][0] is EventType.WORKFLOW_COMPLETE


@in_a_loop
async def test_a_step_is_told_as_soon_as_it_is_done_and_not_with_the_slowest_beside_it():
    bench = Bench(b=gives(wait_s=0.3))
    running = asyncio.ensure_future(bench.run(step("a"), step("b")))
    await asyncio.sleep(0.15)
    assert [one["id"] for one in bench.told(EventType.WORKFLOW_STEP_COMPLETE)] == ["a"]
    await running


@in_a_loop
async def test_nothing_is_done_of_a_workflow_that_cannot_run():
    bench = Bench()
    with pytest.raises(WorkflowInvalid, match="wait for each other"):
        await bench.run(step("a", "b"), step("b", "a"))
    assert not bench.events and not bench.inputs


@in_a_loop
async def test_a_stop_ends_it_within_a_second_and_keeps_what_is_done():
    stop = threading.Event()

    async def until_stopped() -> OperatorResult:
        while not stop.is_set():
            await asyncio.sleep(0.01)
        raise OperatorFailed("Stopped.", "QueryStopped")

    bench = Bench(b=until_stopped)
    running = asyncio.ensure_future(bench.run(step("a"), step("b"), step("c", "b")))
    await asyncio.sleep(0.1)
    stop.set()
    began = time.monotonic()
    result = await running
    assert time.monotonic() - began < allowed_s(1)
    assert result.status == "stopped"
    assert [one.id for one in result.steps] == ["a"]
    assert bench.told(EventType.WORKFLOW_COMPLETE)[-1]["status"] == "stopped"


@in_a_loop
async def test_cancelling_ends_every_step_within_a_second():
    bench = Bench(a=gives(wait_s=60), b=gives(wait_s=60))
    running = asyncio.ensure_future(bench.run(step("a"), step("b")))
    await asyncio.sleep(0.1)
    assert bench.at_once == 2
    running.cancel()
    began = time.monotonic()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert time.monotonic() - began < allowed_s(1)
    assert bench.at_once == 0


@in_a_loop
async def test_without_checkpoints_nothing_can_go_on():
    with pytest.raises(UnknownRun):
        await resume_workflow("r1", Bench().engine())


@settings(max_examples=25, deadline=None)
@given(orders(), st.sets(st.sampled_from([f"s{number}" for number in range(8)])))
def test_every_step_runs_once_after_all_that_it_needs_unless_one_of_those_failed(
    definition: WorkflowDefinition, broken: set[str]
):
    bench = Bench(**{name: fails("No.") for name in broken})
    complete = definition.model_copy(
        update={"steps": tuple(one.model_copy(update={"input_mapping": {"query": "q"}}) for one in definition.steps)}
    )
    result = asyncio.run(run_workflow(complete, bench.engine(), run_id="r", inputs=INPUTS))
    status = {one.id: one.status for one in result.steps}
    for one in complete.steps:
        if any(status[needed] != "succeeded" for needed in one.depends_on):
            assert status[one.id] == "skipped" and one.id not in bench.spans
            continue
        assert status[one.id] == ("failed" if one.id in broken else "succeeded")
        assert all(bench.spans[needed][1] <= bench.spans[one.id][0] for needed in one.depends_on)


@pytest.mark.parametrize(
    "inputs",
    [
        {"query": "{{a.output}}" * 4_800},
        {"query": " ".join(f"{{{{a.output.rows[{place}]}}}}" for place in range(2_000))},
        {"sources": ["{{a.output}}"] * 3_500},
        {"sources": [{"x": "{{a.rows}}"}] * 1_500},
    ],
    ids=["in a text", "many paths", "in a list", "in objects"],
)
@in_a_loop
async def test_templates_that_multiply_what_was_found_are_stopped_before_it_is_made(inputs: dict[str, Any]):
    rows = [{"id": number, "name": "x" * 200} for number in range(6_000)]
    table = TabularResult(columns=["id", "name"], rows=rows)
    bench = Bench(a=gives({"rows": rows}, table=table))
    longest_s, asleep = 0.0, asyncio.Event()

    async def watch() -> None:
        """Notice for how long nothing else can run."""
        nonlocal longest_s
        while not asleep.is_set():
            began = time.monotonic()
            await asyncio.sleep(0.01)
            longest_s = max(longest_s, time.monotonic() - began)

    watching = asyncio.create_task(watch())
    operator = "synthesizer" if "sources" in inputs else "sql"
    result = await bench.run(step("a"), step("b", "a", operator=operator, **inputs))
    asleep.set()
    await watching
    assert [one.error_type for one in result.steps] == ["", "InputTooLarge"]
    assert longest_s < allowed_s(1)
