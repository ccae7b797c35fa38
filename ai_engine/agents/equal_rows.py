"""Does the last row shown share its place with rows that are not?

A ranking fetches a few rows beyond its limit, in the same statement. The first of each group are numbered inside their
statement, which is therefore written a second time, so that it numbers a few more.
"""

from __future__ import annotations

from dataclasses import replace

from ai_engine.semantics.compiler import compile_intent
from ai_engine.semantics.compiler.places import FURTHER_PLACES
from ai_engine.semantics.intent import Intent
from ai_engine.semantics.vocabulary import Vocabulary
from ai_engine.types import Draft, FirstOfEach, QueryResult


def with_level_rows(draft: Draft, intent: Intent, vocabulary: Vocabulary) -> Draft:
    """Add what is to run where the first of each group are asked for; other statements stay as they are."""
    if not intent.limit_within or not intent.order or intent.limit is None or intent.with_ties or intent.over_groups:
        return draft
    dialect = vocabulary.catalogue.dialect
    looking = compile_intent(intent, vocabulary.model, dialect, vocabulary.as_of, level_too=True)
    return replace(draft, first_of_each=FirstOfEach(looking.sql, intent.skip + intent.limit, FURTHER_PLACES))


def said_of_equal_rows(intent: Intent | None, result: QueryResult) -> tuple[str, ...]:
    """Say how many rows are level with the last one shown; one sentence or none.

    Args:
        intent: the question, None where a model wrote the statement.
        result: the rows as asked for.
    """
    count, at_least = result.level_rows, result.more_level_rows
    if not count:
        return ()
    counted = f"{'At least ' if at_least else ''}{count} more {'row is' if count == 1 else 'rows are'}"
    if intent is not None and intent.limit_within:
        return (f"{counted} level with the last ones shown.",)
    said = f"{counted} level with the {'one' if result.row_count == 1 else 'last one'} shown"
    if intent is None or at_least:
        return (f"{said}.",)
    return (f"{said}; ask for the top {intent.skip + result.row_count + count} to see them too.",)
