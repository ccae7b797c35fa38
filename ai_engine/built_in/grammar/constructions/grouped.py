"""Questions for figures by groups, about groups that satisfy a condition, and what is said before and behind."""

from __future__ import annotations

from dataclasses import replace

from ai_engine.built_in.grammar.construction import Constructions
from ai_engine.built_in.grammar.constructions.figures import weighted
from ai_engine.built_in.grammar.phrases import (
    Ask,
    Best,
    Bound,
    Cond,
    DoneBy,
    Fig,
    Group,
    Mod,
    Part,
    Related,
    Rows,
    When,
)
from ai_engine.built_in.grammar.questions import by, narrow_ask, narrow_fig, with_figures
from ai_engine.built_in.grammar.reasons import Priced
from ai_engine.built_in.grammar.schema import Schema
from ai_engine.built_in.meanings import Step
from ai_engine.semantics.intent import Condition, FieldRef, Membership
from ai_engine.semantics.people import calls_people

says = Constructions()


@says("Q", "-Show? Ask", "show me the loans")
@says("Q", "-:and -Show? Ask", "and show me the loans")
def asked(s: Schema, ask: Ask) -> Ask:
    return ask


@says("Q", "-compare Ask", "compare deposits of savings and current accounts")
def compared(s: Schema, ask: Ask) -> Priced | None:
    """The values that narrow it beside each other; with what, where only one figure was named."""
    values = _values_said(ask) - {group.field for group in ask.groups}
    if values and not ask.best and not ask.compare:
        return by(s, replace(ask, split=True), tuple(Group(field=field) for field in values))
    return Priced(ask) if ask.groups or ask.compare or len(ask.figs) > 1 else None


def _values_said(ask: Ask) -> set[FieldRef]:
    """The field of which all figures are about several values; none where there are several such fields."""
    told = [
        {item.field for item in fig.rows.filters if isinstance(item, Condition) and item.operator == "in"}
        for fig in ask.figs
    ]
    common = set.intersection(*told) if told else set()
    return common if len(common) == 1 else set()


@says("Q", "-Show? -:who Ask", "who are the customers with a gold loan")
def asked_who(s: Schema, ask: Ask) -> Ask | None:
    """People are asked for, as rows or by groups: those the business serves, or its own."""
    told = [*([ask.rows.dataset] if ask.rows else ()), *(group.thing or "" for group in ask.groups)]
    told += [group.field.dataset for group in ask.groups if group.field]
    known = not s.knows.holding_people or any(name and calls_people(s.knows.dataset(name)) for name in told)
    return ask if known else None


# -- figures by groups -------------------------------------------------------------------------------------------


@says("Ask", "Figs", "total balance and number of loans")
def figures(s: Schema, figs: tuple[Fig, ...]) -> Ask | None:
    return Ask(figs=figs) if not any(fig.unsaid for fig in figs) else None


@says("Ask", "Figs -:stop? -By|:each -:each|:distinct? Groups", "deposits by region and account type")
@says("Ask", "Figs -In -:each|:distinct Groups", "deposits of each region")
@says("Ask", "Figs -That? -:have? -Deed -:each Groups", "number of people who traded each fund")
@says("Ask", "Figs -Has -:each Groups", "number of customers having each account type")
@says("Ask", "Figs -:wise? Groups -:wise", "deposits region wise")
def grouped(s: Schema, figs: tuple[Fig, ...], groups: tuple[Group, ...]) -> Priced | None:
    return by(s, Ask(figs=figs), groups) if not _did_it(s, groups) else None


def _did_it(s: Schema, groups: tuple[Group, ...], mods: tuple[Part, ...] = ()) -> bool:
    """ "transactions by customers in Pune" are those that these have made, and are not counted for each."""
    narrowed = any(not isinstance(part, When) for part in mods)
    people = (group for group in groups if group.plural and group.thing in s.knows.holding_people)
    return any(group.mods or narrowed for group in people)


@says("Ask", "-:wise? Groups -:wise Figs", "region wise deposits")
@says(
    "Ask",
    "-By|:each|of|in|at|for|on|among|within|across|over Groups -And? -Show? Figs",
    "for each branch show total deposits",
)
def groups_first(s: Schema, groups: tuple[Group, ...], figs: tuple[Fig, ...]) -> Priced | None:
    return by(s, Ask(figs=figs), groups)


@says("Ask", "Groups -And|:have -:and|Their? Figs", "loan types and number of loans")
def groups_and_figures(s: Schema, groups: tuple[Group, ...], figs: tuple[Fig, ...]) -> Priced | None:
    """ "which shop pays the highest fee" tells which is meant."""
    ends = [fig for fig in figs if fig.core.aggregate in {"max", "min"}]
    told = any(fig.extreme for fig in figs) or len(ends) > 1
    return groups_first(s, groups, figs) if not told else None


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
    if not ask.groups and ask.stage == 0 and not (ask.transform or ask.compare):
        return None  # said by `grouped`
    return by(s, ask, groups)


