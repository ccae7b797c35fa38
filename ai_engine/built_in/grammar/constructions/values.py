"""Conditions that a value, a flag, a period or a day of the week states."""

from __future__ import annotations

from dataclasses import replace

from ai_engine.built_in.grammar.construction import Constructions
from ai_engine.built_in.grammar.mods import deny, flag_mod
from ai_engine.built_in.grammar.phrases import Both, Cond, Kind, Mod, OnDays, Standing, Unused, When, Who
from ai_engine.built_in.grammar.schema import Schema
from ai_engine.built_in.meanings import Days
from ai_engine.built_in.states import has_happened, has_not_happened
from ai_engine.semantics.intent import Condition, FieldRef

says = Constructions()
_HAS = frozenset({"has", "have"})
_DAYS_OF_A_WEEK = range(1, 8)


@says("Mod", "-That? -In|by|through|via|per|as? Vals", "in Pune")
def valued(s: Schema, kind: Kind) -> Mod:
    if kind.both and len(kind.condition.values) == len(("one", "other")):  # who has tippers and curtains has many
        one, other = (
            replace(kind, condition=kind.condition.model_copy(update={"operator": "=", "values": (value,)}), both=False)
            for value in kind.condition.values[:2]
        )
        return Mod((Both(one, other, each=replace(kind, both=False)),))
    return Mod((Cond(kind.dataset, kind.condition, told=True),))


@says("Mod", "-:have Vals", "holding premium")
def held(s: Schema, kind: Kind) -> Mod | None:
    return valued(s, kind) if not kind.both else None


@says("Mod", "-That? -:not -In|by|through|via? Vals", "that are not closed")
@says("Mod", "-That? -:have? -:not Rel", "who have no loans")
@says("Mod", "-That? -:not -:have Rel", "who do not have a loan")
def not_valued(s: Schema, said: Kind | Mod) -> Mod | None:
    condition = said.condition if isinstance(said, Kind) else None
    if condition is not None and s.field(condition.field).role == "flag":
        yes, no = (flag_mod(s, condition.field, yes=held) for held in (True, False))
        turned = {one.parts: other for one, other in ((yes, no), (no, yes))}
        return turned.get((Cond(condition.field.dataset, condition),)) or deny(
            Mod((Cond(condition.field.dataset, condition),))
        )
    return deny(said.mod if isinstance(said, Kind) else said)


@says("Mod", "-That? -:not Vals -:not Vals", "neither retail nor SME")
def none_of(s: Schema, first: Kind, second: Kind) -> Mod | None:
    a, b = first.condition, second.condition
    if a.field == b.field:
        joined = a.model_copy(update={"operator": "not in", "values": (*a.values, *b.values)})
        return Kind(first.dataset, joined).mod
    one, other = deny(first.mod), deny(second.mod)
    return Mod((*one.parts, *other.parts)) if one and other else None


@says("Mod", "-That? Flag", "that are NPA")
def is_flag(s: Schema, flag: FieldRef) -> Mod:
    return flag_mod(s, flag, yes=True)


@says("Mod", "-That? -:not Flag", "that are not NPA")
def is_no_flag(s: Schema, flag: FieldRef) -> Mod:
    return flag_mod(s, flag, yes=False)


@says("Mod", "-Has|with Flag", "with an allergy")
def has_flag(s: Schema, flag: FieldRef) -> Mod | None:
    """ "rooms with a balcony", where a flag says which have one."""
    return flag_mod(s, flag, yes=True) if s.field(flag).label.split()[0] in _HAS else None


@says("Mod", "-:who Mod", "who are in Pune")
def of_people(s: Schema, mod: Mod) -> Mod | None:
    plain = len(mod.parts) == 1 and isinstance(mod.parts[0], When) and mod.parts[0].dated is None
    return Mod((Who(), *mod.parts)) if not plain else None  # "who in October": did what


@says("Mod", "-:who -In|during? Days Mod", "who in October used UPI")
def of_people_then(s: Schema, days: Days, mod: Mod) -> Mod | None:
    return Mod((Who(), *mod.parts, When(days))) if not days.moment else None


# -- fields with their values ------------------------------------------------------------------------------------


