"""Every construction takes the words of its own example, and has a price that was fitted for it."""

from __future__ import annotations

from collections import Counter

import pytest

from ai_engine.built_in.grammar.all_kinds import english, every_price, fingerprint, in_conversation
from ai_engine.built_in.grammar.construction import Construction
from ai_engine.built_in.grammar.prices import PRICES_FILE, Prices, fitted_prices
from ai_engine.built_in.grammar.reader import chart_of, tokens_of
from ai_engine.built_in.grammar.schema import Schema
from ai_engine.built_in.knowledge import Knowledge
from tests.ai_engine.built_in.bank import knowledge
from tests.ai_engine.built_in.clinics import clinics
from tests.ai_engine.built_in.leasing_desk import leasing_desk
from tests.ai_engine.built_in.lending_house import lending_house
from tests.ai_engine.built_in.purse import purse
from tests.ai_engine.built_in.test_stored_counts import counters
from tests.ai_engine.built_in.test_what_became_of_rows import orchard_fund
from tests.ai_engine.built_in.tram_works import tram_works

CONSTRUCTIONS = in_conversation().constructions


def favouring(construction: Construction) -> Prices:
    """One construction for nothing, so that no other way to say the same stands before it."""
    return Prices({name: 0.0 if name == construction.name else 0.1 for name in every_price()})


@pytest.mark.parametrize("construction", CONSTRUCTIONS, ids=lambda found: f"{found.name}: {found.example}")
def test_a_construction_takes_its_example(construction: Construction, bank: Knowledge) -> None:
    """On the sample bank, or on a house of the other tests, which have flags, roles and numbers that are kept."""
    assert any(
        takes(construction, knows)
        for knows in (
            bank,
            knowledge(),
            lending_house(),
            leasing_desk(),
            counters(),
            purse(),
            clinics(),
            tram_works(),
            orchard_fund(),
        )
    )


def takes(construction: Construction, knows: Knowledge) -> bool:
    grammar = english() if construction in english().constructions else in_conversation()
    chart = chart_of(tokens_of(construction.example, knows), Schema(knows), favouring(construction), grammar)
    return any(construction.name in phrase.every_price() for phrase in chart.whole(construction.category))


def test_no_two_constructions_say_the_same() -> None:
    assert [name for name, times in Counter(found.name for found in CONSTRUCTIONS).items() if times > 1] == []


def test_the_prices_were_fitted_for_just_these_constructions_and_none_is_negative() -> None:
    prices = fitted_prices().by_name
    assert set(prices) == set(every_price()), "run `make fit`"
    assert f"# for {fingerprint()}" in PRICES_FILE.read_text(encoding="utf-8").splitlines(), "run `make fit`"
    assert min(prices.values()) >= 0
