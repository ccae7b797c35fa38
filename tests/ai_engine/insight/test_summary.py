from __future__ import annotations

from dataclasses import replace
from datetime import date
from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ai_engine.insight import Judge
from ai_engine.insight.summary import summarise
from ai_engine.ports import InsightTask
from ai_engine.semantics.scope_words import Scope
from ai_engine.types import OutputColumn, Scalar
from tests.ai_engine.insight.results import (
    ACCOUNT_ID,
    AVERAGE,
    BALANCE,
    BRANCH,
    BY_BRANCH,
    CITY,
    CUSTOMERS,
    MONTH,
    RANKED,
    SHARE,
    THREE_BRANCHES,
    result_of,
    task_of,
    unfounded,
    vocabulary,
)

MARCH = Scope(period="March 2025")
BY_MONTH = "SELECT month, SUM(balance) AS balance FROM accounts GROUP BY month ORDER BY month"
SIX_MONTHS = [(date(2025, month, 1), Decimal(amount)) for month, amount in enumerate([99, 102, 97, 104, 95, 106], 1)]


def told(*arguments, **options) -> str:
    return summarise(task_of(*arguments, **options), vocabulary())


def test_a_single_figure_is_stated_with_its_period():
    text = told([BALANCE], [(Decimal("175206"),)], "SELECT SUM(balance) AS balance FROM accounts", scope=MARCH)
    assert text == "Total balance in March 2025 is Rs.1.75 lakh."


def test_a_run_that_begins_and_ends_with_nothing_has_its_peak_first_and_no_way():
    amounts = [0, 0, 89, 0, 91, 0]
    rows = [(date(2025, month, 1), Decimal(amount)) for month, amount in enumerate(amounts, 1)]
    text = told([MONTH, BALANCE], rows, BY_MONTH)
    assert text == (
        "Total balance: the peak was Rs.91.00 in May 2025 and the low was Rs.0.00, reached 4 times, "
        "first in January 2025."
    )
    assert not unfounded(text, task_of([MONTH, BALANCE], rows, BY_MONTH))


def test_a_period_that_brings_its_preposition_keeps_it():
    text = told(
        [BALANCE], [(Decimal("5"),)], "SELECT SUM(balance) FROM accounts", scope=Scope(period="since 1 March 2025")
    )
    assert text == "Total balance since 1 March 2025 is Rs.5.00."


def test_a_count_says_what_there_are():
    assert told([CUSTOMERS], [(12000,)], "SELECT COUNT(*) FROM customers") == "There are 12,000 customers."
    assert told([CUSTOMERS], [(1,)], "SELECT COUNT(*) FROM customers") == "Number of customers is 1."


def test_a_sum_over_nothing_is_said_to_have_no_value():
    text = told([BALANCE], [(None,)], "SELECT SUM(balance) FROM accounts")
    assert text == "Total balance has no value: nothing that matches was recorded."


def test_no_rows_repeat_what_was_looked_for():
    text = told([BRANCH], [], "SELECT branch FROM b", restatement="Branches in Goa.", scope=MARCH)
    assert text == "No rows match: Branches in Goa."
    assert told([BRANCH], [], "SELECT branch FROM b") == "No rows match this question."


def test_groups_tell_the_highest_its_share_and_the_lowest():
    assert told([BRANCH, BALANCE], THREE_BRANCHES, RANKED, scope=MARCH) == (
        "Mumbai Fort has the highest total balance in March 2025, Rs.300.10 of Rs.600.00 in all (50.02%). "
        "Delhi has the lowest of 3 branches, Rs.99.90."
    )


def test_averages_have_no_total():
    sql = "SELECT branch, AVG(balance) AS average FROM accounts GROUP BY branch"
    assert "in all" not in told([BRANCH, AVERAGE], THREE_BRANCHES, sql)


def test_distinct_counts_may_overlap_and_have_no_total():
    sql = "SELECT branch, COUNT(DISTINCT customer_id) AS customers FROM accounts GROUP BY branch"
    assert "in all" not in told([BRANCH, CUSTOMERS], [("Pune", 5), ("Delhi", 3)], sql)


def test_a_total_is_found_through_a_common_table():
    sql = f"WITH per_branch AS ({BY_BRANCH}) SELECT p.branch, COALESCE(p.balance, 0) AS balance FROM per_branch AS p"
    assert "in all" in told([BRANCH, BALANCE], THREE_BRANCHES, sql)


