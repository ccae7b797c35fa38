"""What the grammar composes and what it refuses."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ai_engine.built_in.grammar.reader import readings
from ai_engine.built_in.knowledge import Knowledge
from ai_engine.built_in.outcomes.outcome import decide
from ai_engine.types import Interpretation
from tests.ai_engine.built_in.bank import vocabulary
from tests.ai_engine.built_in.inferred import inferred_knowledge
from tests.ai_engine.built_in.lending_house import lending_house

GRAMMAR = Knowledge(vocabulary())


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
    found = asked("customers with at least 3 loans or accounts together")
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
    assert told in decide(question, (), Knowledge(lending_house().vocabulary)).restatement


def test_who_manages_what_nobody_is_known_to_manage_is_refused() -> None:
    found = decide("Who manages the North Yard depot?", (), Knowledge(lending_house().vocabulary))
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


ACQUIRER = inferred_knowledge(
    """
    CREATE TABLE merchants (merchant_id INTEGER PRIMARY KEY, trading_name VARCHAR(60), category VARCHAR(30),
      city VARCHAR(40), is_verified BOOLEAN, monthly_limit DECIMAL(12,2));
    CREATE TABLE sales (sale_id INTEGER PRIMARY KEY, merchant_id INTEGER REFERENCES merchants(merchant_id),
      sold_at TIMESTAMP, scheme VARCHAR(20), gross_amount DECIMAL(12,2), net_amount DECIMAL(12,2), refunded BOOLEAN);
    CREATE TABLE payouts (payout_id INTEGER PRIMARY KEY, merchant_id INTEGER REFERENCES merchants(merchant_id),
      sent_on DATE, amount DECIMAL(12,2), status VARCHAR(20), failure_reason VARCHAR(30), grade CHAR(1));
    CREATE TABLE advances (advance_id INTEGER PRIMARY KEY, merchant_id INTEGER REFERENCES merchants(merchant_id),
      disbursed_on DATE, repaid_on DATE, principal DECIMAL(12,2), outstanding DECIMAL(12,2), purpose VARCHAR(30));
    """,
    {
        "merchants.category": ("Grocery", "Travel"),
        "merchants.city": ("Lyon", "Porto"),
        "sales.scheme": ("Visa", "Mastercard"),
        "payouts.status": ("Sent", "Failed", "On Hold", "Processed"),
        "payouts.grade": ("C", "D"),
        "payouts.failure_reason": ("Closed account", "Wrong number"),
        "advances.purpose": ("Stock", "Tax"),
    },
)


@pytest.mark.parametrize(
    ("question", "restatement"),
    [
        ("how much did we disburse in 2025", "Total principal, for 2025 by disbursed on"),
        (
            "how much did Grocery merchants repay in 2025",
            "Total principal, where category is Grocery, for 2025 by repaid on",
        ),
        ("total disbursed by purpose", "Total principal by purpose, where disbursed on is known"),
        ("how many payouts and how much", "Number of payouts and total amount"),
        ("failed payouts, count and amount", "Number of payouts and total amount, where status is Failed"),
        ("sales by scheme, number and amount", "Number of sales and total gross amount by scheme"),
        ("sales by scheme in value terms", "Total gross amount by scheme"),
        ("sales by scheme, amounts not counts", "Total gross amount by scheme"),
        ("net sales by category", "Total net amount by category"),
        ("gross vs net by scheme", "Total gross amount and total net amount by scheme"),
        ("failed payouts only, how many", "Number of payouts, where status is Failed"),
        ("unverified merchants by city", "Number of merchants by city, where verified is no"),
        ("verified vs unverified merchants", "Number of merchants by verified"),
        (
            "rank merchants by average gross amount",
            "Average gross amount by merchant, sorted by average gross amount, highest first",
        ),
        (
            "share of outstanding held by the top 10 merchants",
            "Share of total outstanding of merchants taken together, "
            "sorted by share of total outstanding, highest first, top 10",
        ),
        (
            "number of advances where outstanding is more than half of the principal",
            "Number of advances, where outstanding is above 50% of principal",
        ),
        (
            "number of sales above twice the average sale",
            "Number of sales, where gross amount is above 200% of the average gross amount over all rows",
        ),
        (
            "most common failure reason",
            "Number of payouts by failure reason, where failure reason is known, "
            "sorted by number of payouts, highest first, top 1",
        ),
        ("how many payouts are on hold", "Number of payouts, where status is On Hold"),
        ("what amount of payouts was processed", "Total amount, where status is Processed"),
        ("number of payouts graded C or D", "Number of payouts, where grade is C or D"),
        ("how many merchants are not verified", "Number of merchants, where verified is no"),
        (
            "failed payouts as a percentage of all payouts by merchant",
            "Share of payouts where status is Failed by merchant",
        ),
        (
            "number of advances with outstanding above the monthly limit of the merchant",
            "Number of advances, where outstanding is above monthly limit",
        ),
        ("refund rate by scheme", "Share of sales where refunded is yes by scheme"),
        (
            "top 2 merchants in each city by net sales",
            "Total net amount by merchant and city, sorted by total net amount, highest first, top 2 in each city",
        ),
    ],
)
def test_what_people_ask_of_a_bank_that_nobody_prepared_is_read(question: str, restatement: str) -> None:
    assert decide(question, (), Knowledge(ACQUIRER.vocabulary)).restatement == restatement


@pytest.mark.parametrize(
    ("question", "restatement"),
    [
        ("which branch has the worst NPA ratio", "NPA ratio by branch name, sorted by NPA ratio, highest first, top 1"),
        ("how many customers closed all their accounts", "Number of customers, with accounts (where account status is"),
        ("newest customer", "List of customers showing customer id, customer name, segment and joining date"),
        ("branches by loans", "Number of loans by branch name, sorted by number of loans, highest first"),
    ],
)
def test_what_was_taken_for_something_else_is_read_as_it_is_meant(question: str, restatement: str) -> None:
    assert asked(question).restatement.startswith(restatement)
