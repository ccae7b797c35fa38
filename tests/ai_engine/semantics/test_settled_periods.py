from __future__ import annotations

from dataclasses import replace
from datetime import date

import pytest

from ai_engine.insight.part_steps import with_part_steps
from ai_engine.semantics.date_spans import DateSpan
from ai_engine.semantics.intent import Dimension, FieldRef, Intent, Measure, Order, Period
from ai_engine.semantics.scope_words import scope_of
from ai_engine.semantics.settled_periods import settled, with_settled_periods
from ai_engine.semantics.vocabulary import Vocabulary
from ai_engine.types import Interpretation, OutputColumn, QueryResult
from tests.ai_engine.built_in.bank import vocabulary

POSTED = FieldRef(dataset="transactions", field="posted_at")
PAYMENTS = Measure(aggregate="count", dataset="transactions")
NOW = Period(start=date(2026, 1, 1), end=date(2027, 1, 1), label="this year")
LAST_12 = Period(start=date(2025, 11, 21), end=date(2026, 11, 22), label="last 12 months")
LAST_MONTH = Period(start=date(2026, 10, 1), end=date(2026, 11, 1), label="last month")


def known(last: date = date(2026, 11, 21), **model: object) -> Vocabulary:
    """The bank as of 21 November 2026, its transactions recorded every day from 14 March 2020."""
    span = DateSpan(date(2020, 3, 14), last, 40_000)
    words = replace(vocabulary(), spans={("transactions", "posted_at"): span})
    return replace(words, model=replace(words.model, **model))


def along(grain, **parts) -> Intent:
    return Intent(
        measures=(PAYMENTS,),
        dimensions=(Dimension(field=POSTED.model_copy(update={"grain": grain})),),
        **parts,
    )


def days_of(intent: Intent) -> tuple[date | None, date | None]:
    assert intent.period is not None
    return intent.period.start, intent.period.end


def test_twelve_months_by_month_are_whole_months():
    found, notes = settled(along("month", period=LAST_12), known())
    assert days_of(found) == (date(2025, 11, 1), date(2026, 11, 1))
    assert notes == ("“last 12 months” are whole months: November 2025 to October 2026.",)
    at_the_end = LAST_12.model_copy(update={"start": date(2025, 11, 30), "end": date(2026, 12, 1)})
    found, _ = settled(along("month", period=at_the_end), replace(known(date(2026, 11, 30)), as_of=date(2026, 11, 30)))
    assert days_of(found) == (date(2025, 12, 1), date(2026, 12, 1))


def test_days_without_steps_and_weeks_of_months_stay_as_they_are():
    assert days_of(settled(Intent(measures=(PAYMENTS,), period=LAST_12), known())[0]) == (LAST_12.start, LAST_12.end)
    assert days_of(settled(along("week", period=LAST_12), known())[0]) == (LAST_12.start, LAST_12.end)


@pytest.mark.parametrize(
    ("period", "start", "end", "named"),
    [
        (LAST_MONTH, date(2025, 12, 1), date(2026, 1, 1), "December 2025"),
        (NOW, date(2025, 1, 1), date(2026, 1, 1), "2025"),
        (LAST_MONTH.model_copy(update={"label": "October 2026"}), date(2026, 10, 1), date(2026, 11, 1), None),
    ],
)
def test_where_the_data_ended_its_own_last_month_is_meant_and_said(period, start, end, named):
    found, notes = settled(Intent(measures=(PAYMENTS,), period=period), known(date(2025, 12, 31)))
    assert days_of(found) == (start, end)
    said = "The transactions end on 31 December 2025"
    assert notes[0] == (f"{said}, so “{period.label}” is {named}." if named else f"{said}.")


def test_a_month_that_the_data_covers_only_in_part_is_not_its_last_whole_one():
    found, _ = settled(Intent(measures=(PAYMENTS,), period=LAST_MONTH), known(date(2026, 5, 12)))
    assert days_of(found) == (date(2026, 4, 1), date(2026, 5, 1))


def test_rows_that_come_seldom_have_not_ended_and_days_to_come_are_no_end():
    assert DateSpan(date(2000, 1, 1), date(2024, 1, 1), 12).ended_on(date(2026, 11, 21)) is None
    due = known(date(2031, 1, 1))
    found, notes = settled(Intent(measures=(PAYMENTS,), period=NOW), due)
    assert (found.period.until, due.covered_until(POSTED)) == (None, None)
    assert notes == ("“this year” is of the calendar year: 2026.",)


