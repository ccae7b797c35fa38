"""What a fragment asks for: another figure, the same in another way or of other things, one more column."""

from __future__ import annotations

from ai_engine.built_in.follow_up.figures import (
    applies,
    base_of_intent,
    counterpart,
    moved_filter,
    taken_as,
)
from ai_engine.built_in.follow_up.filters import fields_of
from ai_engine.built_in.follow_up.step import REPLACED_BONUS, Merge, dimensions_of, list_rows
from ai_engine.built_in.knowledge import ref
from ai_engine.built_in.meanings import Step, Thing
from ai_engine.semantics.intent import Dimension, Filter, Intent, Measure


def change_figures(step: Merge) -> None:
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
    list_rows(step, thing.dataset)


def _move(step: Merge, base: str) -> None:
    """Keep of filters, groups and period what can be said of rows of another table; say what was left out."""
    knows, intent = step.knowledge, step.intent
    label = knows.dataset(base).label
    filters: list[Filter] = []
    for item in intent.filters:
        moved = moved_filter(item, base, knows, as_owner=step.said.has("pronoun"))
        if moved is None:
            step.notes.append(f"A condition of the question before does not apply to {label} rows and was left out.")
            step.cost += REPLACED_BONUS
        else:
            filters.append(moved)
    dimensions: list[Dimension] = []
    for dimension in intent.dimensions:
        place = dimension.field
        if place.grain is not None and knows.field(place).role == "time" and place.grain != "age_years":
            dimensions.extend(dimensions_of(step, [Step(place.grain)], intent.measures, None))
        elif place.dataset == base or knows.is_parent(base, place.dataset):
            dimensions.append(dimension.model_copy(update={"field": place.model_copy(update={"via": ()})}))
        else:
            step.notes.append(
                f"The grouping by {knows.field(place).label} does not apply to {label} rows and was left out."
            )
            step.cost += REPLACED_BONUS
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
