"""A word that is a value of the rows in question and a yes-or-no column of others they belong to."""

from __future__ import annotations

from functools import cache

import pytest

from ai_engine.built_in.knowledge import Knowledge
from ai_engine.built_in.outcomes.outcome import decide
from tests.ai_engine.built_in.inferred import inferred_knowledge

DDL = """
CREATE TABLE agents (agent_id INTEGER PRIMARY KEY, agent_name VARCHAR(40), is_active INTEGER NOT NULL);
CREATE TABLE proposals (proposal_id INTEGER PRIMARY KEY, agent_id INTEGER REFERENCES agents (agent_id),
  product VARCHAR(20));
CREATE TABLE leases (lease_id INTEGER PRIMARY KEY, proposal_id INTEGER REFERENCES proposals (proposal_id),
  amount DECIMAL(12,2), state VARCHAR(10));
"""


@cache
def leases() -> Knowledge:
    return inferred_knowledge(DDL, {"proposals.product": ("van", "truck"), "leases.state": ("active", "ended")})


@pytest.mark.parametrize(
    ("question", "restatement"),
    [
        ("how many active leases", "Number of leases, where state is active"),
        ("how many active vans", "Number of leases, where state is active and product is van"),
        ("active leases by product", "Number of leases by product, where state is active"),
        ("how many active agents", "Number of agents, where active is 1"),
    ],
)
def test_a_value_of_the_rows_themselves_goes_before_a_flag_of_those_behind_them(question: str, restatement: str):
    assert decide(question, (), leases()).restatement == restatement


@pytest.mark.parametrize(
    "question", ["the 5 active vans with the highest amount", "the 5 vans with the highest amount"]
)
def test_so_many_of_a_value_that_is_no_name_of_rows_are_refused(question: str):
    assert decide(question, (), leases()).unplaced == ("5",)
