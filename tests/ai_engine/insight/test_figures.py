from __future__ import annotations

from datetime import date
from decimal import Decimal

import pytest

from ai_engine.insight.figures import unfounded_figures
from tests.ai_engine.insight.results import AVERAGE, BALANCE, BRANCH, MONTH, RANKED, task_of, vocabulary

ROWS = [("Fort 7", Decimal("17520600.10")), ("Pune", Decimal("200")), ("Delhi", Decimal("99.90"))]
TASK = task_of([BRANCH, BALANCE], ROWS, RANKED, question="top 10 branches", period="FY 2024-25")


def unfounded(text, task=TASK):
    return unfounded_figures(text, task, vocabulary())


@pytest.mark.parametrize(
    "text",
    [
        "Fort 7 holds Rs.1,75,20,600.10 of Rs.1,75,20,900.00.",
        "Fort 7 holds 17,520,600.10, about Rs.1.75 crore or 175.21 lakh or 17.5 million.",
        "Nearly Rs.1,75,00,000 is held by Fort 7.",
        "Of the top 10 asked for, there are 3; Pune leads Delhi by Rs.100.10.",
        "Delhi is 50.05% below Pune, which is 2x Delhi.",
        "In Q1 of FY 2024-25 the mean is Rs.58,40,300.00.",
        "Pune, at 200, and Delhi, at Rs 99.9.",
    ],
)
def test_given_and_derived_numbers_pass(text):
    assert unfounded(text) == ()


@pytest.mark.parametrize(
    ("text", "culprits"),
    [
        ("Delhi holds Rs.98.00.", ("98.00",)),
        ("It grew by 12%.", ("12%",)),
        ("Rs.1.85 crore", ("1.85crore",)),
        ("In 2023 it was 200.", ("2023",)),
        ("Exactly Rs.1,75,00,000 is held by Fort 7.", ("1,75,00,000",)),
        ("INR 500, 41 and 3", ("500", "41")),
        ("Delhi is 7 times Pune", ()),
        ("Delhi is 9 times Pune", ("9times",)),
    ],
)
def test_numbers_from_nowhere_are_named(text, culprits):
    assert unfounded(text) == culprits


def test_a_cut_result_yields_no_totals():
    cut = task_of([BRANCH, BALANCE], ROWS, RANKED, truncated=True)
    assert unfounded("In all Rs.1,75,20,900.00.", cut) == ("1,75,20,900.00",)


def test_averages_yield_no_totals():
    sql = "SELECT branch, AVG(b) AS average FROM t GROUP BY branch"
    averages = task_of([BRANCH, AVERAGE], [("Pune", Decimal(40)), ("Delhi", Decimal(35))], sql)
    assert unfounded("Together 75.", averages) == ("75",)


def test_dates_of_the_rows_may_be_spelled():
    series = task_of([MONTH, BALANCE], [(date(2022, 5, 1), Decimal(1)), (date(2022, 6, 1), Decimal(2))], RANKED)
    assert unfounded("Up 100% between 1 May 2022 and June 2022.", series) == ()
    assert unfounded("Up since 2019.", series) == ("2019",)
