"""Comparisons of fields and figures, where role, type and unit of both sides agree."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal

from ai_engine.built_in.grammar.chart import Phrase
from ai_engine.built_in.grammar.phrases import Bound, Cmp, Fig, Rows
from ai_engine.built_in.grammar.schema import COMPARISONS, Schema
from ai_engine.built_in.grammar.spans import span_of
from ai_engine.built_in.meanings import Number
from ai_engine.built_in.scales import LENGTH, PRICE, is_on
from ai_engine.built_in.tokens import Token
from ai_engine.built_in.units_of_measure import UNITS, WORDS, times_as_large
from ai_engine.built_in.word_classes import NAME_COST
from ai_engine.semantics.intent import Condition, FieldRef, Measure, Operator, Value
from ai_engine.semantics.model import Field
from ai_engine.semantics.names import singular
from ai_engine.semantics.words import stem, words

_DAYS_IN = {"weeks": 7, "months": 30, "years": 365, "days": 1}
_MONTHS_IN_A_YEAR = 12
_PERCENT = 100
_FEWEST_OF_A_WORD = 4  # letters: others are signs, as "kg" is
_FOR_EACH = frozenset({"per", "each"})
_UNITS_OF_TIME = frozenset({"days", "months", "years"})
_TIME = frozenset({"days", "weeks", "months", "years"})
TEXT_OPERATORS = frozenset({"contains", "starts with", "ends with"})
OPPOSITE: dict[Operator, Operator] = {
    "=": "!=", "!=": "=", "in": "not in", "not in": "in", "<": ">=", ">=": "<", ">": "<=", "<=": ">",
    "contains": "not contains", "starts with": "not starts with", "ends with": "not ends with",
    "is null": "is not null", "is not null": "is null",
}  # fmt: skip


def compared(s: Schema, field: FieldRef, cmp: Cmp) -> Condition | None:
    """A field compared with numbers, with a figure over all rows or with another field."""
    item = s.field(field)
    if cmp.fig is not None or cmp.aggregate is not None:
        if item.role != "measure" or cmp.operator not in COMPARISONS or (cmp.fig and cmp.fig.over):
            return None
        if cmp.fig and cmp.fig.core.aggregate == "sum":
            return None  # no row is above the total of all
        if cmp.over not in {None, field.dataset}:
            return None
        versus = s.measure(cmp.fig) if cmp.fig else Measure(aggregate=cmp.aggregate, field=field)
        if cmp.alike is not None and (s.up(field.dataset, cmp.alike.dataset) is None or versus.field is None):
            return None
        return Condition(field=field, operator=cmp.operator, versus=versus, times=cmp.times, alike=cmp.alike)
    if cmp.other is not None:
        if cmp.other == field or s.field(cmp.other).role != item.role:
            return None
        return Condition(field=field, operator=cmp.operator, other=cmp.other, times=cmp.times)
    numeric = item.role in {"category", "text"} and item.type != "text"
    if not (item.role in {"measure", "identifier"} or numeric) or cmp.operator in TEXT_OPERATORS or not cmp.numbers:
        return None
    values = [in_unit(s, field, number) for number in cmp.numbers]
    if any(value is None for value in values):
        return None
    return Condition(field=field, operator=cmp.operator, values=tuple(value for value in values if value is not None))


def in_unit(s: Schema, field: FieldRef, number: Number) -> Value | None:
    """A number in the unit of the field, None where they disagree."""
    item = s.field(field)
    if number.unit is None:
        return s.knows.typed(field, number)
    if number.unit == "money":
        return s.knows.typed(field, number) if item.unit not in {"percent", *_UNITS_OF_TIME} else None
    if number.unit == "percent":
        if item.unit == "fraction":
            return number.value / _PERCENT
        return s.knows.typed(field, number) if item.unit == "percent" else None
    size = how_many(s, number.unit, field)
    if size is not None:
        return s.knows.typed(field, number.value * size)
    if item.unit == "months" and number.unit == "years":
        return int(number.value * _MONTHS_IN_A_YEAR)
    if item.unit == "days":
        return days_of(number)
    return None


def measured_in(s: Schema, field: FieldRef) -> str | None:
    """The unit of a figure, of "weight kg" that in which its name ends; of a price per kg there is none."""
    item = s.field(field)
    said = words(item.label)
    if item.role != "measure" or _FOR_EACH.intersection(said):
        return None
    return item.unit if item.unit in WORDS.values() else WORDS.get(stem(said[-1]))


def how_many(s: Schema, unit: str, field: FieldRef) -> Decimal | None:
    """How many of the unit in which a figure is kept make up another one: 1000 kg are a tonne."""
    return Decimal(1) if unit == s.field(field).unit else times_as_large(unit, measured_in(s, field))


def one_of_them(s: Schema, unit: str, field: FieldRef) -> str:
    """The assumption what a unit is in the one in which the figure is kept."""
    size = times_as_large(unit, own := measured_in(s, field)) or Decimal(1)
    large, small, size = (unit, own, size) if size >= 1 else (own, unit, 1 / size)
    several = small if len(str(small)) < _FEWEST_OF_A_WORD or str(small).endswith("s") else f"{small}s"
    return f"1 {singular(str(large))} is {size.normalize():,f} {several}."


def counted_in(s: Schema, unit: str, dataset: str = "") -> tuple[FieldRef, ...]:
    """Every figure, or those of one dataset, whose name ends in a unit or another one of the same."""
    datasets = [each for each in s.knows.model.datasets if dataset in {"", each.name}]
    places = (FieldRef(dataset=each.name, field=item.name) for each in datasets for item in each.fields)
    return tuple(place for place in places if times_as_large(unit, measured_in(s, place)) is not None)


def on_scale(s: Schema, dataset: str, scale: str) -> FieldRef | None:
    """The only figure of its rows that is long or short, heavy or light; of several kinds the plainest one."""
    every = [item for item in s.knows.dataset(dataset).fields if item.role == "measure" and not item.sensitive]
    figures = [item for item in every if item.unit not in {"percent", "fraction"}]
    for kind in scale.split():
        found = [item for item in figures if is_on(kind, words(item.label))]
        if found:
            return FieldRef(dataset=dataset, field=found[0].name) if len(found) == 1 else None
    if scale == LENGTH:
        return span_of(s, dataset)
    return s.knows.main_measure(dataset, money_only=True) if scale == PRICE else None


def figure_compared(s: Schema, dataset: str, cmp: Cmp) -> FieldRef | None:
    """The only figure of its rows that is counted in the unit of a comparison, "above 10 km", or like another column.

    Parts "below the reorder level" are so by the quantity on hand, a whole number too, and not by what they cost.
    """
    if cmp.other is not None:
        alike = [item for item in s.knows.dataset(dataset).fields if _is_like(item, s.field(cmp.other))]
        found = tuple(FieldRef(dataset=dataset, field=item.name) for item in alike)
        return found[0] if len(found) == 1 and dataset == cmp.other.dataset else None
    if cmp.scale:
        return on_scale(s, dataset, cmp.scale)
    units = {number.unit for number in cmp.numbers if number.unit in WORDS.values()}
    found = counted_in(s, str(units.pop()), dataset) if len(units) == 1 else ()
    return found[0] if len(found) == 1 else None


def _is_like(item: Field, other: Field) -> bool:
    counted = (item.type == "integer") == (other.type == "integer") and item.unit == other.unit
    return item.role == "measure" == other.role and item.name != other.name and counted


def days_of(number: Number) -> int | None:
    """A stretch of time in days, None for other units."""
    return int(number.value * _DAYS_IN[number.unit]) if number.unit in _DAYS_IN else None


def negated(item: Condition) -> Condition:
    """The opposite condition."""
    return item.model_copy(update={"operator": OPPOSITE[item.operator]})


def bounds_of(s: Schema, fig: Fig, cmp: Cmp) -> tuple[Bound, ...]:
    """A figure of each group, compared; empty where that cannot be said."""
    if cmp.other or cmp.alike:
        return ()
    if cmp.aggregate:
        own = fig.core.field
        same = own is not None and fig.core == Measure(aggregate=cmp.aggregate, field=own) and not fig.implied
        if not same or own is None or fig.over or fig.less or cmp.over not in {None, own.dataset}:
            return ()
        cmp = replace(cmp, fig=replace(fig, rows=Rows(own.dataset) if cmp.over else fig.rows), aggregate=None)
    if any(number.unit == "percent" for number in cmp.numbers) and not _is_in_percent(s, fig):
        return ()
    if any(number.unit in _TIME for number in cmp.numbers) and _unit(s, fig) not in _TIME:
        return ()  # no amount is above 90 days
    if cmp.fig is not None:
        return (Bound(fig, cmp.operator, versus=cmp.fig, times=cmp.times),) if cmp.operator in COMPARISONS else ()
    if cmp.operator == "between":
        low, high = (number.value for number in cmp.numbers)
        return (Bound(fig, ">=", low), Bound(fig, "<=", high))
    return (Bound(fig, cmp.operator, cmp.numbers[0].value),) if cmp.operator in COMPARISONS else ()


def _is_in_percent(s: Schema, fig: Fig) -> bool:
    return fig.percent or _unit(s, fig) in {"percent", "fraction"}


def _unit(s: Schema, fig: Fig) -> str | None:
    item = s.field(fig.core.field) if fig.core.field else None
    return s.knows.model.metric(fig.core.metric).unit if fig.core.metric else item.unit if item else None


def figures_by_unit(tokens: tuple[Token, ...], schema: Schema) -> Iterator[Phrase]:
    """The kilometres of "charge per km" are those of each figure that is counted in them; metres are so many."""
    for place, token in enumerate(tokens[1:], 1):
        unit = UNITS.get(stem(token.word)) if tokens[place - 1].word in _FOR_EACH else None
        if unit is None:
            continue
        fields = counted_in(schema, unit)
        plain = [field for field in fields if how_many(schema, unit, field) == 1]
        for field in plain or fields:
            yield Phrase(place, place + 1, "Amt" if plain else "InUnits", field if plain else (field, unit), NAME_COST)
