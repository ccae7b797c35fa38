"""What "most" counts where money is dealt with: "charged the most fees, with the amount"."""

from __future__ import annotations

from collections.abc import Sequence

from ai_engine.built_in.meanings import Cue
from ai_engine.built_in.sketch import Walk
from ai_engine.semantics.intent import Measure

_AMOUNTS = frozenset({"amount", "amounts"})
_PAYING = frozenset("pay pays paid earn earned incur incurred charge charged receive received".split())


def rank_by_the_amount(walk: Walk, measures: Sequence[Measure]) -> None:
    """Rank by the amount that is shown of what was charged or paid; who merely has most rows has their number."""
    sketch, knows = walk.sketch, walk.knowledge
    shown = measures[0].field if len(measures) == 1 and measures[0].aggregate == "sum" else None
    wish = sketch.orders[0] if len(sketch.orders) == 1 else None
    if shown is None or wish is None or wish.measure != Measure(aggregate="count", dataset=shown.dataset):
        return
    label = knows.field(shown).label
    said = {text.lower() for text, meaning in sketch.meanings if meaning == label}
    counts = any(meaning in {"count", "sum"} for _, meaning in sketch.meanings)
    if said and said <= _AMOUNTS and not counts and _is_dealt(walk):
        wish.measure = measures[0]
        walk.assume(f"“most” is by the {label} that is shown.")


def _is_dealt(walk: Walk) -> bool:
    """A verb of paying stands before the superlative; "were charged" leaves nothing of itself but its pronoun."""
    for before, item in zip(walk.items, walk.items[1:], strict=False):
        best, verb = item.meaning, before.meaning
        if isinstance(best, Cue) and best.kind == "superlative" and "number" not in item.text.lower():
            told = isinstance(verb, Cue) and verb.kind in {"who", "relative"}
            return told or before.text.lower() in _PAYING
    return False
