"""What figures are grouped by: the groups that were named, the things that are ranked, the values that are compared."""

from __future__ import annotations

from collections.abc import Sequence

from ai_engine.built_in.knowledge import Knowledge, ref
from ai_engine.built_in.meanings import Attribute, Step, Thing
from ai_engine.built_in.sketch import GroupTarget, Sketch
from ai_engine.semantics.intent import Condition, Dimension, FieldRef, Grain, Measure

_TWO_FIGURES = 2


def ranked_things(
    sketch: Sketch, knows: Knowledge, measures: list[Measure], groups: list[GroupTarget]
) -> list[GroupTarget]:
    """ "which branch has the highest NPA ratio", "customers with total balance over 10 lakh": the things are groups."""
    inside: list[GroupTarget] = [*(sketch.within or (sketch.each_groups if sketch.limit else []))]
    inside += [group for group in groups if isinstance(group, Step) and sketch.each_step and sketch.limit]
    ranked_within = bool(inside) and all(group in inside for group in groups)
    if (groups and not ranked_within) or not (
        sketch.orders or sketch.havings or sketch.limit or (sketch.asks_what and sketch.asks_list)
    ):
        return []
    bases = {base for measure in measures if (base := knows.base(measure))}
    if sketch.limit_descending is not None and sketch.things:
        return [sketch.things[0]]
    for thing in sketch.things:
        if thing.dataset not in bases or (sketch.things[0] is thing and _is_per_row(thing, measures)):
            return [thing]
    return [sketch.things[0]] if sketch.things and sketch.havings else []


def _is_per_row(thing: Thing, measures: list[Measure]) -> bool:
    return not any(measure.aggregate == "count" and measure.dataset == thing.dataset for measure in measures)


def compared_fields(sketch: Sketch, measures: list[Measure]) -> list[GroupTarget]:
    """ "compare deposits of Mumbai and Delhi": a row for each of the listed values; two figures stand side by side."""
    listed = [item.field for item in sketch.filters if isinstance(item, Condition) and item.operator == "in"]
    if not listed and len(set(measures)) < _TWO_FIGURES:
        sketch.unplaced.append("compare with what")
    return [Attribute(place.dataset, place.field, place.via) for place in listed]


def dimensions_of_groups(
    sketch: Sketch, knows: Knowledge, measures: list[Measure], groups: list[GroupTarget]
) -> tuple[Dimension, ...]:
    """Return the fields behind groups, with their bands; a step of time without a date is reported."""
    found: list[FieldRef] = []
    for group in groups:
        if isinstance(group, Step):
            field = _step_field(sketch, knows, measures, group.grain)
            if field is None:
                sketch.unplaced.append(group.grain)
            else:
                found.append(field)
        elif isinstance(group, Attribute):
            item = knows.field(group)
            by_day = item.type == "timestamp" and group in sketch.groups
            found.append(ref(group, "day") if by_day else ref(group))
        else:
            found.extend(knows.entity_fields(group))
    return tuple(Dimension(field=field, edges=sketch.bands.get(field, ())) for field in dict.fromkeys(found))


def _step_field(sketch: Sketch, knows: Knowledge, measures: list[Measure], grain: Grain) -> FieldRef | None:
    """A step of time belongs to the named date, else to each figure's own date."""
    named = sketch.period_field or sketch.counted_by
    if named is not None:
        return named.model_copy(update={"grain": grain})
    for measure in measures:
        if measure.metric is not None:
            time = knows.model.metric(measure.metric).time_field
            if not time:
                continue  # a figure as of now has no steps
            dataset, field = time.split(".", 1)
            return FieldRef(dataset=dataset, field=field, grain=grain)
        base = knows.base(measure)
        field_ref = knows.time_field(base) if base else None
        if field_ref is not None:
            return field_ref.model_copy(update={"grain": grain})
    return None


def fields_of_groups(groups: Sequence[Attribute | Thing], knows: Knowledge) -> tuple[FieldRef, ...]:
    """Return the fields of groups, those that name it for a thing."""
    found = [knows.entity_fields(group) if isinstance(group, Thing) else (ref(group),) for group in groups]
    return tuple(field for fields in found for field in fields)
