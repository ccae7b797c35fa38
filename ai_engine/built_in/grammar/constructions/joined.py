"""Conditions joined by "and", "or" and commas, and clauses that narrow rows."""

from __future__ import annotations

from ai_engine.built_in.grammar.construction import Constructions
from ai_engine.built_in.grammar.constructions.comparisons import text_compared
from ai_engine.built_in.grammar.phrases import Beyond, Cmp, Cond, Either, Mod, Related
from ai_engine.built_in.grammar.reasons import Priced
from ai_engine.built_in.grammar.schema import Schema
from ai_engine.built_in.grammar.units import TEXT_OPERATORS, compared
from ai_engine.semantics.intent import Condition

says = Constructions()
_BOTH_OR_EITHER = "leaving out both or either"


@says("Mod", "-Has|That? Clause", "with a balance above 5 lakh")
@says("Mod", "in|of|at|for|from Clause", "of age above 60")
def described(s: Schema, mod: Mod) -> Mod:
    return mod


@says("Mod", "Mod -And -:relative? Mod", "in Pune and with a loan")
def all_of(s: Schema, first: Mod, second: Mod) -> Priced:
    if first.parts == second.parts:
        return Priced(first)  # "not verified, i.e. not verified"
    one, two = first.parts[-1] if first.parts else None, second.parts[0] if second.parts else None
    denied = isinstance(one, Related) and one.negated and bool(one.rows.filters)
    if denied and isinstance(one, Related) and isinstance(two, Cond) and one.rows.dataset == two.dataset:
        return Priced(Mod((Beyond(_BOTH_OR_EITHER),)))  # "ignoring members who are frozen and whose tier is 3"
    plain = [part.filter for part in (one, two) if isinstance(part, Cond) and isinstance(part.filter, Condition)]
    turned = len(plain) > 1 and plain[0].field == plain[1].field and plain[0].operator in {"!=", "not in"}
    return Priced(Mod((*first.parts, *second.parts)), ("values of one field turned",) if turned else ())


@says("Mod", "Mod -:and Clause", "with more than 300 accounts and deposits over 20 crore")
@says("Clause", "Clause -:and Clause", "credit score above 700 and annual income below 5 lakh")
def both(s: Schema, first: Mod, second: Mod) -> Mod:
    return Mod((*first.parts, *second.parts))


@says("Mod", "Mod -:or -:relative? Mod", "in Pune or with a loan")
@says("Mod", "-:relative? -either Mod|Rel -:or -:relative? Mod|Rel", "that are either in Pune or have a loan")
@says("Clause", "Clause -:or Clause", "credit score above 700 or annual income below 5 lakh")
def either(s: Schema, first: Mod, second: Mod) -> Mod | None:
    one_each = len(first.parts) == 1 and len(second.parts) == 1
    return Mod((Either((first, second)),)) if one_each else None


@says("Clause", "Clause -:and Cmp", "balance at least 500 but no more than 900")
def and_compared(s: Schema, first: Mod, cmp: Cmp) -> Mod | None:
    last = first.parts[-1]
    if not isinstance(last, Cond) or not isinstance(last.filter, Condition):
        return None
    made = compared(s, last.filter.field, cmp)
    return Mod((*first.parts, Cond(last.dataset, made))) if made else None


@says("Clause", "Clause -:or Cmp", "credit score below 600 or above 800")
def or_compared(s: Schema, first: Mod, cmp: Cmp) -> Mod | None:
    found = and_compared(s, first, cmp) if len(first.parts) == 1 else None
    return found and Mod((Either((first, Mod(found.parts[1:]))),))


@says("Clause", "Clause -:or :compare Quote|Word|Val", "name starts with A or ends with a")
def or_text(s: Schema, first: Mod, operator: str, text: object) -> Mod | None:
    last = first.parts[-1]
    if (
        not isinstance(last, Cond)
        or not isinstance(last.filter, Condition)
        or last.filter.operator not in TEXT_OPERATORS
    ):
        return None
    second = text_compared(s, last.filter.field, operator, text)
    return second and Mod((Either((first, second)),))