def test_figures_below_zero_have_no_shares():
    rows = [("Pune", Decimal(5)), ("Delhi", Decimal(-1))]
    assert "%" not in told([BRANCH, BALANCE], rows, RANKED)


def test_a_cut_result_claims_no_total_and_no_lowest():
    text = told([BRANCH, BALANCE], THREE_BRANCHES, RANKED, truncated=True)
    assert text.startswith("Mumbai Fort has the highest total balance, Rs.300.10")
    assert "lowest" not in text
    assert "in all" not in text
    assert text.endswith("More rows exist than are shown.")


def test_a_cut_result_without_order_claims_no_highest():
    text = told([BRANCH, BALANCE], THREE_BRANCHES, BY_BRANCH, truncated=True)
    assert "highest" not in text
    assert text.startswith("Among the 3 branches listed, total balance goes from Rs.99.90 (Delhi)")


def test_the_first_of_an_ascending_order_is_the_lowest():
    rows = list(reversed(THREE_BRANCHES))
    text = told([BRANCH, BALANCE], rows, f"{BY_BRANCH} ORDER BY 2 LIMIT 3")
    assert text.startswith("Delhi has the lowest total balance, Rs.99.90")


def test_a_limit_that_was_reached_hides_rows_and_one_that_was_not_does_not():
    assert "in all" not in told([BRANCH, BALANCE], THREE_BRANCHES, f"{RANKED} LIMIT 3")
    assert "in all" in told([BRANCH, BALANCE], THREE_BRANCHES, f"{RANKED} LIMIT 4")


def test_a_condition_on_groups_hides_rows():
    kept = f"SELECT * FROM ({BY_BRANCH}) AS g WHERE balance > 50"
    assert "in all" not in told([BRANCH, BALANCE], THREE_BRANCHES, f"{BY_BRANCH} HAVING SUM(balance) > 50")
    assert "in all" not in told([BRANCH, BALANCE], THREE_BRANCHES, kept.replace("*", "g.branch, g.balance"))


def test_a_statement_that_cannot_be_read_lets_nothing_be_claimed():
    text = told([BRANCH, BALANCE], THREE_BRANCHES, "this is (no SQL")
    assert "highest" not in text
    assert "in all" not in text


def test_the_winner_of_a_top_one_is_called_the_highest():
    text = told([BRANCH, BALANCE], THREE_BRANCHES[:1], f"{RANKED} LIMIT 1")
    assert text == "Mumbai Fort has the highest total balance, Rs.300.10."


def test_the_highest_of_highest_figures_is_said_once():
    text = told([BRANCH, replace(BALANCE, label="Highest balance")], THREE_BRANCHES, RANKED)
    assert "has the highest balance, Rs.300.10" in text


def test_ties_are_named_and_many_are_counted():
    pair = [("A", Decimal(5)), ("B", Decimal(5)), ("C", Decimal(1))]
    assert "A and B share the highest total balance, Rs.5.00 each" in told([BRANCH, BALANCE], pair, RANKED)
    many = [*[(name, Decimal(5)) for name in "ABCDE"], ("F", Decimal(1))]
    assert "5 of them share the highest" in told([BRANCH, BALANCE], many, RANKED)
    assert told([BRANCH, BALANCE], pair[:2], RANKED) == "Both branches have the same total balance, Rs.5.00."


def test_a_full_name_is_a_kind_of_name_and_a_branch_name_is_a_branch():
    pair = [("A", Decimal(5)), ("B", Decimal(5))]
    assert told([replace(BRANCH, label="full name"), BALANCE], pair, RANKED).startswith("Both full names have")


def test_groups_without_a_value_or_a_name_are_said_so():
    rows = [("A", Decimal(5)), (None, Decimal(1)), ("X", None)]
    text = told([BRANCH, BALANCE], rows, RANKED)
    assert "(no branch) has the lowest of 2 branches, Rs.1.00." in text
    assert text.endswith("1 has no total balance.")


def test_a_second_figure_with_another_winner_is_told_too():
    rows = [("Pune", Decimal(9), 1), ("Delhi", Decimal(1), 70)]
    sql = "SELECT branch, SUM(balance) AS balance, COUNT(*) AS customers FROM accounts GROUP BY branch"
    text = told([BRANCH, BALANCE, CUSTOMERS], rows, sql)
    assert text.endswith("Delhi has the highest number of customers, 70.")


