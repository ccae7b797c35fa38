"""The agents that exist have the documented words, and what planner and composer need to know of them."""

from __future__ import annotations

import pytest

from ai_engine.agent import Agent
from ai_engine.orchestrator.keywords import keyword_candidates
from ai_engine.specialists.registry import SPECIALISTS
from tests.ai_engine.orchestrator.test_keywords import cases
from tests.ai_engine.scripted_agents import CAPABILITIES


def test_each_stands_there_once():
    names = [agent.name for agent in SPECIALISTS]
    assert sorted(names) == sorted(CAPABILITIES)


def test_each_has_the_documented_words_and_place():
    for agent in SPECIALISTS:
        documented = CAPABILITIES[agent.name]
        assert agent.capabilities.keywords == documented.keywords
        assert agent.capabilities.works_on == documented.works_on
        assert agent.capabilities.default == documented.default
        assert agent.capabilities.reads == documented.reads


@pytest.mark.parametrize("agent", SPECIALISTS, ids=lambda agent: agent.name)
def test_each_can_be_chosen_by_what_it_says_of_itself(agent: Agent):
    assert len(agent.description) > 40
    assert agent.capabilities.examples


@pytest.mark.parametrize(("question", "candidates"), cases())
def test_the_documented_rule_holds_for_the_agents_that_exist(question: str, candidates: tuple[str, ...]):
    assert keyword_candidates(question, SPECIALISTS) == candidates
