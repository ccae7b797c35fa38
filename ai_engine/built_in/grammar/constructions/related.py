"""Rows told by others: what they have, lack, have a number of, or belong to."""

from __future__ import annotations

from dataclasses import replace

from ai_engine.built_in.grammar.construction import Constructions
from ai_engine.built_in.grammar.mods import condition_of, deny
from ai_engine.built_in.grammar.narrowing import narrow
from ai_engine.built_in.grammar.phrases import Beyond, Both, Cmp, Cond, Either, Kind, Mod, Related, Rows, When
from ai_engine.built_in.grammar.schema import Schema
from ai_engine.built_in.meanings import Number, Stored, Thing
from ai_engine.semantics.intent import Condition

says = Constructions()
_MOST_COUNTED = 100_000


@says("Rel", "Rows", "a loan")
def related(s: Schema, rows: Rows) -> Mod | None:
    return Mod((Related(rows),)) if not rows.bounds else None


@says("Rel", "Cmp -:aggregate=sum? Rows", "at least 2 savings accounts")
def counted(s: Schema, cmp: Cmp, rows: Rows) -> Mod | None:
    if not cmp.numbers or cmp.numbers[0].unit is not None or rows.bounds:
        return None
    value = int(cmp.numbers[0].value)
    if value > _MOST_COUNTED:
        return None  # an amount rather
    bounds: dict[str, tuple[int | None, int | None]] = {
        "=": (value, value), ">": (value + 1, None), ">=": (value, None), "<": (None, value - 1), "<=": (None, value),
        "between": (value, int(cmp.numbers[-1].value)),
    }  # fmt: skip
    least, most = bounds.get(cmp.operator, (None, None))
    if least is None and most is None:
        return None
    if most == 0:
        return Mod((Related(rows, negated=True),))
    return Mod((Related(rows, at_least=least, at_most=most),))


@says("Mod", "Cmp +Rows", "more than two cards")
def counted_alone(s: Schema, cmp: Cmp, rows: Rows) -> Mod | None:
    return counted(s, cmp, rows)


@says("Rel", "-:compare==|exactly|only? Num Rows", "exactly 2 cards")
def as_many(s: Schema, number: Number, rows: Rows) -> Mod | None:
    return counted(s, Cmp("=", (number,)), rows)


@says("Rel", "-:both? Rel -:and Rel", "both a savings account and a home loan")
def both(s: Schema, first: Mod, second: Mod) -> Mod | None:
    parts = (*first.parts, *second.parts)
    return Mod(parts) if all(isinstance(part, Related | Either) for part in parts) else None


@says("Rel", "-:both? Vals -:and Rows", "both UPI and NEFT transactions")
def both_kinds(s: Schema, kind: Kind, rows: Rows) -> Mod | None:
    other = narrow(s, Rows(rows.dataset, rows.via), kind.mod)
    mine = [item for item in rows.filters if isinstance(item, Condition)]
    if other is None or not any(item.field == kind.condition.field for item in mine):
        return None
    return Mod((Related(other.value), Related(rows)))


@says("Mod", "-Has -:both Vals -:and Val|ValN -Field?", "who hold both savings and current types")
def both_values(s: Schema, kind: Kind, value: Stored) -> Mod | None:
    """Nobody has two of what each has one; of what they have many, they have one of either."""
    other = Kind(value.dataset, condition_of(value))
    if kind.condition.field != other.condition.field:
        return None
    return Mod((Both(kind, other),))


@says("Rel", "Rel -And? -:not Rel", "a savings account but no loan")
def but_not(s: Schema, first: Mod, second: Mod) -> Mod | None:
    if not all(isinstance(part, Related | Either) for part in first.parts):
        return None
    other = deny(second)
    return other and Mod((*first.parts, *other.parts))


@says("Rel", "Rel -:or Rel", "a gold loan or a card")
def either(s: Schema, first: Mod, second: Mod) -> Mod | None:
    """ "or" binds closer than "and", "but no": what was joined before is not taken apart."""
    one_each = len(first.parts) == 1 and len(second.parts) == 1
    return Mod((Either((first, second)),)) if one_each else None


@says("Rel", "Rel -And? -:nobody Mod", "a transaction in October but none in September")
def none_such(s: Schema, mod: Mod, other: Mod) -> Mod | None:
    last = mod.parts[-1]
    if not isinstance(last, Related) or last.negated:
        return None
    plain = replace(last.rows, period=None, dated=None) if isinstance(other.parts[0], When) else last.rows
    found = narrow(s, plain, other)
    return Mod((*mod.parts, Related(found.value, negated=True))) if found else None


@says("Mod", "-:relative N all Vals", "whose loans are all closed")
@says("Mod", "-Has all -Their N Vals", "with all their loans closed")
@says("Mod", "-:have? Vals all -Their N", "closed all their loans")
def every_one(s: Schema, *given: Rows | Kind) -> Mod | None:
    """Those that have some of a kind, and none of another."""
    rows = next(item for item in given if isinstance(item, Rows))
    kind = next(item for item in given if isinstance(item, Kind))
    denied = deny(kind.mod)
    if rows.dataset != kind.dataset or rows.bounds or denied is None:
        return None
    such, others = narrow(s, rows, kind.mod), narrow(s, rows, denied)
    return Mod((Related(such.value), Related(others.value, negated=True))) if such and others else None


@says("Rel", "Cmp Rows -:or|:and Rows -altogether|together|combined|total", "at least 3 loans or cards together")
def counted_together(s: Schema, cmp: Cmp, rows: Rows, other: Rows) -> Mod:
    labels = " and ".join(f"{s.knows.dataset(item.dataset).label}s" for item in (rows, other))
    return Mod((Beyond(f"{labels} counted together"),))


@says("Mod", "-Has Rel", "who hold a card")
@says("Mod", "whose Rel", "whose home branch is in Delhi")
def having(s: Schema, mod: Mod) -> Mod:
    return mod


@says("Mod", "-Has? -In Rows", "of customers with a loan")
@says("Mod", "-Has -by Rows", "made by premium customers")
@says("Mod", "-:relative Rows", "which customers live in")
@says("Mod", "-:relative Rows -:have", "that women took")
@says("Mod", "Rows -:have", "women took")
def belonging(s: Schema, rows: Rows) -> Mod:
    return Mod((Related(rows, of=True),))


@says("Mod", "-:have Rows", "held NRI customers")
def held(s: Schema, rows: Rows) -> Mod | None:
    return belonging(s, rows) if rows.narrowed else None


@says("Mod", "Rows", "home branch in Delhi")
def in_a_role(s: Schema, rows: Rows) -> Mod | None:
    return Mod((Related(rows, of=True),)) if rows.via and rows.narrowed else None


@says("Mod", "by Rows", "by customers in Delhi")
def done_by(s: Schema, rows: Rows) -> Mod | None:
    people = rows.dataset in s.knows.holding_people
    return Mod((Related(rows, of=True),)) if people and rows.narrowed else None


@says("Mod", "-Has? -In? Thing -That? -:not|:compare=!= Thing", "at a branch other than the customer's home branch")
def elsewhere(s: Schema, one: Thing, other: Thing) -> Mod | None:
    key = s.knows.key(one.dataset)
    if one.dataset != other.dataset or one.via == other.via or key is None:
        return None
    mine, theirs = (key.model_copy(update={"via": thing.via}) for thing in (one, other))
    return Mod((Cond(one.dataset, Condition(field=mine, operator="!=", other=theirs)),))
