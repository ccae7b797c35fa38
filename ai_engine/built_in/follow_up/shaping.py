"""How a fragment shapes the answer: groups, shares and changes, order and limit, rows instead of figures."""

from __future__ import annotations

from ai_engine.built_in.follow_up.figures import (
    aggregate_of,
    base_of_intent,
    field_behind,
    unfolded,
)
from ai_engine.built_in.follow_up.moving import move, through
from ai_engine.built_in.follow_up.step import REPLACED_BONUS, Merge, dimensions_of, list_rows, same_field
from ai_engine.built_in.meanings import Attribute, Step
from ai_engine.built_in.rules.ranking import is_judgement
from ai_engine.built_in.sketch import OrderWish
from ai_engine.semantics.intent import Condition, Dimension, FieldRef, Measure, Order


def change_groups(step: Merge) -> None:
    """Group by something else, or by one thing more; a list grouped becomes a count."""
    groups = [*step.sketch.groups, *_sides(step)]
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
    if step.described and step.said.has("pronoun"):
        new = _of_those_shown(step, new)
    fields = [dimension.field for dimension in new]
    same = any(same_field(dimension.field, fields) for dimension in step.intent.dimensions)
    kept = tuple(d for d in step.intent.dimensions if not same_field(d.field, fields))
    if not (step.said.has("add", "deeper") or step.beside or same or (step.said.has("pronoun") and step.described)):
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


def _of_those_shown(step: Merge, new: tuple[Dimension, ...]) -> tuple[Dimension, ...]:
    """ "show their city too": that of the customers who are shown, whatever city their accounts are in."""
    knows, base = step.knowledge, base_of_intent(step.intent, step.knowledge)
    shown = {item.field.dataset for item in step.intent.dimensions if item.field == knows.key(item.field.dataset)}
    if len(shown) != 1 or base is None:
        return new
    owner = shown.pop()
    return tuple(
        item.model_copy(update={"field": through(owner, item.field, base, knows)})
        if knows.is_parent(owner, item.field.dataset)
        else item
        for item in new
    )


def _sides(step: Merge) -> list[Attribute]:
    """ "women vs men", "compare Pune and Mumbai": one row for each of the values."""
    if not (step.said.has("compare") or step.sketch.one_row_each):
        return []
    sides = [item for item in step.sketch.filters if isinstance(item, Condition) and item.operator == "in"]
    shown = [dimension.field for dimension in step.intent.dimensions]
    step.beside |= bool(sides)
    return [Attribute(side.field.dataset, side.field.field) for side in sides if not same_field(side.field, shown)]


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
    if step.said.has("everything") and intent.filters:
        if intent.dimensions or len(intent.measures) != 1:
            step.left.append("share of all")
            return
        whole = intent.measures[0]
        part = whole.model_copy(update={"filters": intent.filters, "denominator": whole, "percent": True})
        step.put(measures=(part,), filters=())
    elif intent.measures and intent.dimensions:
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
    if step.said.has("unlimited"):
        step.put(limit=None, skip=0, limit_within=())
        step.changed = True
    if best is not None:
        if is_judgement(best):
            step.left.append(best.text)  # whether the highest NPA ratio is the best, nobody has said
            return
        main = None if intent.measures else _main_figure(step)
        if not intent.measures and main is None:
            step.left.append(best.text)
            return
        first = intent.measures[0] if intent.measures else None
        ranked = Order(measure=first, field=main, descending=best.descending)
        step.put(order=(ranked,), limit=best.limit or sketch.limit or 1, skip=best.skip)
        return
    orders = tuple(order for wish in sketch.orders if (order := _order(step, wish)))
    if orders:
        if intent.limit is not None and sketch.limit is None and _sorts_otherwise(step, orders[0]):
            step.left.append(f"sorted otherwise, of the first {intent.limit}")
        step.put(order=orders)
        step.changed = True
    if sketch.limit is not None:
        _limit(step)
    direction = step.fragment.descending
    if direction is None and step.said.has("reverse") and intent.order:
        direction = not intent.order[0].descending
    if direction is not None:
        _turn(step, descending=direction)


def _sorts_otherwise(step: Merge, order: Order) -> bool:
    """ "sort by name" after "top 3": the same three, which no other order chooses."""
    place, ranked = order.field, step.intent.order[0] if step.intent.order else None
    if place is None or ranked is None or ranked.field == place:
        return False
    return step.knowledge.field(place).role != "measure"


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
    if knows.field(wish.field).role == "name":
        named = sorted(
            (place for place in shown if knows.field(place).role in {"name", "category"}),
            key=lambda place: knows.field(place).role != "name",
        )
        if named:
            return Order(field=named[0], descending=wish.descending)
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
    widened = intent.limit is not None and sketch.limit is not None and sketch.limit > intent.limit
    orders: tuple[Order, ...]
    if intent.order and sketch.limit_descending and widened and intent.order[0].measure is not None:
        orders = (intent.order[0].model_copy(update={"descending": True}),)  # "the top 5" after "the lowest"
    elif intent.order and descending:
        orders = intent.order  # "top 5" of what is shown, as it is sorted
    elif intent.order:
        orders = tuple(order.model_copy(update={"descending": not order.descending}) for order in intent.order)
    elif intent.measures:
        orders = (Order(measure=intent.measures[0], descending=descending),)
    else:
        main = _main_figure(step) if sketch.limit_descending is not None else None
        orders = (Order(field=main, descending=descending),) if main else ()  # "show 500" ranks nothing
        if main:
            step.notes.append(f"“top” is by {step.knowledge.field(main).label}.")
    if intent.measures and not intent.dimensions:
        step.left.append(f"top {sketch.limit}")
        return
    step.put(order=orders, limit=sketch.limit, skip=0, fill_gaps=False)
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


def _hold_to_its_rows(step: Merge) -> None:
    """What a metric says of its rows becomes a condition on them."""
    if any(not isinstance(item, Condition) for item in step.intent.filters):
        step.left.append("who")  # "accounts without cards" are not the accounts of customers without cards
    for measure in step.intent.measures:
        plain = unfolded(measure, step.knowledge)
        if plain is not None:
            step.put(filters=(*step.intent.filters, plain[1]))
        elif measure.filters:
            step.put(filters=(*step.intent.filters, *measure.filters))
        elif measure.denominator is not None or (measure.metric and aggregate_of(measure, step.knowledge) is None):
            step.left.append("who")  # a ratio counts no rows of one kind


def show_rows(step: Merge) -> None:
    """ "show me the list", "who are they": the rows behind a figure."""
    sketch = step.sketch
    other = sketch.groups or sketch.measures or sketch.share or sketch.transform or sketch.limit or sketch.orders
    bare = sketch.asks_list and not step.changed
    if other or not (bare or step.said.has("rows")):
        return
    base = base_of_intent(step.intent, step.knowledge)
    if (
        step.said.has("pronoun")
        and step.intent.subject
        and base
        and step.knowledge.is_parent(base, step.intent.subject)
        and all(thing.dataset != base for thing in sketch.things)
    ):
        base = step.intent.subject
    if step.said.has("people") and step.knowledge.people is not None:
        base = step.knowledge.people
    if base is not None and base != base_of_intent(step.intent, step.knowledge):
        _hold_to_its_rows(step)
        move(step, base)
    if base is not None and (step.intent.measures or base != base_of_intent(step.intent, step.knowledge)):
        list_rows(step, base)
    step.changed |= base is not None
