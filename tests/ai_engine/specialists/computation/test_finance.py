"""Held against examples that others have published; each names where."""

from datetime import date
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ai_engine.specialists.computation.finance.day_count import DAY_COUNT_CONVENTIONS, day_count_fraction
from ai_engine.specialists.computation.finance.loans import (
    amortisation_schedule,
    compound_interest,
    emi,
    principal_for_emi,
    simple_interest,
)
from ai_engine.specialists.computation.finance.returns import cagr, npv, xirr
from ai_engine.specialists.computation.finance.series import (
    growth_percent,
    linear_forecast,
    moving_average,
    seasonal_forecast,
    share_percent,
)
from ai_engine.specialists.computation.finance.tables import column_of, what_if

AMOUNTS = st.decimals("1", "1e9", places=2)
RATES = st.decimals("0", "40", places=2)


def rounded(value, places=2):
    return round(value, places)


def test_a_loan_of_ten_lakh_at_7_2_percent_over_120_months_costs_11714_a_month():
    # HDFC Bank, "How is EMI calculated", worked example
    assert rounded(emi(Decimal(1_000_000), Decimal("7.2"), 120), 0) == 11_714


def test_a_loan_without_interest_is_repaid_in_equal_parts():
    assert emi(Decimal(1200), Decimal(0), 12) == 100


@given(AMOUNTS, RATES, st.integers(1, 600))
def test_the_loan_that_an_instalment_repays_is_the_one_it_was_calculated_from(principal, rate, months):
    back = principal_for_emi(emi(principal, rate, months), rate, months)
    assert abs(back - principal) < Decimal("0.0001")


@given(st.decimals("1000", "1e8", places=2), RATES, st.integers(1, 480))
def test_a_schedule_repays_the_whole_loan_to_the_paisa(principal, rate, months):
    rows = amortisation_schedule(principal, rate, months)
    assert len(rows) == months
    assert rows[-1]["balance"] == 0
    assert sum(row["principal"] for row in rows) == principal
    assert all(row["instalment"] == row["principal"] + row["interest"] for row in rows)


def test_ten_thousand_at_five_percent_compounded_yearly_for_three_years_earn_1576_25():
    # the worked example of Investopedia on compound interest
    assert compound_interest(Decimal(10_000), Decimal(5), Decimal(3)) == Decimal("1576.25")


def test_simple_interest_is_proportional_to_time():
    # principal * rate * time, as every schoolbook has it
    assert simple_interest(Decimal(10_000), Decimal(5), Decimal(1)) == 500


def test_an_investment_from_10000_to_19000_in_three_years_grew_by_23_86_percent_a_year():
    # the worked example of Investopedia on CAGR
    assert rounded(cagr(Decimal(10_000), Decimal(19_000), Decimal(3))) == Decimal("23.86")


def test_npv_is_that_of_the_spreadsheet_reference():
    # Microsoft, NPV function, example 1: 1,188.44
    flows = [Decimal(-10_000), Decimal(3_000), Decimal(4_200), Decimal(6_800)]
    assert rounded(npv(Decimal(10), flows)) == Decimal("1188.44")


def test_xirr_is_that_of_the_spreadsheet_reference():
    # Microsoft, XIRR function: 0.373362535
    dates = [date(2008, 1, 1), date(2008, 3, 1), date(2008, 10, 30), date(2009, 2, 15), date(2009, 4, 1)]
    flows = [Decimal(-10_000), Decimal(2_750), Decimal(4_250), Decimal(3_250), Decimal(2_750)]
    assert rounded(xirr(dates, flows), 6) == Decimal("37.336253")


@pytest.mark.parametrize(
    ("convention", "fraction"),
    [
        # ISDA, "EMU and Market Conventions: Recent Developments", 1998: 1 November 2003 to 1 May 2004
        ("actual/actual isda", Decimal("0.49772438")),
        ("actual/365 fixed", Decimal("0.49863014")),
        ("actual/360", Decimal("0.50555556")),
        ("30/360 us", Decimal("0.5")),
        ("30e/360", Decimal("0.5")),
    ],
)
def test_day_counts_are_those_of_the_isda_memo(convention, fraction):
    assert rounded(day_count_fraction(date(2003, 11, 1), date(2004, 5, 1), convention), 8) == fraction


