"""Shares of a total, and values side by side."""

from __future__ import annotations

from dataclasses import replace

from ai_engine.built_in.grammar.construction import Constructions
from ai_engine.built_in.grammar.phrases import Ask, Best, Fig, Group, Kind, Priced, Rows
from ai_engine.built_in.grammar.questions import by, narrow_fig
from ai_engine.built_in.grammar.ranks import ranked
from ai_engine.built_in.grammar.schema import Schema
from ai_engine.semantics.intent import Condition, FieldRef

says = Constructions()


@says("Ask", "-:share -of? Fig -By|:each -:each? Groups", "share of deposits by region")
@says("Ask", "Fig -By -:each? Groups -And? -:share", "number of accounts by region, % share")
@says("Ask", "-:share -of? Fig Groups -:have?", "what percent of deposits does each region contribute")
def shares_by(s: Schema, fig: Fig, groups: tuple[Group, ...]) -> Priced | None:
    if fig.over or fig.less or fig.rows.bounds or not s.knows.adds_up(fig.core):
        return None
    if any(group.thing == fig.rows.dataset for group in groups):
        return None  # "as a percentage of all loans": they are no groups
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


@says(
    "Ask",
    "-:share -of? Fig -:have|That? -:have? -by|in|of|from? Ends Group",
    "share of deposits held by the top 5 branches",
)
@says(
    "Ask",
    "-:amount -of Fig -:have? -by|in|from? Ends Group -:have?",
    "how much of the deposits do the top 5 branches hold",
)
def share_of_the_first(s: Schema, fig: Fig, best: Best, group: Group) -> Priced | None:
    """What the first few have of all, in one figure."""
    if fig.over or fig.less or best.limit is None or best.skip or not s.knows.adds_up(fig.core):
        return None
    found = ranked(s, (group,), replace(best, fig=replace(fig, implied=False)))
    return found and replace(found, value=replace(found.value, transform="share_of_total", over="sum"))


@says("Ask", "Ends Group -Their? -:share -In? Fig", "top 5 branches share of deposits")
def the_first_and_their_share(s: Schema, best: Best, group: Group, fig: Fig) -> Priced | None:
    return share_of_the_first(s, fig, best, group)


@says(
    "Ask",
    "-:share -of? Rows -:have|That? -:have? -by|in|of|from? Ends Group",
    "share of accounts held by the top 5 branches",
)
def share_of_their_number(s: Schema, rows: Rows, best: Best, group: Group) -> Priced | None:
    return share_of_the_first(s, s.count(rows), best, group) if not rows.bounds else None


@says(
    "Ask",
    "-:share -of? Fig -:have|That? -by|in|of|from? Ends Rows",
    "share of outstanding principal of the 10 largest loans",
)
def share_of_the_largest(s: Schema, fig: Fig, best: Best, rows: Rows) -> Priced | None:
    """The same of single rows, ranked by what is shared."""
    if rows.narrowed or rows.dataset != fig.rows.dataset:
        return None
    return share_of_the_first(s, fig, best, Group(thing=rows.dataset, via=rows.via))


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


@says("Ask", "Flag -:against|:or -:not Flag Rows", "NPA vs non NPA loans")
@says("Ask", "Rows -:stop? Flag -:against|:or -:not Flag", "loans, NPA vs non NPA")
def with_and_without(s: Schema, *given: object) -> Priced | None:
    """Those of which a flag holds beside the others."""
    flags = {item for item in given if isinstance(item, FieldRef)}
    rows = next(item for item in given if isinstance(item, Rows))
    if len(flags) != 1 or rows.bounds:
        return None
    return by(s, Ask(figs=(s.count(rows),)), (Group(field=flags.pop()),))


@says("Ask", "Vals -:against|:and Rows", "savings vs current accounts")
def kinds_side_by_side(s: Schema, kind: Kind, rows: Rows) -> Priced | None:
    field = kind.condition.field
    same = [item for item in rows.filters if isinstance(item, Condition) and item.field == field]
    if len(same) != 1:
        return None
    rest = replace(rows, filters=tuple(item for item in rows.filters if item != same[0]))
    return side_by_side(s, s.count(rest), kind, Kind(kind.dataset, same[0]))