@says("Clause", "Field -:have? Vals", "KYC has expired")
def field_valued(s: Schema, field: FieldRef, kind: Kind) -> Mod | None:
    same = kind.condition.field.field == field.field and kind.dataset == field.dataset
    return Kind(kind.dataset, kind.condition.model_copy(update={"field": field})).mod if same else None


@says("Clause", "-:not Vals Field", "not closed status")
def not_of_field(s: Schema, kind: Kind, field: FieldRef) -> Mod | None:
    return field_not_valued(s, field, kind)


@says("Clause", "Field -:not Vals", "status not closed")
@says("Clause", "Field -:compare=!= Vals", "a type different from savings")
def field_not_valued(s: Schema, field: FieldRef, kind: Kind) -> Mod | None:
    found = field_valued(s, field, kind)
    return found and deny(found)


@says("Clause", "Field|Amt|Date :empty", "closing date is missing")
@says("Clause", ":empty Field|Amt|Date", "missing closing date")
@says("Clause", "-without|no|lacking any|a|an? Field|Amt|Date", "without a closing date")
@says("Clause", "Field|Amt|Date -we -:not -know|have|hold", "annual income we do not know")
@says(
    "Clause", "-:not -given|provided|supplied|declared -us? -any|a|an|their? Field|Amt|Date", "not given an occupation"
)
def missing(s: Schema, *given: object) -> Mod:
    field = next(item for item in given if isinstance(item, FieldRef))
    return Mod((Cond(field.dataset, Condition(field=field, operator="is null")),))


@says("Clause", "-:not Date|Event", "never disbursed")
def not_come_about(s: Schema, event: FieldRef) -> Mod:
    return Mod((Cond(event.dataset, has_not_happened(event, s.knows)),))


@says("Mod", "-That|:have? Event", "disbursed")
def came_about(s: Schema, event: FieldRef) -> Mod | None:
    """ "loans disbursed but not closed": on whatever day that was."""
    come = has_happened(event, s.knows)
    return Mod((Cond(event.dataset, come, own=True),)) if come else None


@says("Mod", "-That? -still? -open", "that are still open")
def standing(s: Schema) -> Mod:
    return Mod((Standing(),))


@says("Clause", "Field|Date|Amt -known", "closing date is known")
@says("Mod", "-Has a|an Field|Date|Amt", "with a closing date")
def known(s: Schema, field: FieldRef) -> Mod | None:
    """ "with a closing date": those that have one."""
    if not s.knows.may_lack(field):
        return None
    return Mod((Cond(field.dataset, Condition(field=field, operator="is not null"), own=True),))


# -- periods -----------------------------------------------------------------------------------------------------


@says("Mod", "Days", "as of today")
def as_of_now(s: Schema, days: Days) -> Mod | None:
    return Mod(()) if days.moment and days.end is not None and (days.end - s.knows.as_of).days == 1 else None


@says("Mod", "-In? Days", "as on 31 March 2026")
def at_a_moment(s: Schema, days: Days) -> Mod | None:
    return Mod((When(days),)) if days.moment else None


@says("Mod", "-In|during? Days", "in October 2026")
@says("Mod", "-:have -In|during? Days", "made last year")
def in_period(s: Schema, days: Days) -> Mod | None:
    return Mod((When(days),)) if not days.moment else None


@says("Mod", "-That|:have? Date -In|during? Days", "opened in 2025")
def dated(s: Schema, field: FieldRef, days: Days) -> Mod | None:
    return Mod((When(days, field),)) if not days.moment else None


@says("Mod", "-In? :weekday", "on Sundays")
def on_weekday(s: Schema, numbers: str) -> Mod:
    return Mod((OnDays(tuple(map(int, numbers.split()))),))


@says("Mod", "-:not -In? :weekday", "not on Sundays")
def off_weekday(s: Schema, numbers: str) -> Mod:
    return Mod((OnDays(tuple(day for day in _DAYS_OF_A_WEEK if str(day) not in numbers.split())),))


@says("Mod", "-That|:what? -:nobody -:have?", "that nobody uses")
@says("Mod", "-That? -:not -used", "never used")
def unused(s: Schema) -> Mod:
    return Mod((Unused(),))
