"""What is kept of chips between two drawings."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from pathlib import Path

from backend.opening import open_assistant
from backend.settings import Settings
from pages.drawing.chips import chips_under


def test_chips_follow_the_day_and_the_fiscal_year_that_are_in_force(small_bank: Path, tmp_path: Path):
    settings = Settings(database_url=str(small_bank), cache_dir=tmp_path, as_of=date(2026, 8, 31), database_workers=1)
    assistant = open_assistant(settings)
    try:
        today = assistant.vocabulary
        intent = assistant.ask("transaction value by channel in 2024").intent
    finally:
        assistant.close()
    assert intent is not None

    def periods(vocabulary):
        choices = next(chip.choices for chip in chips_under(vocabulary, intent)[0] if chip.takes_days)
        return {edit.label for edit in choices}

    assert "Last month (July 2026)" in periods(today)
    assert "Last month (June 2026)" in periods(replace(today, as_of=date(2026, 7, 31)))
    by_calendar = replace(today, model=replace(today.model, fiscal_year_start_month=1))
    assert not any("fiscal" in label for label in periods(by_calendar))
