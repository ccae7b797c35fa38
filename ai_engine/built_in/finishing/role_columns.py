"""Who plays a role in a row, shown beside it: "handler and borrower of each loan", "sender, recipient and amount"."""

from __future__ import annotations

from ai_engine.built_in.knowledge import Knowledge
from ai_engine.built_in.meanings import Attribute, Thing
from ai_engine.built_in.sketch import Sketch, Walk


def show_roles(sketch: Sketch, knows: Knowledge) -> None:
    """List the rows in which the roles are played, where nothing else than they is asked of them."""
    rows = _rows_of_roles(sketch, knows)
    if rows is None or sketch.measures or sketch.orders or sketch.havings or sketch.transform or sketch.share:
        return
    sketch.beside += [thing for thing in sketch.things if thing != Thing(rows) and thing not in sketch.beside]
    sketch.things, sketch.groups, sketch.each_groups = [Thing(rows)], [], []
    sketch.asks_list = True
    if not sketch.attributes:
        sketch.attributes = [Attribute(item.dataset, item.field) for item in knows.naming_fields(Thing(rows))]


def show_how_much(walk: Walk) -> None:
    """ "show who paid, who was paid, and how much": the amount of each row."""
    sketch, pending = walk.sketch, walk.pending
    asked = pending is not None and pending.of_amount and pending.text.lower().startswith("how much")
    if not asked or not sketch.asks_list or not sketch.beside or sketch.measures or not sketch.things:
        return
    amount = walk.knowledge.main_measure(sketch.things[0].dataset, money_only=True)
    if amount is not None:
        walk.pending = None
        sketch.attributes.append(Attribute(amount.dataset, amount.field))


def _rows_of_roles(sketch: Sketch, knows: Knowledge) -> str | None:
    """The rows that are said beside nothing but roles in them."""
    played = [thing for thing in sketch.things if _rows_of(thing, knows) is not None]
    rows = {_rows_of(thing, knows) for thing in played}
    said = [item for item in (*sketch.things, *sketch.groups) if item not in played]
    found = next(iter(rows)) if len(rows) == 1 else None
    if found is None or not said or sketch.things[0] not in played or any(item != Thing(found) for item in said):
        return None
    return found if all(item.dataset == found for item in sketch.attributes) else None


def _rows_of(thing: Thing, knows: Knowledge) -> str | None:
    if len(thing.via) != 1:
        return None
    link = knows.model.relationship(thing.via[0])
    return link.from_dataset if link.to_dataset == thing.dataset else None
