"""An assistant whose vocabulary has changed: published for all, or only tried; database, store and counts stay."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

from ai_engine.errors import AssistantError
from ai_engine.semantics.vocabulary import Vocabulary
from ai_engine.semantics.vocabulary_edits import Edit, composed
from backend.configuration.database_rights import runner_under
from backend.readers import built_in_model, language_model, verified_book
from backend.vocabulary.reading import open_vocabulary

if TYPE_CHECKING:
    from backend.service import Assistant

_log = logging.getLogger(__name__)


def in_force(assistant: Assistant) -> Assistant:
    """Return the assistant with the vocabulary that is published now, here or on another server."""
    return renewed(assistant) if assistant.changes.is_newer_than(assistant.vocabulary_version) else assistant


def renewed(assistant: Assistant) -> Assistant:
    """Return the assistant with the published vocabulary; as it was where that cannot be used, and the log says why."""
    try:
        number, edits = assistant.changes.in_force()
        vocabulary = open_vocabulary(assistant.settings, assistant.database, assistant.changes.model_with(edits))
        return replace(_speaking(assistant, vocabulary), vocabulary_version=number)
    except AssistantError as fault:
        _log.error("the published vocabulary cannot be used, the one before stays: %s", fault)
        return assistant


def trying(assistant: Assistant, edits: Iterable[Edit]) -> Assistant:
    """Return the assistant as it would be with a draft; no column is open in it that is closed now.

    Raises:
        AssistantError: the draft cannot be used.
    """
    kept = [edit for edit in composed(edits) if not edit.opens]
    model = assistant.changes.model_with(composed(assistant.changes.in_force()[1], kept))
    return _speaking(assistant, open_vocabulary(assistant.settings, assistant.database, model))


def _speaking(assistant: Assistant, vocabulary: Vocabulary) -> Assistant:
    settings, database, store = assistant.settings, assistant.database, assistant.store
    policy = replace(assistant.policy, restricted_columns=vocabulary.kept_back)
    runner = runner_under(database, policy, settings)
    built_in = built_in_model(settings, runner, vocabulary, policy)
    verified = verified_book(settings, store, assistant.kept_as, vocabulary, policy, runner)
    llm = language_model(settings, built_in, verified, assistant.metrics, store)
    return replace(
        assistant, vocabulary=vocabulary, model=llm or built_in, built_in=built_in, policy=policy, verified=verified,
        runner=runner, chat=llm.chat if llm else None,
    )  # fmt: skip
