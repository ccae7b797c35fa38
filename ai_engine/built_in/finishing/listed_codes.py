"""Lists of what the codes of a column are called: "which policy types are there" lists them all, used or not."""

from __future__ import annotations

from dataclasses import replace

from ai_engine.built_in.knowledge import Knowledge
from ai_engine.built_in.meanings import Thing
from ai_engine.built_in.shared_codes import KindOfCode
from ai_engine.built_in.sketch import Sketch
from ai_engine.semantics.intent import Condition, FieldRef


def list_codes_of_kind(sketch: Sketch, knows: Knowledge) -> None:
    """Take the codes themselves where nothing is said of rows that have them; else those that the rows have."""
    kind = _only_kind(sketch, knows)
    if kind is None:
        return
    told = sketch.filters or sketch.period is not None
    if told or any(thing.dataset != kind.table for thing in sketch.things):
        sketch.things = sketch.things or [Thing(kind.link.from_dataset)]
        return
    sketch.attributes = [replace(item, via=()) if item.dataset == kind.table else item for item in sketch.attributes]
    sketch.attributes = list(dict.fromkeys(sketch.attributes))
    place = FieldRef(dataset=kind.table, field=kind.group)
    sketch.filters.append(Condition(field=place, operator="=", values=(kind.name,)))


def _only_kind(sketch: Sketch, knows: Knowledge) -> KindOfCode | None:
    """The kind of code by which every column of a list is found, None where figures or other columns are asked."""
    if sketch.measures or sketch.groups or sketch.orders or not sketch.attributes:
        return None
    kinds = [kind for kind in knows.lexicon.kinds_of_codes if kind.called in sketch.attributes]
    columns = {item.dataset for item in sketch.attributes}
    return kinds[0] if len(kinds) == 1 and columns == {kinds[0].table} else None
