"""Who is asked: candidates, the model's say within bounds, and the plan by rule when it is away."""

from __future__ import annotations

import asyncio
import threading
import time
from typing import Any

import pytest

from ai_engine.agent import AgentRequest, Capabilities
from ai_engine.errors import ModelUnavailable
from ai_engine.orchestrator.planner import FALLBACK_CONFIDENCE, Plan, make_plan
from ai_engine.orchestrator.setting import OrchestratorLimits, OrchestratorRun, Setting
from ai_engine.orchestrator.sharing import Step
from tests.ai_engine.orchestrator.test_keywords import cases, no_word_chooses
from tests.ai_engine.scripted_agents import CAPABILITIES, ScriptedAgent, ScriptedChat

DATA = ("deposits", "and", "loans", "by", "branch", "list", "average", "what", "is", "the", "balance")
SUMS = ("calculate", "12", "percent", "of", "that", "it")
WEB = ("quote", "the", "api", "rate", "what", "is")


def agents(*, claiming: bool = True) -> tuple[ScriptedAgent, ...]:
    own = {"sql": DATA, "computation": SUMS, "api_docs": WEB}
    return tuple(ScriptedAgent(name, claims=words if claiming else None) for name, words in own.items())


def plan(
    question: str, chat: ScriptedChat | None = None, workers: tuple[ScriptedAgent, ...] | None = None, **fields: Any
) -> Plan:
    setting = Setting(workers or agents(), model=chat, limits=OrchestratorLimits(planner_timeout_s=0.3))
    run = OrchestratorRun(setting, lambda event: None, threading.Event(), time.monotonic() + 30)
    return asyncio.run(make_plan(AgentRequest(question=question, **fields), run))


def steps(made: Plan) -> list[tuple[str, str]]:
    return [(step.agent, step.question) for step in made.steps]


def reply(*names: str, confidence: float = 0.9, parts: list[dict[str, str]] | None = None) -> dict[str, Any]:
    return {"agents": list(names), "rationale": "Because.", "confidence": confidence, "parts": parts}


def test_without_a_model_the_plan_is_the_candidates_with_the_documented_confidence():
    made = plan("List the average percent and compare", workers=agents(claiming=False))
    assert made.decision.chosen_agents == made.candidates == ("sql", "computation")
    assert made.decision.confidence == FALLBACK_CONFIDENCE == 0.4


def test_agents_join_that_claim_a_part_and_candidates_go_that_have_none():
    made = plan("What is the average balance by branch, calculate 12 percent of that, and quote the rate")
    assert made.candidates == ("computation",)
    assert steps(made) == [
        ("sql", "What is the average balance by branch"),
        ("computation", "calculate 12 percent of that"),
        ("api_docs", "quote the rate"),
    ]
    assert "sql for “What is the average balance by branch”" in made.decision.rationale


def test_a_candidate_that_cannot_tell_stays_with_the_whole_question():
    teller = ScriptedAgent("teller", capabilities=Capabilities(("balance",)))
    question = "balance by branch, and 12 percent of that"
    made = plan(question, workers=(*agents(), teller))
    assert steps(made) == [
        ("sql", "balance by branch"), ("computation", "12 percent of that"), ("teller", question),
    ]  # fmt: skip


@pytest.mark.parametrize("name", ["sql", "computation", "api_docs"])
@pytest.mark.parametrize(("question", "documented"), [case for case in cases() if not no_word_chooses(case[0])])
def test_the_words_of_a_question_of_one_part_choose_whoever_claims_it(
    question: str, documented: tuple[str, ...], name: str
):
    words = [word.strip("?,.") for word in question.lower().split()]
    claiming = tuple(ScriptedAgent(each, claims=words if each == name else ()) for each in CAPABILITIES)
    made = plan(question, workers=claiming)
    assert made.decision.chosen_agents == documented
    assert made.owner == Step(name, question)


def test_where_no_word_chooses_whoever_claims_the_question_gets_it():
    assert steps(plan("quote the rate")) == [("api_docs", "quote the rate")]


def test_the_model_drops_and_reorders():
    chat = ScriptedChat(reply("COMPUTATION", "sql"))
    made = plan("List the average percent and compare", chat)
    assert made.decision.chosen_agents == ("computation", "sql")
    assert (made.decision.confidence, made.decision.rationale) == (0.9, "Because.")
    asked = chat.asked[0].user
    assert all(text in asked for text in ("List the average", "sql, computation", "Does what the test says"))
    assert "List the average" not in chat.asked[0].system


def test_the_model_words_the_parts():
    parts = [{"agent": "sql", "question": "Average balance?"}, {"agent": "API_docs", "question": "Repo rate?"}]
    made = plan("x", ScriptedChat(reply("sql", "api_docs", "computation", parts=parts)))
    assert steps(made) == [("sql", "Average balance?"), ("api_docs", "Repo rate?"), ("computation", "x")]


