"""Comparisons: with numbers, averages, figures, other fields, of texts and of ages, and the fields they are about."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

from ai_engine.built_in.grammar.construction import Constructions
from ai_engine.built_in.grammar.mods import deny
from ai_engine.built_in.grammar.phrases import Amount, Bound, Cmp, Cond, Fig, Mod, Rows
from ai_engine.built_in.grammar.schema import COMPARISONS, Schema
from ai_engine.built_in.grammar.units import TEXT_OPERATORS, bounds_of, compared
from ai_engine.built_in.meanings import Number, Stored, Thing
from ai_engine.built_in.scales import Adjective
from ai_engine.semantics.intent import Condition, FieldRef, Measure

says = Constructions()
_HUNDRED = Decimal(100)
_FEW = 1000  # a bare number below this is rather a count than an amount
_ENDS = frozenset({"avg", "median", "max", "min"})
_OF_OWN = frozenset({"avg", "max", "min"})
_YEARS = (1900, 2100)  # "not before 2023" is no amount


@says("Cmp", ":compare Num", "over 5 lakh")
def than(s: Schema, operator: str, number: Number) -> Cmp | None:
    return Cmp(operator, (number,)) if operator != "between" else None


@says("Cmp", "Degree|Weighing +Cmp", "cheaper than 500")
@says("Cmp", "Cmp +Base", "over 500 expensive")
def on_its_scale(s: Schema, *given: Adjective | Cmp) -> Cmp | None:
    cmp = next(item for item in given if isinstance(item, Cmp))
    said = next(item for item in given if isinstance(item, Adjective))
    return replace(cmp, scale=said.scale) if not cmp.scale else None


@says("Cmp", "Num :compare", "600 and above")
def or_more(s: Schema, number: Number, operator: str) -> Cmp | None:
    return Cmp(operator, (number,)) if operator in {">=", "<=", ">", "<"} else None


@says("Cmp", "-:compare=between Num -:and|to Num", "between 9 and 11 percent")
def between(s: Schema, low: Number, high: Number) -> Cmp:
    if low.unit is None:
        low = Number(low.value, high.unit)
    return Cmp("between", (low, Number(high.value, high.unit or low.unit)))


@says("Cmp", "-from Num -to|:and Num", "from 5 to 10 lakh")
@says("Cmp", "Num -to Num", "5 to 10 lakh")
def from_to(s: Schema, low: Number, high: Number) -> Cmp | None:
    both_years = _may_be_a_year(low) and _may_be_a_year(high)  # "in 2024 and in 2025"
    return None if both_years else between(s, low, high)


@says("Cmp", ":compare :aggregate", "above average")
@says("Cmp", ":compare :aggregate -of? Anybody|N", "above the average of all customers")
def than_average(s: Schema, operator: str, aggregate: str, rows: Rows | None = None) -> Cmp | None:
    if aggregate not in _ENDS or (rows is not None and rows.narrowed):
        return None
    return Cmp(operator, aggregate=aggregate, over=rows.dataset if rows else None)


@says("Cmp", ":compare Fig", "above the average balance of savings accounts")
def than_figure(s: Schema, operator: str, fig: Fig) -> Cmp | None:
    return Cmp(operator, fig=fig) if not fig.implied and fig.core.aggregate != "count" else None


@says("Cmp", ":compare Amt|Date", "above the annual income")
def than_field(s: Schema, operator: str, field: FieldRef) -> Cmp:
    return Cmp(operator, other=field)


@says("Cmp", ":compare Amt -of -Their? Thing", "above the loan amount of the loan")
def than_field_of(s: Schema, operator: str, field: FieldRef, thing: Thing) -> Cmp | None:
    return Cmp(operator, other=field) if field.dataset == thing.dataset and not thing.via else None


@says("Part", "half", "half")
def half(s: Schema) -> Decimal:
    return Decimal("0.5")


@says("Part", "quarter", "a quarter")
def quarter(s: Schema) -> Decimal:
    return Decimal("0.25")


@says("Part", "twice|double", "twice")
def twice(s: Schema) -> Decimal:
    return Decimal(2)


@says("Part", "Num -and -a|one? -half -times|as", "two and a half times")
def and_a_half(s: Schema, number: Number) -> Decimal | None:
    times = as_often(s, number)
    return times + half(s) if times is not None else None


@says("Part", "Num -times", "3 times")
def as_often(s: Schema, number: Number) -> Decimal | None:
    return number.value if number.unit is None else None


@says("Part", "Num", "60%")
def percent(s: Schema, number: Number) -> Decimal | None:
    return number.value / _HUNDRED if number.unit == "percent" else None


@says("Cmp", ":compare Part -of? -Their? Amt", "above 60% of the loan amount")
def than_part(s: Schema, operator: str, times: Decimal, field: FieldRef) -> Cmp | None:
    return Cmp(operator, other=field, times=times)


@says("Cmp", "Num Cmp", "20% above the average")
def by_so_many_percent(s: Schema, number: Number, cmp: Cmp) -> Cmp | None:
    """ "20% above the average" is above 120% of it."""
    side = {">": 1, ">=": 1, "<": -1, "<=": -1}.get(cmp.operator)
    if number.unit != "percent" or side is None or cmp.times is not None or not (cmp.aggregate or cmp.fig):
        return None
    return replace(cmp, times=1 + side * number.value / _HUNDRED)


@says("Cmp", ":compare? Part -as? Base -as :aggregate -N?", "more than twice as expensive as the average")
def so_many_times_as(s: Schema, *given: object) -> Cmp | None:
    *operator, times, said, aggregate = given
    if not isinstance(times, Decimal) or not isinstance(said, Adjective) or aggregate not in _ENDS:
        return None
    least = str(operator[0]) if operator else ">="
    return Cmp(least, aggregate=str(aggregate), times=times, scale=said.scale)


@says("Cmp", ":compare Part -of? :aggregate", "above twice the average")
@says("Cmp", ":compare Part -of? Fig", "above twice the average balance of savings accounts")
@says("Cmp", ":compare Part -of? :aggregate -of? Anybody|N", "above twice the average of all loans")
def than_part_of_average(
    s: Schema, operator: str, times: Decimal, said: str | Fig, rows: Rows | None = None
) -> Cmp | None:
    found = than_figure(s, operator, said) if isinstance(said, Fig) else than_average(s, operator, said, rows)
    return found and replace(found, times=times)


@says("Cmp", "Cmp -In? -Their -own? Field|Thing", "above the average balance of their account type")
@says("Cmp", "Cmp -In? -:same== Field|Thing", "above the average balance for the same account type")
def than_that_of_their_own(s: Schema, cmp: Cmp, said: FieldRef | Thing) -> Cmp | None:
    """ "above the average of its loan type": over the rows that are alike."""
    averaged = cmp.aggregate or (cmp.fig.core.aggregate if cmp.fig else None)
    alike = said if isinstance(said, FieldRef) else s.knows.key(said.dataset)
    if averaged not in _OF_OWN or cmp.alike or alike is None or (cmp.fig and (cmp.fig.over or cmp.fig.less)):
        return None
    return replace(cmp, alike=alike)


# -- of what -----------------------------------------------------------------------------------------------------


@says("Clause", "Amt -:compare=? -of? Cmp", "balance above 5 lakh")
@says("Clause", "Field -of? Cmp", "account number above 5")
def field_compared(s: Schema, field: FieldRef, cmp: Cmp) -> Mod | None:
    made = compared(s, field, cmp)
    return Mod((Cond(field.dataset, made),)) if made else None


@says("Clause", "Cmp -of|in? Amt", "over 60 days past due")
def compared_first(s: Schema, cmp: Cmp, field: FieldRef) -> Mod | None:
    return field_compared(s, field, cmp)


@says("Clause", "Num Amt", "90 days past due")
def as_much(s: Schema, number: Number, field: FieldRef) -> Mod | None:
    return None if _may_be_a_year(number) else field_compared(s, field, Cmp("=", (number,)))


@says("Nums", "Num", "700")
def one_number(s: Schema, number: Number) -> tuple[Number, ...]:
    return (number,)


@says("Nums", "Nums -And|:or Num", "1 or 2")
def several_numbers(s: Schema, numbers: tuple[Number, ...], number: Number) -> tuple[Number, ...]:
    return (*numbers, number)


@says("Clause", "-in|at|of? Amt|Field -:have|of? Nums", "credit score 700")
def equal(s: Schema, field: FieldRef, numbers: tuple[Number, ...]) -> Mod | None:
    if s.field(field).role == "identifier" or any(map(_may_be_a_year, numbers)):
        return None
    return field_compared(s, field, Cmp("=" if len(numbers) == 1 else "in", numbers))


def _may_be_a_year(number: Number) -> bool:
    return number.unit is None and _YEARS[0] <= number.value < _YEARS[1]


@says("Clause", "Fig Cmp", "deposits exceed 25 crore")
def figure_bounded(s: Schema, fig: Fig, cmp: Cmp) -> Mod | None:
    if cmp.other is not None or cmp.alike is not None or (fig.core.aggregate == "count" and not fig.percent):
        return None
    if cmp.fig is not None and cmp.fig.core.aggregate not in _ENDS:
        return against_another(fig, cmp.operator, cmp.fig) if cmp.times is None else None
    bounds = bounds_of(s, fig, cmp)
    return Mod(bounds) if bounds else None


def against_another(fig: Fig, operator: str, other: Fig) -> Mod | None:
    """One figure of a thing held against another of the same thing."""
    same = (fig.core, fig.rows) == (other.core, other.rows)
    if operator not in COMPARISONS or fig.over or fig.less or other.over or other.less or same:
        return None
    return Mod((Bound(replace(fig, less=other), operator, Decimal(0)),))


@says("Clause", "Rows Cmp -:aggregate=sum", "loans above 10 lakh in total")
def total_bounded(s: Schema, rows: Rows, cmp: Cmp) -> Mod | None:
    fig = s.main_figure(rows) if not rows.bounds else None
    return figure_bounded(s, fig, cmp) if fig else None


@says("Clause", "Cmp -of|in? Fig", "over 10 lakh in deposits")
def bounded_first(s: Schema, cmp: Cmp, fig: Fig) -> Mod | None:
    return figure_bounded(s, fig, cmp) if not cmp.fig else None


@says("Clause", "Extreme|:aggregate Amt", "the maximum balance")
def is_the_extreme(s: Schema, aggregate: str, field: FieldRef) -> Mod | None:
    if aggregate not in {"max", "min"}:
        return None
    versus = Measure(aggregate=aggregate, field=field)
    return Mod((Cond(field.dataset, Condition(field=field, operator="=", versus=versus)),))


@says("Clause", "Extreme|:aggregate N -:amount", "the maximum loan amount")
def is_the_extreme_of(s: Schema, aggregate: str, rows: Rows) -> Mod | None:
    field = s.main_amount(rows, money_only=True)
    return is_the_extreme(s, aggregate, field) if field is not None and not rows.narrowed else None


@says("Clause", "Amt :sign", "balance is negative")
@says("Clause", ":sign Amt", "negative balance")
def signed(s: Schema, *given: object) -> Mod:
    field = next(item for item in given if isinstance(item, FieldRef))
    sign = next(item for item in given if isinstance(item, str))
    return Mod((Cond(field.dataset, Condition(field=field, operator=sign, values=(0,))),))


@says("Mod", "-That|Has|of? Cmp", "over 5 lakh")
def amount(s: Schema, cmp: Cmp) -> Mod | None:
    number = cmp.numbers[0] if cmp.numbers else None
    if number is not None and _may_be_a_year(number) and not cmp.scale:
        return None
    small = cmp.numbers and cmp.numbers[0].unit is None and cmp.numbers[0].value < _FEW and not (cmp.fig or cmp.scale)
    return None if small or cmp.operator not in {*COMPARISONS, "between"} else Mod((Amount(cmp),))


# -- texts -------------------------------------------------------------------------------------------------------


@says("Clause", "Field :compare Quote|Word|Val|ValN", "name starts with A")
def text_compared(s: Schema, field: FieldRef, operator: str, text: object) -> Mod | None:
    if operator not in TEXT_OPERATORS:
        return None
    said = text if isinstance(text, str) else str(text.value if isinstance(text, Stored) else getattr(text, "text", ""))
    return Mod((Cond(field.dataset, Condition(field=field, operator=operator, values=(said,))),))


@says("Clause", "Field -:not :compare Quote|Word", "name does not contain x")
def text_not(s: Schema, field: FieldRef, operator: str, text: object) -> Mod | None:
    found = text_compared(s, field, operator, text)
    return found and deny(found)


@says("Clause", ":compare Quote|Word -in -Their? Field", "with the letter z in their name")
def text_in(s: Schema, operator: str, text: object, field: FieldRef) -> Mod | None:
    return text_compared(s, field, operator, text)
