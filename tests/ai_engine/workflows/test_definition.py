"""What is wrong with a workflow is said before anything of it runs."""

from __future__ import annotations

import time
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ai_engine.errors import WorkflowInvalid
from ai_engine.workflows.checks import batches_of, checked_plan, find_circle
from ai_engine.workflows.definition import Plan, WorkflowDefinition, WorkflowLimits, WorkflowStep, read_definition
from ai_engine.workflows.references import NothingThere, references_in, resolve
from tests.ai_engine.workflows.bench import OPERATORS, step
from tests.patience import allowed_s

KNOWN = {"user_query": None, "param": ("branch", "month"), "phrase": ("branch",)}


def plan(*steps: dict[str, Any], **limits: int) -> Plan:
    definition = read_definition({"goal": "A review", "steps": list(steps)})
    return checked_plan(definition, OPERATORS, WorkflowLimits(**limits), KNOWN)


def faults(*steps: dict[str, Any], **limits: int) -> str:
    with pytest.raises(WorkflowInvalid) as refused:
        plan(*steps, **limits)
    return " ".join(refused.value.faults)


def test_steps_that_need_nothing_of_each_other_share_a_batch():
    made = plan(
        step("a"),
        step("b", "a", query="{{a.output.rows[0].branch}}"),
        step("c", "a", query="Of {{a.output.rows[0]['branch name']}} and {{param.branch}}"),
        step("d", "b", "c", operator="synthesizer", sources=["{{b.output}}", {"of": "{{c.text}}"}, "{{user_query}}"]),
    )
    assert made.batches == (("a",), ("b", "c"), ("d",))


def test_an_unknown_operator_is_named_with_the_nearest():
    assert faults(step("a", operator="rag_retreiver")) == (
        "a: there is no operator 'rag_retreiver'. The nearest is rag_retriever."
    )


def test_what_an_operator_needs_and_does_not_take_is_said():
    assert "a: synthesizer also needs sources." in faults(step("a", operator="synthesizer", query="x"))
    assert "there is no qwery" in faults(step("a", query="x", qwery="y"))
    assert "rows must be integer" in faults(step("a", query="x", rows="many"))
    plan(step("a", query="x", rows="{{param.month}}"))  # is judged once it is known


def test_a_circle_is_named_by_its_steps():
    text = faults(step("start"), step("a", "c"), step("b", "a"), step("c", "b", "start"), step("after", "c"))
    assert text == "The steps wait for each other: a → c → b → a."
    assert faults(step("a", "a")) == "The steps wait for each other: a → a."


@pytest.mark.parametrize(
    ("template", "said"),
    [
        ("{{brnch.output}}", "{{brnch.output}} points nowhere."),
        ("{{param.brnch}}", "{{param.brnch}} points nowhere. The nearest is param.branch."),
        ("{{param}}", "points nowhere. There are: param.branch, param.month."),
        ("{{param.branch.city}}", "points nowhere"),
        ("{{user_query.text}}", "user_query is a plain value"),
        ("{{b.output}}", "is the step's own result"),
        ("{{c.output}}", "is of a step that b does not depend on: add 'c' to its depends_on."),
        ("{{__class__}}", "points nowhere"),
        ("{{}}", "is no path"),
        ("{{a.output[-1]}}", "is no path from '[-1]' on"),
        ("{{a.output()}}", "is no path from '()' on"),
        ("{{a.output if 1}}", "is no path"),
        ("{{a.output", "do not close"),
        ("a.output}}", "do not close"),
        ("{{a.output + {{a.text}}", "do not close"),
        ("{{a.output | upper}}", "is no path"),
    ],
)
def test_a_template_that_leads_nowhere_is_refused(template: str, said: str):
    assert said in faults(step("a"), step("b", "a", query=template), step("c"))
    assert said in faults(step("a"), step("b", "a", operator="synthesizer", sources=[{"x": [template]}]), step("c"))


def test_a_step_may_use_what_was_done_at_several_removes():
    plan(step("a"), step("b", "a"), step("c", "b", query="{{a.text}}"))


def test_everything_wrong_is_said_at_once():
    text = faults(step("a", "z", operator="sqll"), step("a"), step("param"))
    for part in ("Two steps have the id 'a'", "'z', which is no step", "'sqll'", "No step may have the id 'param'"):
        assert part in text


def test_too_many_steps_and_too_large_a_definition_are_refused():
    assert faults(step("a"), step("b"), max_steps=1) == "It has 2 steps; 1 is the most."
    assert "2 kB; 1 kB is the most" in faults(step("a", query="x" * 2_048), max_definition_kb=1)


@pytest.mark.parametrize(
    "given_",
    [
        None, [], {}, "goal", {"goal": "g", "steps": []}, {"goal": "g", "steps": [{"id": "a"}]},
        {"goal": "g", "steps": [step("a") | {"extra": 1}]}, {"goal": "g", "steps": [step("a b")]},
        {"goal": "g", "steps": [step("a") | {"input_mapping": {"query": object()}}]},
        {"goal": "g", "steps": [step("__class__")]},
    ],
)  # fmt: skip
def test_what_has_not_the_form_of_a_workflow_is_refused(given_: object):
    with pytest.raises(WorkflowInvalid):
        read_definition(given_)


