"""The structured question of figures."""

from __future__ import annotations

from dataclasses import dataclass, replace

from ai_engine.built_in.grammar.columns import identifying
from ai_engine.built_in.grammar.phrases import Ask, Bound, Fig, Group
from ai_engine.built_in.grammar.schema import Schema
from ai_engine.built_in.meanings import Days, Thing
from ai_engine.semantics.intent import (
    Condition,
    Dimension,
    FieldRef,
    Filter,
    Having,
    Intent,
    Measure,
    Membership,
    Order,
    Period,
)


@dataclass(frozen=True)
class _Saying:
    """How figures of one question are said: what they have in common is said once, for all of them."""

    schema: Schema
    ask: Ask
    hoisted: tuple[Filter, ...]
    period: Period | None

    def measure(self, fig: Fig) -> Measure:
        """A figure with what is its own."""
        measure = self.schema.measure(_undated(fig) if self.period else fig, dropping=self.hoisted)
        measure = measure.model_copy(update={"shown_in": fig.shown_in}) if fig.shown_in else measure
        if fig.shared:
            return measure.model_copy(update={"transform": "share_of_total"})
        if not self.ask.transform:
            return measure
        return measure.model_copy(update={"transform": self.ask.transform, "window": self.ask.window})

    def having(self, bound: Bound) -> Having:
        """A figure of a group compared."""
        versus = self.measure(bound.versus) if bound.versus else None
        own = self.measure(bound.fig)
        return Having(measure=own, operator=bound.operator, value=bound.value, versus=versus, times=bound.times)


def leaves_of_figs(figs: tuple[Fig, ...]) -> tuple[Fig, ...]:
    """The figures with those that divide them or are taken off."""
    return tuple(side for fig in figs for side in (fig, *leaves_of_figs(tuple(s for s in (fig.over, fig.less) if s))))


def figures_asked(s: Schema, ask: Ask) -> Intent | None:
    """Figures by groups, ranked, compared or changed; None where that says nothing or cannot be said."""
    leaves = leaves_of_figs(ask.every_figure)
    every = (*leaves, *leaves_of_figs(tuple(bound.versus for bound in ask.bounds if bound.versus)))
    period = _common_period(every)
    if period is None and ask.compare:
        return None
    stepped = any(group.step or (group.field and group.field.grain) for group in ask.groups)
    if not stepped and any(leaf.rows.fresh and leaf.rows.period is None for leaf in leaves):
        return None  # new since when
    hoisted = tuple(item for item in leaves[0].rows.filters if all(item in leaf.rows.filters for leaf in every))
    saying = _Saying(s, ask, hoisted, period)
    grouped = [fields_of_group(s, group, ask.figs) for group in ask.groups]
    if not all(grouped):
        return None
    along_time = any(
        group.filled and fields and fields[0].grain not in {None, "age_years"}
        for group, fields in zip(ask.groups, grouped, strict=True)
    )
    kept = any(
        ref.grain and ref.field == s.knows.dataset(ref.dataset).snapshot_time for refs in grouped for ref in refs
    )
    dimensions = _dimensions(ask, grouped)
    if not _is_said(ask, dimensions, along_time=along_time):
        return None
    measures = tuple(dict.fromkeys(saying.measure(fig) for fig in ask.figs))
    orders = _orders(ask, saying, measures)
    shown = dict.fromkeys((*measures, *(order.measure for order in orders[bool(ask.best) :] if order.measure)))
    return Intent(
        subject=_subject(ask, leaves),
        measures=tuple(shown),
        dimensions=dimensions,
        filters=_of_the_groups(s, ask, hoisted, leaves[0].rows.dataset),
        period=period,
        compare=ask.compare,
        having=tuple(saying.having(bound) for bound in ask.bounds),
        order=tuple(orders),
        limit=ask.best.limit if ask.best else None,
        skip=ask.best.skip if ask.best else 0,
        limit_within=tuple(ref for g, refs in zip(ask.groups, grouped, strict=True) if g in ask.within for ref in refs),
        over_groups=ask.over,
        fill_gaps=((along_time and not kept) or ask.zeros) and (ask.best is None or ask.best.limit is None),
    )


