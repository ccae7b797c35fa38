"""Figures of the members of a group: what narrows the figure, and what the members that it is divided by."""

from __future__ import annotations

from ai_engine.built_in.knowledge import Knowledge
from ai_engine.built_in.meanings import Thing
from ai_engine.built_in.rules.dates import days_filters
from ai_engine.built_in.sketch import Sketch
from ai_engine.semantics.intent import Condition, Filter, Measure, Membership


def narrow_numerators(sketch: Sketch, knows: Knowledge, measures: list[Measure]) -> list[Measure]:
    """ "UPI transactions per customer last month" is over all customers, not over those who joined last month."""
    per = measures[0].denominator.dataset if measures[0].denominator is not None else None
    base = knows.base(measures[0])
    if len(measures) > 1 or per is None or base is None or measures[0].percent or sketch.compare is not None:
        return measures
    if sketch.groups_by_time and knows.time_field(per) is not None:
        sketch.unplaced.append(f"per {knows.dataset(per).label} in each step of time: of which of them")
        return measures  # members would be those that began in each step
    own = [item for item in sketch.filters if isinstance(item, Condition) and _is_below(item.field.dataset, per, knows)]
    sketch.filters = [item for item in sketch.filters if item not in own]
    within: list[Filter] = list(own)
    place = sketch.period_field or sketch.counted_by or knows.time_field(base)
    if sketch.period is not None and not sketch.groups_by_time and place is not None and place.dataset != per:
        if knows.dataset(base).snapshot_time is not None and not sketch.period.moment:
            sketch.unplaced.append(f"{sketch.period.label}, of figures that are taken at dates")
        within += days_filters(place, sketch.period, negated=False)
        sketch.period = None
    return [measures[0].model_copy(update={"filters": (*measures[0].filters, *within)})]


def figures_of_what_they_have(sketch: Sketch, knows: Knowledge, measures: list[Measure]) -> None:
    """ "who had grocery payments, with the total spent there": the figure is of the payments that were told."""
    told = [item for item in sketch.filters if isinstance(item, Membership)]
    if len(told) != 1 or told[0].negated or (told[0].at_least or 1, told[0].at_most) != (1, None):
        return
    rows, groups = told[0].dataset, [item for item in sketch.groups if isinstance(item, Thing)]
    own = all(knows.base(measure) == rows and not measure.filters for measure in measures)
    of_each = bool(sketch.attributes or groups) and not (sketch.share or sketch.ratio or told[0].via)
    if own and of_each and told[0].filters:
        place = sketch.filters.index(told[0])
        sketch.filters[place : place + 1] = told[0].filters


def _is_below(dataset: str, owner: str, knows: Knowledge) -> bool:
    return dataset != owner and not knows.is_parent(owner, dataset)
