"""Questions for figures by groups, about groups that satisfy a condition, and what is said before and behind."""

from __future__ import annotations

from dataclasses import replace

from ai_engine.built_in.grammar.construction import Constructions
from ai_engine.built_in.grammar.mods import as_bound
from ai_engine.built_in.grammar.phrases import Ask, Best, Bound, Cmp, DoneBy, Fig, Group, Mod, Priced, Related, Rows
from ai_engine.built_in.grammar.questions import by, narrow_ask, narrow_fig, with_figures
from ai_engine.built_in.grammar.schema import Schema, bounds_of
from ai_engine.built_in.meanings import Step
from ai_engine.semantics.intent import FieldRef

says = Constructions()


@says("Q", "-Show? Ask", "show me the loans")
def asked(s: Schema, ask: Ask) -> Ask:
    return ask


@says("Q", "-Show? -:who Ask", "who are the customers with a gold loan")
def asked_who(s: Schema, ask: Ask) -> Ask | None:
    """People are asked for, as rows or by groups."""
    told = {
        ask.rows.dataset if ask.rows else "",
        *(group.thing or (group.field and group.field.dataset) for group in ask.groups),
    }
    return ask if not s.knows.holding_people or told & set(s.knows.holding_people) else None


# -- figures by groups -------------------------------------------------------------------------------------------


@says("Ask", "Figs", "total balance and number of loans")
def figures(s: Schema, figs: tuple[Fig, ...]) -> Ask:
    return Ask(figs=figs)


@says("Ask", "Figs -:stop? -By|:each -:each|:distinct? Groups", "deposits by region and account type")
@says("Ask", "Figs -In -:each|:distinct Groups", "deposits of each region")
@says("Ask", "Figs -That? -:have? -Deed -:each Groups", "number of people who traded each fund")
@says("Ask", "Figs -Has -:each Groups", "number of customers having each account type")
@says("Ask", "Figs -:wise? Groups -:wise", "deposits region wise")
def grouped(s: Schema, figs: tuple[Fig, ...], groups: tuple[Group, ...]) -> Priced | None:
    return by(s, Ask(figs=figs), groups)


@says("Ask", "-:wise? Groups -:wise Figs", "region wise deposits")
@says("Ask", "-By|:each|In Groups -And? -Show? Figs", "for each branch show total deposits")
@says("Ask", "Groups -And|:have -:and|Their? Figs", "loan types and number of loans")
def groups_first(s: Schema, groups: tuple[Group, ...], figs: tuple[Fig, ...]) -> Priced | None:
    return by(s, Ask(figs=figs), groups)


@says("Ask", "Adverb Figs", "monthly transaction value")
def each_step(s: Schema, step: Step, figs: tuple[Fig, ...]) -> Priced | None:
    return by(s, Ask(figs=figs), (Group(step=step.grain),))


@says("Ask", "Figs Adverb", "disbursements month by month")
def each_step_behind(s: Schema, figs: tuple[Fig, ...], step: Step) -> Priced | None:
    return each_step(s, step, figs)


@says("Ask", "Ask -By|:each|in -:each? Groups", "number of accounts by region in 2026 by month")
def also_grouped(s: Schema, ask: Ask, groups: tuple[Group, ...]) -> Priced | None:
    if not ask.figs or ask.best or ask.orders or any(group in ask.groups for group in groups):
        return None
    if not ask.groups and ask.stage == 0 and not ask.transform:
        return None  # said by `grouped`
    return by(s, ask, groups)


@says("Ask", "Rows -:stop? -:weak|:aggregate=count? -By -:each|:distinct? Groups", "customers by segment")
@says("Ask", "Rows -By -:each? Groups -And -Show? -:aggregate=count|:weak", "loans by loan type and show how many")
@says("Ask", "Rows -:wise? Groups -:wise", "accounts branch wise")
def counted_by(s: Schema, rows: Rows, groups: tuple[Group, ...]) -> Priced | None:
    return by(s, Ask(figs=(s.count(rows),)), groups) if not rows.bounds else None


@says("Ask", "-:wise? Groups -:wise Rows", "city wise customers")
def counted_behind(s: Schema, groups: tuple[Group, ...], rows: Rows) -> Priced | None:
    return counted_by(s, rows, groups)


@says("Ask", "Adverb Rows", "monthly transactions")
def counted_each_step(s: Schema, step: Step, rows: Rows) -> Priced | None:
    return each_step(s, step, (s.count(rows),)) if not rows.bounds else None


@says("Ask", "Group -By Figs", "branches by deposits")
@says("Ask", "Group -By Figs -:stop? :by_size|:direction", "branches by deposits, highest first")
def groups_by_figure(s: Schema, group: Group, figs: tuple[Fig, ...], descending: bool = True) -> Priced | None:
    """ "branches by deposits": the first stands first."""
    if group.step is not None or len(figs) > 1:
        return None
    found = by(s, Ask(figs=figs), (group,))
    return found and replace(found, value=replace(found.value, orders=(Best(descending, fig=found.value.figs[0]),)))


@says("Ask", "Group -By Rows", "branches by customers")
@says("Ask", "Group -By Rows -:stop? :by_size|:direction", "branches by customers, highest first")
def groups_by_number(s: Schema, group: Group, rows: Rows, descending: bool = True) -> Priced | None:
    return groups_by_figure(s, group, (s.count(rows),), descending) if not rows.bounds else None


