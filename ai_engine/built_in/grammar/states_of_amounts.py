"""States that name an amount: the approved amount is that of approved limits, whatever was requested."""

from __future__ import annotations

from dataclasses import replace

from ai_engine.built_in.grammar.phrases import Rows
from ai_engine.semantics.intent import Condition, Filter
from ai_engine.semantics.words import words


def words_of_states(rows: Rows) -> frozenset[str]:
    """The words of the states that rows are in."""
    return frozenset(word for item in rows.filters for word in _said_of(item))


def without_states(rows: Rows, label: str) -> Rows:
    """Rows without the conditions that the label of an amount says itself."""
    kept = tuple(item for item in rows.filters if not (said := _said_of(item)) or not said <= set(words(label)))
    return replace(rows, filters=kept)


def _said_of(item: Filter) -> set[str]:
    if not isinstance(item, Condition) or item.operator != "=" or item.field.via:
        return set()
    return {word for value in item.values for word in words(str(value))}
