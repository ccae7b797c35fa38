"""Groups that satisfy a condition, and values with how many there are of each."""

from __future__ import annotations

from dataclasses import replace

from ai_engine.built_in.grammar.construction import Constructions
from ai_engine.built_in.grammar.constructions.related import limits_of
from ai_engine.built_in.grammar.mods import as_bound
from ai_engine.built_in.grammar.phrases import Amount, Ask, Cmp, Cond, Fig, Group, Mod, Related, Rows
from ai_engine.built_in.grammar.questions import by, is_no_count, narrow_ask
from ai_engine.built_in.grammar.reasons import Priced
from ai_engine.built_in.grammar.schema import Schema
from ai_engine.built_in.grammar.units import bounds_of
from ai_engine.semantics.intent import Condition, FieldRef, Membership

says = Constructions()


@says("Ask", "Ask -:stop? -:only? -:have? Cmp", "number of accounts by branch, only those above 200")
@says("Ask", "Ask -:stop? -:only Mod", "number of accounts by branch, only those in Pune")
@says("Ask", "Ask -:stop? Mod -:only", "number of accounts by branch, savings only")
def only_those(s: Schema, ask: Ask, said: Cmp | Mod) -> Priced | None:
    if ask.best or ask.bounds:
        return None
    if isinstance(said, Mod):
        base = (ask.rows or ask.figs[0].rows).dataset if ask.rows or ask.figs else ""
        alone = any(isinstance(part, Related) and s.up(base, part.rows.dataset) is None for part in said.parts)
        return narrow_ask(s, ask, said) if not alone else None  # "with savings accounts only" says more
    if ask.figs and ask.groups and said.numbers and s.main_figure(ask.figs[0].rows) and is_no_count(ask.figs[0], said):
        return narrow_ask(s, ask, Mod((Amount(said),)))
    bounds = bounds_of(s, ask.figs[0], said) if ask.figs and ask.groups else ()
    return Priced(replace(ask, bounds=bounds)) if bounds else None


@says("Ask", "Ask -:stop? N -:only", "total balance by branch, active accounts only")
def only_such_rows(s: Schema, ask: Ask, rows: Rows) -> Priced | None:
    """The rows that were asked about, and only those that are so."""
    base = (ask.rows or ask.figs[0].rows).dataset if ask.rows or ask.figs else ""
    kinds = [item for item in rows.filters if isinstance(item, Condition)]
    if rows.dataset != base or not kinds or len(kinds) < len(rows.filters) or rows.period or rows.bounds or ask.best:
        return None
    return narrow_ask(s, ask, Mod(tuple(Cond(item.field.dataset, item) for item in kinds)))


@says("Ask", "Ask -:stop? -:only -:have? Cmp", "customers with accounts, only those with at least three")
def with_as_many(s: Schema, ask: Ask, cmp: Cmp) -> Priced | None:
    last = ask.rows.filters[-1] if ask.rows is not None and ask.rows.filters else None
    if ask.rows is None or not isinstance(last, Membership) or last.negated or last.at_least or last.at_most:
        return None
    limits = limits_of(cmp)
    if limits is None or limits[1] == 0:
        return None
    counted = last.model_copy(update={"at_least": limits[0] or 1, "at_most": limits[1]})
    return Priced(replace(ask, rows=replace(ask.rows, filters=(*ask.rows.filters[:-1], counted))))


@says(
    "Ask",
    "Ask -:stop? -:only Group -:have? Rel|Cmp|Clause",
    "number of loans by loan type, only types with more than 500",
)
def only_groups(s: Schema, ask: Ask, group: Group, said: Mod | Cmp) -> Priced | None:
    if group not in ask.groups:
        return None
    if isinstance(said, Cmp):
        return only_those(s, ask, said)
    bound = as_bound(s, said.parts[0]) if len(said.parts) == 1 else None
    return narrow_ask(s, ask, Mod((bound,))) if bound else None


@says("Ask", "Group -Has Cmp Fig|Rows", "states having fewer than 60 loans")
def groups_with_as_many(s: Schema, group: Group, cmp: Cmp, said: Fig | Rows) -> Priced | None:
    fig = s.count(said) if isinstance(said, Rows) else said
    thing = group.thing is not None and not group.mods
    if thing or fig.rows.bounds or fig.core.aggregate not in {"count", None}:
        return None
    bounds = bounds_of(s, fig, cmp)
    found = by(s, Ask(figs=(fig,), bounds=bounds), (group,)) if bounds else None
    if found is None:
        return None
    ask = found.value
    same = tuple(replace(bound, fig=ask.figs[0]) for bound in ask.bounds)
    return replace(found, value=replace(ask, bounds=same))


@says("Ask", "Field Mod", "cities with more than 1000 customers")
def groups_bounded(s: Schema, field: FieldRef, mod: Mod) -> Priced | None:
    if len(mod.parts) != 1 or s.field(field).role in {"name", "identifier"}:
        return None
    bound = as_bound(s, mod.parts[0])
    return by(s, Ask(figs=(bound.fig,), bounds=(bound,)), (Group(field=field),)) if bound else None


@says("Ask", "Field -By -:each? Groups", "loan status by branch")
def values_by(s: Schema, field: FieldRef, groups: tuple[Group, ...]) -> Priced | None:
    """How many there are of each value."""
    if s.field(field).role not in {"category", "flag"}:
        return None
    return by(s, Ask(figs=(s.count(Rows(field.dataset)),)), (Group(field=field), *groups))


@says("Ask", "Field -In? Rows? -And? -:have|:and -:weak|:aggregate=count", "loan types and number")
def values_with_counts(s: Schema, field: FieldRef, rows: Rows | None = None) -> Priced | None:
    if s.field(field).role not in {"category", "flag"}:
        return None
    return by(s, Ask(figs=(s.count(rows or Rows(field.dataset)),)), (Group(field=field),))
