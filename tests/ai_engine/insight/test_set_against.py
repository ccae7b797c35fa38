"""What a summary sets against something, and what it says in words that have no check, is told only where it is so."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ai_engine.ports import InsightTask
from tests.ai_engine.insight.results import CITY, CUSTOMERS, refused
from tests.ai_engine.insight.test_plain_telling import CITIES, LONE, MONTHS


@pytest.mark.parametrize(
    "text",
    [
        "Delhi's customers outnumber those of Pune.", "Pune comes before Mumbai.", "Mumbai is under Pune.",
        "Pune and Delhi together surpass Mumbai and Pune.", "Mumbai has fewer customers than Pune and Delhi.",
        "Delhi has more customers than either Mumbai or Pune.", "Mumbai has more than Pune and Delhi together.",
        "Mumbai alone exceeds the other cities together.", "No other city has more than Pune.",
        "Each of the three cities is above the average.", "Two cities have above 9,000 customers.",
        "At least 7,311 customers are in each city.", "Less than 3,307 customers are in Delhi.",
        "More than 9,420 customers are in Mumbai.", "Over 9,420 customers live in Mumbai.",
        "Under 3,307 customers live in Delhi.", "Mumbai has beyond 9,420 customers.",
        "Delhi tops both Pune and Mumbai.",
        "Mumbai is 2,109 behind Pune.", "Delhi is 6,113 ahead of Mumbai.", "Compared with Mumbai, Delhi has more.",
        "Pune's share is greater than that of Mumbai.", "Mumbai is between Pune and Delhi.",
        "With 9,420, Pune follows Mumbai.", "Following Mumbai with 9,420 is Delhi.",
        "Pune, with 7,311 customers, follows Delhi.", "Mumbai is exceeded by Pune.", "Mumbai is outnumbered by Delhi.",
        "Delhi outnumbers Pune.", "Pune has 7,311 customers. The others have fewer.",
        "Mumbai leads. Each of the others has more.", "Each of the others has fewer customers.",
    ],
)  # fmt: skip
def test_a_row_is_set_against_another_or_a_bound_only_as_their_figures_stand(text: str):
    assert refused(text, CITIES)


@pytest.mark.parametrize(
    "text",
    [
        "Mumbai has more customers than Pune.", "Mumbai has more customers than Pune or Delhi.",
        "Pune has fewer customers than Mumbai.", "Mumbai exceeds Pune by 2,109 customers.", "Pune is ahead of Delhi.",
        "Mumbai leads Pune by 2,109 customers.", "Delhi trails Pune.", "Pune has 2,109 fewer customers than Mumbai.",
        "Every city has at least 3,307 customers.", "Pune is above the average.", "Delhi is below the average.",
        "The difference between Pune and Delhi is 4,004.", "Mumbai and Pune are ahead of Delhi.",
        "With 7,311, Pune follows Mumbai.", "Following Mumbai with 9,420 is Pune.", "Pune, with 7,311, follows Mumbai.",
        "At 9,420, Mumbai leads Pune.", "Pune is exceeded by Mumbai.",
        "Mumbai leads with 9,420 customers. Each of the others has fewer customers.",
        "Mumbai has 9,420 customers, the other 2 cities have fewer.",
    ],
)  # fmt: skip
def test_what_is_so_is_told(text: str):
    assert refused(text, CITIES) == ()


@pytest.mark.parametrize(
    "text",
    [
        "The three cities differ slightly.", "Mumbai narrowly exceeds Delhi.", "Delhi is close to Mumbai.",
        "Pune matches Mumbai.", "Pune is similar to Mumbai.", "Delhi is near Pune in customers.",
        "Pune and Mumbai share the lead.", "Will and May are customers of Pune.", "Pune's customers are employees.",
        "Customers in Mumbai may live in Delhi.", "Mumbai is a country.", "Pune's customers hold gold loans.",
        "Customers in Mumbai hold deposits and cards.", "Mumbai's customers are matured.", "Mumbai still leads.",
        "Mumbai's customers changed recently.", "Delhi ended its business.", "Mumbai remains the largest.",
        "Customers moved from Delhi to Mumbai.", "The number of customers changed sharply.",
        "The number fluctuated widely.", "The order is Pune, Mumbai, Delhi.", "The ranking is Delhi, Pune, Mumbai.",
        "From the most to the fewest: Delhi, Pune, Mumbai.", "The most are in Mumbai, the next in Delhi.",
        "Customers range from 3,307 to 7,311.", "The range is from 7,311 to 9,420 customers.",
        "Customers number between 7,311 and 9,420.", "Mumbai and Pune have 9,420 customers.",
        "Mumbai has 9,420 customers and so has Pune.", "Mumbai has 9,420, as has Delhi.",
        "Mumbai and Delhi: the latter has 9,420 customers.", "It is not Mumbai.", "Pune has no share.",
        "There is no difference between Pune and Delhi.", "The figure for Pune includes Delhi.",
        "The difference between Pune and Delhi is 2,109.", "Pune differs from Delhi by 2,109.",
        "Mumbai has 36.5% of the customers and Pune has 47%.", "The list ends with Mumbai.",
        "The number of customers in Mumbai is measured in rupees.",
    ],
)  # fmt: skip
def test_a_word_without_a_check_a_list_and_a_range_make_no_false_summary(text: str):
    assert refused(text, CITIES)


@pytest.mark.parametrize(
    "text",
    [
        "The balance was higher in January than in April.", "The balance in March exceeded that in February.",
        "The balance ended lower than it began.", "The balance rose and stayed there.",
        "The balance rose until March 2025.", "The balance fell from February 2025.",
        "Since February the balance fell.",
        "After March 2025 the balance fell.", "The balance fell from March to April 2025.",
        "The balance rose from February to March 2025.", "From January to April 2025 the balance fell.",
        "The biggest rise was in April 2025.", "The increase in April 2025 was Rs.1,500.00.",
        "The change in April 2025 was Rs.1,500.00.", "The balance changed by Rs.900.00 in January 2025.",
        "The balance was higher in March 2025 than a month earlier.",
        "In April 2025 it was lower than the month before.",
        "The annual balance was Rs.900.00 in January 2025.", "The interest in January 2025 was Rs.900.00.",
        "Loans in January 2025 were Rs.900.00.", "April 2025 added Rs.1,500.00.",
        "The balance was at most Rs.1,200.00.",
        "The balance was at least Rs.1,050.00.", "The balance gained Rs.300.00 in April 2025.",
        "The balance rose 66.67% in April 2025.", "The change from January to April was Rs.300.00.",
        "The difference between January and April 2025 is Rs.300.00.", "The year-on-year rise is 66.67%.",
        "The balance is up 66.67% from March 2025.", "The balance moved from Rs.1,500.00 to Rs.900.00.",
    ],
)  # fmt: skip
def test_a_change_is_told_of_the_steps_between_which_it_came(text: str):
    assert refused(text, MONTHS)


@pytest.mark.parametrize(
    "text",
    [
        "The balance was higher in April than in January.", "The balance rose from January to April 2025.",
        "The balance fell from February to March 2025.", "The balance gained Rs.450.00 in April 2025.",
        "The change from January to April was Rs.600.00.", "The balance is up 42.86% from March 2025.",
        "The balance was at least Rs.900.00.", "Over the 4 months the balance rose by Rs.600.00.",
    ],
)  # fmt: skip
def test_a_change_that_came_so_is_told(text: str):
    assert refused(text, MONTHS) == ()


@pytest.mark.parametrize(
    "text",
    [
        "There are 12,480 customers per branch.", "There are 12,480 new customers.",
        "There are more than 12,480 customers.",
        "12,480 customers hold a mortgage.", "There are fewer than 12,480 customers.", "Customers exceed 12,480.",
        "There are 12,480 customers in each branch.", "There are 12,480 different kinds of customers.",
        "The average is 12,480 customers.", "The maximum is 12,480.", "The highest number is 12,480 customers.",
        "There are 12,480 customers in the region.", "There are 12,480 other customers.",
        "There are 12,480 customers with cards.", "There are no other customers than 12,480.",
    ],
)  # fmt: skip
def test_a_lone_figure_is_set_against_nothing_and_is_no_average_and_no_end(text: str):
    assert refused(text, LONE)


@pytest.mark.parametrize("condition", ["status <> 'insolvent'", "status = 'insolvent'", "NOT insolvent"])
def test_what_the_statement_alone_says_is_no_word_of_the_summary(condition: str):
    sql = f"SELECT city, COUNT(*) AS customers FROM accounts WHERE {condition} GROUP BY city ORDER BY customers DESC"
    task: InsightTask = replace(CITIES, sql=sql)
    assert refused("Mumbai has 9,420 insolvent customers.", task)
    asked = replace(task, question="How many insolvent customers are there in each city?")
    assert refused("Mumbai has 9,420 insolvent customers.", asked) == ()


def test_an_alias_of_the_statement_is_no_word_of_the_summary_until_question_or_bank_have_it():
    losses = replace(CUSTOMERS, name="fraud_losses", label="Fraud losses")
    task = replace(CITIES, columns=(CITY, losses), question="what is there in each city?")
    assert refused("Mumbai has fraud losses of 9,420.", task)
    assert refused("Mumbai has fraud losses of 9,420.", replace(task, question="fraud losses by city?")) == ()
