"""The first rows of each group: "the largest loan in each branch with its number", "each account's last 3 payments"."""

from __future__ import annotations

from ai_engine.built_in.finishing.asked_lists import asked_list
from ai_engine.built_in.finishing.groups_of_figures import fields_of_groups
from ai_engine.built_in.finishing.ranked_by import ranking_figure
from ai_engine.built_in.knowledge import Knowledge, ref
from ai_engine.built_in.meanings import Attribute, Thing
from ai_engine.built_in.sketch import OrderWish, Sketch, Walk
from ai_engine.semantics.intent import Condition, FieldRef, Intent, Measure


def first_rows_of_each(walk: Walk) -> Intent | None:
    """Return the list of the rows that rank first in each group; None where no rows are asked for.

    Where those who have the rows are asked for ("the customer with the highest balance"), they are ranked by a figure
    of theirs instead, which is put into the sketch.
    """
    sketch, knows = walk.sketch, walk.knowledge
    wish, within = _ranking(sketch), sketch.within or sketch.each_groups
    if wish is None or wish.field is None or not within:
        return None
    rows = wish.field.dataset
    named = [item for item in dict.fromkeys(sketch.attributes) if ref(item) != wish.field and item not in within]
    near = (*(item.dataset for item in named), *(group.dataset for group in within))
    if not all(name == rows or knows.is_parent(rows, name) for name in near):
        return None
    if not _are_rows_asked(walk, wish, named):
        _rank_who_has_them(sketch, knows, wish, named, rows)
        return None
    shown = [ref(item) for item in named] or list(_fields_of_rows(rows, knows))
    groups = fields_of_groups(within, knows)
    sketch.rows_listed = rows
    if knows.field(wish.field).role == "time" and knows.dataset(rows).default_time != wish.field.field:
        sketch.filters.append(
            Condition(field=wish.field, operator="is not null")
        )  # a group of unknown days has no first
    intent = asked_list(sketch, knows, list(dict.fromkeys([*groups, *shown, wish.field])))
    return intent.model_copy(update={"limit_within": groups}) if intent is not None else None


def extreme_of_each_step(sketch: Sketch) -> None:
    """ "the largest payment in each month" is a figure of every month, and no ranking of the months."""
    if not (sketch.each_step and sketch.limit is not None and sketch.orders):
        return
    wish = sketch.orders[0] if len(sketch.orders) == 1 else None
    alone = not (sketch.measures or sketch.each_groups or sketch.attributes)
    if wish is None or wish.field is None or sketch.limit != 1 or sketch.skip or sketch.things[1:] or not alone:
        return
    if any(thing.dataset != wish.field.dataset for thing in sketch.things):
        return  # "the customer with the largest payment in each month"
    sketch.measures.append(Measure(aggregate="max" if wish.descending else "min", field=wish.field))
    sketch.orders, sketch.limit, sketch.limit_descending = [], None, None


def _ranking(sketch: Sketch) -> OrderWish | None:
    """The one field that ranks, where nothing else is computed."""
    if len(sketch.orders) != 1 or sketch.limit is None or sketch.measures or sketch.havings:
        return None
    inside = sketch.within or sketch.each_groups
    return sketch.orders[0] if all(group in inside for group in sketch.groups) else None


def _are_rows_asked(walk: Walk, wish: OrderWish, named: list[Attribute]) -> bool:
    """Whether it is rows that are to be shown, and not only how high or how old the first of them is."""
    assert wish.field is not None  # noqa: S101 - the caller looked
    sketch, rows = walk.sketch, wish.field.dataset
    said = any(thing.dataset == rows for thing in sketch.things)
    if not said:
        return any(item.dataset == rows for item in named)
    by_date = walk.knowledge.field(wish.field).role == "time"
    # "the client with the highest income", where "the largest loan of each" may be just its amount
    by_name = any(isinstance(item.meaning, Attribute) and ref(item.meaning) == wish.field for item in walk.items)
    return bool(named) or sketch.limit != 1 or sketch.skip > 0 or sketch.asks_what or by_date or by_name


def _rank_who_has_them(sketch: Sketch, knows: Knowledge, wish: OrderWish, named: list[Attribute], rows: str) -> None:
    """ "for each branch, the name of the customer with the highest balance": who is ranked by a total of theirs."""
    if sketch.things or not named or any(item.dataset == rows for item in named):
        return
    figure = ranking_figure(wish, knows)
    sketch.orders = [OrderWish(measure=figure, descending=wish.descending)]
    sketch.measures.append(figure)


def _fields_of_rows(rows: str, knows: Knowledge) -> tuple[FieldRef, ...]:
    """What a row is called by; all that shows it where it has no name."""
    called = knows.entity_fields(Thing(rows))
    named = any(knows.field(item).role == "name" for item in called)
    return called if named else knows.list_fields(rows)


def each_left_out(sketch: Sketch, intent: Intent, knows: Knowledge) -> list[str]:
    """Name the groups in each of which something was to be the first, and that the question lost on its way."""
    if sketch.limit is None or not (sketch.orders or intent.order) or intent.over_groups is not None:
        return []
    kept = {(field.dataset, field.field) for field in intent.limit_within}
    kept |= {(item.field.dataset, item.field.field) for item in intent.dimensions}
    groups = [group for group in (*sketch.within, *sketch.each_groups) if not _is_kept(group, kept, knows)]
    ranked = {item.field for item in intent.dimensions} - set(intent.limit_within)
    if intent.limit_within and intent.dimensions and not ranked:
        return ["a ranking: of what"]
    steps = sketch.each_step and intent.limit is not None and not any(item.grain for item in intent.limit_within)
    return [f"each {_label(group, knows)}" for group in dict.fromkeys(groups)] + ["each of them, over time"] * steps


def _is_kept(group: Attribute | Thing, kept: set[tuple[str, str]], knows: Knowledge) -> bool:
    if isinstance(group, Thing) and any(dataset == group.dataset for dataset, _ in kept):
        return True  # "each type of transaction"
    fields = fields_of_groups([group], knows)
    return any((field.dataset, field.field) in kept for field in fields)


def _label(group: Attribute | Thing, knows: Knowledge) -> str:
    return knows.dataset(group.dataset).label if isinstance(group, Thing) else knows.field(group).label
