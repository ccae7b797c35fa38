from __future__ import annotations

from datetime import date, datetime, time
from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ai_engine.formats import Formats
from ai_engine.insight.amounts import exact, format_amount, format_cell, format_value, spoken_figure
from ai_engine.types import OutputColumn

INDIAN = Formats("INR")


@pytest.mark.parametrize(
    ("value", "unit", "currency", "written"),
    [
        (Decimal("175206"), "INR", "INR", "Rs.1,75,206.00"),
        (Decimal("-175206.005"), "INR", "INR", "-Rs.1,75,206.01"),
        (Decimal("0.004"), "INR", "INR", "Rs.0.00"),
        (123456789, "INR", None, "Rs.12,34,56,789.00"),
        (Decimal("1234567.5"), "USD", "INR", "$1,234,567.50"),
        (Decimal("1234.5"), "CHF", "CHF", "CHF 1,234.50"),
        (Decimal("1234.5"), "JPY", "JPY", "¥1,235"),
        (Decimal("1234.5"), "KWD", "KWD", "KWD 1,234.500"),
        (1200000, "count", "INR", "12,00,000"),
        (1200000, "count", None, "1,200,000"),
        (Decimal("2.345"), "percent", "INR", "2.35%"),
        (12.0, "percent", None, "12%"),
        (Decimal("0.00012"), None, None, "0.0001"),
        (Decimal("0.000012"), None, None, "0.000012"),
        (Decimal("1234.50"), None, None, "1,234.50"),
        (0.1 + 0.2, None, None, "0.3"),
        (30, "days", None, "30 days"),
        (1, "years", None, "1 year"),
        (True, None, None, "yes"),
        (None, "INR", "INR", "(none)"),
        (date(2025, 3, 31), None, None, "31 March 2025"),
        (datetime.fromisoformat("2025-03-31T14:05"), None, None, "31 March 2025, 14:05"),
        (time(9, 30), None, None, "09:30"),
        (b"abc", None, None, "3 bytes"),
        (float("nan"), "INR", "INR", "nan"),
        (8.52e-190, None, None, "8.5e-190"),
    ],
)
def test_a_value_is_written_in_its_unit(value, unit, currency, written):
    assert format_value(value, unit, Formats(currency)) == written


def test_only_figures_are_grouped():
    assert format_cell(100234, OutputColumn("id", "Account id", None, "identifier"), INDIAN) == "100234"
    assert format_cell(2025.0, OutputColumn("year", "Year", None, "time"), INDIAN) == "2025"
    assert format_cell(100234, OutputColumn("n", "Count", "count", "measure"), INDIAN) == "1,00,234"


def test_a_float_is_read_without_its_binary_noise():
    assert exact(0.1 + 0.2) == Decimal("0.3")


def test_a_boolean_is_no_number():
    assert exact(True) is None


@settings(deadline=None)
@given(st.decimals(min_value=-(10**15), max_value=10**15, places=2), st.sampled_from(["INR", "USD", "EUR"]))
def test_an_amount_loses_nothing_but_its_commas_and_sign(number, currency):
    written = format_amount(number, currency)
    digits = written.replace(",", "").replace("Rs.", "").lstrip("-$€")
    assert Decimal(digits) == abs(number)
    assert written.startswith("-") == (number < 0)


@settings(deadline=None)
@given(st.integers(0, 10**14))
def test_indian_groups_are_a_three_and_then_twos(number):
    groups = format_value(number, "count", INDIAN).split(",")
    assert all(len(group) == 2 for group in groups[1:-1])
    assert len(groups) == 1 or len(groups[-1]) == 3


@settings(deadline=None)
@given(st.floats(allow_nan=False, allow_infinity=False))
def test_every_float_can_be_written(number):
    assert format_value(number, "INR", INDIAN)
    assert format_value(number, "percent")
    assert format_value(number)


def test_a_ratio_kept_as_a_part_of_one_is_written_in_percent():
    assert format_value(Decimal("0.1876"), "fraction") == "18.76%"
    assert spoken_figure(Decimal("0.18763"), "fraction", INDIAN) == "18.76%"
    assert spoken_figure(Decimal("1.2"), "fraction", Formats()) == "120%"
