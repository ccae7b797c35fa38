"""People named by their job, which is a value of a column of theirs."""

from __future__ import annotations

from functools import cache

import pytest

from ai_engine.built_in.knowledge import Knowledge
from ai_engine.built_in.outcomes.outcome import decide
from tests.ai_engine.built_in.inferred import inferred_knowledge

DDL = """
CREATE TABLE offices (office_id INTEGER PRIMARY KEY, office_name VARCHAR(40) UNIQUE, town VARCHAR(20));
CREATE TABLE staff (staff_id INTEGER PRIMARY KEY, full_name VARCHAR(40), job_title VARCHAR(20),
  office_id INTEGER REFERENCES offices (office_id));
CREATE TABLE advances (advance_id INTEGER PRIMARY KEY, staff_id INTEGER REFERENCES staff (staff_id),
  amount DECIMAL(12,2), granted_on DATE);
"""


@cache
def office() -> Knowledge:
    values = {"staff.job_title": ("Credit Officer", "Cashier"), "offices.town": ("Lund", "Umea")}
    return inferred_knowledge(DDL, values)


@pytest.mark.parametrize(
    ("question", "restatement"),
    [
        ("how many cashiers are there in Lund", "Number of staff, where job title is Cashier and town is Lund"),
        (
            "staff whose job title is cashier",
            "List of staff showing staff id and full name, where job title is Cashier",
        ),
        (
            "Which three credit officers have the highest total amount of advances?",
            "Total amount by staff, where job title is Credit Officer, sorted by total amount, highest first, top 3",
        ),
    ],
)
def test_a_job_stands_for_those_who_have_it(question: str, restatement: str):
    assert decide(question, (), office()).restatement == restatement


@pytest.mark.parametrize(
    "question",
    [
        "number of advances by credit officer",
        "for each office, the credit officer with the most advances",
    ],
)
def test_figures_of_each_who_has_a_job_are_not_those_of_all_of_them(question: str):
    assert decide(question, (), office()).outcome == "refused"
