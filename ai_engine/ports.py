"""What the engine needs from outside, and what one run is given."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Protocol, TypeVar, runtime_checkable

from pydantic import BaseModel

from ai_engine.formats import Formats
from ai_engine.guard.policy import Policy
from ai_engine.prompts.loader import Messages
from ai_engine.semantics.scope_words import Scope
from ai_engine.semantics.values import FoundValues
from ai_engine.semantics.vocabulary import Vocabulary
from ai_engine.types import (
    Answer,
    Draft,
    FailedDraft,
    Insight,
    Interpretation,
    Limits,
    OutputColumn,
    QueryResult,
    Readers,
    ScanEstimate,
    SendRows,
    Turn,
)
from ai_engine.verified import NoVerifiedAnswers, VerifiedAnswers

_Reply = TypeVar("_Reply", bound=BaseModel)
_Made = TypeVar("_Made")


@dataclass(frozen=True, slots=True)
class SqlTask:
    """What a model is given to write one statement; `assumptions` are those made while the question was read."""

    question: str
    restatement: str
    failures: tuple[FailedDraft, ...] = ()
    assumptions: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class InsightTask:
    """What a model is given to explain one result.

    Attributes:
        columns: meaning of each result column, aligned with `result.columns`.
        scope: what narrows the figures, in words.
        formats: how the reader wants figures and days; None: as the bank writes them.
    """

    question: str
    restatement: str
    sql: str
    result: QueryResult
    columns: tuple[OutputColumn, ...]
    scope: Scope = field(default_factory=Scope)
    formats: Formats | None = None


class AssistantModel(Protocol):
    """A brain of the pipeline; errors are `ModelFailed`.

    A call that may take longer than a moment ends within a second once `stop` is set, raising QueryStopped.
    """

    @property
    def name(self) -> str:
        """Name shown with every answer."""
        ...

    def interpret(
        self, question: str, history: Sequence[Turn], vocabulary: Vocabulary, *, stop: threading.Event
    ) -> Interpretation:
        """Read a question in the light of the turns before it."""
        ...

    def write_sql(self, task: SqlTask, vocabulary: Vocabulary, *, stop: threading.Event) -> Draft:
        """Write one statement for a question the compiler does not cover, or after a failure."""
        ...

    def explain(
        self,
        task: InsightTask,
        vocabulary: Vocabulary,
        *,
        stop: threading.Event,
        heard: Callable[[str], None] | None = None,
    ) -> Insight:
        """Say what a result shows, with no figure that is not in it.

        `heard` is told, in the calling thread, what there is of the summary while it grows, to be shown.
        """
        ...


class ChatModel(Protocol):
    """A language model, asked for replies of a given shape; safe to share between threads."""

    def ask(
        self, messages: Messages, shape: type[_Reply], make: Callable[[_Reply], _Made], *, stop: threading.Event
    ) -> _Made:
        """Return what `make` makes of the reply; blocks, and ends at once when `stop` is set.

        Raises:
            QueryStopped: `stop` was set.
            ModelFailed: no usable reply, whatever the reason; `make` says by ValueError that one is not.
        """
        ...


class QueryRunner(Protocol):
    """Runs one read on one database.

    `run` blocks until the rows are there, the deadline passes or `stop` is set. In the last two cases the statement is
    ended inside the database, and `run` returns within a second, raising QueryTimedOut or QueryStopped; other faults
    are other kinds of QueryFailed. Safe to call from many threads.
    """

    def run(self, sql: str, *, max_rows: int, timeout_s: float, stop: threading.Event) -> QueryResult:
        """Return at most `max_rows` rows; `truncated` tells that there were more."""
        ...


@runtime_checkable
class EstimatesCost(Protocol):
    """A runner whose database tells beforehand what a statement would cost."""

    def cost(self, sql: str, *, timeout_s: float, stop: threading.Event) -> ScanEstimate:
        """Return what the database expects of a statement, which is not run.

        Raises what `QueryRunner.run` raises.
        """
        ...


@runtime_checkable
class KeepsResults(Protocol):
    """A runner that gives the rows of an earlier run, `ran_at` set, where it keeps them."""

    @property
    def tells_versions(self) -> bool:
        """Whether those are the rows of now, as the database tells when its data change; else they are of then."""
        ...

    def anew(self) -> QueryRunner:
        """Return the same runner, which runs every statement."""
        ...


def runs_anew(runner: QueryRunner) -> QueryRunner:
    """Return what runs every statement on the same database."""
    return runner.anew() if isinstance(runner, KeepsResults) else runner


class ValueSearch(Protocol):
    """Looks in the data for the values that were not learnt, since some columns have too many to learn them all."""

    def find(self, texts: Sequence[str], vocabulary: Vocabulary, *, stop: threading.Event) -> FoundValues:
        """Return the values that equal one of the texts, letter case aside; soon, or what was found until then.

        Raises:
            QueryStopped: `stop` was set.
            DatabaseUnavailable: the database is lost.
        """
        ...


class NamedValues(Protocol):
    """Tells which values of the data a question names beyond those that were learnt."""

    def find(
        self, question: str, history: Sequence[Turn], vocabulary: Vocabulary, *, stop: threading.Event
    ) -> FoundValues:
        """Return values as they are stored, none of a sensitive field; raises what ValueSearch raises."""
        ...


@runtime_checkable
class Declines(Protocol):
    """Tells a wish to have something done from a question: whoever answers here only reads."""

    def decline(self, text: str, vocabulary: Vocabulary, *, may_edit: bool) -> str | None:
        """Return what such a wish is told; None for everything else.

        Args:
            text: a message.
            vocabulary: whose things are not taken for deeds.
            may_edit: an answer stands before, whose numbers and parts the message may change.
        """
        ...


class Agreement(Protocol):
    """Remembers how often the two readers came to the same rows on this database."""

    @property
    def trusted(self) -> bool:
        """Whether they did so often enough that the rules may read alone."""
        ...

    def note(self, *, agreed: bool) -> None:
        """Remember one comparison."""
        ...


class NoAgreement:
    """Where nothing is remembered."""

    trusted = False

    def note(self, *, agreed: bool) -> None:
        """Forget it."""


@dataclass(frozen=True)
class Services:
    """Everything that is fixed for one run; the graph's runtime context.

    `stop` belongs to the run: setting it ends the run, and whatever it is waiting for. `log_texts` permits the log to
    have the question, and the reasons of failures with what they quote. `question_id` is that of the question of which
    this one is a part; a question of its own gets one. `count` is told how a part ended, `record` every
    answer. `rules` read beside a language model, None where `model` is they; `readers` says whose reading is answered,
    `send_rows` which cells of results a language model may see, `keep_model_texts` whether the answer bears what one
    was asked and replied, word for word. With `summary_follows` the result
    comes first, told by rule, and a language model's summary after it, while it grows. `tie_out` has figures by group
    held against their totals once they are there.
    """

    model: AssistantModel
    vocabulary: Vocabulary
    runner: QueryRunner
    policy: Policy = field(default_factory=Policy)
    limits: Limits = field(default_factory=Limits)
    stop: threading.Event = field(default_factory=threading.Event)
    log_texts: bool = False
    question_id: str = ""
    count: Callable[[Answer], None] | None = None
    record: Callable[[Answer], None] | None = None
    rules: AssistantModel | None = None
    readers: Readers = "model"
    send_rows: SendRows = "aggregates"
    verified: VerifiedAnswers = field(default_factory=NoVerifiedAnswers)
    agreement: Agreement = field(default_factory=NoAgreement)
    keep_model_texts: bool = False

    def decline(self, text: str, *, may_edit: bool) -> str | None:
        """See Declines; where nobody can tell, nothing is declined."""
        reader = self.model if self.rules is None else self.rules
        return reader.decline(text, self.vocabulary, may_edit=may_edit) if isinstance(reader, Declines) else None

    summary_follows: bool = False
    tie_out: bool = False
