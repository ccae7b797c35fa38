"""Who reads questions: what people have checked, rules over the vocabulary, and the language model if there is one."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from ai_engine import guard
from ai_engine.agents.running import run_with_deadline
from ai_engine.built_in import BuiltInModel
from ai_engine.catalogue import Catalogue
from ai_engine.guard.policy import Policy
from ai_engine.ports import QueryRunner
from ai_engine.semantics.model import SemanticModel
from ai_engine.semantics.vocabulary import Vocabulary
from ai_engine.types import CheckedStatement, QueryResult
from ai_engine.verified import VerifiedAnswers
from backend.configuration.model_prices import read_prices
from backend.configuration.people import people_in
from backend.metrics import Metrics
from backend.recorded_replies import ReplyFile, read_replies
from backend.settings import Settings
from backend.store import SharedStore
from backend.store.model_spending import DailyAllowance
from backend.trust.verified_book import CHARS_PER_TOKEN, Permissions, VerifiedBook
from backend.values.search import DatabaseValueSearch
from backend.vocabulary.book import VocabularyBook

if TYPE_CHECKING:
    from ai_engine.llm.model import OpenAICompatibleModel


def verified_book(
    settings: Settings, store: SharedStore, kept_as: str, vocabulary: Vocabulary, policy: Policy,
    runner: QueryRunner,
) -> VerifiedBook:  # fmt: skip
    """What people have checked; its statements are guarded and run as any other."""

    def check(sql: str, ranked_by: int | None) -> CheckedStatement:
        return guard.check(sql, vocabulary.catalogue, policy, for_answer=True, ranked_by=ranked_by)

    def run(statement: CheckedStatement, stop: threading.Event) -> QueryResult:
        return run_with_deadline(runner, statement, settings.query_timeout_s, stop)

    permissions = Permissions(people_in(settings.verifiers), settings.verified_by_two, settings.verified_days)
    example_chars = settings.verified_max_tokens * CHARS_PER_TOKEN
    return VerifiedBook(store.get, kept_as, vocabulary, permissions, check, run, example_chars)


def vocabulary_book(
    settings: Settings, store: SharedStore, kept_as: str, catalogue: Catalogue, base: SemanticModel
) -> VocabularyBook:
    """What people change of the vocabulary."""
    return VocabularyBook(
        store.get, kept_as, base, catalogue, Permissions(people_in(settings.editors)),
        settings.max_drafts, settings.vocabulary_check_s, settings.cache_dir,
    )  # fmt: skip


def built_in_model(settings: Settings, runner: QueryRunner, vocabulary: Vocabulary, policy: Policy) -> BuiltInModel:
    """The rules, which have learnt the vocabulary and look in the data for what they have not."""
    search = DatabaseValueSearch(runner, policy, settings.value_search_timeout_s, settings.max_searched_columns)
    built_in = BuiltInModel(search, settings.rules_max_words)
    built_in.prepare(vocabulary)
    return built_in


def language_model(
    settings: Settings, built_in: BuiltInModel, verified: VerifiedAnswers, metrics: Metrics, store: SharedStore
) -> OpenAICompatibleModel | None:
    """The language model when a key, an address or recorded replies are given."""
    if settings.openai_api_key is None and settings.openai_base_url is None and settings.replay_file is None:
        return None
    from ai_engine.llm.config import DEFAULT_BASE_URL, LlmConfig
    from ai_engine.llm.model import OpenAICompatibleModel
    from ai_engine.llm.recorded import ReplayedModel

    replayed = ReplayedModel(read_replies(settings.replay_file)) if settings.replay_file else None
    recording = {"on_reply": ReplyFile(settings.record_file).add} if settings.record_file else {}
    key, most = settings.openai_api_key, settings.model_max_tokens_per_day
    return OpenAICompatibleModel(
        LlmConfig(
            api_key=key.get_secret_value() if key else "",
            base_url=settings.openai_base_url or DEFAULT_BASE_URL,
            model=settings.model,
            timeout_s=settings.model_timeout_s,
            max_reply_kb=settings.model_max_reply_kb,
            shown_rows=settings.model_max_rows,
            send_rows=settings.send_rows,
            strict_schema=settings.model_strict_schema,
            strong_model=settings.strong_model or "",
            prices_usd=read_prices(settings.model_prices_usd),
        ),
        built_in,
        metrics.count_tokens,
        verified,
        replayed,
        allowance=DailyAllowance(store.get, most) if most else None,
        **recording,
    )
