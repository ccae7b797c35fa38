"""What an intent says back."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ai_engine.errors import AmbiguousPath, IntentNotCovered
from ai_engine.semantics.compiler import compile_intent
from ai_engine.semantics.intent import Condition, Dimension, Having, Intent, Measure, Membership, Order, Period
from ai_engine.semantics.restatement import filter_label, measure_label, over_groups_label, plural, restate
from ai_engine.semantics.scope_words import scope_of

from .compiler.bank import AS_OF, MODEL, ref
from .compiler.intents import (
    ACCOUNTS,
    AMOUNT,
    BALANCE,
    CURRENT,
    CUSTOMERS,
    OCTOBER,
    SAVINGS,
    SHAPES,
    by,
    changed,
    where,
)


def said(intent: Intent) -> str:
    return restate(intent, MODEL, AS_OF)


def test_a_figure_with_everything_reads_as_a_sentence() -> None:
    intent = Intent(
        measures=(BALANCE,),
        dimensions=(by("branches.city"),),
        filters=(SAVINGS,),
        period=OCTOBER,
        order=(Order(measure=BALANCE, descending=True),),
        limit=5,
    )
    assert said(intent) == (
        "Total balance by city, where account type is Savings, for October 2026, "
        "sorted by total balance, highest first, top 5"
    )


def test_a_list_says_who_is_left_out() -> None:
    intent = Intent(subject="customers", filters=(Membership(dataset="loans", negated=True),))
    assert said(intent) == "List of customers, without loans"


def test_a_difference_says_both_of_its_sides() -> None:
    savings, current = changed(ACCOUNTS, filters=(SAVINGS,)), changed(ACCOUNTS, filters=(CURRENT,))
    assert said(Intent(measures=(changed(savings, minus=current),), dimensions=(by("branches.city"),))) == (
        "Number of accounts (where account type is Savings) minus number of accounts "
        "(where account type is Current) by city"
    )
    share = changed(BALANCE, minus=AMOUNT, transform="share_of_total")
    assert said(Intent(measures=(share,))) == "Share of (total balance minus total amount)"


def test_a_part_of_the_rows_reads_as_their_share() -> None:
    share = changed(ACCOUNTS, filters=(SAVINGS,), denominator=ACCOUNTS, percent=True)
    asked = Intent(measures=(share,), dimensions=(by("branches.city"),))
    assert said(asked) == "Share of accounts where account type is Savings by city"
    assert measure_label(share, MODEL) == "Share of accounts where account type is Savings"
    of_sum = changed(BALANCE, filters=(SAVINGS,), denominator=BALANCE, percent=True)
    assert said(Intent(measures=(of_sum,))) == "Share of total balance where account type is Savings"
    of_others = changed(ACCOUNTS, filters=(SAVINGS,), denominator=changed(ACCOUNTS, filters=(CURRENT,)), percent=True)
    assert said(Intent(measures=(of_others,))) == (
        "Number of accounts (where account type is Savings) as a percentage of "
        "number of accounts (where account type is Current)"
    )


def test_a_count_of_groups_says_what_is_counted_and_on_what_condition() -> None:
    rich = Having(measure=BALANCE, operator=">", value=Decimal(200_000_000))
    branches = Intent(dimensions=(by("branches.branch_id"),), having=(rich,), filters=(SAVINGS,), over_groups="count")
    assert said(branches) == (
        "Number of branches whose total balance is above 200000000, where account type is Savings"
    )
    months = Intent(measures=(AMOUNT,), dimensions=(by("transactions.posted_at", "month"),), over_groups="avg")
    assert said(months) == "Average of total amount over different months of posting time"
    with_accounts = Intent(measures=(ACCOUNTS,), dimensions=(by("branches.branch_id"),), over_groups="count")
    assert said(with_accounts) == "Number of branches with a number of accounts"


def test_what_is_copied_says_on_which_condition_groups_are_counted_and_which_of_them_are_added_up() -> None:
    rich = Having(measure=BALANCE, operator=">", value=Decimal(200))
    branches = Intent(dimensions=(by("branches.branch_id"),), having=(rich,), filters=(SAVINGS,), over_groups="count")
    assert scope_of(branches, MODEL).phrase == "where account type is Savings whose total balance is above 200"
    largest = Order(measure=BALANCE, descending=True)
    some = Intent(
        measures=(BALANCE,), dimensions=(by("branches.branch_id"),), over_groups="sum", order=(largest,), limit=5
    )
    assert over_groups_label(some, "Total balance", MODEL) == "Total balance of the top 5 branches"


def test_two_conditions_that_bound_a_date_are_said_as_the_days_between_them() -> None:
    bounds = (where("accounts.opened_on", ">=", date(2025, 1, 1)), where("accounts.opened_on", "<", date(2026, 1, 1)))
    assert said(Intent(measures=(changed(ACCOUNTS, filters=bounds),))) == (
        "Number of accounts (where opening date is in 2025)"
    )


def test_a_label_that_starts_with_since_gets_no_for() -> None:
    period = Period(start=date(2026, 4, 1), end=None, label="since April 2026")
    assert said(Intent(measures=(AMOUNT,), period=period)) == "Total amount, since April 2026 (since 1 April 2026)"


def test_an_age_says_its_day() -> None:
    assert said(Intent(measures=(ACCOUNTS,), dimensions=(by("customers.born_on", "age_years"),))).endswith(
        "ages as of 21 Nov 2026"
    )


def test_labels_are_what_a_table_is_headed_with() -> None:
    assert measure_label(BALANCE, MODEL) == "Total balance"
    assert measure_label(changed(ACCOUNTS, label="open accounts"), MODEL) == "Open accounts"
    assert filter_label(where("accounts.balance", ">=", Decimal("1E+3")), MODEL) == "balance is at least 1000"


@pytest.mark.parametrize(
    ("noun", "several"),
    [("branch", "branches"), ("city", "cities"), ("day", "days"), ("address", "addresses")],
)
def test_nouns_follow_the_regular_rules(noun: str, several: str) -> None:
    assert plural(noun) == several


def test_all_shapes_read_differently() -> None:
    sentences = [said(intent) for intent in SHAPES.values()]
    assert len(set(sentences)) == len(sentences)


MEASURES = st.sampled_from(
    [
        BALANCE, ACCOUNTS, AMOUNT, changed(BALANCE, aggregate="avg"), changed(BALANCE, aggregate="median"),
        changed(BALANCE, aggregate="median", quantile=0.9), changed(BALANCE, transform="share_of_total"),
        changed(BALANCE, filters=(SAVINGS,)), changed(BALANCE, denominator=ACCOUNTS),
        changed(BALANCE, denominator=ACCOUNTS, percent=True), Measure(metric="deposits"),
        changed(BALANCE, label="Funds"), changed(BALANCE, transform="rolling_average", window=3),
        changed(BALANCE, transform="rolling_average", window=6), changed(BALANCE, transform="rolling_sum", window=6),
        changed(BALANCE, minus=AMOUNT),
        changed(BALANCE, minus=changed(AMOUNT, minus=ACCOUNTS)),
        changed(ACCOUNTS, minus=changed(ACCOUNTS, filters=(SAVINGS,))),
        Measure(aggregate="avg", field=ref("accounts.rate")), changed(ACCOUNTS, aggregate="count_distinct"),
        Measure(aggregate="avg", field=ref("accounts.rate"), weight=ref("accounts.balance")),
        Measure(aggregate="avg", field=ref("customers.income"), dataset="accounts"),
        Measure(aggregate="count", field=ref("accounts.balance")),
    ]
)  # fmt: skip
DIMENSIONS = st.sampled_from(
    [
        by("branches.city"), by("branches.city", via=("home_branch",)), by("customers.segment"),
        by("accounts.opened_on", "month"), by("accounts.opened_on", "quarter"), by("accounts.balance", None, 10),
        by("accounts.balance", None, 10, 20), by("accounts.balance"), by("loans.customer_id"),
        by("accounts.customer_id"),
    ]
)  # fmt: skip
FILTERS = st.sampled_from(
    [
        SAVINGS, where("accounts.type", "!=", "Savings"), where("accounts.type", "in", "Savings", "Current"),
        where("accounts.type", "=", "Savings or Current"), where("accounts.type", "=", "5"),
        where("accounts.balance", "=", 5), where("accounts.balance", ">", 5),
        where("accounts.balance", "between", 5, 6), where("accounts.balance", "is null"),
        where("accounts.opened_on", ">", date(2026, 1, 2)), Membership(dataset="loans"),
        Membership(dataset="loans", negated=True), Membership(dataset="loans", at_least=2),
        Membership(dataset="loans", at_most=2), Membership(dataset="loans", at_least=2, negated=True),
        Membership(dataset="loans", filters=(where("loans.outstanding", ">", 5),)),
        Condition(field=ref("accounts.balance"), operator=">", versus=BALANCE),
        Condition(field=ref("accounts.opened_on"), operator=">", other=ref("customers.joined_on")),
    ]
)  # fmt: skip
PERIODS = st.sampled_from(
    [
        None, OCTOBER, Period(start=date(2026, 10, 1), end=date(2026, 10, 31), label="October 2026"),
        Period(start=date(2026, 10, 1), end=None, label="October 2026"),
        Period(start=date(2026, 10, 1), end=date(2026, 11, 1), label="October 2026", field=ref("customers.joined_on")),
    ]
)  # fmt: skip
HAVINGS = st.sampled_from(
    [
        Having(measure=BALANCE, operator=">", value=Decimal(5)),
        Having(measure=BALANCE, operator="<", value=Decimal(5)),
        Having(measure=BALANCE, operator=">", value=Decimal(6)), Having(measure=BALANCE, operator=">", versus=BALANCE),
        Having(measure=BALANCE, operator=">", versus=BALANCE, times=Decimal(2)),
    ]
)  # fmt: skip
ORDERS = st.sampled_from(
    [Order(measure=BALANCE), Order(measure=BALANCE, descending=True), Order(field=ref("branches.city"))]
)
PARTS: dict[str, st.SearchStrategy[Any]] = {
    "subject": st.sampled_from([None, "customers", "accounts"]),
    "measures": st.lists(MEASURES, min_size=1, max_size=2, unique=True).map(tuple),
    "dimensions": st.lists(DIMENSIONS, max_size=2, unique=True).map(tuple),
    "filters": st.lists(FILTERS, max_size=2, unique=True).map(tuple),
    "period": PERIODS,
    "compare": st.sampled_from([None, "previous_period", "same_period_last_year"]),
    "having": st.lists(HAVINGS, max_size=1).map(tuple),
    "order": st.lists(ORDERS, max_size=1).map(tuple),
    "limit": st.sampled_from([None, 5, 10]),
    "limit_within": st.sampled_from([(), (ref("branches.city"),)]),
    "with_ties": st.booleans(),
    "fill_gaps": st.booleans(),
    "distinct": st.booleans(),
}


@st.composite
def intents_with_one_part_changed(draw: st.DrawFn) -> tuple[Intent, Intent]:
    intent = Intent(**{name: draw(part) for name, part in PARTS.items()})
    name = draw(st.sampled_from(sorted(PARTS)))
    return intent, intent.model_copy(update={name: draw(PARTS[name])})


def compiled(intent: Intent) -> str:
    try:
        return compile_intent(intent, MODEL, "duckdb", AS_OF).sql
    except (IntentNotCovered, AmbiguousPath) as error:
        return str(error)


def only_the_subject_differs(one: Intent, other: Intent) -> bool:
    return one.model_copy(update={"subject": None}) == other.model_copy(update={"subject": None})


@settings(max_examples=300, deadline=None)
@given(pair=intents_with_one_part_changed())
def test_changing_any_part_changes_the_sentence(pair: tuple[Intent, Intent]) -> None:
    """A subject that the dimensions show may stay unsaid, where it changes nothing."""
    one, other = pair
    if one != other and only_the_subject_differs(one, other) and said(one) == said(other):
        assert compiled(one) == compiled(other)
    else:
        assert (said(one) == said(other)) == (one == other)


@pytest.mark.parametrize(("subject", "named"), [("customers", "customers.customer_id"), ("branches", "branches.name")])
@pytest.mark.parametrize("other", ["accounts.type", "loans.outstanding", "transactions.channel", "branches.city"])
@pytest.mark.parametrize("measure", [BALANCE, ACCOUNTS, AMOUNT, CUSTOMERS, Measure(metric="deposits")])
def test_a_subject_that_changes_the_figures_is_said(measure: Measure, other: str, subject: str, named: str) -> None:
    """It does where it leads to a third table."""
    without = Intent(measures=(measure,), dimensions=(by(named), by(other)))
    within = without.model_copy(update={"subject": subject})
    assert compiled(within) == compiled(without) or said(within) != said(without)


def test_a_subject_that_the_dimensions_show_is_not_said_again() -> None:
    by_type = Intent(subject="accounts", measures=(BALANCE,), dimensions=(by("accounts.type"),))
    assert said(by_type) == "Total balance by account type"
    with_loans = changed_intent(by_type, filters=(Membership(dataset="loans"),))
    assert said(with_loans) == "Total balance by account type, for accounts, with loans"
    by_city = changed_intent(by_type, dimensions=(by("branches.city"),))
    assert said(by_city) == "Total balance by city, for accounts"
    by_name = changed_intent(by_type, subject="customers", dimensions=(by("customers.name"),))
    assert said(by_name) == "Total balance by name, for customers"


def changed_intent(intent: Intent, **update: Any) -> Intent:
    return intent.model_copy(update=update)


@pytest.mark.parametrize(
    ("measure", "label"),
    [
        (changed(BALANCE, transform="share_of_total"), "Share of total balance"),
        (changed(ACCOUNTS, transform="share_of_total"), "Share of the number of accounts"),
        (changed(BALANCE, transform="share_of_total", label="Total balance"), "Share of Total balance"),
        (changed(BALANCE, transform="share_of_total", label="balance share"), "Balance share"),
    ],
)
def test_a_share_is_headed_as_one(measure: Measure, label: str) -> None:
    assert measure_label(measure, MODEL) == label


@pytest.mark.parametrize(
    ("item", "words"),
    [
        (where("transactions.posted_at", "in", 6, 7, grain="weekday"), "posting time is on a Saturday or Sunday"),
        (where("transactions.posted_at", "!=", 1, grain="weekday"), "posting time is not on a Monday"),
        (where("transactions.posted_at", "=", 3, grain="month_of_year"), "posting time is in March"),
        (where("transactions.posted_at", "=", 13, grain="month_of_year"), "month of year of posting time is 13"),
        (where("transactions.posted_at", ">", 5, grain="weekday"), "weekday of posting time is above 5"),
        (where("customers.born_on", ">", 60, grain="age_years"), "age is above 60"),
        (where("customers.joined_on", ">", 6, grain="age_years"), "age of joining date is above 6"),
    ],
)
def test_parts_of_dates_are_said_as_people_say_them(item: Condition, words: str) -> None:
    assert filter_label(item, MODEL) == words


def test_an_age_that_could_be_anothers_says_whose_birth() -> None:
    loans = MODEL.dataset("loans")
    born = replace(MODEL.dataset("customers").field("born_on"), name="guarantor_born_on")
    two = replace(loans, fields=(*loans.fields, born))
    model = replace(MODEL, datasets=(*(item for item in MODEL.datasets if item != loans), two))
    ages = [where(text, ">", 60, grain="age_years") for text in ("customers.born_on", "loans.guarantor_born_on")]
    assert len({filter_label(item, model) for item in ages}) == 2


@given(st.lists(FILTERS, min_size=2, max_size=2, unique=True))
def test_no_two_filters_read_the_same(filters: list[Any]) -> None:
    assert filter_label(filters[0], MODEL) != filter_label(filters[1], MODEL)


def test_a_dimension_names_its_dataset_where_two_share_a_label() -> None:
    intent = Intent(measures=(BALANCE,), dimensions=(Dimension(field=ref("accounts.customer_id")),))
    assert said(intent) == "Total balance by account customer number"