def test_a_series_tells_first_last_change_peak_and_low():
    assert told([MONTH, BALANCE], SIX_MONTHS, BY_MONTH) == (
        "Total balance rose from Rs.99.00 in January to Rs.106.00 in June 2025, up 7.07%. "
        "The peak was Rs.106.00 in June 2025 and the low was Rs.95.00 in May 2025."
    )


def test_a_series_is_told_in_order_of_time_whatever_the_order_of_rows():
    assert told([MONTH, BALANCE], list(reversed(SIX_MONTHS)), BY_MONTH) == told([MONTH, BALANCE], SIX_MONTHS, BY_MONTH)


def test_what_has_no_date_is_no_point_of_a_series_and_is_told_apart():
    text = told([MONTH, BALANCE], [*SIX_MONTHS, (None, Decimal(250))], BY_MONTH)
    assert text == f"{told([MONTH, BALANCE], SIX_MONTHS, BY_MONTH)} Without a date: total balance Rs.250.00."


def test_a_step_that_is_covered_in_part_is_named_and_neither_compared_nor_called_the_low():
    rows = [*SIX_MONTHS, (date(2025, 7, 1), Decimal(3))]
    part = replace(MONTH, part_steps=((date(2025, 7, 1), "1 to 22 July 2025"),))
    assert told([part, BALANCE], rows, BY_MONTH) == (
        f"{told([MONTH, BALANCE], SIX_MONTHS, BY_MONTH)} Covered only in part and not compared: 1 to 22 July 2025."
    )
    alone = told([part, BALANCE], rows[-1:], BY_MONTH, scope=Scope(period="1 to 22 July 2025"))
    assert alone == "July 2025 from 1 to 22 July 2025: total balance Rs.3.00."


def test_the_place_that_was_asked_for_is_named():
    lowest = f"{BY_BRANCH} ORDER BY 2 LIMIT 1 OFFSET 2"
    text = told([BRANCH, BALANCE], THREE_BRANCHES[:1], f"{RANKED} LIMIT 1 OFFSET 1", scope=Scope(place=2))
    assert text == "Mumbai Fort has the second highest total balance, Rs.300.10."
    text = told([BRANCH, BALANCE], THREE_BRANCHES[:1], lowest, scope=Scope(place=21))
    assert text == "Mumbai Fort has the 21st lowest total balance, Rs.300.10."


def test_all_that_narrows_a_figure_stands_in_its_sentence():
    upi = Scope(period="August 2026", conditions=("where channel is UPI",))
    counted = told([CUSTOMERS], [(8085,)], "SELECT COUNT(*) FROM customers", scope=upi)
    assert counted == "There are 8,085 customers in August 2026 where channel is UPI."
    text = told([BRANCH, BALANCE], THREE_BRANCHES, RANKED, scope=upi)
    assert text.startswith(
        "Mumbai Fort has the highest total balance in August 2026 where channel is UPI, Rs.300.10 of"
    )
    text = told([MONTH, BALANCE], SIX_MONTHS, BY_MONTH, scope=upi)
    assert text.startswith("Total balance where channel is UPI rose from Rs.99.00 in January to")


def test_a_comparison_tells_the_growth_and_the_days_it_is_held_against():
    before = replace(BALANCE, name="before", label="Total balance the period before", compared="earlier")
    change = replace(BALANCE, name="change", label="Change in total balance", compared="change")
    scope = Scope(period="1 January to 22 November 2026", compared="1 January to 22 November 2025")
    sql = "SELECT a AS balance, b AS before, c AS change FROM t"
    rows = [(Decimal(30_000_000), Decimal(20_000_000), Decimal(10_000_000))]
    assert told([BALANCE, before, change], rows, sql, scope=scope) == (
        "Total balance from 1 January to 22 November 2026 is Rs.3.00 crore, up 50% from Rs.2.00 crore "
        "from 1 January to 22 November 2025."
    )
    none = told([BALANCE, before, change], [(Decimal(5), None, None)], sql, scope=scope)
    assert none.endswith("is Rs.5.00; from 1 January to 22 November 2025 there was no value.")
    rows = [("Pune", Decimal(9), Decimal(3), Decimal(6)), ("Delhi", Decimal(1), Decimal(2), Decimal(-1))]
    text = told([BRANCH, BALANCE, before, change], rows, RANKED, scope=Scope(period="2026", compared="2025"))
    assert text == (
        "Total balance in 2026 against 2025: 1 of 2 rose, 1 fell. Pune rose most, up 200% to Rs.9.00. "
        "Delhi fell most, down 50% to Rs.1.00."
    )


