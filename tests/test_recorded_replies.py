"""The replies that are kept in tests/recorded are read, compiled and run to the rows that the question files want."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from backend.evaluation.asking import Databases, ask_all
from backend.evaluation.questions import read_questions
from backend.recorded_replies import read_replies
from backend.settings import PROJECT_ROOT, read_settings
from tests.conftest import AS_OF_QUESTIONS

RECORDED = Path(__file__).parent / "recorded" / "sample_bank.jsonl"
QUESTIONS = Path(__file__).parent / "questions"
CONVERSATIONS = 10


def of_the_recording(name):
    asked = {one.question for one in read_replies(RECORDED)}
    questions = [one for one in read_questions(QUESTIONS / name) if one.text in asked]
    talks = dict.fromkeys(one.conversation for one in questions)
    return [one for one in questions if not one.conversation or one.conversation in list(talks)[:CONVERSATIONS]]


@pytest.mark.parametrize(("name", "least"), [("sample_bank.jsonl", 60), ("conversations.jsonl", 35)])
def test_kept_replies_answer_their_questions_right(name, least, whole_bank):
    questions = of_the_recording(name)
    assert len(questions) >= least
    settings = read_settings(
        database_url=str(whole_bank),
        vocabulary_file=PROJECT_ROOT / "data" / "sample_bank.yaml",
        as_of=date.fromisoformat(AS_OF_QUESTIONS),
        replay_file=RECORDED,
    )
    with Databases(settings) as databases:
        outcomes = ask_all(questions, databases)
    assert [(one.question.key, one.verdict) for one in outcomes if one.verdict != "right"] == []
