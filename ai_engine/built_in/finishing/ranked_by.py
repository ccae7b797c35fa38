"""What the answer is ordered by: by which figure over its many rows a thing is ranked."""

from __future__ import annotations

from collections.abc import Sequence

from ai_engine.built_in.knowledge import Knowledge
from ai_engine.built_in.sketch import OrderWish, Sketch
from ai_engine.semantics.intent import FieldRef, Measure, Order


def orders_of(
    sketch: Sketch, knows: Knowledge, plain: Sequence[Measure], measures: Sequence[Measure], shown: set[FieldRef]
) -> tuple[Order, ...]:
    """Return the orders that were wished for, or that of the first few.

    Args:
        sketch: what was gathered.
        knows: the vocabulary.
        plain: the figures as they were before they were set in relation to others.
        measures: the same as they are shown: what is ranked by the one is ranked by the other.
        shown: the fields that are grouped by.
    """
    changed = sketch.transform in {"change", "change_percent"}
    if changed and sketch.ranked_by_change is not None:
        return (Order(measure=measures[0], descending=sketch.ranked_by_change),)
    shares = dict(zip(plain, measures, strict=False)) if sketch.share and len(plain) == len(measures) else {}
    orders = tuple(_order(wish, knows, measures, shown) for wish in sketch.orders)
    if sketch.limit is not None and not orders:
        figure = plain[0] if changed and sketch.compare is not None else measures[0]
        return (Order(measure=figure, descending=sketch.limit_descending is not False),)
    return tuple(
        order.model_copy(update={"measure": shares[order.measure]}) if order.measure in shares else order
        for order in orders
    )


def _order(wish: OrderWish, knows: Knowledge, measures: Sequence[Measure], shown: set[FieldRef]) -> Order:
    if wish.measure is not None:
        return Order(measure=wish.measure, descending=wish.descending)
    assert wish.field is not None  # noqa: S101 - a wish has one of the two
    for measure in measures:
        if measure.field == wish.field:
            return Order(measure=measure, descending=wish.descending)
    if knows.field(wish.field).role == "measure":
        return Order(measure=ranking_figure(wish, knows), descending=wish.descending)
    if wish.field not in shown:
        edge = Measure(aggregate="max" if wish.descending else "min", field=wish.field)
        return Order(measure=edge, descending=wish.descending)
    return Order(field=wish.field, descending=wish.descending)


def ranking_figure(wish: OrderWish, knows: Knowledge) -> Measure:
    """The extreme where a single row or a date is meant, else the figure's own aggregate: a total, a mean."""
    assert wish.field is not None  # noqa: S101 - wishes for measures have theirs
    item = knows.field(wish.field)
    if wish.one_row or item.role == "time":
        return Measure(aggregate="max" if wish.descending else "min", field=wish.field)
    return Measure(aggregate=item.default_aggregate or "sum", field=wish.field)
