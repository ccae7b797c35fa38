"""The one door: pages, API and command line ask through this, and nothing else of theirs touches model or database."""

from __future__ import annotations

import logging
import queue
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from ai_engine import guard, main
from ai_engine.agents.running import run_with_deadline
from ai_engine.built_in import BuiltInModel
from ai_engine.conversation import LanguageModel
from ai_engine.errors import QueryFailed
from ai_engine.guard.policy import Policy
from ai_engine.insight.chart_wishes import redrawn
from ai_engine.model_use import LOCAL, begin_asking
from ai_engine.ports import Agreement, AssistantModel, QueryRunner, Services
from ai_engine.semantics.inferred_notes import inferred_notes
from ai_engine.semantics.vocabulary import Vocabulary
from ai_engine.types import Answer, CheckedStatement, Event, Limits, QueryResult, StillWorking, Turn
from backend.database_limits import database_limits
from backend.databases import Database, excess_rights, open_database
from backend.databases.hidden_columns import hidden_columns
from backend.metrics import Metrics
from backend.readers import built_in_model, language_model, verified_book
from backend.settings import Settings, read_settings
from backend.shared_assistant import SharedAssistant
from backend.store import SharedStore, open_store
from backend.store.agreement import KeptAgreement
from backend.verified_book import VerifiedBook
from backend.vocabulary import open_vocabulary, sensitive_columns

_log = logging.getLogger(__name__)
_HEARTBEAT_S = 0.2
_JOIN_S = 5.0

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
    store: SharedStore
    chat: LanguageModel | None = None
    """The language model behind `model`, None where rules answer."""
    warnings: tuple[str, ...] = ()
    """Rights of the database role that the assistant does not need."""

    @property
    def examples(self) -> tuple[str, ...]:
        """Questions for an empty page, each of which gets an answer."""
        return self.built_in.examples(self.vocabulary)

    @property
    def notes(self) -> tuple[str, ...]:
        """What is taken for given about the database because nobody has said it."""
        return inferred_notes(self.vocabulary.model)

    def services(self, stop: threading.Event | None = None) -> Services:
        """What one run is given; `stop` ends it."""
        return Services(
            model=self.model,
            vocabulary=self.vocabulary,
            runner=self._runner(),
            policy=self.policy,
            limits=self.limits,
            stop=stop or threading.Event(),
            log_texts=self.settings.log_questions,
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
    ) -> Answer:
        """Answer in the calling thread; never raises.

        Args:
            question: as it was typed.
            history: what a follow-up question may refer to.
            stop: ends the run when set.
            above: the answer before this question, which "show as a pie" draws again without a query.
            heard: is told each step as it happens.
            who: asks, for whom the language model is bounded.
        """
        answer: Event | None = None
        for answer in self._events(question, history, stop or threading.Event(), above, who):
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
        stop = threading.Event()
        events: queue.SimpleQueue[Event] = queue.SimpleQueue()

        def run() -> None:
            for event in self._events(question, history, stop, above, who, summary_follows=True):
                events.put(event)

        thread = threading.Thread(target=run, name="question", daemon=True)
        started = time.perf_counter()
        thread.start()
        try:
            while True:
                try:
                    event = events.get(timeout=_HEARTBEAT_S)
                except queue.Empty:
                    event = StillWorking((time.perf_counter() - started) * 1_000)
                yield event
                if isinstance(event, Answer):
                    return
        finally:
            stop.set()
            thread.join(_JOIN_S)

    def _events(
        self,
        question: str,
        history: Sequence[Turn],
        stop: threading.Event,
        above: Answer | None,
        who: str,
        *,
        summary_follows: bool = False,
    ) -> Iterator[Event]:
        wished = redrawn(question, above)
        if wished is not None:
            yield wished
            return
        begin_asking(who)
        services = replace(self.services(stop), summary_follows=summary_follows)
        for event in main.stream(question, services=services, history=history):
            if isinstance(event, Answer):
                self.metrics.count_answer(event)
            yield event

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

    def run_statement(self, sql: str, stop: threading.Event | None = None) -> tuple[CheckedStatement, QueryResult]:
        """Run an analyst's own statement under the same guard and limits as a question.

        Raises:
            SqlRejected: the guard said no.
            QueryFailed: the database said no, the time ran out or `stop` was set.
        """
        statement = self.check(sql)
        stop = stop or threading.Event()
        return statement, run_with_deadline(self._runner(), statement, self.limits.timeout_s, stop)

    def close(self) -> None:
        """End every worker and connection."""
        self.database.close()
        self.store.close()

    def _runner(self) -> QueryRunner:
        return _runner(self.database, self.policy)


