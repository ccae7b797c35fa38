"""Tables whose only link is a secret: what needs it is refused with the reason, and the rest is answered."""

from __future__ import annotations

import pytest

from ai_engine.built_in.outcomes.outcome import decide
from ai_engine.semantics.compiler import compile_intent
from tests.ai_engine.built_in.inferred import inferred_knowledge

DDL = """
CREATE TABLE card (card_number CHAR(16) PRIMARY KEY, owner_name VARCHAR(40), network VARCHAR(10),
  spending_limit DECIMAL(9,2));
CREATE TABLE shop (shop_id INTEGER PRIMARY KEY, shop_name VARCHAR(40));
CREATE TABLE payment (payment_id INTEGER PRIMARY KEY, card_number CHAR(16) REFERENCES card (card_number),
  shop_id INTEGER REFERENCES shop (shop_id), amount DECIMAL(9,2), paid_on DATE);
"""
CARDS = inferred_knowledge(
    DDL,
    {
        "card.card_number": ("4111111111111111",),
        "payment.card_number": ("4111111111111111",),
        "card.network": ("Zeta",),
    },
)


@pytest.mark.parametrize(
    "question", ["How many payments with Zeta cards?", "total payment amount by network", "cards without payments"]
)
def test_what_could_only_be_joined_by_a_secret_is_refused_with_the_reason(question: str) -> None:
    found = decide(question, (), CARDS)
    assert found.outcome == "refused"
    assert "sensitive" in found.reply
    assert "belong together" in found.reply


@pytest.mark.parametrize(
    "question", ["How many cards are there?", "payments per shop", "the 2 cards with the highest limit"]
)
def test_what_needs_no_secret_is_answered_without_reading_it(question: str) -> None:
    found = decide(question, (), CARDS)
    assert found.intent is not None
    known = CARDS.vocabulary
    assert "card_number" not in compile_intent(found.intent, known.model, "sqlite", known.as_of).sql


def test_a_secret_itself_is_refused_as_such() -> None:
    assert "is not shown" in decide("list the card numbers", (), CARDS).reply
