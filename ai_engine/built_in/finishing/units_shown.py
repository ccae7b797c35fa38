"""Amounts shown in lakhs or crores, where that is asked."""

from __future__ import annotations

from ai_engine.built_in.knowledge import Knowledge
from ai_engine.built_in.sketch import Sketch
from ai_engine.semantics.intent import Measure, Order

_NO_MONEY = {"count", "percent", "fraction", "days", "weeks", "months", "years"}


def counted_in(
    sketch: Sketch, knows: Knowledge, measures: list[Measure], orders: tuple[Order, ...]
) -> tuple[list[Measure], tuple[Order, ...]]:
    """Show amounts in lakhs or crores where that is asked; numbers of rows and percentages stay."""
    if sketch.shown_in is None:
        return measures, orders
    scaled = {
        measure: measure.model_copy(update={"shown_in": sketch.shown_in})
        for measure in measures
        if _is_amount(measure, knows)
    }
    if not scaled:
        sketch.unplaced.append("in which unit")
    return (
        [scaled.get(measure, measure) for measure in measures],
        tuple(
            order.model_copy(update={"measure": scaled.get(order.measure, order.measure)}) if order.measure else order
            for order in orders
        ),
    )


def _is_amount(measure: Measure, knows: Knowledge) -> bool:
    if measure.percent or measure.transform in {"share_of_total", "change_percent", "rank"}:
        return False
    if measure.metric is not None:
        return knows.model.metric(measure.metric).unit not in _NO_MONEY
    counted = measure.aggregate in {"count", "count_distinct"} or measure.field is None
    item = knows.field(measure.field) if measure.field is not None else None
    return not counted and item is not None and item.role == "measure" and item.unit not in _NO_MONEY
