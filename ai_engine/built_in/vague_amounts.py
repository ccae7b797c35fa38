"""A bare "amount" where several tables keep one and nothing tells which is meant: it is asked back."""

from __future__ import annotations

from collections.abc import Sequence

from ai_engine.built_in.knowledge import Knowledge
from ai_engine.built_in.meanings import Attribute, dataset_of_meaning
from ai_engine.built_in.sketch import Item

_BARE = frozenset({"amount", "amounts", "value", "values"})


def rows_of_bare_amount(items: Sequence[Item], knowledge: Knowledge) -> str | None:
    """The rows whose figure a bare "amount" was taken for though nothing else speaks of them: "amount by branch"."""
    for place, item in enumerate(items):
        found = item.meaning
        if item.text.lower() not in _BARE or not isinstance(found, Attribute):
            continue
        others = {dataset_of_meaning(other.meaning) for at, other in enumerate(items) if at != place}
        if knowledge.field(found).role == "measure" and found.dataset not in others:
            return found.dataset
    return None
