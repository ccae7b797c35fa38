"""Beside the fourth step: what may be asked in place of a question that would read too much."""

from __future__ import annotations

import time
from collections.abc import Iterator
from itertools import islice

from ai_engine import guard
from ai_engine.agents.running import expected_of
from ai_engine.errors import AssistantError, IntentNotCovered, QueryStopped, ScanTooLarge, SqlRejected
from ai_engine.ports import Services
from ai_engine.semantics.compiler import compile_intent
from ai_engine.semantics.edits.naming import question_of
from ai_engine.semantics.edits.narrower import narrower, parting_columns
from ai_engine.semantics.intent import Intent
from ai_engine.semantics.wording import enumerated
from ai_engine.state import BankingAssistantState

MOST = 3
_MOST_TRIED = 8
_PATIENCE_S = 5.0
_BYTES_PER_GB = 1_000_000_000


def with_narrower_questions(refusal: ScanTooLarge, state: BankingAssistantState, services: Services) -> ScanTooLarge:
    """Return the refusal with questions that ask for less and may be asked.

    Raises:
        QueryStopped: nobody wants it any more.
    """
    interpretation = state["interpreted_intent"]
    intent = interpretation.intent if interpretation is not None else None
    if intent is None:
        return refusal
    questions = tuple(islice(_questions(intent, refusal, services), MOST))
    return ScanTooLarge(refusal.expected, refusal.max_gb, _advice(intent, services), questions)


def _questions(intent: Intent, refusal: ScanTooLarge, services: Services) -> Iterator[str]:
    """Yield questions that, read as they stand, come to a statement that the database expects to read little enough."""
    began = time.monotonic()
    for narrow in islice(narrower(intent, services.vocabulary), _MOST_TRIED):
        if time.monotonic() - began > _PATIENCE_S:
            return
        question = question_of(narrow.intent, services.vocabulary)
        read = _as_read(question, services)
        if read is None or read == intent:
            continue
        expected = _expected_bytes(read, services)
        if expected is not None and expected <= refusal.max_gb * _BYTES_PER_GB:
            yield question


def _as_read(question: str, services: Services) -> Intent | None:
    """Read a question as it will be when it is clicked; by rule, as a language model is not asked for suggestions."""
    reader = services.rules or services.model
    try:
        reading = reader.interpret(question, (), services.vocabulary, stop=services.stop)
    except QueryStopped:
        raise
    except AssistantError:
        return None
    return reading.intent if reading.outcome == "query" else None


def _expected_bytes(intent: Intent, services: Services) -> int | None:
    vocabulary = services.vocabulary
    try:
        draft = compile_intent(intent, vocabulary.model, vocabulary.catalogue.dialect, vocabulary.as_of)
        statement = guard.check(draft.sql, vocabulary.catalogue, services.policy, ranked_by=draft.ranked_by)
    except (IntentNotCovered, SqlRejected):
        return None
    return expected_of(statement.run_sql, services).bytes


def _advice(intent: Intent, services: Services) -> str:
    """Say what would read less: the database leaves out parts that a question does not ask for."""
    model = services.vocabulary.model
    parted = [model.dataset(ref.dataset).field(ref.field).label for ref in parting_columns(intent, services.vocabulary)]
    by_parts = f" The data is kept apart by {enumerated(parted)}: asking for less of that reads less." if parted else ""
    return f"Ask for a shorter period, or for fewer details.{by_parts}"
