from __future__ import annotations

from functools import cache

import pytest

from ai_engine.built_in.knowledge import Knowledge
from ai_engine.built_in.outcomes.outcome import decide
from ai_engine.built_in.outcomes.rivals import said_in_known_words
from tests.ai_engine.built_in.inferred import inferred_knowledge
from tests.ai_engine.built_in.lending_house import lending_house

DDL = """
CREATE TABLE person (person_id INTEGER PRIMARY KEY, first_name VARCHAR(40), last_name VARCHAR(40), town VARCHAR(40));
CREATE TABLE card_application (application_id INTEGER PRIMARY KEY, person_id INTEGER REFERENCES person (person_id),
  sent_on DATE, card_kind VARCHAR(10), outcome VARCHAR(10));
CREATE TABLE card (card_id INTEGER PRIMARY KEY, application_id INTEGER REFERENCES card_application (application_id),
  credit_limit DECIMAL(9,2), annual_rate DECIMAL(5,2));
CREATE TABLE complaint (complaint_id INTEGER PRIMARY KEY, person_id INTEGER REFERENCES person (person_id),
  topic VARCHAR(20), raised_on DATE, inspected_on DATE);
CREATE TABLE course (course_id INTEGER PRIMARY KEY, course_name VARCHAR(40));
CREATE TABLE enrolment (person_id INTEGER REFERENCES person (person_id),
  course_id INTEGER REFERENCES course (course_id), enrolled_on DATE, PRIMARY KEY (person_id, course_id));
"""
VALUES = {
    "card_application.card_kind": ("gold", "silver"),
    "card_application.outcome": ("accepted", "declined"),
    "complaint.topic": ("fees", "service"),
}
PEOPLE = "List of persons showing person id, first name and last name"


@cache
def card_house() -> Knowledge:
    return inferred_knowledge(DDL, VALUES)


@pytest.mark.parametrize(
    ("question", "restatement"),
    [
        ("Who has never applied for a card?", f"{PEOPLE}, without card applications"),
        ("people who applied for a gold card", f"{PEOPLE}, with card applications (where card kind is gold)"),
        ("people who asked for a card", f"{PEOPLE}, with card applications"),
        ("How many people have applied?", "Number of persons, with card applications"),
        ("people who complained", f"{PEOPLE}, with complaints"),
        ("people with a card", f"{PEOPLE}, with cards"),
        ("card applications that were turned down", "where outcome is declined"),
        (
            "people with one application accepted and another one declined",
            f"{PEOPLE}, with card applications (where outcome is accepted) and with card applications"
            " (where outcome is declined)",
        ),
        ("How many card applications were sent in 2025 and turned down?", "where outcome is declined, for 2025"),
        ("average interest rate of cards", "Average annual rate"),
        ("complaints without an inspection date", "where inspected on is missing"),
    ],
)  # fmt: skip
def test_a_verb_with_its_noun_says_the_table_that_they_name(question: str, restatement: str) -> None:
    found = decide(question, (), card_house())
    assert found.outcome == "query", found.reply
    assert restatement in found.restatement


def test_what_a_verb_was_taken_for_is_said() -> None:
    found = decide("people who applied for a card", (), card_house())
    assert "“applied for a card” was read as having card applications" in found.assumptions


@pytest.mark.parametrize("question", ["people who applied for a loan", "loans asked for", "amount applied for"])
def test_where_no_table_is_called_so_the_verb_stays(question: str) -> None:
    assert said_in_known_words(question, lending_house()).question == question
