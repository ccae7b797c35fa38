"""Shares of a total, and values side by side."""

from __future__ import annotations

from dataclasses import replace

from ai_engine.built_in.grammar.construction import Constructions
from ai_engine.built_in.grammar.constructions.composed_figures import share_of_rows
from ai_engine.built_in.grammar.phrases import Ask, Best, Cond, Fig, Group, Kind, Mod, Rows
from ai_engine.built_in.grammar.questions import by, narrow_ask, narrow_fig
from ai_engine.built_in.grammar.ranks import ranked
from ai_engine.built_in.grammar.reasons import Priced
from ai_engine.built_in.grammar.schema import Schema
from ai_engine.built_in.meanings import Number
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
    "-:what? -:share -of? Fig|Rows -In|By? -:each Group -:have|is|are|was|were? -In? Pred",
    "share of accounts in each branch that are dormant",
)
@says(
    "Ask",
    "-:what? -:share -of? Fig|Rows -By Group -:have|is|are|was|were? -In? Pred",
    "share of balance by branch from savings accounts",
)
def share_within_each(s: Schema, said: Fig | Rows, group: Group, mod: Mod) -> Priced | None:
    """How much of what each group has is of a kind."""
    whole = s.count(said) if isinstance(said, Rows) else said
    if whole.over or whole.less or whole.rows.bounds or not s.knows.adds_up(whole.core):
        return None
    found = narrow_fig(s, whole, mod)
    if found is None or found.value.rows == whole.rows or found.value.rows.period != whole.rows.period:
        return None
    part = replace(found.value, over=replace(whole, implied=False), percent=True, part=True)
    grouped = by(s, Ask(figs=(part,)), (group,))
    return grouped and replace(grouped, because=(*found.because, *grouped.because))


@says(
    "Ask",
    "-:what? -:share -of? -:each Group Rows -:have|is|are|was|were? -In? Pred",
    "what percentage of each branch's accounts are dormant",
)
def share_of_those_of_each(s: Schema, group: Group, rows: Rows, mod: Mod) -> Priced | None:
    return share_within_each(s, rows, group, mod)


@says("Topped", "Ends|End Group", "top 5 branches")
def the_first(s: Schema, best: Best, group: Group) -> Ask | None:
    return Ask(groups=(group,), best=best) if best.limit is not None and not best.skip else None


@says("Topped", "Ends|End Rows", "10 largest loans")
def the_largest(s: Schema, best: Best, rows: Rows) -> Ask | None:
    """Single rows, ranked by what is shared."""
    return the_first(s, best, Group(thing=rows.dataset, via=rows.via)) if not rows.narrowed else None


@says("Topped", "Num Group -Has|That Scale", "10 customers with the highest balance")
def the_few(s: Schema, number: Number, group: Group, best: Best) -> Ask | None:
    return the_first(s, replace(best, limit=int(number.value)), group) if number.unit is None else None


@says(
    "Ask",
    "-:share -of? Fig -:have|That|is|are? -:have? -by|in|of|from? Topped",
    "share of deposits held by the top 5 branches",
)
@says("Ask", "-:share -of? Fig -:have? Topped -:have", "what share of deposits do the top 5 branches hold")
@says(
    "Ask",
    "-:amount -of Fig -:have? -by|in|from? Topped -:have? -:stop? -:share?",
    "how much of the deposits do the top 5 branches hold",
)
def share_of_the_first(s: Schema, fig: Fig, topped: Ask) -> Priced | None:
    """What the first few have of all, in one figure."""
    best = topped.best
    if fig.over or fig.less or best is None or not s.knows.adds_up(fig.core) or not _ranks_by(s, best, fig):
        return None
    (group,) = topped.groups
    if group.thing == fig.rows.dataset and fig.rows.narrowed:
        return None
    found = ranked(s, (group,), replace(best, fig=replace(fig, implied=False), field=None))
    return found and replace(found, value=replace(found.value, transform="share_of_total", over="sum"))


