"""Figures made of figures: ratios, differences, shares, and several side by side."""

from __future__ import annotations

from dataclasses import replace

from ai_engine.built_in.grammar.construction import Constructions
from ai_engine.built_in.grammar.constructions.per_each import as_fig
from ai_engine.built_in.grammar.days_in_conditions import in_days
from ai_engine.built_in.grammar.mods import condition_of, flag_mod
from ai_engine.built_in.grammar.narrowing import narrow
from ai_engine.built_in.grammar.phrases import Cond, Fig, Kind, Mod, Part, Related, Rows, When
from ai_engine.built_in.grammar.questions import narrow_fig
from ai_engine.built_in.grammar.reasons import Priced, Reason
from ai_engine.built_in.grammar.schema import Schema
from ai_engine.built_in.meanings import Days, Stored
from ai_engine.semantics.intent import Condition, FieldRef

says = Constructions()


# -- ratios and differences --------------------------------------------------------------------------------------


@says("Fig", "-:ratio Fig|Rows -to|:and|over Fig|Rows", "ratio of debit cards to credit cards")
@says("Fig", "Fig -to Fig -:ratio", "number of loans to number of accounts ratio")
@says("Fig", "Fig -divided -By Fig", "number of loans divided by number of accounts")
def ratio(s: Schema, above: Fig | Rows, below: Fig | Rows) -> Priced | None:
    one, other = as_fig(s, above), as_fig(s, below)
    if one == other or one.over or other.over or one.rows.bounds or other.rows.bounds:
        return None
    return Priced(Fig(one.core, one.rows, over=other), _of_the_last(one, other))


def _of_the_last(one: Fig, other: Fig) -> tuple[Reason, ...]:
    """A period said last is rather that of both."""
    alone = other.rows.period is not None and one.rows.period is None
    return ("said of the last figure only",) if alone else ()


@says("Fig", "-:ratio -of? Vals -to|:and Rows", "ratio of savings to current accounts")
def ratio_of_kinds(s: Schema, kind: Kind, below: Rows) -> Priced | None:
    found = narrow(s, Rows(below.dataset), kind.mod)
    return ratio(s, found.value, below) if found else None


@says("Fig", "Fig -:share -of? Fig", "number of loans as a percentage of number of accounts")
def in_relation(s: Schema, above: Fig, below: Fig) -> Fig | None:
    if above.over or below.over or above.core == below.core:
        return None
    return Fig(above.core, above.rows, over=below, percent=True)


@says("Fig", "-:change=change Fig -:and|to Fig", "difference between number of accounts and number of loans")
@says("Fig", "Fig -minus|less|:not Fig", "number of accounts minus number of loans")
def difference(s: Schema, first: Fig, second: Fig) -> Priced | None:
    if first == second or first.over or second.over:
        return None
    other_rows = first.rows.dataset != second.rows.dataset
    unlike: tuple[Reason, ...] = ("figures of different rows",) if other_rows else ()
    if other_rows and first.core.metric is None:
        unlike += ("two amounts of different rows",)
    return Priced(Fig(first.core, first.rows, less=second), (*unlike, *_of_the_last(first, second)))


@says(
    "Fig", "-:change=change -In? Fig -:compare|In Vals -:and|to Vals", "difference in balance between Pune and Mumbai"
)
def difference_of_two(s: Schema, fig: Fig, one: Kind, two: Kind) -> Fig | None:
    return _less(s, fig, one.mod, two.mod)


def _less(s: Schema, fig: Fig, one: Mod, two: Mod) -> Fig | None:
    first, second = narrow_fig(s, fig, one), narrow_fig(s, fig, two)
    return Fig(first.value.core, first.value.rows, less=second.value) if first and second else None


@says(
    "Fig", "-:change=change -In? Fig -:compare=between Days -:and Days", "difference in balance between 2025 and 2023"
)
def difference_of_periods(s: Schema, fig: Fig, one: Days, two: Days) -> Fig | None:
    return _less(s, fig, Mod((When(one),)), Mod((When(two),)))


# -- shares ------------------------------------------------------------------------------------------------------


@says("Pred", "Mod -:have?", "that are dormant")
@says("Pred", "Rows", "women")
def predicate(s: Schema, said: Mod | Rows) -> Mod | None:
    if isinstance(said, Mod):
        parts = [_within_days(part) for part in said.parts]  # "started before 2024", out of all of them
        return Mod(tuple(item for part in parts for item in part))
    if len(said.filters) != 1 or said.period or said.bounds or not isinstance(said.filters[0], Condition):
        return None
    return Mod((Cond(said.filters[0].field.dataset, said.filters[0]),))


def _within_days(part: Part) -> tuple[Part, ...]:
    if not isinstance(part, When) or part.dated is None:
        return (part,)
    return tuple(Cond(part.dated.dataset, item) for item in in_days(part.days, part.dated))


