from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ai_engine.built_in.knowledge import Knowledge
from ai_engine.built_in.outcomes.outcome import decide
from ai_engine.built_in.rewording.glossary import WrittenOut, write_out
from tests.ai_engine.built_in.bank import MODEL, knowledge, vocabulary

GLOSSARY = {
    "abc": "average balance of accounts opened in the last 7 days, inclusive of today",
    "tac": "total active accounts that were opened on or after january 1, 2023",
    "abt": "average balance of accounts for each account type",
    "in": "individual customers",
    "balance": "number of branches",
    "sba": "accounts of type 'Savings'",
}


def with_glossary(**glossary: str) -> Knowledge:
    return Knowledge(replace(vocabulary(), model=replace(MODEL, glossary=glossary or GLOSSARY)))


@pytest.mark.parametrize(
    ("question", "written"),
    [
        ("What is the ABC?", "What is the average balance of accounts opened in the last 7 days, inclusive of today?"),
        ("ABC in 2024", "average balance of accounts opened in 2024"),
        ("abc by region since May 2025", "average balance of accounts opened by region since May 2025"),
        ("How many TAC are there?", "How many active accounts that were opened on or after january 1 2023 are there?"),
        ("Number of TAC per city in 2024", "Number of active accounts per city in 2024"),
        ("ABT", "average balance of accounts for each account type"),
        ("ABT for each region", "average balance of accounts for each region"),
        ("Number of IN in Pune", "Number of individual customers in Pune"),
        ("List the SBA", "List the accounts of type “Savings”"),
    ],
)
def test_an_abbreviation_is_written_out_but_for_what_the_question_says_itself(question, written):
    assert write_out(question, with_glossary()).question == written


def test_an_abbreviation_said_twice_has_its_period_once():
    written = write_out("Top 3 cities by ABC, with the ABC", with_glossary()).question
    assert written.count("average balance") == 2
    assert written.count("last 7 days") == 1


@pytest.mark.parametrize(
    ("question", "written"),
    [
        (
            "How many monthly busy customers were there in March 2025?",
            "How many customers with at least 2 transactions in March 2025 were there?",
        ),
        (
            "busy customers per city in the month of March 2025",
            "customers with at least 2 transactions in March 2025 per city",
        ),
        ("How many busy customers are there?", "How many customers with at least 2 transactions are there?"),
    ],
)
def test_a_phrase_of_the_given_month_takes_the_question_s_period(question, written):
    busy = with_glossary(**{"busy customers": "customers with at least 2 transactions in the given month"})
    assert write_out(question, busy).question == written


@pytest.mark.parametrize("question", ["Customers in Pune", "Total balance", "Accounts named 'ABC'", "ABCD", "x_abc"])
def test_names_everyday_words_quotes_and_parts_of_words_are_left_alone(question):
    assert write_out(question, with_glossary()) == WrittenOut(question)


def test_what_an_abbreviation_was_taken_for_is_stated_and_the_question_is_answered():
    found = decide("ABC by channel in 2024", (), with_glossary(abc="average transaction amount in the last 7 days"))
    assert found.outcome == "query"
    assert found.assumptions[0] == "“ABC” was read as average transaction amount"
    assert found.restatement == decide("average transaction amount by channel in 2024", (), knowledge()).restatement


@pytest.mark.parametrize(
    "question", ["what does SBA mean", "What does SBA stand for?", "define SBA", "what is the meaning of SBA"]
)
def test_what_an_abbreviation_means_is_told_from_the_glossary(question):
    found = decide(question, (), with_glossary())
    assert (found.outcome, found.reply) == ("about", "SBA stands for: accounts of type 'Savings'.")


def test_without_a_glossary_an_abbreviation_is_refused():
    assert decide("ABC by account type", (), knowledge()).outcome == "refused"


WORDS = st.sampled_from(
    ["ABC", "tac", "ABT", "balance", "by", "per", "in", "2024", "last month", ",", "'", "?", "how many"]
)


@settings(max_examples=60, deadline=None)
@given(st.lists(WORDS, max_size=8).map(" ".join))
def test_no_known_abbreviation_is_left_and_any_question_can_be_written_out(question):
    written = write_out(question, with_glossary(abc=GLOSSARY["abc"], tac=GLOSSARY["tac"], abt=GLOSSARY["abt"]))
    if "'" not in question:
        assert not {"abc", "tac", "abt"} & set(written.question.lower().split())