def test_a_ranking_by_growth_names_what_grew_most_by_percent():
    before = replace(BALANCE, name="before", label="Total balance the period before", compared="earlier")
    change = OutputColumn("change", "Percent change in total balance", "percent", "measure", compared="change")
    key = OutputColumn("branch_id", "Branch id", None, "identifier")
    sql = "SELECT k AS branch_id, b AS branch_name, a AS balance, c AS before, d AS change FROM t"
    sql += " ORDER BY change DESC LIMIT 2"
    rows = [
        (34, "Coimbatore", Decimal(38), Decimal(20), Decimal(90)),
        (9, "Saket", Decimal(659), Decimal(383), Decimal(72)),
    ]
    columns = [key, replace(BRANCH, name="branch_name"), BALANCE, before, change]
    text = told(columns, rows, sql, scope=Scope(period="2026", compared="2025", rank="top 2 by percent change"))
    assert text == "Coimbatore rose most in total balance, up 90% to Rs.38.00 in 2026 against 2025."
    assert told(columns, rows[:1], sql, scope=Scope(period="2026", compared="2025")).startswith("Coimbatore: total")


def test_weekdays_are_named():
    weekday = OutputColumn("weekday", "Weekday")
    sql = "SELECT weekday, COUNT(*) AS customers FROM t GROUP BY weekday"
    assert "Tuesday has the highest number of customers, 9" in told([weekday, CUSTOMERS], [(1, 4), (2, 9)], sql)


def test_a_percentage_moves_by_points():
    ratio = OutputColumn("npa", "NPA ratio", "percent", "measure")
    rows = [(date(2025, 1, 1), Decimal("2.5")), (date(2025, 2, 1), Decimal("3.1"))]
    assert "up 0.6 percentage points" in told([MONTH, ratio], rows, "SELECT month, npa FROM t")


def test_a_flat_series_stays():
    rows = [(date(2025, month, 1), Decimal(7)) for month in (1, 2)]
    expected = "Total balance stayed at Rs.7.00 from January 2025 to February 2025."
    assert told([MONTH, BALANCE], rows, BY_MONTH) == expected


def test_a_cut_series_says_that_there_is_more():
    text = told([MONTH, BALANCE], SIX_MONTHS, BY_MONTH, truncated=True)
    assert "Among the 6 points listed, the peak was" in text
    assert text.endswith("Only the first 6 rows are shown; there are more.")


def test_several_series_tell_the_latest_standing():
    rows = [(city, when, amount * times) for city, times in (("Pune", 1), ("Delhi", 2)) for when, amount in SIX_MONTHS]
    sql = "SELECT city, month, SUM(balance) AS balance FROM accounts GROUP BY city, month"
    assert told([CITY, MONTH, BALANCE], rows, sql) == (
        "In June 2025, Delhi has the highest total balance, Rs.212.00 and Pune has the lowest, "
        "Rs.106.00. The highest total balance overall is Rs.212.00 (Delhi, June 2025)."
    )


def test_a_list_says_what_it_lists_and_how_many_there_are():
    rows = [(number, f"Name {number}", "Pune") for number in range(1, 101)]
    columns = [ACCOUNT_ID, OutputColumn("name", "Customer name"), CITY]
    sql = "SELECT account_id, name, city FROM customers"
    pune = Scope(
        thing="customer", things="customers", conditions=("where city is Pune",), order="sorted by name, lowest first"
    )
    assert told(columns, rows, sql) == "100 rows."
    assert told(columns, rows, sql, scope=pune) == "100 customers where city is Pune, sorted by name, lowest first."
    cut = "More than 100 customers where city is Pune, the first 100 shown, sorted by name, lowest first."
    assert told(columns, rows, sql, truncated=True, scope=pune) == cut
    assert told(columns, rows[:1], sql) == "One row matches: account id 1, customer name Name 1, city Pune."
    assert told(columns, rows[:1], sql, scope=pune) == "1 customer where city is Pune, sorted by name, lowest first."
    assert told(columns, [], sql, scope=pune) == "There are no customers where city is Pune."


