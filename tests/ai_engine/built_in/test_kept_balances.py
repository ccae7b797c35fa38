"""A table of balances taken at month ends: its noun is the figure it keeps, and not how often it was taken."""

from __future__ import annotations

from functools import cache

import pytest

from ai_engine.built_in.knowledge import Knowledge
from ai_engine.built_in.outcomes.outcome import decide
from tests.ai_engine.built_in.inferred import inferred_knowledge

DDL = """
CREATE TABLE holders (holder_id INTEGER PRIMARY KEY, full_name VARCHAR(40), town VARCHAR(20));
CREATE TABLE pots (pot_no VARCHAR(12) PRIMARY KEY, holder_id INTEGER REFERENCES holders (holder_id));
CREATE TABLE month_end_balance (pot_no VARCHAR(12) REFERENCES pots (pot_no), month_end DATE, balance_amt DECIMAL(12,2),
  PRIMARY KEY (pot_no, month_end));
"""


@cache
def pots() -> Knowledge:
    return inferred_knowledge(DDL, {"holders.town": ("Ghent", "Bruges")})


@pytest.mark.parametrize(
    ("question", "beginning"),
    [
        ("total balances at the end of October by town", "Total balance amount by town"),
        ("total month end balance in October", "Total balance amount"),
        ("top 5 holders by combined balance", "Total balance amount by holder"),
        ("average balance by town", "Average balance amount by town"),
        ("how many month end balances are there", "Number of month end balances"),
    ],
)
def test_a_balance_is_added_up_and_counted_only_where_its_rows_are_named(question: str, beginning: str):
    found = decide(question, (), pots())
    assert found.outcome == "query"
    assert found.restatement.startswith(beginning)
