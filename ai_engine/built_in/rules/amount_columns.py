"""Rules for an "amount" that is a column of rows rather than a sum: "account number, amount, maturity date"."""

from __future__ import annotations

from ai_engine.built_in.meanings import Attribute, Thing
from ai_engine.built_in.sketch import Walk
from ai_engine.semantics.intent import Condition, FieldRef


def lists_columns(walk: Walk) -> bool:
    """ "deposits maturing next month: account number, amount, maturity date": the amount of each is a column."""
    sketch = walk.sketch
    between = walk.is_cue(-1, "stop", "and") and (walk.is_cue(1, "stop", "and") or walk.peek(1) is None)
    if not between or sketch.measures or sketch.groups or any(wish.measure for wish in sketch.orders):
        return False
    opens = walk.items[walk.position - 1].text == ":" and isinstance(walk.peek(2), Attribute)
    if not (sketch.attributes or sketch.beside or opens):
        return False
    own = sketch.attributes[0].dataset if sketch.attributes else _rows_in_question(walk)
    below = [thing.dataset for thing in sketch.things if walk.knowledge.is_parent(thing.dataset, own)]
    amount = walk.knowledge.main_measure(below[0] if below else own, money_only=True) if own else None
    if amount is None:
        return False
    _show_amount(walk, amount)
    return True


def is_column_of_one_row(walk: Walk) -> bool:
    """ "date and amount of the largest payment": of that one, as is its date, and no sum by date."""
    ahead = 1
    while walk.is_cue(ahead, "and", "stop") or isinstance(walk.peek(ahead), Attribute):
        ahead += 1
    row = walk.peek(ahead + 1)
    beside = ahead > 1 or (walk.is_cue(-1, "and", "stop") and bool(walk.sketch.attributes))
    if not (beside and walk.is_cue(ahead, "superlative") and isinstance(row, Thing)):
        return False
    amount = walk.knowledge.main_measure(row.dataset, money_only=True)
    if amount is not None:
        _show_amount(walk, amount)
    return amount is not None


def _show_amount(walk: Walk, amount: FieldRef) -> None:
    walk.assume(f"The amount is the {walk.knowledge.field(amount).label}.")
    walk.sketch.attributes.append(Attribute(amount.dataset, amount.field))
    walk.take(1, walk.knowledge.field(amount).label)


def _rows_in_question(walk: Walk) -> str:
    valued = [item.field.dataset for item in walk.sketch.filters if isinstance(item, Condition)]
    return walk.subject or next(iter(valued), "")
