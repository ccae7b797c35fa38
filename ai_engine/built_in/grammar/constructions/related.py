"""Rows told by others: what they have, lack, have a number of, or belong to."""

from __future__ import annotations

from dataclasses import replace

from ai_engine.built_in.grammar.construction import Constructions
from ai_engine.built_in.grammar.mods import condition_of, deny
from ai_engine.built_in.grammar.narrowing import narrow
from ai_engine.built_in.grammar.phrases import Beyond, Both, Cmp, Cond, Either, Kind, Mod, Related, Rows, When
from ai_engine.built_in.grammar.schema import Schema
from ai_engine.built_in.meanings import Days, Number, Stored, Thing
from ai_engine.semantics.intent import Condition

says = Constructions()
_MOST_COUNTED = 100_000


@says("Rel", "Rows", "a loan")
def related(s: Schema, rows: Rows) -> Mod | None:
    return Mod((Related(rows),)) if not rows.bounds else None


@says("Rel", "Cmp -:aggregate=sum? Rows", "at least 2 savings accounts")
def counted(s: Schema, cmp: Cmp, rows: Rows) -> Mod | None:
    limits = limits_of(cmp) if not rows.bounds else None
    if limits is None:
        return None
    least, most = limits
    if most == 0:
        return Mod((Related(rows, negated=True),))
    return Mod((Related(rows, at_least=least, at_most=most),))


def limits_of(cmp: Cmp) -> tuple[int | None, int | None] | None:
    """How many at least and at most; None where it compares no number of rows."""
    if not cmp.numbers or cmp.numbers[0].unit is not None:
        return None
    value = int(cmp.numbers[0].value)
    if value > _MOST_COUNTED:
        return None  # an amount rather
    bounds: dict[str, tuple[int | None, int | None]] = {
        "=": (value, value), ">": (value + 1, None), ">=": (value, None), "<": (None, value - 1), "<=": (None, value),
        "between": (value, int(cmp.numbers[-1].value)),
    }  # fmt: skip
    return bounds.get(cmp.operator)


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


@says("Rel", "-one N -:and -one|another N", "one savings account and one current account")
def one_of_each(s: Schema, first: Rows, second: Rows) -> Mod | None:
    """Two rows, one of each kind."""
    told = first.dataset == second.dataset and first.narrowed and second.narrowed and first.filters != second.filters
    return Mod((Related(first), Related(second))) if told else None


@says("Rel", "-one N Vals -:and -another -one? Vals", "one account active and another one dormant")
def one_in_each_state(s: Schema, rows: Rows, kind: Kind, other: Kind) -> Mod | None:
    one, two = (narrow(s, rows, said.mod) for said in (kind, other))
    return Mod((Related(one.value), Related(two.value))) if one and two and kind != other else None


@says("Rel", "-:both? Vals -:and Rows", "both UPI and NEFT transactions")
def both_kinds(s: Schema, kind: Kind, rows: Rows) -> Mod | None:
    """What is said behind the second kind, "not counting removed ones", is said of both."""
    field = kind.condition.field
    at = next((n for n, item in enumerate(rows.filters) if isinstance(item, Condition) and item.field == field), None)
    if at is None:
        return None
    other = narrow(s, replace(rows, filters=()), kind.mod)
    if other is None:
        return None
    other = replace(other, value=replace(other.value, filters=(*other.value.filters, *rows.filters[at + 1 :])))
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


@says(
    "Rel", "Rel -And|:relative? -:nobody -of? -them|which|whom? Mod", "a transaction in October but none in September"
)
def none_such(s: Schema, mod: Mod, other: Mod) -> Mod | None:
    last = mod.parts[-1]
    if not isinstance(last, Related) or last.negated:
        return None
    plain = replace(last.rows, period=None, dated=None) if isinstance(other.parts[0], When) else last.rows
    found = narrow(s, plain, other)
    return Mod((*mod.parts, Related(found.value, negated=True))) if found else None


@says("Rel", "Rel -And? -:not -In? Days", "a transaction in October but not in September")
def not_then(s: Schema, mod: Mod, days: Days) -> Mod | None:
    return none_such(s, mod, Mod((When(days),)))


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


@says("Mod", "-That? -:have|Done -by Rel", "used by more than two customers")
def done_by_so_many(s: Schema, mod: Mod) -> Mod | None:
    counted = [part for part in mod.parts if isinstance(part, Related) and (part.at_least or part.at_most)]
    undated = not any(part.rows.period for part in counted)  # they are not those of the period
    return mod if undated and len(counted) == len(mod.parts) else None


@says("Mod", "-That? -:have|Done|Deed -by Rel -In? Days", "used by more than two customers in 2025")
def done_then_by_so_many(s: Schema, mod: Mod, days: Days) -> Mod | None:
    """It was done then, which the day of no row tells whose number is compared."""
    return Mod((Beyond("which date to go along"),)) if done_by_so_many(s, mod) else None


@says("Mod", "-That? -:have? Deed -by Rel", "traded by more than two persons")
def dealt_in_by_so_many(s: Schema, deed: Thing, mod: Mod) -> Mod | None:
    """Those that have rows of the deed, and as many who did it."""
    found = done_by_so_many(s, mod)
    return found and Mod((Related(Rows(deed.dataset)), *found.parts))


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
