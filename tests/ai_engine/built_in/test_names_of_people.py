"""Names of people who have a first and a last name, and a city with a name too."""

from __future__ import annotations

from functools import cache

from ai_engine.built_in.knowledge import Knowledge
from ai_engine.built_in.outcomes.outcome import decide
from tests.ai_engine.built_in.inferred import inferred_knowledge

DDL = """
CREATE TABLE branches (branch_code VARCHAR(4) PRIMARY KEY, branch_name VARCHAR(40), city_name VARCHAR(20));
CREATE TABLE customers (customer_id INTEGER PRIMARY KEY, first_name VARCHAR(20), last_name VARCHAR(20),
  city_name VARCHAR(20), branch_code VARCHAR(4) REFERENCES branches (branch_code));
CREATE TABLE cards (card_id INTEGER PRIMARY KEY, customer_id INTEGER REFERENCES customers (customer_id),
  state VARCHAR(10));
CREATE TABLE disputes (dispute_id INTEGER PRIMARY KEY, card_id INTEGER REFERENCES cards (card_id));
"""


@cache
def cards() -> Knowledge:
    return inferred_knowledge(DDL, {"cards.state": ("blocked", "open"), "customers.city_name": ("Pune", "Nashik")})


def test_names_of_people_are_their_own_and_not_that_of_their_city():
    found = decide("names of customers with a blocked card", (), cards())
    assert found.choices == (
        "List of customers showing first name, with cards (where state is blocked)",
        "List of customers showing last name, with cards (where state is blocked)",
    )


def test_a_noun_before_another_only_tells_which_of_them_are_counted():
    found = decide("customers with at least 4 card disputes", (), cards())
    assert found.restatement.endswith("with at least 4 disputes")
