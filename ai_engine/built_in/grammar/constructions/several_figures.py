"""Figures side by side: joined by "and", of several periods, several aggregates of one amount."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

from ai_engine.built_in.grammar.construction import Constructions
from ai_engine.built_in.grammar.phrases import Fig, Mod, Related, Rows, When
from ai_engine.built_in.grammar.questions import narrow_fig
from ai_engine.built_in.grammar.reasons import Priced, Reason, times
from ai_engine.built_in.grammar.schema import Schema
from ai_engine.built_in.meanings import Days
from ai_engine.semantics.intent import FieldRef, Measure
from ai_engine.semantics.model import Aggregate

says = Constructions()


@says("Figs", "Fig", "deposits")
def one(s: Schema, fig: Fig) -> tuple[Fig, ...]:
    return (fig,)


@says("Figs", "-:both? Figs -And|:against Fig", "deposits and number of loans")
def several(s: Schema, figs: tuple[Fig, ...], fig: Fig) -> Priced | None:
    """A period or a place said last is rather that of all of them."""
    dated = fig.rows.period is not None and fig.rows.dated is None and all(other.rows.period is None for other in figs)
    placed = bool(fig.rows.filters) and not any(other.rows.filters for other in figs)
    because: tuple[Reason, ...] = times("said of the last figure only", dated + placed)
    before = figs[-1].rows
    same = before.dataset == fig.rows.dataset and (fig.implied or figs[-1].said_last)
    if same and before.narrowed and not fig.rows.narrowed:
        fig = replace(fig, rows=before)  # "closed accounts, number and balance"
    return Priced((*figs, fig), because) if fig not in figs else None


@says("Figs", "Fig -In? Days -:and|:against -In? Days -:against?", "transaction value in Q1 2026 and in Q2 2026")
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


@says("Figs", "Fig -:stop? Aggs", "balance of savings accounts, total and average")
def said_behind(s: Schema, fig: Fig, said: tuple[str, ...]) -> tuple[Fig, ...] | None:
    plain = fig.core.field is not None and fig.implied and not (fig.over or fig.less or fig.rows.bounds)
    if not plain or fig.core.field is None or (said[0] == "sum" and s.field(fig.core.field).default_aggregate != "sum"):
        return None
    every = (s.count(fig.rows) if a == "count" else _aggregated(fig, a) for a in said)
    return tuple(every)


def _aggregated(fig: Fig, aggregate: str) -> Fig:
    return replace(fig, core=fig.core.model_copy(update={"aggregate": aggregate}), implied=False)


@says("Figs", "Aggs -:amount? -of? Rows", "average and maximum of loans")
@says("Figs", "Aggs N -:amount", "minimum and maximum loan amount")
def of_rows(s: Schema, said: tuple[str, ...], rows: Rows) -> tuple[Fig, ...] | None:
    figs = tuple(s.count(rows) if item == "count" else s.main_figure(rows, item) for item in said)  # type: ignore[arg-type]
    return tuple(fig for fig in figs if fig) if all(figs) else None


@says(
    "Figs",
    "Rows -:stop? -:what? -:aggregate=count|:weak -And -:what? -Their? Fig",
    "savings accounts in Pune, how many and what is their total balance",
)
@says(
    "Figs",
    "-:aggregate=count Rows -And -:what -Their? Fig",
    "how many savings accounts are dormant and what is their total balance",
)
def counted_with(s: Schema, rows: Rows, fig: Fig) -> Priced | None:
    """Rows once counted, and once with a figure of theirs."""
    if rows.bounds or fig.rows.narrowed or fig.extreme or s.up(fig.rows.dataset, rows.dataset) is None:
        return None
    if fig.rows.dataset == rows.dataset:
        found: Priced | None = Priced(replace(fig, rows=rows))
    else:
        found = narrow_fig(s, fig, Mod((Related(rows, of=True),))) if rows.narrowed else Priced(fig)
    bare = times("an amount that nobody aggregated", fig.implied)
    return found and replace(found, value=(s.count(rows), found.value), because=(*found.because, *bare))


@says(
    "Figs",
    "Rows -:stop? -:what? -:aggregate=count -And -:what? -Their? :aggregate=sum|:aggregate=avg",
    "loans disbursed in 2025: how many and what is the total",
)
@says(
    "Figs",
    "-:aggregate=count Rows -And -:what -Their? :aggregate=sum|:aggregate=avg",
    "how many loans are there and what is the sum",
)
def counted_with_their_amounts(s: Schema, rows: Rows, said: Aggregate) -> tuple[Fig, ...] | None:
    fig = s.main_figure(rows, said) if not rows.bounds else None
    return (s.count(rows), fig) if fig else None


@says("Figs", "-:aggregate=count|:weak -:and Figs", "number and total outstanding of loans")
@says("Figs", "Figs -And -:weak|:aggregate=count", "total outstanding of loans and how many of them")
def counted_too(s: Schema, figs: tuple[Fig, ...]) -> tuple[Fig, ...] | None:
    if figs[0].core.aggregate == "count" or figs[0].over:
        return None
    return (s.count(figs[0].rows), *figs)
