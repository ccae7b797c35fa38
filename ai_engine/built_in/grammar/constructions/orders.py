"""Order: sorted by, ranked by, highest first."""

from __future__ import annotations

from dataclasses import replace

from ai_engine.built_in.grammar.columns import identifying
from ai_engine.built_in.grammar.construction import Constructions
from ai_engine.built_in.grammar.constructions.rankings import with_a_value
from ai_engine.built_in.grammar.constructions.shown import then
from ai_engine.built_in.grammar.phrases import Ask, Best, Fig, Group, Rows
from ai_engine.built_in.grammar.questions import with_figures
from ai_engine.built_in.grammar.ranks import DESCENDING, judged
from ai_engine.built_in.grammar.reasons import Priced, Reason
from ai_engine.built_in.grammar.schema import Schema
from ai_engine.built_in.grammar.units import on_scale
from ai_engine.built_in.meanings import Number
from ai_engine.built_in.scales import Adjective, is_on
from ai_engine.semantics.intent import FieldRef
from ai_engine.semantics.words import words

says = Constructions()


@says(
    "Ask",
    "Ask -:stop? -:order -By? Fig :direction|:by_size?",
    "number of accounts by branch sorted by deposits descending",
)
def by_figure(s: Schema, ask: Ask, fig: Fig, descending: bool = False) -> Priced | None:
    if not ask.groups or ask.best or ask.orders or not all(s.grouped_by(fig, group) for group in ask.groups):
        return None
    if fig.implied:
        fig = next((known for known in ask.figs if known.core.field == fig.core.field), fig)
    return Priced(replace(ask, orders=(Best(descending, fig=fig),)))


@says(
    "Ask",
    "Ask -:stop? -:order -By? :aggregate :direction|:by_size?",
    "number of accounts and average balance by branch sorted by average descending",
)
def by_aggregate(s: Schema, ask: Ask, aggregate: str, descending: bool = False) -> Priced | None:
    """ "highest average first": of the figures that are shown the one that is an average."""
    figs = [fig for fig in ask.figs if (fig.core.aggregate or (s.knows.plain_figure(fig.core) or "?")[0]) == aggregate]
    return by_figure(s, ask, figs[0], descending) if len(figs) == 1 and not figs[0].over else None


@says("Ask", "Ask -:stop? -:order -By? Amt|Date|Field :direction|:by_size?", "dormant accounts sorted by balance")
@says("Ask", "Ask -:stop? -By? Amt -:stop? :direction|:by_size", "dormant accounts, balance highest first")
@says(
    "Ask",
    "Ask -:stop? -By? Date -:stop? :direction|:in_time|:by_size",
    "dormant accounts by opening date, newest first",
)
def by_field(s: Schema, ask: Ask, field: FieldRef, descending: bool = False) -> Priced | None:
    if ask.rows is None or ask.best or not s.reaches(ask.rows.dataset, (field,)):
        return None
    away: tuple[Reason, ...] = ("a column of others",) if field.dataset != ask.rows.dataset else ()
    return Priced(replace(ask, orders=(*ask.orders, Best(descending, field=field))), away)


@says(
    "Ask",
    "Ask -:stop? -:order -By? Amt|Date|Field -And Amt|Date|Field",
    "dormant accounts sorted by account type and balance",
)
def by_two_fields(s: Schema, ask: Ask, first: FieldRef, second: FieldRef) -> Priced | None:
    found = by_field(s, ask, first) if first != second else None
    return found and then(found, by_field(s, found.value, second))


@says(
    "Ask",
    "Ask -:stop? -:order? :direction|:by_size Amt|Date|Field",
    "dormant accounts in descending order of balance",
)
def in_order_of(s: Schema, ask: Ask, descending: bool, field: FieldRef) -> Priced | None:
    return by_field(s, ask, field, descending)


@says("Ask", "Ask -:stop? -:order? :direction|:by_size", "deposits by branch, highest first")
def in_direction(s: Schema, ask: Ask, descending: bool) -> Priced | None:
    if ask.best or ask.orders or not (ask.figs and ask.groups):
        return None
    return Priced(replace(ask, orders=(Best(descending, fig=ask.figs[-1]),)))


@says("Ask", "Ask -:stop? :ranked_by_harm", "dormant accounts by branch, worst first")
def worst_first(s: Schema, ask: Ask, worst: bool) -> Priced | None:
    """Of what does harm the most, of anything else the least."""
    end = Best(not worst, fig=ask.figs[-1], kind="bad" if worst else "good") if ask.figs else None
    return in_direction(s, ask, judged(s, end, ask.figs[-1]).descending) if end else None


@says("Ask", "Ask -:stop? :in_time", "dormant accounts, newest first")
def in_time(s: Schema, ask: Ask, descending: bool) -> Priced | None:
    """In the order of a date that is shown, else of that of the rows; steps of time are in their order anyhow."""
    if ask.figs:
        stepped = any(group.step or (group.field and group.field.grain) for group in ask.groups)
        return Priced(ask) if stepped and not descending and not ask.best and not ask.orders else None
    shown = [ref for ref in ask.columns if s.field(ref).role == "time"]
    field = shown[0] if shown else s.dated(ask.rows) if ask.rows else None
    return by_field(s, ask, field, descending) if field else None


