"""Rules for fields that rows lack: "accounts without a nominee", "unpaid instalments", "statements never paid"."""

from __future__ import annotations

from ai_engine.built_in.knowledge import ref
from ai_engine.built_in.meanings import Attribute, Thing
from ai_engine.built_in.rules.properties import may_lack
from ai_engine.built_in.sketch import Walk
from ai_engine.semantics.intent import Condition, Membership


def rows_lack(walk: Walk, found: Attribute) -> bool:
    """ "accounts without a nominee", "number of undisbursed loans": rows of which the field is empty."""
    item, knows = walk.knowledge.field(found), walk.knowledge
    waits = walk.superlative is not None or walk.pending is not None
    of_rows = walk.peek(1) == Thing(found.dataset) or (walk.sketch.things and not waits)
    if not of_rows or knows.key(found.dataset) == ref(found) or not may_lack(walk, item):
        return False
    walk.use_negation()
    subject = walk.subject or found.dataset
    last = walk.sketch.filters[-1] if walk.open_membership else None
    inside = isinstance(last, Membership) and last.dataset == found.dataset and not last.negated
    if (
        inside
        or _is_spoken_of(walk, found.dataset)
        or found.dataset == subject
        or knows.is_parent(subject, found.dataset)
    ):
        walk.add_filter(Condition(field=ref(found), operator="is null"))
    elif item.role == "measure":
        walk.negated = True
        return False
    else:  # "statements never paid" have no payment, rather than one without a date
        walk.add_filter(Membership(dataset=found.dataset, negated=True))
    walk.take(1, f"no {item.label}")
    return True


def _is_spoken_of(walk: Walk, rows: str) -> bool:
    """ "the highest amount of unpaid instalments": it is said of the instalments themselves."""
    figures = [*walk.sketch.measures, *(wish.measure for wish in walk.sketch.orders if wish.measure is not None)]
    told = any(walk.knowledge.base(measure) == rows for measure in figures)
    follows = walk.peek(1) == Thing(rows) and not walk.items[walk.position + 1].apart  # not "never opened a bond"
    return told or follows or any(item.meaning == Thing(rows) for item in walk.items[: walk.position])