def test_the_two_thirties_differ_in_the_last_of_a_month():
    # 2006 ISDA Definitions, 4.16 (f) and (g): 30 is changed for 31 only where the first day is 30 or 31, or always
    assert day_count_fraction(date(2024, 1, 15), date(2024, 3, 31), "30/360 us") == Decimal(76) / 360
    assert day_count_fraction(date(2024, 1, 15), date(2024, 3, 31), "30E/360") == Decimal(75) / 360


@given(st.dates(date(1990, 1, 1), date(2050, 1, 1)), st.integers(1, 30), st.sampled_from(DAY_COUNT_CONVENTIONS))
def test_whole_years_count_as_about_so_many(start, years, convention):
    start = start.replace(day=min(start.day, 28))
    fraction = day_count_fraction(start, start.replace(year=start.year + years), convention)
    assert abs(fraction - years) < Decimal("0.02") * years + Decimal("0.003")


def test_the_line_through_the_textbook_points_is_found():
    # y = 2.2 + 0.6 x for (1,2) (2,4) (3,5) (4,4) (5,5), as statistics courses use it
    fitted = linear_forecast([Decimal(v) for v in (2, 4, 5, 4, 5)], 1)
    assert (fitted["slope"], fitted["start"]) == (Decimal("0.6"), Decimal("2.8"))
    assert fitted["forecast"] == [Decimal("5.8")]


@given(st.integers(-50, 50), st.integers(-50, 50), st.integers(8, 30), st.integers(1, 6))
def test_a_straight_series_is_forecast_without_error(start, slope, length, ahead):
    fitted = linear_forecast([Decimal(start + slope * i) for i in range(length)], ahead)
    assert [rounded(value, 9) for value in fitted["forecast"]] == [start + slope * (length + i) for i in range(ahead)]
    assert rounded(fitted["error"], 9) == 0


@given(st.lists(st.integers(0, 99), min_size=4, max_size=4), st.integers(2, 5))
def test_a_repeating_series_is_forecast_by_its_season_without_error(season, times):
    fitted = seasonal_forecast([Decimal(v) for v in season * times], 4, 4)
    assert (fitted["forecast"], fitted["error"]) == (season, 0)


def test_a_forecast_says_by_how_much_it_would_have_missed():
    assert linear_forecast([Decimal(v) for v in (1, 2, 3, 14)], 1)["error"] == 10
    assert linear_forecast([Decimal(v) for v in (1, 2, 3)], 1)["error"] is None


def test_averages_growth_and_shares():
    assert moving_average([1, 2, 6], 2) == [None, Decimal("1.5"), Decimal(4)]
    assert growth_percent([100, 120, 0, 5]) == [None, Decimal(20), Decimal(-100), None]
    assert share_percent([1, 3]) == [Decimal(25), Decimal(75)]


def test_what_if_adds_a_column_and_leaves_empty_cells():
    table = {"columns": ["branch", "deposits"], "rows": [["Pune", Decimal(50)], ["Delhi", None]]}
    changed = what_if(table, "deposits", Decimal(10))
    assert changed["columns"] == ["branch", "deposits", "deposits +10 %"]
    assert column_of(changed, "deposits +10 %") == [Decimal(55), None]
    assert table["columns"] == ["branch", "deposits"]


@pytest.mark.parametrize(
    "call",
    [
        lambda: emi(Decimal(0), Decimal(5), 12),
        lambda: emi(Decimal(5), Decimal(-1), 12),
        lambda: emi(Decimal(5), Decimal(5), 0),
        lambda: emi(Decimal(5), Decimal(5), 10**9),
        lambda: compound_interest(1, 5, 10**6),
        lambda: cagr(0, 5, 1),
        lambda: npv(-100, [1]),
        lambda: npv(5, []),
        lambda: xirr([date(2024, 1, 1)], [Decimal(1)]),
        lambda: xirr([date(2024, 1, 1)], [Decimal(1), Decimal(-1)]),
        lambda: day_count_fraction(date(2024, 1, 2), date(2024, 1, 1)),
        lambda: day_count_fraction(date(2024, 1, 1), date(2024, 1, 2), "31/361"),
        lambda: moving_average([1], 2),
        lambda: share_percent([0, 0]),
        lambda: linear_forecast([1, 2], 1),
        lambda: linear_forecast([1, 2, "x"], 1),
        lambda: column_of({"columns": ["a"], "rows": []}, "b"),
    ],
)
def test_numbers_out_of_range_are_named(call):
    with pytest.raises(ValueError, match=r"\w{3}"):
        call()
