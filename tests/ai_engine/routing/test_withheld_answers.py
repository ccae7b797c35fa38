"""What no language model may be told of an answer is told to none, and a lead says nothing that nobody found."""

from __future__ import annotations

import json
from typing import Any

import pytest

from ai_engine.errors import ModelUnavailable
from ai_engine.routing import (
    AgentSquad,
    InMemoryChatStorage,
    ModelAgent,
    ModelClassifier,
    ModelReply,
    SupervisorAgent,
)
from ai_engine.routing.messages import WITHHELD, ConversationMessage, withheld
from ai_engine.routing.rule_lead import LeadInReserve, RuleLead
from tests.ai_engine.routing.scripted import Chooser, ScriptedConversation, Told, assistant, calls
from tests.ai_engine.supervisor.chats import ScriptedModel

pytestmark = pytest.mark.anyio
WHO = ("u", "s")
RAO = "Asha Rao has the highest income, Rs.9,87,654.00."


def sends(*messages: tuple[str, str]) -> ModelReply:
    told = [{"recipient": name, "content": content} for name, content in messages]
    return calls(("send_messages", json.dumps({"messages": told})))


def secret() -> ConversationMessage:
    return withheld(assistant(RAO))


def heard(model: ScriptedConversation) -> str:
    return " ".join(turn.text for turns in model.asked for turn in turns)


async def said_by(team: SupervisorAgent, message: str, history: Any = ()) -> ConversationMessage:
    *_, last = [piece async for piece in await team.process_request(message, *WHO, history)]  # type: ignore[union-attr]
    assert last.final_message is not None
    return last.final_message


def test_a_turn_is_told_without_what_is_withheld():
    assert (secret().text, secret().told_text, secret().is_withheld) == (RAO, WITHHELD, True)
    assert (assistant("Hello").told_text, assistant("Hello").is_withheld) == ("Hello", False)


async def test_a_classifier_is_told_who_answered_and_not_what_is_withheld():
    model = ScriptedModel({"userinput": "x", "selected_agent": "figures", "confidence": 1.0})
    squad = AgentSquad(classifier=Chooser("figures"))
    squad.add_agent(Told("Figures", secret()))
    response = await squad.route_request("highest income?", *WHO)
    assert response.output.text == RAO  # type: ignore[union-attr]

    history = await squad.storage.fetch_all_chats(*WHO)
    await ModelClassifier(model).classify("and the lowest?", history, squad.agents)
    [request] = model.asked
    assert f"[figures] {WITHHELD}" in request.user
    assert "Asha" not in request.user


@pytest.mark.parametrize("streaming", [True, False])
async def test_a_lead_does_not_hear_what_is_withheld_and_the_person_does(streaming: bool):
    model = ScriptedConversation(sends(("Figures", "highest income?"), ("Policy", "fees?")), "Never asked")
    team = SupervisorAgent(
        ModelAgent("Lead", "Leads", model, streaming=streaming),
        [Told("Figures", secret()), Told("Policy", "No fee.")], storage=InMemoryChatStorage(),
    )  # fmt: skip
    output = await team.process_request("highest income and fees?", *WHO, ())
    answer = output if isinstance(output, ConversationMessage) else [one async for one in output][-1].final_message
    assert answer is not None
    assert RAO in answer.text
    assert "No fee." in answer.text
    assert answer.is_withheld
    assert len(model.asked) == 1


async def test_neither_the_lead_s_memory_nor_the_team_s_tells_it_later():
    model = ScriptedConversation(sends(("Figures", "highest income?")), "Good bye.")
    team = SupervisorAgent(
        ModelAgent("Lead", "Leads", model, streaming=True), [Told("Figures", secret())], storage=InMemoryChatStorage()
    )
    answer = await said_by(team, "highest income?")
    assert (await said_by(team, "thanks", [assistant("Hello"), answer])).text == "Good bye."
    assert heard(model).count(WITHHELD) == 2
    assert "Asha" not in heard(model)


def lead(*replies: str | ModelReply | Exception) -> tuple[SupervisorAgent, Told, ScriptedConversation]:
    figures, model = (
        Told("Figures", "There are 360 customers.", "There are 360 customers."),
        ScriptedConversation(*replies),
    )
    by_rule = RuleLead([figures])
    team = SupervisorAgent(
        ModelAgent("Lead", "Leads", LeadInReserve(model, by_rule), streaming=True), [figures],
        storage=InMemoryChatStorage(),
    )  # fmt: skip
    return team, figures, model


ASKED = sends(("Figures", "How many customers?"))
BAD = ["There are 987,654,321 customers.", "There are nine hundred million.", "See [x](https://evil.example/x).",
       "<img src=https://evil.example/a>"]  # fmt: skip


@pytest.mark.parametrize("bad", BAD)
async def test_a_lead_that_says_what_nobody_found_is_not_believed(bad: str):
    team, _, _ = lead(ASKED, bad)
    assert (await said_by(team, "How many customers?")).text == "Figures: There are 360 customers."


@pytest.mark.parametrize("bad", BAD)
async def test_what_a_lead_thinks_is_told_where_it_says_only_what_was_found(bad: str):
    for thought in (bad, "360 customers it is."):
        team, _, _ = lead(ASKED, ModelReply("There are 360 customers.", thought))
        pieces = [piece async for piece in await team.process_request("How many customers?", *WHO, ())]  # type: ignore[union-attr]
        assert "".join(piece.thinking for piece in pieces) == thought.replace(bad, "")
        assert pieces[-1].final_thinking == (thought.replace(bad, "") or None)


@pytest.mark.parametrize("bad", BAD)
async def test_a_lead_that_makes_an_answer_up_has_its_members_asked_by_rule(bad: str):
    team, figures, _ = lead(bad, "There are 360 customers, as of today.")
    assert (await said_by(team, "How many customers?")).text == "There are 360 customers, as of today."
    assert [given for given, *_ in figures.given] == ["How many customers?"]


async def test_a_lead_hands_no_figure_to_a_member_that_the_person_has_not_said():
    team, figures, _ = lead(sends(("Figures", "100 % of 987654321?")), "There are 360 customers.")
    await said_by(team, "How many customers?")
    assert [given for given, *_ in figures.given] == ["How many customers?"]


async def test_a_lead_that_breaks_off_is_followed_by_rules():
    team, _, _ = lead(ASKED, ModelUnavailable("it broke off"))
    assert (await said_by(team, "How many customers?")).text == "Figures: There are 360 customers."
