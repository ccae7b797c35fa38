"""Three questions that follow from an answer: its breakdown, the comparison with before, the first of a ranking."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from ai_engine.semantics.edits.edit import Edit, compiles, offered
from ai_engine.semantics.edits.groupings import breakdowns
from ai_engine.semantics.edits.periods import compared_with_before, last_months
from ai_engine.semantics.edits.rankings import ranked
from ai_engine.semantics.intent import Intent
from ai_engine.semantics.vocabulary import Vocabulary

MOST = 3
_MOST_GROUPINGS = 2


def next_questions(intent: Intent, vocabulary: Vocabulary, *, rows: int | None = None) -> tuple[Edit, ...]:
    """Return up to three questions that fit an answer, each of which can be compiled.

    Args:
        intent: the question that was answered.
        vocabulary: of the same database.
        rows: how many rows the answer has; few groups are not ranked.
    """
    if not intent.measures or intent.over_groups or not compiles(intent, vocabulary):
        return ()
    return tuple(islice(offered(_fitting(intent, vocabulary, rows), intent, vocabulary), MOST))


def _fitting(intent: Intent, vocabulary: Vocabulary, rows: int | None) -> Iterator[Edit]:
    beside = compared_with_before(intent, vocabulary)
    first = ranked(intent, vocabulary) if rows is None or rows > MOST + _MOST_GROUPINGS else None
    along_time = any(item.field.grain is not None for item in intent.dimensions)
    further = breakdowns(intent, vocabulary) if len(intent.dimensions) <= _MOST_GROUPINGS else iter(())
    if first is not None and not along_time:
        yield first
    if beside is not None:
        yield beside
    yield from further
    yield from last_months(intent, vocabulary)
