"""Figures for each of something: divided by how many there are, by an amount, or by its units."""

from __future__ import annotations

from dataclasses import replace

from ai_engine.built_in.grammar.construction import Constructions
from ai_engine.built_in.grammar.phrases import Fig, Mod, Related, Rows
from ai_engine.built_in.grammar.questions import narrow_fig
from ai_engine.built_in.grammar.reasons import Priced, times
from ai_engine.built_in.grammar.schema import Schema
from ai_engine.built_in.grammar.units import how_many, measured_in, one_of_them
from ai_engine.semantics.infer.line_values import LINE_VALUE
from ai_engine.semantics.intent import FieldRef, Measure

says = Constructions()


def as_fig(s: Schema, said: Fig | Rows) -> Fig:
    """Rows as how many they are."""
    return s.count(said) if isinstance(said, Rows) else said


@says("Fig", "Fig|Rows -per N", "deposits per branch")
def per_each_unsaid(s: Schema, said: Fig | Rows, rows: Rows) -> Fig | None:
    """Divided where something else is grouped or ranked by it; alone it is a figure of each."""
    found = per_each(s, said, rows)
    return found and replace(found, unsaid=True)


@says("Fig", "Fig|Rows -per N -:stop? -:aggregate=avg", "accounts per customer on average")
@says("Fig", "-:aggregate=avg -:amount? Fig|Rows -per|:each N", "average number of accounts per customer")
def per_each(s: Schema, said: Fig | Rows, rows: Rows) -> Fig | None:
    fig = as_fig(s, said)
    if fig.over or fig.less or fig.core.aggregate not in {"count", "sum", None} or fig.rows.bounds or rows.bounds:
        return None
    if fig.implied or s.up(fig.rows.dataset, rows.dataset) in (None, 0):
        return None
    if fig.core.metric is not None and not s.knows.adds_up(fig.core):
        return None
    if rows.narrowed:
        found = narrow_fig(s, fig, Mod((Related(rows, of=True),)))
        if found is None:
            return None
        fig = found.value
    return Fig(fig.core, fig.rows, over=s.count(rows))


@says("Fig", "-:aggregate=avg Fig|Rows -of N", "average number of accounts of customers")
def number_of_each(s: Schema, said: Fig | Rows, rows: Rows) -> Fig | None:
    """ "average amount of customers" is that of the rows, and not what each has together."""
    return per_each(s, said, rows) if isinstance(said, Rows) or said.core.aggregate != "sum" else None


@says("Fig", "-:aggregate=avg Amt -per|:each N", "average balance per customer")
def amount_per_each(s: Schema, field: FieldRef, rows: Rows) -> Fig | Priced | None:
    """One mean over accounts or people, who are too many for a list; that of each branch is rather meant as a list."""
    if rows.dataset == field.dataset and not rows.narrowed:
        return Fig(Measure(aggregate="avg", field=field), Rows(field.dataset))
    if s.field(field).default_aggregate != "sum":
        return None
    found = per_each(s, Fig(Measure(aggregate="sum", field=field), Rows(field.dataset)), rows)
    return found if found is None or rows.dataset == s.knows.people else Priced(found, ("a mean over places",))


@says("Fig", "Metric -per N", "average ticket size per transaction")
def mean_per_each(s: Schema, fig: Fig, rows: Rows) -> Fig | Priced | None:
    """The same of a metric that is a mean."""
    plain = s.knows.plain_figure(fig.core)
    return amount_per_each(s, plain[1], rows) if plain is not None and plain[0] == "avg" else None


@says("Fig", "-:aggregate=avg N -:amount", "average sale value")
def lines_of_each(s: Schema, rows: Rows) -> Fig | None:
    """What the lines of an order come to together, where only they keep what they come to."""
    lines = [
        FieldRef(dataset=name, field=item.name)
        for name in s.knows.referring(rows.dataset)
        for item in s.knows.dataset(name).fields
        if item.label == LINE_VALUE
    ]
    if len(lines) != 1:
        return None
    return per_each(s, Fig(Measure(aggregate="sum", field=lines[0]), Rows(lines[0].dataset)), rows)


@says("Fig", "-:aggregate=sum? N -:amount", "total sale value")
def lines_of_all(s: Schema, rows: Rows) -> Fig | None:
    found = lines_of_each(s, rows)
    return found and replace(found, over=None)


@says("Fig", "Fig|Rows -per Amt -of? -Their? N?", "total outstanding per sanctioned amount")
def per_amount(s: Schema, said: Fig | Rows, field: FieldRef, rows: Rows | None = None) -> Priced | None:
    """ "charge per km": all charges over all kilometres, those of the rows or of what they belong to."""
    fig = as_fig(s, said)
    added, steps = s.field(field).default_aggregate == "sum", s.up(fig.rows.dataset, field.dataset)
    if steps is None or not (added or measured_in(s, field)) or fig.over or fig.less or fig.core.field == field:
        return None
    if rows is not None and (rows.narrowed or rows.dataset != field.dataset):
        return None
    if fig.core.aggregate not in {"sum", "count"} or fig.rows.bounds:
        return None
    over = Fig(Measure(aggregate="sum", field=field), Rows(field.dataset) if steps else fig.rows)
    return Priced(Fig(fig.core, fig.rows, over=over), times("a step away", steps))


@says("Fig", "-:aggregate=avg Amt -per InUnits", "average handling charge per mwh")
def average_per_so_many(s: Schema, said: FieldRef, units: tuple[FieldRef, str]) -> Priced | None:
    fig = Fig(Measure(aggregate="sum", field=said), Rows(said.dataset))
    return per_so_many(s, fig, units) if s.may_be_added(said) else None


@says("Fig", "Fig|Rows -per InUnits -of? -Their? N?", "handling charge per mwh")
def per_so_many(s: Schema, said: Fig | Rows, units: tuple[FieldRef, str], rows: Rows | None = None) -> Priced | None:
    """ "charge per tonne", where kilograms are kept."""
    field, unit = units
    found = per_amount(s, said, field, rows)
    size = how_many(s, unit, field)
    if found is None or size is None:
        return None
    return replace(found, value=replace(found.value, shown_in=1 / size), notes=(one_of_them(s, unit, field),))


@says("Fig", "-:aggregate=avg Amt -per Amt", "average outstanding principal per sanctioned amount")
def average_per_amount(s: Schema, said: FieldRef, field: FieldRef) -> Priced | None:
    fig = Fig(Measure(aggregate="sum", field=said), Rows(said.dataset))
    return per_amount(s, fig, field) if s.may_be_added(said) else None
