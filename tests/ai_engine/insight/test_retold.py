"""A text about several results repeats their figures, and makes up none."""

from __future__ import annotations

import time
from decimal import Decimal

import pytest

from ai_engine.insight import unretold_figures, unsaid_figures
from tests.patience import allowed_s

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


CITIES = [("Mumbai", 240), ("Delhi", 130), ("Pune", 70)]


@pytest.mark.parametrize(
    "text",
    [
        "There are 240 cro**r**e customers.", "fi**v**e hun**d**red", "fi*v*e lakh", "240**130**", "240&percnt;",
        "240%",
        "cro&shy;re: 240 cro&shy;re", "fi&zwnj;ve", "fi`v`e", "240 \\% of them", "240 &#107;", "900/300", "9000/4500",
        "Mumbai is 240 times Delhi.", "- 240 cro_r_e\n- 130 cro**r**e",
    ],
)  # fmt: skip
def test_a_text_is_judged_as_it_is_written_and_as_it_is_drawn(text: str):
    assert unretold_figures(text, ["Mumbai has 240 customers, Delhi 130, Pune 70."], [CITIES])


def test_emphasis_lists_tables_and_entities_around_figures_are_no_figures():
    text = "# Customers\n\n- **Mumbai**: *240*\n- Delhi &amp; Pune: `130` & 70\n\n| a | b |\n|---|---|\n| 240 | 130 |"
    assert unretold_figures(text, ["Mumbai has **240** customers, Delhi 130, Pune 70."], [CITIES]) == ()


DATED = ["In FY 2024-25 there were 12 branches; as of 31 March 2026 deposits were Rs.5.00 crore."]


@pytest.mark.parametrize(
    "text",
    ["2024 branches", "There are 31 branches.", "Rs.2,026 crore", "twenty-five branches", "12 dollars", "€5 crore",
     "5 crore pesos", "A loss of 5 crore.", "Overdrawn by 5 crore.", "5 crore in the red", "12 (in thousands)"],
)  # fmt: skip
def test_days_are_no_figures_and_a_figure_keeps_its_currency_its_sign_and_its_scale(text: str):
    assert unretold_figures(text, DATED, []) != ()


@pytest.mark.parametrize("text", ["12 branches in FY 2024-25", "On 31 March 2026 it was ₹5 crore.", "5 crore rupees"])
def test_days_and_amounts_may_be_told_in_other_words(text: str):
    assert unretold_figures(text, DATED, []) == ()


def test_words_of_another_script_are_told_where_an_answer_or_a_cell_has_them():
    mumbai, two_hundred = "\u092e\u0941\u0902\u092c\u0908", "\u0926\u094b \u0938\u094c"
    for answers, tables in (([f"{mumbai} has 200."], []), ([], [[(mumbai, 200)]])):
        assert unretold_figures(f"{mumbai} has 200.", answers, tables) == ()
        assert unretold_figures(f"{mumbai} has {two_hundred}.", answers, tables) != ()


def test_what_is_longer_than_a_model_is_asked_to_write_is_not_read():
    assert unretold_figures("1; " * 10_000, ["1"], []) != ()
    assert unsaid_figures("1; " * 10_000, ["1"]) != ()


def test_long_answers_of_many_figures_are_looked_through_in_a_moment():
    """Each figure had all the text before it searched for words of rise and fall: half a minute."""
    answer, began = ", ".join(str(7 * number) for number in range(1_500)), time.monotonic()
    assert unretold_figures("7, 14 and 21", [answer], []) == ()
    assert time.monotonic() - began < allowed_s(4)


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


def test_a_part_without_a_number_is_told_as_an_answer_tells_it():
    assert unretold_figures("Most customers are overdue.", ["There are 440 customers."], []) == ("Most customers",)
    for said in ("Most customers are in Pune.", "Pune has 61% of the customers."):
        assert unretold_figures("Most customers live in Pune.", [said], []) == ()


CITIES = [
    (f"City {name}", number)
    for name, number in zip("ABCDEFGHIJKL", (240, 217, 190, 171, 150, 131, 118, 97, 80, 66, 41, 23), strict=True)
]


def test_a_table_of_many_cells_does_not_bear_out_nearly_any_percentage():
    told = [share for share in range(1, 100) if not unretold_figures(f"{share}% of customers default.", [], [CITIES])]
    assert len(told) <= 12, told
    assert unretold_figures("City E has 30.88% fewer than City B.", [], [CITIES]) == ()


METROS = [("Mumbai", 240), ("Delhi", 130), ("Pune", 70)]


@pytest.mark.parametrize(
    "text", ["Delhi has 240 customers.", "There are 130 customers in Mumbai.", "Pune (240) leads."]
)
def test_a_figure_of_one_row_is_retold_of_no_other(text: str):
    assert unretold_figures(text, ["Mumbai has 240 customers, Delhi 130, Pune 70."], [METROS])


@pytest.mark.parametrize(
    "text",
    [
        "Mumbai has 240 customers, 110 more than Delhi.", "Delhi has 130, Pune 70.", "In Goa there are 12 branches.",
        "Pune has 130 accounts.", "Mumbai leads with 240, followed by Delhi at 130.",
    ],
)  # fmt: skip
def test_a_figure_is_retold_of_the_row_that_a_table_or_an_answer_gives_it(text: str):
    answers = ["Mumbai has 240 customers, Delhi 130, Pune 70.", "Pune has 130 accounts and Goa has 12 branches."]
    assert unretold_figures(text, answers, [METROS]) == ()
