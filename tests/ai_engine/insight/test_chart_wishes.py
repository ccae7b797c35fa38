from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

import pytest

from ai_engine.insight.chart_wishes import drawn_as, part_wish, redrawn
from ai_engine.types import Answer
from tests.ai_engine.insight.results import AVERAGE, BALANCE, BRANCH, THREE_BRANCHES, result_of

PARTS = (BRANCH, replace(BALANCE, adds_up=True))
ROWS = result_of(PARTS, THREE_BRANCHES)
ABOVE = Answer("Deposits by branch", "answered", "built-in", result=ROWS, columns=PARTS, chart="bar")


@pytest.mark.parametrize(
    ("wish", "kind"),
    [
        ("Show as pie", "pie"),
        ("as a table", "table"),
        ("Please show it as a pie chart", "pie"),
        ("make that a donut chart instead", "pie"),
        ("pie chart please", "pie"),
        ("now as horizontal bars", "horizontal_bar"),
        ("Columns instead", "bar"),
    ],
)
def test_a_wish_for_a_picture_draws_the_answer_above_again(wish, kind):
    assert redrawn(wish, ABOVE) == replace(ABOVE, question=wish, chart=kind)


def test_a_bigger_picture_grows_up_to_a_bound():
    assert redrawn("bigger", ABOVE).chart_size == 1.5
    assert redrawn("make it bigger please", replace(ABOVE, chart_size=3.0)).chart_size == 3.0


def test_a_wish_that_does_not_fit_says_why_and_what_fits():
    columns = (BRANCH, AVERAGE)
    above = replace(ABOVE, columns=columns, result=result_of(columns, [("Pune", Decimal(2)), ("Goa", Decimal(1))]))
    refused = redrawn("show as a pie", above)
    assert refused.status == "refused"
    assert refused.error == (
        "A pie needs two to six parts of one whole. What fits the answer above: columns, bars and a table."
    )
    assert all(redrawn(suggestion, above).status == "answered" for suggestion in refused.suggestions)


@pytest.mark.parametrize(
    "question",
    ["table", "Deposits by branch as a pie", "bigger loans", "show accounts", "line of business", "by city in a line"],
)
def test_other_words_are_no_wish_for_a_picture(question):
    assert redrawn(question, ABOVE) is None


def test_with_no_answer_above_there_is_nothing_to_draw():
    assert redrawn("show as pie", None) is None
    assert redrawn("show as pie", Answer("x", "refused", "built-in")) is None


@pytest.mark.parametrize(
    ("question", "asked", "kinds"),
    [
        ("Deposits by branch as a pie chart", "Deposits by branch", ("pie",)),
        ("deposits by branch, as pie please?", "deposits by branch", ("pie",)),
        ("Transactions by month in a bar graph", "Transactions by month", ("horizontal_bar", "bar")),
        ("List customers in a table.", "List customers", ("table",)),
        ("Please draw me a pie chart of deposits by branch", "deposits by branch", ("pie",)),
        ("Line chart of transactions by month", "transactions by month", ("line",)),
        ("Heat map of transactions by weekday and hour", "transactions by weekday and hour", ("heatmap",)),
    ],
)
def test_a_wish_beside_a_question_is_parted_from_it(question, asked, kinds):
    assert part_wish(question) == (asked, kinds)


@pytest.mark.parametrize(
    "question",
    ["show as pie", "Customers by line of business", "branches in a line", "accounts by area", "loans with points",
     "Deposits by table", "What is a bar chart?", "as a table", "", "Customers listed as a table owner",
     "Histogram of balances"],
)  # fmt: skip
def test_a_question_without_a_wish_stays_whole(question):
    assert part_wish(question) == (question, ())


def test_a_wish_in_a_text_of_any_length_is_found_at_once():
    long = "deposits " * 100_000
    assert part_wish(f"{long}as a pie") == (long[:-1], ("pie",))
    assert part_wish(" " * 1_000_000) == (" " * 1_000_000, ())


def test_the_answer_to_a_parted_question_has_its_whole_text_and_the_chart_that_fits():
    whole = "Deposits by branch as a pie"
    assert drawn_as(ABOVE, whole, ("pie",)) == replace(ABOVE, question=whole, chart="pie")
    assert drawn_as(ABOVE, whole, ("line",)) == replace(
        ABOVE, question=whole, assumptions=("A line needs a run of time, so it is drawn as columns.",)
    )
    refused = Answer("x", "refused", "built-in")
    assert drawn_as(refused, "x as a pie", ("pie",)) == replace(refused, question="x as a pie")
