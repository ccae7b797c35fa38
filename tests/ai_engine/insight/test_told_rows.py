"""What is told of rows is theirs, what is told of all or none was counted, and no time is told that nothing has."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from decimal import Decimal

import pytest

from ai_engine.semantics.scope_words import Scope
from ai_engine.types import OutputColumn
from tests.ai_engine.insight.results import BALANCE, CITY, CUSTOMERS, refused, task_of, unfounded
from tests.ai_engine.insight.test_gate import CITIES, FALLING, LONE

SHARES = task_of(
    [CITY, OutputColumn("share", "Share of customers", "percent", "measure")],
    [("Mumbai", Decimal(100)), ("Delhi", Decimal(40))],
    "SELECT city, 100.0 * COUNT(x) / COUNT(*) AS share FROM customers GROUP BY city",
)
NONE_IN_GOA = task_of([CITY, CUSTOMERS], [("Mumbai", 240), ("Goa", 0)], "SELECT city, COUNT(*) AS customers")
WEEKS = task_of(
    [OutputColumn("week", "Week", None, "time"), BALANCE],
    [(date(2025, 3, 3), Decimal(900)), (date(2025, 3, 10), Decimal(700))],
    "SELECT week, SUM(balance) AS balance FROM accounts GROUP BY week ORDER BY week",
)


@pytest.mark.parametrize(
    "text",
    [
        "Delhi has 240 customers.", "Pune has 240 customers, Mumbai 70.", "Mumbai (70) leads.",
        "Mumbai, with 130, leads.",
        "Pune leads with 130 customers.", "240 customers are in Delhi.", "There are 130 customers in Mumbai.",
        "Customers: Mumbai 130, Delhi 240.",
    ],
)  # fmt: skip
def test_a_figure_is_of_the_row_that_it_is_told_of(text: str):
    assert refused(text, CITIES)


@pytest.mark.parametrize(
    "text",
    [
        "Mumbai leads Delhi with 240 customers to 130.", "Mumbai has 240, 110 more than Delhi with 130.",
        "Mumbai has 170 more than Pune.", "Mumbai and Delhi have 240 and 130 customers.",
        "Of the three cities Pune, at 70, has the fewest.", "Mumbai has 54.5% of all customers.",
    ],
)  # fmt: skip
def test_a_figure_may_stand_beside_another_row(text: str):
    assert refused(text, CITIES) == ()


def test_a_month_has_its_own_figure():
    assert refused("In January 2025 the balance was 900, in March 2025 it was 450.", FALLING) == ()
    assert refused("March 2025 has 900.", FALLING)


@pytest.mark.parametrize(
    "text",
    [
        "Pune has the most customers.", "Mumbai has the fewest customers.", "Pune leads.", "Delhi is the largest city.",
        "Delhi has more customers than Mumbai.", "Pune is ahead of Delhi.", "Mumbai trails Pune.",
        "Only Mumbai has customers.", "Mumbai is the only city with customers.", "Customers are solely in Mumbai.",
    ],
)  # fmt: skip
def test_a_place_that_a_row_has_not_is_told_of_none(text: str):
    assert refused(text, CITIES)


@pytest.mark.parametrize(
    "text",
    [
        "Mumbai has the most customers.", "Pune has the fewest.", "Delhi has fewer customers than Mumbai.",
        "Delhi is the second largest city.", "Mumbai is ahead of Delhi.",
    ],
)  # fmt: skip
def test_a_place_that_a_row_has_is_told(text: str):
    assert refused(text, CITIES) == ()


@pytest.mark.parametrize(
    "text",
    [
        "Delhi has 110 more customers than Mumbai.", "Delhi has 110 customers more than Mumbai.",
        "Delhi stands 110 above Mumbai.", "Delhi, 110 above Mumbai, has 130.", "Delhi has 110 customers over Mumbai.",
        "Delhi has 60 fewer customers than Pune.", "Mumbai is 170 below Pune.", "Mumbai lags 110 behind Delhi.",
        "There are 110 more customers in Delhi than in Mumbai.", "Delhi has 130 customers. It has 60 less than Pune.",
        "Delhi has more than 60 fewer customers than Pune.", "Delhi has 110 more customers compared to Mumbai.",
        "Mumbai leads with 240, and Pune has 60 more customers than Delhi.", "Mumbai has 60 more than Delhi.",
        "Pune surpasses Delhi by 60 customers.", "Delhi outstrips Mumbai by 110.", "Delhi is above Mumbai.",
        "Mumbai is outnumbered by Pune.", "Pune has 46% more customers than Mumbai.",
    ],
)  # fmt: skip
def test_a_difference_has_the_sign_that_the_order_of_its_rows_gives_it(text: str):
    assert refused(text, CITIES)


@pytest.mark.parametrize(
    "text",
    [
        "Mumbai has 110 more customers than Delhi.", "Mumbai stands 110 above Delhi.", "Pune is 60 below Delhi.",
        "Pune has 60 fewer customers than Delhi.", "There are 110 more customers in Mumbai than in Delhi.",
        "Mumbai surpasses Delhi by 110 customers.",
        "Pune has 70 customers, 170 fewer than Mumbai and 60 fewer than Delhi.", "Delhi is outnumbered by Mumbai.",
        "Delhi has 130, 110 fewer than Mumbai but 60 more than Pune.", "Mumbai has 240 customers, Delhi has 130.",
    ],
)  # fmt: skip
def test_a_difference_between_two_rows_is_told_as_it_is(text: str):
    assert refused(text, CITIES) == ()


@pytest.mark.parametrize(
    "text",
    [
        "Mumbai with 240 customers is ahead of Delhi.", "Mumbai's 240 customers are above Delhi's 130.",
        "Delhi's 130 is below Mumbai's 240.", "Delhi with 130 is behind Mumbai.",
        "Delhi with 130 customers is lower than Mumbai.",
        "Mumbai's 240 is higher than Delhi's 130.", "With 240 customers Mumbai is ahead of Delhi.",
        "Delhi with 130 customers comes in below Mumbai.",
    ],
)  # fmt: skip
def test_what_a_row_has_is_no_difference_where_a_verb_stands_behind_it(text: str):
    assert refused(text, CITIES) == ()


@pytest.mark.parametrize(
    "text",
    [
        "Mumbai with 240 customers is behind Delhi.", "Pune's 70 customers are above Delhi's 130.",
        "Delhi with 130 customers is higher than Mumbai.", "Mumbai with 130 customers is ahead of Pune.",
        "Mumbai stands 240 above Delhi.", "Mumbai has 240 customers above Delhi.",
        "Mumbai has 240 customers more than are in Delhi.",
    ],
)  # fmt: skip
def test_what_a_row_has_is_told_against_another_in_their_order_and_as_no_difference(text: str):
    assert refused(text, CITIES)


def test_a_lead_of_so_many_points_is_the_difference_of_its_rows():
    assert unfounded("Mumbai leads Delhi by a 60-point margin.", SHARES) == ()
    assert unfounded("Mumbai has a 60 point lead over Delhi.", SHARES) == ()
    assert refused("Mumbai has a 40 point lead over Delhi.", SHARES)
    assert refused("Mumbai leads Delhi by a 70-point margin.", SHARES)


def test_the_only_one_is_told_where_the_others_have_nothing():
    assert refused("Only Mumbai has customers.", NONE_IN_GOA) == ()
    assert refused("Only Goa has customers.", NONE_IN_GOA)


@pytest.mark.parametrize(
    "text",
    [
        "Every customer is overdue.", "All customers have defaulted.", "440 customers, all of whom are overdue.",
        "Customers are all in default.", "Each of the customers has a loan.", "No customers are insured.",
        "The number of customers: no accounts have a nominee.", "All 440 customers are overdue.",
        "Every third customer is overdue.", "Every other customer is overdue.", "440 customers, everyone insured.",
    ],
)  # fmt: skip
def test_nothing_is_told_of_all_or_none_that_was_not_counted(text: str):
    assert refused(text, LONE)
    assert refused(text, replace(LONE, question=f"is this so: {text}"))


def test_all_and_none_are_told_where_the_result_says_so():
    insured = replace(SHARES, question="what share of the customers is insured?")
    assert refused("All customers of Mumbai are insured: 100%.", insured) == ()
    assert refused("All customers of Delhi are insured: 100%.", insured)
    assert refused("All customers of Delhi are insured.", insured)
    assert refused("Goa has no customers.", NONE_IN_GOA) == ()
    assert refused("Mumbai has no customers.", NONE_IN_GOA)
    assert refused("Mumbai has 54.5% of all customers; every city has some.", CITIES) == ()


@pytest.mark.parametrize(
    "text",
    [
        "440 customers a week.", "Last week there were 440 customers.", "440 customers, against last year.",
        "Yesterday there were 440 customers.", "440 customers daily.", "440 customers in the week of Diwali.",
        "440 customers were counted this quarter.",
    ],
)  # fmt: skip
def test_a_time_is_told_that_result_or_question_has(text: str):
    assert refused(text, LONE)
    assert refused(text, replace(LONE, question=f"is this so: {text}")) == ()


def test_weeks_are_those_of_the_result():
    assert refused("In the week of 3 March 2025 the balance was 900.", WEEKS) == ()
    assert refused("In W12 the balance was 900.", WEEKS)
    assert refused("In week 70 Mumbai leads.", CITIES)
    assert refused("The balance fell this quarter.", FALLING) == ()
    august = replace(LONE, scope=Scope(period="1 to 31 August 2026"))
    assert refused("There were 440 customers in the month.", august) == ()


def test_a_figure_is_of_what_was_counted():
    assert refused("440 accounts are frozen.", LONE)
    assert refused("440 accounts are open.", replace(LONE, question="how many accounts are open?")) == ()


@pytest.mark.parametrize(
    "text",
    [
        "Mumbai has 240 overdue customers.", "Mumbai has 240 customers who are overdue.", "240 customers are overdue.",
        "Mumbai has 240 overdue.", "There are 240 defaulters in Mumbai.", "In Mumbai 240 customers have loans.",
        "Mumbai has 240 high-risk customers.", "Mumbai has 240 dormant, inactive customers.",
        "Mumbai has 130 in every 240 customers.", "70 of every 130 are in Pune.", "Pune: 70 out of every 240.",
        "Mumbai has 240 of 130 customers.", "130 of 240 customers are in Delhi.", "70 out of the 240 are in Pune.",
    ],
)  # fmt: skip
def test_no_part_of_what_was_counted_is_told_that_nobody_asked_for(text: str):
    assert refused(text, CITIES)


@pytest.mark.parametrize(
    "text",
    [
        "Mumbai has 240 of 440 customers.",
        "240 of the 440 customers are in Mumbai.", "There are 440 customers.",
        "Mumbai has 240 customers while Pune has only 70.",
        "Mumbai has 240 customers compared to 130 in Delhi.",
    ],
)  # fmt: skip
def test_what_was_counted_is_told_in_many_words(text: str):
    assert refused(text, CITIES) == ()


def test_a_part_is_told_that_the_question_has_and_not_by_the_statement_alone():
    asked = replace(CITIES, question="how many overdue customers are there in each city?")
    assert refused("Mumbai has 240 overdue customers.", asked) == ()
    narrowed = replace(CITIES, sql=CITIES.sql.replace("GROUP", "WHERE overdue_days > 0 GROUP"))
    assert refused("Mumbai has 240 customers who are overdue.", narrowed)


NAME, TYPE = OutputColumn("full_name", "Customer name"), OutputColumn("account_type", "Account type")
ACCOUNTS = task_of(
    [NAME, TYPE, BALANCE],
    [("Asha Rao", "Savings", Decimal(910)), ("Vikram Sen", "Current", Decimal(640)), ("Nina Das", "Savings",
    Decimal(350))],
    "SELECT full_name, account_type, balance FROM accounts ORDER BY balance DESC LIMIT 3",
    question="Which 3 customers have the largest balances, in which type of account?",
)  # fmt: skip


@pytest.mark.parametrize(
    "text",
    [
        "Asha Rao has a current account with Rs.910.00.", "Vikram Sen has a savings account.",
        "Asha Rao and Vikram Sen both have savings accounts.", "There are 910 accounts.",
    ],
)  # fmt: skip
def test_names_in_several_columns_are_of_one_row_and_money_is_no_number_of_things(text: str):
    assert refused(text, ACCOUNTS)


@pytest.mark.parametrize(
    "text",
    [
        "Asha Rao has a savings account with Rs.910.00.", "Asha Rao and Nina Das both have savings accounts.",
        "Vikram Sen's balance is Rs.640.00, in a current account.",
        "The 3 largest balances range from Rs.350.00 to Rs.910.00.",
    ],
)  # fmt: skip
def test_names_in_several_columns_that_one_row_has_are_told(text: str):
    assert refused(text, ACCOUNTS) == ()


def test_a_lone_sum_of_money_is_no_number_of_accounts():
    held = task_of(
        [BALANCE], [(Decimal("8640500.50"),)], "SELECT SUM(b) AS balance FROM t", question="accounts' balance?"
    )
    assert refused("There are 8,640,500 accounts.", held)
    assert refused("The accounts have a total balance of 8,640,500.", held) == ()


def test_a_total_is_no_number_of_steps_and_each_is_said_of_those_that_are_named():
    assert refused("The total over the three months is 900.", FALLING)
    assert refused("The total over the three months is 2,050.", FALLING) == ()
    assert refused("Mumbai and Pune together have 440 customers.", CITIES)
    assert refused("Mumbai and Delhi together have 370 customers.", CITIES) == ()
    level = replace(CITIES, result=replace(CITIES.result, rows=(("Mumbai", 240), ("Delhi", 130), ("Pune", 130))))
    assert refused("Delhi and Pune each have 130 customers.", level) == ()
    assert refused("Mumbai and Pune each have 130 customers.", level)
