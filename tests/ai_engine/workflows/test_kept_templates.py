"""A workflow that ran becomes a template: with its title as its name, and with those of its texts that may change."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ai_engine.errors import WorkflowInvalid
from ai_engine.workflows.definition import WorkflowDefinition, WorkflowLimits, read_definition
from ai_engine.workflows.filling import AskBack, Filled, fill
from ai_engine.workflows.kept_templates import Input, inputs_of, standing_alone, template_of
from ai_engine.workflows.recognition import recognise
from ai_engine.workflows.template import WorkflowTemplate
from tests.ai_engine.workflows.bench import OPERATORS, step
from tests.ai_engine.workflows.test_templates import Bank

PUNE = Input("city", "Pune")


def made(*steps: dict[str, Any], goal: str = "Deposits in Pune, and the policy") -> WorkflowDefinition:
    return read_definition({"goal": goal, "steps": list(steps)})


LOOK = made(
    {**step("a", query="The 5 largest deposits in Pune in October 2026"), "name": "Deposits in Pune"},
    step("b", query="What is our policy on deposits?", operator="rag_retriever"),
    step("c", "a", query="Deposits by month at {{a.output.rows[0].Pune}} in Pune"),
)


def checked(template: WorkflowTemplate) -> WorkflowTemplate:
    return template.checked(OPERATORS, WorkflowLimits())


def test_what_could_be_another_next_time_is_found_in_the_inputs():
    assert inputs_of(LOOK, Bank()) == (
        Input("month", "October 2026"),
        Input("number", "5"),
        Input("city", "Pune"),
        Input("question", "The 5 largest deposits in Pune in October 2026"),
        Input("question_2", "What is our policy on deposits?"),
    )


def test_a_value_becomes_a_parameter_wherever_it_stands_but_not_within_templates():
    template = checked(template_of(LOOK, "City look", [PUNE], Bank()))

    assert [one.input_mapping["query"] for one in template.steps] == [
        "The 5 largest deposits in {{param.city}} in October 2026",
        "What is our policy on deposits?",
        "Deposits by month at {{a.output.rows[0].Pune}} in {{param.city}}",
    ]
    (parameter,) = template.parameters
    assert (parameter.type, parameter.of) == ("value", {"branches.city": "{}"})


def test_the_template_asks_with_the_new_value_and_its_steps_are_named_after_it():
    template = checked(template_of(LOOK, "City look", [PUNE], Bank()))
    heard = recognise("Please run the city look for Chennai", [template], Bank())
    assert heard is not None
    filled = fill(heard.template, heard.given, Bank())

    assert isinstance(filled, Filled)
    assert filled.definition.goal == "Deposits in Chennai, and the policy"
    assert filled.definition.steps[0].name == "Deposits in Chennai"
    assert filled.inputs["param"] == {"city": "Chennai"}


def test_a_month_with_its_year_becomes_a_month_and_any_other_text_a_text():
    template = checked(
        template_of(LOOK, "Mine", [Input("month", "October 2026"), Input("what", "largest deposits")], Bank())
    )

    assert [one.type for one in template.parameters] == ["month", "text"]
    asked = fill(template, {}, Bank())
    assert isinstance(asked, AskBack)
    assert asked.question == "What should stand for “October 2026”?"


@pytest.mark.parametrize("message", ["city look", "Run my city look for Chennai", "the city look in Pune please"])
def test_its_title_asks_for_it_where_nothing_else_is_asked(message: str):
    template = template_of(LOOK, "City look", [PUNE], Bank())
    assert recognise(message, [template], Bank()) is not None


@pytest.mark.parametrize("message", ["deposits by segment in Pune", "deposits of customers who left"])
def test_a_question_that_happens_to_hold_its_title_is_a_question(message: str):
    template = template_of(LOOK, "Deposits", [], Bank())
    assert recognise(message, [template], Bank()) is None


def test_what_a_step_asked_in_the_words_of_its_message_stays_what_was_asked():
    alone = standing_alone(made(step("a", query="{{user_query}}")), "Deposits of {{Pune}}?")
    assert alone.steps[0].input_mapping == {"query": "Deposits of  Pune ?"}


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (Input("city", "Delhi"), "No step asks about “Delhi”"),
        (Input("city", " "), "needs the text"),
        (Input("two words", "Pune"), "name"),
    ],
)
def test_what_cannot_be_a_parameter_is_refused(wrong: Input, said: str):
    with pytest.raises(WorkflowInvalid, match=said):
        template_of(LOOK, "Mine", [wrong], Bank())


@given(text=st.text(max_size=30), query=st.text(min_size=1, max_size=60))
def test_any_text_is_made_a_parameter_or_refused(text: str, query: str):
    definition = made(step("a", query=query))
    inputs_of(standing_alone(definition, text), Bank())
    try:
        template = checked(template_of(definition, "Mine", [Input("what", text)], Bank()))
    except WorkflowInvalid:
        return
    filled = fill(template, {"what": text}, Bank())
    if isinstance(filled, Filled) and template.parameters[0].type == "text":
        asked = str(template.steps[0].input_mapping["query"]).replace("{{param.what}}", text)
        assert asked == query
