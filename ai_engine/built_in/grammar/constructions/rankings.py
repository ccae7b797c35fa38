"""Rankings: the top few, the one with the most, and the same within each group."""

from __future__ import annotations

from dataclasses import replace

from ai_engine.built_in.grammar.columns import identifying
from ai_engine.built_in.grammar.construction import Constructions
from ai_engine.built_in.grammar.constructions.items import Items
from ai_engine.built_in.grammar.constructions.shown import show, then
from ai_engine.built_in.grammar.phrases import Ask, Best, Cond, Fig, Group, Mod, Rows
from ai_engine.built_in.grammar.questions import narrow_fig
from ai_engine.built_in.grammar.ranks import OF_TIME, judged, main_field, ranked
from ai_engine.built_in.grammar.reasons import Priced
from ai_engine.built_in.grammar.schema import Schema
from ai_engine.built_in.meanings import Number
from ai_engine.semantics.intent import Condition, FieldRef

says = Constructions()
_OF_COUNTS = frozenset({"many", "few", "busy", "idle"})
_OF_FIGURES = frozenset({"high", "low", "good", "bad"})


# -- which is the first ------------------------------------------------------------------------------------------


@says("Ask", "-:what|:each? Group -That|:what|in|for? -Has? Scale", "which branch has the most customers")
@says("Ask", "-In|:have|:relative -:what|:relative? Group -Has? Scale", "in which branch are the most customers")
def first_of(s: Schema, group: Group, best: Best) -> Priced | None:
    return ranked(s, (group,), best)


@says("Ask", "-:what? Group Event Scale", "which customer opened the most accounts")
def first_of_doers(s: Schema, group: Group, event: FieldRef, best: Best) -> Priced | None:
    """ "which cashier disbursed the most advances": of those on which it was done."""
    fig = best.fig
    if fig is None or fig.rows.dataset != event.dataset or group.step or group.field == event:
        return None
    if s.knows.may_lack(event):
        done = Mod((Cond(event.dataset, Condition(field=event, operator="is not null")),))
        found = narrow_fig(s, fig, done)
        fig = found.value if found else fig
    return ranked(s, (group,), replace(best, fig=replace(fig, rows=replace(fig.rows, dated=event))))


@says("Ask", "Anybody -Has? Scale", "who has the most accounts")
def first_of_people(s: Schema, people: Rows, best: Best) -> Priced | None:
    return ranked(s, (Group(thing=people.dataset),), best) if not people.narrowed else None


@says("Ask", "Cols -Has Scale", "customer id and segment with the most accounts")
def columns_of_first(s: Schema, cols: tuple[FieldRef, ...], best: Best) -> Priced | None:
    """ "the id and name with the most accounts": of whom they are."""
    thing = cols[0].dataset
    if any(ref.dataset != thing for ref in cols) or not any(identifying(s, ref) for ref in cols):
        return None
    return ranked(s, tuple(Group(field=ref) for ref in cols), best)


@says("Ask", "Num Group -Has|That? Scale", "5 customers with the highest total balance")
def first_few(s: Schema, number: Number, group: Group, best: Best) -> Priced | None:
    return ranked(s, (group,), replace(best, limit=int(number.value))) if number.unit is None else None


@says("Ask", "Scale -By|in|for|of Group", "most customers by branch")
def scale_first(s: Schema, best: Best, group: Group) -> Priced | None:
    return ranked(s, (group,), best) if best.kind in _OF_COUNTS else None


@says("Ask", "Ends|End Groups -By -:aggregate=count? Fig|Rows", "top 5 branches by deposits")
@says("Ask", "Ends Groups -in -:order|terms -of? Fig", "top 5 branches in terms of deposits")
def top(s: Schema, best: Best, groups: tuple[Group, ...], said: Fig | Rows) -> Priced | None:
    fig = s.count(said) if isinstance(said, Rows) else said
    return ranked(s, groups, replace(best, fig=fig)) if not fig.rows.bounds else None


