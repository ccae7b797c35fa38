"""Figures and whole questions over fewer rows, and grouped."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal
from typing import Any

from ai_engine.built_in.grammar.columns import identifying
from ai_engine.built_in.grammar.mods import as_bound
from ai_engine.built_in.grammar.narrowing import narrow
from ai_engine.built_in.grammar.phrases import Amount, Ask, Bound, Cmp, Cond, Fig, Group, Mod, Part, Related, Rows, When
from ai_engine.built_in.grammar.reasons import Priced, Reason, times
from ai_engine.built_in.grammar.schema import Schema
from ai_engine.built_in.grammar.units import bounds_of
from ai_engine.semantics.intent import Condition, FieldRef, Filter, Membership

_LAKH = 100_000


def narrow_fig(s: Schema, fig: Fig, mod: Mod) -> Priced | None:
    """A figure over fewer rows; both sides of a ratio or a difference."""
    found = narrow(s, fig.rows, mod)
    if found is None or found.value.bounds != fig.rows.bounds or _cuts_the_kind(fig, mod):
        return None
    bare: tuple[Reason, ...] = ("a bare amount of a figure",) if any(isinstance(p, Amount) for p in mod.parts) else ()
    changed: dict[str, Any] = {"rows": found.value}
    for side, other in (("over", fig.over), ("less", fig.less)):
        if other is None:
            continue
        said = Mod(tuple(part for part in mod.parts if not isinstance(part, When))) if _is_base(fig, side) else mod
        inner = narrow_fig(s, other, said)
        if inner is None:
            return None
        changed[side] = inner.value
    return Priced(replace(fig, **changed), (*found.because, *bare), found.notes)


def _cuts_the_kind(fig: Fig, mod: Mod) -> bool:
    """ "what share had a wait over 20 minutes": that is the kind itself, and no share of those that had one."""
    kept = fig.over.rows.filters if fig.percent and fig.over else fig.rows.filters
    fields = {item.field for item in fig.rows.filters if isinstance(item, Condition) and item not in kept}
    conditions = (part.filter for part in mod.parts if isinstance(part, Cond))
    return any(isinstance(item, Condition) and item.field in fields for item in conditions)


def _is_base(fig: Fig, side: str) -> bool:
    """Whether that side counts the owners of a figure for each: they are those of any time."""
    other = fig.over
    if side != "over" or other is None or fig.part or fig.core.metric is not None:
        return False
    return other.rows.dataset != fig.rows.dataset and other.core.aggregate == "count"


def narrow_ask(s: Schema, ask: Ask, mod: Mod) -> Priced | None:
    """A question about fewer rows, or about the groups whose figure compares so."""
    only = mod.parts[0] if len(mod.parts) == 1 else None
    if isinstance(only, Amount) and ask.groups and ask.figs and not is_no_count(ask.figs[0], only.cmp):
        bounds = bounds_of(s, ask.figs[0], only.cmp)
        return Priced(replace(ask, bounds=(*ask.bounds, *bounds))) if bounds else None
    if any(isinstance(part, Bound) for part in mod.parts):
        if not isinstance(only, Bound) or not ask.groups or not all(s.grouped_by(only.fig, g) for g in ask.groups):
            return None
        return Priced(replace(ask, bounds=(*ask.bounds, only)))
    if (
        isinstance(only, Related)
        and only.at_least is not None
        and ask.figs
        and any(group.thing for group in ask.groups)
    ):
        bound = as_bound(s, only)  # "for each branch with at least 20 customers"
        if bound is not None and all(s.grouped_by(bound.fig, group) for group in ask.groups):
            return Priced(replace(ask, bounds=(*ask.bounds, bound)))
    found = _all_narrowed(s, ask, mod)
    return found or _groups_of_so_many(s, ask, only)


def _groups_of_so_many(s: Schema, ask: Ask, part: Part | None) -> Priced | None:
    """ "accounts for each city with at least 3 branches", of which each account has but one."""
    if not isinstance(part, Related) or part.at_least is None or not ask.figs or not ask.groups:
        return None
    bound = as_bound(s, part)
    if bound is None or not s.up(ask.figs[0].rows.dataset, part.rows.dataset):
        return None
    grouped = all(s.grouped_by(bound.fig, group) for group in ask.groups)
    return Priced(replace(ask, bounds=(*ask.bounds, bound))) if grouped else None


def is_no_count(fig: Fig, cmp: Cmp) -> bool:
    """ "payments per branch above 50 lakh" are payments of so much: nobody counts them in lakhs."""
    return _counts(fig) and any(number.value >= _LAKH for number in cmp.numbers)


def _counts(fig: Fig) -> bool:
    return fig.core.aggregate == "count" and fig.over is None and not fig.rows.narrowed


def counts_values(s: Schema, cols: tuple[FieldRef, ...], mod: Mod) -> bool:
    """ "cities with more than 1000 customers": so many in each of the values, which are no rows."""
    bounded = len(mod.parts) == 1 and as_bound(s, mod.parts[0]) is not None
    return bounded and bool(cols) and not any(identifying(s, ref) for ref in cols)


def _all_narrowed(s: Schema, ask: Ask, mod: Mod) -> Priced | None:
    if counts_values(s, ask.columns, mod):
        return None
    if ask.transform == "share_of_total" and any(not isinstance(part, When) for part in mod.parts):
        found = _narrowed_by(s, ask, mod)
        return found and replace(found, because=(*found.because, "a share of what is narrowed"))
    return _narrowed_by(s, ask, mod)


def _narrowed_by(s: Schema, ask: Ask, mod: Mod) -> Priced | None:
    found = [narrow_fig(s, fig, mod) for fig in ask.figs]
    if not all(found):
        return None
    kept = [item for item in found if item is not None]
    figs = tuple(item.value for item in kept)
    because = max((item.because for item in kept), key=len, default=())
    notes = tuple(dict.fromkeys(note for item in kept for note in item.notes))
    changed: dict[str, Any] = {"figs": figs, "bounds": _bounds_of_same(ask, figs)}
    if ask.rows is not None:
        rows = narrow(s, ask.rows, mod)
        if rows is None:
            return None
        because, notes, changed["rows"] = because + rows.because, notes + rows.notes, rows.value
    if ask.best is not None and ask.best.fig is not None:
        best = narrow_fig(s, ask.best.fig, mod)
        if best is None:
            return None
        changed["best"] = replace(ask.best, fig=best.value)
    now, orders = dict(zip(ask.figs, figs, strict=True)), []
    for end in ask.orders:  # what is ordered by is the figure that is shown, narrowed as that was
        other = narrow_fig(s, end.fig, mod) if end.fig and end.fig not in now else None
        if end.fig and end.fig not in now and other is None:
            return None
        orders.append(replace(end, fig=other.value if other else now.get(end.fig) if end.fig else None))
    changed["orders"] = tuple(orders)
    return Priced(replace(ask, **changed), because, tuple(dict.fromkeys(notes)))


def _bounds_of_same(ask: Ask, figs: tuple[Fig, ...]) -> tuple[Bound, ...]:
    """What is bounded is the figure that is shown, narrowed as that was."""
    now = dict(zip(ask.figs, figs, strict=True))
    return tuple(
        replace(bound, fig=now.get(bound.fig, bound.fig), versus=bound.versus and now.get(bound.versus, bound.versus))
        for bound in ask.bounds
    )


def by(s: Schema, ask: Ask, groups: tuple[Group, ...]) -> Priced | None:
    """A question grouped: the rows of each figure belong to one group, and none is counted in another."""
    because = _reasons_against(s, ask, groups)
    if any(group.step for group in groups) and any(map(_is_dated_twice(s), ask.figs)):
        rows = replace(ask.figs[0].rows, beyond="which date to go along")
        return Priced(replace(ask, figs=(replace(ask.figs[0], rows=rows), *ask.figs[1:]), groups=groups), because)
    if any(group.step for group in groups) and (owner := _counted_owner(ask)):
        label = s.knows.dataset(owner).label
        rows = replace(ask.figs[0].rows, beyond=f"per {label} in each step of time: of which of them")
        return Priced(replace(ask, figs=(replace(ask.figs[0], rows=rows),), groups=groups), because)
    for group in groups:
        if not all(s.grouped_by(fig, group) for fig in ask.figs):
            return None
        if any(fig.part and fig.core.aggregate == "count" and fig.rows.dataset == group.thing for fig in ask.figs):
            return None  # a share of one row
        if group.mods:
            found = narrow_ask(s, ask, Mod(tuple(_had_by_many(s, ask, part) for part in group.mods)))
            if found is None:
                return None
            ask = found.value
            because += found.because + (("a condition of a group",) if group.step is None else ())
    kept = tuple(_by_way_said(s, ask, replace(group, mods=())) for group in groups)
    if any(group.of and s.up(fig.rows.dataset, group.of) is None for fig in ask.figs for group in kept):
        return None
    base = ask.figs[0].rows.dataset if ask.figs else ""
    kept = tuple(replace(g, field=s.seen_from(g.of, g.field, base), of="") if g.of and g.field else g for g in kept)
    thing = next((group.thing for group in (*ask.groups, *kept) if group.thing and not group.via), None)
    if thing is not None and ask.figs:  # a customer's city is that of the home branch
        kept = tuple(replace(g, field=s.seen_from(thing, g.field, base)) if g.field else g for g in kept)
    return Priced(replace(ask, groups=(*ask.groups, *kept)), because)


def _had_by_many(s: Schema, ask: Ask, part: Part) -> Part:
    """ "clients per tipper lorry": they have such a lorry, where they belong to none."""
    many = isinstance(part, Related) and all(s.many_to_many(fig, part.rows.dataset) for fig in ask.figs)
    return replace(part, of=False) if many and isinstance(part, Related) else part


def _is_dated_twice(s: Schema) -> Callable[[Fig], bool]:
    """ "customers using UPI per month" joined on one day and used it on others."""

    def told(fig: Fig) -> bool:
        last = fig.rows.filters[-1] if fig.rows.filters else None
        undated = fig.rows.period is None and fig.rows.dated is None and fig.core.aggregate == "count"
        return undated and isinstance(last, Membership) and not last.negated and bool(s.knows.time_field(last.dataset))

    return told


def _counted_owner(ask: Ask) -> str:
    """Of what there are as many as a figure is divided by: accounts for transactions per account."""
    fig = ask.figs[0] if ask.figs else None
    return fig.over.rows.dataset if fig is not None and fig.over is not None and _is_base(fig, "over") else ""


def _by_way_said(s: Schema, ask: Ask, group: Group) -> Group:
    """ "incoming payments per person": who received them."""
    way = s.way_said(ask.figs[0].rows, group.thing) if ask.figs and group.thing and not group.via else ()
    return replace(group, via=way) if way else group


def _reasons_against(s: Schema, ask: Ask, groups: tuple[Group, ...]) -> tuple[Reason, ...]:
    things = [group.thing for group in (*ask.groups, *groups) if group.thing]
    fields = [group.field for group in groups if group.field]
    base = ask.figs[0].rows.dataset if ask.figs else ""
    because: tuple[Reason, ...] = ()
    if not ask.best and any(s.up(thing, ref.dataset) is not None for thing in things for ref in fields):
        because += ("a group above a thing",)
    if base:
        because += times("a place of staff", sum(s.is_of_staff(base, ref) for ref in fields))
        because += times("a step to the group", sum(s.up(base, ref.dataset) or 0 for ref in fields))
        far = sum(max(0, (s.up(base, group.thing) or 0) - 1) for group in groups if group.thing)
        because += times("a step to the group", far)
    counted = {fig.rows.dataset for fig in ask.figs}
    targets = [group.field.dataset if group.field else str(group.thing) for group in groups if not group.step]
    things = [group.thing for group in groups if group.thing]
    kept = any(_counts(f) and s.kept_count(thing, f.rows.dataset) for f in ask.figs for thing in things)
    because += ("a number that is kept",) if kept else ()
    because += times("counted in several groups", sum(s.many_to_many(f, t) for f in ask.figs for t in targets))
    return because + times("a group of what is counted", sum(group.thing in counted for group in groups))


def with_figures(s: Schema, rows: Rows, figs: tuple[Fig, ...]) -> Priced | None:
    """Rows that each have figures: "premium customers with their total balance"."""
    if rows.bounds or not rows.named:
        return None
    if len(figs) == 1 and s.many_to_many(figs[0], rows.dataset):
        return _with_number_of_many(s, rows, figs[0])
    if any(s.up(fig.rows.dataset, rows.dataset) in (None, 0) for fig in figs):
        return None
    kept = Mod((Related(replace(rows, via=()), of=True),)) if rows.narrowed else Mod(())
    found = [narrow_fig(s, fig, kept) for fig in figs]
    if not all(found):
        return None
    narrowed = tuple(item.value for item in found if item is not None)
    return by(s, Ask(figs=narrowed), (Group(thing=rows.dataset, via=rows.via),))


def _with_number_of_many(s: Schema, rows: Rows, fig: Fig) -> Priced | None:
    """ "lorries with more than five clients, with the number of clients", who have other lorries too."""
    limits = [item for item in rows.filters if isinstance(item, Membership) and (item.at_least or item.at_most)]
    own = tuple(item for item in rows.filters if item not in limits)
    same = all(item.dataset == fig.rows.dataset and not (item.filters or item.via) for item in limits)
    told = all(_is_own(item, rows) or _is_between(s, item, rows, fig) for item in own)
    if not (same and told) or fig.rows.narrowed or rows.via or rows.period:
        return None
    theirs = (Membership(dataset=rows.dataset, filters=own),) if own else ()
    fig = replace(fig, rows=replace(fig.rows, filters=theirs))
    found = by(s, Ask(figs=(fig,)), (Group(thing=rows.dataset),))
    ends = (end for item in limits for end in ((">=", item.at_least), ("<=", item.at_most)))
    bounds = tuple(Bound(fig, sign, Decimal(limit)) for sign, limit in ends if limit is not None)
    return found and replace(found, value=replace(found.value, bounds=bounds))


def _is_own(item: Filter, rows: Rows) -> bool:
    return isinstance(item, Condition) and item.field.dataset == rows.dataset


def _is_between(s: Schema, item: Filter, rows: Rows, fig: Fig) -> bool:
    """Whoever booked a lorry did so by a load."""
    plain = isinstance(item, Membership) and not (item.filters or item.negated or item.via)
    return plain and all(s.up(item.dataset, end) is not None for end in (rows.dataset, fig.rows.dataset))  # type: ignore[union-attr]
