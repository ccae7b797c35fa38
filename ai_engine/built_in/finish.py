"""From a sketch to the structured question: what was left open is decided here, by the vocabulary's defaults."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ai_engine.built_in.knowledge import Knowledge, ref
from ai_engine.built_in.meanings import Attribute, Step, Thing
from ai_engine.built_in.sketch import GroupTarget, OrderWish, Sketch, Walk
from ai_engine.semantics.intent import (
    Condition,
    Dimension,
    FieldRef,
    Filter,
    Grain,
    Intent,
    Measure,
    Membership,
    Order,
    Period,
)

_DISTANCE_COST = 0.12
_NO_WAY_COST = 3.0
_FUTILE_COST = 1.0
_FAR = 9


@dataclass(frozen=True)
class Finished:
    """A structured question with its price; `intent` None when the sketch asks for nothing."""

    intent: Intent | None
    cost: float


def finish(walk: Walk) -> Finished:
    """Turn a finished walk into a structured question."""
    sketch, knows = walk.sketch, walk.knowledge
    _settle_waiting(walk)
    if not (sketch.measures or sketch.attributes or sketch.things or sketch.orders or sketch.groups or sketch.filters):
        return Finished(None, sketch.cost + 5.0)
    measures, columns, groups = _split_attributes(sketch, knows)
    if measures or groups:
        intent = _figures(sketch, knows, measures, groups)
    else:
        intent = _list(sketch, knows, columns)
        sketch.unplaced.extend(_said_of_figures(sketch))
    if intent is None:
        return Finished(None, sketch.cost + 5.0)
    return Finished(intent, sketch.cost + _spread(intent, knows) + _futility(intent, knows))


def _said_of_figures(sketch: Sketch) -> tuple[str, ...]:
    """What was said of figures when there is no figure: it must not be dropped."""
    said = {
        "share": sketch.share,
        "ratio": sketch.ratio,
        "change": sketch.transform is not None,
        "comparison": sketch.compare is not None,
    }
    return tuple(word for word, is_said in said.items() if is_said)


def _settle_waiting(walk: Walk) -> None:
    """Apply what was said last: "how many have a loan", "customers with the most"."""
    sketch = walk.sketch
    if walk.pending is not None:
        subject = walk.subject or _dataset_of_values(sketch)
        last = sketch.attributes[-1] if sketch.attributes else None
        if last is not None and walk.pending.aggregates != ("count",) and walk.knowledge.field(last).role == "measure":
            sketch.attributes.pop()
            sketch.measures.extend(Measure(aggregate=said, field=ref(last)) for said in walk.pending.aggregates)
        elif walk.pending.of_amount and (amount := _amount_of_values(walk)) is not None:
            sketch.measures.append(Measure(aggregate=walk.pending.aggregates[0], field=amount))
        elif walk.pending.aggregates == ("count",) and subject is not None:
            if not sketch.measures:
                sketch.measures.append(Measure(aggregate="count", dataset=subject))
        elif walk.pending.aggregates != ("sum",) or not sketch.measures:
            sketch.unplaced.append(walk.pending.text)
    if walk.superlative is not None:
        best = walk.superlative
        if sketch.measures:
            sketch.orders.append(OrderWish(measure=sketch.measures[0], descending=best.descending))
            sketch.limit = best.limit or sketch.limit or 1
        elif best.kind in {"many", "few"} and sketch.attributes:
            counted = Measure(aggregate="count", dataset=sketch.attributes[-1].dataset)
            sketch.orders.append(OrderWish(measure=counted, descending=best.descending))
            sketch.limit = best.limit or sketch.limit or 1
        else:
            sketch.unplaced.append(best.text)
    if walk.negated:
        sketch.unplaced.append("not")
    if sketch.per_each or sketch.weighted:
        sketch.unplaced.append("average per what" if sketch.per_each else "weighted by what")


def _amount_of_values(walk: Walk) -> FieldRef | None:
    """ "how much was spent on groceries": the amount of the rows that the values describe."""
    for item in reversed(walk.sketch.filters):
        if isinstance(item, Condition | Membership):
            dataset = item.field.dataset if isinstance(item, Condition) else item.dataset
            amount = walk.knowledge.main_measure(dataset, money_only=True)
            if amount is not None:
                walk.assume(f"The amount is the {walk.knowledge.field(amount).label}.")
                return amount
    return None


def _dataset_of_values(sketch: Sketch) -> str | None:
    """ "how many active savings accounts": the value's own name holds the noun."""
    return next((item.field.dataset for item in sketch.filters if isinstance(item, Condition)), None)


