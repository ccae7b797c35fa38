"""Amounts that nothing tells apart are asked back: a bare "amount" of several tables, "refunds" or their number."""

from __future__ import annotations

from collections.abc import Sequence

from ai_engine.built_in.knowledge import Knowledge
from ai_engine.built_in.meanings import Attribute, Cue, Figure, Stored, Thing, dataset_of_meaning
from ai_engine.built_in.sketch import Item
from ai_engine.semantics.intent import Intent

_BARE = frozenset({"amount", "amounts", "value", "values"})
_TRADE = frozenset({"sales", "purchases", "refunds"})
_SAYS_WHICH = frozenset({"aggregate", "amount", "superlative", "compare", "average", "share"})


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


def in_money(items: Sequence[Item], intent: Intent | None, knowledge: Knowledge) -> Intent | None:
    """ "Refunds by month", where rows were counted that nobody said to count: the same of their amounts."""
    if intent is None or len(intent.measures) != 1 or intent.measures[0].aggregate != "count" or intent.having:
        return None
    counted = intent.measures[0]
    said = [item.meaning for item in items]
    traded = [item.meaning for item in items if isinstance(item.meaning, Stored) and item.text.lower() in _TRADE]
    if len(traded) != 1 or traded[0].dataset != counted.dataset:
        return None
    if any(isinstance(found, Figure) or (isinstance(found, Cue) and found.kind in _SAYS_WHICH) for found in said):
        return None
    if any(isinstance(found, Thing) and found.dataset == counted.dataset for found in said):
        return None
    amount = knowledge.main_measure(counted.dataset, money_only=True)
    if amount is None:
        return None
    summed = counted.model_copy(update={"aggregate": "sum", "field": amount, "dataset": None})
    orders = tuple(
        item.model_copy(update={"measure": summed}) if item.measure == counted else item for item in intent.order
    )
    return intent.model_copy(update={"measures": (summed,), "order": orders})
