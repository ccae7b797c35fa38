from __future__ import annotations

from dataclasses import replace

import pytest

from ai_engine.llm.told_of_data import unknown_figures, unknown_names
from tests.ai_engine.llm.bank import BANK, MODEL

NOTED = replace(BANK, model=replace(MODEL, instructions="Dormant is an account with no entry for 90 days."))
ASKED = ("what is in the data about the Wealth desk, say the top 5?",)


@pytest.mark.parametrize(
    "text",
    [
        "Two tables: customers and accounts.",
        "There are 2 tables, customers with 5 columns and accounts with 4 columns; 1 metric is defined.",
        "Dormant means no entry for 90 days.",
        "The data is as of 31 March 2025.",
        "Each account has one row per account. Segments are Retail, HNI and Corporate.",
        "I can show the top 5 of the Wealth desk.",
        "You can ask for Total deposits by Segment, or for the column `born_on`.",
    ],
)
def test_what_the_catalogue_the_vocabulary_and_the_question_say_may_be_told(text):
    assert (unknown_figures(text, ASKED, NOTED), unknown_names(text, ASKED, NOTED)) == ((), ())


@pytest.mark.parametrize(
    "text",
    [
        "Total deposits are Rs.987,654,321.00.",
        "There are nine tables.",
        "There are 90 customers.",
        "There are two million customers in two tables.",
        "There are ९० accounts.",
        "Half of the customers are dormant.",
        "The data ends on 30 April 2031.",
        "There are 5 customers.",
    ],
)
def test_a_figure_that_is_said_nowhere_is_found(text):
    assert unknown_figures(text, ASKED, NOTED) != ()


@pytest.mark.parametrize(
    "text",
    [
        "The best customer is Asha Rao.",
        "Ask for the column `salary_band`.",
        "See Goa.",
        "The table customer_accounts.",
        "Accounts are in account_customers.",
    ],
)
def test_a_name_that_is_said_nowhere_is_found_and_no_sensitive_value_is_known(text):
    assert unknown_names(text, ASKED, NOTED) != ()