def _dates_of_steps(sketch: Sketch, named: list[Attribute], knows: Knowledge) -> list[Attribute]:
    """ "loans disbursed per quarter": the date that was named is the one to step along."""
    if not any(isinstance(group, Step) for group in sketch.groups) or sketch.period_field or sketch.counted_by:
        return named
    dates = [item for item in named if knows.field(item).role == "time"]
    if len(dates) == 1:
        sketch.counted_by = ref(dates[0])
        return [item for item in named if item is not dates[0]]
    return named


def _split_attributes(sketch: Sketch, knows: Knowledge) -> tuple[list[Measure], list[FieldRef], list[GroupTarget]]:
    """Decide for each plainly named field whether it is a figure, a group or a column of a list."""
    if sketch.asks_when and sketch.orders:
        sketch.measures.clear()  # "when did we disburse the last loan" asks for the day, not for the amount
    measures, groups = list(sketch.measures), list(sketch.groups)
    named = _dates_of_steps(sketch, list(dict.fromkeys(sketch.attributes)), knows)
    ranked = bool(sketch.havings) or any(wish.measure for wish in sketch.orders)
    if named and not measures and not ranked and groups and all(isinstance(group, Thing) for group in groups):
        sketch.things.extend(group for group in groups if isinstance(group, Thing))
        groups = []  # "date and amount for each payment" lists the payments
    if measures or groups or ranked:
        described: list[GroupTarget] = []
        for attribute in named:
            item = knows.field(attribute)
            if item.role == "measure" and item.default_aggregate and not _describes_group(sketch, attribute, knows):
                measures.append(Measure(aggregate=item.default_aggregate, field=ref(attribute)))
            elif not any(isinstance(group, Attribute) and group == attribute for group in groups):
                described.append(attribute)
        groups = [*described, *groups]
        groups = _without_redundant_things(groups)
        if not measures:
            measures = [wish.measure for wish in sketch.orders if wish.measure]
            measures = measures or [having.measure for having in sketch.havings] or _default_measures(sketch, knows)
        return measures, [], groups
    if sketch.extreme and not named and len(sketch.orders) == 1 and sketch.limit == 1:
        return _extreme(sketch, knows), [], groups
    when = sketch.orders[0] if sketch.asks_when and len(sketch.orders) == 1 else None
    if when is not None and when.field is not None and knows.field(when.field).role == "time":
        return _extreme(sketch, knows), [], groups
    if sketch.distinct and not named and not measures and not groups and sketch.things and not sketch.asks_list:
        return [Measure(aggregate="count", dataset=sketch.things[0].dataset)], [], groups
    if sketch.one_row_each and not named and not measures and sketch.things:
        return [Measure(aggregate="count", dataset=sketch.things[0].dataset)], [], groups
    only_figures = bool(named) and all(knows.field(item).role == "measure" for item in named)
    counts = only_figures and all(knows.field(item).unit == "count" for item in named)
    if only_figures and (counts or not sketch.asks_list) and not _lists_things(sketch):
        for attribute in named:
            default = knows.field(attribute).default_aggregate or "sum"
            if len(sketch.orders) == 1 and sketch.orders[0].field == ref(attribute) and sketch.limit == 1:
                default = "max" if sketch.orders.pop().descending else "min"
                sketch.limit = None
            measures.append(Measure(aggregate=default, field=ref(attribute)))
        return measures, [], groups
    if not named and len(sketch.orders) == 1 and sketch.limit == 1 and not sketch.things:
        return _extreme(sketch, knows), [], groups
    return measures, [ref(attribute) for attribute in named], groups


