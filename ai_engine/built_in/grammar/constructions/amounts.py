"""Amounts that no column names: of what was done, "how much did we disburse", and of rows that would be counted."""

from __future__ import annotations

from dataclasses import replace

from ai_engine.built_in.grammar.construction import Constructions
from ai_engine.built_in.grammar.phrases import Ask, Fig, Mod, Priced, Related, Rows
from ai_engine.built_in.grammar.questions import narrow_fig
from ai_engine.built_in.grammar.schema import Schema
from ai_engine.built_in.meanings import Thing
from ai_engine.semantics.infer.events import words_of_event
from ai_engine.semantics.intent import Condition, FieldRef
from ai_engine.semantics.words import words

says = Constructions()
_OF_DAYS = frozenset({"on", "at", "date", "time", "day", "of", "out", "up"})


# -- of what was done --------------------------------------------------------------------------------------------


@says("Fig", ":aggregate? -:amount -:what? Event", "how much did we disburse")
@says("Fig", ":aggregate? Event -:amount", "average disbursed amount")
@says("Fig", ":aggregate=sum Event", "total disbursed")
def done(s: Schema, *given: object) -> Priced | None:
    """The main amount of the rows on which it was done, dated by the day."""
    aggregate, event = given[0] if len(given) > 1 else "sum", given[-1]
    return _done(s, Rows(event.dataset), event, str(aggregate)) if isinstance(event, FieldRef) else None


@says("Fig", "-:amount -of|in? -:have? Rows Event", "how much in gold loans did we disburse")
def done_by(s: Schema, rows: Rows, event: FieldRef) -> Priced | None:
    """What was done by some, or to rows of its own."""
    if rows.dataset == event.dataset:
        return _done(s, rows, event, "sum") if rows.period is None and not rows.bounds else None
    if s.up(event.dataset, rows.dataset) is None:
        return None
    found = _done(s, Rows(event.dataset), event, "sum")
    if found is None or not rows.narrowed:
        return found
    by_them = narrow_fig(s, found.value, Mod((Related(rows, of=True),)))
    return by_them and replace(by_them, notes=(*found.notes, *by_them.notes))


def _done(s: Schema, rows: Rows, event: FieldRef, aggregate: str) -> Priced | None:
    fig = s.main_figure(replace(rows, dated=event), aggregate) if aggregate in {"sum", "avg", "median"} else None  # type: ignore[arg-type]
    if fig is None or fig.core.field is None:
        return None
    amount = _of_the_event(s, event) or fig.core.field
    fig = replace(fig, core=fig.core.model_copy(update={"field": amount}))
    if s.knows.may_lack(event):
        came_about = Condition(field=event, operator="is not null")
        fig = replace(fig, rows=replace(fig.rows, filters=(*fig.rows.filters, came_about)))
    return Priced(fig, notes=(f"The amount is the {s.field(amount).label}.",))


def _of_the_event(s: Schema, event: FieldRef) -> FieldRef | None:
    """The amount that is called after what happened: the paid amount of the day of payment."""
    said = words(s.field(event).label)
    happened = {*words_of_event(said), *said} - _OF_DAYS
    named = [
        FieldRef(dataset=event.dataset, field=item.name)
        for item in s.knows.dataset(event.dataset).fields
        if item.role == "measure" and item.default_aggregate == "sum" and happened & set(words(item.label))
    ]
    return named[0] if len(named) == 1 else None


@says("Fig", "-:amount -:what? Deed", "how much was transacted")
@says("Fig", "-:amount -:have? Rows Deed", "how much have customers transacted")
def dealt(s: Schema, *given: Rows | Thing) -> Priced | None:
    """The same by the verb of the rows that it leaves behind."""
    rows, deed = given[0], given[-1]
    fig = s.main_figure(Rows(deed.dataset))
    if fig is None or fig.core.field is None:
        return None
    note = f"The amount is the {s.field(fig.core.field).label}."
    if not isinstance(rows, Rows) or not rows.narrowed:
        return Priced(fig, notes=(note,))
    found = narrow_fig(s, fig, Mod((Related(rows, of=True),)))
    return found and replace(found, notes=(*found.notes, note))


# -- of rows -----------------------------------------------------------------------------------------------------


@says("Figs", "-:aggregate=count Rows -And -for? -:amount", "how many loans and how much")
@says(
    "Figs",
    "Rows -:stop? -:aggregate=count|:weak -And -:aggregate=sum? -:amount",
    "UPI transactions in 2025, count and amount",
)
def number_and_amount(s: Schema, rows: Rows) -> tuple[Fig, ...] | None:
    fig = s.main_figure(rows) if not rows.bounds else None
    return (s.count(rows), fig) if fig else None


@says("Ask", "Ask -:stop? -:aggregate=count|:weak -And -:aggregate=sum? -:amount", "loans by branch, number and amount")
@says("Ask", "Ask -:stop? -:amount -And -:aggregate=count|:weak", "loans by branch, amount and number")
def both_of_each(s: Schema, ask: Ask) -> Ask | None:
    """What is counted is added up too."""
    only = ask.figs[0] if len(ask.figs) == 1 else None
    if only is None or only.core.aggregate != "count" or only.over or only.less or ask.best or ask.orders:
        return None
    fig = s.main_figure(only.rows)
    return replace(ask, figs=(only, fig)) if fig else None


@says("InMoney", "-in|by|on :amount -terms|basis?", "in value terms")
@says("InMoney", "-by? amounts|:amount|:weak -:stop? -:not counts|numbers|number|count", "amounts, not counts")
@says("InMoney", "-:amount -:only", "amount only")
@says("InMoney", "not counts|numbers", "not counts")
def rather_amounts(s: Schema, *_: object) -> bool:
    return True


@says("Ask", "Ask -:stop? -InMoney", "transactions by channel in value terms")
def in_money(s: Schema, ask: Ask) -> Priced | None:
    """What would be counted is added up."""
    changed = {fig: s.main_figure(fig.rows) for fig in ask.figs if fig.core.aggregate == "count" and not fig.over}
    if not changed or not all(changed.values()) or ask.bounds:
        return None

    def added_up(fig: Fig) -> Fig:
        return changed.get(fig) or fig

    best = replace(ask.best, fig=added_up(ask.best.fig)) if ask.best and ask.best.fig else ask.best
    orders = tuple(replace(end, fig=added_up(end.fig)) if end.fig else end for end in ask.orders)
    return Priced(replace(ask, figs=tuple(map(added_up, ask.figs)), best=best, orders=orders))