def test_all_data_ended_where_the_busiest_rows_did():
    words = known(date(2025, 12, 31))
    seldom = {("loans", "disbursed_on"): DateSpan(date(2020, 1, 1), date(2025, 12, 1), 5)}
    both = replace(words, spans={**words.spans, **seldom})
    assert both.ended_on(FieldRef(dataset="loans", field="disbursed_on")) == date(2025, 12, 31)


def test_a_year_that_is_not_over_is_held_against_the_same_days():
    found, _ = settled(Intent(measures=(PAYMENTS,), period=NOW, compare="previous_period"), known())
    scope = scope_of(found, known().model)
    assert (scope.period, scope.compared) == ("1 January to 21 November 2026", "1 January to 21 November 2025")
    assert scope.heading == "1 January to 21 November 2026 against 1 January to 21 November 2025"


def test_a_bank_may_mean_the_fiscal_year():
    found, notes = settled(along("quarter", period=NOW), known(plain_year="fiscal"))
    assert days_of(found) == (date(2026, 4, 1), date(2027, 4, 1))
    assert found.dimensions[0].field.grain == "fiscal_quarter"
    assert notes == ("“this year” is of the fiscal year: FY 2026-27.",)


def test_quarters_of_a_fiscal_year_are_fiscal_quarters():
    fiscal = Period(start=date(2025, 4, 1), end=date(2026, 4, 1), label="FY2025-26")
    assert settled(along("quarter", period=fiscal), known())[0].dimensions[0].field.grain == "fiscal_quarter"
    assert settled(along("quarter"), known()) == (along("quarter"), ("Quarters are calendar quarters.",))


def test_a_month_that_is_not_over_is_never_ranked():
    least = along("month", period=NOW, order=(Order(measure=PAYMENTS),), limit=1)
    found, notes = settled(least, known())
    assert days_of(found) == (date(2026, 1, 1), date(2026, 11, 1))
    assert notes[-1] == "1 to 21 November 2026 is no whole month and left out."
    without = settled(least.model_copy(update={"period": None}), known())[0]
    assert days_of(without) == (None, date(2026, 11, 1))


def test_steps_covered_in_part_by_the_period_or_the_data_are_marked():
    months = [date(2020, 3, 1), date(2020, 4, 1), date(2026, 10, 1), date(2026, 11, 1)]
    column = OutputColumn("month", "Month", None, "time")
    figure = OutputColumn("payments", "Payments", "count", "measure")
    result = QueryResult(("month", "payments"), ("date", "integer"), tuple((day, 1) for day in months))

    def marked(intent: Intent) -> tuple[object, ...]:
        return with_part_steps((column, figure), result, intent, known())[0].part_steps

    assert marked(along("month")) == (
        (date(2020, 3, 1), "14 to 31 March 2020"),
        (date(2026, 11, 1), "1 to 21 November 2026"),
    )
    asked = Period(start=date(2026, 10, 11), end=date(2026, 11, 11), label="11 October 2026 to 10 November 2026")
    assert marked(along("month", period=asked)) == (
        (date(2026, 10, 1), "11 to 31 October 2026"),
        (date(2026, 11, 1), "1 to 10 November 2026"),
    )


@pytest.mark.parametrize(
    ("label", "start", "end", "said"),
    [
        ("last 2 fiscal years", date(2024, 4, 1), date(2026, 4, 1), "whole years: FY 2024-25 to FY 2025-26"),
        ("last 3 fiscal quarters", date(2026, 1, 1), date(2026, 10, 1), "whole quarters: January to September 2026"),
    ],
)
def test_several_fiscal_years_are_those_that_are_closed(label, start, end, said):
    read = Period(start=date(2024, 11, 21), end=date(2026, 11, 22), label=label)
    found, notes = settled(Intent(measures=(PAYMENTS,), period=read), known())
    assert days_of(found) == (start, end)
    assert notes == (f"“{label}” are {said}.",)


def test_the_restatement_names_the_days_that_the_headline_names():
    asked = Interpretation("query", "said before", Intent(measures=(PAYMENTS,), period=NOW))
    told = with_settled_periods(asked, known())
    assert told.restatement == "Number of transactions, for this year (1 January to 21 November 2026)"
    beyond = Period(start=date(2027, 3, 1), end=date(2027, 4, 1), label="March 2027")
    told = with_settled_periods(replace(asked, intent=Intent(measures=(PAYMENTS,), period=beyond)), known())
    assert told.restatement == "Number of transactions, for March 2027"