def _describes_group(sketch: Sketch, attribute: Attribute, knows: Knowledge) -> bool:
    """A number that is grouped by, or that belongs to the thing whose many rows are ranked or compared."""
    if any(isinstance(group, Attribute) and group == attribute for group in sketch.groups):
        return True
    if sketch.measures:
        return False
    compared = [wish.measure for wish in sketch.orders if wish.measure] + [having.measure for having in sketch.havings]
    bases = [base for measure in compared if (base := knows.base(measure))]
    return any(knows.is_parent(base, attribute.dataset) for base in bases)


def _lists_things(sketch: Sketch) -> bool:
    """ "balances of the accounts opened by ..." lists rows when it asks which; a filter on one row does not."""
    return sketch.asks_what and bool(sketch.things) and not sketch.orders and bool(sketch.filters)


def _extreme(sketch: Sketch, knows: Knowledge) -> list[Measure]:
    """ "what is the highest balance" asks for the figure, not for the row."""
    wish = sketch.orders[0]
    if wish.field is None or knows.field(wish.field).role not in {"measure", "time"}:
        return []
    sketch.orders.clear()
    sketch.limit = None
    return [Measure(aggregate="max" if wish.descending else "min", field=wish.field)]


def _without_redundant_things(groups: list[GroupTarget]) -> list[GroupTarget]:
    """Where fields of a thing are named, they stand for it."""
    named = {group.dataset for group in groups if isinstance(group, Attribute)}
    kept = [group for group in groups if not (isinstance(group, Thing) and group.dataset in named)]
    return list(dict.fromkeys(kept))


def _default_measures(sketch: Sketch, knows: Knowledge) -> list[Measure]:
    """A grouping without a figure counts the things."""
    thing = next(iter(sketch.things), None)
    ranked = [wish.field for wish in sketch.orders if wish.field is not None]
    if ranked and knows.field(ranked[0]).role == "measure":
        return [Measure(aggregate=knows.field(ranked[0]).default_aggregate or "sum", field=ranked[0])]
    if thing is not None:
        return [Measure(aggregate="count", dataset=thing.dataset)]
    dated = sketch.period_field or sketch.counted_by
    if dated is not None:
        return [Measure(aggregate="count", dataset=dated.dataset)]
    group = next((g for g in sketch.groups if isinstance(g, Attribute | Thing)), None)
    return [Measure(aggregate="count", dataset=group.dataset)] if group else []


# --- figures -------------------------------------------------------------------------------------------------------