@says("Ask", "Rows -:stop? -:weak|:aggregate=count? -By -:each|:distinct? Groups", "customers by segment")
@says("Ask", "Rows -By -:each? Groups -And -Show? -:aggregate=count|:weak", "loans by loan type and show how many")
@says("Ask", "Rows -:wise? Groups -:wise", "accounts branch wise")
def counted_by(s: Schema, rows: Rows, groups: tuple[Group, ...]) -> Priced | None:
    if rows.bounds or _did_it(s, groups):
        return None
    fees = s.main_figure(rows) if s.are_money(rows, plainly=True) else None
    return by(s, Ask(figs=(fees or s.count(rows),)), groups)


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
    measured = group.field is not None and s.field(group.field).role == "measure"
    if group.step is not None or len(figs) > 1 or measured:
        return None  # "beds per department" are no departments by their number of beds
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
@says("Ask", "-By|EachOne Rows -And -Show? Figs", "per branch with at least 20 customers: number of accounts")
def rows_with(s: Schema, rows: Rows, figs: tuple[Fig, ...]) -> Priced | None:
    ends = [fig for fig in figs if fig.core.aggregate in {"max", "min"}]
    if any(fig.extreme or fig.said_last for fig in figs) or len(ends) > 1:
        return None  # "with the highest balance" tells which are meant, "the highest and the lowest" neither
    return with_figures(s, rows, figs)


@says("Ask", "Ask -:stop? Weight", "average interest rate by loan type, weighted by outstanding principal")
def weighted_behind(s: Schema, ask: Ask, weight: FieldRef) -> Ask | None:
    """How the one average that is asked for is taken."""
    plain = len(ask.figs) == 1 and not (ask.best or ask.bounds or ask.orders)
    fig = weighted(s, ask.figs[0], weight) if plain else None
    return replace(ask, figs=(fig,)) if fig else None


@says("Ask", "Weight -:stop? -Show? Ask", "weighted by outstanding principal, average interest rate by loan type")
def weighted_before(s: Schema, weight: FieldRef, ask: Ask) -> Ask | None:
    return weighted_behind(s, ask, weight)


# -- said behind -------------------------------------------------------------------------------------------------


@says("Ask", "Ask Mod", "deposits by branch in Pune")
def narrowed(s: Schema, ask: Ask, mod: Mod) -> Priced | None:
    if not ask.best and _did_it(s, ask.groups, mod.parts):
        return None
    if not (ask.groups or ask.best or ask.columns or ask.transform) or ask.stage > 1:
        return None  # said of the rows or the figures themselves
    found = narrow_ask(s, ask, mod)
    return found and replace(found, value=replace(found.value, stage=1))


@says("Ask", "Mod -:stop? -Show? Ask", "Q2 and Q3 disbursals")
def narrowed_before(s: Schema, mod: Mod, ask: Ask) -> Priced | None:
    idle = any(isinstance(part, Related) and not part.negated and not part.rows.narrowed for part in mod.parts)
    rows = ask.rows or (ask.figs[0].rows if ask.figs else None)
    conditions = [part.filter for part in mod.parts if isinstance(part, Cond) and isinstance(part.filter, Condition)]
    if rows is not None and any(s.is_state_of_others(item.field, rows) for item in conditions):
        return None
    done = any(isinstance(part, Bound | DoneBy) for part in mod.parts)
    return narrow_ask(s, ask, mod) if not idle and not done else None


def _part_of_last(s: Schema, ask: Ask, mod: Mod) -> Fig | None:
    """The figure said last over fewer of its rows: "how many of them"."""
    last = ask.figs[-1] if ask.figs else None
    if last is None or last.over or ask.best or any(isinstance(part, Bound) for part in mod.parts):
        return None
    found = narrow_fig(s, last, mod)
    return found.value if found and found.value.rows != last.rows else None


def _lacks_what_it_has(rows: Rows) -> bool:
    held = [item for item in rows.filters if isinstance(item, Membership)]
    none = {item.dataset for item in held if item.negated and not item.filters}
    return any(item.dataset in none and not item.negated for item in held)


@says("Ask", "Ask -And -:what? -:aggregate=count Mod", "how many accounts and how many of them are dormant")
def and_how_many_of_them(s: Schema, ask: Ask, mod: Mod) -> Ask | None:
    if any(isinstance(item, When) for item in mod.parts):
        return None  # "number of savings accounts and number of accounts opened in 2025"
    part = _part_of_last(s, ask, mod)
    if part is None or _lacks_what_it_has(part.rows):  # "how many never ordered and how many ordered in 2025"
        last = ask.figs[-1] if ask.figs else None
        wider = replace(last, rows=Rows(last.rows.dataset, last.rows.via)) if last and last.rows.narrowed else None
        part = _part_of_last(s, replace(ask, figs=(wider,)), mod) if wider else None
    return replace(ask, figs=(*ask.figs, s.count(part.rows))) if part else None


@says(
    "Ask",
    "Ask -And -:what? -:aggregate=count -of? -them|these|those Rows|Mod",
    "how many accounts and how many of them are dormant accounts",
)
def and_how_many_of_them_are(s: Schema, ask: Ask, said: Rows | Mod) -> Ask | None:
    part = _part_of_last(s, ask, said if isinstance(said, Mod) else Mod((Related(said, of=True),)))
    return replace(ask, figs=(*ask.figs, s.count(part.rows))) if part else None


@says(
    "Ask",
    "Ask -And -:what? -:share -of? -them|these|those? -is|are|was|were? Mod",
    "how many accounts and what percentage of them is dormant",
)
def and_what_share(s: Schema, ask: Ask, mod: Mod) -> Ask | None:
    part = _part_of_last(s, ask, mod)
    return replace(ask, figs=(*ask.figs, replace(part, over=ask.figs[-1], percent=True, part=True))) if part else None
