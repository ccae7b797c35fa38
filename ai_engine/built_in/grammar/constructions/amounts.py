"""Amounts that no column names: of what was done, "how much did we disburse", and of rows that would be counted."""

from __future__ import annotations

from dataclasses import replace

from ai_engine.built_in.grammar.construction import Constructions
from ai_engine.built_in.grammar.phrases import Ask, Best, Fig, Mod, Related, Rows
from ai_engine.built_in.grammar.questions import narrow_fig
from ai_engine.built_in.grammar.reasons import Priced
from ai_engine.built_in.grammar.schema import Schema
from ai_engine.built_in.meanings import Thing
from ai_engine.built_in.stocks import begins_with_its_date, is_flow
from ai_engine.semantics.intent import Condition, FieldRef, Measure
from ai_engine.semantics.words import words

says = Constructions()
_COSTS = frozenset("cost price amount expense".split())
_THOUGHT = frozenset("estimated estimate budget budgeted planned expected quoted quote forecast".split())
_BOUGHT = frozenset({"purchase", "order", "expense", "expenditure"})


# -- of what was done --------------------------------------------------------------------------------------------


@says("Fig", ":aggregate? -:amount -:what? Event", "how much did we disburse")
@says("Fig", ":aggregate? Event -:amount", "average disbursed amount")
@says("Fig", ":aggregate=sum Event", "total disbursed")
def done(s: Schema, *given: object) -> Fig | None:
    """The main amount of the rows on which it was done, dated by the day."""
    aggregate, event = given[0] if len(given) > 1 else "sum", given[-1]
    return _done(s, Rows(event.dataset), event, str(aggregate)) if isinstance(event, FieldRef) else None


@says("Fig", "-:amount|:what? -spend|spent|spending -on|for Rows", "how much did we spend on repairs")
def spent_on(s: Schema, rows: Rows) -> Fig | None:
    """What it came to, and not what it was thought to."""
    costs = [item for item in s.knows.dataset(rows.dataset).fields if _COSTS.intersection(words(item.label))]
    known = [item for item in costs if item.role == "measure" and _THOUGHT.isdisjoint(words(item.label))]
    if rows.bounds or len(known) != 1 or len(costs) == 1 or known[0].default_aggregate != "sum":
        return None
    return Fig(Measure(aggregate="sum", field=FieldRef(dataset=rows.dataset, field=known[0].name)), rows)


@says("Fig", "-:amount -of|in? -:have? Rows Event", "how much in gold loans did we disburse")
def done_by(s: Schema, rows: Rows, event: FieldRef) -> Fig | Priced | None:
    """What was done by some, or to rows of its own."""
    if rows.dataset == event.dataset:
        return _done(s, rows, event, "sum") if rows.period is None and not rows.bounds else None
    if s.up(event.dataset, rows.dataset) is None:
        return None
    found = _done(s, Rows(event.dataset), event, "sum")
    if found is None or not rows.narrowed:
        return found
    return narrow_fig(s, found, Mod((Related(rows, of=True),)))


def _done(s: Schema, rows: Rows, event: FieldRef, aggregate: str) -> Fig | None:
    fig = s.main_figure(replace(rows, dated=event), aggregate) if aggregate in {"sum", "avg", "median"} else None  # type: ignore[arg-type]
    if fig is None or not s.knows.may_lack(event):
        return fig
    came_about = Condition(field=event, operator="is not null")
    return replace(fig, rows=replace(fig.rows, filters=(*fig.rows.filters, came_about)))


@says("Fig", "-:amount -:have Rows -:have? -In Rows", "how much do Premium customers hold in savings accounts")
@says("Fig", "-:what -:have Rows -:have -In Rows", "what do Premium customers hold in savings accounts")
def held_in(s: Schema, owners: Rows, rows: Rows) -> Priced | None:
    """The main amount of what somebody has."""
    if owners.dataset == rows.dataset or owners.bounds or rows.period:
        return None
    found = _of_main(s, replace(rows, named=True), "sum")
    return narrow_fig(s, found, Mod((Related(owners, of=True),))) if found else None


@says("Fig", "-:amount -:what? Deed|Did", "how much was transacted")
@says("Fig", "-:aggregate=sum|:what Did", "total withdrawn")
@says("Fig", "-:amount -:have? Rows Deed|Did", "how much have customers transacted")
@says("Fig", "-:what Rows Did", "what did Premium customers withdraw")
@says("Fig", "-:what -did -we Deed", "what did we invoice")
def dealt(s: Schema, *given: Rows | Thing) -> Fig | Priced | None:
    """The same by the verb of the rows that it leaves behind, or of their kind."""
    deed = given[-1]
    rows = deed if isinstance(deed, Rows) else Rows(deed.dataset)
    fig, actors = s.main_figure(rows), given[0] if len(given) > 1 else None
    if fig is None or not isinstance(actors, Rows) or not actors.narrowed:
        return fig
    return narrow_fig(s, fig, Mod((Related(actors, of=True),)))


@says("Fig", ":aggregate? Deed|Did -:amount", "transacted amount")
def dealt_amount(s: Schema, *given: object) -> Fig | None:
    """The amount of the rows that a deed leaves behind, as their adjective."""
    aggregate, deed = (given[0] if len(given) > 1 else "sum"), given[-1]
    rows = deed if isinstance(deed, Rows) else Rows(deed.dataset)  # type: ignore[attr-defined]
    return _of_main(s, rows, str(aggregate))