def _figures(sketch: Sketch, knows: Knowledge, measures: list[Measure], groups: list[GroupTarget]) -> Intent | None:
    if not measures:
        return None
    groups = [*_ranked_things(sketch, knows, measures, groups), *groups]
    if sketch.one_row_each and sketch.compare is None:
        groups.extend(_compared_fields(sketch))
    if sketch.step is not None and not any(isinstance(group, Step) for group in groups):
        groups.append(Step(sketch.step))
    dimensions = _dimensions(sketch, knows, measures, groups)
    filters = tuple(sketch.filters)
    if sketch.share:
        measures, filters = _shares(sketch, measures, filters, bool(dimensions))
    elif sketch.ratio and len(measures) != 2:
        sketch.unplaced.append("ratio of what to what")
    elif sketch.ratio:
        measures = [measures[0].model_copy(update={"denominator": measures[1]})]
    elif sketch.transform is not None:
        changed = {"transform": sketch.transform, "window": sketch.window}
        measures = [measure.model_copy(update=changed) for measure in measures]
    shown = {dimension.field for dimension in dimensions}
    orders = tuple(_order(wish, knows, measures, shown) for wish in sketch.orders)
    if sketch.limit is not None and not orders:
        orders = (Order(measure=measures[0], descending=sketch.limit_descending is not False),)
    for order in orders:
        if order.measure is not None and order.measure not in measures and sketch.limit is None:
            measures.append(order.measure)
    counted = {measure.dataset for measure in measures if measure.aggregate == "count"}
    if sketch.havings and any(isinstance(group, Thing) and group.dataset in counted for group in groups):
        sketch.unplaced.append("how many of them")
    if sketch.havings and not dimensions:
        sketch.unplaced.append("a condition on a total, of what groups")
    within = sketch.within or (sketch.each_groups if len(groups) > len(sketch.each_groups) else [])
    bases = {knows.base(measure) for measure in measures}
    subject = sketch.things[0].dataset if sketch.things else None
    return Intent(
        subject=None if subject in bases else subject,
        measures=tuple(dict.fromkeys(measures)),
        dimensions=dimensions,
        filters=filters,
        period=_period(sketch),
        compare=sketch.compare,
        having=tuple(sketch.havings),
        order=orders,
        limit=sketch.limit if dimensions else None,
        limit_within=_fields_of(within, knows) if sketch.limit else (),
        fill_gaps=any(isinstance(group, Step) for group in groups) and not sketch.limit,
    )


def _compared_fields(sketch: Sketch) -> list[GroupTarget]:
    """ "compare deposits of Mumbai and Delhi": a row for each of the listed values."""
    listed = [item.field for item in sketch.filters if isinstance(item, Condition) and item.operator == "in"]
    if not listed:
        sketch.unplaced.append("compare with what")
    return [Attribute(place.dataset, place.field, place.via) for place in listed]


def _ranked_things(
    sketch: Sketch, knows: Knowledge, measures: list[Measure], groups: list[GroupTarget]
) -> list[GroupTarget]:
    """ "which branch has the highest NPA ratio", "customers with total balance over 10 lakh": the things are groups."""
    ranked_within = bool(sketch.within) and all(group in sketch.within for group in groups)
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
    if grouped and not filters:
        return [measure.model_copy(update={"transform": "share_of_total"}) for measure in measures], filters
    if not filters:
        sketch.unplaced.append("share of what")
        return measures, filters
    *common, last = filters
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


def _period(sketch: Sketch) -> Period | None:
    if sketch.period is None:
        return None
    found = sketch.period
    return Period(start=found.start, end=found.end, label=found.label, field=sketch.period_field or sketch.counted_by)


# --- lists ---------------------------------------------------------------------------------------------------------


def _list(sketch: Sketch, knows: Knowledge, columns: list[FieldRef]) -> Intent | None:
    subject = _list_subject(sketch, knows, columns)
    if subject is None:
        return None
    first = sketch.listed_first
    if first is not None and columns and all(_reachable(knows, first.dataset, item.dataset) for item in columns):
        subject = first.dataset
        columns = [*knows.entity_fields(first), *columns]
    if sketch.asks_when and not columns:
        dated = knows.time_field(subject)
        columns = [dated] if dated is not None else columns
    if sketch.limit_descending is not None and not sketch.orders:
        amount = knows.main_measure(subject, money_only=True)
        if amount is None:
            sketch.unplaced.append("top: by what")
        else:
            sketch.assumptions.append(f"“top” is by {knows.field(amount).label}.")
            sketch.orders.append(OrderWish(field=amount, descending=sketch.limit_descending))
    orders = []
    for wish in sketch.orders:
        assert wish.field is not None  # noqa: S101 - a measure would have made it a question of figures
        if knows.is_parent(wish.field.dataset, subject) and wish.field.dataset != subject:
            return _ranked_list(sketch, knows, subject, columns, wish)
        orders.append(Order(field=wish.field, descending=wish.descending))
    period = _period(sketch)
    if period is not None and period.field is None:
        field = knows.time_field(subject)
        if field is None:
            sketch.unplaced.append(period.label)
        else:
            sketch.assumptions.append(f"The period is about {knows.field(field).label}.")
            period = period.model_copy(update={"field": field})
    categories = len(columns) == 1 and knows.field(columns[0]).role in {"category", "flag"}
    return Intent(
        subject=subject,
        columns=tuple(dict.fromkeys(columns)) or knows.list_fields(subject),
        distinct=sketch.distinct or (categories and not sketch.orders),
        filters=tuple(sketch.filters),
        period=period,
        order=tuple(orders),
        limit=sketch.limit,
    )


