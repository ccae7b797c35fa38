from __future__ import annotations

from datetime import date, datetime

import pytest

from ai_engine.insight.dates import cycle_of, spell_position
from ai_engine.types import OutputColumn


def _time(label: str) -> OutputColumn:
    return OutputColumn(label.lower().replace(" ", "_"), label, None, "time")


@pytest.mark.parametrize(
    ("label", "value", "spelled"),
    [
        ("Month", date(2025, 4, 1), "April 2025"),
        ("Quarter", date(2025, 4, 1), "Q2 2025"),
        ("Year", date(2025, 1, 1), "2025"),
        ("Fiscal year", date(2024, 4, 1), "FY 2024-25"),
        ("Fiscal quarter", date(2025, 1, 1), "Q4 FY 2024-25"),
        ("Week", date(2025, 3, 3), "week of 3 March 2025"),
        ("Posted on", date(2025, 3, 3), "3 March 2025"),
        ("Opened", date(2025, 3, 1), "1 March 2025"),
        ("Month", "2025-04", "April 2025"),
        ("Year", 2025, "2025"),
        ("Year", 2025.0, "2025"),
        ("Weekday", 1, "Monday"),
        ("Month of year", 12, "December"),
        ("Hour of day", 9, "09:00"),
        ("Posted at", datetime.fromisoformat("2025-03-03T09:30"), "3 March 2025, 09:30"),
        ("Month", "not a date", "not a date"),
        ("Month", "2025-99-99", "2025-99-99"),
    ],
)
def test_a_position_in_time_is_spelled_as_finely_as_its_column_steps(label, value, spelled):
    assert spell_position(value, _time(label), [value]) == spelled


def test_a_column_of_first_days_steps_by_month_whatever_its_name():
    values = [date(2025, 1, 1), date(2025, 2, 1)]
    assert spell_position(values[0], _time("Posted"), values) == "January 2025"


def test_a_day_that_is_not_the_first_makes_every_value_a_day():
    values = [date(2025, 1, 1), date(2025, 1, 2)]
    assert spell_position(values[0], _time("Month"), values) == "1 January 2025"


def test_numbers_outside_a_cycle_are_no_parts():
    assert cycle_of(_time("Weekday"), [1, 8]) is None
    assert cycle_of(_time("Weekday"), [1, None, 7]) == "weekday"
    assert cycle_of(_time("Year"), [1, 7]) is None
