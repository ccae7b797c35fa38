"""Figures made of figures: for each of something, ratios, differences, shares, and several side by side."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

from ai_engine.built_in.grammar.construction import Constructions
from ai_engine.built_in.grammar.mods import flag_mod
from ai_engine.built_in.grammar.narrowing import narrow
from ai_engine.built_in.grammar.phrases import Cond, Fig, Kind, Mod, Priced, Reason, Related, Rows, When
from ai_engine.built_in.grammar.questions import narrow_fig
from ai_engine.built_in.grammar.schema import Schema
from ai_engine.built_in.meanings import Days
from ai_engine.semantics.intent import Condition, FieldRef, Measure

says = Constructions()


def _as_fig(s: Schema, said: Fig | Rows) -> Fig:
    return s.count(said) if isinstance(said, Rows) else said


# -- for each of something ---------------------------------------------------------------------------------------


@says("Fig", "Fig|Rows -per N", "deposits per branch")
@says("Fig", "-:aggregate=avg -:amount? Fig|Rows -per|:each|of N", "average number of accounts per customer")
def per_each(s: Schema, said: Fig | Rows, rows: Rows) -> Fig | None:
    fig = _as_fig(s, said)
    if fig.over or fig.less or fig.core.aggregate not in {"count", "sum", None} or fig.rows.bounds or rows.bounds:
        return None
    if fig.implied or s.up(fig.rows.dataset, rows.dataset) in (None, 0):
        return None
    if fig.core.metric is not None and not s.knows.adds_up(fig.core):
        return None
    if rows.narrowed:
        found = narrow_fig(s, fig, Mod((Related(rows, of=True),)))
        if found is None:
            return None
        fig = found.value
    return Fig(fig.core, fig.rows, over=s.count(rows))


@says("Fig", "-:aggregate=avg Amt -per|:each N", "average balance per customer")
def amount_per_each(s: Schema, field: FieldRef, rows: Rows) -> Fig | None:
    if rows.dataset == field.dataset and not rows.narrowed:
        return Fig(Measure(aggregate="avg", field=field), Rows(field.dataset))
    if s.field(field).default_aggregate != "sum":
        return None
    return per_each(s, Fig(Measure(aggregate="sum", field=field), Rows(field.dataset)), rows)


# -- ratios and differences --------------------------------------------------------------------------------------


@says("Fig", "-:ratio Fig|Rows -to|:and|over Fig|Rows", "ratio of debit cards to credit cards")
@says("Fig", "Fig -to Fig -:ratio", "number of loans to number of accounts ratio")
@says("Fig", "Fig -divided -By Fig", "number of loans divided by number of accounts")
def ratio(s: Schema, above: Fig | Rows, below: Fig | Rows) -> Fig | None:
    one, other = _as_fig(s, above), _as_fig(s, below)
    if one == other or one.over or other.over or one.rows.bounds or other.rows.bounds:
        return None
    return Fig(one.core, one.rows, over=other)


@says("Fig", "-:ratio -of? Vals -to|:and Rows", "ratio of savings to current accounts")
def ratio_of_kinds(s: Schema, kind: Kind, below: Rows) -> Fig | None:
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
    return Priced(Fig(first.core, first.rows, less=second), unlike)


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


@says("Pred", "Mod", "that are dormant")
@says("Pred", "Rows", "women")
def predicate(s: Schema, said: Mod | Rows) -> Mod | None:
    if isinstance(said, Mod):
        return said
    if len(said.filters) != 1 or said.period or said.bounds or not isinstance(said.filters[0], Condition):
        return None
    return Mod((Cond(said.filters[0].field.dataset, said.filters[0]),))


@says("Fig", "-:what? -:share -of? Rows Pred", "percentage of accounts that are dormant")
def share_of_rows(s: Schema, rows: Rows, mod: Mod) -> Priced | None:
    found = narrow(s, rows, mod)
    if found is None or found.value.bounds or not rows.named or found.value.period != rows.period:
        return None
    whole = s.count(rows)
    return replace(found, value=Fig(whole.core, found.value, over=whole, percent=True, part=True))


@says("Fig", "-:share -of? N|Vals -In|That Fig|Rows", "share of savings accounts in total balance")
@says("Fig", "Vals -:share -In? Fig|Rows", "UPI share of transactions")
@says("Fig", "-:share -of? Vals Fig", "share of NPA outstanding")
def share_of_figure(s: Schema, part: Kind | Rows, said: Fig | Rows) -> Priced | None:
    whole = _as_fig(s, said)
    if isinstance(part, Rows) and not part.narrowed:
        return None
    mod = Mod((Related(part, of=True),)) if isinstance(part, Rows) else part.mod
    found = narrow_fig(s, whole, mod) if not (whole.over or whole.less or whole.rows.bounds) else None
    if found is None or found.value.rows == whole.rows:
        return None
    return replace(found, value=replace(found.value, over=whole, percent=True, part=True))


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
def rate(s: Schema, kind: Kind, rows: Rows | None = None) -> Priced | None:
    """The share of rows that are so."""
    whole = rows or Rows(kind.dataset)
    if kind.dataset != whole.dataset:
        return None
    return share_of_rows(s, whole, kind.mod)


@says("Fig", "Flag -:rate -:share? -of|for? Rows?", "NPA rate of loans")
def rate_of_flag(s: Schema, flag: FieldRef, rows: Rows | None = None) -> Priced | None:
    whole = rows or Rows(flag.dataset)
    return share_of_rows(s, whole, flag_mod(s, flag, yes=True)) if flag.dataset == whole.dataset else None


# -- several -----------------------------------------------------------------------------------------------------


@says("Figs", "Fig", "deposits")
def one(s: Schema, fig: Fig) -> tuple[Fig, ...]:
    return (fig,)


@says("Figs", "-:both? Figs -And|:against Fig", "deposits and number of loans")
def several(s: Schema, figs: tuple[Fig, ...], fig: Fig) -> Priced | None:
    """A period said last is rather that of all of them."""
    alone = fig.rows.period is not None and all(other.rows.period is None for other in figs)
    because: tuple[Reason, ...] = ("a period of the last figure only",) if alone else ()
    before = figs[-1].rows
    if fig.implied and before.dataset == fig.rows.dataset and before.narrowed and not fig.rows.narrowed:
        because += ("only the first figure is narrowed",)
    return Priced((*figs, fig), because) if fig not in figs else None


@says("Figs", "Fig -In? Days -:and Days", "transaction value in Q1 2026 and Q2 2026")
def in_periods(s: Schema, fig: Fig, *days: Days) -> tuple[Fig, ...] | None:
    apart = sorted(days, key=lambda item: str(item.start))
    if any(a.end is None or b.start is None or b.start < a.end for a, b in pairwise(apart)):
        return None
    found = [narrow_fig(s, fig, Mod((When(item),))) for item in days]
    return tuple(item.value for item in found if item) if all(found) else None


@says("Figs", "Figs Mod", "total balance and number of accounts in Pune")
def all_narrowed(s: Schema, figs: tuple[Fig, ...], mod: Mod) -> Priced | None:
    if len(figs) == 1:
        return None
    found = [item for fig in figs if (item := narrow_fig(s, fig, mod))]
    if len(found) < len(figs):
        return None
    return Priced(tuple(item.value for item in found), max((item.because for item in found), key=len))


@says("Aggs", ":aggregate|Extreme|Latest -And :aggregate|Extreme|Latest", "minimum and maximum")
@says("Aggs", "Aggs -And :aggregate|Extreme|Latest", "average, minimum and maximum")
def aggregates(s: Schema, first: str | tuple[str, ...], last: str) -> tuple[str, ...] | None:
    said = (*(first if isinstance(first, tuple) else (first,)), last)
    return said if len(set(said)) == len(said) else None


@says("Figs", "Aggs Amt|Date", "average, minimum and maximum balance")
def of_one_field(s: Schema, said: tuple[str, ...], field: FieldRef) -> tuple[Fig, ...]:
    rows = Rows(field.dataset)
    return tuple(s.count(rows) if a == "count" else Fig(Measure(aggregate=a, field=field), rows) for a in said)


@says("Figs", "Aggs -:amount? -of? Rows", "average and maximum of loans")
@says("Figs", "Aggs N -:amount", "minimum and maximum loan amount")
def of_rows(s: Schema, said: tuple[str, ...], rows: Rows) -> tuple[Fig, ...] | None:
    figs = tuple(s.count(rows) if item == "count" else s.main_figure(rows, item) for item in said)  # type: ignore[arg-type]
    return tuple(fig for fig in figs if fig) if all(figs) else None


@says("Figs", "-:aggregate=count|:weak -:and Figs", "number and total outstanding of loans")
@says("Figs", "Figs -And -:weak|:aggregate=count", "total outstanding of loans and how many of them")
def counted_too(s: Schema, figs: tuple[Fig, ...]) -> tuple[Fig, ...] | None:
    if figs[0].core.aggregate == "count" or figs[0].over:
        return None
    return (s.count(figs[0].rows), *figs)
