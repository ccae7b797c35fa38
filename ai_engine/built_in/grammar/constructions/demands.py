"""What is demanded of groups: several figures of each compared, also with figures of all, or of another period."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

from ai_engine.built_in.grammar.construction import Constructions
from ai_engine.built_in.grammar.phrases import Ask, Bound, Cmp, Fig, Group, Mod, Rows, When
from ai_engine.built_in.grammar.questions import by, narrow_fig
from ai_engine.built_in.grammar.reasons import Priced
from ai_engine.built_in.grammar.schema import COMPARISONS, Schema
from ai_engine.built_in.grammar.units import bounds_of
from ai_engine.built_in.meanings import Days

says = Constructions()
Bounds = tuple[Bound, ...]
_MOST_COUNTED = 100_000


@says("Demand", "Cmp Rows", "more than 300 accounts")
def number_of(s: Schema, cmp: Cmp, rows: Rows) -> Bounds | None:
    number = cmp.numbers[0] if cmp.numbers else None
    if number is None or number.unit is not None or number.value > _MOST_COUNTED or rows.bounds or not rows.named:
        return None
    return bounds_of(s, s.count(rows), cmp) or None


@says("Demand", "Fig Cmp", "a total balance above 5 crore")
def figure(s: Schema, fig: Fig, cmp: Cmp) -> Bounds | None:
    if cmp.fig is not None or fig.extreme:
        return None
    return bounds_of(s, fig, cmp) or None


@says(
    "Demand",
    "-more|higher|larger Rows|Fig -in|during? Days -than -in|during? Days",
    "more accounts in 2026 than in 2025",
)
def more_than_before(s: Schema, said: Rows | Fig, now: Days, before: Days) -> Bounds | None:
    return _held_against(s, said, ">", now, before)


@says(
    "Demand",
    "-fewer|less|lower Rows|Fig -in|during? Days -than -in|during? Days",
    "fewer accounts in 2026 than in 2025",
)
def fewer_than_before(s: Schema, said: Rows | Fig, now: Days, before: Days) -> Bounds | None:
    return _held_against(s, said, "<", now, before)


def _held_against(s: Schema, said: Rows | Fig, operator: str, now: Days, before: Days) -> Bounds | None:
    """A figure of a thing in one period against the same in another."""
    fig = s.count(said) if isinstance(said, Rows) else said
    if fig.rows.period or fig.rows.bounds or fig.over or fig.less or now.moment or before.moment:
        return None
    here, there = (narrow_fig(s, fig, Mod((When(days),))) for days in (now, before))
    return _difference(here.value, operator, there.value) if here and there else None


def _difference(fig: Fig, operator: str, other: Fig) -> Bounds:
    return (Bound(replace(fig, less=other, implied=False), operator, Decimal(0)),)


@says("Demand", "-more Rows -than Rows", "more savings accounts than loans")
def more_of_these(s: Schema, rows: Rows, other: Rows) -> Bounds | None:
    return _difference(s.count(rows), ">", s.count(other)) if _are_two_kinds(rows, other) else None


@says("Demand", "-fewer|less Rows -than Rows", "fewer savings accounts than loans")
def fewer_of_these(s: Schema, rows: Rows, other: Rows) -> Bounds | None:
    return _difference(s.count(rows), "<", s.count(other)) if _are_two_kinds(rows, other) else None


def _are_two_kinds(rows: Rows, other: Rows) -> bool:
    return rows != other and rows.named and other.named and not rows.bounds and not other.bounds


@says("Demand", "Fig :compare -:aggregate=sum? :aggregate", "the average balance is above the overall average")
def than_of_all(s: Schema, fig: Fig, operator: str, aggregate: str) -> Bounds | None:
    """The figure of a group against that of all."""
    same = fig.core.aggregate == aggregate == "avg" and not (fig.over or fig.less or fig.extreme)
    return (Bound(fig, operator, versus=replace(fig, implied=False)),) if same and operator in COMPARISONS else None


@says("OfAll", "-:aggregate=sum|overall -:share|:rate", "the overall percentage")
@says(
    "OfAll", "-:share|:rate|that -In? all Rows? -together|overall|combined?", "the percentage for all accounts together"
)
@says("OfAll", "-:share|:rate|that -In? Rows -together|overall|combined", "the percentage of loans together")
def the_same_of_all(s: Schema, rows: Rows | None = None) -> Rows | bool:
    return rows or True


@says("Demand", "Fig :compare OfAll", "a share of dormant accounts above the overall share")
def share_than_of_all(s: Schema, fig: Fig, operator: str, every: Rows | bool) -> Bounds | None:
    """The share that each has held against that of all together, whose rows may be named once more."""
    if not fig.part or fig.over is None or operator not in COMPARISONS:
        return None
    same = every is True or every == replace(fig.over.rows, said=every.said)  # type: ignore[union-attr]
    plain = isinstance(every, Rows) and not every.narrowed and every.dataset != fig.over.rows.dataset
    alike = fig.over.rows.period is None or same
    return (Bound(fig, operator, versus=fig),) if alike and (same or plain) else None


@says("Demand", "Fig :compare Fig -together|overall|combined?", "NPA rate of loans above the NPA rate of all loans")
def rate_than_of_all(s: Schema, fig: Fig, operator: str, other: Fig) -> Bounds | None:
    same = fig.part and (fig.core, fig.over) == (other.core, other.over) and fig.rows.filters == other.rows.filters
    return (Bound(fig, operator, versus=fig),) if same and operator in COMPARISONS else None


@says("Mod", "-Has|:relative Demand", "with more accounts in 2026 than in 2025")
def demanding(s: Schema, bounds: Bounds) -> Mod | None:
    """Only what nothing else says: one figure of a thing against another of the same."""
    return Mod(bounds) if any(bound.fig.less or bound.versus for bound in bounds) else None


@says("Demands", "Demand -:and Demand", "more than 300 accounts and a total balance above 5 crore")
@says("Demands", "Demands -:and Demand", "over 300 accounts and over 10 loans and a total balance above 5 crore")
def several(s: Schema, first: Bounds, second: Bounds) -> Bounds:
    return (*first, *second)


@says("Ask", "-In -:what Group Demands|Demand", "in which branches is the average balance above the overall average")
@says("Ask", "-:what? Group -Has|:relative Demands", "regions with over 300 accounts and a total balance above 5 crore")
def groups_demanded(s: Schema, group: Group, bounds: Bounds) -> Priced | None:
    """Groups with all the figures that are compared."""
    if group.mods or group.step:
        return None
    figs = tuple(dict.fromkeys(bound.fig for bound in bounds))
    found = by(s, Ask(figs=figs), (group,))
    if found is None:
        return None
    asked = dict(zip(figs, found.value.figs, strict=True))
    same = tuple(replace(bound, fig=asked[bound.fig]) for bound in bounds)
    return replace(found, value=replace(found.value, bounds=same))
