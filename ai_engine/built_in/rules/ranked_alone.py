"""A superlative without a noun ranks what is asked about: "which loan is the largest, and what is its rate"."""

from __future__ import annotations

from ai_engine.built_in.knowledge import Knowledge
from ai_engine.built_in.rules.ranking import is_judgement, order_by, ranked_field
from ai_engine.built_in.sketch import Superlative, Walk
from ai_engine.semantics.intent import FieldRef


def rank_what_is_asked_about(walk: Walk) -> None:
    """Rank the things named before by their main figure or day; what cannot be ranked so is not understood."""
    best = walk.superlative
    if best is None:
        return
    ranked = _ranked(walk, best, walk.knowledge)
    if ranked is None:
        walk.sketch.unplaced.append(best.text)
        walk.superlative = None
        return
    thing = walk.sketch.things[0]
    label = walk.knowledge.dataset(thing.dataset).label
    walk.assume(f"“{best.text} {label}” is ranked by {walk.knowledge.field(ranked).label}.")
    walk.sketch.listed_first = thing
    order_by(walk, field=ranked, one_row=True)


def _ranked(walk: Walk, best: Superlative, knows: Knowledge) -> FieldRef | None:
    sketch = walk.sketch
    named = not sketch.asks_what or sketch.measures or sketch.attributes or sketch.groups or walk.pending
    if named or len(sketch.things) != 1 or best.kind in {"many", "few"} or is_judgement(best):
        return None
    thing = sketch.things[0]
    spoken_of = thing.dataset == knows.people or any(item.meaning == thing for item in walk.items)
    return ranked_field(knows, thing, best) if spoken_of else None  # a channel called "branch" is no branch
