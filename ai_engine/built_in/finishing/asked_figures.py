"""A sketch with figures becomes a structured question: groups, shares, order, ranked things."""

from __future__ import annotations

from decimal import Decimal

from ai_engine.built_in.finishing.durations import only_with_both_dates
from ai_engine.built_in.finishing.groups_of_figures import (
    compared_fields,
    dimensions_of_groups,
    fields_of_groups,
    ranked_things,
)
from ai_engine.built_in.finishing.in_relation import in_relation
from ai_engine.built_in.finishing.only_those import subject_of
from ai_engine.built_in.finishing.per_member import figures_of_what_they_have, narrow_numerators
from ai_engine.built_in.finishing.ranked_by import orders_of
from ai_engine.built_in.finishing.second_count import counted_apart
from ai_engine.built_in.finishing.settling import date_of_figures
from ai_engine.built_in.finishing.stock_figures import as_of_the_days_asked
from ai_engine.built_in.finishing.units_shown import counted_in
from ai_engine.built_in.knowledge import Knowledge
from ai_engine.built_in.meanings import Step, Thing
from ai_engine.built_in.sketch import GroupTarget, Sketch
from ai_engine.built_in.spending import only_what_went_out
from ai_engine.built_in.stocks import is_snapshot
from ai_engine.semantics.intent import (
    Condition,
    Dimension,
    FieldRef,
    Filter,
    Having,
    Intent,
    Measure,
    Membership,
    Period,
)


def asked_figures(
    sketch: Sketch, knows: Knowledge, measures: list[Measure], groups: list[GroupTarget]
) -> Intent | None:
    """Turn a sketch with figures into a structured question; None when no figure is left."""
    if not measures:
        return None
    said = tuple(measures)
    measures = _figures(sketch, knows, measures)
    _rank_what_is_shown(sketch, dict(zip(said, measures, strict=False)) if len(said) == len(measures) else {})
    _count_what_is_bounded(sketch, knows, measures)
    _rank_by_total_shown(sketch, knows, measures)
    only_what_went_out(sketch, knows, measures)
    filters = _bounds_as_conditions_on_counts(sketch, measures, tuple(dict.fromkeys(sketch.filters)))
    groups = _groups(sketch, knows, measures, groups)
    dimensions = dimensions_of_groups(sketch, knows, measures, groups)
    filters = only_with_both_dates(measures, dimensions, filters, knows)
    plain = tuple(measures)
    measures, filters = in_relation(sketch, knows, measures, groups, filters, grouped=bool(dimensions))
    orders = orders_of(sketch, knows, plain, measures, {dimension.field for dimension in dimensions})
    if sketch.limit is None:
        measures += [order.measure for order in orders if order.measure is not None and order.measure not in measures]
    over_groups = _counts_its_groups(sketch, measures, groups)
    if over_groups:
        key = knows.key(str(measures[0].dataset))
        measures, dimensions = [], (Dimension(field=key),) if key is not None else dimensions
    if not dimensions:
        sketch.unplaced += _asked_of_nobody(sketch, knows, measures)
        sketch.unplaced += ["a ranking: of what"] if sketch.limit is not None else []
        sketch.unplaced += ["a condition on a total: of what groups"] if sketch.havings else []
    measures, orders = counted_in(sketch, knows, measures, orders)
    return Intent(
        subject=subject_of(sketch, knows, measures, filters),
        measures=tuple(dict.fromkeys(measures)),
        dimensions=dimensions,
        filters=filters,
        period=period_of(sketch),
        compare=sketch.compare,
        having=tuple(sketch.havings),
        order=orders,
        over_groups="count" if over_groups else None,
        limit=sketch.limit if dimensions else None,
        skip=sketch.skip if dimensions else 0,
        limit_within=_within(sketch, knows, groups, dimensions),
        fill_gaps=_keeps_empty(sketch, knows, measures, groups) or _has_no_gaps(sketch, knows, measures, groups),
    )


def _asked_of_nobody(sketch: Sketch, knows: Knowledge, measures: list[Measure]) -> list[str]:
    """ "which customer has most, and what is the average": a figure over all of them shows no customer."""
    first = sketch.asked_first
    counted = first is not None and first.dataset in {knows.base(measure) for measure in measures}
    return [f"{knows.dataset(first.dataset).label}: which one"] if first is not None and not counted else []


def _figures(sketch: Sketch, knows: Knowledge, measures: list[Measure]) -> list[Measure]:
    """The figures with the days, the rows and the counts they are meant with."""
    date_of_figures(sketch, measures, knows)
    figures_of_what_they_have(sketch, knows, measures)
    if sketch.counts_too:
        _count_them_too(sketch, knows, measures)
    measures = counted_apart(sketch, knows, measures)
    measures = narrow_numerators(sketch, knows, as_of_the_days_asked(sketch, knows, measures))
    if sketch.asks_when and not any(m.field and knows.field(m.field).role == "time" for m in measures):
        sketch.unplaced.append("when")
    return measures


def _rank_what_is_shown(sketch: Sketch, shown: dict[Measure, Measure]) -> None:
    """Rank and bound by the figures as they are shown: by the balances kept of that month, and not by today's."""
    by_field = {measure.field: figure for measure, figure in shown.items() if measure.field is not None}
    for wish in sketch.orders:
        if wish.measure in shown:
            wish.measure = shown[wish.measure]
        elif wish.field in by_field and not wish.one_row:
            wish.measure, wish.field = by_field[wish.field], None
    sketch.havings = [
        item.model_copy(update={"measure": shown[item.measure]}) if item.measure in shown else item
        for item in sketch.havings
    ]


