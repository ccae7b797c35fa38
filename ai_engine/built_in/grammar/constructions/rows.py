"""Rows: a noun with what stands before it and behind it."""

from __future__ import annotations

from dataclasses import replace

from ai_engine.built_in.grammar.construction import Constructions
from ai_engine.built_in.grammar.mods import condition_of, deny, flag_mod
from ai_engine.built_in.grammar.narrowing import narrow
from ai_engine.built_in.grammar.phrases import Cond, Kind, Mod, Related, Rows, Standing, Unused, When
from ai_engine.built_in.grammar.reasons import Priced, Reason, times
from ai_engine.built_in.grammar.schema import Schema
from ai_engine.built_in.knowledge import LONG_NUMBER
from ai_engine.built_in.meanings import Days, Number, Stored, Thing
from ai_engine.built_in.states import has_happened, has_not_happened
from ai_engine.built_in.units_of_measure import UNITS
from ai_engine.semantics.intent import Condition, FieldRef
from ai_engine.semantics.names import singular
from ai_engine.semantics.words import stem, words

says = Constructions()


@says("N", "Thing", "customers")
def noun(s: Schema, thing: Thing) -> Rows:
    return Rows(thing.dataset, thing.via, said=thing.said)


@says("N", "ValN", "gold loan")
def kind_with_noun(s: Schema, value: Stored) -> Rows:
    return Rows(value.dataset, filters=(condition_of(value),))


@says("Vals", "Val", "Pune")
@says("Vals", "ValN", "gold loan")
def one_value(s: Schema, value: Stored) -> Kind:
    return Kind(value.dataset, condition_of(value))


@says("Vals", "Vals -And|:or Val|ValN", "Pune or Mumbai")
@says("Vals", "Vals -:stop -:or Val|ValN", "Pune, Delhi, or Mumbai")
def several_values(s: Schema, kind: Kind, value: Stored) -> Kind | None:
    item, new = kind.condition, condition_of(value)
    if item.field != new.field or item.operator not in {"=", "in"} or new.values[0] in item.values:
        return None
    joined = item.model_copy(update={"operator": "in", "values": (*item.values, *new.values)})
    return Kind(kind.dataset, joined)


@says("Vals", "-:both Vals -:and Val|ValN", "both Pune and Mumbai")
def both_values(s: Schema, kind: Kind, value: Stored) -> Kind | None:
    found = several_values(s, kind, value)
    return found and replace(found, both=True)


@says("N", "Vals N", "female customers")
def kind_of(s: Schema, kind: Kind, rows: Rows) -> Priced | None:
    found = narrow(s, rows, kind.mod) if not s.is_state_of_others(kind.condition.field, rows) else None
    if found is None:
        return None
    new = found.value.filters[len(rows.filters) :]  # in the order in which they were said
    other: tuple[Reason, ...] = ("another dataset before the noun",) if kind.dataset != rows.dataset else ()
    such = replace(found.value, filters=(*new, *rows.filters), alone=rows.alone or kind.both)  # who has both has two
    return Priced(such, (*found.because, *other), found.notes)


@says("N", "N Vals", "branch Mumbai Dadar")
def apposed(s: Schema, rows: Rows, kind: Kind) -> Priced | None:
    return narrow(s, rows, kind.mod) if kind.dataset == rows.dataset else None


@says("N", "N +Num", "loan 12")
@says("N", "N -number|no|id +Num", "account number 12")
def of_number(s: Schema, rows: Rows, number: Number) -> Priced | None:
    key = s.knows.numbered_by(rows.dataset, number.value)
    if key is None or number.unit is not None or rows.narrowed:
        return None
    same = Condition(field=key, operator="=", values=(s.knows.typed(key, number),))
    found = narrow(s, rows, Mod((Cond(rows.dataset, same),)))
    long = times("a long number as a key", number.value >= LONG_NUMBER)
    return found and replace(found, because=(*found.because, *long))


