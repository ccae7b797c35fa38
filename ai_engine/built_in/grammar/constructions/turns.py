"""Parts of a turn that leans on the question before: any phrase may stand alone."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

from ai_engine.built_in.grammar.chart import Phrase
from ai_engine.built_in.grammar.construction import Constructions
from ai_engine.built_in.grammar.mods import deny
from ai_engine.built_in.grammar.phrases import Amount, Cmp, Fig, Group, Kind, Mod, Rows, Who
from ai_engine.built_in.grammar.reasons import Priced
from ai_engine.built_in.grammar.schema import Schema
from ai_engine.built_in.grammar.turn import Turn, joined
from ai_engine.built_in.meanings import Step, Thing
from ai_engine.semantics.intent import FieldRef
from ai_engine.semantics.names import singular

says = Constructions()
_IN_ITS_PLACE = frozenset({"Turn ← Pieces -instead -of Piece|Num", "Turn ← Pieces -:stop? -:not -By? Groups|Figs"})
_IN_PLACE_OF = "Turn ← -:not -By? Groups -:stop|:and Pieces"


@says("Turn", "-:both? Pieces", "only in Pune")
@says("Pieces", "Piece", "only in Pune")
def part(s: Schema, turn: Turn) -> Turn:
    return turn


@says("Pieces", "Pieces -And Piece", "by branch and by month")
def parts(s: Schema, first: Turn, second: Turn) -> Turn | None:
    return joined(first, second) if not second.bare else None  # "priority 1 and 2" are no 2 rows


@says("Pieces", "Pieces Piece", "average balance by month")
def parts_beside_each_other(s: Schema, first: Turn, second: Turn) -> Turn | None:
    return joined(first, second) if not (first.groups and (second.groups or second.fields)) else None


@says("Piece", "-:only Piece", "only dormant ones")
@says("Piece", "Piece -:only", "top 2 only")
def and_no_others(s: Schema, turn: Turn) -> Turn:
    return turn


@says("Turn", "Pieces -instead -of Piece|Num", "by branch instead of by region")
@says("Turn", "Pieces -:stop? -:not -By? Groups|Figs", "by branch, not by region")
def in_its_place(s: Schema, turn: Turn, other: object) -> Turn | None:
    """What goes need not be named where the like of it was said."""
    gone = other if isinstance(other, Turn) else _named(other) if isinstance(other, tuple) else Turn()
    alike = any(getattr(turn, part.name) and getattr(gone, part.name) for part in fields(Turn))
    return turn if alike or gone == Turn() else replace(turn, off=(replace(gone, denied=True),))


@says("Turn", "-:not -By? Groups -:stop|:and Pieces", "not by region, by branch")
def in_place_of(s: Schema, other: tuple[Any, ...], turn: Turn) -> Turn | None:
    return in_its_place(s, turn, other)


@says("Turn", "-instead -of Piece", "instead of by region")
def not_any_more(s: Schema, gone: Turn) -> Turn:
    return replace(gone, denied=True)


def without_replaced(phrase: Phrase) -> Phrase:
    """A turn without what it names only to put something else in its place."""
    if phrase.category != "Turn":
        return phrase
    kept = tuple(map(without_replaced, phrase.parts))
    if not _IN_ITS_PLACE.isdisjoint(phrase.priced[:1]):
        kept = phrase.parts[:1]
    elif _IN_PLACE_OF in phrase.priced[:1]:
        kept = phrase.parts[-1:]
    return replace(phrase, parts=kept)


# -- what narrows ------------------------------------------------------------------------------------------------


@says("Piece", "Mod", "in Pune")
def narrowing(s: Schema, mod: Mod) -> Turn:
    return Turn(mods=(mod,))


@says("Piece", "Cmp", "above 750")
def bounded(s: Schema, cmp: Cmp) -> Turn:
    return Turn(mods=(Mod((Amount(cmp),)),))


@says("Piece", "Sides", "women vs men")
def one_row_each(s: Schema, kind: Kind) -> Turn:
    return Turn(mods=(kind.mod,), sides=True)


# -- what is asked for -------------------------------------------------------------------------------------------


@says("Piece", "-Show? -:what? Figs -:have?", "total balance")
def figures(s: Schema, figs: tuple[Fig, ...]) -> Priced:
    return Priced(Turn(figs=figs), ("an amount that nobody aggregated",) if any(f.implied for f in figs) else ())


@says("Piece", ":aggregate -:weak|:amount?", "the average")
def taken_otherwise(s: Schema, aggregate: str) -> Turn:
    return Turn(aggregates=(aggregate,))


@says("Piece", "-By? -:weak", "the number")
def counted(s: Schema) -> Turn:
    return Turn(aggregates=("count",))


@says("Piece", "-By? -:amount -:what?|:have?", "how much")
@says("Piece", "-:amount? -:have? -In|By money", "in money")
def added_up(s: Schema) -> Turn:
    return Turn(aggregates=("sum",))


@says("Piece", "Rows", "loans")
@says("Piece", "Anybody", "who")
def rows(s: Schema, rows: Rows) -> Turn:
    return Turn(rows=(rows,))


@says("Piece", "-Their? Cols", "opening date")
@says("Piece", "-Their? ColT", "branch")
def columns(s: Schema, cols: tuple[FieldRef, ...]) -> Priced:
    return Priced(Turn(fields=cols), ("a group of other columns",))


@says("Piece", "-with -Their? Cols", "with the branch name")
def columns_beside(s: Schema, cols: tuple[FieldRef, ...]) -> Turn:
    return Turn(fields=cols, beside=True)


@says("Piece", "-with -Their? Thing", "with the branch")
def things_beside(s: Schema, thing: Thing) -> Turn | None:
    if singular(thing.said) != thing.said:
        return None  # "with accounts" are those that have some
    return Turn(rows=(Rows(thing.dataset, thing.via),), beside=True)


@says("Piece", "-:what Group -then", "which branch then")
def another_group(s: Schema, group: Group) -> Turn:
    return Turn(groups=(group,))


@says("Piece", "-with|Has? -:aggregate=count Rows -:each -:have?", "with how many accounts each has")
@says("Piece", "-with|Has? Fig -In? -:each -:have?", "with the average balance of each")
@says("Piece", "-with -Their? Fig", "with their average balance")
def figure_of_each(s: Schema, said: Rows | Fig) -> Turn | None:
    fig = s.count(said) if isinstance(said, Rows) else said
    return Turn(figs=(fig,), each=True) if not fig.rows.bounds and not fig.implied else None


@says(
    "Piece",
    "-Their? Cols|Thing Rows? -:stop? -And? -with? -:aggregate=count -In? -:each",
    "cities, with the number of each",
)
def counted_each(s: Schema, named: tuple[FieldRef, ...] | Thing, rows: Rows | None = None) -> Turn:
    groups = (Group(thing=named.dataset),) if isinstance(named, Thing) else tuple(Group(field=ref) for ref in named)
    return Turn(groups=groups, aggregates=("count",), rows=(rows,) if rows else ())


@says("Piece", "Show -:weak?", "show")
@says("Piece", "-:what -:have?", "which")
def asked_for(s: Schema, show: object = None) -> Turn:
    return Turn(lists=show is not None, asks_what=show is None)


@says("Piece", "-:not -By? Figs|Cols|ColT|Groups|N", "exclude the branch")
def taken_off(s: Schema, named: tuple[Fig | FieldRef | Group, ...] | Rows) -> Turn | None:
    if isinstance(named, Rows):
        return Turn(groups=(Group(thing=named.dataset, via=named.via),), denied=True) if not named.narrowed else None
    return replace(_named(named), denied=True)


def _named(named: tuple[Any, ...]) -> Turn:
    if isinstance(named[0], Fig):
        return Turn(figs=named)
    return Turn(groups=named) if isinstance(named[0], Group) else Turn(fields=named)


@says("Piece", "-:not Mod", "exclude those who have a loan")
def left_out(s: Schema, mod: Mod) -> Turn | None:
    said = deny(Mod(tuple(part for part in mod.parts if not isinstance(part, Who))))
    return Turn(mods=(said,)) if said else None


# -- its shape ---------------------------------------------------------------------------------------------------


@says("Piece", "-By -:each|:distinct? Groups", "by branch")
@says("Piece", "-:each Groups -:have?", "each branch")
@says("Piece", "-:wise? Groups -:wise", "branch wise")
def grouped(s: Schema, groups: tuple[Group, ...]) -> Turn:
    return Turn(groups=groups)


@says("Piece", "Adverb", "monthly")
@says("Piece", "-as|in|into|to Step", "as quarters")
def in_steps(s: Schema, step: Step) -> Turn:
    return Turn(groups=(Group(step=step.grain),))


@says("Piece", "-In? -:share -Whole? -:each?", "in percent of the total")
@says("Piece", "-:each -one? -:share -Whole?", "each one's share")
@says("Piece", "-:what -:share -Whole? -is|are|:have? -:each? -:have?", "what percentage of the total is each")
def as_share_of_all(s: Schema) -> Turn:
    return Turn(share=True)


@says("Piece", "-:what? -:share -of? Rows -:have|is|are? -that|this?", "what share of all customers is that")
def as_share(s: Schema, *_: Rows) -> Turn:
    return Turn(share=True)


@says("Piece", ":change", "growth")
def as_change(s: Schema, kind: str) -> Turn:
    return Turn(transforms=(kind.split(maxsplit=1)[0],))


@says("Piece", "-:running", "running total")
def running(s: Schema) -> Turn:
    return Turn(transforms=("running_total",))


@says("Piece", ":versus|:against", "vs the month before")
def held_against(s: Schema, kind: str | None) -> Turn:
    """With what, where the word itself says it; else the days beside it do."""
    return Turn(versus=(kind,)) if kind in {"previous_period", "same_period_last_year"} else Turn()
