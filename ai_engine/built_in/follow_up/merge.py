"""An earlier question changed by what a fragment says: a few general operations on the structured question."""

from __future__ import annotations

from dataclasses import dataclass, field

from ai_engine.built_in.finish import finish
from ai_engine.built_in.follow_up.address import Address, Lean
from ai_engine.built_in.follow_up.earlier import BEFORE, earlier_period
from ai_engine.built_in.follow_up.figures import (
    applies,
    base_of_intent,
    counterpart,
    field_behind,
    mentions,
    moved_filter,
    taken_as,
    unfolded,
)
from ai_engine.built_in.follow_up.filters import How, fields_of, with_filter, without_fields
from ai_engine.built_in.follow_up.fragment import Fragment
from ai_engine.built_in.knowledge import Knowledge, ref
from ai_engine.built_in.meanings import Step, Thing
from ai_engine.built_in.sketch import GroupTarget, OrderWish, Sketch, Walk
from ai_engine.semantics.intent import Condition, Dimension, FieldRef, Filter, Intent, Measure, Order, Period
from ai_engine.semantics.model import Field

_REPLACED_BONUS = 0.3
_LAST_YEAR = frozenset({"last year", "previous year", "the year before", "prior year", "same period last year"})
_PLACES = frozenset("city town district state province region zone country area locality".split())


@dataclass
class Merge:
    """One question on its way from the earlier one to the one meant now.

    Attributes:
        intent: the question so far.
        left: words or wishes that found no place.
        notes: what was left out or assumed, one sentence each.
        cost: lower where the fragment replaces something that was there.
        changed: something was changed; otherwise the fragment said nothing.
    described: fields were named that describe what is grouped by.
        described: fields were named that describe what is grouped by.
    """

    intent: Intent
    said: Address
    fragment: Fragment
    knowledge: Knowledge
    left: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    cost: float = 0.0
    changed: bool = False
    described: bool = False

    @property
    def sketch(self) -> Sketch:
        """What the fragment says."""
        return self.fragment.sketch

    def put(self, **update: object) -> None:
        """Change the question."""
        changed = self.intent.model_copy(update=update)
        self.changed |= changed != self.intent
        self.intent = changed


def merge(earlier: Intent, said: Address, fragment: Fragment, knowledge: Knowledge) -> Merge:
    """Change an earlier question by a fragment."""
    step = Merge(earlier, said, fragment, knowledge, left=list(fragment.sketch.unplaced))
    _drop_filters(step)
    _figures(step)
    _filters(step)
    _period(step)
    _groups(step)
    _transform(step)
    _order_and_limit(step)
    _rows(step)
    if fragment.walk.negated and not said.has("unfilter"):
        step.left.append("not")
    return step


# --- taking filters off --------------------------------------------------------------------------------------------


def _drop_filters(step: Merge) -> None:
    """ "without the filter", "all cities", "for all time"."""
    sketch, said = step.sketch, step.said
    if said.has("all_time"):
        step.put(period=None)
        sketch.attributes.clear()
        step.changed = True
        return
    named = [ref(attribute) for attribute in sketch.attributes]
    if said.has("unfilter") and not sketch.filters and not sketch.things and not sketch.measures:
        if any(step.knowledge.field(item).role == "time" for item in named) and step.intent.period is not None:
            step.put(period=None)
        elif named:
            step.put(filters=without_fields(step.intent.filters, lambda place: _same_field(place, named)))
        else:
            step.put(filters=())
        sketch.attributes.clear()
    elif said.has("everything") and not sketch.measures and not sketch.groups and not sketch.asks_list:
        things = {thing.dataset for thing in sketch.things}
        before = step.intent.filters
        step.put(
            filters=without_fields(
                before, lambda place: _same_field(place, named) or (bool(things) and place.dataset in things)
            )
        )
        if step.intent.filters != before:
            sketch.attributes.clear()
            sketch.things.clear()


def _same_field(place: FieldRef, named: list[FieldRef]) -> bool:
    return any((place.dataset, place.field) == (item.dataset, item.field) for item in named)


# --- what is asked for ---------------------------------------------------------------------------------------------


