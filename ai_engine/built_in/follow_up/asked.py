"""What a fragment asks for: another figure, the same in another way or of other things, one more column."""

from __future__ import annotations

from ai_engine.built_in.follow_up.dropping import ungrouped
from ai_engine.built_in.follow_up.figures import (
    aggregate_of,
    base_of,
    base_of_intent,
    counterpart,
    taken_as,
    unfolded,
)
from ai_engine.built_in.follow_up.filters import fields_of
from ai_engine.built_in.follow_up.moving import move
from ai_engine.built_in.follow_up.step import Merge, list_rows
from ai_engine.built_in.follow_up.those_shown import keep_groups, points_to_chosen
from ai_engine.built_in.knowledge import ref
from ai_engine.built_in.meanings import Cue, Thing
from ai_engine.semantics.intent import FieldRef, Intent, Measure


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
        if not (taken or new) or (new and _averages_what_was_counted(step)):
            step.left.append(pending.text)
        if taken and not new and _asked_again(step, pending.aggregates):
            return
        new.extend(taken)
    new = [measure for measure in new if not _is_condition(step, measure) and not _is_only_date(step, measure)]
    things = [thing for thing in sketch.things if not _is_only_noun(step, thing)]
    if new:
        _measure(step, new)
    elif things:
        _switch(step, things[0])
    if sketch.attributes:
        _describe(step)


def _averages_what_was_counted(step: Merge) -> bool:
    """ "how many accounts do they have on average": so many per each of them, and no average of another figure."""
    items = step.fragment.walk.items
    *_, before, last = (None, *(item.meaning for item in items)) if items else (None, None)
    linked = isinstance(before, Cue) and before.kind in {"and", "stop"}
    counts = any(measure.aggregate == "count" for measure in step.sketch.measures)
    return counts and not linked and isinstance(last, Cue) and last.value == "avg"


def _asked_again(step: Merge, aggregates: tuple[object, ...]) -> bool:
    """ "what is the total?" of totals by city: the same figure over all rows, which are more than a top 5 shows."""
    intent = step.intent
    if not intent.dimensions or step.sketch.groups or step.said.has("add"):
        return False
    if [aggregate_of(measure, step.knowledge) for measure in intent.measures] != list(aggregates):
        return False
    if intent.limit is not None or intent.having:
        step.left.append("the figure over the groups that are shown")
    step.put(**dict(ungrouped(intent)))
    return True


def _is_condition(step: Merge, measure: Measure) -> bool:
    """ "only debits": a figure that takes rows of one kind narrows another figure or a list of the same rows."""
    plain = unfolded(measure, step.knowledge) if step.said.has("only", "exclude") else None
    if plain is None or base_of(measure, step.knowledge) != base_of_intent(step.intent, step.knowledge):
        return False
    denied = {"operator": "!="} if step.said.has("exclude") else {}
    step.fragment.walk.negated = False
    step.sketch.filters.append(plain[1].model_copy(update=denied))
    return True


def _is_only_date(step: Merge, measure: Measure) -> bool:
    """ "only those disbursed in 2025": the figure's own date, and not the figure, is what is narrowed."""
    metric = step.knowledge.model.metric(measure.metric) if measure.metric else None
    if metric is None or metric.time_field is None or step.sketch.period is None:
        return False
    same = base_of(measure, step.knowledge) == base_of_intent(step.intent, step.knowledge)
    if not (same and step.said.has("only", "pronoun")):
        return False
    dataset, field = metric.time_field.split(".")
    step.sketch.period_field = FieldRef(dataset=dataset, field=field)
    return True


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
    kept = step.intent.measures if step.said.has("add") or points_to_chosen(step) else ()
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
    if base is not None and base != before and kept and points_to_chosen(step):
        keep_groups(step, base)
    elif base is not None and base != before:
        move(step, base)
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
        move(step, thing.dataset)
    list_rows(step, thing.dataset)


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
