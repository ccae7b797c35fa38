"""How many rows of which end: the limit, the order, and the first of each group."""

from __future__ import annotations

from collections.abc import Iterator

from ai_engine.semantics.edits.edit import Chip, Edit, changed, chip_of, edit, offered
from ai_engine.semantics.edits.numbers import numbers
from ai_engine.semantics.intent import Intent, Order
from ai_engine.semantics.scope_words import scope_of
from ai_engine.semantics.vocabulary import Vocabulary
from ai_engine.semantics.wording import Words

_COUNTS = (1, 3, 5, 10, 20)
RANKED = 5


def ranking_chips(intent: Intent, vocabulary: Vocabulary) -> Iterator[Chip]:
    """Yield the chip of a ranking, or of a plain order."""
    if intent.over_groups or (intent.limit is None and not intent.order):
        return
    if intent.limit is None:
        said = Words(vocabulary.model, spoken=True).order(intent.order[0])
        removal = edit("Leave out", "In any order", changed(intent, order=()), vocabulary)
        yield chip_of(said, removal, lambda: [_turned(intent, vocabulary)], intent, vocabulary)
        return
    everything = changed(intent, limit=None, skip=0, limit_within=(), with_ties=False)
    removal = edit("Show all", "All of them", everything, vocabulary)
    few = numbers((intent.limit,), lambda given: _first(intent, int(given[0]), vocabulary), intent, vocabulary,
                  whole=True, least=1)  # fmt: skip
    yield chip_of(_said(intent, vocabulary), removal, lambda: _otherwise(intent, vocabulary), intent, vocabulary, few)


def ranked(intent: Intent, vocabulary: Vocabulary) -> Edit | None:
    """Return the first few groups by the first figure, None where there is nothing to rank."""
    if not intent.dimensions or not intent.measures or intent.over_groups or intent.limit is not None:
        return None
    order = (Order(measure=intent.measures[0], descending=True),)
    return next(offered([_first(changed(intent, order=order), RANKED, vocabulary)], intent, vocabulary), None)


def _otherwise(intent: Intent, vocabulary: Vocabulary) -> Iterator[Edit]:
    for count in _COUNTS:
        yield _first(intent, count, vocabulary)
    if intent.order:
        yield _turned(intent, vocabulary)


def _first(intent: Intent, count: int, vocabulary: Vocabulary) -> Edit:
    few = changed(intent, limit=count, skip=0)
    said = _said(few, vocabulary)
    return edit(said, said, few, vocabulary)


def _turned(intent: Intent, vocabulary: Vocabulary) -> Edit:
    first, *rest = intent.order
    order = (first.model_copy(update={"descending": not first.descending}), *rest)
    turned = changed(intent, order=order, skip=0)
    said = _said(turned, vocabulary) if intent.limit else Words(vocabulary.model, spoken=True).order(order[0])
    said = said[:1].upper() + said[1:]
    return edit(said, said, turned, vocabulary)


def _said(intent: Intent, vocabulary: Vocabulary) -> str:
    said = scope_of(intent, vocabulary.model).rank or f"first {intent.limit}"
    return said[:1].upper() + said[1:]
