"""What is said behind a question: what leaves nothing out, what is left out, in which unit, each once."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

from ai_engine.built_in.grammar.construction import Constructions
from ai_engine.built_in.grammar.mods import deny
from ai_engine.built_in.grammar.phrases import Ask, Cond, Either, Kind, Mod, Rows, Standing
from ai_engine.built_in.grammar.questions import narrow_ask
from ai_engine.built_in.grammar.reasons import Priced
from ai_engine.built_in.grammar.schema import Schema
from ai_engine.built_in.states import only_day_of_ending
from ai_engine.semantics.intent import Condition, FieldRef

says = Constructions()


@says("Ask", "Ask -:stop? -:whatever Field|N|Amt", "number of customers regardless of segment")
def whatever(s: Schema, ask: Ask, _: object) -> Ask:
    return ask


@says("Ask", "Ask -:stop? Vals -:included", "number of accounts, closed ones included")
def nothing_left_out(s: Schema, ask: Ask, _: object) -> Ask:
    return ask


@says("EveryOne", "-counting|taking|including -:each|all N", "counting every account")
def every_one(s: Schema, rows: Rows) -> Rows | None:
    return rows if not rows.narrowed else None


@says("Ask", "Ask -:stop? -:whatever Mod +:whatever", "number of accounts by branch, whether dormant or not")
@says("Ask", "Ask -:stop? Mod +:whatever", "number of accounts by branch, dormant or not")
def so_or_not(s: Schema, ask: Ask, mod: Mod, _: object = None) -> Ask | None:
    plain = [part for part in mod.parts if isinstance(part, Cond) and part.dataset == _rows_of(ask)]
    return ask if len(plain) == len(mod.parts) == 1 else None


@says("Ask", "Ask -:stop? -:whatever Mod", "number of customers by branch, whether male or female")
def either_way(s: Schema, ask: Ask, mod: Mod) -> Ask | None:
    """Nothing is left out by all that there can be of a kind."""
    part = mod.parts[0] if len(mod.parts) == 1 else None
    sides = tuple(side for one in part.mods for side in one.parts) if isinstance(part, Either) else (part,)
    items = [side.filter for side in sides if isinstance(side, Cond) and side.dataset == _rows_of(ask)]
    fields = {item.field for item in items if isinstance(item, Condition)}
    if len(fields) != 1:
        return None
    (field,) = fields
    standing = any(isinstance(side, Standing) for side in sides)
    if standing and len(sides) == len(items) + 1:
        return ask if only_day_of_ending(field.dataset, s.knows) == field else None
    known = s.knows.vocabulary.values.values_of(field.dataset, field.field)
    said = {value for item in items if isinstance(item, Condition) for value in item.values}
    return ask if known and known.complete and len(items) == len(sides) and said == set(known.values) else None


@says(
    "Ask",
    "Ask -:stop? EveryOne -:stop? -:whatever Mod",
    "number of customers, counting every customer whether male or female",
)
@says("Ask", "Ask -:stop? EveryOne -:stop? Mod +:whatever", "number of accounts, counting every account dormant or not")
@says(
    "Ask",
    "Ask -:stop? EveryOne -:stop? -:whatever Mod +:whatever",
    "number of accounts, counting all accounts whether dormant or not",
)
def every_one_either_way(s: Schema, ask: Ask, every: Rows, mod: Mod, _: object = None) -> Ask | None:
    return (either_way(s, ask, mod) or so_or_not(s, ask, mod)) if every.dataset == _rows_of(ask) else None


def _rows_of(ask: Ask) -> str:
    return ask.figs[0].rows.dataset if ask.figs else ask.rows.dataset if ask.rows else ""


@says("Ask", "Ask -:stop? Vals|N -:left_out", "number of accounts by branch, dormant ones left out")
@says("Ask", "Ask -:stop Vals|N +-out", "number of accounts by branch, dormant out")
def left_out(s: Schema, ask: Ask, said: Kind | Rows) -> Priced | None:
    """Those are none of the rows that were asked about."""
    told = (
        [Cond(said.dataset, item) for item in said.filters if isinstance(item, Condition)]
        if isinstance(said, Rows)
        else list(said.mod.parts)
    )
    if len(told) != 1 or (isinstance(said, Rows) and (len(said.filters) > 1 or said.period or said.bounds or said.via)):
        return None
    denied = deny(Mod(tuple(told)))
    return narrow_ask(s, ask, denied) if denied else None


@says("Ask", "Ask -:stop? -:not -:empty", "number of customers by occupation, leave out the blanks")
def without_blanks(s: Schema, ask: Ask) -> Priced | None:
    """What a group, or the one column that may lack a value, does not say is left out."""
    fields = [group.field for group in ask.groups if group.field] if ask.figs else list(ask.columns)
    blank = [ref for ref in fields if s.knows.may_lack(ref)]
    if len(blank) > 1 or not fields:
        return None
    if not blank:
        return Priced(ask, notes=tuple(f"{s.field(ref).label.capitalize()} is never missing." for ref in fields))
    return narrow_ask(s, ask, Mod((Cond(blank[0].dataset, Condition(field=blank[0], operator="is not null")),)))


@says(
    "Ask",
    "Ask -:stop? -:included=before -those? -:not Field",
    "customers by occupation, including those without occupation",
)
@says("Ask", "Ask -:stop? -:included=before -:empty", "number of customers by occupation, including blanks")
@says("Ask", "Ask -:stop? -:empty -:included", "number of customers by occupation, blanks included")
def with_blanks(s: Schema, ask: Ask, field: FieldRef | None = None) -> Ask | None:
    """A group without a value is shown anyhow."""
    fields = {group.field for group in ask.groups}
    return ask if ask.figs and (field in fields if field else fields - {None}) else None


@says("Ask", "Ask -:stop? -:zeros", "number of dormant accounts by branch, zeros included")
def with_zeros(s: Schema, ask: Ask) -> Ask | None:
    """Groups to which nothing belongs."""
    told = ask.figs and ask.groups and not ask.best and not any(group.step for group in ask.groups)
    return replace(ask, zeros=True) if told else None


@says("Ask", "Ask -:stop? :unit", "total balance by branch in lakh")
def in_unit(s: Schema, ask: Ask, size: str) -> Ask | None:
    """Amounts counted in lakhs or crores; numbers of rows and percentages stay."""
    scaled = {fig: replace(fig, shown_in=Decimal(size)) for fig in ask.every_figure if s.is_money(fig)}
    if (
        not scaled
        or any(fig.shown_in for fig in scaled)
        or ask.transform == "share_of_total"
        or any(bound.fig in scaled for bound in ask.bounds)
    ):
        return None
    best = replace(ask.best, fig=scaled.get(ask.best.fig, ask.best.fig)) if ask.best and ask.best.fig else ask.best
    orders = tuple(replace(end, fig=scaled.get(end.fig, end.fig)) if end.fig else end for end in ask.orders)
    return replace(ask, figs=tuple(scaled.get(fig, fig) for fig in ask.figs), best=best, orders=orders)


@says("Ask", "Ask -:stop? -:distinct", "cities of customers, each once")
def each_once(s: Schema, ask: Ask) -> Ask | None:
    return replace(ask, distinct=True) if ask.listed and not ask.figs and not ask.best else None


@says("Ask", "Ask -:stop? -:aggregate=count -In? -:each", "accounts by status, how many of each")
def in_numbers(s: Schema, ask: Ask) -> Ask | None:
    """What is counted anyhow."""
    return ask if ask.groups and ask.figs and all(fig.core.aggregate == "count" for fig in ask.figs) else None


@says("Ask", "Ask -:aggregate=sum", "how many accounts of premium customers in total")
def in_total(s: Schema, ask: Ask) -> Ask | None:
    sums = all(fig.core.aggregate in {"sum", "count", None} for fig in ask.figs)
    return ask if ask.figs and sums and not ask.groups and not ask.best else None
