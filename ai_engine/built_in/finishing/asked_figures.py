"""A sketch with figures becomes a structured question: groups, shares, order, ranked things."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

from ai_engine.built_in.finishing.per_member import narrow_numerators
from ai_engine.built_in.finishing.stock_figures import as_of_the_days_asked, is_stock
from ai_engine.built_in.finishing.two_sides import (
    contradicts,
    later_of_two_years,
    one_over_the_other,
    set_against,
    sides_of,
)
from ai_engine.built_in.finishing.units_shown import counted_in
from ai_engine.built_in.knowledge import Knowledge, ref
from ai_engine.built_in.meanings import Attribute, Step, Thing
from ai_engine.built_in.rules.dates import days_filters
from ai_engine.built_in.sketch import GroupTarget, OrderWish, Sketch
from ai_engine.semantics.intent import (
    Condition,
    Dimension,
    FieldRef,
    Filter,
    Grain,
    Having,
    Intent,
    Measure,
    Membership,
    Order,
    Period,
)

_TWO_FIGURES = 2


def asked_figures(
    sketch: Sketch, knows: Knowledge, measures: list[Measure], groups: list[GroupTarget]
) -> Intent | None:
    """Turn a sketch with figures into a structured question; None when no figure is left."""
    if not measures:
        return None
    if sketch.counts_too:
        _count_them_too(sketch, knows, measures)
    measures = narrow_numerators(sketch, knows, as_of_the_days_asked(sketch, knows, measures))
    if sketch.asks_when and not any(m.field and knows.field(m.field).role == "time" for m in measures):
        sketch.unplaced.append("when")
    filters = _bounds_as_conditions_on_counts(sketch, measures, tuple(dict.fromkeys(sketch.filters)))
    groups = [*_ranked_things(sketch, knows, measures, groups), *groups]
    if sketch.one_row_each and sketch.compare is None:
        groups.extend(_compared_fields(sketch, measures))
    if sketch.step is not None and not any(isinstance(group, Step) for group in groups):
        groups.append(Step(sketch.step))
    dimensions = _dimensions(sketch, knows, measures, groups)
    plain = tuple(measures)
    measures, filters = _in_relation(sketch, knows, measures, groups, filters, grouped=bool(dimensions))
    in_relation = dict(zip(plain, measures, strict=False)) if sketch.share and len(plain) == len(measures) else {}
    if any(measure.percent and set(measure.filters).intersection(filters) for measure in measures):
        sketch.unplaced.append("share of what")  # of those that are so, all are so
    shown = {dimension.field for dimension in dimensions}
    orders = tuple(_order(wish, knows, measures, shown) for wish in sketch.orders)
    orders = tuple(
        order.model_copy(update={"measure": in_relation[order.measure]})
        if order.measure is not None and order.measure in in_relation
        else order
        for order in orders
    )
    if sketch.limit is not None and not orders:
        orders = (Order(measure=measures[0], descending=sketch.limit_descending is not False),)
    for order in orders:
        if order.measure is not None and order.measure not in measures and sketch.limit is None:
            measures.append(order.measure)
    over_groups = _counts_its_groups(sketch, measures, groups)
    if over_groups:
        key = knows.key(str(measures[0].dataset))
        measures, dimensions = [], (Dimension(field=key),) if key is not None else dimensions
    if sketch.limit is not None and not dimensions:
        sketch.unplaced.append("a ranking: of what")
    if sketch.havings and not dimensions:
        sketch.unplaced.append("a condition on a total: of what groups")
    measures, orders = counted_in(sketch, knows, measures, orders)
    within = sketch.within or (sketch.each_groups if len(groups) > len(sketch.each_groups) else [])
    bases = {knows.base(measure) for measure in measures}
    subject = sketch.things[0].dataset if sketch.things else None
    return Intent(
        subject=None if subject in bases else subject,
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
        limit_within=_fields_of(within, knows) if sketch.limit else (),
        fill_gaps=any(isinstance(group, Step) for group in groups) and not sketch.limit,
    )


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


def _in_relation(
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
    return measures, filters


def _settle_two_years(sketch: Sketch, groups: list[GroupTarget]) -> None:
    """ "growth between 2024 and 2025": the later year against the one before."""
    if sketch.transform in {"change", "change_percent"} and not _has_earlier(sketch, groups):
        later = later_of_two_years(sketch.period)
        if later is not None:
            sketch.period, sketch.compare = later, "previous_period"


def _bounds_as_conditions_on_counts(
    sketch: Sketch, measures: list[Measure], filters: tuple[Filter, ...]
) -> tuple[Filter, ...]:
    """ "borrowers on more than 3 mortgages, and how many": the bound is on the figure that is shown."""
    counted = {m.dataset: m for m in measures if m.aggregate == "count" and m.dataset and not m.filters}
    kept: list[Filter] = []
    for item in filters:
        bounded = isinstance(item, Membership) and not (item.filters or item.negated) and item.dataset in counted
        if not (isinstance(item, Membership) and bounded) or (item.at_least is None and item.at_most is None):
            kept.append(item)
            continue
        for operator, bound in ((">=", item.at_least), ("<=", item.at_most)):
            if bound is not None:
                sketch.havings.append(Having(measure=counted[item.dataset], operator=operator, value=Decimal(bound)))
    return tuple(kept)


def _counts_its_groups(sketch: Sketch, measures: list[Measure], groups: list[GroupTarget]) -> bool:
    """ "how many branches have deposits of over 20 crore": the things are the groups, and their number is asked."""
    counted = [measure.dataset for measure in measures if measure.aggregate == "count"]
    return (
        bool(sketch.havings)
        and len(measures) == len(counted) == 1
        and [group.dataset for group in groups if isinstance(group, Thing)] == counted
        and len(groups) == 1
    )


def _has_earlier(sketch: Sketch, groups: list[GroupTarget]) -> bool:
    """A change needs something earlier: steps of time, or a period to compare with."""
    return sketch.compare is not None or any(isinstance(group, Step) for group in groups)


def _compared_fields(sketch: Sketch, measures: list[Measure]) -> list[GroupTarget]:
    """ "compare deposits of Mumbai and Delhi": a row for each of the listed values; two figures stand side by side."""
    listed = [item.field for item in sketch.filters if isinstance(item, Condition) and item.operator == "in"]
    if not listed and len(set(measures)) < _TWO_FIGURES:
        sketch.unplaced.append("compare with what")
    return [Attribute(place.dataset, place.field, place.via) for place in listed]


def _ranked_things(
    sketch: Sketch, knows: Knowledge, measures: list[Measure], groups: list[GroupTarget]
) -> list[GroupTarget]:
    """ "which branch has the highest NPA ratio", "customers with total balance over 10 lakh": the things are groups."""
    inside = sketch.within or (sketch.each_groups if sketch.limit else [])
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


def _dimensions(
    sketch: Sketch, knows: Knowledge, measures: list[Measure], groups: list[GroupTarget]
) -> tuple[Dimension, ...]:
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


def _fields_of(groups: Sequence[Attribute | Thing], knows: Knowledge) -> tuple[FieldRef, ...]:
    found = [knows.entity_fields(group) if isinstance(group, Thing) else (ref(group),) for group in groups]
    return tuple(field for fields in found for field in fields)


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
    part = whole.model_copy(update={"filters": (last,), "denominator": whole, "percent": True})
    return [part, *measures[1:]], tuple(common)


def _order(wish: OrderWish, knows: Knowledge, measures: list[Measure], shown: set[FieldRef]) -> Order:
    if wish.measure is not None:
        return Order(measure=wish.measure, descending=wish.descending)
    assert wish.field is not None  # noqa: S101 - a wish has one of the two
    for measure in measures:
        if measure.field == wish.field:
            return Order(measure=measure, descending=wish.descending)
    if knows.field(wish.field).role == "measure":
        aggregate = knows.field(wish.field).default_aggregate or "sum"
        return Order(measure=Measure(aggregate=aggregate, field=wish.field), descending=wish.descending)
    if wish.field not in shown:
        edge = Measure(aggregate="max" if wish.descending else "min", field=wish.field)
        return Order(measure=edge, descending=wish.descending)
    return Order(field=wish.field, descending=wish.descending)


def period_of(sketch: Sketch) -> Period | None:
    """The period as the structured question has it."""
    if sketch.period is None:
        return None
    found = sketch.period
    return Period(start=found.start, end=found.end, label=found.label, field=sketch.period_field or sketch.counted_by)