@says("N", "Became +N", "disbursed loans")
def come_about(s: Schema, event: FieldRef, rows: Rows) -> Priced | None:
    come = has_happened(event, s.knows) if event.dataset == rows.dataset else None
    return narrow(s, rows, Mod((Cond(event.dataset, come),))) if come else None


@says("N", "-:not Became +N", "never disbursed loans")
def not_come_about(s: Schema, event: FieldRef, rows: Rows) -> Priced | None:
    told = event.dataset == rows.dataset and has_happened(event, s.knows) is not None
    return narrow(s, rows, Mod((Cond(event.dataset, has_not_happened(event, s.knows)),))) if told else None


@says("N", "-still? -open +N", "open complaints")
def standing(s: Schema, rows: Rows) -> Priced | None:
    return narrow(s, rows, Mod((Standing(),)))


@says("N", "-still? -current|serving +N", "current doctors")
def current(s: Schema, rows: Rows) -> Priced | None:
    return narrow(s, rows, Mod((Standing("current"),)))


@says("Rows", "-still? -current|serving +Vals", "current full time")
def current_of_kind(s: Schema, kind: Kind) -> Priced | None:
    """ "current trainees", who are staff of that grade."""
    found = of_value(s, kind)
    return found and narrow(s, replace(found.value, named=True), Mod((Standing("current"),)))


@says("N", "-still? -active +N", "active doctors")
def active(s: Schema, rows: Rows) -> Priced | None:
    return narrow(s, rows, Mod((Standing("active"),)))


@says("N", "Flag N", "NPA loans")
def flagged(s: Schema, flag: FieldRef, rows: Rows) -> Priced | None:
    return narrow(s, rows, flag_mod(s, flag, yes=True)) if flag.dataset == rows.dataset else None


@says("N", "-:not Flag N", "non NPA loans")
def not_flagged(s: Schema, flag: FieldRef, rows: Rows) -> Priced | None:
    return narrow(s, rows, flag_mod(s, flag, yes=False)) if flag.dataset == rows.dataset else None


@says("N", "-:not Vals N", "non dormant accounts")
def kind_denied(s: Schema, kind: Kind, rows: Rows) -> Priced | None:
    denied = deny(kind.mod)
    return narrow(s, rows, denied) if denied else None


@says("N", "-:distinct N", "unique customers")
def different(s: Schema, rows: Rows) -> Rows:
    return replace(rows, distinct=True)


@says("N", "N +N", "loan customers")
def compound(s: Schema, first: Rows, rows: Rows) -> Priced | None:
    if first.said.endswith("s"):
        return None  # "loans customers took"
    if rows.via:
        played = s.knows.model.relationship(rows.via[0]).from_dataset == first.dataset and len(rows.via) == 1
        return narrow(s, rows, Mod((Related(replace(first, via=rows.via)),))) if played and first.narrowed else None
    if first.dataset == rows.dataset:
        return Priced(rows, ("the same noun twice",)) if not first.narrowed else None
    if s.up(first.dataset, rows.dataset) is not None:  # a customer's loans: customers with loans
        return narrow(s, rows, Mod((Related(first),)))
    if s.up(rows.dataset, first.dataset) is not None:  # "customer accounts"
        return narrow(s, rows, Mod((Related(first, of=True),)))
    return None


@says("Rows", "N", "accounts")
@says("Rows", "Anybody", "everyone")
def plain(s: Schema, rows: Rows) -> Rows:
    return rows


@says("Rows", "Vals +Vals", "NEFT debits")
def of_values(s: Schema, first: Kind, second: Kind) -> Priced | None:
    """Two values of the same rows stand for them."""
    if first.dataset != second.dataset or first.condition.field == second.condition.field:
        return None
    return narrow(s, Rows(first.dataset, named=False), Mod((*first.mod.parts, *second.mod.parts)))


@says("Rows", "Vals", "UPI")
def of_value(s: Schema, kind: Kind) -> Priced | None:
    return narrow(s, Rows(kind.dataset, named=False), kind.mod)