@says("Fig", "-:what? -:share -of? Rows Pred", "percentage of accounts that are dormant")
@says("Fig", "-:what? -:share -of? Rows -is|are|was|were Pred", "what share of accounts is dormant")
@says("Fig", "-:what? -:share -of? Rows -That|:who Vals|N", "percentage of dormant accounts that are savings accounts")
@says("Fig", "-:what? -:share -of? Rows -That? -:have Rel", "percentage of premium customers that have a loan")
def share_of_rows(s: Schema, rows: Rows, said: Mod | Kind | Rows) -> Priced | None:
    mod = said.mod if isinstance(said, Kind) else predicate(s, said)
    found = narrow(s, rows, mod) if mod else None
    if found is None or found.value.bounds or not rows.named or found.value.period != rows.period:
        return None
    whole = s.count(rows)
    return replace(found, value=Fig(whole.core, found.value, over=whole, percent=True, part=True))


@says(
    "Fig", "-:what? -:share -of? all? Fig -That|:have|is|are|was|were? Pred", "share of total balance held in savings"
)
def share_of_amount(s: Schema, *given: object) -> Priced | None:
    """How much of an amount is that of some rows."""
    whole, mod = given[-2:]
    if not isinstance(whole, Fig) or not isinstance(mod, Mod) or whole.over or whole.less or whole.rows.bounds:
        return None
    found = narrow_fig(s, whole, mod) if s.knows.adds_up(whole.core) else None
    if found is None or found.value.rows == whole.rows or found.value.rows.period != whole.rows.period:
        return None
    return replace(found, value=replace(found.value, over=replace(whole, implied=False), percent=True, part=True))


@says("Fig", "-:share -of? N|Vals -In Fig|Rows", "share of savings accounts in total balance")
@says("Fig", "Vals -:share -In? Fig|Rows", "UPI share of transactions")
@says("Fig", "-:share -of? Vals Fig", "share of NPA outstanding")
def share_of_figure(s: Schema, part: Kind | Rows, said: Fig | Rows) -> Priced | None:
    whole = as_fig(s, said)
    if isinstance(part, Rows) and not part.narrowed:
        return None
    mod = Mod((Related(part, of=True),)) if isinstance(part, Rows) else part.mod
    found = narrow_fig(s, whole, mod) if not (whole.over or whole.less or whole.rows.bounds) else None
    if found is None or found.value.rows == whole.rows:
        return None
    return replace(found, value=replace(found.value, over=whole, percent=True, part=True))


@says("Figs", "Vals -And Val|ValN -:share -In? Fig|Rows", "UPI and NEFT share of transactions")
def shares_apart(s: Schema, kind: Kind, value: Stored, said: Fig | Rows) -> tuple[Fig, ...] | None:
    """The share of each."""
    last = condition_of(value)
    if kind.condition.field != last.field or last.values[0] in kind.condition.values:
        return None
    each = [last.model_copy(update={"values": (one,)}) for one in (*kind.condition.values, *last.values)]
    found = [share_of_figure(s, Kind(kind.dataset, item), said) for item in each]
    return tuple(item.value for item in found if item) if all(found) else None


@says("Fig", "-:share -of? Rows", "percentage of female customers")
def share_of_kind(s: Schema, rows: Rows) -> Fig | None:
    if len(rows.filters) != 1 or rows.bounds:
        return None
    whole = s.count(replace(rows, filters=()))
    return Fig(whole.core, rows, over=whole, percent=True, part=True)


@says("Fig", "Rows -:share -of? all", "dormant accounts as a percentage of all")
@says("Fig", "Rows -:share -of? -all? N", "dormant accounts as a percentage of all accounts")
def part_of_all(s: Schema, rows: Rows, every: Rows | None = None) -> Fig | None:
    """ "closed loans as a percentage of all loans"."""
    if every is not None and (every.dataset != rows.dataset or every.narrowed):
        return None
    return share_of_kind(s, rows)


@says("Fig", "Vals -:rate -:share? -of|for? Rows?", "dormant rate of accounts")
@says("Fig", "Vals -:share", "dormant share")
def rate(s: Schema, kind: Kind, rows: Rows | None = None) -> Priced | None:
    """The share of rows that are so."""
    whole = rows or Rows(kind.dataset)
    if kind.dataset != whole.dataset:
        return None
    return share_of_rows(s, whole, kind.mod)


@says("Fig", "N Vals -:share|:rate", "account closed share")
def rate_of(s: Schema, rows: Rows, kind: Kind) -> Priced | None:
    """ "claim rejection rate": of the rows that are named first."""
    return rate(s, kind, rows)


@says("Fig", "Flag -:rate -:share? -of|for? Rows?", "NPA rate of loans")
def rate_of_flag(s: Schema, flag: FieldRef, rows: Rows | None = None) -> Priced | None:
    whole = rows or Rows(flag.dataset)
    return share_of_rows(s, whole, flag_mod(s, flag, yes=True)) if flag.dataset == whole.dataset else None
