"""What figures are grouped by: fields, things, steps of time."""

from __future__ import annotations

from dataclasses import replace

from ai_engine.built_in.grammar.construction import Constructions
from ai_engine.built_in.grammar.narrowing import narrow
from ai_engine.built_in.grammar.phrases import Group, Mod, Related, Rows, When
from ai_engine.built_in.grammar.reasons import Priced, Reason
from ai_engine.built_in.grammar.schema import Schema
from ai_engine.built_in.meanings import Step, Thing
from ai_engine.semantics.intent import FieldRef

says = Constructions()


@says("Group", "-:distinct|:each? Field|Flag", "region")
def by_field(s: Schema, field: FieldRef) -> Group:
    return Group(field=field)


@says("Group", "-:distinct|:each? Thing +Field", "customer city")
def by_field_of(s: Schema, thing: Thing, field: FieldRef) -> Group | None:
    """Of what the thing belongs to."""
    above = thing.dataset != field.dataset and not thing.via and not field.via
    return Group(field=field, of=thing.dataset) if above and s.up(thing.dataset, field.dataset) else None


@says("Group", "Date", "opening date")
def by_date(s: Schema, field: FieldRef) -> Group:
    by_day = s.field(field).type == "timestamp"
    return Group(field=field.model_copy(update={"grain": "day"}) if by_day else field, filled=False)


@says("Group", "Amt", "credit score")
def by_amount(s: Schema, field: FieldRef) -> Group | None:
    return Group(field=field) if s.field(field).type == "integer" else None


@says("Group", "-:each? N", "each branch")
def by_thing(s: Schema, rows: Rows) -> Priced | None:
    if rows.period or rows.bounds or any(item.kind != "condition" for item in rows.filters):
        return None
    several = rows.said.endswith("s")
    if not rows.filters:
        return Priced(Group(thing=rows.dataset, via=rows.via, plural=several))
    mods = (Related(replace(rows, via=()), of=True),)
    return Priced(Group(thing=rows.dataset, via=rows.via, mods=mods, plural=several), ("a narrowed group",))


@says("Group", "Group Mod", "branches in Karnataka")
def narrowed(s: Schema, group: Group, mod: Mod) -> Group | None:
    if group.step and all(isinstance(part, When) and part.dated is None for part in mod.parts) and not group.mods:
        return replace(group, mods=mod.parts)
    if group.thing is None or len(mod.parts) != 1 or group.mods:
        return None
    found = narrow(s, Rows(group.thing, group.via), mod)
    if found is None or found.value.period or found.value.bounds:
        return None
    if any(item.kind != "condition" for item in found.value.filters):
        return None
    return replace(group, mods=mod.parts)


@says("Group", "-:each? Step", "month")
@says("Group", "Adverb", "monthly")
def by_step(s: Schema, step: Step) -> Group:
    return Group(step=step.grain)


@says("Group", "Step -of|:relative? Date", "year of closing")
def by_step_of(s: Schema, step: Step, field: FieldRef) -> Group:
    return Group(field=field.model_copy(update={"grain": step.grain}))


@says("Group", "Date Step", "joining year")
def by_date_in_steps(s: Schema, field: FieldRef, step: Step) -> Group:
    return by_step_of(s, step, field)


@says("Groups", "Group", "region")
def one(s: Schema, group: Group) -> tuple[Group, ...]:
    return (group,)


@says("Groups", "Groups -And -:each? Group", "region and account type")
@says("Groups", "Groups -By|:each -:each? Group", "region per account type")
def several(s: Schema, groups: tuple[Group, ...], group: Group) -> Priced | None:
    """Fields named side by side are rather of the same rows."""
    known = {item.field.dataset if item.field else item.thing for item in groups if not item.step}
    other = not group.step and (group.field.dataset if group.field else group.thing) not in known
    apart: tuple[Reason, ...] = ("groups of other rows",) if other and known else ()
    return Priced((*groups, group), apart) if group not in groups else None
