"""How a fragment narrows or widens the question before: conditions and places."""

from __future__ import annotations

from ai_engine.built_in.follow_up.dating import lacks
from ai_engine.built_in.follow_up.figures import (
    mentions,
    unfolded,
)
from ai_engine.built_in.follow_up.filters import How, fields_of, with_filter, without_fields
from ai_engine.built_in.follow_up.step import REPLACED_BONUS, Merge, same_field
from ai_engine.built_in.knowledge import Knowledge
from ai_engine.semantics.intent import Condition, FieldRef, Filter, Measure
from ai_engine.semantics.model import Field

_PLACES = frozenset("city town district state province region zone country area locality".split())


def drop_filters(step: Merge) -> None:
    """ "without the filter", "all cities", "for all time"."""
    told, said = step.fragment, step.said
    if said.has("all_time"):
        step.put(period=None)
        told.fields.clear()
        step.changed = True
        return
    named = list(told.fields)
    if said.has("unfilter") and not told.filters and not told.things and not told.measures:
        if any(step.knowledge.field(item).role == "time" for item in named) and step.intent.period is not None:
            step.put(period=None)
        elif named:
            step.put(filters=without_fields(step.intent.filters, lambda place: same_field(place, named)))
        else:
            step.put(filters=())
        told.fields.clear()
    elif said.has("everything") and not (told.measures or told.groups or told.turn.lists or told.share):
        _lift(step)


def _lift(step: Merge) -> None:
    """ "all cities": no condition on them, and all that a ranking left out."""
    told, before = step.fragment, step.intent
    things = {thing.dataset for thing in told.things}

    def is_named(place: FieldRef) -> bool:
        return same_field(place, told.fields) or place.dataset in things

    step.put(filters=without_fields(before.filters, is_named))
    if step.intent == before and before.limit is not None and any(is_named(item.field) for item in before.dimensions):
        step.put(limit=None, skip=0)
    if step.intent != before:
        told.fields.clear()
        told.things.clear()
    elif step.said.has("strong") and (told.fields or told.things):
        step.left.append("all of what")


def _unfold(step: Merge) -> None:
    """A new condition on the field by which a metric is defined changes the definition, or cannot be said."""
    measures: list[Measure] = []
    filters = step.intent.filters
    for measure in step.intent.measures:
        named = [place for place in fields_of(step.fragment.filters) if mentions(measure, place, step.knowledge)]
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


def change_filters(step: Merge) -> None:
    """Put each condition said in the place of the one on the same field, else beside the others."""
    _unfold(step)
    filters = step.intent.filters
    removes = step.said.has("exclude") and step.said.has("strong")
    how: How = "remove" if removes else "add" if step.said.has("add") else "replace"
    how = "again" if how == "replace" and step.said.has("again") else how
    taken = set(fields_of(filters)) | {dimension.field for dimension in step.intent.dimensions}
    for new in step.fragment.filters:
        if _taken_of_all(step, new):
            continue
        again = [place for place in fields_of((new,)) if same_field(place, list(taken))]
        if again:
            step.cost -= REPLACED_BONUS
        taken -= set(again)
        if not step.said.has("add", "only") and isinstance(new, Condition):
            filters = _without_wider_place(filters, new, step.knowledge)
        before = filters
        filters = with_filter(filters, new, how, tuple(step.fragment.filters))
        step.lifted |= len(filters) < len(before)
        step.changed = True
    step.put(filters=filters)
    if step.intent.period and any(lacks(item, step.intent.period.field) for item in step.fragment.filters):
        step.left.append(step.intent.period.label)  # "not paid" of what was paid in 2025
    if step.fragment.havings:
        measures = {having.measure for having in step.fragment.havings}
        kept = tuple(having for having in step.intent.having if having.measure not in measures)
        step.put(having=(*kept, *step.fragment.havings))


def _taken_of_all(step: Merge, new: Filter) -> bool:
    """ "only Pune" of the shares by city: what Pune has of all, not the whole of Pune."""
    intent = step.intent
    shares = [measure for measure in intent.measures if measure.transform == "share_of_total"]
    grouped = [item.field for item in intent.dimensions]
    if not shares or not isinstance(new, Condition) or new.operator not in {"=", "in"}:
        return False
    if not same_field(new.field, grouped):
        return False
    if len(grouped) > 1 or len(shares) < len(intent.measures):
        step.left.append("the share of some of them in all")
        return True
    wholes = [measure.model_copy(update={"transform": None}) for measure in shares]
    each = [new.model_copy(update={"operator": "=", "values": (value,)}) for value in new.values]
    parts = (
        whole.model_copy(update={"filters": (*whole.filters, only), "denominator": whole, "percent": True})
        for whole in wholes
        for only in each
    )
    step.put(measures=tuple(parts), dimensions=(), order=(), limit=None, fill_gaps=False)
    return True


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
