from __future__ import annotations

import pytest

from ai_engine.built_in.knowledge import Knowledge
from ai_engine.built_in.outcomes.outcome import decide
from ai_engine.built_in.outcomes.suggestions import example_questions, near_questions
from tests.ai_engine.built_in import shop

SHOP = shop.knowledge()
REFUSED = (
    "total deposits since Diwali", "customers of the Singapore branch", "crypto transactions by month",
    "collateral value of gold loans", "deposits by planet", "average waiting time at branches", "xyzzy deposits foo",
    "customers by marital status", "delete all closed accounts", "what is the api key",
    "why did deposits fall in March?",
    "forecast next year's deposits", "wie viele Kunden haben wir?", "show the phone numbers of premium customers",
)  # fmt: skip


@pytest.mark.parametrize("question", REFUSED)
def test_every_suggestion_of_a_refusal_is_answered_when_clicked(question: str, bank: Knowledge) -> None:
    reply = decide(question, (), bank)
    assert reply.outcome == "refused"
    assert reply.suggestions
    for suggestion in reply.suggestions:
        assert decide(suggestion, (), bank).outcome == "query", suggestion


def test_every_example_is_answered(bank: Knowledge) -> None:
    for known in (bank, SHOP):
        examples = example_questions(known)
        assert examples
        assert all(decide(example, (), known).outcome == "query" for example in examples)


@pytest.mark.parametrize(
    ("question", "unplaced", "nearest"),
    [
        ("turnover since Diwali", ("Diwali",), "Turnover"),
        ("crypto sales by city", ("crypto",), "Sales by city"),
        ("sales in Atlantis by colour", ("Atlantis",), "Sales by colour"),
        ("sales by colur in Zorg", ("Zorg",), "Sales by colur"),
    ],
)
def test_what_was_understood_comes_first_without_the_words_that_hang(
    question: str, unplaced: tuple[str, ...], nearest: str
) -> None:
    assert near_questions(question, unplaced, SHOP)[0] == nearest


def test_an_unknown_word_is_replaced_by_the_name_most_like_it() -> None:
    assert near_questions("average price tag by city", ("price tag",), SHOP)[0] == "Average price by city"


def test_a_question_is_never_offered_without_its_subject(bank: Knowledge) -> None:
    for question in ("average churn of customers by segment", "what happened to profits in Mumbai?"):
        offered = decide(question, (), bank).suggestions
        assert not {"Average of customers by segment", "What happened in Mumbai?", "What in Mumbai?"} & set(offered)
        assert offered


@pytest.mark.parametrize("question", ["which cities grew the most this year", "which cities rose most this month"])
def test_one_period_is_no_step_along_which_something_grew(question: str, bank: Knowledge) -> None:
    assert decide(question, (), bank).reply == "It does not say between which two periods the change is meant."


def test_what_was_not_understood_is_quoted_as_typed_and_what_is_left_open_is_said_plainly(bank: Knowledge) -> None:
    assert decide("growth of deposits", (), bank).reply == (
        "It does not say between which two periods the change is meant."
    )
    reply = decide("What share of deposits is held by Senior Citizens?", (), bank).reply
    assert "“Senior”" in reply or "“Senior Citizens”" in reply
