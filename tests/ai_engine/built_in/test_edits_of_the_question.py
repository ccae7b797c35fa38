"""What people type to change the question before: fewer, without, both, beside it, the same days of another year."""

from __future__ import annotations

import pytest

from ai_engine.built_in.knowledge import Knowledge
from tests.ai_engine.built_in import shop
from tests.ai_engine.built_in.talking import last

SHOP = shop.knowledge()
BY_CITY = "turnover by city"
BY_MONTH = "turnover by month in 2025"


@pytest.mark.parametrize(
    ("questions", "restatement"),
    [
        (f"{BY_CITY} | top 2 | make it one", "Turnover by city, sorted by turnover, highest first, top 1"),
        (f"{BY_CITY} | top 2 | make that 3, and only red", "Turnover by city, where colour is red, "
         "sorted by turnover, highest first, top 3"),
        (f"{BY_CITY} | top 2 | make it 3, and for 2025", "Turnover by city, for 2025, "
         "sorted by turnover, highest first, top 3"),
        (f"{BY_CITY} | just 2", "Turnover by city, sorted by turnover, highest first, top 2"),
        (f"{BY_CITY} | the best two", "Turnover by city, sorted by turnover, highest first, top 2"),
        (f"{BY_CITY} | leave Lyon out", "Turnover by city, where city is not Lyon"),
        (f"{BY_CITY} | leave the red ones out", "Turnover by city, where colour is not red"),
        (f"{BY_CITY} | keep red ones out of it", "Turnover by city, where colour is not red"),
        (f"{BY_CITY} | leave out Lyon and Turin, biggest first", "Turnover by city, where city is not Lyon or Turin, "
         "sorted by turnover, highest first"),
        (f"{BY_CITY} | Lyon excluded", "Turnover by city, where city is not Lyon"),
        (f"{BY_CITY} | everything except Lyon", "Turnover by city, where city is not Lyon"),
        (f"{BY_CITY} | as a percentage of the total pls", "Share of turnover by city"),
        (f"{BY_CITY} | what percentage of the whole is each", "Share of turnover by city"),
        (f"{BY_CITY} | what share does each have", "Share of turnover by city"),
        (f"{BY_CITY} | each one's share", "Share of turnover by city"),
        (f"{BY_CITY} | turn it into percentages", "Share of turnover by city"),
        (f"{BY_CITY} | number of sales next to it", "Turnover and number of sales by city"),
        (f"{BY_CITY} | add the number of sales of each", "Turnover and number of sales by city"),
        (f"{BY_CITY} | with the number of sales", "Turnover and number of sales by city"),
        (f"{BY_CITY} | with the number of sales instead", "Number of sales by city"),
        (f"{BY_MONTH} | latest first", "Turnover by month of day of sale, for 2025, sorted by month of day of sale, "
         "highest first, steps without data shown as zero"),
        ("list red sales | leave Lyon out, newest first", "List of sales showing sale number, colour and price, "
         "where colour is red and city is not Lyon, sorted by day of sale, highest first"),
        (f"{BY_CITY} | how would that look for red only", "Turnover by city, where colour is red"),
        (f"{BY_CITY} | and only when the colour was red", "Turnover by city, where colour is red"),
        (f"{BY_CITY} | Great. Now by colour", "Turnover by colour"),
        (f"{BY_CITY} | which colour then, for Lyon", "Turnover by colour, where city is Lyon"),
        (f"{BY_MONTH} | as quarters", "Turnover by quarter of day of sale, for 2025, steps without data shown as zero"),
        (f"{BY_MONTH} | roll it up to quarters", "Turnover by quarter of day of sale, for 2025, "
         "steps without data shown as zero"),
        ("turnover in Lyon | and in Turin? | both", "Turnover (where city is Lyon) and turnover (where city is Turin)"),
        ("red turnover | and blue? | both, by city", "Turnover (where colour is red) and "
         "turnover (where colour is blue) by city"),
        ("turnover in March 2025 | and in May 2025? | both", "Turnover (where day of sale is in March 2025) and "
         "turnover (where day of sale is in May 2025)"),
        ("turnover by city | and the number of sales? | both", "Turnover and number of sales by city"),
        ("turnover in the first quarter of 2025 | in the same months of 2024", "Turnover, for January to March 2024"),
        ("turnover in 2026 so far | and in the same months of last year?", "Turnover, for 1 January to "
         "21 November 2025"),
        ("turnover in 2026 | what was it in 2024 compared to 2025", "Turnover, for 2025, "
         "compared with the period before"),
        ("list shops | with how many sales each has", "Number of sales by shop number, groups without data "
         "shown as zero"),
        ("number of sales by city | by amount instead of by number", "Total price by city"),
    ],
)  # fmt: skip
def test_a_turn_edits_the_question_before(questions: str, restatement: str) -> None:
    reply = last(SHOP, *questions.split(" | "))
    assert (reply.outcome, reply.restatement) == ("query", restatement)


@pytest.mark.parametrize(
    ("questions", "restatement"),
    [
        ("list blocked credit cards | with the customer's name next to it please", "customer name"),
        ("list home loans in Pune | and put the branch name beside it", "branch name"),
        ("which customers are in Pune | add how many accounts each has", "Number of accounts by customer"),
        ("which customers are in Pune | add their total balance", "Total deposits by customer"),
    ],
)
def test_what_is_put_beside_a_list_is_shown_with_each_of_its_rows(
    questions: str, restatement: str, bank: Knowledge
) -> None:
    reply = last(bank, *questions.split(" | "))
    assert reply.outcome == "query"
    assert restatement in reply.restatement


def test_the_southern_ones_are_those_of_the_south_and_fine_is_no_column(bank: Knowledge) -> None:
    assert last(bank, "number of branches by region", "just the southern ones").restatement.endswith("region is South")
    begun_anew = last(bank, "deposits by city", "Fine. How many loans do we have per branch?")
    assert begun_anew.restatement == "Number of loans by branch"


@pytest.mark.parametrize(
    "questions",
    [
        "turnover by city | make it five",  # no number was there
        "turnover by city | 7",
        "turnover by city | newest first",  # a city has no day
        "turnover by city | the worst two",  # of what nobody wants more the most are the worst
        "average price by city | the best two",
        "turnover by city | both, by colour",
        "turnover by city | top 2 | by colour | both",
        "turnover in 2026 | compared with 2023",
        "turnover | in the same months of last year",
        "turnover by city | leave everything else out",
    ],
)
def test_what_changes_nothing_that_was_asked_is_refused(questions: str) -> None:
    assert last(SHOP, *questions.split(" | ")).outcome == "refused"
