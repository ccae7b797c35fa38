"""What rows of somebody come to together, held against a number or against what they have themselves."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from typing import TypeAlias

from ai_engine.built_in.grammar.construction import Constructions
from ai_engine.built_in.grammar.phrases import Ask, Bound, Cmp, Cond, Fig, Group, Kind, Mod, Rows
from ai_engine.built_in.grammar.questions import by, narrow_fig
from ai_engine.built_in.grammar.reasons import Priced
from ai_engine.built_in.grammar.schema import COMPARISONS, Schema
from ai_engine.built_in.grammar.units import bounds_of
from ai_engine.semantics.intent import Condition, Measure

says = Constructions()
Summed: TypeAlias = tuple[Fig, Cmp]


@says("AddUp", "add|adds|added|adding up -to?", "adding up to")
@says("AddUp", "total|totals|totalled|totaled|totalling|totaling|sum|sums|summed|summing -up? -to?", "totalling")
@says("ComeTo", "come|comes|came|coming|amount|amounts|amounting to", "come to")
@says("ComeTo", "worth", "worth")
def come_to(s: Schema) -> bool:
    return True


@says("Summed", "Rows -:relative? -AddUp Cmp", "loans adding up to more than 10 lakh")
@says("Summed", "Rows -:relative? -ComeTo? Cmp -:aggregate=sum", "loans that come to more than 10 lakh together")
@says("Summed", "Rows -:relative? -:aggregate=sum -ComeTo Cmp", "loans that together come to more than 10 lakh")
def together(s: Schema, rows: Rows, cmp: Cmp) -> Summed | None:
    fig = s.main_figure(rows) if not rows.bounds and rows.named else None
    return (fig, cmp) if fig is not None and cmp.fig is None and cmp.aggregate is None else None


@says("Summed", "Fig -AddUp Cmp", "sanctioned amount adding up to more than their annual income")
@says("Summed", "Fig Cmp", "total sanctioned amount above their annual income")
def figure(s: Schema, fig: Fig, cmp: Cmp) -> Summed | None:
    """Only against what they have themselves: everything else is said by a plain comparison."""
    summed = fig.core.aggregate == "sum" and not (fig.over or fig.less or fig.rows.bounds)
    return (fig, cmp) if summed and cmp.other is not None else None


@says("Ask", "-:what? Group -:relative|with|having|have|has|had? Summed", "customers whose loans sum to over 10 lakh")
def summed_up(s: Schema, group: Group, said: Summed) -> Priced | None:
    """Those with what they have together, and beside it what that is held against."""
    fig, cmp = replace(said[0], implied=False), said[1]
    if cmp.other is None:
        bounds = bounds_of(s, fig, cmp)
        found = by(s, Ask(figs=(fig,)), (group,)) if bounds else None
        same = tuple(replace(bound, fig=found.value.figs[0]) for bound in bounds) if found else ()
        return found and replace(found, value=replace(found.value, bounds=same))
    if cmp.other.dataset != group.thing or cmp.other.via or cmp.times or cmp.operator not in COMPARISONS:
        return None
    if s.knows.may_lack(cmp.other):  # nothing is above a limit that nobody knows
        known = Condition(field=cmp.other, operator="is not null")
        limited = narrow_fig(s, fig, Mod((Cond(cmp.other.dataset, known),)))
        if limited is None:
            return None
        fig = limited.value
    found = by(s, Ask(figs=(fig,)), (group, Group(field=cmp.other)))
    if found is None:
        return None
    limit = Fig(Measure(aggregate="sum", field=cmp.other), Rows(cmp.other.dataset))
    more = replace(found.value.figs[0], less=limit)
    return replace(found, value=replace(found.value, bounds=(Bound(more, cmp.operator, Decimal(0)),)))


@says("Fig", "Vals|N +total|totals|sum", "savings total")
def total_of_kind(s: Schema, said: Kind | Rows) -> Fig | None:
    rows = said if isinstance(said, Rows) else Rows(said.dataset, filters=(said.condition,))
    return s.main_figure(rows)
