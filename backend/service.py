"""The one door: pages, API and command line ask through this, and nothing else of theirs touches model or database."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TypeAlias

from ai_engine import guard
from ai_engine.agents.running import run_with_deadline
from ai_engine.built_in import BuiltInModel
from ai_engine.conversation import LanguageModel
from ai_engine.errors import AssistantError
from ai_engine.guard.policy import Policy
from ai_engine.model_use import LOCAL, asker
from ai_engine.ports import Agreement, AssistantModel, QueryRunner, Services, runs_anew
from ai_engine.semantics.inferred_notes import inferred_notes
from ai_engine.semantics.intent import Intent
from ai_engine.semantics.vocabulary import Vocabulary
from ai_engine.types import Answer, CheckedStatement, Event, Limits, QueryResult, Turn
from backend.answers.withheld import is_refused, with_mark, without_reading
from backend.configuration.people import people_in
from backend.databases import Database
from backend.metrics import Metrics
from backend.question_events import events_of, settled_events
from backend.question_thread import in_own_thread
from backend.settings import Settings
from backend.store import SharedStore
from backend.store.audit_trail import Door
from backend.trust.audit import Audit, Noted, answer_of_statement
from backend.trust.audit_book import AuditBook
from backend.trust.feedback_book import FeedbackBook
from backend.trust.verified_book import VerifiedBook
from backend.vocabulary.book import VocabularyBook
from backend.vocabulary.teaching import UnknownWords

_log = logging.getLogger(__name__)

Listener: TypeAlias = Callable[[Event], None]


@dataclass(frozen=True)
class Assistant:
    """One database with its vocabulary and model, ready for questions from any thread.

    `built_in` is there whichever model answers: it finds values and offers questions.
    """

    settings: Settings
    database: Database
    vocabulary: Vocabulary
    model: AssistantModel
    built_in: BuiltInModel
    policy: Policy
    limits: Limits
    metrics: Metrics
    verified: VerifiedBook
    """What people have checked about this database."""
    agreement: Agreement
    runner: QueryRunner
    """Runs statements under the policy."""
    store: SharedStore
    audit: Audit
    changes: VocabularyBook
    """Proposed and published changes of the vocabulary."""
    unknown_words: UnknownWords
    """What was asked for and not understood."""
    kept_as: str
    """Name under which the store keeps what people say and check of this source."""
    chat: LanguageModel | None = None
    """The language model behind `model`, None where rules answer."""
    warnings: tuple[str, ...] = ()
    """Rights of the database role that the assistant does not need."""
    door: Door = "page"
    """Through which it is asked; see `at`."""
    vocabulary_version: int = 0
    """Of the published vocabulary that is in force; 0 for the bank's file as it is."""

    @property
    def examples(self) -> tuple[str, ...]:
        """Questions for an empty page, each of which gets an answer."""
        return self.built_in.examples(self.vocabulary)

    @property
    def notes(self) -> tuple[str, ...]:
        """What is taken for given about the database because nobody has said it."""
        return inferred_notes(self.vocabulary.model)

    @property
    def feedback(self) -> FeedbackBook:
        """What people say of the answers."""
        return FeedbackBook(self.store.get, self.kept_as, self.verified.permissions, self.settings.max_question_chars)

    @property
    def history(self) -> AuditBook:
        """Who asked what, as each person may see it, with the statements of this database alone; see `beside`."""
        auditors = people_in(self.settings.auditors)
        return AuditBook(self.store.get, self.audit, auditors, lambda at: self if at == self.database.place else None)

    def services(self, stop: threading.Event | None = None, *, anew: bool = False) -> Services:
        """What one run is given; `stop` ends it, and `anew` has its statements run where their results are kept."""
        return Services(
            model=self.model,
            vocabulary=self.vocabulary,
            runner=runs_anew(self.runner) if anew else self.runner,
            policy=self.policy,
            limits=self.limits,
            stop=stop or threading.Event(),
            log_texts=self.settings.log_questions,
            record=self.record,
            rules=self.built_in if self.chat is not None else None,
            readers=self.settings.readers,
            send_rows=self.settings.send_rows,
            verified=self.verified.under(self.vocabulary),
            agreement=self.agreement,
            keep_model_texts=self.settings.prompt_readers is not None,
        )

    def ask(
        self,
        question: str,
        history: Sequence[Turn] = (),
        stop: threading.Event | None = None,
        *,
        above: Answer | None = None,
        heard: Listener | None = None,
        who: str = LOCAL,
        anew: bool = False,
    ) -> Answer:
        """Answer in the calling thread; never raises.

        Args:
            question: as it was typed.
            history: what a follow-up question may refer to.
            stop: ends the run when set.
            above: the answer before this question, which "show as a pie" draws again without a query.
            heard: is told each step as it happens.
            who: asks, for whom the language model is bounded.
            anew: run statements also where their results are kept.
        """
        answer: Event | None = None
        for answer in events_of(self, question, history, stop or threading.Event(), above, who, anew=anew):
            if heard is not None:
                heard(answer)
        assert isinstance(answer, Answer), "the answer comes last"  # noqa: S101
        return answer

    def stream(
        self, question: str, history: Sequence[Turn] = (), *, above: Answer | None = None, who: str = LOCAL
    ) -> Iterator[Event]:
        """Yield the steps as they happen and the Answer last, as `ask` does; never raises.

        A language model's summary is not waited for: ResultReady comes before it, and SummaryGrew as it grows.
        The run has a thread of its own, and StillWorking comes a few times a second, so the listener is never blocked.
        Closing the iterator stops the run and its statement.
        """
        return in_own_thread(lambda stop: events_of(self, question, history, stop, above, who, summary_follows=True))

    def run_again(
        self,
        reading: Intent | str,
        *,
        question: str,
        assumptions: Sequence[str] = (),
        stop: threading.Event | None = None,
        who: str = LOCAL,
        anew: bool = False,
    ) -> Answer:
        """Answer from a settled reading, for which no model is ever asked; never raises.

        Args:
            reading: a structured question, which is compiled, or an analyst's own statement.
            question: what the answer is called by, cut where it is longer than a question may be.
            assumptions: what was assumed with the reading.
            stop: ends the run when set.
            who: asks.
            anew: run statements also where their results are kept.
        """
        *_, answer = settled_events(self, reading, question, assumptions, stop or threading.Event(), who, anew=anew)
        assert isinstance(answer, Answer), "the answer comes last"  # noqa: S101
        return answer

    def stream_again(
        self,
        reading: Intent | str,
        *,
        question: str,
        assumptions: Sequence[str] = (),
        derived_from: str = "",
        who: str = LOCAL,
        anew: bool = False,
    ) -> Iterator[Event]:
        """Yield the steps of `run_again` as they happen and the Answer last; see `stream`.

        `derived_from` is the `question_id` of the answer that the reading was made of, which the answer then bears.
        """
        return in_own_thread(
            lambda stop: settled_events(
                self,
                reading,
                question,
                assumptions,
                stop,
                who,
                summary_follows=True,
                derived_from=derived_from,
                anew=anew,
            )
        )

    def at(self, door: Door) -> Assistant:
        """The same assistant as it is asked through another door, which the audit trail names."""
        return replace(self, door=door)

    def with_notes(self, text: str) -> Assistant:
        """The same assistant, whose language model, where there is one, is also given these notes of the bank."""
        if self.chat is None:
            return self
        known = self.vocabulary
        model = replace(known.model, instructions=f"{text}\n{known.model.instructions}".strip())
        return replace(self, vocabulary=replace(known, model=model))

    def check(self, sql: str) -> CheckedStatement:
        """Judge an analyst's own statement.

        Raises:
            SqlRejected: with the reason.
        """
        return guard.check(sql, self.vocabulary.catalogue, self.policy)

    def run_statement(
        self,
        sql: str,
        stop: threading.Event | None = None,
        *,
        allowed: Callable[[], None] | None = None,
        anew: bool = False,
    ) -> tuple[CheckedStatement, QueryResult]:
        """Run an analyst's own statement under the same guard and limits as a question.

        Args:
            sql: one SELECT.
            stop: ends the run when set.
            allowed: is called once the guard has let the statement through.
            anew: run it also where its result is kept.

        Raises:
            SqlRejected: the guard said no.
            QueryFailed: the database said no, the time ran out or `stop` was set.
        """
        started = time.perf_counter()
        try:
            statement = self.check(sql)
            if allowed is not None:
                allowed()
            runner = runs_anew(self.runner) if anew else self.runner
            result = run_with_deadline(runner, statement, self.limits.timeout_s, stop or threading.Event())
        except AssistantError as fault:
            self.record_statement(sql, fault, started)
            raise
        self.record_statement(statement.sql, result, started)
        return statement, result

    def record_statement(self, sql: str, came: QueryResult | AssistantError, started: float) -> None:
        """Note in the audit trail what came of a statement, begun at `started` of the performance counter."""
        self.record(answer_of_statement(sql, came, (time.perf_counter() - started) * 1_000))

    def close(self) -> None:
        """End every worker and connection, once what was answered is in the audit trail or cannot be."""
        self.audit.close(2 * self.settings.store_timeout_s)
        self.database.close()
        self.store.close()

    def record(self, answer: Answer) -> None:
        """Note an answer in the audit trail."""
        at, dialect = answer.answered_at or datetime.now(UTC), self.vocabulary.catalogue.dialect
        answer = with_mark(answer, self.policy)
        self.audit.note(Noted(answer, asker().person, self.door, self.database.place, dialect, at))

    def record_settled(self, answer: Answer) -> None:
        """Note an answer from a settled reading; one that may not run today is not told, nor is what it was called.

        Nobody who asks it has written it: it was kept on a day when its columns may have been open.
        """
        self.record(without_reading(answer) if is_refused(answer) else answer)