@pytest.mark.parametrize(
    ("columns", "row", "headline"),
    [
        ([("loan_type", "category")], ("Home",), "Home has the third highest balance where city is Pune."),
        (
            [("loan_id", "identifier"), ("loan_number", "identifier"), ("balance", "measure")],
            (7, "LN007", Decimal(5)),
            "Loan LN007 has the third highest balance where city is Pune, Rs.5.00.",
        ),
        (
            [("customer_name", "text"), ("loan_name", "text"), ("balance", "measure")],
            ("Asha", "Bridge", Decimal(5)),
            "Bridge has the third highest balance where city is Pune, Rs.5.00.",
        ),
    ],
)
def test_the_one_row_of_an_order_is_named_with_its_rank(columns, row, headline):
    described = [
        OutputColumn(name, name.replace("_", " ").capitalize(), role=role, unit="INR" if role == "measure" else None)
        for name, role in columns
    ]
    sql = f"SELECT {', '.join(name for name, _ in columns)} FROM loans ORDER BY balance DESC LIMIT 1 OFFSET 2"
    scope = Scope(thing="loan", things="loans", conditions=("where city is Pune",), alone="third highest balance")
    assert told(described, [row], sql, scope=scope) == headline


def test_a_headline_that_three_lines_cannot_hold_says_the_same_in_fewer_letters():
    columns = [OutputColumn("n", "Number of transactions", role="measure", unit="count")]
    scope = Scope(
        period="1 January to 23 November 2026",
        dated_by="transaction date",
        conditions=("where channel is ATM and transaction type is Cash Withdrawal",),
        brief_conditions=("(ATM, Cash Withdrawal)",),
    )
    one = told(columns, [(5,)], "SELECT COUNT(*) AS n FROM t", scope=replace(scope, dated_by=""))
    assert one == (
        "There are 5 transactions from 1 January to 23 November 2026 where channel is ATM and transaction type is "
        "Cash Withdrawal."
    )
    two = told(columns, [(5,)], "SELECT COUNT(*) AS n FROM t", scope=scope)
    assert two == (
        "There are 5 transactions with transaction date from 1 January to 23 November 2026 (ATM, Cash Withdrawal)."
    )
    long = replace(scope, dated_by="date on which it was entered in the books of the branch")
    assert "from 1 Jan to 23 Nov 2026 (ATM, Cash Withdrawal)" in told(
        columns, [(5,)], "SELECT COUNT(*) AS n FROM t", scope=long
    )


def test_shares_are_told_as_they_are_and_not_shared_again():
    sql = "SELECT branch, 100 * SUM(b) / SUM(SUM(b)) OVER () AS share FROM t GROUP BY branch"
    text = told([BRANCH, SHARE], [("Pune", Decimal(75)), ("Delhi", Decimal(25))], sql)
    assert text == "Pune has the highest share of total, 75%. Delhi has the lowest of 2 branches, 25%."


def test_a_long_cell_is_cut_and_kept_on_one_line():
    text = told([BRANCH, BALANCE], [("x\n" * 500, Decimal(1)), ("y", Decimal(0))], RANKED)
    assert "\n" not in text
    assert len(text) < 400


def test_a_fraction_in_a_name_is_no_figure_from_nowhere():
    words = vocabulary()
    task = InsightTask("", "", RANKED, result_of([BRANCH, BALANCE], [(".1", None)]), (BRANCH, BALANCE))
    assert Judge(task, words).unfounded(summarise(task, words)) == ()


def test_a_column_of_figures_alone_tells_its_range():
    amount = OutputColumn("amount", "Amount", "INR", "measure")
    text = told([amount], [(Decimal(number),) for number in range(20)], "SELECT amount FROM transactions")
    assert text == "The 20 values of amount are from Rs.0.00 to Rs.19.00."


MONEY = st.one_of(
    st.none(),
    st.decimals(-(10**9), 10**9, places=2),
    st.floats(-1e9, 1e9, allow_nan=False),
    st.integers(-(10**6), 10**6),
)
NAMES = st.one_of(st.none(), st.sampled_from(["Pune", "Delhi", "Goa"]), st.text(max_size=8))
DAYS = st.one_of(st.none(), st.dates(date(2020, 1, 1), date(2026, 1, 1)))
SHAPES = {
    "figure": ([BALANCE], "SELECT SUM(b) AS balance FROM t"),
    "groups": ([BRANCH, BALANCE], RANKED),
    "limited": ([BRANCH, BALANCE], f"{RANKED} LIMIT 2"),
    "series": ([MONTH, BALANCE], BY_MONTH),
    "both": ([CITY, MONTH, BALANCE], "SELECT city, month, SUM(b) AS balance FROM t GROUP BY city, month"),
    "list": ([ACCOUNT_ID, BRANCH, BALANCE], "SELECT account_id, branch, balance FROM t"),
    "two": ([BRANCH, BALANCE, CUSTOMERS], "SELECT branch, SUM(b) AS balance, COUNT(*) AS customers FROM t GROUP BY 1"),
}
CELLS = {"measure": MONEY, "time": DAYS, "category": NAMES, "identifier": st.integers(0, 10**9)}


