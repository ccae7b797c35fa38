"""Rule for values by how often they occur: "decline reasons, most frequent first"."""

from __future__ import annotations

from ai_engine.built_in.knowledge import ref
from ai_engine.built_in.sketch import OrderWish, Walk
from ai_engine.semantics.intent import Condition, Measure
from ai_engine.semantics.words import words

_OFTEN = frozenset("common frequent frequently often popular used rarest".split())
_COUNTED_EACH = frozenset({"category", "flag", "name", "text"})


def tells_how_often(walk: Walk) -> bool:
    """Tell whether a direction sorts by the number of rows: "most common first"."""
    return not _OFTEN.isdisjoint(words(walk.text()))


def counts_each_value(walk: Walk, *, descending: bool) -> bool:
    """Count the rows of each value of the one field that was named; those without a value have none to count."""
    sketch, knows = walk.sketch, walk.knowledge
    if len(sketch.attributes) != 1 or len(sketch.things) > 1 or sketch.groups:
        return False
    named = sketch.attributes[0]
    rows = sketch.things[0].dataset if sketch.things else named.dataset
    own = rows == named.dataset or knows.is_parent(rows, named.dataset)
    if not own or knows.field(named).role not in _COUNTED_EACH:
        return False
    counted = Measure(aggregate="count", dataset=rows)
    sketch.attributes.clear()
    sketch.groups.append(named)
    sketch.measures.append(counted)
    sketch.filters.append(Condition(field=ref(named), operator="is not null"))
    sketch.orders.append(OrderWish(measure=counted, descending=descending))
    return True
