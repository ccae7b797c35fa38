"""The structured question of figures."""

from __future__ import annotations

from dataclasses import dataclass, replace

from ai_engine.built_in.grammar.phrases import Ask, Bound, Fig, Group, leaves_of_figs
from ai_engine.built_in.grammar.schema import Schema
from ai_engine.built_in.meanings import Days, Thing
from ai_engine.semantics.intent import Dimension, FieldRef, Filter, Having, Intent, Measure, Order, Period


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
        if not self.ask.transform:
            return measure
        return measure.model_copy(update={"transform": self.ask.transform, "window": self.ask.window})

    def having(self, bound: Bound) -> Having:
        """A figure of a group compared."""
        versus = self.measure(bound.versus) if bound.versus else None
        return Having(measure=self.measure(bound.fig), operator=bound.operator, value=bound.value, versus=versus)


def figures_asked(s: Schema, ask: Ask) -> Intent | None:
    """Figures by groups, ranked, compared or changed; None where that says nothing or cannot be said."""
    leaves = leaves_of_figs(ask.every_figure)
    period = _common_period(leaves)
    if period is None and ask.compare:
        return None
    stepped = any(group.step or (group.field and group.field.grain) for group in ask.groups)
    if not stepped and any(leaf.rows.fresh and leaf.rows.period is None for leaf in leaves):
        return None  # new since when
    hoisted = tuple(item for item in leaves[0].rows.filters if all(item in leaf.rows.filters for leaf in leaves))
    saying = _Saying(s, ask, hoisted, period)
    grouped = [_fields(s, group, ask.figs) for group in ask.groups]
    if not all(grouped):
        return None
    along_time = any(
        group.filled and fields and fields[0].grain not in {None, "age_years"}
        for group, fields in zip(ask.groups, grouped, strict=True)
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
        filters=hoisted,
        period=period,
        compare=ask.compare,
        having=tuple(saying.having(bound) for bound in ask.bounds),
        order=tuple(orders),
        limit=ask.best.limit if ask.best else None,
        skip=ask.best.skip if ask.best else 0,
        limit_within=tuple(ref for g, refs in zip(ask.groups, grouped, strict=True) if g in ask.within for ref in refs),
        over_groups=ask.over,
        fill_gaps=along_time and (ask.best is None or ask.best.limit is None),
    )


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


def _fields(s: Schema, group: Group, figs: tuple[Fig, ...]) -> tuple[FieldRef, ...]:
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