def open_assistant(settings: Settings) -> Assistant:
    """Connect the parts for one database.

    Raises:
        BadConfiguration: a wrong URL, a missing file, a vocabulary that does not fit; says what to do.
        DatabaseUnavailable: the server does not answer.
    """
    database = open_database(settings.database_url, database_limits(settings))
    try:
        vocabulary = open_vocabulary(settings, database)
    except BaseException:
        database.close()
        raise
    limits = Limits(
        timeout_s=settings.query_timeout_s,
        max_rows=settings.max_rows,
        default_limit_rows=settings.default_limit_rows,
        max_retries=settings.max_retries,
        max_question_chars=settings.max_question_chars,
        model_total_timeout_s=settings.model_total_timeout_s,
    )
    policy = Policy(
        allow_union=settings.allow_union,
        max_rows=settings.max_rows,
        max_groups=settings.max_groups,
        default_limit_rows=settings.default_limit_rows,
        restricted_columns=sensitive_columns(vocabulary.model, database.dialect),
    )
    warnings = _excess_rights(database, policy, settings.role_check_timeout_s)
    runner = _runner(database, policy)
    built_in = built_in_model(settings, runner, vocabulary, policy)
    metrics = Metrics(lambda: database.load)
    store = SharedStore(lambda: open_store(settings))
    verified = verified_book(settings, store, database, vocabulary, policy, runner)
    agreement = KeptAgreement(
        store.get, database.url_shown, database.catalogue, settings.readers_min_percent, settings.readers_min_compared
    )
    llm = language_model(settings, built_in, verified, metrics, store)
    for note in inferred_notes(vocabulary.model):
        _log.warning("%s", note)
    chat = llm.chat if llm else None
    return Assistant(
        settings, database, vocabulary, llm or built_in, built_in, policy, limits, metrics, verified, agreement, store,
        chat, warnings,
    )  # fmt: skip


shared_assistant = SharedAssistant(lambda: open_assistant(read_settings()))


def default_assistant() -> Assistant:
    """The assistant that the environment describes, shared by all callers."""
    return shared_assistant.get()


def run_banking_assistant(user_query: str, verbose: bool = True) -> dict[str, Any]:
    """Answer with the default assistant, as `ai_engine.main.run_banking_assistant` documents; never raises."""
    try:
        services = default_assistant().services()
    except Exception as fault:  # noqa: BLE001 - the caller is promised a dictionary, whatever happens
        message = getattr(fault, "user_message", "The assistant could not be started.")
        return main.format_output(Answer(question=user_query, status="failed", model="", error=message))
    return main.run_banking_assistant(user_query, verbose, services=services)


def _excess_rights(database: Database, policy: Policy, timeout_s: float) -> tuple[str, ...]:
    """Look what a server's role may do beyond asking questions, and say it in the log as well."""
    try:
        found = excess_rights(database, policy.hidden_tables, policy.restricted_columns, timeout_s=timeout_s)
    except QueryFailed as fault:
        found = (f"the rights of the database role could not be read: {fault}",)
    for right in found:
        _log.warning("%s", right)
    return found


def _runner(database: Database, policy: Policy) -> QueryRunner:
    """What runs statements, kept from everything that the policy withholds."""
    hidden = hidden_columns(
        database.catalogue,
        allowed_tables=policy.allowed_tables,
        hidden_tables=policy.hidden_tables,
        restricted_columns=policy.restricted_columns,
    )
    return database.without(hidden)
