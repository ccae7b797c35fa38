"""Fitting moves a price for a case that lacks something, and by no more than that."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from benchmarks.fit_prices import Candidate, Demand, Told, learn

NAMES = "abcd"
PAID = st.builds(Counter, st.dictionaries(st.sampled_from(NAMES), st.integers(1, 3)))
PRICES = st.fixed_dictionaries(dict.fromkeys(NAMES, st.floats(0, 1)))


@settings(max_examples=50)
@given(right=PAID, wrong=PAID, lacking=st.floats(-0.1, 0.1), prices=PRICES)
def test_prices_move_only_for_what_is_lacking_by_no_more_and_never_below_nothing(
    right: Counter[str], wrong: Counter[str], lacking: float, prices: dict[str, float]
) -> None:
    assume(right != wrong)  # no price can tell them apart, and the fit asks none to
    demand = Demand(Candidate(right, 0.0), Candidate(wrong, 0.0), 0.0)
    demand = replace(demand, least=lacking - demand.lacking(prices))
    before, lacked = dict(prices), demand.lacking(prices)
    learn(demand, prices)
    assert lacked > 0 or prices == before
    assert min(0.0, lacked) - 1e-9 <= demand.lacking(prices) <= lacked + 1e-9
    assert all(0 <= price <= 1 for price in prices.values())
    assert {name for name in NAMES if prices[name] != before[name]} <= demand.differing.keys()


def test_a_sum_remembers_each_price_as_often_as_it_was_added() -> None:
    group, step = Told.of("group", 0.2), Told.of("step", 0.1)
    told = sum([group + 1.5 + step, 0.25 + group])
    assert isinstance(told, Told)
    assert told.paid() == Counter({"group": 2, "step": 1})
    assert told == pytest.approx(2.25)
