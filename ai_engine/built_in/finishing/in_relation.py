"""Figures set against something: another period or value, the whole, one another, or the step before."""

from __future__ import annotations

from ai_engine.built_in.finishing.two_sides import (
    contradicts,
    later_of_two_years,
    one_over_the_other,
    set_against,
    sides_of,
)
from ai_engine.built_in.knowledge import Knowledge
from ai_engine.built_in.meanings import Step
from ai_engine.built_in.rules.dates import days_filters
from ai_engine.built_in.sketch import GroupTarget, Sketch
from ai_engine.built_in.stocks import is_stock
from ai_engine.semantics.intent import Condition, Filter, Measure

_TWO_FIGURES = 2


def in_relation(
    sketch: Sketch,
    knows: Knowledge,
    measures: list[Measure],
    groups: list[GroupTarget],
    filters: tuple[Filter, ...],
    *,
    grouped: bool,
) -> tuple[list[Measure], tuple[Filter, ...]]:
    """Set the figures against something: another period or value, the whole, one another, or the step before."""
    _settle_two_years(sketch, groups)
    base = knows.base(measures[0])
    place = sketch.period_field or (knows.time_field(base) if base else None)
    sides = sides_of(sketch)
    if sketch.other_period is not None and sketch.period is not None and place is not None and len(measures) == 1:
        one, other = (days_filters(place, days, negated=False) for days in (sketch.period, sketch.other_period))
        measures = [set_against(measures[0], one, other)]
        sketch.period = None
    elif sides is not None and len(measures) == 1:
        first, second, filters = sides
        measures = [set_against(measures[0], [first], [second], as_ratio=sketch.ratio)]
    elif sketch.difference and len(measures) == 2 and sketch.compare is None:
        measures = [measures[0].model_copy(update={"minus": measures[1]})]
    elif contradicts(filters):
        sketch.unplaced.append("one thing that is two at once")
    elif sketch.share and sketch.in_percent and len(dict.fromkeys(measures)) == _TWO_FIGURES:
        measures = one_over_the_other(sketch, measures)
    elif sketch.share and not all(measure.percent for measure in measures):
        measures, filters = _shares(sketch, measures, filters, grouped)
    elif sketch.ratio:
        measures = one_over_the_other(sketch, measures)
    elif sketch.transform is not None:
        if sketch.transform in {"change", "change_percent"} and not _has_earlier(sketch, groups):
            sketch.unplaced.append("change: since when")
        if sketch.transform == "running_total" and any(is_stock(measure, knows) for measure in measures):
            sketch.unplaced.append("a running total of what is a total already")
        changed = {"transform": sketch.transform, "window": sketch.window}
        measures = [measure.model_copy(update=changed) for measure in measures]
    if sketch.share_beside is not None:
        sketch.unplaced += [] if grouped else ["share of what"]
        measures = [*measures, sketch.share_beside.model_copy(update={"transform": "share_of_total"})]
    if any(measure.percent and set(measure.filters).intersection(filters) for measure in measures):
        sketch.unplaced.append("share of what")  # of those that are so, all are so
    return measures, filters


def _settle_two_years(sketch: Sketch, groups: list[GroupTarget]) -> None:
    """ "growth between 2024 and 2025": the later year against the one before."""
    if sketch.transform in {"change", "change_percent"} and not _has_earlier(sketch, groups):
        later = later_of_two_years(sketch.period)
        if later is not None:
            sketch.period, sketch.compare = later, "previous_period"


def _has_earlier(sketch: Sketch, groups: list[GroupTarget]) -> bool:
    """A change needs something earlier: steps of time, or a period to compare with."""
    return sketch.compare is not None or any(isinstance(group, Step) for group in groups)


def _shares(
    sketch: Sketch,
    measures: list[Measure],
    filters: tuple[Filter, ...],
    grouped: bool,
) -> tuple[list[Measure], tuple[Filter, ...]]:
    """A share of the groups' total, or of the rows that meet the last condition among those that meet the others."""
    if grouped and (sketch.share_of_groups or not filters):
        return [measure.model_copy(update={"transform": "share_of_total"}) for measure in measures], filters
    if not filters:
        sketch.unplaced.append("share of what")
        return measures, filters
    stated = [item for item in filters if not (isinstance(item, Condition) and item.operator in {"!=", "not in"})]
    last = (stated or list(filters))[-1]  # "percentage of delinquent loans, leaving out the paid off ones"
    last = sketch.part if sketch.part in filters else last
    common = [item for item in filters if item is not last]
    whole = measures[0]
    said = _parts_of(last) if sketch.each_part else (last,)
    shares = [whole.model_copy(update={"filters": (part,), "denominator": whole, "percent": True}) for part in said]
    if contradicts([*common, last]):
        sketch.unplaced.append("one thing that is two at once")
    return [*shares, *measures[1:]], tuple(common)


def _parts_of(said: Filter) -> tuple[Filter, ...]:
    """ "savings and current share of deposits" are two shares."""
    if not isinstance(said, Condition) or said.operator != "in":
        return (said,)
    return tuple(said.model_copy(update={"operator": "=", "values": (value,)}) for value in said.values)
