"""How a fragment sorts what is shown, and keeps the first few of it."""

from __future__ import annotations

from ai_engine.built_in.follow_up.figures import aggregate_of, base_of_intent, field_behind
from ai_engine.built_in.follow_up.step import REPLACED_BONUS, Merge, same_field
from ai_engine.built_in.grammar.phrases import Best
from ai_engine.built_in.grammar.ranks import OF_TIME
from ai_engine.built_in.grammar.schema import Schema
from ai_engine.built_in.grammar.turn import Wish
from ai_engine.built_in.grammar.units import on_scale
from ai_engine.built_in.meanings import Thing
from ai_engine.semantics.intent import FieldRef, Measure, Order

_THE_MORE_THE_BETTER = frozenset({"sum", "count"})


def change_order_and_limit(step: Merge) -> None:
    """Sort, turn the order round, or keep the first few."""
    told, intent, best = step.fragment, step.intent, step.fragment.best
    if step.said.has("unlimited"):
        step.put(limit=None, skip=0, limit_within=(), having=intent.having if intent.limit else ())
        step.changed = True
    if best is not None:
        _rank(step, best)
        return
    orders = tuple(order for wish in told.wishes if wish.is_named and (order := _order(step, wish)))
    if orders:
        if intent.limit is not None and told.limit is None and _sorts_otherwise(step, orders[0]):
            step.left.append(f"sorted otherwise, of the first {intent.limit}")
        step.put(order=orders)
        step.changed = True
    if told.limit is not None:
        if told.turn.more and intent.limit is None:
            step.left.append("more")
            return
        if told.turn.bare and step.said.has("pronoun") and told.limit == intent.limit:
            return  # "those three" are all that is shown
        if told.turn.bare and not (step.said.has("only") or (intent.limit and step.said.has("strong"))):
            step.left.append(str(told.limit))  # "make it five" changes a number, which must be there
            return
        _limit(step, told.limit + (intent.limit or 0) * told.turn.more, None)
    if step.said.has("latest"):
        _by_what_came_last(step)
        return
    direction = next((wish.descending for wish in told.wishes if not wish.is_named), None)
    if direction is None and step.said.has("reverse") and intent.order:
        direction = not intent.order[0].descending
    if direction is not None:
        _turn(step, descending=direction)


def _rank(step: Merge, best: Best) -> None:
    """ "top 5" of what is shown, as it is sorted; "the highest", "which has the most loans" by that figure."""
    intent = step.intent
    if best.kind == "place":
        _pick(step, best.skip)
        return
    if best.scale and best.fig is None and best.field is None and not intent.measures:
        _rank_on_scale(step, best)
        return
    if best.kind in {"good", "bad"}:
        shown = aggregate_of(intent.measures[0], step.knowledge) if intent.measures and best.fig is None else None
        if shown not in _THE_MORE_THE_BETTER or not best.descending:
            step.left.append("best or worst")  # whether the most dormant accounts are the worst, nobody has said
            return
        step.notes.append("“best” was taken as the highest figure.")
    measure = Schema(step.knowledge).measure(best.fig) if best.fig is not None else None
    if best.kind in OF_TIME and measure is None and best.field is None:
        _in_time(step, best)
        return
    if measure is None and best.field is None and best.limit is not None and best.limit > 1 and not best.skip:
        _limit(step, best.limit, best.descending)
        return
    if measure is not None and measure not in intent.measures:
        step.put(measures=(*intent.measures, measure) if intent.measures and step.said.has("pronoun") else (measure,))
    sorted_by = next((order.measure for order in intent.order), None)
    first = sorted_by if sorted_by in step.intent.measures else next(iter(step.intent.measures), None)
    figure = measure or (first if best.field is None else None)
    place = best.field or (None if figure else _main_figure(step))
    if figure is None and place is None:
        step.left.append("a ranking")
        return
    ranked = Order(measure=figure, field=None if figure else place, descending=best.descending)
    step.put(order=(ranked,), limit=best.limit or step.fragment.limit or 1, skip=best.skip, fill_gaps=False)


def _rank_on_scale(step: Merge, best: Best) -> None:
    """ "only the longest" of listed rows, by the only figure that is long or short; of the first few by no other."""
    base = base_of_intent(step.intent, step.knowledge)
    place = on_scale(Schema(step.knowledge), base, best.scale) if base is not None else None
    if place is None or (step.intent.limit is not None and place not in {order.field for order in step.intent.order}):
        step.left.append("a ranking")
        return
    ranked = Order(field=place, descending=best.descending)
    step.put(order=(ranked,), limit=best.limit or step.fragment.limit or 1, skip=best.skip)


def _in_time(step: Merge, best: Best) -> None:
    """ "the latest 5": by the steps of time that are shown, or by the day of listed rows; groups have no day."""
    intent, knows = step.intent, step.knowledge
    base = base_of_intent(intent, knows)
    steps = [item.field for item in intent.dimensions if item.field.grain is not None]
    place = next(iter(steps), None) if intent.measures or base is None else knows.time_field(base)
    if place is None or (intent.limit is not None and not intent.measures):
        step.left.append("which of them")
        return
    step.put(order=(Order(field=place, descending=best.descending),), limit=best.limit, skip=best.skip, fill_gaps=False)


