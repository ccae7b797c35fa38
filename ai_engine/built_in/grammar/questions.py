"""Figures and whole questions over fewer rows, and grouped."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ai_engine.built_in.grammar.columns import identifying
from ai_engine.built_in.grammar.mods import as_bound
from ai_engine.built_in.grammar.narrowing import narrow
from ai_engine.built_in.grammar.phrases import (
    Amount,
    Ask,
    Bound,
    Fig,
    Group,
    Mod,
    Priced,
    Reason,
    Related,
    Rows,
    When,
    times,
)
from ai_engine.built_in.grammar.schema import Schema, bounds_of
from ai_engine.semantics.intent import FieldRef


def narrow_fig(s: Schema, fig: Fig, mod: Mod) -> Priced | None:
    """A figure over fewer rows; both sides of a ratio or a difference."""
    found = narrow(s, fig.rows, mod)
    if found is None or found.value.bounds != fig.rows.bounds:
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


def _is_base(fig: Fig, side: str) -> bool:
    """Whether that side counts the owners of a figure for each: they are those of any time."""
    other = fig.over
    if side != "over" or other is None or fig.part or fig.core.metric is not None:
        return False
    return other.rows.dataset != fig.rows.dataset and other.core.aggregate == "count"


def narrow_ask(s: Schema, ask: Ask, mod: Mod) -> Priced | None:
    """A question about fewer rows, or about the groups whose figure compares so."""
    only = mod.parts[0] if len(mod.parts) == 1 else None
    if isinstance(only, Amount) and ask.groups and ask.figs:
        bounds = bounds_of(ask.figs[0], only.cmp)
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
    return _all_narrowed(s, ask, mod)


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
    return Priced(replace(ask, **changed), because, tuple(dict.fromkeys(notes)))


def _bounds_of_same(ask: Ask, figs: tuple[Fig, ...]) -> tuple[Bound, ...]:
    """What is bounded is the figure that is shown, narrowed as that was."""
    now = dict(zip(ask.figs, figs, strict=True))
    return tuple(replace(bound, fig=now.get(bound.fig, bound.fig)) for bound in ask.bounds)


def by(s: Schema, ask: Ask, groups: tuple[Group, ...]) -> Priced | None:
    """A question grouped: the rows of each figure belong to one group, and none is counted in another."""
    because = _reasons_against(s, ask, groups)
    if any(group.step for group in groups) and (owner := _counted_owner(ask)):
        label = s.knows.dataset(owner).label
        rows = replace(ask.figs[0].rows, beyond=f"per {label} in each step of time: of which of them")
        return Priced(replace(ask, figs=(replace(ask.figs[0], rows=rows),), groups=groups), because)
    for group in groups:
        if not all(s.grouped_by(fig, group) for fig in ask.figs):
            return None
        if group.mods:
            found = narrow_ask(s, ask, Mod(group.mods))
            if found is None:
                return None
            ask = found.value
            because += found.because + (("a condition of a group",) if group.step is None else ())
    kept = tuple(_by_way_said(s, ask, replace(group, mods=())) for group in groups)
    thing = next((group.thing for group in (*ask.groups, *kept) if group.thing and not group.via), None)
    if thing is not None and ask.figs:  # a customer's city is that of the home branch
        base = ask.figs[0].rows.dataset
        kept = tuple(replace(g, field=s.seen_from(thing, g.field, base)) if g.field else g for g in kept)
    return Priced(replace(ask, groups=(*ask.groups, *kept)), because)


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
    if rows.bounds or not rows.named or any(s.up(fig.rows.dataset, rows.dataset) in (None, 0) for fig in figs):
        return None
    kept = Mod((Related(replace(rows, via=()), of=True),)) if rows.narrowed else Mod(())
    found = [narrow_fig(s, fig, kept) for fig in figs]
    if not all(found):
        return None
    narrowed = tuple(item.value for item in found if item is not None)
    return by(s, Ask(figs=narrowed), (Group(thing=rows.dataset, via=rows.via),))
