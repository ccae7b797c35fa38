"""The project's own question sets are sound, and no fewer of them are answered right than before."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from datetime import date
from pathlib import Path

import duckdb
import pytest

from backend.evaluation.asking import Databases, ask_all
from backend.evaluation.questions import Question, read_questions
from backend.evaluation.report import report_on
from backend.evaluation.table import report_text
from backend.settings import PROJECT_ROOT, Settings

FOLDER = Path(__file__).parent / "questions"
AS_OF = "2026-11-21"
SETS = {file: read_questions(FOLDER / file) for file in ("sample_bank.jsonl", "conversations.jsonl")}
EVERY = [question for questions in SETS.values() for question in questions]
WITH_ROWS = [question for question in EVERY if question.golds]

LEAST_RIGHT_PERCENT = {"sample_bank.jsonl": 94, "conversations.jsonl": 96}
"""Raised whenever more is reached, never lowered."""
MOST_WRONG_PERCENT = {"sample_bank.jsonl": 1.5, "conversations.jsonl": 1}
"""Figures given that are not the right ones; lowered whenever fewer are, never raised."""

SHAPES = frozenset(
    """count sum average minmax median group1 group2 filter typo synonym number period comparison negation exists
    not_exists at_least_n both but_not top_n top_n_per_group superlative having list share ratio percentage change yoy
    running_total age distinct weekday rolling fiscal role multi_measure wh series unknown unknown_value ambiguous
    destructive secret language gibberish about
    bands elapsed as_on per_member""".split()
)


@pytest.fixture(scope="module")
def whole_bank(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample bank at full size: in a smaller one some thresholds of the questions leave no rows."""
    file = tmp_path_factory.mktemp("questions") / "bank.duckdb"
    command = [sys.executable, "-m", "data.build_sample_bank", "--out", str(file), "--as-of", AS_OF]
    subprocess.run(command, cwd=PROJECT_ROOT, check=True, capture_output=True, timeout=300)
    return file


@pytest.fixture(scope="module")
def connection(whole_bank: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect(str(whole_bank), read_only=True) as connection:
        yield connection


def test_no_identifier_is_used_twice():
    identifiers = [json.loads(line)["id"] for file in SETS for line in (FOLDER / file).read_text("utf-8").splitlines()]
    assert [name for name, times in Counter(identifiers).items() if times > 1] == []


def test_no_question_is_asked_twice_alone():
    texts = Counter(question.text.casefold() for question in SETS["sample_bank.jsonl"])
    assert [text for text, times in texts.items() if times > 1] == []


def test_the_set_covers_every_shape():
    questions = SETS["sample_bank.jsonl"]
    assert len(questions) >= 250
    assert sum(question.expect in ("refused", "clarify") for question in questions) >= 60
    shapes = Counter(question.shape for question in questions)
    assert set(shapes) == SHAPES
    assert [shape for shape, count in shapes.items() if count < 2] == []


def test_conversations_have_three_to_five_turns_one_after_the_other():
    turns: defaultdict[str, list[int]] = defaultdict(list)
    for place, question in enumerate(SETS["conversations.jsonl"]):
        turns[question.conversation].append(place)
    assert len(turns) >= 25
    assert [name for name, places in turns.items() if not 3 <= len(places) <= 5] == []
    assert [name for name, places in turns.items() if places[-1] - places[0] != len(places) - 1] == []


@pytest.mark.parametrize("question", WITH_ROWS, ids=lambda question: question.key)
def test_every_gold_runs_and_gives_rows(question: Question, connection: duckdb.DuckDBPyConnection):
    results = [connection.execute(gold).fetchall() for gold in question.golds]
    assert any(value not in (None, 0) for row in results[0] for value in row)


@pytest.mark.parametrize("file", SETS)
def test_no_fewer_are_right_and_no_more_are_wrong_than_before(file: str, whole_bank: Path):
    settings = Settings(
        database_url=str(whole_bank),
        vocabulary_file=PROJECT_ROOT / "data" / "sample_bank.yaml",
        as_of=date.fromisoformat(AS_OF),
    )
    with Databases(settings) as databases:
        report = report_on(ask_all(SETS[file], databases))
    text = report_text(report)
    assert report.total.verdicts.get("left out", 0) == 0, text
    assert report.total.accuracy >= LEAST_RIGHT_PERCENT[file], text
    assert report.total.wrong_but_confident <= MOST_WRONG_PERCENT[file], text
