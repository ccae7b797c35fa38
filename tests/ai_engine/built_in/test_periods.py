from __future__ import annotations

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ai_engine.built_in.time_words.periods import PeriodReader
from ai_engine.built_in.tokens import tokenise
from tests.ai_engine.built_in.bank import AS_OF
from tests.ai_engine.built_in.cases import table

DAYS = st.dates(date(1950, 1, 1), date(2100, 12, 31))


def read(text: str, as_of: date = AS_OF, fiscal_start: int = 4) -> tuple[int, date | None, date | None] | None:
    """Words left over, first day and the day after the last one."""
    tokens = tokenise(text)
    found = PeriodReader(as_of, fiscal_start).read(tokens, 0)
    return None if found is None else (len(tokens) - found[0], found[1].start, found[1].end)


def day(text: str) -> date | None:
    return None if text == "-" else date.fromisoformat(text)


@pytest.mark.parametrize(("written", "start", "end"), table("periods.txt"))
def test_every_period_of_the_table_reads_as_it_says(written, start, end):
    assert read(written) == (0, day(start), day(end))


@pytest.mark.parametrize(
    "text",
    [
        "31 February 2025", "32 March 2025", "29 Feb 2023", "2025-13-45", "Q5 2025", "H3 2025", "0001",
        "99999", "between 2022 and 2020", "may", "customers", "last weekend", "FY 99999", "last 9999 years",
        "99999999999 days ago", "last 1.5 months",
    ],
)  # fmt: skip
def test_what_no_calendar_holds_is_not_read_as_a_period(text):
    found = read(text)
    assert found is None or found[0] > 0


@pytest.mark.parametrize("said", ["in May", "of May", "during May", "between May and June", "April and May"])
def test_may_is_a_month_after_a_word_that_dates(said):
    tokens = tokenise(said)
    place = [token.word for token in tokens].index("may")
    found = PeriodReader(AS_OF).read(tokens, place)
    assert found is not None
    assert (found[1].start, found[1].label[:3]) == (date(2026, 5, 1), "May")


def test_may_is_a_verb_elsewhere():
    tokens = tokenise("customers who may have loans")
    assert PeriodReader(AS_OF).read(tokens, 2) is None


@pytest.mark.parametrize(
    ("text", "fiscal_start", "start", "end"),
    [
        ("FY2025", 1, date(2025, 1, 1), date(2026, 1, 1)),
        ("FY2025", 7, date(2024, 7, 1), date(2025, 7, 1)),
        ("this fiscal year", 7, date(2026, 7, 1), date(2027, 7, 1)),
        ("this fiscal quarter", 2, date(2026, 11, 1), date(2027, 2, 1)),
        ("last fiscal quarter", 2, date(2026, 8, 1), date(2026, 11, 1)),
        ("Q1 FY2025", 7, date(2024, 7, 1), date(2024, 10, 1)),
    ],
)
def test_a_fiscal_year_begins_where_the_bank_says(text, fiscal_start, start, end):
    assert read(text, fiscal_start=fiscal_start) == (0, start, end)


@given(DAYS, st.sampled_from(["day", "week", "month", "quarter", "year", "fiscal year", "fiscal quarter"]))
def test_the_last_the_current_and_the_next_stretch_follow_each_other_and_hold_the_day(as_of, unit):
    (_, first, second), (_, same, third), (_, fourth, _) = (
        read(f"{which} {unit}", as_of) for which in ("last", "this", "next")
    )
    assert (second, third) == (same, fourth)
    assert first < second <= as_of < third


@given(DAYS)
def test_a_day_reads_as_itself_however_it_is_written(written):
    day_after = written + timedelta(days=1)
    for text in (
        written.isoformat(),
        f"{written:%Y/%m/%d}",
        f"{written:%d/%m/%Y}",
        f"{written:%d.%m.%Y}",
        f"{written.day} {written:%B %Y}",
        f"{written:%B} {written.day}, {written.year}",
        f"{written:%b} {written.day}th {written.year}",
        f"{written.day}th of {written:%B %Y}",
    ):
        assert read(text) == (0, written, day_after), text


@given(DAYS, DAYS)
def test_a_range_holds_both_its_ends_and_never_runs_backwards(one, other):
    start, end = sorted((one, other))
    for text in (f"between {start} and {end}", f"from {start} to {end}", f"{start} to {end}"):
        assert read(text) == (0, start, end + timedelta(days=1))
    if start < end:
        assert read(f"between {end} and {start}") is None


@given(DAYS, st.integers(1, 2_000), st.sampled_from(["days", "weeks", "months", "years", "quarters"]))
def test_a_trailing_stretch_ends_with_the_as_of_day(as_of, count, unit):
    found = read(f"last {count} {unit}", as_of)
    if found is not None and found[0] == 0:
        assert found[1] < found[2] == as_of + timedelta(days=1)


def test_the_first_of_two_periods_is_none_where_it_lies_before_all_calendars() -> None:
    assert PeriodReader(AS_OF).first_of_two(tokenise("999999999999999999999999999999 years ago"), 0) is None
