"""Comparisons: with numbers, averages, figures, other fields, of texts and of ages, and the fields they are about."""

from __future__ import annotations

from decimal import Decimal

from ai_engine.built_in.grammar.construction import Constructions
from ai_engine.built_in.grammar.mods import deny
from ai_engine.built_in.grammar.phrases import Amount, Beyond, Cmp, Cond, Fig, Mod, Priced, Rows, times
from ai_engine.built_in.grammar.schema import COMPARISONS, Schema, bounds_of
from ai_engine.built_in.grammar.units import TEXT_OPERATORS, compared, days_of
from ai_engine.built_in.meanings import Number, Stored, Thing
from ai_engine.semantics.intent import Condition, FieldRef, Measure

says = Constructions()
_HUNDRED = Decimal(100)
_FEW = 1000  # a bare number below this is rather a count than an amount
_ENDS = frozenset({"avg", "median", "max", "min"})
_AGES = range(15, 110)
_YEARS = (1900, 2100)  # "not before 2023" is no amount


@says("Cmp", ":compare Num", "over 5 lakh")
def than(s: Schema, operator: str, number: Number) -> Cmp | None:
    return Cmp(operator, (number,)) if operator != "between" else None


@says("Cmp", "Num :compare", "600 and above")
def or_more(s: Schema, number: Number, operator: str) -> Cmp | None:
    return Cmp(operator, (number,)) if operator in {">=", "<=", ">", "<"} else None


@says("Cmp", "-:compare=between Num -:and|to Num", "between 9 and 11 percent")
@says("Cmp", "-from? Num -to|:and Num", "from 5 to 10 lakh")
def between(s: Schema, low: Number, high: Number) -> Cmp:
    if low.unit is None:
        low = Number(low.value, high.unit)
    return Cmp("between", (low, Number(high.value, high.unit or low.unit)))


@says("Cmp", ":compare :aggregate", "above average")
@says("Cmp", ":compare :aggregate -of Anybody|N", "above the average of all customers")
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


@says("Part", "Num -times", "3 times")
def as_often(s: Schema, number: Number) -> Decimal | None:
    return number.value if number.unit is None else None


@says("Part", "Num", "60%")
def percent(s: Schema, number: Number) -> Decimal | None:
    return number.value / _HUNDRED if number.unit == "percent" else None


@says("Cmp", ":compare Part -of? -Their? Amt", "above 60% of the loan amount")
def than_part(s: Schema, operator: str, times: Decimal, field: FieldRef) -> Cmp | None:
    return Cmp(operator, other=field, times=times)


@says("Cmp", ":compare Part -of? :aggregate", "above twice the average")
@says("Cmp", ":compare Part -of? :aggregate Amt", "above twice the average balance")
@says("Cmp", ":compare Part -of? :aggregate N", "above twice the average loan")
def than_part_of_average(
    s: Schema, operator: str, times: Decimal, aggregate: str, of: FieldRef | Rows | None = None
) -> Cmp | None:
    if aggregate not in _ENDS or (isinstance(of, Rows) and of.narrowed):
        return None
    if isinstance(of, FieldRef):
        return Cmp(operator, fig=Fig(Measure(aggregate=aggregate, field=of), Rows(of.dataset)), times=times)
    return Cmp(operator, aggregate=aggregate, times=times, over=of.dataset if of else None)


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


@says("Clause", "Amt -:have|of? Num", "credit score 700")
def equal(s: Schema, field: FieldRef, number: Number) -> Mod | None:
    return as_much(s, number, field)


def _may_be_a_year(number: Number) -> bool:
    return number.unit is None and _YEARS[0] <= number.value < _YEARS[1]


@says("Clause", "Fig Cmp", "deposits exceed 25 crore")
def figure_bounded(s: Schema, fig: Fig, cmp: Cmp) -> Mod | None:
    if cmp.other is not None or cmp.aggregate is not None or fig.core.aggregate == "count":
        return None
    if cmp.fig is not None and cmp.fig.core.aggregate not in _ENDS:
        return Mod((Beyond("one total compared with another of the same"),))
    bounds = bounds_of(fig, cmp)
    return Mod(bounds) if bounds else None


@says("Clause", "Rows Cmp -:aggregate=sum", "loans above 10 lakh in total")
def total_bounded(s: Schema, rows: Rows, cmp: Cmp) -> Mod | None:
    fig = s.main_figure(rows) if not rows.bounds else None
    return figure_bounded(s, fig, cmp) if fig else None