def _figures(step: Merge) -> None:
    """Another figure, the same figure taken in another way, or the same of other things."""
    sketch, knows, intent = step.sketch, step.knowledge, step.intent
    new = list(sketch.measures)
    pending = step.fragment.walk.pending
    for attribute in list(sketch.attributes):
        item = knows.field(attribute)
        if item.role == "measure" and (intent.measures or new) and not sketch.orders:
            sketch.attributes.remove(attribute)
            new.append(Measure(aggregate=item.default_aggregate or "sum", field=ref(attribute)))
    if pending is not None and not pending.implied:
        step.fragment.walk.pending = None
        taken = _taken(step, pending.aggregates)
        if not taken and not new:
            step.left.append(pending.text)
        new.extend(taken)
    things = [thing for thing in sketch.things if not _is_only_noun(step, thing)]
    if new:
        _measure(step, new)
    elif things:
        _switch(step, things[0])
    elif sketch.attributes:
        _describe(step)


def _taken(step: Merge, aggregates: tuple[object, ...]) -> list[Measure]:
    intent, knows = step.intent, step.knowledge
    base = base_of_intent(intent, knows)
    sources = intent.measures[:1] or ((Measure(aggregate="count", dataset=base),) if base else ())
    found = [taken_as(source, aggregate, knows) for source in sources for aggregate in aggregates]  # type: ignore[arg-type]
    return [measure for measure in found if measure is not None]


def _is_only_noun(step: Merge, thing: Thing) -> bool:
    """ "only savings accounts", "those customers": the noun of a value, or what the question is about already."""
    base = base_of_intent(step.intent, step.knowledge)
    if thing.dataset in {base, step.intent.subject}:
        return not (step.intent.measures and step.said.has("pronoun") and step.sketch.asks_what)
    narrowed = any(place.dataset == thing.dataset for place in fields_of(step.sketch.filters))
    return narrowed and (step.said.has("only", "exclude") or not step.intent.measures)


def _measure(step: Merge, new: list[Measure]) -> None:
    before = base_of_intent(step.intent, step.knowledge)
    kept = step.intent.measures if step.said.has("add") else ()
    old = step.intent.measures
    measures = tuple(dict.fromkeys((*kept, *new)))
    if not old:
        step.put(measures=measures, columns=(), order=(), limit=None, distinct=False)
    else:
        orders = tuple(
            order.model_copy(update={"measure": measures[0]}) if order.measure in old and not kept else order
            for order in step.intent.order
        )
        step.put(measures=measures, order=orders, having=step.intent.having if kept else ())
    step.changed = True
    base = base_of_intent(Intent(measures=tuple(new)), step.knowledge)
    if base is not None and base != before:
        _move(step, base)
    if step.intent.subject == base:
        step.put(subject=None)


def _switch(step: Merge, thing: Thing) -> None:
    """ "and for loans?", "the customers": the same figure of other things, or a list of them."""
    if step.intent.measures and not (step.said.has("pronoun", "rows") or step.sketch.asks_list):
        found = [counterpart(measure, thing.dataset, step.knowledge) for measure in step.intent.measures]
        measures = tuple(measure for measure in found if measure is not None)
        if not measures:
            step.left.append(step.knowledge.dataset(thing.dataset).label)
            return
        _measure(step, list(measures))
        return
    if base_of_intent(step.intent, step.knowledge) != thing.dataset:
        _move(step, thing.dataset)
    _list_rows(step, thing.dataset)


