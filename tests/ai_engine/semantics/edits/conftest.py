"""The readings of the project's own question sets, with the vocabulary of the small bank."""

from __future__ import annotations

import threading
from collections import defaultdict
from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest

from ai_engine.semantics.intent import Intent
from ai_engine.semantics.settled_periods import with_settled_periods
from ai_engine.types import Turn
from backend.evaluation.questions import Question, read_questions
from backend.opening import open_assistant
from backend.service import Assistant
from backend.settings import Settings
from tests.conftest import AS_OF

FOLDER = Path(__file__).parents[3] / "questions"


@pytest.fixture(scope="session")
def assistant(small_bank: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Assistant]:
    settings = Settings(
        database_url=str(small_bank), cache_dir=tmp_path_factory.mktemp("cache"), as_of=date.fromisoformat(AS_OF),
        database_workers=1,
    )  # fmt: skip
    opened = open_assistant(settings)
    yield opened
    opened.close()


@pytest.fixture(scope="session")
def intents(assistant: Assistant) -> list[Intent]:
    """What a share of the questions asks; a slow test takes every one."""
    return _read(assistant, every=10)


@pytest.fixture(scope="session")
def every_intent(assistant: Assistant) -> list[Intent]:
    """What all questions ask that ask for rows, follow-ups in their conversation."""
    return _read(assistant, every=1)


def _read(assistant: Assistant, every: int) -> list[Intent]:
    known, found = assistant.vocabulary, []
    alone = read_questions(FOLDER / "sample_bank.jsonl")[::every]
    talks: defaultdict[str, list[Question]] = defaultdict(list)
    for question in read_questions(FOLDER / "conversations.jsonl"):
        talks[question.conversation].append(question)
    for talk in [[question] for question in alone] + list(talks.values())[::every]:
        history: list[Turn] = []
        for question in talk:
            read = assistant.built_in.interpret(question.text, history, known, stop=threading.Event())
            read = with_settled_periods(read, known)
            if read.outcome in ("query", "clarify"):
                outcome = "answered" if read.outcome == "query" else "clarify"
                history.append(
                    Turn(question.text, read.restatement, read.intent, outcome, read.assumptions, read.choices)
                )
            if read.outcome == "query" and read.intent is not None:
                found.append(read.intent)
    return list(dict.fromkeys(found))
