"""Shares of a total, and values side by side."""

from __future__ import annotations

from dataclasses import replace

from ai_engine.built_in.grammar.construction import Constructions
from ai_engine.built_in.grammar.phrases import Ask, Fig, Group, Kind, Priced, Rows
from ai_engine.built_in.grammar.questions import by, narrow_fig
from ai_engine.built_in.grammar.schema import Schema
from ai_engine.semantics.intent import Condition

says = Constructions()


@says("Ask", "-:share -of? Fig -By|:each -:each? Groups", "share of deposits by region")
@says("Ask", "Fig -By -:each? Groups -And? -:share", "number of accounts by region, % share")
@says("Ask", "-:share -of? Fig Groups -:have?", "what percent of deposits does each region contribute")
def shares_by(s: Schema, fig: Fig, groups: tuple[Group, ...]) -> Priced | None:
    if fig.over or fig.less or fig.rows.bounds or not s.knows.adds_up(fig.core):
        return None
    found = by(s, Ask(figs=(fig,)), groups)
    if found is None:
        return None
    because = (*found.because, *(("a share of what is narrowed",) if fig.rows.filters else ()))
    return replace(found, value=replace(found.value, transform="share_of_total"), because=because)


@says("Ask", "-:share -of? Groups -In|to|:have? Fig", "share of each account type in total deposits")
@says("Ask", "Groups -:share -In? Fig|Rows", "region share of deposits")
def shares_of_each(s: Schema, groups: tuple[Group, ...], said: Fig | Rows) -> Priced | None:
    return shares_by(s, s.count(said) if isinstance(said, Rows) else said, groups)


@says("Ask", "-:share -of? Rows -:have? -By|In|:each -:each? Groups", "percentage of customers by segment")
def shares_of_counts(s: Schema, rows: Rows, groups: tuple[Group, ...]) -> Priced | None:
    return shares_by(s, s.count(rows), groups)


@says("Ask", "Ask -:stop? -:share", "channel mix of transactions in percentage terms")
def in_percent(s: Schema, ask: Ask) -> Ask | None:
    if ask.transform == "share_of_total" or (ask.figs and all(fig.percent for fig in ask.figs)):
        return ask
    if len(ask.figs) != 1 or not ask.groups or ask.best or ask.transform or not s.knows.adds_up(ask.figs[0].core):
        return None
    return replace(ask, transform="share_of_total")


# -- values side by side -----------------------------------------------------------------------------------------


@says("Ask", "-compare Fig -In|:compare? Vals", "compare deposits of Pune and Mumbai")
@says("Ask", "Fig -In|:stop? Vals -:against|:and Vals", "deposits of Mumbai vs Pune")
def side_by_side(s: Schema, fig: Fig, *kinds: Kind) -> Priced | None:
    fields = {kind.condition.field for kind in kinds}
    values = tuple(value for kind in kinds for value in kind.condition.values)
    if len(fields) != 1 or len(values) < 2:
        return None
    joined = kinds[0].condition.model_copy(update={"operator": "in", "values": values})
    found = narrow_fig(s, fig, Kind(kinds[0].dataset, joined).mod)
    return found and by(s, Ask(figs=(found.value,), split=True), (Group(field=fields.pop()),))


@says("Ask", "Vals -:against Vals -:stop? Fig", "UPI vs IMPS: number of transactions")
@says("Ask", "-:against Vals -:or? Vals -:stop? Rows", "are there more male or female customers")
@says("Ask", "-:against Vals Rows", "are there more male or female customers")
def values_first(s: Schema, *given: object) -> Priced | None:
    said = given[-1]
    fig = s.count(said) if isinstance(said, Rows) else said
    return side_by_side(s, fig, *(item for item in given if isinstance(item, Kind))) if isinstance(fig, Fig) else None


@says("Ask", "Vals -:against|:and Rows", "savings vs current accounts")
def kinds_side_by_side(s: Schema, kind: Kind, rows: Rows) -> Priced | None:
    field = kind.condition.field
    same = [item for item in rows.filters if isinstance(item, Condition) and item.field == field]
    if len(same) != 1:
        return None
    rest = replace(rows, filters=tuple(item for item in rows.filters if item != same[0]))
    return side_by_side(s, s.count(rest), kind, Kind(kind.dataset, same[0]))