@says(
    "Ask", "Ends|End Groups Mod -:stop? -By -:aggregate=count? Fig|Rows", "top 5 branches in 2025 by number of accounts"
)
def top_narrowed(s: Schema, best: Best, groups: tuple[Group, ...], mod: Mod, said: Fig | Rows) -> Priced | None:
    found = narrow_fig(s, s.count(said) if isinstance(said, Rows) else said, mod)
    return found and then(found, top(s, best, groups, found.value))


@says("Ask", "Fig -:stop Ends Groups", "total balance, top 5 branches")
def top_behind(s: Schema, fig: Fig, best: Best, groups: tuple[Group, ...]) -> Priced | None:
    return top(s, best, groups, fig)


@says("Ask", "Group -:relative? Fig End", "loan type whose average interest rate is lowest")
def whose_is_first(s: Schema, group: Group, fig: Fig, best: Best) -> Priced | None:
    return ranked(s, (group,), replace(best, fig=fig)) if best.kind in _OF_FIGURES else None


@says("Ask", "-:what? Group -Has? -:have? -by End Rows", "segment chosen by the most customers")
def chosen_most(s: Schema, group: Group, best: Best, rows: Rows) -> Priced | None:
    if best.kind not in _OF_COUNTS or not rows.named or rows.bounds:
        return None
    return ranked(s, (group,), replace(best, fig=s.count(rows)))


@says("Ask", "-:what? Group -:superlative=many -:have? -By|in? Rows?", "channel most used")
def mostly(s: Schema, group: Group, rows: Rows | None = None) -> Priced | None:
    """Of a day its verb is said so: "which opened the most" asks for those that did."""
    is_day = group.field is not None and s.field(group.field).role == "time"
    return None if is_day else commonest(s, group, rows)


@says("Ask", "-:superlative=many Group|Field -In|By? Rows?", "most common occupation among customers")
def commonest(s: Schema, said: Group | FieldRef, rows: Rows | None = None) -> Priced | None:
    group = Group(field=said) if isinstance(said, FieldRef) else said
    if group.field is not None and s.field(group.field).role == "measure":
        return None  # "the most overdue loan" is no number of loans
    if rows is None:
        if group.field is None or s.field(group.field).role in {"name", "identifier"}:
            return None
        rows = Rows(group.field.dataset)
    return ranked(s, (group,), Best(descending=True, fig=s.count(with_a_value(s, group.field, rows))))


def with_a_value(s: Schema, field: FieldRef | None, rows: Rows) -> Rows:
    """What is missing is no value, also where it is the most common."""
    if field is None or field.dataset != rows.dataset or field.via or not s.knows.may_lack(field):
        return rows
    known = Condition(field=field, operator="is not null")
    said = any(isinstance(item, Condition) and item.field == field for item in rows.filters)
    return rows if said else replace(rows, filters=(*rows.filters, known))


@says("Ask", "End Field", "busiest channel")
def commonest_value(s: Schema, best: Best, field: FieldRef) -> Priced | None:
    if best.kind not in _OF_COUNTS or s.field(field).role not in {"category", "flag"}:
        return None
    rows = with_a_value(s, field, Rows(field.dataset))
    return ranked(s, (Group(field=field),), replace(best, fig=s.count(rows)))


@says("Ask", "Ask -By -:aggregate=count? Fig|Rows", "busiest channel by number of transactions")
def commonest_by(s: Schema, ask: Ask, said: Fig | Rows) -> Priced | None:
    """By what it is the most common, said once more: their number."""
    fig = s.count(said) if isinstance(said, Rows) else said
    metric = s.knows.model.metric(fig.core.metric) if fig.core.metric else None
    counts = fig.core.aggregate == "count" or (metric is not None and metric.unit == "count")
    if ask.best is None or ask.best.kind not in _OF_COUNTS or len(ask.figs) != 1 or not counts:
        return None
    if ask.figs[0].core.aggregate != "count" or ask.figs[0].rows.dataset != fig.rows.dataset or fig.rows.narrowed:
        return None
    told = replace(fig, rows=ask.figs[0].rows)
    return Priced(replace(ask, figs=(told,), best=replace(ask.best, fig=told)))