def _reachable(knows: Knowledge, dataset: str, other: str) -> bool:
    return dataset == other or knows.is_parent(dataset, other)


def _list_subject(sketch: Sketch, knows: Knowledge, columns: list[FieldRef]) -> str | None:
    """The rows to list: those from which everything named can be reached without repeating any."""
    candidates = list(
        dict.fromkeys([column.dataset for column in columns] + [thing.dataset for thing in sketch.things])
    ) or [item.field.dataset for item in sketch.filters if isinstance(item, Condition)]
    for candidate in candidates:
        if all(column.dataset == candidate or knows.is_parent(candidate, column.dataset) for column in columns):
            return candidate
    return candidates[0] if candidates else None


def _ranked_list(sketch: Sketch, knows: Knowledge, subject: str, columns: list[FieldRef], wish: OrderWish) -> Intent:
    """ "customer with the highest loan amount": the subject's rows, ranked by a figure over their many rows."""
    assert wish.field is not None  # noqa: S101 - the caller looked
    aggregate = knows.field(wish.field).default_aggregate or "sum"
    measure = Measure(aggregate=aggregate, field=wish.field)
    shown = tuple(columns) or knows.entity_fields(Thing(subject))
    return Intent(
        subject=subject,
        measures=(measure,),
        dimensions=tuple(Dimension(field=field) for field in dict.fromkeys(shown)),
        filters=tuple(sketch.filters),
        period=_period(sketch),
        order=(Order(measure=measure, descending=wish.descending),),
        limit=sketch.limit,
    )


# --- price ---------------------------------------------------------------------------------------------------------


def _futility(intent: Intent, knows: Knowledge) -> float:
    """Counting rows per their own key gives ones only: nobody asks that."""
    counted = {measure.dataset for measure in intent.measures if measure.aggregate == "count"}
    keys = {knows.key(dataset) for dataset in counted if dataset}
    return _FUTILE_COST * any(dimension.field in keys for dimension in intent.dimensions)


def _spread(intent: Intent, knows: Knowledge) -> float:
    """Readings whose parts lie close together in the schema are likelier."""
    places = [field.dataset for field in intent.columns]
    places += [dimension.field.dataset for dimension in intent.dimensions]
    for item in intent.filters:
        if isinstance(item, Condition):
            places.append(item.field.dataset)
        elif isinstance(item, Membership):
            places.append(item.dataset)
            places += [inner.field.dataset for inner in item.filters if isinstance(inner, Condition)]
    places += [order.field.dataset for order in intent.order if order.field]
    places += [item.field.dataset for m in intent.measures for item in m.filters if isinstance(item, Condition)]
    bases = [base for measure in intent.measures if (base := knows.base(measure))]
    center = bases[0] if bases else intent.subject or (places[0] if places else None)
    if center is None:
        return 0.0
    steps = [
        knows.distance(center, place) for place in {*places, *bases[1:], *([intent.subject] if intent.subject else [])}
    ]
    return sum(_NO_WAY_COST if step >= _FAR else step * _DISTANCE_COST for step in steps)
