"""What is shown of rows or groups: columns and figures side by side, also in a sentence of its own."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

from ai_engine.built_in.grammar.columns import columns_shown, identifying, reasons_against
from ai_engine.built_in.grammar.construction import Constructions
from ai_engine.built_in.grammar.constructions.items import Items, resolved, without_those_told
from ai_engine.built_in.grammar.phrases import Ask, Bound, Fig, Group, Rows
from ai_engine.built_in.grammar.questions import with_figures
from ai_engine.built_in.grammar.reasons import Priced, Reason, times
from ai_engine.built_in.grammar.schema import Schema
from ai_engine.built_in.meanings import Thing
from ai_engine.semantics.intent import FieldRef, Measure, Membership

says = Constructions()
_UNSETTLED = frozenset({"amount", "when", "who", "number", "id", "sum", "avg", "max", "min"})


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
    if "number" in every:
        return None  # "number of loans"
    if not any(isinstance(item, FieldRef) for item in every) or all(
        isinstance(item, FieldRef) for item in items
    ) > bool(more):
        return None  # said by `columns_of`
    return _of_rows(s, Ask(rows=rows), every)


def _of_rows(s: Schema, ask: Ask, items: Items, *, instead: bool = False) -> Priced | None:
    """A list with columns, or each of the rows with its figures."""
    rows = ask.rows
    assert rows is not None  # noqa: S101 - only lists come here
    if not {"when", "who"}.isdisjoint(items) and any(isinstance(item, Fig) for item in items):
        return None  # "who made the biggest transfer, and when"
    if "number" in items and any(isinstance(item, Membership) for item in rows.filters):
        return None  # "who has more than 2 accounts? name and number": of the accounts
    items = resolved(s, rows.dataset, items)
    if rows.bounds and (told := without_those_told(s, items, tuple(bound.fig for bound in rows.bounds))):
        items = told[0]
    cols, figs = told_apart(s, rows.dataset, items)
    if not _UNSETTLED.isdisjoint(items):
        return None
    if rows.bounds:
        return _of_bounded(s, ask, cols, figs)
    if "count" in items:
        return _with_their_number(s, ask, cols) if not figs else None
    if figs:
        return _of_rows_with_figures(s, ask, cols, figs)
    if not cols or not (rows.named or _own_of_a_kind(rows, cols)):
        return None
    shown = () if instead or _names(s, rows, cols) else s.knows.telling_fields(Thing(rows.dataset))
    ranked = (ask.best.field,) if ask.best and ask.best.field and not instead else ()
    found = columns_shown(s, ask, cols)
    every = tuple(dict.fromkeys((*shown, *ask.columns * (not instead), *cols, *ranked)))
    return found and replace(found, value=replace(found.value, columns=every))


def _own_of_a_kind(rows: Rows, cols: tuple[FieldRef, ...]) -> bool:
    """ "trainees: name and daily rate", where a value alone stands for its rows."""
    return len(rows.filters) == 1 and not rows.period and all(ref.dataset == rows.dataset for ref in cols)


def _of_rows_with_figures(s: Schema, ask: Ask, cols: tuple[FieldRef, ...], figs: tuple[Fig, ...]) -> Priced | None:
    assert ask.rows is not None  # noqa: S101 - only lists come here
    found = with_figures(s, ask.rows, figs) if not ask.best and not ask.orders else None
    if found is None:
        return None
    own = () if _names(s, ask.rows, cols) else s.knows.entity_fields(Thing(ask.rows.dataset))
    base, dataset = figs[0].rows.dataset, ask.rows.dataset
    groups = tuple(by_field(s.seen_from(dataset, ref, base)) for ref in dict.fromkeys((*own, *cols)))
    because: tuple[Reason, ...] = _bare(figs) + reasons_against(s, ask.rows.dataset, cols)
    return replace(found, value=replace(found.value, groups=groups), because=(*found.because, *because))


def _bare(figs: tuple[Fig, ...]) -> tuple[Reason, ...]:
    return times("an amount that nobody aggregated", sum(fig.implied for fig in figs))


def by_field(field: FieldRef) -> Group:
    return Group(field=field)


def _names(s: Schema, rows: Rows, cols: tuple[FieldRef, ...]) -> bool:
    return any(identifying(s, ref) and ref.dataset == rows.dataset and ref.via == rows.via for ref in cols)


def told_apart(s: Schema, dataset: str, items: Items) -> tuple[tuple[FieldRef, ...], tuple[Fig, ...]]:
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
    own = () if _names(s, ask.rows, cols) else s.knows.telling_fields(Thing(ask.rows.dataset))
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
    groups = tuple(map(by_field, dict.fromkeys((*own, *cols))))
    because = (*found.because, *reasons_against(s, rows.dataset, cols))
    return replace(found, value=replace(found.value, bounds=kept, groups=groups), because=because)


# -- of whole questions ------------------------------------------------------------------------------------------


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
    if not {"when", "who"}.isdisjoint(items):
        return None  # of which of their rows
    told = without_those_told(s, items, ask.every_figure)
    if told is None:
        return None
    items = resolved(s, base, told[0])
    cols, bare = told_apart(s, thing or base, items)
    because = _bare(bare) + (reasons_against(s, thing, cols) if thing else ())
    shown = [*ask.figs, *(fig for fig in told[1] if fig not in ask.figs)]
    if not _UNSETTLED.isdisjoint(items):
        return None
    for fig in (*(item for item in items if isinstance(item, Fig)), *(fig for fig in bare if fig.implied)):
        known = next((mine for mine in ask.every_figure if mine.core == fig.core), None)
        if known is None and fig.implied:  # "the highest amount, and how much was it"
            known = next((mine for mine in ask.figs if mine.core.field == fig.core.field), None)
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


def then(first: Priced, second: Priced | None, *because: Reason) -> Priced | None:
    """What was made last, with the reasons against both."""
    return second and replace(
        second, because=(*first.because, *second.because, *because), notes=(*first.notes, *second.notes)
    )
