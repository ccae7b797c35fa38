"""What somebody did is the day that is called so, what it leaves behind, and never nothing."""

from __future__ import annotations

from functools import cache

import pytest

from ai_engine.built_in.knowledge import Knowledge
from ai_engine.built_in.outcomes.outcome import decide
from tests.ai_engine.built_in.inferred import inferred_knowledge

DDL = """
CREATE TABLE buyer (buyer_id INTEGER PRIMARY KEY, buyer_name VARCHAR(40), registered_on DATE);
CREATE TABLE bulb (bulb_id INTEGER PRIMARY KEY, bulb_name VARCHAR(40), species VARCHAR(20));
CREATE TABLE lot (lot_id INTEGER PRIMARY KEY, bulb_id INTEGER REFERENCES bulb (bulb_id), bulbs_offered INTEGER,
  shown_on DATE);
CREATE TABLE sale (sale_id INTEGER PRIMARY KEY, lot_id INTEGER REFERENCES lot (lot_id),
  buyer_id INTEGER REFERENCES buyer (buyer_id), sold_on DATE, crates_sold INTEGER, price_per_crate DECIMAL(9,2));
CREATE TABLE voucher (voucher_id INTEGER PRIMARY KEY, buyer_id INTEGER REFERENCES buyer (buyer_id), amount DECIMAL(9,2),
  issued_on DATE, assigned_on DATE);
"""
VALUES = {"bulb.species": ("tulip", "crocus"), "bulb.bulb_name": ("Dawn", "Ember")}


@cache
def bulb_market() -> Knowledge:
    return inferred_knowledge(DDL, VALUES)


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("Total value of vouchers assigned last month", "Total amount, for last month (October 2026) by assigned on"),
        ("vouchers assigned to us in 2025, number", "for 2025 by assigned on"),
        ("How many vouchers did we assign in 2025?", "for 2025 by assigned on"),
        ("which buyer bought the most crates in 2025", "Total crates sold by buyer"),
        ("most crates in 2025 by species", "Total crates sold by species"),
        ("turnover by species in 2025", "Total line value by species"),
        ("buyers who bought tulips in 2025", "with sales (where species is tulip and sold on is in 2025)"),
    ],
)
def test_a_deed_is_the_day_or_the_rows_that_are_called_after_it(question: str, told: str) -> None:
    found = decide(question, (), bulb_market())
    assert told in found.restatement, found.restatement or found.reply