def _move(step: Merge, base: str) -> None:
    """Keep of filters, groups and period what can be said of rows of another table; say what was left out."""
    knows, intent = step.knowledge, step.intent
    label = knows.dataset(base).label
    filters: list[Filter] = []
    for item in intent.filters:
        moved = moved_filter(item, base, knows, as_owner=step.said.has("pronoun"))
        if moved is None:
            step.notes.append(f"A condition of the question before does not apply to {label} rows and was left out.")
            step.cost += _REPLACED_BONUS
        else:
            filters.append(moved)
    dimensions: list[Dimension] = []
    for dimension in intent.dimensions:
        place = dimension.field
        if place.grain is not None and knows.field(place).role == "time" and place.grain != "age_years":
            dimensions.extend(_dimensions(step, [Step(place.grain)], intent.measures, None))
        elif place.dataset == base or knows.is_parent(base, place.dataset):
            dimensions.append(dimension.model_copy(update={"field": place.model_copy(update={"via": ()})}))
        else:
            step.notes.append(
                f"The grouping by {knows.field(place).label} does not apply to {label} rows and was left out."
            )
            step.cost += _REPLACED_BONUS
    period = intent.period
    if period is not None and period.field is not None and period.field.dataset != base:
        period = period.model_copy(update={"field": None})
    subject = intent.subject if intent.subject is None or applies(intent.subject, base, knows) else None
    step.put(filters=tuple(filters), dimensions=tuple(dimensions), period=period, subject=subject)


def _describe(step: Merge) -> None:
    """A field that is no figure: one more column of a list, another grouping of figures."""
    attributes, intent = list(step.sketch.attributes), step.intent
    step.sketch.attributes.clear()
    if intent.measures:
        step.sketch.groups.extend(attributes)
        step.described = True
        return
    columns = [ref(attribute) for attribute in attributes]
    step.put(columns=tuple(dict.fromkeys((*intent.columns, *columns))))
    step.changed = True


# --- narrowing -----------------------------------------------------------------------------------------------------


def _unfold(step: Merge) -> None:
    """A new condition on the field by which a metric is defined changes the definition, or cannot be said."""
    measures: list[Measure] = []
    filters = step.intent.filters
    for measure in step.intent.measures:
        named = [place for place in fields_of(step.sketch.filters) if mentions(measure, place, step.knowledge)]
        plain = unfolded(measure, step.knowledge) if named else None
        if plain is not None:
            measures.append(plain[0])
            filters = (*filters, plain[1])
            orders = step.intent.order
            step.put(
                order=tuple(o.model_copy(update={"measure": plain[0]}) if o.measure == measure else o for o in orders)
            )
            continue
        if named:
            step.left.extend(step.knowledge.field(place).label for place in named)
        measures.append(measure)
    step.put(measures=tuple(measures), filters=filters)


def _filters(step: Merge) -> None:
    _unfold(step)
    filters = step.intent.filters
    removes = step.said.has("exclude") and step.said.has("strong")
    how: How = "remove" if removes else "add" if step.said.has("add") else "replace"
    taken = set(fields_of(filters)) | {dimension.field for dimension in step.intent.dimensions}
    for new in step.sketch.filters:
        if any(_same_field(place, list(taken)) for place in fields_of((new,))):
            step.cost -= _REPLACED_BONUS
        if not step.said.has("add", "only") and isinstance(new, Condition):
            filters = _without_wider_place(filters, new, step.knowledge)
        filters = with_filter(filters, new, how)
        step.changed = True
    step.put(filters=filters)
    if step.sketch.havings:
        measures = {having.measure for having in step.sketch.havings}
        kept = tuple(having for having in step.intent.having if having.measure not in measures)
        step.put(having=(*kept, *step.sketch.havings))


def _without_wider_place(filters: tuple[Filter, ...], new: Condition, knowledge: Knowledge) -> tuple[Filter, ...]:
    """ "what about Mumbai?" after Karnataka: another place, not one within it."""

    def is_place(item: Field) -> bool:
        return not _PLACES.isdisjoint(item.label.lower().split())

    if not is_place(knowledge.field(new.field)):
        return filters

    def other_place(found: FieldRef) -> bool:
        same = found.dataset == new.field.dataset and found.field != new.field.field
        return same and is_place(knowledge.field(found))

    return without_fields(filters, other_place)


