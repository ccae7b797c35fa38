from __future__ import annotations

from dataclasses import replace
from datetime import date, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ai_engine.errors import AmbiguousPath, IntentNotCovered
from ai_engine.semantics.common_scope import CommonScope, narrowed
from ai_engine.semantics.compiler import compile_intent
from ai_engine.semantics.intent import Condition, Dimension, FieldRef, Intent, Measure, Order, Period, parts_of
from ai_engine.semantics.model import Metric
from ai_engine.semantics.rolled_periods import moves_on, period_from, rolled
from ai_engine.semantics.settled_periods import settled
from tests.ai_engine.built_in.bank import AS_OF, MODEL, vocabulary

BANK = replace(
    vocabulary(),
    model=replace(
        MODEL,
        metrics=(
            *MODEL.metrics,
            Metric("payments", "SUM(transactions.amount)", "payments", time_field="transactions.posted_at"),
        ),
    ),
)
FIGURES = (
    Measure(metric="payments"),
    Measure(metric="deposits"),
    Measure(metric="npa_ratio"),
    Measure(aggregate="count", dataset="customers"),
    Measure(aggregate="sum", field=FieldRef(dataset="loans", field="principal")),
    Measure(aggregate="count", dataset="transactions"),
)
PLACES = tuple(
    FieldRef(dataset=dataset, field=name)
    for dataset, name in (
        ("branches", "region"), ("customers", "segment"), ("accounts", "account_type"), ("transactions", "channel"),
        ("loans", "loan_type"),
    )
)  # fmt: skip
MONTHS = FieldRef(dataset="transactions", field="posted_at", grain="month")
WORDS = ("today", "this month", "last month", "last quarter", "this year", "last 12 months", "year to date")
AUGUST = Period(start=date(2026, 8, 1), end=date(2026, 9, 1), label="August 2026")


def said(words: str) -> Period:
    period = period_from(words, BANK)
    assert period is not None
    return settled(Intent(measures=FIGURES[:1], period=period), BANK)[0].period


def conditions():
    return st.builds(
        lambda place, values: Condition(field=place, operator="in", values=tuple(values)),
        st.sampled_from(PLACES),
        st.lists(st.sampled_from(["West", "Retail", "UPI", "Savings", "Gold Loan"]), min_size=1, unique=True),
    )


def periods():
    return st.none() | st.sampled_from([AUGUST, *(period_from(words, BANK) for words in WORDS)])


@st.composite
def questions(draw):
    """Any question of figures that compiles."""
    dims = [
        Dimension(field=place) for place in draw(st.lists(st.sampled_from((*PLACES, MONTHS)), max_size=2, unique=True))
    ]
    figures = draw(st.lists(st.sampled_from(FIGURES), min_size=1, max_size=2, unique=True))
    order = (Order(measure=figures[0], descending=True),) if draw(st.booleans()) else ()
    return Intent(
        measures=tuple(figures),
        dimensions=tuple(dims),
        filters=tuple(draw(st.lists(conditions(), max_size=2))),
        period=draw(periods()),
        order=order,
    )


scopes = st.builds(CommonScope, periods(), st.lists(conditions(), max_size=3).map(tuple))


@settings(max_examples=150, deadline=None)
@given(questions(), scopes)
def test_of_a_scope_each_part_is_taken_or_said_to_be_left_out_and_nothing_else_changes(question, scope):
    try:
        compile_intent(question, BANK.model, "duckdb", AS_OF)
    except (IntentNotCovered, AmbiguousPath):
        return
    found = narrowed(question, scope, BANK)
    assert compile_intent(found.intent, BANK.model, "duckdb", AS_OF).sql
    untouched = {"filters": (), "period": None}
    assert found.intent.model_copy(update=untouched) == question.model_copy(update=untouched)
    assert found.intent.filters[: len(question.filters)] == question.filters
    taken = sum(condition in found.intent.filters for condition in scope.filters)
    period_said = scope.period is None or found.intent.period is None or found.intent.period.label == scope.period.label
    no_period = [sentence for sentence in found.left_out if sentence.startswith("The period")]
    assert period_said or no_period
    assert taken + len(found.left_out) - len(no_period) >= len(scope.filters)
    assert narrowed(found.intent, scope, BANK).intent == found.intent


@settings(max_examples=40, deadline=None)
@given(questions())
def test_an_empty_scope_changes_nothing(question):
    found = narrowed(question, CommonScope(), BANK)
    assert (found.intent, found.assumed, found.left_out) == (question, (), ())


def test_a_figure_as_of_now_takes_no_period_because_it_would_become_one_of_what_began_meanwhile():
    for figure in FIGURES[1:5]:
        found = narrowed(Intent(measures=(figure,)), CommonScope(AUGUST), BANK)
        assert found.intent.period is None
        assert found.left_out == ("The period does not fit: these figures are as of now.",)


def test_a_period_goes_where_the_figure_has_a_date_and_takes_the_place_of_the_questions_own():
    for question in (Intent(measures=FIGURES[:1]), Intent(measures=FIGURES[5:], period=said("last month"))):
        found = narrowed(question, CommonScope(AUGUST), BANK)
        assert found.intent.period is not None
        assert (found.intent.period.start, found.intent.period.end) == (AUGUST.start, AUGUST.end)


def test_a_filter_that_not_each_row_knows_is_left_out_by_name():
    upi = Condition(field=PLACES[3], operator="in", values=("UPI",))
    found = narrowed(Intent(measures=FIGURES[3:4]), CommonScope(None, (upi,)), BANK)
    assert found.left_out == ("The filter on channel does not fit: it is not known of each row.",)
    assert not parts_of(found.intent, Condition)


def test_a_question_about_one_segment_keeps_it():
    private, retail = (
        Condition(field=PLACES[1], operator="in", values=(name,)) for name in ("Private Banking", "Retail")
    )
    found = narrowed(Intent(measures=FIGURES[3:4], filters=(private,)), CommonScope(None, (retail,)), BANK)
    assert found.intent.filters == (private,)
    assert found.left_out == ("Keeps its own filter on segment.",)


@pytest.mark.parametrize("words", WORDS)
def test_words_that_count_from_today_move_on_with_it(words):
    asked = Intent(measures=FIGURES[:1], period=said(words))
    assert moves_on(asked, BANK)
    later = replace(BANK, as_of=AS_OF + timedelta(days=400))
    moved = rolled(asked, later)[0].period
    assert moved is not None
    assert moved.start is not None
    assert asked.period is not None
    assert asked.period.start is not None
    assert moved.start > asked.period.start
    assert rolled(asked, BANK)[0] == asked


def test_named_days_and_days_that_somebody_has_set_stay():
    later = replace(BANK, as_of=AS_OF + timedelta(days=400))
    for period in (AUGUST, said("last month").model_copy(update={"start": date(2026, 1, 1)})):
        asked = Intent(measures=FIGURES[:1], period=period)
        assert not moves_on(asked, BANK)
    assert rolled(Intent(measures=FIGURES[:1], period=AUGUST), later)[0].period == AUGUST
