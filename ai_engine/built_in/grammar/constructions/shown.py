"""What is shown of rows or groups: columns and figures side by side, also in a sentence of its own."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from typing import Literal, TypeAlias

from ai_engine.built_in.grammar.columns import columns_shown, identifying, reasons_against
from ai_engine.built_in.grammar.construction import Constructions
from ai_engine.built_in.grammar.phrases import Ask, Bound, Fig, Group, Priced, Reason, Rows, times
from ai_engine.built_in.grammar.questions import by, with_figures
from ai_engine.built_in.grammar.schema import Schema
from ai_engine.built_in.meanings import Thing
from ai_engine.semantics.intent import FieldRef, Measure, Membership

says = Constructions()
Item: TypeAlias = FieldRef | Fig | Literal["count", "amount"]
Items: TypeAlias = tuple[Item, ...]


@says("Shown", "-:both? Cols|ColT", "city and balance")
def columns(s: Schema, cols: tuple[FieldRef, ...]) -> Items:
    return cols


@says("Shown", "Fig", "number of accounts")
def figure(s: Schema, fig: Fig) -> Items | None:
    return (fig,) if not fig.implied else None


@says("Shown", "-:aggregate=count|:weak -:have?", "the number")
def number(s: Schema) -> Items:
    return ("count",)


@says("Shown", "-:amount -:have?", "how much")
def amount(s: Schema) -> Items:
    return ("amount",)


@says("Shown", "Fig -In? -:each|:group", "number of accounts in each")
def figure_of_each(s: Schema, fig: Fig) -> Items | None:
    return figure(s, fig)


@says("Shown", "-:aggregate=count Rows -:each -:have?", "how many accounts does each have")
def number_of_each(s: Schema, rows: Rows) -> Items | None:
    return (s.count(rows),) if not rows.bounds else None


@says("Shown", "Shown -And -:what? -Their? Shown", "balance and number of transactions")
def several(s: Schema, first: Items, second: Items) -> Items | None:
    return (*first, *second) if len({*first, *second}) == len(first) + len(second) else None


# -- of rows -----------------------------------------------------------------------------------------------------


@says(
    "Ask", "Rows -:have|And|along|:list -:and|Show|Their? Shown", "premium customers with their city and total balance"
)
def beside_rows(s: Schema, rows: Rows, items: Items) -> Priced | None:
    """Rows first, then what is shown of them: they are named too."""
    if all(isinstance(item, Fig) for item in items):
        return None  # said by `rows_with`
    return _of_rows(s, Ask(rows=rows), items)


@says("Ask", "Shown -In|By|:each -:each? Rows", "city and number of accounts of each customer")
@says("Ask", "Shown -In|By|:each -:each? Rows -And -:what? Shown", "city of each customer and number of accounts")
def before_rows(s: Schema, items: Items, rows: Rows, more: Items = ()) -> Priced | None:
    every = (*items, *more)
    if not any(isinstance(item, FieldRef) for item in every) or all(
        isinstance(item, FieldRef) for item in items
    ) > bool(more):
        return None  # said by `columns_of`
    return _of_rows(s, Ask(rows=rows), every)


def _of_rows(s: Schema, ask: Ask, items: Items, *, instead: bool = False) -> Priced | None:
    """A list with columns, or each of the rows with its figures."""
    rows = ask.rows
    assert rows is not None  # noqa: S101 - only lists come here
    items = _with_amounts(s, rows.dataset, items)
    cols, figs = _told_apart(s, rows.dataset, items)
    if "amount" in items:
        return None
    if rows.bounds:
        return _of_bounded(s, ask, cols, figs)
    if "count" in items:
        return _with_their_number(s, ask, cols) if not figs else None
    if figs:
        return _of_rows_with_figures(s, ask, cols, figs)
    if not cols or not rows.named:
        return None
    shown = () if instead or _names(s, rows, cols) else s.knows.entity_fields(Thing(rows.dataset))
    ranked = (ask.best.field,) if ask.best and ask.best.field and not instead else ()
    found = columns_shown(s, ask, cols)
    every = tuple(dict.fromkeys((*shown, *ask.columns * (not instead), *cols, *ranked)))
    return found and replace(found, value=replace(found.value, columns=every))


def _with_amounts(s: Schema, dataset: str, items: Items) -> Items:
    """A bare "amount" of rows is their first one."""
    main = s.knows.main_measure(dataset, money_only=True)
    return tuple(main if item == "amount" and main is not None and main not in items else item for item in items)


def _of_rows_with_figures(s: Schema, ask: Ask, cols: tuple[FieldRef, ...], figs: tuple[Fig, ...]) -> Priced | None:
    assert ask.rows is not None  # noqa: S101 - only lists come here
    found = with_figures(s, ask.rows, figs) if not ask.best and not ask.orders else None
    if found is None:
        return None
    own = () if _names(s, ask.rows, cols) else s.knows.entity_fields(Thing(ask.rows.dataset))
    base, dataset = figs[0].rows.dataset, ask.rows.dataset
    groups = tuple(_by_field(s.seen_from(dataset, ref, base)) for ref in dict.fromkeys((*own, *cols)))
    because: tuple[Reason, ...] = _bare(figs) + reasons_against(s, ask.rows.dataset, cols)
    return replace(found, value=replace(found.value, groups=groups), because=(*found.because, *because))


def _bare(figs: tuple[Fig, ...]) -> tuple[Reason, ...]:
    return times("an amount that nobody aggregated", sum(fig.implied for fig in figs))


def _by_field(field: FieldRef) -> Group:
    return Group(field=field)


def _names(s: Schema, rows: Rows, cols: tuple[FieldRef, ...]) -> bool:
    return any(identifying(s, ref) and ref.dataset == rows.dataset for ref in cols)


def _told_apart(s: Schema, dataset: str, items: Items) -> tuple[tuple[FieldRef, ...], tuple[Fig, ...]]:
    """Columns, of which each row has one, and figures: an amount of which it has many is added up."""
    cols: list[FieldRef] = []
    figs: list[Fig] = []
    for item in items:
        if isinstance(item, Fig):
            figs.append(item)
        elif isinstance(item, FieldRef) and s.up(dataset, item.dataset) is None and s.field(item).role == "measure":
            aggregate = s.field(item).default_aggregate or "sum"
            figs.append(Fig(Measure(aggregate=aggregate, field=item), Rows(item.dataset), implied=True))
        elif isinstance(item, FieldRef):
            cols.append(item)
    return tuple(cols), tuple(figs)


def _of_bounded(s: Schema, ask: Ask, cols: tuple[FieldRef, ...], figs: tuple[Fig, ...]) -> Priced | None:
    """Rows told by a figure, which is shown with them."""
    assert ask.rows is not None  # noqa: S101 - only lists come here
    known = {bound.fig.core.field for bound in ask.rows.bounds}
    if any(fig.core.field not in known or fig.core.field is None for fig in figs):
        return None
    if not s.reaches(ask.rows.dataset, cols):
        return None
    own = () if _names(s, ask.rows, cols) else s.knows.entity_fields(Thing(ask.rows.dataset))
    return Priced(replace(ask, columns=tuple(dict.fromkeys((*own, *cols)))))


def _with_their_number(s: Schema, ask: Ask, cols: tuple[FieldRef, ...]) -> Priced | None:
    """How many of them each has, where having them is what narrows the rows."""
    rows = ask.rows
    last = rows.filters[-1] if rows is not None and rows.filters else None
    if (
        rows is None
        or not isinstance(last, Membership)
        or last.negated
        or ask.best
        or not s.reaches(rows.dataset, cols)
    ):
        return None
    fig = s.count(Rows(last.dataset, filters=last.filters))
    found = with_figures(s, replace(rows, filters=rows.filters[:-1]), (fig,))
    if found is None:
        return None
    least = last.at_least if last.at_least is not None or last.at_most is not None else 1
    bounds = ((">=", least), ("<=", last.at_most))
    kept = tuple(Bound(found.value.figs[0], sign, Decimal(limit)) for sign, limit in bounds if limit is not None)
    own = () if _names(s, rows, cols) else s.knows.entity_fields(Thing(rows.dataset))
    groups = tuple(map(_by_field, dict.fromkeys((*own, *cols))))
    because = (*found.because, *reasons_against(s, rows.dataset, cols))
    return replace(found, value=replace(found.value, bounds=kept, groups=groups), because=because)


# -- of whole questions ------------------------------------------------------------------------------------------


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


def show(s: Schema, ask: Ask, items: Items, *, instead: bool) -> Priced | None:
    """A question with what is shown of it, besides what it shows or instead."""
    if ask.rows is not None and not ask.figs:
        if ask.listed and not instead:
            return None
        return _of_rows(s, ask, items, instead=instead)
    if not ask.figs or not ask.groups or ask.transform or ask.compare:
        return None
    return _of_groups(s, ask, items, instead=instead)


def _of_groups(s: Schema, ask: Ask, items: Items, *, instead: bool) -> Priced | None:
    thing = next((group.thing for group in ask.groups if group.thing), None)
    base = ask.figs[0].rows.dataset
    items = _with_amounts(s, base, items)
    cols, bare = _told_apart(s, thing or base, items)
    because = _bare(bare) + (reasons_against(s, thing, cols) if thing else ())
    shown = list(ask.figs)
    if "amount" in items:
        return None
    for fig in (*(item for item in items if isinstance(item, Fig)), *(fig for fig in bare if fig.implied)):
        known = next((mine for mine in ask.every_figure if mine.core == fig.core), None)
        same = next((mine for mine in ask.figs if mine.rows.dataset == fig.rows.dataset), None)
        if known is None and same is not None and not fig.rows.narrowed:
            known = replace(fig, rows=same.rows)
        if known is None:
            because += ("figures of different rows", *times("two amounts of different rows", fig.implied))
        new = known or fig
        if not all(s.grouped_by(new, group) for group in ask.groups):
            return None
        shown += [new] if new not in shown else []
    if "count" in items and not any(fig.core.aggregate == "count" for fig in shown):
        if shown[0].over is not None:
            return None
        shown.insert(0, s.count(shown[0].rows))
    groups = _groups_shown(s, ask, cols, instead=instead) if cols else ask.groups
    return Priced(replace(ask, figs=tuple(shown), groups=groups), because) if groups else None


def _groups_shown(s: Schema, ask: Ask, cols: tuple[FieldRef, ...], *, instead: bool) -> tuple[Group, ...]:
    """The groups with columns of theirs; empty where a column is not of one of them."""
    base = ask.figs[0].rows.dataset
    thing = next((str(group.thing) for group in ask.groups if group.thing), None)
    fields = {group.field for group in ask.groups if group.field}
    if thing is None:
        return ask.groups if set(cols) <= fields else ()
    if any(
        s.up(thing, ref.dataset) is None or (s.field(ref).role == "measure" and ref.dataset != thing) for ref in cols
    ):
        return ()
    more = tuple(Group(field=s.seen_from(thing, ref, base)) for ref in cols)
    named = any(identifying(s, ref) and ref.dataset == thing for ref in cols)
    kept = tuple(group for group in ask.groups if not (instead and named and group.thing == thing))
    if kept != ask.groups and ask.within:
        return ()
    return (*more, *kept) if kept != ask.groups else (*kept, *more)


@says("Ask", "Shown -In|By|:each -:each? Group", "city and number of accounts for each customer")
@says("Ask", "Shown -Has -:each Group", "fund name and number of people holding each fund")
@says("Ask", "Shown -That? -:have? -Deed -:each Group", "fund and number of people who traded each fund")
def of_groups(s: Schema, items: Items, group: Group) -> Priced | None:
    """Columns and figures of each: "segments and number of customers for each region" has two groups."""
    cols, figs = _told_apart(s, group.thing or "", items)
    if not cols or not figs or any(isinstance(item, str) for item in items) or group.step:
        return None
    if group.field is not None and set(cols) <= {group.field}:
        return by(s, Ask(figs=figs), (group,))
    own = group.thing is not None and all(s.up(group.thing, ref.dataset) is not None for ref in cols)
    if not own and (group.thing is None or any(fig.implied for fig in figs)):
        return None
    found = by(s, Ask(figs=figs), (group,))
    if found is None:
        return None
    if own:
        return then(found, show(s, found.value, cols, instead=True))
    return then(found, by(s, found.value, tuple(map(_by_field, cols))), "a group of other columns")


def then(first: Priced, second: Priced | None, *because: Reason) -> Priced | None:
    """What was made last, with the reasons against both."""
    return second and replace(
        second, because=(*first.because, *second.because, *because), notes=(*first.notes, *second.notes)
    )