@says("N", "N -Done", "payments made")
def done(s: Schema, rows: Rows) -> Rows:
    return rows


@says("Rows", "Days N", "last month's transactions")
def of_days(s: Schema, days: Days, rows: Rows) -> Priced | None:
    return narrow(s, rows, Mod((When(days),)))


@says("Rows", "Rows Mod", "accounts opened last year")
def narrowed(s: Schema, rows: Rows, mod: Mod) -> Priced | None:
    return narrow(s, rows, mod)


@says("Rows", "N|Vals -:only", "dormant accounts only")
def no_others(s: Schema, said: Rows | Kind) -> Priced | None:
    """What is said before the noun leaves out the others anyhow; of what somebody has it would say more."""
    found = of_value(s, said) if isinstance(said, Kind) else Priced(said)
    return found and replace(found, value=replace(found.value, alone=True)) if found and found.value.narrowed else None


@says("Anybody", "-:anybody", "everyone")
def anybody(s: Schema) -> Rows | None:
    return Rows(s.knows.people) if s.knows.people else None


@says("Anybody", "-:who", "who")
def asked_for(s: Schema) -> Rows | None:
    return Rows(s.knows.people, asked=True) if s.knows.people else None


@says("N", "new N", "new customers")
def fresh(s: Schema, rows: Rows) -> Rows | None:
    return replace(rows, fresh=True) if s.knows.time_field(rows.dataset) else None


@says("N", "-:unused N", "unused accounts")
def unused(s: Schema, rows: Rows) -> Priced | None:
    return narrow(s, rows, Mod((Unused(),)))


# -- paths to fields ---------------------------------------------------------------------------------------------


@says("Field", "Thing +number|numbers", "loan number")
def key_of_thing(s: Schema, thing: Thing) -> FieldRef | None:
    """What its rows are told by, where no column is called its number."""
    key = s.knows.key(thing.dataset)
    return key.model_copy(update={"via": thing.via}) if key is not None and not s.field(key).sensitive else None


@says("Field", "Thing Field", "home branch name")
@says("Amt", "Thing Amt", "loan principal")
@says("Date", "Thing Date", "branch opened")
def of_thing(s: Schema, thing: Thing, field: FieldRef) -> FieldRef | None:
    if thing.dataset != field.dataset or field.via:
        return None
    return field.model_copy(update={"via": thing.via})


@says("Amt", "-:aggregate=count Amt", "number of days past due")
def as_number(s: Schema, field: FieldRef) -> FieldRef | None:
    """ "number of seats", where a column keeps it, and "how many kwh", where one is counted in them."""
    item = s.field(field)
    said = words(item.label)
    if stem(said[-1]) in UNITS:
        return field
    several = said[-1] == "count" or any(singular(word) != word for word in (said[0], said[-1]))
    return field if several and item.type == "integer" and item.unit in {None, "count", "days"} else None


@says("Amt", "Amt -income|revenue|earnings", "transaction amount income")
def as_income(s: Schema, field: FieldRef) -> FieldRef | None:
    """ "fee income", "commission revenue": the money itself."""
    return field if s.field(field).default_aggregate == "sum" else None


@says("Field", "Field -of -Their|EachOne Thing", "name of their branch")
def of_their_thing(s: Schema, field: FieldRef, thing: Thing) -> FieldRef | None:
    return of_thing(s, thing, field)


@says("Field", "Field -of Thing", "name of the home branch")
def of_its_thing(s: Schema, field: FieldRef, thing: Thing) -> FieldRef | None:
    return of_thing(s, thing, field) if thing.via else None


@says("Thing", "Thing Thing", "customer home branch")
def owner_said_first(s: Schema, owner: Thing, thing: Thing) -> Thing | None:
    if not thing.via or owner.via:
        return None
    link = s.knows.model.relationship(thing.via[0])
    return thing if link.from_dataset == owner.dataset else None
