"""Words that point back: the rows, the top few and the groups that the answer before was about."""

from __future__ import annotations

import pytest

from ai_engine.built_in.knowledge import Knowledge
from tests.ai_engine.built_in.talking import last


@pytest.mark.parametrize(
    ("questions", "restatement"),
    [
        ("accounts opened in Pune in 2025, how many | average balance of these", "Average balance, where city is Pune, "
         "for 2025"),
        ("NPA loans in Delhi | average loan amount of them by loan type", "Average loan size by loan type, "
         "where NPA status is NPA and city is Delhi"),
        ("customers in Pune | average credit score of those with a home loan", "Average credit score, "
         "where city is Pune, with loans (where loan type is Home Loan)"),
        ("premium customers | loans of these", "List of loans showing loan number, loan type, loan status, "
         "disbursal date, loan amount, outstanding principal and days past due, where customer segment is Premium"),
        ("NPA loans | which customers are these?", "List of customers showing customer id, customer name, "
         "customer segment, occupation and KYC status, where NPA status is NPA"),
        ("top 5 branches by deposits | which regions are they", "Total deposits by branch and region, "
         "sorted by total deposits, highest first, top 5"),
        ("premium customers | how many loans do they have", "Number of loans, for customers, "
         "where customer segment is Premium"),
    ],
)  # fmt: skip
def test_what_is_theirs_is_of_the_rows_before(questions: str, restatement: str, bank: Knowledge) -> None:
    assert last(bank, *questions.split(" | ")).restatement == restatement


def test_what_belongs_to_them_is_reached_through_them_where_other_ways_lead_there_too(bank: Knowledge) -> None:
    reply = last(bank, "premium customers in Pune", "show their cards")
    assert reply.restatement.endswith("where customer segment is Premium and city (of the home branch) is Pune")


@pytest.mark.parametrize(
    ("questions", "restatement"),
    [
        ("top 5 branches by deposits | their npa ratio", "Total deposits and NPA ratio by branch, "
         "sorted by total deposits, highest first, top 5"),
        ("top 5 branches by deposits | top 3 of these", "Total deposits by branch, "
         "sorted by total deposits, highest first, top 3"),
        ("branches where deposits exceed 20 crore | their npa ratio", "Total deposits and NPA ratio by branch, "
         "only groups whose total deposits is above 200000000"),
    ],
)  # fmt: skip
def test_another_figure_of_the_top_few_chooses_no_other_few(questions: str, restatement: str, bank: Knowledge) -> None:
    assert last(bank, *questions.split(" | ")).restatement == restatement


def test_a_bound_in_lakhs_after_counts_is_of_the_amount_of_each(bank: Knowledge) -> None:
    reply = last(bank, "number of transactions by channel", "only above 50 lakh")
    assert reply.restatement == "Number of transactions by channel, where transaction amount is above 5000000"


@pytest.mark.parametrize(
    "questions",
    [
        "top 5 branches by deposits | which of them are in Mumbai",
        "top 10 accounts by balance | how many of them are dormant",
        "which branch opened the most accounts in 2025 | list those accounts",
        "top 3 branches by deposits | names of their customers",
        "branches with more than 600 accounts | their total deposits",
        "npa ratio by region | which is the highest | show branches in that region",
        "npa ratio by region | which one is worst",
        "premium customers in Pune | how many accounts do they have on average",
    ],
)
def test_what_cannot_be_said_of_just_those_is_refused(questions: str, bank: Knowledge) -> None:
    reply = last(bank, *questions.split(" | "))
    assert reply.outcome == "refused", reply.restatement