@says("Ask", "Ask -:stop? :by_size", "dormant accounts, biggest first")
def by_size(s: Schema, ask: Ask, descending: bool) -> Priced | None:
    """In the order of an amount that is shown, else of the first one of the rows."""
    if ask.rows is None or ask.figs:
        return None
    shown = [ref for ref in ask.columns if s.field(ref).role == "measure"]
    field = shown[0] if shown else s.main_amount(ask.rows)
    return by_field(s, ask, field, descending) if field and len(shown) < len(("one", "two")) else None


@says("Ask", "Ask -:stop? Adj -first|on|at? -first|top", "loans sorted by principal, cheapest first")
def scale_first(s: Schema, ask: Ask, said: Adjective) -> Priced | None:
    """In the order that was named, turned; else of what is shown on that scale, else of the only figure on it."""
    if ask.figs:
        return in_direction(s, ask, said.high)
    if ask.rows is None or ask.best:
        return None
    if ask.orders and ask.orders[-1].field is not None and s.field(ask.orders[-1].field).role == "measure":
        return Priced(replace(ask, orders=(*ask.orders[:-1], replace(ask.orders[-1], descending=said.high))))
    shown = [ref for ref in ask.columns if any(is_on(kind, words(s.field(ref).label)) for kind in said.scale.split())]
    field = shown[0] if len(shown) == 1 else on_scale(s, ask.rows.dataset, said.scale)
    return by_field(s, ask, field, said.high) if field and not ask.orders else None


@says("Ask", "Adj Rows -first", "cheapest loans first")
def rows_on_scale_first(s: Schema, said: Adjective, rows: Rows) -> Priced | None:
    return scale_first(s, Ask(rows=rows), said) if rows.named and not rows.bounds else None


@says("Ask", "Ask -:stop? -By Amt -:stop? Adj -first", "dormant accounts by balance, cheapest first")
def by_field_on_scale(s: Schema, ask: Ask, field: FieldRef, said: Adjective) -> Priced | None:
    return by_field(s, ask, field, said.high)


@says("Ask", "Ask -:stop? -:order? :direction", "account numbers and balances, ascending")
def by_first_column(s: Schema, ask: Ask, descending: bool) -> Priced | None:
    """In the order of the first column that was asked for."""
    if ask.rows is None or ask.figs or not ask.listed or ask.orders or ask.best:
        return None
    asked = [ref for ref in ask.columns if not identifying(s, ref)] or list(ask.columns)
    return by_field(s, ask, asked[0], descending)


@says("Ask", "Ask -:stop? :limit Num", "number of accounts per customer, top ten")
def top_of(s: Schema, ask: Ask, kind: str, number: Number) -> Priced | None:
    if not ask.groups or not ask.figs or ask.best or ask.orders:
        return None
    return Priced(replace(ask, best=Best(DESCENDING[kind], fig=ask.figs[0], limit=int(number.value))))


@says("Ask", "Ask -:stop? :by_count", "occupation, most frequent first")
def by_how_many(s: Schema, ask: Ask, descending: bool) -> Priced | None:
    """Values in the order of how many rows there are of each."""
    if ask.best or ask.orders:
        return None
    if ask.figs:
        fig = ask.figs[0]
        return in_direction(s, ask, descending) if fig.core.aggregate == "count" and fig.over is None else None
    if ask.rows is None or len(ask.columns) != 1 or s.field(ask.columns[0]).role not in {"category", "flag"}:
        return None
    fig = s.count(with_a_value(s, ask.columns[0], ask.rows))
    return Priced(Ask(figs=(fig,), groups=(Group(field=ask.columns[0]),), orders=(Best(descending, fig=fig),)))


@says(
    "Ask",
    "Ask -:stop? -:order -By? -Their? Fig :direction|:by_size?",
    "names of customers sorted by their total balance",
)
def list_in_order(s: Schema, ask: Ask, fig: Fig, descending: bool = False) -> Priced | None:
    """A list in the order of a figure of each row, which is shown with it."""
    if ask.rows is None or ask.best or ask.orders or fig.implied:
        return None
    found = with_figures(s, ask.rows, (fig,))
    if found is None or not s.reaches(ask.rows.dataset, ask.columns):
        return None
    groups = tuple(Group(field=ref) for ref in ask.columns) or found.value.groups
    orders = (Best(descending, fig=found.value.figs[0]),)
    return replace(found, value=replace(found.value, orders=orders, groups=groups))


@says("Ask", "Rows -:order -By? Fig|Rows :direction|:by_size?", "customers ranked by number of accounts")
def rows_in_order(s: Schema, rows: Rows, said: Fig | Rows, descending: bool = True) -> Priced | None:
    fig = s.count(said) if isinstance(said, Rows) else said
    found = with_figures(s, rows, (fig,))
    return found and replace(found, value=replace(found.value, orders=(Best(descending, fig=fig),)))
