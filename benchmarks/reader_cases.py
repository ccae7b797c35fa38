"""The project's own cases for the built-in reader: what readings of questions are right.

Questions on databases of the tests come with what they must come to, word for word; those on the sample bank with
statements whose rows are right. A turn of a conversation comes with the turns before it, as they are answered now.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field
from datetime import date
from functools import cache
from pathlib import Path

import duckdb

from ai_engine.built_in.knowledge import Knowledge
from ai_engine.built_in.one_reading import Reading
from ai_engine.errors import AmbiguousPath, IntentNotCovered
from ai_engine.row_comparison import difference
from ai_engine.semantics.compiler import compile_intent
from ai_engine.semantics.restatement import restate
from ai_engine.types import Turn
from backend.evaluation.gold import is_ordered
from backend.evaluation.questions import Question, read_questions
from backend.opening import open_assistant
from backend.settings import PROJECT_ROOT, Settings
from tests.ai_engine.built_in import test_edits_of_the_question, test_follow_up, test_those_shown
from tests.ai_engine.built_in.cases import ReadingCase, reading_cases
from tests.ai_engine.built_in.talking import converse
from tests.ai_engine.built_in.test_reading import KNOWN
from tests.ai_engine.built_in.test_turns import KNOWN as KNOWN_IN_TURNS

_OF_THE_BANK = "readings_sample_bank.txt"
_QUESTIONS = PROJECT_ROOT / "tests" / "questions"
_TABLES_OF_TURNS = (test_follow_up, test_those_shown, test_edits_of_the_question)
_MOST_ROWS = 5_000


@dataclass(frozen=True)
class ReaderCase:
    """One question; `expected` is its restatement where it must be answered, else the choices or the refusal."""

    place: str
    question: str
    knowledge: Knowledge
    outcome: str
    expected: str
    before: tuple[Turn, ...] = ()

    def is_right(self, reading: Reading) -> bool:
        """Tell whether a reading is what the case wants; of a question back, whether it is one of the choices."""
        if self.outcome == "refused":
            left = {self.expected, *self.expected.split(", ")} & set(reading.unplaced)
            return not reading.complete and bool(left)
        if reading.intent is None or reading.unplaced:
            return False
        wanted = self.expected.split(" | ") if self.outcome == "clarify" else [self.expected]
        return restate(reading.intent, self.knowledge.model, self.knowledge.as_of) in wanted


def reader_cases(file: str = "") -> Iterator[ReaderCase]:
    """Those of all files, or of one, in their order, for the reader that is a grammar."""
    for name, opened in {**KNOWN, _OF_THE_BANK: _small_bank}.items():
        if file and name != file:
            continue
        knowledge = Knowledge(opened().vocabulary)
        for case in _now_right(name):
            yield ReaderCase(f"{name}:{case.line}", case.question, knowledge, case.outcome, case.expected)


def turn_cases() -> Iterator[ReaderCase]:
    """The last turns of the conversations in the files and in the tables of the tests."""
    for name, opened in KNOWN_IN_TURNS.items():
        for case in _now_right(name):
            yield _last_turn(f"{name}:{case.line}", case.question, opened(), case.outcome, case.expected)
    for module in _TABLES_OF_TURNS:
        for test in vars(module).values():
            known = _small_bank() if "bank" in getattr(test, "__annotations__", ()) else test_follow_up.SHOP
            for questions, restatement in _table(test):
                yield _last_turn(f"{test.__name__}: {questions}", questions, known, "query", restatement)


def _table(test: object) -> list[tuple[str, str]]:
    """Conversations that a test is given, with what their last turns come to."""
    given = (mark.args for mark in getattr(test, "pytestmark", ()) if mark.name == "parametrize")
    return [row for names, rows, *_ in given if names == ("questions", "restatement") for row in rows]


def _now_right(name: str) -> list[ReadingCase]:
    """The cases of a file; what is read wrongly still lacks a construction and no price."""
    return [case for case in reading_cases(name) if not case.not_yet]


def _last_turn(place: str, questions: str, knowledge: Knowledge, outcome: str, expected: str) -> ReaderCase:
    *earlier, last = questions.split(" | ")
    return ReaderCase(place, last, knowledge, outcome, expected, _turns(knowledge, *earlier))


def _turns(knowledge: Knowledge, *questions: str) -> tuple[Turn, ...]:
    """Turns as a conversation keeps them."""
    replies = zip(questions, converse(knowledge, *questions), strict=True)
    return tuple(
        Turn(question, reply.restatement, reply.intent, "refused" if reply.outcome == "refused" else "answered")
        for question, reply in replies
    )


@dataclass
class Bank:
    """The sample bank at full size, with the questions on it and the rows that answer them."""

    knowledge: Knowledge
    connection: duckdb.DuckDBPyConnection
    _kept: dict[str, list[tuple[object, ...]] | None] = field(default_factory=dict)

    def rows(self, statement: str) -> list[tuple[object, ...]] | None:
        """What a statement gives; None where it does not run."""
        if statement not in self._kept:
            try:
                self._kept[statement] = self.connection.execute(statement).fetchmany(_MOST_ROWS)
            except duckdb.Error:
                self._kept[statement] = None
        return self._kept[statement]


@dataclass(frozen=True)
class BankCase:
    """One question on the sample bank."""

    asked: Question
    bank: Bank
    before: tuple[Turn, ...] = ()
    outcome: str = "query"

    @property
    def place(self) -> str:
        """Its name in its file."""
        return self.asked.key

    @property
    def question(self) -> str:
        """As it is typed."""
        return self.asked.text

    @property
    def knowledge(self) -> Knowledge:
        """What is known of the bank."""
        return self.bank.knowledge

    def is_right(self, reading: Reading) -> bool:
        """Tell whether a reading gives the rows of one of the statements."""
        if reading.intent is None or reading.unplaced:
            return False
        vocabulary = self.knowledge.vocabulary
        try:
            statement = compile_intent(reading.intent, vocabulary.model, "duckdb", vocabulary.as_of).sql
        except (AmbiguousPath, IntentNotCovered):
            return False
        found = self.bank.rows(statement)
        golds = ((self.bank.rows(gold), is_ordered(gold, "duckdb")) for gold in self.asked.golds)
        return found is not None and any(
            rows is not None and difference(rows, found, ordered=ordered) is None for rows, ordered in golds
        )


def bank_cases() -> Iterator[BankCase]:
    """The questions on the sample bank that have an answer, alone and in conversations."""
    bank = _full_bank()
    said: defaultdict[str, list[str]] = defaultdict(list)
    for file in ("sample_bank.jsonl", "conversations.jsonl"):
        for asked in read_questions(_QUESTIONS / file):
            earlier = said[asked.conversation] if asked.conversation else []
            if asked.golds:
                yield BankCase(asked, bank, _turns(bank.knowledge, *earlier))
            earlier.append(asked.text)


@cache
def _small_bank() -> Knowledge:
    """What is known of a twentieth of the sample bank, as the tests build it."""
    with tempfile.TemporaryDirectory() as folder:
        return _knowledge(_built(Path(folder), "--as-of", "2026-09-30", "--scale", "0.05"))


@cache
def _full_bank() -> Bank:
    file = _built(Path(_folder().name), "--as-of", "2026-11-21")
    knowledge = _knowledge(file, date(2026, 11, 21))
    return Bank(knowledge, duckdb.connect(str(file), read_only=True))


@cache
def _folder() -> tempfile.TemporaryDirectory[str]:
    """Removed when the process ends."""
    return tempfile.TemporaryDirectory()


def _built(folder: Path, *options: str) -> Path:
    file = folder / "bank.duckdb"
    command = [sys.executable, "-m", "data.build_sample_bank", "--out", str(file), *options]
    subprocess.run(command, cwd=PROJECT_ROOT, check=True, capture_output=True)
    return file


def _knowledge(file: Path, as_of: date | None = None) -> Knowledge:
    vocabulary = PROJECT_ROOT / "data" / "sample_bank.yaml"
    settings = Settings(database_url=f"duckdb:///{file}", vocabulary_file=vocabulary, as_of=as_of)
    with closing(open_assistant(settings)) as opened:
        return Knowledge(opened.vocabulary)
