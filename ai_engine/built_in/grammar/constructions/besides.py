"""What to show of a whole question, besides what it shows or instead."""

from __future__ import annotations

from dataclasses import replace

from ai_engine.built_in.grammar.construction import Constructions
from ai_engine.built_in.grammar.constructions.items import Items
from ai_engine.built_in.grammar.constructions.shown import show
from ai_engine.built_in.grammar.phrases import Ask, Best, Fig, Rows
from ai_engine.built_in.grammar.reasons import Priced
from ai_engine.built_in.grammar.schema import Schema

says = Constructions()


@says("Ask", "Ask -And? -EachOne? -Show -Their? Shown", "which loan is the largest? show its loan type")
def instead(s: Schema, ask: Ask, items: Items) -> Priced | None:
    """What to show, said in a sentence of its own: it replaces what would be shown."""
    return show(s, ask, items, instead=True)


@says("Ask", "Ask -And? -Show -Their? Shown -In Rows", "customers with loans. show the city of these customers")
def instead_of_these(s: Schema, ask: Ask, items: Items, rows: Rows) -> Priced | None:
    """ "the details of these customers": those that were just told."""
    same = ask.rows is not None and ask.rows.dataset == rows.dataset and not rows.narrowed
    return show(s, ask, items, instead=True) if same else None


@says("Ask", "Ask -And -:what? -Their? Shown", "customers in Pune and how many accounts does each have")
def besides(s: Schema, ask: Ask, items: Items) -> Priced | None:
    return show(s, ask, items, instead=False)


@says("Ask", "Fig -And -:what? -Their? Shown", "largest transaction and when was it")
def of_the_extreme(s: Schema, fig: Fig, items: Items) -> Priced | None:
    """The highest of an amount, and beside it what else is said of the row that has it."""
    field, best = fig.core.field, Best(fig.core.aggregate == "max")
    if not fig.extreme or field is None or field.dataset != fig.rows.dataset or fig.over or fig.less:
        return None
    if any(isinstance(item, Fig) for item in items):
        return None
    return show(s, Ask(rows=replace(fig.rows, named=True), best=replace(best, field=field)), items, instead=False)


@says("Ask", "Ask -:have -:and|Their? Shown", "5 largest loans with customer name and branch")
def with_these(s: Schema, ask: Ask, items: Items) -> Priced | None:
    """ "with the highest balance" tells which are meant, and shows nothing."""
    return None if any(isinstance(item, Fig) and item.extreme for item in items) else besides(s, ask, items)


@says("Ask", "Ask -And -:what? Ask", "names of customers and how many accounts does each customer have")
def of_the_same(s: Schema, ask: Ask, figures: Ask) -> Priced | None:
    """Columns of things, and figures of each of the same."""
    if ask.rows is None or ask.figs or not ask.columns or ask.rows.narrowed or ask.best or ask.orders:
        return None
    if not figures.figs or [group.thing for group in figures.groups] != [ask.rows.dataset]:
        return None
    return show(s, figures, ask.columns, instead=True)


@says("Ask", "Shown -In? -:what? Ask", "occupation of the customer with the highest annual income")
def of_the_first(s: Schema, items: Items, ask: Ask) -> Priced | None:
    return show(s, ask, items, instead=True) if ask.best and not ask.columns and not ask.listed else None
