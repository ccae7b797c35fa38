"""The project's own cases for the built-in reader: what readings of questions are right.

Questions on databases of the tests come with what they must come to, word for word; those on the sample bank with
statements whose rows are right.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field
from datetime import date
from functools import cache
from pathlib import Path

import duckdb

from ai_engine.built_in.knowledge import Knowledge
from ai_engine.errors import AmbiguousPath, IntentNotCovered
from ai_engine.row_comparison import difference
from ai_engine.semantics.compiler import compile_intent
from ai_engine.semantics.intent import Intent
from ai_engine.semantics.restatement import restate
from backend.evaluation.gold import is_ordered
from backend.evaluation.questions import Question, read_questions
from backend.opening import open_assistant
from backend.settings import PROJECT_ROOT, Settings
from tests.ai_engine.built_in.cases import reading_cases
from tests.ai_engine.built_in.test_reading import KNOWN

_OF_THE_BANK = "readings_sample_bank.txt"
_QUESTIONS = PROJECT_ROOT / "tests" / "questions" / "sample_bank.jsonl"
_MOST_ROWS = 5_000


@dataclass(frozen=True)
class ReaderCase:
    """One question; `expected` is its restatement where it must be answered, else how the refusal begins."""

    place: str
    question: str
    knowledge: Knowledge
    outcome: str
    expected: str

    def is_right(self, intent: Intent | None, reason: str = "") -> bool:
        """Tell whether a structured question, or the reason why there is none, is what the case wants."""
        if intent is None:
            return reason == self.expected
        return restate(intent, self.knowledge.model, self.knowledge.as_of) == self.expected


def reader_cases(file: str = "") -> Iterator[ReaderCase]:
    """Those of all files, or of one, in their order, for the reader that is a grammar."""
    for name, opened in {**KNOWN, _OF_THE_BANK: _small_bank}.items():
        if file and name != file:
            continue
        knowledge = Knowledge(opened().vocabulary)
        for case in reading_cases(name):
            yield ReaderCase(f"{name}:{case.line}", case.question, knowledge, case.outcome, case.expected)


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

    @property
    def question(self) -> str:
        """As it is typed."""
        return self.asked.text

    @property
    def knowledge(self) -> Knowledge:
        """What is known of the bank."""
        return self.bank.knowledge

    def is_right(self, intent: Intent | None, _: str = "") -> bool:
        """Tell whether a structured question gives the rows of one of the statements."""
        if intent is None:
            return False
        vocabulary = self.knowledge.vocabulary
        try:
            statement = compile_intent(intent, vocabulary.model, "duckdb", vocabulary.as_of).sql
        except (AmbiguousPath, IntentNotCovered):
            return False
        found = self.bank.rows(statement)
        golds = ((self.bank.rows(gold), is_ordered(gold, "duckdb")) for gold in self.asked.golds)
        return found is not None and any(
            rows is not None and difference(rows, found, ordered=ordered) is None for rows, ordered in golds
        )


def bank_cases() -> Iterator[BankCase]:
    """The questions on the sample bank that have an answer."""
    bank = _full_bank()
    for asked in read_questions(_QUESTIONS):
        if asked.golds:
            yield BankCase(asked, bank)


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
