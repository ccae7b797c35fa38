"""Parts of a turn that rank, sort or count off what the answer before shows."""

from __future__ import annotations

from dataclasses import replace

from ai_engine.built_in.grammar.construction import Constructions
from ai_engine.built_in.grammar.phrases import Best, Fig, Group, Rows
from ai_engine.built_in.grammar.schema import Schema
from ai_engine.built_in.grammar.turn import Turn, Wish
from ai_engine.built_in.meanings import Number, Thing
from ai_engine.semantics.intent import FieldRef

says = Constructions()
_MAY_BE_A_YEAR = 1900


# -- the first of them -------------------------------------------------------------------------------------------


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


@says("Piece", "-Show? -:what? -group|groups? Ends|End|Scale", "top 5")
@says("Piece", "-:what? Ends|End -group|groups|one", "the largest group")
def first_of_them(s: Schema, best: Best) -> Turn:
    return Turn(best=(best,))


@says("Piece", "-Show? Num -Has Scale|End", "the two with the most loans")
def so_many_of_them(s: Schema, number: Number, best: Best) -> Turn | None:
    turn = so_many(s, number)
    return turn and Turn(best=(replace(best, limit=turn.limit[0]),))


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


# -- its order ---------------------------------------------------------------------------------------------------


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


@says("Turn", "-:order -By?", "sort by")
def by_what_came_last(s: Schema) -> Turn:
    """ "sort by that"."""
    return Turn(wishes=(Wish(),))
