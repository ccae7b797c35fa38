"""Ages, and days of rows held against other days: how long after, before, late."""

from __future__ import annotations

from ai_engine.built_in.grammar.construction import Constructions
from ai_engine.built_in.grammar.phrases import Cmp, Cond, Mod
from ai_engine.built_in.grammar.reasons import Priced, times
from ai_engine.built_in.grammar.schema import COMPARISONS, Schema
from ai_engine.built_in.grammar.units import days_of
from ai_engine.built_in.meanings import Days, Number
from ai_engine.semantics.intent import Condition, FieldRef

says = Constructions()


@says("Days", "Days -:or Days", "in 2024 or 2025")
def one_of_two_periods(s: Schema, first: Days, second: Days) -> Days | None:
    """Periods that follow on each other are one."""
    early, late = sorted((first, second), key=lambda days: str(days.start))
    if early.end is None or early.end != late.start or early.moment or late.moment:
        return None
    return Days(early.start, late.end, f"{first.label} or {second.label}")


_AGES = range(15, 110)


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


@says("Clause", "Event|Date :compare -Their? Date", "closed before the maturity date")
def day_against_day(s: Schema, event: FieldRef, operator: str, date: FieldRef) -> Priced | None:
    """ "paid after their due date": two days of one row, or of one that it belongs to."""
    steps = s.up(event.dataset, date.dataset)
    if operator not in COMPARISONS - {"="} or event == date or steps is None:
        return None
    later = Condition(field=event, operator=operator, other=date)
    return Priced(Mod((Cond(event.dataset, later),)), times("a step away", steps))


@says("Clause", "Event late", "paid late")
def too_late(s: Schema, event: FieldRef) -> Mod | None:
    due = s.due_day(event.dataset)
    later = Condition(field=event, operator=">", other=due)
    return Mod((Cond(event.dataset, later),)) if due and due != event else None


@says("Clause", "Event -on time", "paid on time")
def in_time(s: Schema, event: FieldRef) -> Mod | None:
    due = s.due_day(event.dataset)
    not_later = Condition(field=event, operator="<=", other=due)
    return Mod((Cond(event.dataset, not_later),)) if due and due != event else None


@says("Clause", "Date :compare Num -after|:compare Date", "disbursed more than 30 days after joining")
def days_after(s: Schema, end: FieldRef, operator: str, number: Number, start: FieldRef) -> Priced | None:
    days, steps = days_of(number), s.up(end.dataset, start.dataset)
    if days is None or steps is None or end == start:
        return None
    field = end.model_copy(update={"since": start})
    mod = Mod((Cond(end.dataset, Condition(field=field, operator=operator, values=(days,))),))
    return Priced(mod, times("a step away", steps))