@says("Clause", "Cmp -of|in? Fig", "over 10 lakh in deposits")
def bounded_first(s: Schema, cmp: Cmp, fig: Fig) -> Mod | None:
    return figure_bounded(s, fig, cmp) if not cmp.fig else None


@says(
    "Clause",
    "Amt|Fig :compare :aggregate Amt? -In? -Their -own? Field|Thing",
    "income is above the average income of their segment",
)
def than_own_group(s: Schema, *given: object) -> Mod | None:
    aggregate = next((item for item in given if isinstance(item, str) and item in _ENDS), None)
    group = given[-1]
    if aggregate is None or not isinstance(group, FieldRef | Thing):
        return None
    label = s.field(group).label if isinstance(group, FieldRef) else s.knows.dataset(group.dataset).label
    return Mod((Beyond(f"an {'average' if aggregate == 'avg' else aggregate} for each {label}"),))


@says("Clause", "Extreme|:aggregate Amt", "the maximum balance")
def is_the_extreme(s: Schema, aggregate: str, field: FieldRef) -> Mod | None:
    if aggregate not in {"max", "min"}:
        return None
    versus = Measure(aggregate=aggregate, field=field)
    return Mod((Cond(field.dataset, Condition(field=field, operator="=", versus=versus)),))


@says("Clause", "Extreme|:aggregate N -:amount", "the maximum loan amount")
def is_the_extreme_of(s: Schema, aggregate: str, rows: Rows) -> Mod | None:
    field = s.knows.main_measure(rows.dataset, money_only=True)
    return is_the_extreme(s, aggregate, field) if field is not None and not rows.narrowed else None


@says("Clause", "Amt :sign", "balance is negative")
@says("Clause", ":sign Amt", "negative balance")
def signed(s: Schema, *given: object) -> Mod:
    field = next(item for item in given if isinstance(item, FieldRef))
    sign = next(item for item in given if isinstance(item, str))
    return Mod((Cond(field.dataset, Condition(field=field, operator=sign, values=(0,))),))


@says("Mod", "-That|:have|of? Cmp", "over 5 lakh")
def amount(s: Schema, cmp: Cmp) -> Mod | None:
    number = cmp.numbers[0] if cmp.numbers else None
    if number is not None and _may_be_a_year(number):
        return None
    small = cmp.numbers and cmp.numbers[0].unit is None and cmp.numbers[0].value < _FEW and cmp.fig is None
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


# -- ages and days -----------------------------------------------------------------------------------------------


@says("Mod", "-That? Aged", "older than 60")
def aged_mod(s: Schema, mod: Mod) -> Mod:
    return mod


@says("Aged", ":older Num", "older than 60")
@says("Aged", ":compare Num", "over 60 years old")
def aged(s: Schema, operator: str, number: Number) -> Mod | None:
    return _of_age(s, Cmp(operator, (number,))) if operator in COMPARISONS - {"="} else None


@says("Aged", "-:older=between? Num :older", "aged 60 or older")
def aged_or_more(s: Schema, number: Number, operator: str) -> Mod | None:
    return _of_age(s, Cmp(operator, (number,))) if operator in {"<=", ">="} else None


@says("Aged", "-:older=between|:compare=between Num -:and|to Num", "aged between 30 and 40")
def aged_between(s: Schema, low: Number, high: Number) -> Mod | None:
    return _of_age(s, Cmp("between", (low, high)))


def _of_age(s: Schema, cmp: Cmp) -> Mod | None:
    age = s.knows.age_field(s.knows.people) if s.knows.people else None
    values = tuple(int(number.value) for number in cmp.numbers)
    if age is None or any(value not in _AGES for value in values):
        return None
    if any(number.unit not in {None, "years"} for number in cmp.numbers):
        return None
    return Mod((Cond(age.dataset, Condition(field=age, operator=cmp.operator, values=values), own=True),))


@says(
    "Clause", "Date -:elapsed=within|within|:compare=<= Num -of|after|from Date", "disbursed within 30 days of joining"
)
def soon_after(s: Schema, end: FieldRef, number: Number, start: FieldRef) -> Priced | None:
    return days_after(s, end, "<=", number, start)


@says("Clause", "Date :compare Num -after|:compare Date", "disbursed more than 30 days after joining")
def days_after(s: Schema, end: FieldRef, operator: str, number: Number, start: FieldRef) -> Priced | None:
    days, steps = days_of(number), s.up(end.dataset, start.dataset)
    if days is None or steps is None or end == start:
        return None
    field = end.model_copy(update={"since": start})
    mod = Mod((Cond(end.dataset, Condition(field=field, operator=operator, values=(days,))),))
    return Priced(mod, times("a step away", steps))
