"""Connects the parts of one database to an assistant, and keeps those that all callers of this process share."""

from __future__ import annotations

import logging
from typing import Any

from ai_engine import main
from ai_engine.guard.policy import Policy
from ai_engine.model_use import LOCAL, begin_asking
from ai_engine.semantics.infer.doubts import with_answers, with_doubtful_kept_back
from ai_engine.semantics.inferred_notes import inferred_notes
from ai_engine.semantics.model import SemanticModel
from ai_engine.types import Answer, Limits
from backend.configuration.database_limits import database_limits
from backend.configuration.database_rights import runner_under, told_excess_rights, told_left_out
from backend.databases import open_database
from backend.metrics import Metrics
from backend.readers import built_in_model, language_model, verified_book, vocabulary_book
from backend.renewal import in_force
from backend.service import Assistant
from backend.settings import Settings, read_settings
from backend.sources.source import kept_as, name_of
from backend.sources.sources import Sources
from backend.store import SharedStore, open_store
from backend.store.agreement import KeptAgreement
from backend.store.column_answers import kept_answers
from backend.trust.audit import Audit
from backend.vocabulary.reading import Progress, as_set, open_vocabulary, semantic_model, unheard
from backend.vocabulary.teaching import UnknownWords

_log = logging.getLogger(__name__)


def open_assistant(settings: Settings, told: Progress = unheard, source: str = "") -> Assistant:
    """Connect the parts for one database.

    Args:
        settings: its address and vocabulary are those of the source.
        told: hears what is done meanwhile.
        source: what it is called by; empty for the database of the settings itself.

    Raises:
        BadConfiguration: a wrong URL, a missing file, a vocabulary that does not fit; says what to do.
        DatabaseUnavailable: the server does not answer.
    """
    told("Connecting")
    database = open_database(settings.database_url, database_limits(settings))
    store = SharedStore(lambda: open_store(settings))
    key = kept_as(source or name_of(settings.database_url), database.identity)
    try:
        told(f"Reading {len(database.catalogue.tables):,} tables")
        base = as_set(_with_answers(semantic_model(settings, database), store, key), settings)
        changes = vocabulary_book(settings, store, key, database.catalogue, base)
        version, edits = changes.in_force()
        vocabulary = open_vocabulary(settings, database, changes.model_with(edits), told)
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
        restricted_columns=vocabulary.kept_back,
    )
    warnings = told_excess_rights(database, policy, settings.role_check_timeout_s)
    warnings += told_left_out(database.catalogue, policy)
    runner = runner_under(database, policy, settings)
    built_in = built_in_model(settings, runner, vocabulary, policy)
    metrics = Metrics(lambda: database.load)
    verified = verified_book(settings, store, key, vocabulary, policy, runner)
    agreement = KeptAgreement(
        store.get, key, database.catalogue, settings.readers_min_percent, settings.readers_min_compared
    )
    audit = Audit(store.get, settings.audit_days, settings.audit_max_waiting, is_on=settings.audit)
    unknown_words = UnknownWords(store.get, key, settings.max_unknown_words)
    llm = language_model(settings, built_in, verified, metrics, store)
    for note in inferred_notes(vocabulary.model):
        _log.warning("%s", note)
    chat = llm.chat if llm else None
    return Assistant(
        settings, database, vocabulary, llm or built_in, built_in, policy, limits, metrics, verified, agreement,
        runner, store, audit, changes, unknown_words, key, chat, warnings, vocabulary_version=version,
    )  # fmt: skip


def _with_answers(model: SemanticModel, store: SharedStore, key: str) -> SemanticModel:
    """Put what people have said of columns into a vocabulary that was inferred; what a file says stands."""
    if not model.inferred:
        return model
    answers = kept_answers(store.get, key)
    return with_answers(model, answers) if answers is not None else with_doubtful_kept_back(model)


shared_sources = Sources(read_settings, open_assistant, in_force)
"""Those that the environment describes."""


def default_assistant(source: str | None = None, who: str = LOCAL) -> Assistant:
    """The assistant of a data source, shared by all callers; of the environment's database without a name.

    Raises:
        UnknownSource: there is none of that name for this person.
        AssistantError: it cannot be opened.
    """
    return shared_sources.assistant(source, who)


def run_banking_assistant(user_query: str, verbose: bool = True) -> dict[str, Any]:
    """Answer with the default assistant, as `ai_engine.main.run_banking_assistant` documents; never raises."""
    begin_asking(LOCAL, [user_query])
    try:
        services = default_assistant().services()
    except Exception as fault:  # noqa: BLE001 - the caller is promised a dictionary, whatever happens
        message = getattr(fault, "user_message", "The assistant could not be started.")
        return main.format_output(Answer(question=user_query, status="failed", model="", error=message))
    return main.run_banking_assistant(user_query, verbose, services=services)