def _rank_by_total_shown(sketch: Sketch, knows: Knowledge, measures: list[Measure]) -> None:
    """ "the 5 with the highest total of loans, name and amount": by the amount, and not by how many there are."""
    for wish in sketch.orders if sketch.total_ranks else ():
        rows = wish.measure.dataset if wish.measure is not None and wish.measure.aggregate == "count" else None
        sums = [measure for measure in measures if measure.aggregate == "sum" and knows.base(measure) == rows]
        if rows is not None and len(sums) == 1:
            wish.measure = sums[0]


def _groups(sketch: Sketch, knows: Knowledge, measures: list[Measure], groups: list[GroupTarget]) -> list[GroupTarget]:
    """What was grouped by, with what is ranked before it and what is compared or stepped along behind."""
    groups = [*ranked_things(sketch, knows, measures, groups), *groups]
    if sketch.one_row_each and sketch.compare is None:
        groups.extend(compared_fields(sketch, measures))
    if sketch.step is not None and not any(isinstance(group, Step) for group in groups):
        groups.append(Step(sketch.step))
    return groups


def _within(
    sketch: Sketch, knows: Knowledge, groups: list[GroupTarget], dimensions: tuple[Dimension, ...]
) -> tuple[FieldRef, ...]:
    """The groups in each of which the first few are kept: "in each region", "each month"."""
    steps = [item.field for item in dimensions if item.field.grain] if sketch.each_step else []
    within = sketch.within or (sketch.each_groups if len(groups) > len(sketch.each_groups) else [])
    kept = (*fields_of_groups(within, knows), *(steps if len(groups) > len(within) + len(steps) else ()))
    return kept if sketch.limit else ()


def _has_no_gaps(sketch: Sketch, knows: Knowledge, measures: list[Measure], groups: list[GroupTarget]) -> bool:
    """A series has every step, but what was not taken at a date is not zero then."""
    series = any(isinstance(group, Step) for group in groups) and not sketch.limit
    return series and not any(is_snapshot(measure, knows) for measure in measures)


def _keeps_empty(sketch: Sketch, knows: Knowledge, measures: list[Measure], groups: list[GroupTarget]) -> bool:
    """Every group is shown, also one to which nothing belongs."""
    grouped = {group.dataset for group in groups if not isinstance(group, Step)}
    apart = bool(grouped) and any(knows.base(measure) not in grouped for measure in measures)
    if sketch.keeps_empty == "said":
        sketch.unplaced += [] if groups else ["zeros: of which groups"]
        return bool(grouped)
    return apart and sketch.keeps_empty is not None and not (sketch.limit or sketch.havings)


def _count_them_too(sketch: Sketch, knows: Knowledge, measures: list[Measure]) -> None:
    """Put the number of rows before their figure, unless it is that already; a metric may leave some rows out."""
    first = measures[0]
    metric = knows.model.metric(first.metric) if first.metric is not None else None
    if first.aggregate == "count" or (metric is not None and metric.unit == "count"):
        return
    base = knows.base(first)
    if base is None or (metric is not None and knows.plain_figure(first) is None):
        sketch.unplaced.append("how many of them")
        return
    measures.insert(0, Measure(aggregate="count", dataset=base))


def _bounds_as_conditions_on_counts(
    sketch: Sketch, measures: list[Measure], filters: tuple[Filter, ...]
) -> tuple[Filter, ...]:
    """ "borrowers on more than 3 mortgages, and how many": the bound is on the figure that is shown.

    "At least 3 live bonds, and the number of bonds" shows how many live ones.
    """
    counted = {m.dataset: m for m in measures if m.aggregate == "count" and m.dataset and not m.filters}
    kept: list[Filter] = []
    for item in filters:
        if not isinstance(item, Membership) or not _bounds_a_count(item) or item.dataset not in counted:
            kept.append(item)
            continue
        figure = counted[item.dataset].model_copy(update={"filters": item.filters})
        measures[:] = [figure if measure == counted[item.dataset] else measure for measure in measures]
        for operator, bound in ((">=", item.at_least), ("<=", item.at_most)):
            if bound is not None:
                sketch.havings.append(Having(measure=figure, operator=operator, value=Decimal(bound)))
    return tuple(kept)


def _bounds_a_count(item: Membership) -> bool:
    own = all(isinstance(inner, Condition) and inner.field.dataset == item.dataset for inner in item.filters)
    few = item.at_least is None and bool(item.filters)  # who has none of them has no such group
    return own and not few and not item.negated and (item.at_least is not None or item.at_most is not None)


def _count_what_is_bounded(sketch: Sketch, knows: Knowledge, measures: list[Measure]) -> None:
    """ "at least 3 active accounts, and the number of accounts", where the active ones are a figure of their own."""
    for bound in sketch.havings:
        metric = knows.model.metric(bound.measure.metric) if bound.measure.metric is not None else None
        plain = Measure(aggregate="count", dataset=knows.base(bound.measure))
        if metric is not None and metric.unit == "count":
            measures[:] = [bound.measure if measure == plain else measure for measure in measures]


def _counts_its_groups(sketch: Sketch, measures: list[Measure], groups: list[GroupTarget]) -> bool:
    """ "how many branches have deposits of over 20 crore": the things are the groups, and their number is asked."""
    counted = [measure.dataset for measure in measures if measure.aggregate == "count"]
    return (
        bool(sketch.havings)
        and len(measures) == len(counted) == 1
        and [group.dataset for group in groups if isinstance(group, Thing)] == counted
        and len(groups) == 1
    )


def period_of(sketch: Sketch) -> Period | None:
    """The period as the structured question has it."""
    if sketch.period is None:
        return None
    found = sketch.period
    return Period(start=found.start, end=found.end, label=found.label, field=sketch.period_field or sketch.counted_by)
