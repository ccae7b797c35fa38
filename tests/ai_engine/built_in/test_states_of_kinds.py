"""A state said before a kind is that of the rows of that kind; deposits are money."""

from __future__ import annotations

import pytest

from ai_engine.built_in.outcomes.outcome import decide
from tests.ai_engine.built_in.inferred import inferred_knowledge

DDL = """
CREATE TABLE savers (saver_id INTEGER PRIMARY KEY, saver_name VARCHAR(40), shire VARCHAR(20), saver_status VARCHAR(10));
CREATE TABLE deposit_books (book_id INTEGER PRIMARY KEY, saver_id INTEGER REFERENCES savers (saver_id),
  book_kind VARCHAR(10), book_status VARCHAR(10), opened_on DATE, balance DECIMAL(12,2));
CREATE TABLE advances (advance_id INTEGER PRIMARY KEY, saver_id INTEGER REFERENCES savers (saver_id),
  advance_kind VARCHAR(10), advance_status VARCHAR(10), granted_on DATE, granted_amount DECIMAL(12,2));
"""
VALUES: dict[str, tuple[str, ...]] = {
    "savers.shire": ("Kent", "Dorset"),
    "savers.saver_status": ("Active", "Left"),
    "deposit_books.book_kind": ("Junior", "Holiday"),
    "deposit_books.book_status": ("Active", "Closed"),
    "advances.advance_kind": ("Boat", "Harvest"),
    "advances.advance_status": ("Active", "Repaid"),
}


@pytest.mark.parametrize(
    ("question", "understood"),
    [
        (
            "How many savers have an active junior book?",
            "Number of savers, with deposit books (where book status is Active and book kind is Junior)",
        ),
        (
            "How many savers have both an active junior book and an active holiday book?",
            "Number of savers, with deposit books (where book status is Active and book kind is Junior)"
            " and with deposit books (where book status is Active and book kind is Holiday)",
        ),
        (
            "How many savers have an active junior book and an active boat advance?",
            "Number of savers, with deposit books (where book status is Active and book kind is Junior)"
            " and with advances (where advance status is Active and advance kind is Boat)",
        ),
        (
            "How many active savers have a junior book?",
            "Number of savers, where saver status is Active, with deposit books (where book kind is Junior)",
        ),
        ("Total deposits by shire", "Total balance by shire"),
        ("Total junior deposits by shire", "Total balance by shire, where book kind is Junior"),
        ("Total number of deposits by shire", "Number of deposit books by shire"),
        ("Total deposits opened in 2026", "Total balance, for 2026 by opened on"),
    ],
)
def test_a_state_before_a_kind_is_that_of_its_rows_and_deposits_are_money(question: str, understood: str):
    found = decide(question, (), inferred_knowledge(DDL, VALUES))
    assert found.restatement == understood, (found.outcome, found.unplaced, found.choices)
