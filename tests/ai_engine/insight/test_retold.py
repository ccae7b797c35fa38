"""A text about several results repeats their figures, and makes up none."""

from __future__ import annotations

from decimal import Decimal

import pytest

from ai_engine.insight import unretold_figures, unsaid_figures

ANSWERS = ["Pune has Rs.1,75,206.00 (5.02% of all) in 12 branches.", "The EMI is Rs.22,100.50 for 240 months."]
TABLE = [("Pune", Decimal("200000"), 0.25), ("Goa", Decimal("100000"), None)]


@pytest.mark.parametrize(
    "text",
    [
        "Pune has Rs.1,75,206.00, about 1.75 lakh, and the EMI is Rs.22,101.",
        "5.02% of all, in twelve branches.",
        "Pune has 2 lakh, twice that of Goa, which is Rs.1,00,000 or 50% less.",
        "Pune's share is 25%; both rows of 2 are told.",
        "No figure at all.",
    ],
)
def test_what_was_told_or_follows_from_a_table_may_be_said(text: str):
    assert unretold_figures(text, ANSWERS, [TABLE]) == ()


@pytest.mark.parametrize(
    ("text", "made_up"),
    [
        ("Pune has Rs.1,75,207.00.", ("1,75,207.00",)),
        ("Together they have 3 lakh.", ("3 lakh",)),
        ("Growth of 12%.", ("12%",)),
        ("The rate is 5.02.", ("5.02",)),
        ("Seven branches.", ("Seven",)),
    ],
)
def test_what_was_not_is_found(text: str, made_up: tuple[str, ...]):
    assert unretold_figures(text, ANSWERS, [TABLE]) == made_up


def test_without_results_every_figure_is_made_up():
    assert unretold_figures("It is 42.", [], []) == ("42",)


@pytest.mark.parametrize(
    ("answer", "text", "turned_round"),
    [
        ("Deposits fell by 12% to Rs.9.00 lakh.", "Deposits rose by 12%.", ("12%",)),
        ("Deposits are Rs.9.00 lakh, up 12% from Rs.8.04 lakh.", "A 12% drop in deposits.", ("12%",)),
        ("Deposits fell by 12%.", "Deposits dropped 12%.", ()),
        ("Deposits fell by 12%; loans rose by 12%.", "Loans grew 12%.", ()),
        ("The share is 12%.", "It is up 12%.", ()),
    ],
)
def test_what_an_answer_tells_as_a_fall_is_no_rise(answer: str, text: str, turned_round: tuple[str, ...]):
    assert unretold_figures(text, [answer], []) == turned_round


@pytest.mark.parametrize(
    ("answer", "text", "turned_round"),
    [
        ("The balance is Rs.12,000.00.", "The balance is minus Rs.12,000.", ("12,000",)),
        ("The balance is -Rs.12,000.00.", "The balance is minus Rs.12,000.", ()),
        ("It fell by 12%.", "A change of -12%.", ()),
        ("It rose by 12%.", "A change of -12%.", ("12%",)),
    ],
)
def test_a_minus_that_no_answer_has_is_found(answer: str, text: str, turned_round: tuple[str, ...]):
    assert unretold_figures(text, [answer], []) == turned_round


@pytest.mark.parametrize(
    ("text", "unsaid"),
    [
        ("What is 100 % of 987654321?", ("100 %", "987654321")),
        ("Which branches are above nine hundred crore?", ("nine hundred crore",)),
        ("What is 12 % of 4,50,00,000?", ()),
        ("What is 12 % of one branch's 45 million in March 2026?", ()),
        ("What is the change since 1 April 2025?", ()),
    ],
)
def test_figures_that_are_handed_on_were_said_and_periods_are_none(text: str, unsaid: tuple[str, ...]):
    assert unsaid_figures(text, ["what is 12 % of 4.5 crore?"]) == unsaid


def test_a_figure_that_is_handed_on_may_be_a_cell():
    assert unsaid_figures("What is 12 % of 42?", ["12 % of that"], [[(42,), (7,)]]) == ()