def _period(step: Merge) -> None:
    sketch, intent = step.sketch, step.intent
    found = sketch.period
    if step.said.has("compare") and found is not None:
        is_year = found.label.lower() in _LAST_YEAR
        step.put(compare="same_period_last_year" if is_year else "previous_period")
        step.changed = True
        return
    if sketch.compare is not None:
        step.put(compare=sketch.compare)
    step_back = next((lean for lean in BEFORE if step.said.has(lean)), None)
    if step_back is not None and found is None:
        _step_back(step, step_back)
        return
    if found is None:
        return
    named = sketch.period_field or (intent.period.field if intent.period else None)
    if step.fragment.walk.negated:
        step.left.append(found.label)
        return
    step.put(period=Period(start=found.start, end=found.end, label=found.label, field=named))
    step.changed = True
    if not step.intent.measures:
        base = base_of_intent(step.intent, step.knowledge)
        if base is not None:
            _date_rows(step, base)


def _step_back(step: Merge, lean: Lean) -> None:
    """ "and the month before?": counted from the period in question, or compared with it."""
    if step.said.has("compare"):
        step.put(compare="same_period_last_year" if lean == "year_before" else "previous_period")
        return
    moved = earlier_period(step.intent.period, BEFORE[lean]) if step.intent.period else None
    if moved is None:
        step.left.append("the period before")
        return
    step.put(period=moved)


def _date_rows(step: Merge, base: str) -> None:
    """A list has no figure that dates itself."""
    period = step.intent.period
    if period is None or period.field is not None:
        return
    place = step.knowledge.time_field(base)
    if place is None:
        step.left.append(period.label)
        return
    step.notes.append(f"The period is about {step.knowledge.field(place).label}.")
    step.put(period=period.model_copy(update={"field": place}))


# --- shape ---------------------------------------------------------------------------------------------------------


def _groups(step: Merge) -> None:
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
    new = _dimensions(step, groups, measures, counted_by)
    if not new:
        step.left.append("grouping")
        return
    fields = [dimension.field for dimension in new]
    same = any(_same_field(dimension.field, fields) for dimension in step.intent.dimensions)
    kept = tuple(d for d in step.intent.dimensions if not _same_field(d.field, fields))
    if not (step.said.has("add", "deeper") or same or (step.said.has("pronoun") and step.described)):
        kept = ()
    has_steps = any(isinstance(group, Step) for group in groups)
    orders = tuple(order for order in step.intent.order if order.measure is not None and not has_steps)
    step.put(
        dimensions=(*kept, *new),
        order=orders,
        limit=None if has_steps or kept else step.intent.limit,
        limit_within=(),
        fill_gaps=has_steps or (bool(kept) and step.intent.fill_gaps),
    )
    step.changed = True


def _dimensions(
    step: Merge, groups: list[GroupTarget] | list[Step], measures: tuple[Measure, ...], dated_by: FieldRef | None
) -> tuple[Dimension, ...]:
    """The reader's own choice of fields for what is grouped by, given the figures."""
    sketch = Sketch(measures=list(measures), groups=list(groups), counted_by=dated_by)
    intent = finish(Walk((), step.knowledge, sketch)).intent
    step.left.extend(sketch.unplaced)
    return intent.dimensions if intent is not None else ()


def _transform(step: Merge) -> None:
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


def _order_and_limit(step: Merge) -> None:
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
        if _same_field(place, [wish.field]):
            step.cost -= _REPLACED_BONUS
            return Order(field=place, descending=wish.descending)
    if not intent.measures:
        return Order(field=wish.field, descending=wish.descending)
    for measure in intent.measures:
        if field_behind(measure, knows) == wish.field:
            step.cost -= _REPLACED_BONUS
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


def _rows(step: Merge) -> None:
    """ "show me the list", "who are they": the rows behind a figure."""
    sketch = step.sketch
    other = sketch.groups or sketch.measures or sketch.share or sketch.transform or sketch.limit or sketch.orders
    bare = sketch.asks_list and not step.changed
    if other or not (bare or step.said.has("rows")):
        return
    base = base_of_intent(step.intent, step.knowledge)
    if base is not None and step.intent.measures:
        _list_rows(step, base)
    step.changed |= base is not None


def _list_rows(step: Merge, base: str) -> None:
    step.put(
        subject=base, measures=(), dimensions=(), columns=step.knowledge.list_fields(base), order=(), having=(),
        limit=None, compare=None, fill_gaps=False,
    )  # fmt: skip
    _date_rows(step, base)
    step.changed = True