def test_a_value_nested_without_end_is_refused():
    deep: Any = "x"
    for _ in range(100_000):
        deep = [deep]
    with pytest.raises(WorkflowInvalid, match="levels deep"):
        read_definition({"goal": "g", "steps": [step("a", query=deep)]})


@pytest.mark.parametrize("text", ["{{" * 50_000, "}}" * 50_000, "{{a" + ".b" * 50_000 + "}}", "{{ a[0]}}" * 20_000])
def test_a_huge_template_is_judged_at_once(text: str):
    began = time.monotonic()
    with pytest.raises(WorkflowInvalid):
        plan(step("a", query=text), max_definition_kb=1_000)
    assert time.monotonic() - began < allowed_s(1)


KNOWN_VALUES: dict[str, Any] = {
    "user_query": "how much?",
    "a": {"output": {"rows": [{"amount": 12.5, "branch name": "Pune"}], "nothing": None}, "text": "{{user_query}}"},
}


@pytest.mark.parametrize(
    ("template", "value"),
    [
        ("{{a.output.rows[0].amount}}", 12.5),
        (" {{ a.output.rows }} ", [{"amount": 12.5, "branch name": "Pune"}]),
        ("Rs.{{a.output.rows[0].amount}} at {{a.output.rows[0]['branch name']}}", "Rs.12.5 at Pune"),
        ("of {{a.output.rows}}", 'of [{"amount": 12.5, "branch name": "Pune"}]'),
        ("for {{a.output.nothing}}.", "for ."),
        (["{{user_query}}", {"x": "{{a.output.nothing}}"}, 3], ["how much?", {"x": None}, 3]),
        ("{{a.text}}", "{{user_query}}"),
        ("so: {{a.text}}", "so: {{user_query}}"),
    ],
)
def test_what_is_there_is_put_in_as_data(template: Any, value: Any):
    assert resolve(template, KNOWN_VALUES) == value


@pytest.mark.parametrize(
    "template",
    [
        "{{a.__class__}}", "{{a.output.__class__.__mro__[1]}}", "{{a.output.rows.append}}", "{{a.output.keys}}",
        "{{user_query.upper}}", "{{user_query[0]}}", "{{a.output.rows[1]}}", "{{a.output[0]}}", "{{a.text.format}}",
        "{{a" + ".output" * 10_000 + "}}", '{{a["__init__"]["__globals__"]}}', "{{nobody}}",
    ],
)  # fmt: skip
def test_attributes_of_objects_are_out_of_reach(template: str):
    with pytest.raises(NothingThere):
        resolve(template, KNOWN_VALUES)


NAMES = [f"s{number}" for number in range(8)]


@st.composite
def orders(draw: st.DrawFn) -> WorkflowDefinition:
    """Steps that need only steps written before them, then shuffled."""
    steps = []
    for at, name in enumerate(NAMES[: draw(st.integers(1, 8))]):
        needs = draw(st.lists(st.sampled_from(NAMES[:at]), unique=True)) if at else []
        steps.append(WorkflowStep(id=name, name=name, operator="sql", depends_on=tuple(needs)))
    return WorkflowDefinition(goal="g", steps=tuple(draw(st.permutations(steps))))


@given(orders())
def test_every_step_comes_once_and_as_early_as_its_needs_allow(definition: WorkflowDefinition):
    batches = batches_of(definition)
    assert sorted(one for batch in batches for one in batch) == sorted(one.id for one in definition.steps)
    place = {one: at for at, batch in enumerate(batches) for one in batch}
    for one in definition.steps:
        assert place[one.id] == 1 + max((place[needed] for needed in one.depends_on), default=-1)
    assert find_circle(definition) == ()


@given(st.lists(st.tuples(st.sampled_from(NAMES), st.sampled_from(NAMES)), max_size=20))
def test_a_circle_is_found_exactly_where_no_order_exists(arrows: list[tuple[str, str]]):
    steps = [
        WorkflowStep(id=name, name=name, operator="sql", depends_on=tuple(sorted({b for a, b in arrows if a == name})))
        for name in NAMES
    ]
    definition = WorkflowDefinition(goal="g", steps=tuple(steps))
    circle = find_circle(definition)
    if not circle:
        assert len(batches_of(definition)) <= len(NAMES)
        return
    assert circle[0] == circle[-1]
    assert all(needed in definition.step(one).depends_on for one, needed in pairwise(circle))
    with pytest.raises(WorkflowInvalid):
        batches_of(definition)


@settings(max_examples=200)
@given(st.text(alphabet="{}[].a_0'\" ", max_size=40))
def test_any_text_is_read_or_refused_and_what_is_read_leads_somewhere_or_nowhere(text: str):
    try:
        list(references_in(text))
    except ValueError:
        return
    try:
        resolve(text, KNOWN_VALUES)
    except NothingThere:
        return
