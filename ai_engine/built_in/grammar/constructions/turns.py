"""Parts of a turn that leans on the question before: any phrase may stand alone."""

from __future__ import annotations

from dataclasses import replace

from ai_engine.built_in.grammar.chart import Phrase
from ai_engine.built_in.grammar.construction import Constructions
from ai_engine.built_in.grammar.phrases import Amount, Best, Cmp, Fig, Group, Kind, Mod, Rows
from ai_engine.built_in.grammar.reasons import Priced
from ai_engine.built_in.grammar.schema import Schema
from ai_engine.built_in.grammar.turn import Turn, Wish, joined
from ai_engine.built_in.meanings import Number, Step, Thing
from ai_engine.semantics.intent import FieldRef

says = Constructions()
_MAY_BE_A_YEAR = 1900
_IN_ITS_PLACE = "Turn ← Piece -instead -of Piece|Num"


@says("Turn", "Pieces", "only in Pune")
@says("Pieces", "Piece", "only in Pune")
def part(s: Schema, turn: Turn) -> Turn:
    return turn


@says("Pieces", "Pieces Piece", "average balance by month")
def parts(s: Schema, first: Turn, second: Turn) -> Turn | None:
    return joined(first, second)


@says("Pieces", "Pieces -And Piece", "average balance and by month")
def and_parts(s: Schema, first: Turn, second: Turn) -> Turn | None:
    return joined(first, second) if not second.bare else None  # "priority 1 and 2" are no 2 rows


@says("Piece", "-:only Piece", "only dormant ones")
@says("Piece", "Piece -:only", "top 2 only")
def and_no_others(s: Schema, turn: Turn) -> Turn:
    return turn


@says("Turn", "Piece -instead -of Piece|Num", "by branch instead of by region")
def in_its_place(s: Schema, turn: Turn, _: object) -> Turn:
    return turn


def without_replaced(phrase: Phrase) -> Phrase:
    """A turn without what it names only to put something else in its place."""
    if phrase.category != "Turn":
        return phrase
    kept = phrase.parts[:1] if phrase.priced[:1] == (_IN_ITS_PLACE,) else tuple(map(without_replaced, phrase.parts))
    return replace(phrase, parts=kept)


# -- what narrows ------------------------------------------------------------------------------------------------


@says("Piece", "Mod", "in Pune")
def narrowing(s: Schema, mod: Mod) -> Turn:
    return Turn(mods=(mod,))


@says("Piece", "Cmp", "above 750")
def bounded(s: Schema, cmp: Cmp) -> Turn:
    return Turn(mods=(Mod((Amount(cmp),)),))


@says("Piece", "Vals -:against|:versus Vals", "women vs men")
def one_row_each(s: Schema, first: Kind, second: Kind) -> Turn | None:
    one, other = first.condition, second.condition
    if one.field != other.field or {one.operator, other.operator} - {"=", "in"}:
        return None
    both = one.model_copy(update={"operator": "in", "values": (*one.values, *other.values)})
    return Turn(mods=(Kind(first.dataset, both).mod,), sides=True)


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


@says("Piece", "-:not Figs|Cols|ColT|Groups|N", "exclude the branch")
def taken_off(s: Schema, named: object) -> Turn | None:
    if isinstance(named, Rows):
        return Turn(groups=(Group(thing=named.dataset, via=named.via),), denied=True) if not named.narrowed else None
    assert isinstance(named, tuple)  # noqa: S101 - the pattern says so
    if isinstance(named[0], Fig):
        return Turn(figs=named, denied=True)
    return Turn(groups=named, denied=True) if isinstance(named[0], Group) else Turn(fields=named, denied=True)


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


# -- its order ---------------------------------------------------------------------------------------------------


@says("Piece", ":ordinal -one?", "the third")
def one_of_them(s: Schema, place: str) -> Turn:
    return Turn(best=(Best(descending=True, kind="place", limit=1, skip=int(place) - 1),), shown=True)


@says("Piece", "-of|for|in? -first -one?", "the first")
def first_one(s: Schema, *_: object) -> Turn:
    return one_of_them(s, "1")


@says("Piece", "-of|for|in? -first Num -one? -in|from|at|of|with?", "the first 3")
def first_few_shown(s: Schema, number: Number) -> Turn | None:
    turn = so_many(s, number)
    return turn and replace(turn, shown=True)


@says("Piece", "Num", "5")
def fewer_of_them(s: Schema, number: Number) -> Turn | None:
    """ "make it five": of those that are shown."""
    turn = so_many(s, number) if number.value < _MAY_BE_A_YEAR else None
    return turn and replace(turn, bare=True)


@says("Piece", "-Show? -:what? Ends|End|Scale", "top 5")
def first_of_them(s: Schema, best: Best) -> Turn:
    return Turn(best=(best,))


@says("Piece", "-Show? -:what? Group -That? -Has? End|Scale", "which branch has the most")
def first_group(s: Schema, group: Group, best: Best) -> Turn:
    return Turn(groups=(group,), best=(best,))


@says("Piece", "-:what Num Group -Has? End|Scale", "which 2 branches have the most")
@says("Piece", "Ends Group", "top 3 branches")
def first_groups(s: Schema, one: Number | Best, two: Group | Best, three: Best | None = None) -> Turn | None:
    if isinstance(one, Best):
        return Turn(groups=(two,), best=(one,)) if isinstance(two, Group) else None
    if three is None or not isinstance(two, Group) or one.unit is not None:
        return None
    limited = Best(three.descending, three.fig, three.field, three.kind, int(one.value))
    return Turn(groups=(two,), best=(limited,))


@says("Turn", "Show Num", "show 7")
@says("Piece", "-Show? Num N", "7 customers")
@says("Turn", "Num -instead -of Num", "ten instead of five")
def so_many(s: Schema, *given: object) -> Turn | None:
    number = next(item for item in given if isinstance(item, Number))
    rows = given[-1] if isinstance(given[-1], Rows) else None
    if number.unit is not None or number.value != int(number.value) or number.value <= 0:
        return None
    return Turn(limit=(int(number.value),), rows=(rows,) if rows else ())


@says("Piece", "-Show? Num more", "10 more")
def so_many_more(s: Schema, number: Number) -> Turn | None:
    turn = so_many(s, number)
    return turn and replace(turn, more=True)


@says("Piece", "-:order -By? Fig :direction|:by_size?", "sorted by deposits descending")
def in_order_of_figure(s: Schema, fig: Fig, descending: bool | None = None) -> Turn:
    return Turn(wishes=(Wish(descending, fig=fig),))


@says("Piece", "-:order -By? Amt|Date|Field|Flag|Thing :direction|:by_size|:in_time?", "sorted by opening date")
def in_order_of_field(s: Schema, place: FieldRef | Thing, descending: bool | None = None) -> Turn:
    if isinstance(place, Thing):
        return Turn(wishes=(Wish(descending, thing=place.dataset),))
    return Turn(wishes=(Wish(descending, field=place),))


@says("Piece", "-:order? -By? :direction|:by_size|:by_count", "in descending order")
def turned(s: Schema, descending: bool) -> Turn:
    return Turn(wishes=(Wish(descending),))


@says("Piece", "-:order? -By? :in_time", "newest first")
def turned_in_time(s: Schema, descending: bool) -> Turn:
    return Turn(wishes=(Wish(descending, in_time=True),))