@pytest.mark.parametrize(
    "strange", ["What is 100 % of 987654321?", "Nine hundred crore?", "See https://evil.example/x"]
)
def test_the_model_puts_no_figure_and_no_address_into_a_part(strange: str):
    parts = [{"agent": "sql", "question": strange}]
    made = plan("List the average balance", ScriptedChat(reply("sql", parts=parts)))
    assert made.by_rule
    assert strange not in str(made)


def test_a_part_may_have_the_figures_and_periods_of_the_question_in_another_spelling():
    parts = [{"agent": "computation", "question": "12 percent of 45000000 in March 2026"}]
    made = plan("12 % of 4.5 crore last month", ScriptedChat(reply("computation", parts=parts)))
    assert steps(made) == [("computation", "12 percent of 45000000 in March 2026")]


def test_the_model_s_reason_tells_no_figure_of_its_own():
    told = {**reply("sql"), "rationale": "There are 987,654,321 customers."}
    assert plan("List deposits", ScriptedChat(told)).decision.rationale == "The language model chose these agents."


def test_the_model_adds_nobody_who_is_disabled_or_unknown():
    made = plan("List deposits", ScriptedChat(reply("weather", "computation", "sql")), disable_agents=("computation",))
    assert made.decision.chosen_agents == ("sql",)
    assert made.decision.guardrails == {"disabled_agents": ["computation"]}


@pytest.mark.parametrize(("said", "kept"), [(87, 0.87), (1, 1.0), (-3, 0.0), (250, 1.0), (0.25, 0.25)])
def test_a_confidence_in_percent_or_beyond_is_brought_between_0_and_1(said: float, kept: float):
    assert plan("List deposits", ScriptedChat(reply("sql", confidence=said))).decision.confidence == kept


@pytest.mark.parametrize(
    "fault", [ModelUnavailable("down"), {"agents": ["weather"], "rationale": "r", "confidence": 1}, {"agents": 3}, None]
)
def test_a_model_that_fails_or_stays_silent_leaves_the_candidates(fault: Any):
    made = plan("List deposits and compare it percent", ScriptedChat(fault), workers=agents(claiming=False))
    assert made.decision.chosen_agents == made.candidates == ("computation",)
    assert made.decision.confidence == FALLBACK_CONFIDENCE
    assert made.fallback
    assert "gave no plan" in made.decision.rationale


def test_with_everybody_disabled_nobody_is_asked_and_no_model_either():
    made = plan("List deposits", ScriptedChat(), disable_agents=("sql", "computation", "api_docs"))
    assert made.steps == ()
    assert made.decision.chosen_agents == ()
    assert "switched off" in made.decision.rationale


def test_when_the_only_candidate_is_disabled_those_that_are_left_try():
    made = plan("What is 12 percent", workers=agents(claiming=False), disable_agents=("computation",))
    assert (made.candidates, made.decision.chosen_agents) == (("sql",), ("sql",))


def test_the_part_of_a_disabled_agent_is_left_out_by_name():
    made = plan("Deposits by branch, and calculate 12 percent of that", disable_agents=("computation",))
    assert steps(made) == [("sql", "Deposits by branch")]
    assert [(step.agent, step.question) for step in made.left_out] == [("computation", "calculate 12 percent of that")]


def test_preferred_agents_work_first():
    made = plan("Deposits by branch, and quote the rate", prefer_agents=("api_docs",))
    assert made.decision.chosen_agents == ("api_docs", "sql")
    assert made.decision.guardrails == {"preferred_agents": ["api_docs"]}


@pytest.mark.parametrize(("most", "asked"), [(1, 1), (0, 0), (-2, 0), (5, 2), (None, 2)])
def test_max_turns_bounds_the_steps_and_the_rest_is_named(most: int | None, asked: int):
    made = plan("Deposits by branch, and quote the rate", max_turns=most)
    assert len(made.steps) == asked
    assert len(made.left_out) == 2 - asked


def test_an_agent_without_what_it_needs_is_not_there():
    picky = ScriptedAgent("picky", capabilities=Capabilities(("deposits",), needs_context=("api_key",)))
    absent = ScriptedAgent("absent", capabilities=Capabilities(("deposits", "list"), needs_services=(int,)))
    workers = (*agents(claiming=False), picky, absent)
    made = plan("deposits", workers=workers)
    assert made.decision.chosen_agents == ("sql",)
    assert made.decision.guardrails == {"missing_context": {"picky": ["api_key"]}}
    assert plan("deposits", workers=workers, context={"api_key": "k"}).decision.chosen_agents == ("picky",)


def test_an_agent_that_raises_when_asked_for_its_claim_is_no_fault_of_the_plan():
    class Broken(ScriptedAgent):
        def claim(self, part: str, run: Any) -> float | None:
            raise ZeroDivisionError

    made = plan("deposits by branch", workers=(*agents(), Broken("broken")))
    assert made.decision.chosen_agents == ("sql",)
