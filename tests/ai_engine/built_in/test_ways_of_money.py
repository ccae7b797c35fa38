"""Money that comes in and goes out: small words and verbs that tell which, and days called "since"."""

from __future__ import annotations

import pytest

from ai_engine.built_in.outcomes.outcome import decide
from tests.ai_engine.built_in.inferred import inferred_knowledge

DDL = """
CREATE TABLE savers (saver_id INTEGER PRIMARY KEY, saver_name VARCHAR(40), town VARCHAR(20), saver_since DATE);
CREATE TABLE bookings (booking_id INTEGER PRIMARY KEY, saver_id INTEGER REFERENCES savers (saver_id),
  way VARCHAR(3), booked_on DATE, sum_booked DECIMAL(12,2), partner_name VARCHAR(40), state VARCHAR(10));
"""
SAVERS = inferred_knowledge(
    DDL, {"savers.town": ("Hof", "Lindau"), "bookings.way": ("IN", "OUT"), "bookings.state": ("done", "failed")}
)


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("How many bookings went out in May 2026?", "Number of bookings, where way is OUT, for May 2026"),
        ("number of bookings that were paid out in 2025", "where way is OUT"),
        ("bookings IN in May 2026", "where way is IN"),
        ("how many bookings in May 2026", "Number of bookings, for May 2026"),
        ("number of bookings, in or out, in May 2026", "Number of bookings, for May 2026"),
        (
            "savers with no booking, in or out, since 1 May 2026",
            "without bookings (where booked on is on or after 1 May",
        ),
        ("savers since 1 May 2026", "since 1 May 2026 by saver since"),
        ("how many savers since 2025", "Number of savers, since 2025 (since 1 January 2025)"),
    ],
)
def test_the_way_of_money_is_read_where_it_is_said(question: str, answer: str) -> None:
    assert answer in decide(question, (), SAVERS).restatement


@pytest.mark.parametrize(
    ("question", "left"),
    [
        ("how many partners were paid in each town", "paid"),
        ("bookings made in May 2025 or June 2026", "bookings"),
        ("total sum booked that was received by town", "received"),
    ],
)
def test_a_verb_of_paying_that_leaves_the_way_open_is_reported(question: str, left: str) -> None:
    assert left in decide(question, (), SAVERS).unplaced


def test_a_period_is_no_alternative_to_a_value() -> None:
    assert "or" in decide("savers from Hof, or not, in May 2026", (), SAVERS).unplaced