@says("Ask", "Ends|End Group Mod? -:stop? -And|:have -:aggregate=count Rows", "busiest branch with number of loans")
def busiest_with_their_number(s: Schema, best: Best, group: Group, *given: Mod | Rows) -> Priced | None:
    """By what they are the busiest is what is shown of them."""
    rows, mod = given[-1], given[0] if isinstance(given[0], Mod) else Mod(())
    if not isinstance(rows, Rows) or best.kind not in _OF_COUNTS or not rows.named or rows.bounds:
        return None
    return top_narrowed(s, best, (group,), mod, rows)


@says("Ask", "-:what? Field -That -:have? End", "channel that was used the least often")
@says("Ask", "-:what? Field -:have? End", "which channel is used the most often")
def value_most_often(s: Schema, field: FieldRef, best: Best) -> Priced | None:
    return commonest_value(s, best, field)


# -- rows by a field ---------------------------------------------------------------------------------------------


def _row_by(s: Schema, rows: Rows, best: Best, field: FieldRef | None) -> Priced | None:
    if field is None or field.dataset != rows.dataset or not rows.named or rows.bounds or best.kind in _OF_COUNTS:
        return None
    return Priced(Ask(rows=rows, best=replace(judged(s, best, field), field=field)))


@says("Ask", "Ends|End Rows -By Amt|Date", "top 5 loans by outstanding principal")
def top_rows(s: Schema, best: Best, rows: Rows, field: FieldRef) -> Priced | None:
    return _row_by(s, rows, replace(best, kind="high" if best.descending else "low"), field)


@says("Ask", "Num Rows -Has|That? End Amt|Date", "5 accounts with the highest balance")
def few_rows(s: Schema, number: Number, rows: Rows, best: Best, field: FieldRef) -> Priced | None:
    return _row_by(s, rows, replace(best, limit=int(number.value)), field) if number.unit is None else None


@says("Ask", "Num Rows -:relative Amt|Date -:have? End", "five accounts whose balance is highest")
def few_rows_whose(s: Schema, number: Number, rows: Rows, field: FieldRef, best: Best) -> Priced | None:
    return few_rows(s, number, rows, best, field)


@says("Ask", "End Amt +N", "the highest balance account")
@says("Ask", "Ends Amt +N", "3 highest balance savings accounts")
def first_row_said_last(s: Schema, best: Best, field: FieldRef, rows: Rows) -> Priced | None:
    return _row_by(s, rows, best, field) if best.kind in _OF_FIGURES else None


@says(
    "Ask",
    "-:what? Rows -In|By|:each -:each? Groups -Has End Amt|Date",
    "which account in each branch has the highest balance",
)
def first_row_of_each(s: Schema, rows: Rows, groups: tuple[Group, ...], best: Best, field: FieldRef) -> Priced | None:
    found = _row_by(s, rows, best, field)
    return found and in_each(s, found.value, groups)


@says("Ask", "-:what? Rows -Has|That? End Amt|Date", "customer with the highest annual income")
def first_row(s: Schema, rows: Rows, best: Best, field: FieldRef) -> Priced | None:
    return _row_by(s, rows, best, field)


@says("Ask", "-:what? Rows -:relative? Amt|Date End", "loan whose outstanding principal is highest")
def row_whose(s: Schema, rows: Rows, field: FieldRef, best: Best) -> Priced | None:
    return _row_by(s, rows, best, field)


@says("Ask", "Ends|End Rows", "5 largest loans")
def largest(s: Schema, best: Best, rows: Rows) -> Priced | None:
    field = main_field(s, rows, best)
    if not rows.named and (best.scale or best.kind in OF_TIME):
        found = largest(s, best, replace(rows, named=True))  # "the oldest canal", of waterways
        return found and replace(found, because=(*found.because, "a value alone is listed"))
    found = _row_by(s, rows, best, field)
    note = f"The ranking is by {s.field(field).label}." if field else ""
    return found and replace(found, notes=(note,))