@says("Ask", "Rows|Figs -:relative? Date -By|:each -:each? Step", "customers joined by year")
def by_steps_of(s: Schema, said: Rows | tuple[Fig, ...], date: FieldRef, step: Step) -> Priced | None:
    figs = (s.count(said),) if isinstance(said, Rows) else said
    return by(s, Ask(figs=figs), (Group(field=date.model_copy(update={"grain": step.grain})),))


@says("Ask", "-:aggregate=count Rows -:each Group -:have?", "how many accounts does each customer have")
def how_many_each(s: Schema, rows: Rows, group: Group) -> Priced | None:
    return counted_by(s, rows, (group,))


@says("Ask", "-compare Figs", "compare transaction value in Q2 2026 and Q3 2026")
def steps_compared(s: Schema, figs: tuple[Fig, ...]) -> Priced | None:
    days = figs[0].rows.period
    return by(s, Ask(figs=figs), (Group(step=days.each),)) if days is not None and days.each else None


@says("Ask", "Rows -By Groups -And|:have Figs", "dormant accounts by branch with total balance")
def rows_by_with(s: Schema, rows: Rows, groups: tuple[Group, ...], figs: tuple[Fig, ...]) -> Priced | None:
    if not rows.narrowed or rows.bounds:
        return None
    found = [item for fig in figs if (item := narrow_fig(s, fig, Mod((Related(rows, of=True),))))]
    return by(s, Ask(figs=tuple(item.value for item in found)), groups) if len(found) == len(figs) else None


@says("Ask", "Rows -:have|:and -Their? Figs", "premium customers with their total balance")
@says("Ask", "-:each Rows Figs", "each customer's total balance")
def rows_with(s: Schema, rows: Rows, figs: tuple[Fig, ...]) -> Priced | None:
    if any(fig.extreme for fig in figs):
        return None  # "with the highest balance" tells which are meant
    return with_figures(s, rows, figs)


# -- said behind -------------------------------------------------------------------------------------------------


@says("Ask", "Ask Mod", "deposits by branch in Pune")
def narrowed(s: Schema, ask: Ask, mod: Mod) -> Priced | None:
    if not (ask.groups or ask.best or ask.columns or ask.transform) or ask.stage > 1:
        return None  # said of the rows or the figures themselves
    found = narrow_ask(s, ask, mod)
    return found and replace(found, value=replace(found.value, stage=1))


@says("Ask", "Mod -:stop? -Show? Ask", "Q2 and Q3 disbursals")
def narrowed_before(s: Schema, mod: Mod, ask: Ask) -> Priced | None:
    return narrow_ask(s, ask, mod) if not any(isinstance(part, Bound | DoneBy) for part in mod.parts) else None


def _part_of_last(s: Schema, ask: Ask, mod: Mod) -> Fig | None:
    """The figure said last over fewer of its rows: "how many of them"."""
    last = ask.figs[-1] if ask.figs else None
    if last is None or last.over or ask.best or any(isinstance(part, Bound) for part in mod.parts):
        return None
    found = narrow_fig(s, last, mod)
    return found.value if found else None


@says("Ask", "Ask -And -:what? -:aggregate=count Mod", "how many accounts and how many of them are dormant")
def and_how_many_of_them(s: Schema, ask: Ask, mod: Mod) -> Ask | None:
    part = _part_of_last(s, ask, mod)
    return replace(ask, figs=(*ask.figs, s.count(part.rows))) if part else None


@says("Ask", "Ask -And -:what? -:share Mod", "how many accounts and what percentage of them is dormant")
def and_what_share(s: Schema, ask: Ask, mod: Mod) -> Ask | None:
    part = _part_of_last(s, ask, mod)
    return replace(ask, figs=(*ask.figs, replace(part, over=ask.figs[-1], percent=True, part=True))) if part else None


@says("Ask", "Ask -:stop? -:whatever Field|N|Amt", "number of customers regardless of segment")
def whatever(s: Schema, ask: Ask, _: object) -> Ask:
    return ask


@says("Ask", "Ask -:stop? Vals -included|too", "number of accounts, closed ones included")
def nothing_left_out(s: Schema, ask: Ask, _: object) -> Ask:
    return ask


@says("Ask", "Ask -:aggregate=sum", "how many accounts of premium customers in total")
def in_total(s: Schema, ask: Ask) -> Ask | None:
    sums = all(fig.core.aggregate in {"sum", "count", None} for fig in ask.figs)
    return ask if ask.figs and sums and not ask.groups and not ask.best else None


# -- groups that satisfy a condition -----------------------------------------------------------------------------


@says("Ask", "Ask -:stop? -:only? -:have? Cmp", "number of accounts by branch, only those above 200")
@says("Ask", "Ask -:stop? -:only Mod", "number of accounts by branch, only those in Pune")
@says("Ask", "Ask -:stop? Mod -:only", "number of accounts by branch, savings only")
def only_those(s: Schema, ask: Ask, said: Cmp | Mod) -> Priced | None:
    if ask.best or ask.bounds:
        return None
    if isinstance(said, Mod):
        return narrow_ask(s, ask, said)
    bounds = bounds_of(ask.figs[0], said) if ask.figs and ask.groups else ()
    return Priced(replace(ask, bounds=bounds)) if bounds else None


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
    bounds = bounds_of(fig, cmp)
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