def _pick(step: Merge, skip: int) -> None:
    """ "the third of them": in the order that was shown."""
    if not step.intent.order or (step.intent.limit is not None and skip >= step.intent.limit):
        step.left.append("which of them")
        return
    step.put(limit=1, skip=step.intent.skip + skip)


def _sorts_otherwise(step: Merge, order: Order) -> bool:
    """ "sort by name" after "top 3": the same three, which no other order chooses."""
    place, ranked = order.field, step.intent.order[0] if step.intent.order else None
    if place is None or ranked is None or ranked.field == place:
        return False
    return step.knowledge.field(place).role != "measure"


def _main_figure(step: Merge) -> FieldRef | None:
    base = base_of_intent(step.intent, step.knowledge)
    return step.knowledge.main_measure(base) if base else None


def _order(step: Merge, wish: Wish) -> Order | None:
    """By what is shown where that has the name; ascending unless said."""
    intent, knows, down = step.intent, step.knowledge, bool(wish.descending)
    if wish.fig is not None and not wish.fig.implied:
        return Order(measure=Schema(knows).measure(wish.fig), descending=down)
    field = wish.field or (wish.fig.core.field if wish.fig else None)
    if wish.in_time:
        base, steps = base_of_intent(intent, knows), [d.field for d in intent.dimensions if d.field.grain is not None]
        field = next(iter(steps), None) if intent.measures or base is None else knows.time_field(base)
    field = field or (next(iter(knows.naming_fields(Thing(wish.thing))), None) if wish.thing else None)
    if field is None:
        step.left.append("sorted by that")
        return None
    shown = [d.field for d in intent.dimensions] + list(intent.columns)
    for place in shown:
        if same_field(place, [field]):
            step.cost -= REPLACED_BONUS
            return Order(field=place, descending=down)
    if knows.field(field).role == "name":
        named = sorted(
            (place for place in shown if knows.field(place).role in {"name", "category"}),
            key=lambda place: knows.field(place).role != "name",
        )
        if named:
            return Order(field=named[0], descending=down)
    base = base_of_intent(intent, knows)
    if not intent.measures:
        if base is not None and (field.dataset == base or knows.is_parent(base, field.dataset)):
            return Order(field=field, descending=down)
        step.left.append(f"sorted by {knows.field(field).label}")
        return None
    for measure in intent.measures:
        if field_behind(measure, knows) == field:
            step.cost -= REPLACED_BONUS
            return Order(measure=measure, descending=down)
    if knows.field(field).role == "measure":
        aggregate = knows.field(field).default_aggregate or "sum"
        return Order(measure=Measure(aggregate=aggregate, field=field), descending=down)
    step.left.append(f"sorted by {knows.field(field).label}")
    return None


def _limit(step: Merge, limit: int, descending: bool | None) -> None:
    """So many, from the end that was said; None where only their number was."""
    intent = step.intent
    widened = intent.limit is not None and limit > intent.limit
    steps = [item.field for item in intent.dimensions if item.field.grain is not None]
    orders: tuple[Order, ...]
    if intent.order and descending and widened and intent.order[0].measure is not None:
        orders = (intent.order[0].model_copy(update={"descending": True}),)  # "the top 5" after "the lowest"
    elif intent.order and descending is not False:
        orders = intent.order  # "top 5" of what is shown, as it is sorted
    elif intent.order:
        orders = tuple(order.model_copy(update={"descending": not order.descending}) for order in intent.order)
    elif steps and descending is None:
        orders = tuple(Order(field=place, descending=False) for place in steps)  # as they are shown
    elif intent.measures:
        orders = (Order(measure=intent.measures[0], descending=descending is not False),)
    else:
        main = _main_figure(step) if descending is not None else None
        orders = (Order(field=main, descending=bool(descending)),) if main else ()  # "show 500" ranks nothing
        if main:
            step.notes.append(f"“top” is by {step.knowledge.field(main).label}.")
        elif descending is not None:
            step.left.append("by what")
    if intent.measures and not intent.dimensions:
        step.left.append(f"top {limit}")
        return
    step.put(order=orders, limit=limit, skip=0, fill_gaps=False)
    step.changed = True


def _by_what_came_last(step: Merge) -> None:
    """ "sort by that", of the figures or columns that are shown the one that was added last."""
    intent, wish = step.intent, next((wish for wish in step.fragment.wishes if not wish.is_named), None)
    figure, column = intent.measures[-1:], intent.columns[-1:]
    if wish is None or intent.limit is not None or not (figure or column) or (figure and not intent.dimensions):
        step.left.append("by that")
        return
    field = None if figure else column[0]
    step.put(order=(Order(measure=figure[0] if figure else None, field=field, descending=bool(wish.descending)),))
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