@says("Ask", "Ends Rows -:have|And -:and|Their? Shown", "10 largest NEFT with transaction id and channel")
def largest_with(s: Schema, best: Best, rows: Rows, items: Items) -> Priced | None:
    """A value alone stands for its rows where columns of theirs are asked for."""
    found = largest(s, best, replace(rows, named=True)) if not rows.named else None
    return found and then(found, show(s, found.value, items, instead=False))


@says("Ask", "-:what? Rows -which|that|who? Ends|End", "which loan is the largest")
def is_largest(s: Schema, rows: Rows, best: Best) -> Priced | None:
    return largest(s, best, rows)


@says("Ask", "Ends|End Amt|Fig +Field", "second highest outstanding loan type")
def value_with_most(s: Schema, best: Best, of: FieldRef | Fig, field: FieldRef) -> Priced | None:
    """Values of a kind, ranked by what stands before them."""
    if s.field(field).role not in {"category", "flag"} or best.kind not in _OF_FIGURES:
        return None
    said = replace(best, field=of) if isinstance(of, FieldRef) else replace(best, fig=of)
    return ranked(s, (Group(field=field),), said)


@says("Ask", "Ends Amt", "third highest balance")
def nth_value(s: Schema, best: Best, field: FieldRef) -> Ask | Priced | None:
    if not best.skip:
        return _row_by(s, Rows(field.dataset), best, field)  # "top 3 balances"
    return Ask(rows=Rows(field.dataset), columns=(field,), best=replace(best, field=field))


@says("Ask", "Ask -:stop? Num -of -them|those|these", "newest accounts, 5 of them")
def so_many_of_them(s: Schema, ask: Ask, number: Number) -> Ask | None:
    one = ask.best is not None and ask.best.limit == 1 and not ask.best.skip and number.unit is None
    return replace(ask, best=replace(ask.best, limit=int(number.value))) if one and ask.best else None


# -- within each group -------------------------------------------------------------------------------------------


@says("Ask", "Ask -By|in|within|:each -:each? Groups", "top 2 branches by deposits in each region")
def in_each(s: Schema, ask: Ask, groups: tuple[Group, ...]) -> Priced | None:
    if ask.best is None or ask.within or any(group in ask.groups for group in groups):
        return None
    found = ranked(s, groups, ask.best) if ask.rows is None else None
    if found is not None:
        within = found.value.groups
        figs = found.value.figs
        return replace(
            found, value=replace(ask, figs=figs, best=found.value.best, groups=(*ask.groups, *within), within=within)
        )
    if ask.rows is None or any(group.step or group.mods for group in groups):
        return None
    base = ask.rows.dataset
    if any(group.field is not None and group.field == s.knows.key(base) for group in groups):
        return None  # each is alone in its group
    if any(s.up(base, group.field.dataset if group.field else str(group.thing)) is None for group in groups):
        return None
    return Priced(replace(ask, within=groups), ("the first rows of each group",))


@says("Ask", "-By|:each|in -:each? Groups -:stop? -Show? Ask", "for every region, the branch with the highest deposits")
def in_each_first(s: Schema, groups: tuple[Group, ...], ask: Ask) -> Priced | None:
    return in_each(s, ask, groups)


@says("Ask", "Ends|End Group -By|in|:each -:each? Groups -By Fig|Rows", "top 2 customers per branch by total balance")
@says(
    "Ask",
    "Ends|End Group -:each Groups -:have -:aggregate=count Rows",
    "top 2 branches in each city with number of loans",
)
def top_in_each(s: Schema, best: Best, group: Group, groups: tuple[Group, ...], said: Fig | Rows) -> Priced | None:
    found = top(s, best, (group,), said)
    return found and in_each(s, found.value, groups)
