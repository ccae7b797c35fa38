"""Another number for the calculation before."""

from __future__ import annotations

import pytest

from ai_engine.specialists.computation.follow_up import standing_alone

EMI = "EMI for 25 lakh at 8.75 % over 20 years"


@pytest.mark.parametrize(
    ("question", "earlier", "whole"),
    [
        ("and for 15 years?", [EMI], "EMI for 25 lakh at 8.75 % over 15 years"),
        ("and over 180 months?", [EMI], "EMI for 25 lakh at 8.75 % over 180 months"),
        ("at 9 %?", [EMI, "and for 15 years?"], "EMI for 25 lakh at 9 % over 15 years"),
        ("30 lakh at 9 %", [EMI], "EMI for 30 lakh at 9 % over 20 years"),
        (
            "at 7 %?",
            ["What will 5 lakh be worth in 10 years at 6.5 %?"],
            "What will 5 lakh be worth in 10 years at 7 %?",
        ),
        ("hmm and if I stretch it to 15 years", [EMI], "EMI for 25 lakh at 8.75 % over 15 years"),
        ("ok make it 30 lakh", [EMI], "EMI for 30 lakh at 8.75 % over 20 years"),
        ("and 500?", ["What percentage is 340 of 12000?"], "and 500?"),
        ("and 5 lakh or 6 lakh?", [EMI], "and 5 lakh or 6 lakh?"),
        ("CAGR from 100 to 150 in 3 years", [EMI], "CAGR from 100 to 150 in 3 years"),
        ("and for 15 years?", [], "and for 15 years?"),
        ("why?", [EMI], "why?"),
    ],
)
def test_numbers_take_the_place_of_the_only_one_of_their_kind(question: str, earlier: list[str], whole: str):
    assert standing_alone(question, earlier) == whole
