"""How a fragment shapes the answer: groups, shares and changes, order and limit, rows instead of figures."""

from __future__ import annotations

from ai_engine.built_in.follow_up.figures import (
    base_of_intent,
    field_behind,
)
from ai_engine.built_in.follow_up.step import REPLACED_BONUS, Merge, dimensions_of, list_rows, same_field
from ai_engine.built_in.meanings import Step
from ai_engine.built_in.sketch import OrderWish
from ai_engine.semantics.intent import FieldRef, Measure, Order


def change_groups(step: Merge) -> None:
    """Group by something else, or by one thing more; a list grouped becomes a count."""
    groups = step.sketch.groups
    if not groups:
        return
    measures = step.intent.measures
    base = base_of_intent(step.intent, step.knowledge)
    if not measures and base is not None:
        measures = (Measure(aggregate="count", dataset=base),)
        subject = None if step.intent.subject == base else step.intent.subject
        step.put(measures=measures, columns=(), order=(), limit=None, distinct=False, subject=subject)
    counted_by = step.intent.period.field if step.intent.period else None
    new = dimensions_of(step, groups, measures, counted_by)
    if not new:
        step.left.append("grouping")
        return
    fields = [dimension.field for dimension in new]
    same = any(same_field(dimension.field, fields) for dimension in step.intent.dimensions)
    kept = tuple(d for d in step.intent.dimensions if not same_field(d.field, fields))
    if not (step.said.has("add", "deeper") or same or (step.said.has("pronoun") and step.described)):
        kept = ()
    has_steps = any(isinstance(group, Step) for group in groups)
    orders = tuple(order for order in step.intent.order if order.measure is not None and not has_steps)
    step.put(
        dimensions=(*kept, *new),
        order=orders,
        limit=None if has_steps or (kept and not step.described) else step.intent.limit,
        limit_within=(),
        fill_gaps=has_steps or (bool(kept) and step.intent.fill_gaps),
    )
    step.changed = True


def transform(step: Merge) -> None:
    """Show the figures as shares, changes or running totals."""
    sketch, intent = step.sketch, step.intent
    if sketch.share:
        step.fragment.walk.pending = None
        _share(step)
    elif sketch.transform is not None:
        measures = tuple(m.model_copy(update={"transform": sketch.transform}) for m in intent.measures)
        if not measures:
            step.left.append("change")
        step.put(measures=measures)
    elif sketch.ratio:
        step.left.append("ratio")


def _share(step: Merge) -> None:
    """ "as a percentage": of the groups' total, or of the rows without the last condition."""
    intent = step.intent
    if intent.measures and intent.dimensions:
        shares = tuple(m.model_copy(update={"transform": "share_of_total"}) for m in intent.measures)
        step.put(measures=shares)
    elif len(intent.measures) == 1 and intent.filters:
        *common, last = intent.filters
        whole = intent.measures[0]
        part = whole.model_copy(update={"filters": (last,), "denominator": whole, "percent": True})
        step.put(measures=(part,), filters=tuple(common))
    else:
        step.left.append("share of what")


def change_order_and_limit(step: Merge) -> None:
    """Sort, turn the order round, or keep the first few."""
    sketch, intent, best = step.sketch, step.intent, step.fragment.walk.superlative
    if best is not None:
        main = None if intent.measures else _main_figure(step)
        if not intent.measures and main is None:
            step.left.append(best.text)
            return
        first = intent.measures[0] if intent.measures else None
        step.put(order=(Order(measure=first, field=main, descending=best.descending),), limit=best.limit or 1)
        return
    orders = tuple(order for wish in sketch.orders if (order := _order(step, wish)))
    if orders:
        step.put(order=orders)
        step.changed = True
    if sketch.limit is not None:
        _limit(step)
    direction = step.fragment.descending
    if direction is None and step.said.has("reverse") and intent.order:
        direction = not intent.order[0].descending
    if direction is not None:
        _turn(step, descending=direction)


def _main_figure(step: Merge) -> FieldRef | None:
    base = base_of_intent(step.intent, step.knowledge)
    return step.knowledge.main_measure(base) if base else None


def _order(step: Merge, wish: OrderWish) -> Order | None:
    intent, knows = step.intent, step.knowledge
    if wish.measure is not None:
        return Order(measure=wish.measure, descending=wish.descending)
    assert wish.field is not None  # noqa: S101 - a wish has one of the two
    shown = [d.field for d in intent.dimensions] + list(intent.columns)
    for place in shown:
        if same_field(place, [wish.field]):
            step.cost -= REPLACED_BONUS
            return Order(field=place, descending=wish.descending)
    if not intent.measures:
        return Order(field=wish.field, descending=wish.descending)
    for measure in intent.measures:
        if field_behind(measure, knows) == wish.field:
            step.cost -= REPLACED_BONUS
            return Order(measure=measure, descending=wish.descending)
    if knows.field(wish.field).role == "measure":
        aggregate = knows.field(wish.field).default_aggregate or "sum"
        return Order(measure=Measure(aggregate=aggregate, field=wish.field), descending=wish.descending)
    step.left.append(f"sorted by {knows.field(wish.field).label}")
    return None


def _limit(step: Merge) -> None:
    sketch, intent = step.sketch, step.intent
    descending = sketch.limit_descending is not False
    if intent.order and descending:
        orders = intent.order  # "top 5" of what is shown, as it is sorted
    elif intent.order:
        orders = tuple(order.model_copy(update={"descending": not order.descending}) for order in intent.order)
    elif intent.measures:
        orders = (Order(measure=intent.measures[0], descending=descending),)
    else:
        main = _main_figure(step)
        orders = (Order(field=main, descending=descending),) if main else ()
        if main:
            step.notes.append(f"“top” is by {step.knowledge.field(main).label}.")
    if intent.measures and not intent.dimensions:
        step.left.append(f"top {sketch.limit}")
        return
    step.put(order=orders, limit=sketch.limit, fill_gaps=False)
    step.changed = True


def _turn(step: Merge, *, descending: bool) -> None:
    intent = step.intent
    if intent.order:
        step.put(order=tuple(order.model_copy(update={"descending": descending}) for order in intent.order))
    elif intent.measures and intent.dimensions:
        step.put(order=(Order(measure=intent.measures[0], descending=descending),))
    else:
        main = _main_figure(step)
        if intent.measures or main is None:
            step.left.append("order")
            return
        step.put(order=(Order(field=main, descending=descending),))
    step.changed = True


def show_rows(step: Merge) -> None:
    """ "show me the list", "who are they": the rows behind a figure."""
    sketch = step.sketch
    other = sketch.groups or sketch.measures or sketch.share or sketch.transform or sketch.limit or sketch.orders
    bare = sketch.asks_list and not step.changed
    if other or not (bare or step.said.has("rows")):
        return
    base = base_of_intent(step.intent, step.knowledge)
    if base is not None and step.intent.measures:
        list_rows(step, base)
    step.changed |= base is not None
