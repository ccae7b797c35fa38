from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ai_engine.errors import CannotKeep
from backend.schedules.cron import next_run, require_rare

MUMBAI, BERLIN = ZoneInfo("Asia/Kolkata"), ZoneInfo("Europe/Berlin")
NOW = datetime(2026, 11, 23, 16, 0, tzinfo=UTC)  # a Monday, 21:30 in Mumbai
CRON_DAY_OF = {0: 1, 1: 2, 2: 3, 3: 4, 4: 5, 5: 6, 6: 0}  # Python's Monday is 0, cron's is 1


@pytest.mark.parametrize(
    ("cron", "local"),
    [
        ("0 7 * * *", "2026-11-24 07:00"),
        ("0 7 * * 1-5", "2026-11-24 07:00"),
        ("0 7 * * 1", "2026-11-30 07:00"),
        ("0 7 * * sun", "2026-11-29 07:00"),
        ("0 7 * * 7", "2026-11-29 07:00"),
        ("0 7 * * 5-7", "2026-11-27 07:00"),
        ("*/30 * * * *", "2026-11-23 22:00"),
        ("15 6 1 */3 *", "2027-01-01 06:15"),
    ],
)
def test_a_schedule_is_read_as_cron_has_it_in_the_banks_time_zone(cron: str, local: str):
    assert f"{next_run(cron, MUMBAI, NOW):%Y-%m-%d %H:%M}" == local


@given(st.sets(st.integers(0, 7), min_size=1), st.integers(0, 35_000))
def test_days_of_the_week_count_from_sunday(days: set[int], hours: int):
    after = NOW + timedelta(hours=hours)
    found = next_run(f"30 9 * * {','.join(map(str, sorted(days)))}", BERLIN, after)
    assert after < found <= after + timedelta(days=8)
    assert CRON_DAY_OF[found.weekday()] in {day % 7 for day in days}
    assert (found.hour, found.minute) == (9, 30)


@given(st.text(alphabet="0123456789*/-, abcmonL#?", max_size=24))
def test_any_text_is_a_schedule_or_refused_in_words(text: str):
    try:
        assert next_run(text, MUMBAI, NOW) > NOW
    except CannotKeep as fault:
        assert fault.user_message


@pytest.mark.parametrize(
    "cron", ["", "0 7 * *", "61 * * * *", "0 7 1 * 1", "0 7 * * 8", "0 7 30 2 *", "@daily", "0 7 * * 1/0"]
)
def test_what_is_no_schedule_is_refused(cron: str):
    with pytest.raises(CannotKeep):
        next_run(cron, MUMBAI, NOW)


def test_a_schedule_that_would_run_too_often_is_refused():
    require_rare("*/15 * * * *", MUMBAI, NOW, 15)
    for cron in ("* * * * *", "*/10 * * * *", "0,5 9 * * *"):
        with pytest.raises(CannotKeep):
            require_rare(cron, MUMBAI, NOW, 15)
