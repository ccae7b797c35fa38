"""The figure that is meant where none was said: how many of what there are."""

from __future__ import annotations

from collections.abc import Sequence

from ai_engine.built_in.finishing.ranked_by import ranking_figure
from ai_engine.built_in.knowledge import Knowledge
from ai_engine.built_in.meanings import Attribute, Thing
from ai_engine.built_in.sketch import Sketch
from ai_engine.semantics.intent import Condition, Measure


def default_measures(sketch: Sketch, knows: Knowledge) -> list[Measure]:
    """A grouping without a figure counts the things."""
    thing = next(iter(sketch.things), None)
    ranked = [wish for wish in sketch.orders if wish.field is not None]
    if ranked and ranked[0].field is not None and knows.field(ranked[0].field).role == "measure":
        return [ranking_figure(ranked[0], knows)]
    if thing is not None:
        return [Measure(aggregate="count", dataset=thing.dataset)]
    dated = sketch.period_field or sketch.counted_by
    if dated is not None:
        return [Measure(aggregate="count", dataset=dated.dataset)]
    grouped = [item for item in (*sketch.attributes, *sketch.groups) if isinstance(item, Attribute | Thing)]
    group = next((item for item in grouped if _has_all(item, grouped, knows)), None) or next(iter(grouped), None)
    said = [item.field.dataset for item in sketch.filters if isinstance(item, Condition) and not item.field.via]
    rows = next((name for name in said if group is not None and knows.is_parent(name, group.dataset)), None)
    if rows is not None:
        return [Measure(aggregate="count", dataset=rows)]  # "cashiers by zone" counts the staff, not the offices
    return [Measure(aggregate="count", dataset=group.dataset)] if group else []


def _has_all(one: Attribute | Thing, others: Sequence[Attribute | Thing], knows: Knowledge) -> bool:
    """ "loan status by branch" is of the loans, which have both."""
    return all(one.dataset == other.dataset or knows.is_parent(one.dataset, other.dataset) for other in others)
