"""What several kinds of phrases make of conditions: of a value, of a flag, and their opposites."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

from ai_engine.built_in.grammar.phrases import Bound, Cond, Either, Mod, Part, Related, Rows
from ai_engine.built_in.grammar.reasons import Priced, Reason
from ai_engine.built_in.grammar.schema import Schema
from ai_engine.built_in.grammar.units import negated
from ai_engine.built_in.meanings import Attribute, Stored
from ai_engine.semantics.intent import Condition, FieldRef, Filter

_KNOWN_OR_NOT = frozenset({"is null", "is not null"})


def condition_of(value: Stored) -> Condition:
    """A field that holds a value."""
    place = FieldRef(dataset=value.dataset, field=value.field, via=value.via)
    return Condition(field=place, operator="=", values=(value.value,))


def flag_mod(s: Schema, flag: FieldRef, *, yes: bool) -> Mod:
    """A flag that is set, or is not."""
    stored = s.knows.flag_value(Attribute(flag.dataset, flag.field), yes=yes)
    return Mod((Cond(flag.dataset, Condition(field=flag, operator="=", values=(stored,))),))


def deny(mod: Mod) -> Mod | None:
    """The opposite of one condition, None where that is not one condition."""
    if len(mod.parts) != 1:
        return None
    (part,) = mod.parts
    if isinstance(part, Either):  # "without a loan or an account": neither
        each = [deny(mod) for mod in part.mods]
        return Mod(tuple(item for mod in each if mod for item in mod.parts)) if all(each) else None
    if isinstance(part, Related):
        counted = part.at_least or part.at_most or part.of
        return None if counted else Mod((replace(part, negated=not part.negated),))
    if not isinstance(part, Cond) or not isinstance(part.filter, Condition) or part.filter.operator == "between":
        return None
    return Mod((Cond(part.dataset, negated(part.filter)),))


def as_bound(s: Schema, part: Part) -> Bound | None:
    """ "more than 1000 customers", said of groups: their number compared."""
    if isinstance(part, Bound):
        return part
    if isinstance(part, Related) and (part.at_least is not None) != (part.at_most is not None):
        number = part.at_least if part.at_least is not None else part.at_most
        return Bound(s.count(part.rows), ">=" if part.at_least is not None else "<=", Decimal(number or 0))
    return None


def added(rows: Rows, item: Filter, *because: Reason) -> Priced | None:
    """Rows with one more condition, unless it was said already or makes one thing two at once."""
    if item in rows.filters:
        return None
    known = [found for found in rows.filters if isinstance(found, Condition)]
    if isinstance(item, Condition):
        same = [found.operator for found in known if found.field == item.field]
        if item.operator in {"=", "in"} and not {"=", "in"}.isdisjoint(same):
            return None
        if item.operator in {"!=", "not in"} and "=" in same:
            return None
        if item.operator in _KNOWN_OR_NOT and not (_KNOWN_OR_NOT - {item.operator}).isdisjoint(same):
            return None
    return Priced(replace(rows, filters=(*rows.filters, item)), because)