@says("Fig", ":aggregate? Rows -income|revenue|revenues|proceeds|billing|billings|takings", "fee income")
def income(s: Schema, *given: object) -> Fig | None:
    """What rows brought in that happened and are not kept: their amount."""
    aggregate, rows = (given[0] if len(given) > 1 else "sum"), given[-1]
    fig = s.main_figure(rows) if isinstance(rows, Rows) and not rows.bounds else None
    flows = fig is not None and fig.core.field is not None and is_flow(fig.core.field, s.knows)
    return _of_main(s, fig.rows, str(aggregate)) if fig is not None and flows else None


@says("Fig", "cash Deed|Did", "cash transacted")
def dealt_in_cash(s: Schema, deed: Rows | Thing) -> Fig | None:
    """The same of money, unless cash is the kind of a payment there."""
    return None if s.knows.lexicon.stored(("cash",)) else dealt_amount(s, deed)


@says("Scale", "-:have? Did End", "withdrew the most")
def dealt_most(s: Schema, rows: Rows, best: Best) -> Best | None:
    fig = s.main_figure(rows)
    return replace(best, fig=fig) if fig and best.kind in {"many", "few"} else None


@says("Fig", ":aggregate? spend|spending|spends|spent", "total spend")
def spent(s: Schema, aggregate: str = "sum") -> Fig | Priced | None:
    """The amount of what is bought, where one table holds that; of transactions that go both ways, what went out."""
    bought = [item.name for item in s.knows.model.datasets if _BOUGHT.intersection(words(item.label)[-1:])]
    if len(bought) == 1:
        return _of_main(s, Rows(bought[0]), aggregate)
    booked = [item.name for item in s.knows.model.datasets if words(item.label)[-1:] == ("transaction",)]
    sides = [side for name in booked if (side := s.went_out(name)) is not None]
    if bought or len(booked) != 1 or len(sides) != 1:
        return None
    found = _of_main(s, Rows(booked[0], filters=(sides[0],)), aggregate)
    return found and Priced(found, notes=(f"“Spend” counts what went out: {sides[0].values[0]}.",))


def _of_main(s: Schema, rows: Rows, aggregate: str) -> Fig | None:
    known = aggregate in {"sum", "avg", "median", "max", "min"}
    return s.main_figure(rows, aggregate) if known and not rows.bounds else None  # type: ignore[arg-type]


@says("Fig", "Rows -:stop :aggregate -:amount", "dormant accounts, average amount")
def amount_behind(s: Schema, rows: Rows, aggregate: str) -> Fig | None:
    return _of_main(s, rows, aggregate)


@says("Scale", "-:have? -spent|spend|spends End", "spent the most")
def spent_most(s: Schema, best: Best) -> Best | None:
    found = spent(s)
    fig = found.value if isinstance(found, Priced) else found
    return replace(best, fig=fig) if fig and best.kind in {"many", "few"} else None


@says("Fig", "Rows -CameIn", "transactions collected")
def came_in(s: Schema, rows: Rows) -> Fig | None:
    """What was collected of rows is their amount."""
    fig = s.main_figure(rows) if not rows.bounds else None
    return collected(s, fig) if fig else None


@says("Fig", "Fig -CameIn", "transaction value collected")
def collected(s: Schema, fig: Fig) -> Fig | None:
    """Only of what happened: neither the salaries of staff nor the loans that were given came in."""
    plain = s.knows.plain_figure(fig.core)
    began = plain is not None and begins_with_its_date(s.knows.dataset(plain[1].dataset))
    return fig if plain is None or (is_flow(plain[1], s.knows) and not began) else None


# -- of rows -----------------------------------------------------------------------------------------------------


@says("Figs", "-:aggregate=count Rows -And -for? -:amount", "how many loans and how much")
@says("Figs", "Rows -:stop? -:aggregate=count|:weak -And -:aggregate=sum", "UPI transactions in 2025, number and total")
@says(
    "Figs",
    "Rows -:stop? -:aggregate=count|:weak -And -:aggregate=sum? -:amount",
    "UPI transactions in 2025, count and amount",
)
def number_and_amount(s: Schema, rows: Rows) -> tuple[Fig, ...] | None:
    fig = s.main_figure(rows) if not rows.bounds else None
    return (s.count(rows), fig) if fig else None


@says("Ask", "Ask -:stop? -:aggregate=count|:weak -And -:aggregate=sum? -:amount", "loans by branch, number and amount")
@says("Ask", "Ask -:stop? -:aggregate=count|:weak -And -:aggregate=sum", "loans by branch, count and total")
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


@says("InNumber", "-by|in|on -:aggregate=count|:weak|numbers|counts -of? N?", "by number of loans")
def rather_numbers(s: Schema, rows: Rows | None = None) -> Rows | bool:
    return rows or True


@says("Rows", "Rows -InNumber", "transactions by number")
def in_number(s: Schema, rows: Rows) -> Rows:
    return rows


@says("Ask", "Ask -:stop? InNumber", "share of accounts that are dormant, by number of accounts")
def counted(s: Schema, ask: Ask, of: Rows | bool) -> Ask | None:
    """What is counted anyhow."""
    sides = [side for fig in ask.figs for side in (fig, fig.over) if side is not None]
    counts = bool(sides) and all(side.core.aggregate == "count" for side in sides)
    return ask if counts and (of is True or any(side.rows.dataset == of.dataset for side in sides)) else None  # type: ignore[union-attr]


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
