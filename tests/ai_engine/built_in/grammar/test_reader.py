"""The reader that is a grammar: one of two, chosen by name, and what it composes and refuses."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ai_engine.built_in.knowledge import Knowledge
from ai_engine.built_in.outcomes.outcome import decide
from ai_engine.built_in.reading import readings
from ai_engine.types import Interpretation
from tests.ai_engine.built_in.bank import vocabulary
from tests.ai_engine.built_in.lending_house import lending_house

GRAMMAR = Knowledge(vocabulary(), "grammar")


def asked(question: str) -> Interpretation:
    return decide(question, (), GRAMMAR)


@pytest.mark.parametrize(
    ("question", "restatement"),
    [
        ("How many female customers?", "Number of customers, where gender is Female"),
        (
            "customers who have a loan but no savings account",
            "List of customers showing customer id, customer name and segment, "
            "with loans and without accounts (where account type is Savings)",
        ),
    ],
)
def test_phrases_compose(question: str, restatement: str) -> None:
    assert asked(question).restatement == restatement


def test_a_word_that_finds_no_place_is_named_in_the_refusal() -> None:
    found = asked("accounts xyzzy")
    assert found.outcome == "refused"
    assert found.unplaced == ("xyzzy",)


def test_what_cannot_be_said_in_the_structured_question_is_refused_with_its_reason() -> None:
    found = asked("customers whose income is above the average income of their segment")
    assert found.outcome == "refused"


def test_the_cheapest_reading_stands_first_and_none_twice() -> None:
    found = readings("customers with a loan in Mumbai", GRAMMAR)
    assert [reading.cost for reading in found] == sorted(reading.cost for reading in found)
    assert len({reading.intent for reading in found}) == len(found)


def test_a_period_that_ends_at_a_bare_day_is_read_without_looking_past_the_question() -> None:
    assert asked("transactions from 1 April 2026 to 30 June 2026").outcome == "query"


QUESTIONS = (
    "total balance of savings accounts by branch",
    "customers with a loan and no card in Pune",
    "top 5 branches by number of accounts opened in 2025",
    "share of dormant accounts in each region",
)


@settings(max_examples=25, deadline=None)
@given(st.sampled_from(QUESTIONS), st.integers(min_value=0, max_value=9), st.sampled_from(("qwxz", "blorf", "zzyzx")))
def test_no_word_that_means_nothing_is_ever_dropped(question: str, place: int, unknown: str) -> None:
    words = question.split()
    words.insert(place, unknown)
    found = asked(" ".join(words))
    assert found.outcome == "refused"
    assert unknown in " ".join(found.unplaced)


NAMED = {
    "savings": "Savings", "Pune": "Pune", "premium": "Premium", "female": "Female", "dormant": "Dormant",
    "2025": "2025", "UPI": "UPI", "NPA": "NPA", "gold loan": "Gold Loan",
}  # fmt: skip
SHAPES = (
    "{} accounts by branch in {}",
    "number of {} customers with a {}",
    "total balance of {} accounts of {} customers",
    "which branch has the most {} transactions in {}",
    "{} customers who have a {} and their city",
)


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(SHAPES), st.sampled_from(sorted(NAMED)), st.sampled_from(sorted(NAMED)))
def test_every_value_ends_in_the_restatement_an_assumption_or_the_refusal(shape: str, one: str, other: str) -> None:
    question = shape.format(one, other)
    found = asked(question)
    told = " ".join((found.restatement, found.reply, *found.assumptions, *found.unplaced, *found.choices)).lower()
    for word in (one, other):
        assert found.outcome != "query" or NAMED[word].lower() in told or word.lower() in told, found.restatement


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("who handled the loans of Tilda Brandt", "with loans as handler (where first name is Tilda"),
        ("remittances from Tilda Brandt to Emre Aydin", "first name (as receiver) is Emre"),
        ("people who traded MEDW", "with trades (where ticker is MEDW)"),
        ("people who live in the same town as their office", "where home town is office town"),
        ("how many borrowers are there", "Number of persons, with loans as borrower"),
    ],
)
def test_who_does_what_is_read_from_the_roles_of_the_links(question: str, told: str) -> None:
    assert told in decide(question, (), Knowledge(lending_house().vocabulary, "grammar")).restatement


def test_who_manages_what_nobody_is_known_to_manage_is_refused() -> None:
    found = decide("Who manages the North Yard depot?", (), Knowledge(lending_house().vocabulary, "grammar"))
    assert found.outcome == "refused"


def test_a_state_that_came_about_is_not_dated_by_the_day_on_which_the_rows_began() -> None:
    assert asked("how many accounts went dormant this year").outcome == "refused"
    assert asked("number of customers as on 31 March 2026").restatement.startswith(
        "Number of customers, until 31 March"
    )


def test_a_thing_that_leaves_nothing_out_is_told_in_an_assumption() -> None:
    found = asked("total balance of accounts of branches")
    assert any("branches" in told for told in (*found.assumptions, found.restatement, found.reply))


@pytest.mark.parametrize(
    ("question", "beginning"),
    [
        ("branches by deposits", "Deposits by branch name, sorted by deposits, highest first"),
        ("average balance per account by status", "Average balance by account status"),
        ("highest and lowest balance", "Highest balance and lowest balance"),
        ("average balance per customer by segment", "Total balance divided by number of customers by segment"),
        ("loan types with number", "Number of loans by loan type"),
        ("customers without loans or accounts", "List of customers"),
    ],
)
def test_everyday_ways_of_asking_are_understood(question: str, beginning: str) -> None:
    assert asked(question).restatement.startswith(beginning)


def test_new_rows_are_those_of_a_period() -> None:
    assert asked("new customers").outcome == "refused"
