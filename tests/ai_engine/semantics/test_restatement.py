"""What an intent says back."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ai_engine.semantics.intent import Condition, Dimension, Having, Intent, Measure, Membership, Order, Period
from ai_engine.semantics.restatement import filter_label, measure_label, plural, restate

from .compiler.bank import AS_OF, MODEL, ref
from .compiler.intents import ACCOUNTS, AMOUNT, BALANCE, OCTOBER, SAVINGS, SHAPES, by, changed, where


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
        "Total balance by city, where account type is Savings, for October 2026 (1 Oct 2026 to 31 Oct 2026), "
        "sorted by total balance, highest first, top 5"
    )


def test_a_list_says_who_is_left_out() -> None:
    intent = Intent(subject="customers", filters=(Membership(dataset="loans", negated=True),))
    assert said(intent) == "List of customers, without loans"


def test_a_label_that_starts_with_since_gets_no_for() -> None:
    period = Period(start=date(2026, 4, 1), end=None, label="since April 2026")
    assert said(Intent(measures=(AMOUNT,), period=period)) == "Total amount, since April 2026 (from 1 Apr 2026)"


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
        changed(BALANCE, transform="rolling_average", window=6),
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


@settings(max_examples=300, deadline=None)
@given(pair=intents_with_one_part_changed())
def test_changing_any_part_changes_the_sentence(pair: tuple[Intent, Intent]) -> None:
    one, other = pair
    assert (said(one) == said(other)) == (one == other)


@given(st.lists(FILTERS, min_size=2, max_size=2, unique=True))
def test_no_two_filters_read_the_same(filters: list[Any]) -> None:
    assert filter_label(filters[0], MODEL) != filter_label(filters[1], MODEL)


def test_a_dimension_names_its_dataset_where_two_share_a_label() -> None:
    intent = Intent(measures=(BALANCE,), dimensions=(Dimension(field=ref("accounts.customer_id")),))
    assert said(intent) == "Total balance by account customer number"
