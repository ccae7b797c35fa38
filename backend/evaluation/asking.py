"""Asks every question of a file through the same door as people do."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from datetime import date, datetime
from pathlib import Path
from typing import Protocol

from ai_engine.catalogue import Dialect
from ai_engine.errors import BadConfiguration
from ai_engine.model_use import LOCAL
from ai_engine.ports import QueryRunner
from ai_engine.turns import is_remembered, turn_of
from ai_engine.types import Turn
from backend.databases import open_database
from backend.evaluation.gold import run_golds
from backend.evaluation.outcomes import Outcome, judge
from backend.evaluation.questions import Question
from backend.opening import open_assistant
from backend.service import Assistant
from backend.settings import Settings

MAX_ROWS = 5_000
"""An answer that is cut would be judged wrong: this is more than any question of the sets asks for."""
_NOON = "12:00:00"


class Golds(Protocol):
    """Where statements that are known to be right run."""

    @property
    def runner(self) -> QueryRunner:
        """Runs them."""
        ...

    @property
    def dialect(self) -> Dialect:
        """In which they are written."""
        ...


class Asked(Protocol):
    """Where questions are asked."""

    def of(self, question: Question, /) -> Opened:
        """Return the database of a question."""
        ...


@dataclass(frozen=True, slots=True)
class Opened:
    """One database.

    Attributes:
        assistant: answers.
        golds: the same database once more, for the golds: they may read what questions may not, and workers of both
            kinds would push each other out of one pool.
        clock: "YYYY-MM-DD hh:mm:ss".
    """

    assistant: Assistant
    golds: Golds
    clock: str


@dataclass
class Databases:
    """Opens the database of each question once.

    Attributes:
        folder: where the question's `db` is a file `<db>.sqlite`; `asof.json` there may fix each one's clock.
        notes: for the language model, with every question.
        source: name of the one that the settings are of, asked where there is no folder.
    """

    settings: Settings
    folder: Path | None = None
    notes: str = ""
    source: str = ""
    _open: dict[str, Opened] = field(default_factory=dict)
    _closing: ExitStack = field(default_factory=ExitStack)

    def __enter__(self) -> Databases:
        return self

    def __exit__(self, *_: object) -> None:
        self._closing.close()

    def of(self, question: Question) -> Opened:
        """Return the database of a question.

        Raises:
            BadConfiguration: the question names a database and there is no folder, or no such file in it.
        """
        name = question.db if self.folder is not None else ""
        if name not in self._open:
            clock = self._clocks().get(name)
            settings = self.settings.model_copy(update=_overrides(self.folder, name, clock))
            assistant = open_assistant(settings, source="" if name else self.source)
            self._closing.callback(assistant.close)
            if self.notes:
                assistant = assistant.with_notes(self.notes)
            golds = self._closing.enter_context(open_database(settings.database_url))
            self._open[name] = Opened(assistant, golds, clock or f"{assistant.vocabulary.as_of} {_NOON}")
        return self._open[name]

    def _clocks(self) -> dict[str, str]:
        file = self.folder / "asof.json" if self.folder else None
        if file is None or not file.is_file():
            return {}
        try:
            clocks = json.loads(file.read_text(encoding="utf-8"))
            return {name: f"{datetime.fromisoformat(clock):%Y-%m-%d %H:%M:%S}" for name, clock in clocks.items()}
        except (ValueError, TypeError, AttributeError) as fault:
            raise BadConfiguration(f"{file} does not give a time for each database: {fault}") from fault


def _overrides(folder: Path | None, name: str, clock: str | None) -> dict[str, object]:
    """Let no limit cut an answer; put the question's own database and clock over those of the call."""
    overrides: dict[str, object] = {"max_rows": MAX_ROWS, "max_groups": MAX_ROWS, "default_limit_rows": MAX_ROWS}
    if folder is not None and name:
        file = folder / f"{name}.sqlite"
        if Path(name).name != name or not file.is_file():
            raise BadConfiguration(f"There is no database {name}.sqlite in {folder}.")
        overrides |= {"database_url": str(file.resolve())}
    if clock is not None:
        overrides |= {"as_of": date.fromisoformat(clock[:10])}
    return overrides


def ask_all(
    questions: Sequence[Question],
    databases: Asked,
    progress: Callable[[Outcome], None] = lambda _: None,
    *,
    who: str = LOCAL,
) -> tuple[Outcome, ...]:
    """Ask in the file's order, so that a conversation's turns follow each other, and judge every answer.

    What `progress` raises ends it. `who` asks, for whom the language model is bounded.
    """
    turns: defaultdict[tuple[str, str], list[Turn]] = defaultdict(list)
    outcomes = []
    for question in questions:
        outcome = _ask(question, databases, turns[question.db, question.conversation], who)
        progress(outcome)
        outcomes.append(outcome)
    return tuple(outcomes)


def _ask(question: Question, databases: Asked, turns: list[Turn], who: str) -> Outcome:
    opened = databases.of(question)
    assistant = opened.assistant
    if question.evidence:
        assistant = assistant.with_notes(question.evidence)
    answer = assistant.ask(question.text, tuple(turns) if question.conversation else (), who=who)
    if is_remembered(answer):
        turns.append(turn_of(answer))
    golds = run_golds(
        question.golds,
        opened.golds.runner,
        opened.golds.dialect,
        clock=opened.clock,
        max_rows=MAX_ROWS,
        timeout_s=assistant.settings.query_timeout_s,
    )
    return judge(question, answer, golds)


def failures(outcomes: Sequence[Outcome]) -> Iterator[Outcome]:
    """Yield what is not right, in order."""
    return (outcome for outcome in outcomes if outcome.verdict not in ("right", "left out"))
