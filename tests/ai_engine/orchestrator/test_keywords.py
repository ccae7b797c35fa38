"""The documented rule of who is a candidate, told as questions and agents."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ai_engine.agent import Capabilities
from ai_engine.orchestrator.keywords import keyword_candidates, score
from ai_engine.orchestrator.planner import apply_preferences
from tests.ai_engine.scripted_agents import API_WORDS, COMPUTATION_WORDS, SQL_WORDS, ScriptedAgent

AGENTS = [ScriptedAgent("sql"), ScriptedAgent("computation"), ScriptedAgent("api_docs")]

CASES = """
List all tables in the database | sql
List me all the API points available to you | api_docs sql
Show deposits by branch | sql
Show the top ten customers | sql
How many accounts were opened? |sql
Total deposits | sql
Average balance per branch | sql
Average balance and its percent | sql computation
Count of loans | sql
Give me a breakdown of loans | sql
A report on the trend of deposits | sql
Group customers by state | sql
sum of all fees | sql
At the summit of the hill | sql
Summarise the loans | sql
Who accounts for most fees? | sql
A countable set | sql
Tabled motions | sql
listing of branches | sql
Shows and tells | sql
Reporting lines | sql
stop the cheque | sql
Person with most loans | sql
What is the EMI? | computation
what   is the rate | computation
What  was the rate | sql
Calculate the interest | computation
Compute interest on 5 lakh | computation
Estimate the cost | computation
Simulate a rate rise | computation
Project the balance | computation
Projected balance | sql
The difference of two dates | computation
Ratio of loans to deposits | computation
A ratio per branch | sql computation
Forecast next quarter | computation
Compare Pune with Goa | computation
Compare the average balance per branch | sql
Calculate and compare the ratio per branch | computation
12 percent of 4.5 crore | computation
percentage of loans overdue | sql
Incomparable things | sql
Show the difference | sql computation
Calculate the average | sql computation
What is the average? | sql computation
What is the average balance per branch? | sql
What is the ratio of the average? | computation
Forecast the trend | sql computation
Which endpoint gives rates? | api_docs
Which API endpoint gives rates? | api_docs
Call the API | api_docs
GET /rates | api_docs
get /api/rates | api_docs
post  /transfers | api_docs
DELETE /x and PUT /y | api_docs
patch /customers/1 | api_docs
What does /api/ hold? | api_docs
Which status code does it send? | api_docs
Show the request body | api_docs sql
Show the top API endpoint | api_docs sql
List the top API calls per day | sql
Show the API | api_docs sql
Calculate with the API | api_docs computation
Calculate the average with the API | api_docs sql computation
What is the average API latency per route | api_docs sql
therapist fees | sql
capital of the bank | sql
https is not a word | sql
rerouted payments | sql
HTTP errors by route | api_docs
The budget/api/ folder | api_docs
get/ rates | sql
api-driven accounts per-branch | api_docs sql
"""


def cases() -> list[tuple[str, tuple[str, ...]]]:
    lines = [line.split("|") for line in CASES.strip().splitlines()]
    return [(question.strip(), tuple(agents.split())) for question, agents in lines]


def test_there_are_many_cases():
    assert len(cases()) >= 60


@pytest.mark.parametrize(("question", "candidates"), cases())
def test_the_words_of_a_question_speak_for_agents(question: str, candidates: tuple[str, ...]):
    assert keyword_candidates(question, AGENTS) == candidates


def documented(question: str) -> tuple[str, ...]:
    """The rule as it is documented, of the three sets, with whole words."""
    sql, computation, api = (score(question, words) for words in (SQL_WORDS, COMPUTATION_WORDS, API_WORDS))
    order = []
    if api >= max(sql, computation) and api > 0:
        order.append("api_docs")
    if sql >= computation and sql > 0:
        order.append("sql")
    if computation >= sql and computation > 0:
        order.append("computation")
    return tuple(order or ["sql"])


def no_word_chooses(question: str) -> bool:
    """Whether it has no keyword, so that the default is a tie of all."""
    return score(question, (*SQL_WORDS, *COMPUTATION_WORDS, *API_WORDS)) == 0


@given(st.lists(st.sampled_from([*SQL_WORDS, *COMPUTATION_WORDS, *API_WORDS, "rates", "of", "2025"]), max_size=9))
def test_any_mixture_of_words_follows_the_documented_rule(words: list[str]):
    assert keyword_candidates(" ".join(words), AGENTS) == documented(" ".join(words))


def test_an_agent_added_later_competes_by_its_own_words():
    fx = ScriptedAgent("fx", capabilities=Capabilities(("exchange", "fx")))
    assert keyword_candidates("fx exchange list", [*AGENTS, fx]) == ("fx", "sql")
    assert keyword_candidates("top list per fx", [*AGENTS, fx]) == ("sql",)


PREFERENCES = [
    (("sql", "computation"), ("computation",), (), ("computation", "sql")),
    (("sql", "computation"), ("computation",), ("computation",), ("sql",)),
    (("sql",), ("api_docs",), (), ("sql",)),
    (("api_docs", "sql", "computation"), ("computation", "sql", "computation"), (), ("computation", "sql", "api_docs")),
    (("sql",), (), ("sql",), ()),
]


@pytest.mark.parametrize(("candidates", "prefer", "disable", "expected"), PREFERENCES)
def test_preferred_candidates_come_first_and_disabled_ones_go(
    candidates: tuple[str, ...], prefer: tuple[str, ...], disable: tuple[str, ...], expected: tuple[str, ...]
):
    assert apply_preferences(candidates, prefer, disable) == expected
