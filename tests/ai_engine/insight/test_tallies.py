"""So many rows of those that there are is told only where it was counted of what the sentence says."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from decimal import Decimal

import pytest

from ai_engine.ports import InsightTask
from tests.ai_engine.insight.results import CITY, CUSTOMERS, MONTH, refused, task_of

BY_CITY = "SELECT city, COUNT(*) AS customers FROM accounts GROUP BY city ORDER BY customers DESC"
FIVE = task_of([CITY, CUSTOMERS], [("Mumbai", 9), ("Delhi", 7), ("Pune", 5), ("Goa", 3), ("Agra", 3)], BY_CITY)
GAPS = task_of(
    [CITY, CUSTOMERS], [("Mumbai", 240), ("Delhi", 130), ("Pune", None), ("Goa", None), ("Agra", 50)], BY_CITY
)
MONTHS = task_of(
    [MONTH, CITY, CUSTOMERS],
    [(date(2024, 1, 1), "Mumbai", 240), (date(2024, 1, 1), "Delhi", 130), (date(2024, 2, 1), "Mumbai", 70),
     (date(2024, 2, 1), "Delhi", 71)],
    "SELECT month, city, COUNT(*) AS customers FROM accounts GROUP BY month, city",
)  # fmt: skip
THEN = replace(CUSTOMERS, name="then", label="Number of customers in 2023", compared="earlier")
COMPARED = task_of([CITY, CUSTOMERS, THEN], [("Mumbai", 9, 5), ("Delhi", 7, 5), ("Pune", 5, 7)], BY_CITY)


@pytest.mark.parametrize(
    ("task", "text"),
    [
        (FIVE, "2 of the 5 cities are in default."), (FIVE, "Two out of five cities are overdue."),
        (FIVE, "One of the 5 cities is growing."), (FIVE, "Both 2 of them are closed."),
        (FIVE, "3 cities are in default."), (FIVE, "1 of the 5 cities has fewer than 5."),
        (FIVE, "2 of the 5 cities have more than 3 customers."), (FIVE, "Only 1 city exceeds the average."),
        (GAPS, "3 of the 5 cities are in default."), (GAPS, "2 of the 5 cities are overdue."),
        (GAPS, "3 of the 5 cities are above 130."), (MONTHS, "2 of the 4 combinations are in default."),
        (MONTHS, "1 of the 2 months is closed."), (COMPARED, "1 of the 3 cities rose."),
        (COMPARED, "One of the 3 cities rose."),
    ],
)  # fmt: skip
def test_a_tally_that_nobody_computed_is_found(task: InsightTask, text: str):
    assert refused(text, task)


@pytest.mark.parametrize(
    ("task", "text"),
    [
        (FIVE, "2 of the 5 cities share the lowest figure."), (FIVE, "1 of the 5 cities has the most."),
        (FIVE, "Two cities exceed the average."), (FIVE, "All 5 of the 5 cities have customers."),
        (FIVE, "Mumbai is one of the 5 cities."),
        (FIVE, "9 of the 27 customers are in Mumbai."),
        (GAPS, "3 of the 5 cities have customers."),
        (COMPARED, "1 of the 3 cities fell."),
    ],
)  # fmt: skip
def test_a_tally_of_what_its_sentence_says_is_told(task: InsightTask, text: str):
    assert refused(text, task) == ()


def test_an_average_is_that_of_the_rows_with_a_figure():
    tasks = [task_of([CITY, CUSTOMERS], [("A", Decimal(1)), ("B", Decimal(2)), ("C", last)], BY_CITY)
             for last in (Decimal(3), None)]  # fmt: skip
    told = [refused("1 city is below the average.", task) for task in tasks]
    assert told == [(), ()]
