"""What a person copies into a mail is true and whole: headline, period, chart and its title of whole questions."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest

from ai_engine.insight.wording import HEADLINE_CHARS
from ai_engine.types import Answer, Turn
from backend.charts import title_of
from backend.opening import open_assistant
from backend.service import Assistant
from backend.settings import Settings
from tests.conftest import AS_OF
from tests.told_by_rule import ToldByRule

FILE = Path(__file__).parent / "questions" / "headlines.jsonl"
LINES = [json.loads(line) for line in FILE.read_text(encoding="utf-8").splitlines() if line.strip()]
FIELDS = {"question", "conversation", "headline", "period", "chart", "title"}


@pytest.fixture(scope="module")
def assistant(small_bank: Path) -> Iterator[Assistant]:
    settings = Settings(database_url=str(small_bank), as_of=date.fromisoformat(AS_OF))
    opened = open_assistant(settings)
    yield replace(opened, model=ToldByRule(opened.model))
    opened.close()


@pytest.fixture(scope="module")
def answers(assistant: Assistant) -> list[Answer]:
    """One answer per line, those of a conversation in the light of the turns before."""
    turns: defaultdict[object, list[Turn]] = defaultdict(list)
    found = []
    for number, line in enumerate(LINES):
        history = turns[line.get("conversation", number)]
        answer = assistant.ask(line["question"], tuple(history))
        history.append(Turn(answer.question, answer.restatement, answer.intent))
        found.append(answer)
    return found


def test_every_line_says_what_is_asserted():
    assert len(LINES) >= 20
    assert [line for line in LINES if set(line) | {"conversation"} != FIELDS] == []


@pytest.mark.parametrize("number", range(len(LINES)), ids=lambda number: LINES[number]["question"])
def test_the_headline_the_period_and_the_chart_say_what_was_asked(number: int, answers: list[Answer]):
    line, answer = LINES[number], answers[number]
    said = {
        "headline": answer.headline or answer.error,
        "period": answer.period,
        "chart": answer.chart if answer.result else None,
        "title": title_of(answer) if answer.result else None,
    }
    assert said == {field: line[field] for field in said}
    assert len(answer.headline) <= HEADLINE_CHARS


def test_every_figure_told_is_borne_out_by_its_result(assistant: Assistant, answers: list[Answer]):
    assert isinstance(assistant.model, ToldByRule)
    assert len(assistant.model.told) >= len([answer for answer in answers if answer.result and answer.result.row_count])
    assert assistant.model.unfounded(assistant.vocabulary) == []


def test_a_period_is_said_in_the_same_words_wherever_it_stands(answers: list[Answer]):
    dated = [answer for answer in answers if answer.result and answer.period]
    assert len(dated) >= 20
    assert [answer.restatement for answer in dated if f"({answer.period})" not in _bracketed(answer)] == []
    assert [title_of(answer) for answer in dated if answer.period not in title_of(answer)] == []


def _bracketed(answer: Answer) -> str:
    """The restatement with a period that is called by its days as if these stood behind its name."""
    return answer.restatement.replace(f"for {answer.period}", f"({answer.period})")
