"""Nothing that a person is told leads anywhere, asks for a secret, or has figures that nobody found."""

from __future__ import annotations

import json
from typing import Any

import pytest

from ai_engine.events import Event, EventType
from ai_engine.operators.base import BaseOperator, OperatorContext, OperatorResult, OperatorType
from ai_engine.tools import Tools
from tests.ai_engine.operators.test_links import ADDRESSES, LINKS
from tests.ai_engine.supervisor.chats import (
    NEED_MORE,
    REGISTRY,
    SATISFIED,
    Balances,
    ScriptedModel,
    answer,
    ask,
    call,
    done_of,
    of_type,
    setting_of,
    text_of,
)

BAD = [*LINKS, *ADDRESSES, "Your balance is 7,130,159,357.89", "Type your password to go on"]


def asked(model: ScriptedModel, **given: Any) -> list[Event]:
    return ask(setting_of(model, **given), "How much has Pune?")


def clarify(question: str, *choices: str, reasoning: str = "") -> dict[str, Any]:
    return {"action": "CLARIFY", "reasoning": reasoning, "question": question, "choices": choices}


@pytest.mark.parametrize("bad", BAD)
def test_a_question_back_and_its_choices_are_judged_like_an_answer(bad: str):
    events = asked(ScriptedModel(clarify(bad), clarify("Which one?", bad), clarify("Which branch?", "Pune")))
    [told] = of_type(events, EventType.CLARIFY_REQUEST)
    assert (told["question"], told["choices"]) == ("Which branch?", ["Pune"])


@pytest.mark.parametrize("bad", BAD[:-1])
def test_an_answer_of_the_model_has_none_of_it(bad: str):
    events = asked(ScriptedModel(answer(bad), answer(f"See:\n\n{bad}\n\nthere."), answer("I do not know.")))
    assert text_of(events) == "I do not know."


@pytest.mark.parametrize("bad", BAD)
def test_reasons_goals_and_names_of_steps_that_say_more_are_not_told(bad: str):
    step = {"id": "one", "name": bad[:200], "operator": "balances", "input_mapping": {"query": "How much has Pune?"}}
    plan = {"action": "CREATE_WORKFLOW", "reasoning": bad, "goal": bad, "steps": [step]}
    events = asked(ScriptedModel(plan, SATISFIED))
    assert done_of(events)["status"] == "answered"
    assert json.dumps(bad)[1:-1] not in json.dumps([event.data for event in events])
    assert of_type(events, EventType.WORKFLOW_CREATED)[0]["plan"][0]["name"] == "one"


class Talker(BaseOperator):
    """Tells what another program wrote."""

    name = "talker"
    description = "Tells what it was told."
    operator_type = OperatorType.PURE_LLM
    max_retries = 0
    text = ""

    async def execute(self, context: OperatorContext, tools: Tools | None = None) -> OperatorResult:
        context.emit(EventType.TOOL_PROGRESS, {"progress": None, "message": self.text})
        context.emit(EventType.TOOL_CONTENT, {"content_type": "text/markdown", "data": self.text, "metadata": {}})
        return OperatorResult(output={}, text=self.text, missing=(self.text,))


@pytest.mark.parametrize("bad", LINKS)
def test_what_other_programs_wrote_is_told_without_what_leads(bad: str):
    from tests.ai_engine.operators.test_links import leads

    Talker.text = bad
    events = asked(ScriptedModel(call("talker"), SATISFIED), registry=REGISTRY.with_others(Talker))
    assert not leads(text_of(events))
    told = [event.data for event in events if event.type is not EventType.RESPONSE_CHUNK]
    for data in told:
        for value in (data.get("message"), data.get("data"), *data.get("missing", ())):
            assert not isinstance(value, str) or not leads(value)


@pytest.mark.parametrize("query", ["What is 100 % of 987654321?", "Is it nine hundred crore?"])
def test_no_operator_is_handed_a_figure_that_nobody_said(query: str):
    step = {"id": "one", "name": "One", "operator": "balances", "input_mapping": {"query": query}}
    workflow = {"action": "CREATE_WORKFLOW", "reasoning": "", "goal": "Pune", "steps": [step]}
    Balances.asked.clear()
    events = asked(ScriptedModel(call("balances", query), workflow, call("balances", "Has Pune 4,200 in May 2026?")))
    assert Balances.asked == []
    assert done_of(events)["status"] == "clarify"


def test_an_operator_is_handed_what_was_found_and_periods():
    Balances.asked.clear()
    rounds = (call("balances"), NEED_MORE, call("balances", "Has Pune 4,200 in May 2026?"), NEED_MORE)
    asked(ScriptedModel(*rounds, answer("Pune has 4,200.")))
    assert Balances.asked[1:] == ["Has Pune 4,200 in May 2026?"]
