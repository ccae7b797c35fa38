"""What one person chooses counts at once, for them alone, on every server; and what was told by rule is told so."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest

from ai_engine.errors import StoreUnavailable
from ai_engine.formats import Formats
from ai_engine.insight.told_anew import words_for
from backend.answers.answer_json import answer_from_json, answer_to_json
from backend.charts import figure_json, figure_of
from backend.configuration.person_formats import PersonFormats
from backend.opening import open_assistant
from backend.service import Assistant
from backend.settings import Settings
from backend.store import SharedStore, open_store
from tests.conftest import AS_OF

MILLION = Formats(grouping="million", dates="iso")
QUESTIONS = (
    "Total deposits", "Total deposits by branch", "Total transaction amount by month in 2026",
    "Accounts opened from 1 to 22 August 2026", "Branches with deposits above 5 crore",
    "List the top 5 accounts by balance", "Total transaction amount in August 2026 against August 2025",
)  # fmt: skip


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def store(kept_at: str) -> Iterator[SharedStore]:
    opened = SharedStore(lambda: open_store(Settings(store_url=kept_at)))
    yield opened
    opened.close()


def test_a_choice_is_that_persons_counts_at_once_and_reaches_the_other_server(store):
    clock = Clock()
    here, there = PersonFormats(store.get, clock), PersonFormats(store.get, clock)
    assert here.of("asha") == there.of("asha") == here.of("ravi") == Formats()
    here.choose("asha", MILLION)
    assert (here.of("asha"), here.of("ravi"), there.of("asha")) == (MILLION, Formats(), Formats())
    clock.now += 3
    assert there.of("asha") == MILLION
    here.choose("asha", Formats(dates="short"))
    here.choose("asha", Formats())
    clock.now += 3
    assert here.of("asha") == there.of("asha") == Formats()


def test_a_store_that_is_away_leaves_what_was_known_and_is_not_asked_each_time(store):
    clock, asked = Clock(), []

    def away():
        asked.append(clock.now)
        raise StoreUnavailable("away")

    known = PersonFormats(store.get, clock)
    known.choose("asha", MILLION)
    known._store = away
    for _ in range(10):
        clock.now += 3
        assert known.of("asha") == MILLION
    assert len(asked) == 1
    with pytest.raises(StoreUnavailable):
        known.choose("asha", Formats())
    assert known.of("asha") == MILLION


@pytest.fixture(scope="module")
def assistant(small_bank: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Assistant]:
    folder = tmp_path_factory.mktemp("formats")
    opened = open_assistant(
        Settings(
            database_url=str(small_bank), cache_dir=folder, as_of=date.fromisoformat(AS_OF), database_workers=1,
            store_url=f"sqlite:///{folder}/store.sqlite",
        )
    )  # fmt: skip
    yield opened
    opened.close()


@pytest.mark.parametrize("question", QUESTIONS)
def test_every_answer_told_by_rule_is_told_again_in_the_readers_formats(assistant, question):
    answer = answer_from_json(answer_to_json(assistant.ask(question)))
    vocabulary = assistant.vocabulary
    assert answer.status == "answered"
    assert words_for(answer, vocabulary, Formats("INR")) == (answer.headline, answer.summary)
    assert words_for(answer, vocabulary, Formats("INR", "lakh")) == (answer.headline, answer.summary)
    for grouping, other in (("million", r"lakh|crore|\d,\d\d,"), ("thousands", r"lakh|crore|million|\d,\d\d,")):
        headline, summary = words_for(answer, vocabulary, replace(MILLION, currency="INR", grouping=grouping))
        assert summary.startswith(headline)
        assert not re.search(other, summary), summary
        assert not re.search(r"\d{1,2} (to \d{1,2} )?[A-Z][a-z]+ \d{4}", summary), summary


def test_a_chart_has_one_grouping_on_axes_labels_and_hovers(assistant):
    answer = assistant.ask("Total deposits by branch")
    for kind in ("bar", "horizontal_bar", "pie"):
        drawn = str(figure_json(figure_of(answer, Formats("INR", "million"), kind)))
        assert "million" in drawn or kind == "pie"
        assert not re.search(r"lakh|crore|\d,\d\d,\d", drawn)
    assert "Rs. thousand" in str(figure_json(figure_of(answer, Formats("INR", "thousands"), "bar")))
