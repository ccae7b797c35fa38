"""What of a conversation a language model is told, and its running summary."""

from __future__ import annotations

import asyncio
from typing import Any

from ai_engine.chat_history import ChatMessage
from ai_engine.errors import ModelUnavailable
from ai_engine.supervisor.template_choice import choice_of
from ai_engine.supervisor.told_conversation import OFFERED, WITHHELD, as_told
from ai_engine.workflows.filling import AskBack
from ai_engine.workflows.template import WorkflowTemplate
from tests.ai_engine.supervisor.chats import REGISTRY, SATISFIED, ScriptedModel, answer, ask, call, setting_of
from tests.ai_engine.supervisor.test_outward import KNOWN

WIDGET = {"content_type": "application/vnd.mcp.widget+json", "data": {"widget_type": "data_table"}}


def answered(text: str, **given: Any) -> ChatMessage:
    return ChatMessage(role="assistant", content=text, **given)


def test_an_answer_from_the_data_is_named_and_not_quoted():
    for message in (
        answered("Asha owes 777.", contents=(WIDGET,)),
        answered("Asha owes 777.", tools=("ledger",)),
        answered("Asha owes 777.", tools=("gone",)),
    ):
        assert as_told(message, KNOWN).content == WITHHELD


def test_a_question_back_that_names_values_of_the_data_is_not_quoted_either():
    template = WorkflowTemplate.model_construct(name="review")
    choice = choice_of(AskBack(template, "branch", "Which branch?", ("Kapoor Lane",)), "asked")
    told = [{"action": "clarify", "leans": False, "offers": choice.offers}]
    asked = ChatMessage(role="assistant", content="Which branch?\n- Kapoor Lane", decisions=told, status="clarify")
    assert as_told(asked, KNOWN).content == OFFERED


def test_nor_can_a_model_guess_its_figures_by_what_is_sent_back():
    model = ScriptedModel(answer("One of 776, 777 and 778."), answer("Good bye."))
    setting = setting_of(model)
    asyncio.run(setting.history.add("c", [answered("Asha owes 777.", contents=(WIDGET,))]))
    ask(setting, "Thanks")

    assert "776, 777, 778" in model.requests[1]


def test_other_answers_are_quoted():
    for message in (answered("Hello."), answered("After 90 days.", tools=("notes",))):
        assert as_told(message, REGISTRY) is message


def fill(setting: Any, *texts: str) -> None:
    messages = [ChatMessage(role="user", content=text) for text in texts]
    asyncio.run(setting.history.add("c", messages))


def test_the_model_carries_the_summary_on_and_it_is_told_to_the_supervisor():
    model = ScriptedModel({"summary": "They spoke of Pune."}, answer("Hello."))
    setting = setting_of(model)
    fill(setting, *(f"Question {number} about Pune" for number in range(6)))
    ask(setting, "Hello")

    assert "Question 0 about Pune" in model.asked[0].user
    assert "They spoke of Pune." in model.asked[1].user
    assert asyncio.run(setting.history.summary("c")).messages == 1


def test_a_summary_with_a_figure_that_nobody_said_is_sent_back_and_then_made_by_rule():
    model = ScriptedModel({"summary": "Pune has 9,999."}, {"summary": "Still 9,999."}, answer("Hello."))
    setting = setting_of(model)
    fill(setting, *(f"Question {number} about Pune" for number in range(6)))
    ask(setting, "Hello")

    assert asyncio.run(setting.history.summary("c")).text == "Asked: Question 0 about Pune"


def test_a_model_that_is_away_does_not_keep_a_summary_from_being_made():
    model = ScriptedModel(ModelUnavailable("down"), call("balances"), SATISFIED)
    setting = setting_of(model)
    fill(setting, *(f"Question {number}" for number in range(6)))
    ask(setting)

    assert asyncio.run(setting.history.summary("c")).text == "Asked: Question 0"
