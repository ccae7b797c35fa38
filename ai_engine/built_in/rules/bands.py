"""Rule for bands of a figure: "age group", "balance bucket of 1 lakh"."""

from __future__ import annotations

from decimal import Decimal

from ai_engine.built_in.knowledge import ref
from ai_engine.built_in.meanings import Attribute, Number
from ai_engine.built_in.rules.amounts import units_agree
from ai_engine.built_in.sketch import Walk
from ai_engine.semantics.model import Field

_OLDEST = 100
_MOST_EDGES = 10  # what lies above them is one band
_AGE_EDGES = tuple(map(Decimal, (18, 25, 35, 45, 60)))


def bands(walk: Walk) -> None:
    """ "age group", "balance bucket of 1 lakh", "5 year age bands": only years have bands that everybody agrees on."""
    before = walk.peek(-1)
    named = isinstance(before, Attribute) and walk.knowledge.field(before).role == "measure"
    width, taken = walk.band_width, 1
    if width is None and isinstance(said := walk.peek(1), Number):
        width, taken = said, 2
    walk.band_width = None
    edges = _edges(walk.knowledge.field(before), width) if isinstance(before, Attribute) and named else ()
    if not isinstance(before, Attribute) or not edges:
        walk.leave_over(taken)
        return
    if before in walk.sketch.attributes:
        walk.sketch.attributes.remove(before)
        walk.sketch.groups.append(before)
    walk.sketch.bands[ref(before)] = edges
    label = walk.knowledge.field(before).label
    walk.assume(f"{label.capitalize()} groups begin at {', '.join(map(str, edges))}.")
    walk.take(taken, "in bands")


def _edges(item: Field, width: Number | None) -> tuple[Decimal, ...]:
    """Where bands begin; none where nothing says how wide they are."""
    years = item.unit == "years"
    if width is None:
        return _AGE_EDGES if years else ()
    if width.value <= 1 or not units_agree(item, width):
        return ()
    most = int((_OLDEST - 1) / width.value) if years else _MOST_EDGES
    return tuple(width.value * step for step in range(1, most + 1))
