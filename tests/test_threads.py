"""Many people ask at once, each is answered as if alone."""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import _lru_cache_wrapper
from pathlib import Path

import pytest

from ai_engine.types import Answer
from backend.evaluation.questions import read_questions
from backend.opening import open_assistant
from backend.service import Assistant
from backend.settings import Settings

QUESTIONS = [question.text for question in read_questions(Path(__file__).parent / "questions" / "sample_bank.jsonl")]
THREADS = 16


@pytest.fixture(scope="module")
def assistant(small_bank: Path) -> Iterator[Assistant]:
    opened = open_assistant(Settings(database_url=f"duckdb:///{small_bank}", database_workers=2))
    try:
        yield opened
    finally:
        opened.close()


@pytest.fixture
def frequent_switches() -> Iterator[None]:
    """Let threads take turns hundreds of times as often as they do, in the middle of whatever they do."""
    before_s = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    yield
    sys.setswitchinterval(before_s)


def forget_everything() -> None:
    """Empty every cache of ours, so that threads fill them at the same time."""
    for found in gc.get_objects():
        if isinstance(found, _lru_cache_wrapper) and (getattr(found, "__module__", None) or "").startswith("ai_engine"):
            found.cache_clear()


def untimed(answer: Answer) -> Answer:
    """An answer without when it came and how long it took, and without the name of this one run."""
    result = replace(answer.result, elapsed_ms=0) if answer.result is not None else None
    return replace(answer, question_id="", timings_ms={}, answered_at=None, result=result)


@pytest.mark.timeout(600)
@pytest.mark.usefixtures("frequent_switches")
@pytest.mark.parametrize(("every_nth", "rounds"), [(8, 1), pytest.param(4, 2, marks=pytest.mark.slow)])
def test_sixteen_people_at_once_get_the_answers_that_one_gets(assistant, every_nth, rounds):
    asked = QUESTIONS[::every_nth]
    alone = {question: untimed(assistant.ask(question)) for question in asked}
    for turn in range(rounds):
        forget_everything()
        # each thread begins elsewhere, so that no two of them meet the same words in the same order
        begins = [(turn + place) * len(asked) // THREADS for place in range(THREADS)]
        shared = [asked[at % len(asked)] for begin in begins for at in range(begin, begin + len(asked) // 8)]
        with ThreadPoolExecutor(THREADS) as threads:
            for question, answer in zip(shared, threads.map(assistant.ask, shared), strict=True):
                assert untimed(answer) == alone[question], question
