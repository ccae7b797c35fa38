"""Rules for a field of the newest or oldest row: "youngest customer's name", "latest loan status"."""

from __future__ import annotations

from ai_engine.built_in.meanings import Attribute, Thing
from ai_engine.built_in.rules.ranking import order_by, ranked_field
from ai_engine.built_in.sketch import Walk
from ai_engine.semantics.words import words


def shows_one_of_the_newest(walk: Walk, found: Attribute) -> bool:
    """ "youngest customer's name", "latest loan status": of no name is it said, but of the row whose name it is."""
    best, knows = walk.superlative, walk.knowledge
    item, dataset = knows.field(found), knows.dataset(found.dataset)
    listed = item.role == "identifier" and walk.is_cue(-1, "stop")
    if (
        best is None
        or best.kind not in {"old", "new"}
        or item.role == "time"
        or (item.role == "identifier" and not listed)
        or best.limit is not None
    ):
        return False
    ranked = ranked_field(knows, Thing(found.dataset), best)
    if (
        not set(words(dataset.label)[-1:]) & set(words(walk.text()))
        or ranked is None
        or listed
        or walk.pending is not None
    ):
        walk.superlative = None
        walk.sketch.unplaced.append(f"{best.text} {walk.text()}")
        walk.take(1)
        return True
    walk.assume(f"“{best.text} {dataset.label}” is ranked by {knows.field(ranked).label}.")
    walk.sketch.attributes.append(found)
    walk.sketch.asks_list = True
    walk.take(1, item.label)
    order_by(walk, field=ranked, one_row=True)
    return True
