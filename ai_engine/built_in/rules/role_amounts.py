"""By what those are ranked who play a role: "the biggest borrower" has the largest loans, whatever else is known."""

from __future__ import annotations

from ai_engine.built_in.meanings import Thing
from ai_engine.built_in.rules.ranking import order_by, ranking_follows
from ai_engine.built_in.sketch import Walk
from ai_engine.semantics.intent import Measure


def ranks_a_role(walk: Walk, found: Thing) -> bool:
    """Rank them by the amount of the rows in which they play it."""
    best, knows = walk.superlative, walk.knowledge
    if best is None or best.kind not in {"high", "low"} or len(found.via) != 1 or walk.pending or ranking_follows(walk):
        return False
    amount = knows.main_measure(knows.model.relationship(found.via[0]).from_dataset, money_only=True)
    if amount is None:
        return False
    label = knows.field(amount).label
    walk.assume(f"“{best.text} {walk.text().lower()}” is ranked by total {label}.")
    walk.take(1, f"ranked by {label}")
    walk.sketch.groups.append(found)
    order_by(walk, measure=Measure(aggregate="sum", field=amount))
    return True
