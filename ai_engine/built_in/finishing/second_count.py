"""A second count beside the first, with conditions of its own: "number of accounts and how many of them are closed"."""

from __future__ import annotations

from collections.abc import Sequence

from ai_engine.built_in.knowledge import Knowledge
from ai_engine.built_in.rules.dates import days_filters
from ai_engine.built_in.sketch import Sketch
from ai_engine.semantics.intent import Condition, Filter, Measure, Membership

_TWO = 2


def counted_apart(sketch: Sketch, knows: Knowledge, measures: Sequence[Measure]) -> list[Measure]:
    """Give each of two counts the conditions that were said of it; those said before both or behind a grouping stay."""
    counts = [measure for measure in measures if measure == Measure(aggregate="count", dataset=measure.dataset)]
    related = sketch.share or sketch.ratio or sketch.transform or sketch.compare or sketch.havings or sketch.orders
    if len(sketch.counts_said) != _TWO or not counts or related:
        return list(measures)
    other = next((measure for measure in counts if measure.dataset != counts[0].dataset), None)
    first, second = _said_of_each(sketch)
    if other is not None:
        first, second = [], [item for item in second if isinstance(item, Condition) and _is_of(item, other)]
    dated = _days_of_the_second(sketch, knows, counts[0]) if other is None else []
    if not (second or dated):
        sketch.unplaced += ["share of them"] * sketch.second_as_share
        return list(measures)
    if sketch.counts_of_them and not _contradict(first, second):
        first = []  # "number of women, and how many of them have a loan"
    elif first and not (sketch.measures.count(counts[0]) == _TWO or _contradict(first, second)):
        sketch.unplaced.append("how many of which of them")
    sketch.filters = [item for item in sketch.filters if not any(item is own for own in (*first, *second))]
    pair = [_narrowed(counts[0], first), _narrowed(other or counts[0], (*second, *dated))]
    if sketch.second_as_share:
        pair[1] = pair[1].model_copy(update={"denominator": pair[0], "percent": True})
    return [*pair, *(measure for measure in measures if measure not in {counts[0], other})]


def _said_of_each(sketch: Sketch) -> tuple[list[Filter], list[Filter]]:
    one, two = sketch.counts_said
    ends = sketch.counts_end.filters if sketch.counts_end is not None else len(sketch.filters)
    return sketch.filters[one.filters : two.filters], sketch.filters[two.filters : ends]


def _days_of_the_second(sketch: Sketch, knows: Knowledge, counted: Measure) -> Sequence[Filter]:
    """ "how many accounts are there, and how many of them were opened in 2025": of nothing else it is told whose."""
    *_, second = sketch.counts_said
    inside = sketch.counts_end.is_dated if sketch.counts_end is not None else sketch.period is not None
    place = sketch.period_field or sketch.dated_by_verb or knows.time_field(counted.dataset or "")
    if sketch.period is None or second.is_dated or not inside:
        return ()
    if not sketch.counts_of_them or place is None:
        sketch.unplaced.append(f"{sketch.period.label}: of which of the two figures")
        return ()
    days = days_filters(place, sketch.period, negated=False)
    sketch.period = sketch.period_field = sketch.dated_by_verb = None
    return days


def _narrowed(measure: Measure, filters: Sequence[Filter]) -> Measure:
    return measure.model_copy(update={"filters": tuple(filters)})


def _is_of(item: Condition, counted: Measure) -> bool:
    return item.field.dataset == counted.dataset


def _contradict(first: Sequence[Filter], second: Sequence[Filter]) -> bool:
    """ "how many are active and how many are closed": nothing is both."""
    fields = {item.field for item in first if isinstance(item, Condition)}
    denied = [item for item in second if isinstance(item, Membership) and item.negated]
    return any(isinstance(item, Condition) and item.field in fields for item in second) or any(
        part in first for item in denied for part in item.filters
    )