def _of_the_groups(s: Schema, ask: Ask, filters: tuple[Filter, ...], base: str) -> tuple[Filter, ...]:
    """ "clients by lorry, tippers only" are counted for tippers, and not for each lorry of whoever has a tipper."""
    named = {group.field.dataset for group in ask.groups if group.field and identifying(s, group.field)}
    things = named | {group.thing for group in ask.groups if group.thing and not group.via}
    kept: list[Filter] = []
    for item in filters:
        told = isinstance(item, Membership) and item.dataset in things and s.up(base, item.dataset) is None
        if (
            told
            and isinstance(item, Membership)
            and _has(item)
            and all(_is_plain(c, item.dataset) for c in item.filters)
        ):
            kept += item.filters
        else:
            kept.append(item)
    return tuple(dict.fromkeys(kept))


def _has(item: Membership) -> bool:
    return not (item.negated or item.via or item.at_least or item.at_most)


def _is_plain(item: Filter, dataset: str) -> bool:
    """A condition of these rows, or that there is what lies between."""
    if isinstance(item, Membership):
        return _has(item) and not item.filters
    return isinstance(item, Condition) and item.field.dataset == dataset


def _is_said(ask: Ask, dimensions: tuple[Dimension, ...], *, along_time: bool) -> bool:
    """Shares are of something, changes since something, rankings of groups."""
    if ask.transform == "share_of_total" or ask.best or ask.bounds:
        return bool(dimensions)
    return not ask.transform or along_time or bool(ask.compare)


def _dimensions(ask: Ask, grouped: list[tuple[FieldRef, ...]]) -> tuple[Dimension, ...]:
    edges = {fields[0]: group.edges for group, fields in zip(ask.groups, grouped, strict=True)}
    return tuple(
        Dimension(field=ref, edges=edges.get(ref, ())) for ref in dict.fromkeys(r for fs in grouped for r in fs)
    )


def _orders(ask: Ask, saying: _Saying, measures: tuple[Measure, ...]) -> list[Order]:
    found = []
    if ask.best is not None:
        measure = saying.measure(ask.best.fig) if ask.best.fig else measures[0]
        found.append(Order(measure=measure, descending=ask.best.descending))
    for best in ask.orders:
        shown = saying.measure(best.fig) if best.fig else None
        found.append(Order(measure=shown, field=best.field, descending=best.descending))
    return found


def _common_period(leaves: tuple[Fig, ...]) -> Period | None:
    """The period of all figures, where they have the same."""
    periods = {(leaf.rows.period, leaf.rows.dated) for leaf in leaves}
    days, dated = next(iter(periods))
    return period_of(days, dated) if len(periods) == 1 and days is not None else None


def period_of(days: Days, dated: FieldRef | None) -> Period:
    """Days of a date."""
    return Period(start=days.start, end=days.end, label=days.label, field=dated)


def _undated(fig: Fig) -> Fig:
    over, less = fig.over and _undated(fig.over), fig.less and _undated(fig.less)
    return replace(fig, rows=replace(fig.rows, period=None), over=over, less=less)


def fields_of_group(s: Schema, group: Group, figs: tuple[Fig, ...]) -> tuple[FieldRef, ...]:
    """What a group is grouped by; empty where the figures have no date to step along."""
    if group.step is not None:
        dates = [date for leaf in leaves_of_figs(figs) if (date := s.date_of(leaf)) is not None]
        return (dates[0].model_copy(update={"grain": group.step}),) if dates else ()
    if group.field is not None:
        return (group.field,)
    return s.knows.entity_fields(Thing(str(group.thing), group.via))


def _subject(ask: Ask, leaves: tuple[Fig, ...]) -> str | None:
    if ask.rows is not None:
        return ask.rows.dataset
    owners = {leaf.rows.owner for leaf in leaves}
    if len(owners) == 1 and "" not in owners:
        return owners.pop()
    bases = {leaf.rows.dataset for leaf in leaves}
    ranked = (group for group in ask.groups if group not in ask.within)
    things = [group.thing for group in ranked if group.thing and not group.via and group.thing not in bases]
    return things[0] if len(things) == 1 and len(ask.groups) > 1 else None
