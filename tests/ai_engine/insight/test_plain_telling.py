"""A summary of a language model passes when all of it is of known kinds, and every claim in it is borne out."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from decimal import Decimal
from itertools import permutations

import pytest

from ai_engine.ports import InsightTask
from tests.ai_engine.insight.results import AVERAGE, BALANCE, BRANCH, CITY, CUSTOMERS, MONTH, refused, task_of

BY_CITY = "SELECT city, COUNT(*) AS customers FROM accounts GROUP BY city ORDER BY customers DESC"
CITIES = task_of(
    [CITY, CUSTOMERS], [("Mumbai", 9_420), ("Pune", 7_311), ("Delhi", 3_307)], BY_CITY,
    question="How many customers are there in each city?",
)  # fmt: skip
BY_MONTH = "SELECT month, SUM(balance) AS balance FROM accounts GROUP BY month ORDER BY month"
RUN = [(date(2025, month, 1), Decimal(amount)) for month, amount in enumerate((900, 1_200, 1_050, 1_500), 1)]
MONTHS = task_of([MONTH, BALANCE], RUN, BY_MONTH, question="How did the total balance develop by month?")
LONE = task_of([CUSTOMERS], [(12_480,)], "SELECT COUNT(*) AS customers FROM customers", question="How many customers?")
MEANS = task_of(
    [BRANCH, AVERAGE], [("Fort", Decimal("52000.50")), ("Baner", Decimal("41000")), ("Saket", Decimal("18000"))],
    "SELECT branch, AVG(balance) AS average FROM accounts GROUP BY branch ORDER BY average DESC",
    question="What is the average balance per branch?",
)  # fmt: skip


@pytest.mark.parametrize(
    "text",
    [
        "The total is 7,311.", "Customers total 7,311.", "There are 7,311 customers in total.", "In total: 7,311.",
        "The average is 7,311.", "On average there are 9,420 customers.", "The mean is 3,307 customers.",
        "The median is 9,420.", "The minimum is 7,311.", "The maximum is 3,307.", "The largest is 7,311.",
        "The smallest number of customers is 9,420.", "The highest, 7,311, is in Pune.", "Altogether 9,420 customers.",
        "The sum of all cities is 7,311.", "The combined figure is 3,307.", "Overall there are 7,311 customers.",
        "Pune has the grand total of 7,311.", "The total across all cities is 7,311.", "7,311 is the average.",
        "The three cities together have 7,311 customers.", "The peak is 3,307.", "The low is 9,420.",
    ],
)  # fmt: skip
def test_a_cell_is_not_told_as_the_total_the_average_or_an_end_of_all(text: str):
    assert refused(text, CITIES)


@pytest.mark.parametrize("things", ["customers", "parcels", "hospital beds"])
def test_whatever_was_counted_a_cell_is_not_told_as_their_total(things: str):
    columns = [CITY, replace(CUSTOMERS, label=f"Number of {things}")]
    task = task_of(columns, CITIES.result.rows, BY_CITY, question=f"How many {things} are there in each city?")
    assert refused(f"There are 7,311 {things} in total.", task)
    assert not refused(f"There are 20,038 {things} in total.", task)


@pytest.mark.parametrize(
    "text",
    [
        "Pune is first.", "Pune is 1st.", "Mumbai is last.", "Pune ranks first.", "Delhi comes first with 3,307.",
        "Mumbai comes last.", "Pune is 3rd.", "Mumbai is the second largest.", "Delhi is in first place.",
        "Pune leads.", "Delhi tops the list.", "Mumbai is at the bottom.", "The leader is Pune.", "Pune peaks.",
        "Pune, Delhi and Mumbai follow in that order, with Delhi first.", "Delhi is above the average.",
        "Mumbai is below average.",
    ],
)  # fmt: skip
def test_a_row_has_the_place_that_is_told(text: str):
    assert refused(text, CITIES)


@pytest.mark.parametrize(
    "between",
    [" \u2192 ", " | ", " \u2014 ", ": ", " = ", " - ", " ", ", at ", " reports ", " \u2022 ", " shows a value of ",
     " is listed with ", " recorded around "],
)  # fmt: skip
@pytest.mark.parametrize(
    ("name", "other"), list(permutations((("Mumbai", "9,420"), ("Pune", "7,311"), ("Delhi", "3,307")), 2))
)
def test_a_figure_of_another_row_stands_in_no_clause_of_a_name(
    name: tuple[str, str], other: tuple[str, str], between: str
):
    assert refused(f"{name[0]}{between}{other[1]}.", CITIES)
    assert refused(f"{other[1]}{between}{name[0]}.", CITIES)
    assert refused(f"{other[1]} {name[0]} customers.", CITIES)


@pytest.mark.parametrize(
    "text",
    [
        "(3,307) customers.", "Customers: (3,307).", "\u221a7,311 customers in Pune.", "\u221b7,311 customers in Pune.",
        "Pune has \u02d77,311 customers.", "Pune has \u22197,311 customers.", "Pune has \u22c57,311 customers.",
        "Pune has 7,311\u00b2 customers.", "Pune has 7,311! = customers.", "Pune has 7,311^2.", "Pune has ~7,311.",
        "Pune has 7,311 \u00d7 9,420.", "Pune has 9,420/7,311.", "Pune has 7,311 plus 7,311.",
        "Pune has 7,311 + 7,311.",
    ],
)  # fmt: skip
def test_marks_around_a_figure_make_no_other_of_it(text: str):
    assert refused(text, CITIES)


@pytest.mark.parametrize(
    "text",
    [
        "Pune has sixscore customers.", "Pune has a zillion customers.", "Pune has a brace of customers.",
        "Pune: none.", "None in Pune.", "Delhi has half as many customers as Mumbai.", "Pune has umpteen customers.",
        "Pune has zweihundert customers.", "Pune has a monkey more.", "Pune has f/i/v/e customers.",
        "Delhi has a third of the customers.", "Every city is profitable.", "Mumbai lost 9,420.",
        "Mumbai has 9,420 customers, all in debt.", "No city grew.", "All cities grew.", "Customers rose.",
        "Delhi has a third as many customers as Pune.", "Pune never had 7,311 customers.",
        "Pune has several customers.", "Only Pune has customers.", "Pune does not lead.", "Nobody is in Pune.",
        "Neither Pune nor Delhi has customers.",
    ],
)  # fmt: skip
def test_a_word_that_no_list_has_is_not_told(text: str):
    assert refused(text, CITIES)


@pytest.mark.parametrize("text", ["Customers rose.", "The total is up.", "Customers are 12,480, an increase."])
def test_a_lone_figure_has_gone_no_way(text: str):
    assert refused(text, LONE)


@pytest.mark.parametrize(
    "text",
    [
        "The overall average balance is Rs.52,000.50.", "The average balance is Rs.41,000.", "The total is Rs.18,000.",
        "The bank's average balance is Rs.41,000.", "The median is Rs.52,000.50.",
    ],
)  # fmt: skip
def test_an_average_of_a_row_is_not_that_of_all(text: str):
    assert refused(text, MEANS)


@pytest.mark.parametrize(
    "text",
    [
        "The number of customers is 7,311.", "Number of customers: 9,420.", "There are 3,307 customers in the bank.",
        "Customers stand at 7,311.", "Each city has 7,311 customers.", "Every city has more than 7,311 customers.",
        "Both Pune and Delhi have 7,311 customers.", "Pune, Delhi: 3,307, 7,311.", "The median is in Mumbai.",
        "Pune and Delhi have 3,307 and 7,311 customers respectively.",
        "Mumbai, Pune and Delhi have 7,311, 3,307 and 9,420 customers.",
    ],
)  # fmt: skip
def test_a_cell_is_told_of_its_own_row_and_not_of_all(text: str):
    assert refused(text, CITIES)


@pytest.mark.parametrize(
    "text",
    [
        "Mumbai is followed by Delhi.", "Mumbai, followed by Delhi and then Pune.", "Pune and Delhi are tied.",
        "All three cities have the same number of customers.", "Mumbai has the same number as Pune.",
        "Pune is level with Delhi.", "The share of Pune is identical to Delhi.",
    ],
)  # fmt: skip
def test_rows_follow_each_other_and_are_level_as_the_result_has_them(text: str):
    assert refused(text, CITIES)


THIRDS = task_of([CITY, CUSTOMERS], [("Mumbai", 900), ("Pune", 600), ("Delhi", 300)], BY_CITY)


@pytest.mark.parametrize(
    "text",
    [
        "A third of customers are in Delhi.", "Delhi has a third of the customers.",
        "A third of the customers live here.",
        "Delhi has half as many customers as Mumbai.", "Two thirds are in Pune.", "Half of customers are in Delhi.",
        "Mumbai has twice as many customers as Pune.",
    ],
)  # fmt: skip
def test_a_part_is_not_told_by_the_figures_of_two_rows(text: str):
    assert refused(text, THIRDS)


@pytest.mark.parametrize(
    "text",
    [
        "Half of the customers are in Mumbai.", "A third of the customers are in Pune.",
        "Mumbai has half of all customers.",
        "Delhi has half as many customers as Pune.", "Delhi has a third as many customers as Mumbai.",
        "Pune has twice as many customers as Delhi.",
    ],
)  # fmt: skip
def test_a_part_of_all_or_of_another_row_is_told(text: str):
    assert refused(text, THIRDS) == ()


@pytest.mark.parametrize(
    "text",
    [
        "The total balance is Rs.1,500.00.", "The balance rose every month.", "The balance rose steadily.",
        "In all months the balance rose.", "The balance did not change.", "The balance remained level.",
        "In February the balance fell.", "The balance rose in March 2025.", "January 2025 was last.",
        "Between February and March 2025 the balance rose by Rs.150.00.",
        "The first month shows Rs.1,500.00.", "The last month was Rs.1,050.00.", "The latest balance is Rs.900.00.",
    ],
)  # fmt: skip
def test_steps_in_time_went_and_stand_as_they_are_told(text: str):
    assert refused(text, MONTHS)


HONEST = {
    "cities": (CITIES, [
        "Mumbai has the most customers, with 9,420.",
        "Mumbai leads with 9,420 customers, followed by Pune with 7,311 and Delhi with 3,307.",
        "Mumbai has 9,420 customers, Pune 7,311 and Delhi 3,307.",
        "Mumbai, Pune and Delhi have 9,420, 7,311 and 3,307 customers respectively.",
        "There are 20,038 customers in total across the three cities.",
        "In total there are 20,038 customers; Mumbai accounts for 47.01% of them.",
        "The total number of customers is 20,038.",
        "Mumbai has the highest number of customers at 9,420, while Delhi has the lowest at 3,307.",
        "Mumbai (9,420) has the highest number of customers; Delhi (3,307) has the lowest.",
        "Mumbai: 9,420 customers; Pune: 7,311; Delhi: 3,307.",
        "Mumbai has 2,109 more customers than Pune.",
        "Delhi has the fewest customers, 3,307.",
        "The average is 6,679 customers per city.",
        "On average, each city has 6,679 customers.",
        "The median is 7,311 customers.",
        "Pune ranks second with 7,311 customers.",
        "Mumbai ranks first with 9,420 customers and Delhi comes last with 3,307.",
        "Mumbai is the largest of the 3 cities by number of customers.",
        "Among the three cities, Mumbai stands out with 9,420 customers.",
        "The number of customers ranges from 3,307 in Delhi to 9,420 in Mumbai.",
        "Customers are distributed across 3 cities, with Mumbai at the top (9,420).",
        "Mumbai and Pune together have 16,731 customers.",
        "The top cities together hold 83.5% of all customers.",
        "Mumbai has 2.85 times as many customers as Delhi.",
        "Delhi, with 3,307 customers, is far behind Mumbai with 9,420.",
        "The gap between Mumbai and Delhi is 6,113 customers.",
        "The difference between the highest and the lowest is 6,113.",
        "Mumbai is above the average.",
        "Each of the 3 cities is listed with its number of customers.",
        "Here is the number of customers in each city: Mumbai 9,420, Pune 7,311, Delhi 3,307.",
        "Mumbai's 9,420 customers are the largest group, Pune's 7,311 the second largest.",
        "Delhi has only 3,307 customers.", "Mumbai is followed by Pune and then Delhi.",
        "Each city has at least 3,307 customers.",
    ]),
    "months": (MONTHS, [
        "The total balance rose from Rs.900.00 in January 2025 to Rs.1,500.00 in April 2025.",
        "The total balance rose by Rs.600.00 from January to April 2025.",
        "Between January and April 2025 the total balance increased by 66.67%.",
        "The balance peaked at Rs.1,500.00 in April 2025.",
        "The lowest balance was Rs.900.00 in January 2025.",
        "The balance fell to Rs.1,050.00 in March 2025 before it climbed to Rs.1,500.00 in April.",
        "In February 2025 the balance was Rs.1,200.00, in March it was Rs.1,050.00.",
        "April 2025 has the highest total balance, Rs.1,500.00; January 2025 has the lowest, Rs.900.00.",
        "It was Rs.900.00 in January, Rs.1,200.00 in February, Rs.1,050.00 in March and Rs.1,500.00 in April.",
        "Over the 4 months shown, the balance moved between Rs.900.00 and Rs.1,500.00.",
        "The balance declined by Rs.150.00 in March 2025, then recovered to Rs.1,500.00.",
        "The latest month, April 2025, shows Rs.1,500.00.",
        "In the first month, January 2025, the balance was Rs.900.00.",
        "From the first to the last month the balance grew by Rs.600.00.",
        "The balance reached Rs.1,500.00 in April 2025, up 42.86% from March.",
        "The balance fell in March 2025.", "The last month shows Rs.1,500.00.",
    ]),
    "lone": (LONE, [
        "There are 12,480 customers.", "The bank has 12,480 customers.", "The number of customers is 12,480.",
        "In total, there are 12,480 customers.", "The total number of customers is 12,480.",
        "The bank currently has a total of 12,480 customers.", "Your bank has approximately 12,480 customers.",
        "The result shows 12,480 customers.",
    ]),
    "means": (MEANS, [
        "Fort has the highest average balance, Rs.52,000.50.",
        "The average balance is highest at Fort (Rs.52,000.50) and lowest at Saket (Rs.18,000).",
        "Fort leads with an average balance of Rs.52,000.50, followed by Baner at Rs.41,000 and Saket at Rs.18,000.",
        "Saket has an average balance of Rs.18,000, the lowest of the 3 branches.",
        "The average balance of Fort is Rs.11,000.50 higher than that of Baner.",
        "Average balances range from Rs.18,000 at Saket to Rs.52,000.50 at Fort.",
        "Baner's average balance is Rs.41,000.",
        "At Rs.52,000.50, Fort has the highest average balance among the branches.",
    ]),
}  # fmt: skip


@pytest.mark.parametrize(("task", "text"), [(task, text) for task, texts in HONEST.values() for text in texts])
def test_an_honest_summary_is_told(task: InsightTask, text: str):
    assert refused(text, task) == ()


def test_words_of_the_question_and_the_cells_may_be_told():
    asked = replace(CITIES, question="How many dormant customers are there in each city?")
    assert refused("Mumbai has 9,420 dormant customers.", CITIES)
    assert refused("Mumbai has 9,420 dormant customers.", asked) == ()


def test_of_rows_that_were_cut_off_no_end_is_claimed():
    cut = task_of(
        [CITY, CUSTOMERS],
        [("Mumbai", 9), ("Pune", 7)],
        "SELECT city, COUNT(*) AS customers FROM t GROUP BY city LIMIT 2",
    )
    assert refused("Mumbai has the most customers, 9.", cut)
    first = replace(cut, sql=cut.sql.replace("LIMIT", "ORDER BY customers DESC LIMIT"))
    assert refused("Mumbai has the most customers, 9.", first) == ()
    assert refused("Pune has the fewest customers, 7.", first)