@says("Ask", "Fig -of|for|in|across Topped", "average balance of the 10 largest accounts")
def figure_of_the_first(s: Schema, fig: Fig, topped: Ask) -> Priced | None:
    """A total or an average of the first few rows, in one figure."""
    best, (group,), plain = topped.best, topped.groups, s.knows.plain_figure(fig.core)
    if fig.over or fig.less or best is None or plain is None or not _ranks_by(s, best, fig):
        return None
    if group.thing != fig.rows.dataset or plain[0] not in {"sum", "avg"}:
        return None  # "deposits of the top 5 branches" may be five figures
    found = ranked(s, (group,), replace(best, fig=replace(fig, implied=False), field=None))
    return found and replace(found, value=replace(found.value, over=plain[0]))


def _ranks_by(s: Schema, best: Best, fig: Fig) -> bool:
    """Whether nothing else than the shared figure says which are the first: the highest balance, the most accounts."""
    if best.fig is not None:
        plain = s.knows.plain_figure(fig.core)
        return best.fig.core == fig.core or (plain is not None and best.fig.core.field == plain[1])
    plain = s.knows.plain_figure(fig.core) if best.field is not None else None
    return best.field is None or (plain is not None and plain[1] == best.field)


@says("Ask", "Topped -Their? -:share -In? Fig", "top 5 branches share of deposits")
def the_first_and_their_share(s: Schema, topped: Ask, fig: Fig) -> Priced | None:
    return share_of_the_first(s, fig, topped)


@says(
    "Ask",
    "-:share -of? Rows -:have|That|is|are? -:have? -by|in|of|from? Topped",
    "share of accounts held by the top 5 branches",
)
def share_of_their_number(s: Schema, rows: Rows, topped: Ask) -> Priced | None:
    return share_of_the_first(s, s.count(rows), topped) if not rows.bounds else None


@says("Ask", "Ask -:stop? -:share", "channel mix of transactions in percentage terms")
def in_percent(s: Schema, ask: Ask) -> Ask | None:
    if ask.transform == "share_of_total" or (ask.figs and all(fig.percent for fig in ask.figs)):
        return ask
    if len(ask.figs) != 1 or not ask.groups or ask.best or ask.transform or not s.knows.adds_up(ask.figs[0].core):
        return None
    return replace(ask, transform="share_of_total")


@says("Whole", "-of|in? total|whole", "of the total")
@says("Whole", "-of|in? all? Fig|Rows", "of all customers")
def the_whole(s: Schema, said: Fig | Rows | None = None) -> Fig | bool:
    return s.count(said) if isinstance(said, Rows) else said or True


@says("Ask", "Ask -And|:have -Their? -:share Whole?", "deposits by region and their share of the total")
@says("Ask", "Ask -And|:have -:each -Field|N -:share Whole?", "deposits by region with each region's share")
def and_their_share(s: Schema, ask: Ask, whole: Fig | bool = True) -> Ask | None:
    """What each has, and beside it how much of all that is."""
    last = ask.figs[-1] if ask.figs and ask.groups and not (ask.transform or ask.best or ask.compare) else None
    if last is None or last.over or last.less or last.shared or not s.knows.adds_up(last.core):
        return None
    if isinstance(whole, Fig) and whole.core != last.core:
        return None
    return replace(ask, figs=(*ask.figs, replace(last, shared=True)))


@says(
    "Ask",
    "Ask -And -:what? -:share -of? -all? -Their Rows -:relative?",
    "number of dormant accounts by branch and what fraction of all its accounts that is",
)
def and_their_part(s: Schema, ask: Ask, rows: Rows) -> Ask | None:
    """What each has of a kind, and beside it how much that is of all that it has itself."""
    part = ask.figs[-1] if ask.figs and ask.groups and not (ask.transform or ask.best or ask.compare) else None
    if part is None or part.over or part.less or part.core != s.count(rows).core or not part.rows.filters:
        return None
    if rows.filters or rows.bounds or rows.via:
        return None
    whole = s.count(replace(rows, period=part.rows.period, dated=part.rows.dated))
    return replace(ask, figs=(*ask.figs, replace(part, over=whole, percent=True, part=True)))