@st.composite
def tasks(draw):
    columns, sql = SHAPES[draw(st.sampled_from(sorted(SHAPES)))]
    row = st.tuples(*(CELLS[column.role] for column in columns))
    return task_of(
        columns, draw(st.lists(row, max_size=8)), sql, truncated=draw(st.booleans()), scope=Scope(period="FY 2024-25")
    )


@settings(max_examples=150, deadline=None)
@given(tasks())
def test_every_number_of_a_summary_is_in_the_result_or_plainly_derived(task):
    words = vocabulary()
    assert Judge(task, words).unfounded(summarise(task, words)) == ()


def test_how_many_have_the_highest_figure_of_a_cut_result_is_borne_out():
    rows = [(None, Decimal(0)), *[(None, Decimal(1))] * 4]
    task = task_of([MONTH, BALANCE], rows, SHAPES["series"][1], truncated=True)
    text = summarise(task, vocabulary())
    assert "(4 of them)" in text
    assert unfounded(text, task) == ()


@settings(max_examples=60, deadline=None)
@given(tasks())
def test_a_cut_result_never_has_a_total(task):
    text = summarise(task, vocabulary())
    if task.result.truncated:
        assert "in all" not in text


def test_rows_without_a_name_are_counted():
    columns = [ACCOUNT_ID, CITY]
    text = told(columns, [(7, None), (9, None)], "SELECT account_id, city FROM accounts")
    assert text == "2 rows."


def test_a_list_with_two_dates_is_no_series():
    columns = [MONTH, replace(MONTH, name="closed", label="Closed on"), BALANCE]
    rows = [(day, date(2026, 1, 1), amount) for day, amount in SIX_MONTHS]
    text = told(columns, rows, "SELECT month, closed, balance FROM accounts")
    assert "from" not in text.replace("goes from", "")


def test_a_row_of_a_ranked_list_is_called_by_its_name_alone():
    columns = [CITY, replace(BRANCH, label="Customer name"), BALANCE]
    rows = [("Pune", "Asha Rao", Decimal(9)), ("Goa", "Ravi Shah", Decimal(4))]
    text = told(columns, rows, "SELECT city, name, balance FROM accounts ORDER BY balance DESC LIMIT 2")
    assert text.startswith("Asha Rao has the highest total balance, Rs.9.00")
    assert "combinations" not in text


REGION = OutputColumn("region", "Region")
IN_EACH_REGION = Scope(rank="top 2 in each region", within=("Region",), ranked_by="Total balance")


def first_two_of_each(*rows: tuple[Scalar, ...], scope: Scope = IN_EACH_REGION) -> str:
    grouped = "SELECT branch, region, SUM(balance) AS balance, ROW_NUMBER() OVER (PARTITION BY region) AS place FROM t"
    sql = (
        f"SELECT branch, region, balance FROM ({grouped} GROUP BY branch, region) AS r WHERE place <= 2 ORDER BY region"
    )
    return told([BRANCH, REGION, BALANCE], rows, sql, scope=scope)


def test_the_first_of_each_group_are_named():
    text = first_two_of_each(
        ("Pune", "West", Decimal("300")), ("Surat", "West", Decimal("200")), ("Agra", "North", Decimal("500"))
    )
    assert text == "Highest total balance in each region: Agra (North, Rs.500.00) and Pune (West, Rs.300.00)."


def test_those_who_lead_a_group_together_are_counted_and_the_lowest_are_called_so():
    lowest = replace(IN_EACH_REGION, ranks_highest=False)
    text = first_two_of_each(
        ("Pune", "West", Decimal("3")), ("Surat", "West", Decimal("3")), ("Agra", "North", None), scope=lowest
    )
    assert text == "Lowest total balance in each region: Pune with 1 level (West, Rs.3.00)."


def test_leaders_that_a_headline_cannot_hold_are_counted_there_and_named_after_it():
    rows = [(f"Branch number {n}", f"R{n}", Decimal(n)) for n in range(1, 7)]
    headline, others = first_two_of_each(*rows).split(" The others are ")
    assert headline.startswith("Highest total balance in each region: Branch number 6 (R6, Rs.6.00)")
    assert headline.endswith("and 4 more.")
    assert len(headline) <= 130
    assert others.endswith("and Branch number 1 (R1, Rs.1.00).")
