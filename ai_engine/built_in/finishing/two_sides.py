"""Two values set against each other: "ratio of debit to credit cards", "difference between east and west"."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from decimal import Decimal

from ai_engine.built_in.meanings import Days
from ai_engine.built_in.sketch import Sketch
from ai_engine.semantics.intent import Condition, FieldRef, Filter, Measure, Membership, Value

_TWO = 2


def sides_of(sketch: Sketch) -> tuple[Condition, Condition, tuple[Filter, ...]] | None:
    """The two conditions on one field that a ratio or difference is between, and the filters that hold for both."""
    between_two = sketch.transform == "change" and sketch.compare is None
    if not (sketch.ratio or (between_two and (sketch.difference or not sketch.groups_by_time))):
        return None
    plain = [item for item in sketch.filters if isinstance(item, Condition)]
    for item in plain:
        if item.operator == "in" and len(item.values) == _TWO:
            first, second = (item.model_copy(update={"operator": "=", "values": (value,)}) for value in item.values)
            return first, second, _without(sketch.filters, item)
    for place, item in enumerate(plain):
        for other in plain[place + 1 :]:
            if item.field == other.field and item.operator == other.operator == "=" and item.values != other.values:
                return item, other, _without(sketch.filters, item, other)
    return None


def set_against(measure: Measure, one: Sequence[Filter], other: Sequence[Filter], *, as_ratio: bool = False) -> Measure:
    """The figure of the rows of one side over, or minus, that of the other's."""
    first = measure.model_copy(update={"filters": (*measure.filters, *one)})
    second = measure.model_copy(update={"filters": (*measure.filters, *other)})
    return first.model_copy(update={"denominator" if as_ratio else "minus": second})


def one_over_the_other(sketch: Sketch, measures: list[Measure]) -> list[Measure]:
    """ "ratio of loans to deposits", "fees as a percentage of balances": conditions must hold for both figures."""
    if len(measures) != _TWO:
        sketch.unplaced.append("ratio of what to what")
        return measures
    unlike = sketch.in_percent and (measures[0].aggregate == "count") != (measures[1].aggregate == "count")
    if sketch.narrowed_before or unlike:
        sketch.unplaced.append("percentage of what")
    return [measures[0].model_copy(update={"denominator": measures[1], "percent": sketch.in_percent})]


def later_of_two_years(period: Days | None) -> Days | None:
    """The second year where a period is two whole years: growth between 2024 and 2025 is that of 2025."""
    if period is None or period.start is None or period.end is None:
        return None
    whole = (period.start.month, period.start.day) == (period.end.month, period.end.day) == (1, 1)
    if not whole or period.end.year - period.start.year != _TWO:
        return None
    year = period.end.year - 1
    return Days(date(year, 1, 1), period.end, str(year))


def contradicts(filters: Sequence[Filter]) -> bool:
    """Tell whether one field should be two things at once: no row ever is, so nobody asks it."""
    plain = [item for item in filters if isinstance(item, Condition)]
    if any(item.other == item.field for item in plain) or any(
        contradicts(item.filters) for item in filters if isinstance(item, Membership)
    ):
        return True
    above = [item for item in plain if item.operator in {">", ">="} and item.values]
    below = [item for item in plain if item.operator in {"<", "<="} and item.values]
    return _nothing_is_left(plain) or any(
        least.field == most.field and _is_beyond(least.values[0], most) for least in above for most in below
    )


def _nothing_is_left(plain: Sequence[Condition]) -> bool:
    """ "savings or current accounts, fixed deposits": no value of the field is allowed by all that is said of it."""
    left: dict[FieldRef, set[Value]] = {}
    for item in plain:
        if item.operator in {"=", "in"} and item.values:
            left[item.field] = left.get(item.field, set(item.values)).intersection(item.values)
    for item in plain:
        if item.operator in {"!=", "not in"} and item.field in left:
            left[item.field] = left[item.field].difference(item.values)
    return not all(left.values())


def _is_beyond(least: Value, most: Condition) -> bool:
    """Whether nothing lies between; days on which one stretch ends and another begins are in one of them only."""
    limit = most.values[0]
    if isinstance(least, date) and isinstance(limit, date) and type(least) is type(limit):
        return least > limit or (least == limit and most.operator == "<")
    both_numbers = isinstance(least, int | float | Decimal) and isinstance(limit, int | float | Decimal)
    return both_numbers and least > limit  # type: ignore[operator]


def _without(filters: Sequence[Filter], *gone: Filter) -> tuple[Filter, ...]:
    return tuple(item for item in filters if not any(item is one for one in gone))