@says(
    "Fig",
    "-of|among Rows -:stop? -:what? -:share -That|:have|is|are|was|were? Pred",
    "of the accounts opened in 2025, what percentage is dormant",
)
def share_of_those(s: Schema, rows: Rows, mod: Mod) -> Priced | None:
    """The whole, said first, maybe by the kinds of which one is asked for."""
    one = mod.parts[0].filter if len(mod.parts) == 1 and isinstance(mod.parts[0], Cond) else None
    kinds = [item for item in rows.filters if isinstance(item, Condition) and item.operator == "in"]
    wide = [item for item in kinds if isinstance(one, Condition) and item.field == one.field]
    if not wide:
        return share_of_rows(s, rows, mod)
    if not isinstance(one, Condition) or one.operator != "=" or one.values[0] not in wide[0].values:
        return None
    whole = s.count(rows)
    part = replace(rows, filters=tuple(one if item == wide[0] else item for item in rows.filters))
    return Priced(Fig(whole.core, part, over=whole, percent=True, part=True))


# -- values side by side -----------------------------------------------------------------------------------------


@says("Sides", "Vals -:against Vals", "Mumbai vs Pune")
@says("Sides", "Sides -:against|:stop Vals", "Mumbai vs Pune vs Delhi")
def sides(s: Schema, one: Kind, other: Kind) -> Kind | None:
    """Values of one column that are held against each other."""
    told = (one.condition, other.condition)
    if told[0].field != told[1].field or any(item.operator not in {"=", "in"} for item in told):
        return None
    values = tuple(dict.fromkeys(value for item in told for value in item.values))
    return Kind(one.dataset, one.condition.model_copy(update={"operator": "in", "values": values}))


@says("Ask", "-compare Fig -In|:compare? Vals", "compare deposits of Pune and Mumbai")
@says("Ask", "Fig -In|:stop? Sides", "deposits of Mumbai vs Pune")
@says("Ask", "Fig -In|:stop? Vals -:and Vals", "deposits of Mumbai and Pune")
def side_by_side(s: Schema, fig: Fig, *kinds: Kind) -> Priced | None:
    fields = {kind.condition.field for kind in kinds}
    values = tuple(value for kind in kinds for value in kind.condition.values)
    if len(fields) != 1 or len(values) < 2:
        return None
    joined = kinds[0].condition.model_copy(update={"operator": "in", "values": values})
    found = narrow_fig(s, fig, Kind(kinds[0].dataset, joined).mod)
    return found and by(s, Ask(figs=(found.value,), split=True), (Group(field=fields.pop()),))


@says("Ask", "Fig -In|:stop? Vals|Sides -:against N", "total balance of savings vs current accounts")
def kinds_of_rows(s: Schema, fig: Fig, kind: Kind, rows: Rows) -> Priced | None:
    """The noun stands behind the last value only."""
    same = [item for item in rows.filters if isinstance(item, Condition)]
    if len(same) != 1 or len(rows.filters) != 1 or rows.period or rows.dataset != kind.dataset:
        return None
    return side_by_side(s, fig, kind, Kind(kind.dataset, same[0]))


@says("Ask", "Rows -:stop? Sides", "cards issued in 2025, debit vs credit")
def counts_side_by_side(s: Schema, rows: Rows, kind: Kind) -> Priced | None:
    return side_by_side(s, s.count(rows), kind) if not rows.bounds else None


@says("Ask", "Ask -:stop? Sides", "number of transactions by channel, UPI vs IMPS")
def only_these_groups(s: Schema, ask: Ask, kind: Kind) -> Priced | None:
    """Of all groups the ones that are held against each other."""
    grouped = kind.condition.field in {group.field for group in ask.groups}
    return narrow_ask(s, ask, kind.mod) if grouped else None


@says("Ask", "Sides -:stop? Fig", "UPI vs IMPS: number of transactions")
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


@says("Ask", "Vals|Sides -:against|:and Rows", "savings vs current accounts")
def kinds_side_by_side(s: Schema, kind: Kind, rows: Rows) -> Priced | None:
    field = kind.condition.field
    same = [item for item in rows.filters if isinstance(item, Condition) and item.field == field]
    if len(same) != 1:
        return None
    rest = replace(rows, filters=tuple(item for item in rows.filters if item != same[0]))
    return side_by_side(s, s.count(rest), kind, Kind(kind.dataset, same[0]))
