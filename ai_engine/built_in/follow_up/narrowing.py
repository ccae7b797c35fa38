"""How a fragment narrows or widens the question before: conditions, places, periods."""

from __future__ import annotations

from ai_engine.built_in.follow_up.address import Lean
from ai_engine.built_in.follow_up.earlier import BEFORE, earlier_period
from ai_engine.built_in.follow_up.figures import (
    base_of_intent,
    mentions,
    unfolded,
)
from ai_engine.built_in.follow_up.filters import How, fields_of, with_filter, without_fields
from ai_engine.built_in.follow_up.step import REPLACED_BONUS, Merge, date_rows, same_field
from ai_engine.built_in.knowledge import Knowledge, ref
from ai_engine.semantics.intent import Condition, FieldRef, Filter, Measure, Period
from ai_engine.semantics.model import Field

_LAST_YEAR = frozenset({"last year", "previous year", "the year before", "prior year", "same period last year"})
_PLACES = frozenset("city town district state province region zone country area locality".split())


def drop_filters(step: Merge) -> None:
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
            step.put(filters=without_fields(step.intent.filters, lambda place: same_field(place, named)))
        else:
            step.put(filters=())
        sketch.attributes.clear()
    elif said.has("everything") and not sketch.measures and not sketch.groups and not sketch.asks_list:
        things = {thing.dataset for thing in sketch.things}
        before = step.intent.filters
        step.put(
            filters=without_fields(
                before, lambda place: same_field(place, named) or (bool(things) and place.dataset in things)
            )
        )
        if step.intent.filters != before:
            sketch.attributes.clear()
            sketch.things.clear()


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


def change_filters(step: Merge) -> None:
    """Put each condition said in the place of the one on the same field, else beside the others."""
    _unfold(step)
    filters = step.intent.filters
    removes = step.said.has("exclude") and step.said.has("strong")
    how: How = "remove" if removes else "add" if step.said.has("add") else "replace"
    taken = set(fields_of(filters)) | {dimension.field for dimension in step.intent.dimensions}
    for new in step.sketch.filters:
        if any(same_field(place, list(taken)) for place in fields_of((new,))):
            step.cost -= REPLACED_BONUS
        if not step.said.has("add", "only") and isinstance(new, Condition):
            filters = _without_wider_place(filters, new, step.knowledge)
        filters = with_filter(filters, new, how, tuple(step.sketch.filters))
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


def change_period(step: Merge) -> None:
    """Put another period in the place of the one before, or compare the two."""
    sketch, intent = step.sketch, step.intent
    found = sketch.period
    step_back = next((lean for lean in BEFORE if step.said.has(lean)), None)
    if step.said.has("compare") and found is not None and sketch.compare is None and step_back is None:
        is_year = found.label.lower() in _LAST_YEAR
        step.put(compare="same_period_last_year" if is_year else "previous_period")
        step.changed = True
        return
    if sketch.compare is not None:
        step.put(compare=sketch.compare)
    if step_back is not None and (found is None or step.said.has("compare")):
        _step_back(step, step_back)  # "last month vs the month before" says both
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
            date_rows(step, base)


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
