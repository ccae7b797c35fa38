from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

import pytest

from ai_engine.insight.chart_wishes import Wish, drawn_as, part_wish, redrawn
from ai_engine.types import Answer
from tests.ai_engine.insight.results import AVERAGE, BALANCE, BRANCH, THREE_BRANCHES, result_of

PARTS = (BRANCH, replace(BALANCE, adds_up=True))
ROWS = result_of(PARTS, THREE_BRANCHES)
DRAWN = ("line", "bar", "horizontal_bar", "heatmap", "scatter", "pie", "area", "histogram")
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
        ("donut", "pie"),
        ("make a table", "table"),
        ("draw it", "bar"),
        ("Please show me the chart", "bar"),
        ("visualise this", "bar"),
    ],
)
def test_a_wish_for_a_picture_draws_the_answer_above_again(wish, kind):
    assert redrawn(wish, ABOVE) == replace(ABOVE, question=wish, chart=kind)


def test_a_bigger_picture_grows_up_to_a_bound():
    assert redrawn("bigger", ABOVE).chart_size == 1.5
    assert redrawn("make it bigger please", replace(ABOVE, chart_size=2.25)).chart_size == 3.0
    assert redrawn("bigger", replace(ABOVE, chart_size=3.0)).error.startswith("It is drawn as large as it can be.")
    assert redrawn("smaller", replace(ABOVE, chart_size=1.5)).chart_size == 1.0


def test_a_table_is_not_made_bigger_and_that_is_said():
    refused = redrawn("bigger", replace(ABOVE, chart="table"))
    assert refused.status == "refused"
    assert refused.error.startswith("A table has no size to change. What fits the answer above: columns")


def test_what_stands_as_a_table_is_drawn_where_it_can_be():
    assert redrawn("draw it", replace(ABOVE, chart="table")).chart in {"bar", "horizontal_bar"}
    one = replace(ABOVE, chart="metric", result=result_of(PARTS, THREE_BRANCHES[:1]))
    assert redrawn("draw it", one).error.startswith("A chart needs two or more groups")


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
    ("question", "asked", "wish"),
    [
        ("Deposits by branch as a pie chart", "Deposits by branch", Wish(("pie",))),
        ("deposits by branch, as pie please?", "deposits by branch", Wish(("pie",))),
        ("Transactions by month in a bar graph", "Transactions by month", Wish(("horizontal_bar", "bar"))),
        ("List customers in a table.", "List customers", Wish(("table",))),
        ("Please draw me a pie chart of deposits by branch", "deposits by branch", Wish(("pie",))),
        ("Line chart of transactions by month", "transactions by month", Wish(("line",))),
        ("Heat map of transactions by weekday and hour", "transactions by weekday and hour", Wish(("heatmap",))),
        ("plot deposits by branch", "deposits by branch", Wish(DRAWN)),
        ("Graph of deposits by branch", "deposits by branch", Wish(DRAWN)),
        ("please draw the deposits by branch", "the deposits by branch", Wish(DRAWN)),
        ("Deposits by branch as a chart", "Deposits by branch", Wish(DRAWN)),
        ("Plot deposits by branch as a pie", "deposits by branch", Wish(("pie",))),
        ("deposits by branch, pie", "deposits by branch", Wish(("pie",))),
        ("deposits by branch pie chart", "deposits by branch", Wish(("pie",))),
        ("Chart of accounts by type", "accounts by type", Wish(DRAWN)),
        ("Deposits by branch, bigger", "Deposits by branch", Wish((), 1.5)),
        ("deposits by branch and make it bigger", "deposits by branch", Wish((), 1.5)),
        ("a big pie chart of deposits by branch", "deposits by branch", Wish(("pie",), 1.5)),
        ("Histogram of balances", "List balances", Wish(("histogram",))),
        ("Show loan amounts as a histogram", "Show loan amounts", Wish(("histogram",))),
        ("histogram of customers by age", "customers by age", Wish(("histogram",))),
    ],
)
def test_a_wish_beside_a_question_is_parted_from_it(question, asked, wish):
    assert part_wish(question) == (asked, wish)


@pytest.mark.parametrize(
    "question",
    ["show as pie", "Customers by line of business", "branches in a line", "accounts by area", "loans with points",
     "Deposits by table", "What is a bar chart?", "as a table", "", "Customers listed as a table owner",
     "chart of accounts", "draw up a list of loans", "which is the bigger branch", "show as a chart"],
)  # fmt: skip
def test_a_question_without_a_wish_stays_whole(question):
    assert part_wish(question) == (question, None)


def test_a_name_of_the_bank_is_no_wish():
    assert part_wish("Plot sizes by branch", is_named={"plot"}.__contains__) == ("Plot sizes by branch", None)


def test_a_wish_in_a_text_of_any_length_is_found_at_once():
    long = "deposits " * 100_000
    assert part_wish(f"{long}as a pie") == (long[:-1], Wish(("pie",)))
    assert part_wish(" " * 1_000_000) == (" " * 1_000_000, None)


def test_the_answer_to_a_parted_question_has_its_whole_text_and_the_chart_that_fits():
    whole = "Deposits by branch as a pie"
    assert drawn_as(ABOVE, whole, Wish(("pie",))) == replace(ABOVE, question=whole, chart="pie")
    assert drawn_as(ABOVE, whole, Wish((), 1.5)) == replace(ABOVE, question=whole, chart_size=1.5)
    assert drawn_as(ABOVE, whole, Wish(("line",))) == replace(
        ABOVE, question=whole, assumptions=("A line needs a run of time, so it is drawn as columns.",)
    )
    refused = Answer("x", "refused", "built-in")
    assert drawn_as(refused, "x as a pie", Wish(("pie",))) == replace(refused, question="x as a pie")
