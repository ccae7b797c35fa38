"""Rules for "value" and "size" behind their noun: "average deposit size", "loan value by branch"."""

from __future__ import annotations

from ai_engine.built_in.meanings import Attribute, Cue, Days, Step, Stored, Thing
from ai_engine.built_in.sketch import Walk
from ai_engine.semantics.intent import Measure


def is_of_what_was_added_up(walk: Walk) -> bool:
    """ "average deposit value": the value is what was averaged, and bounds no groups further on."""
    noun, said = walk.peek(-1), walk.sketch.measures[-1:]
    if walk.pending is not None or not isinstance(noun, Thing) or not said or walk.items[walk.position].apart:
        return False
    return said[0].field is not None and walk.knowledge.base(said[0]) == noun.dataset


def adds_up_what_was_named(walk: Walk) -> bool:
    """ "loan value by branch": they are added up rather than counted; a size alone may be an average."""
    noun, sketch = walk.peek(-1), walk.sketch
    alone = isinstance(noun, Thing) and sketch.things == [noun] and not (sketch.measures or sketch.attributes)
    waits = walk.pending or walk.superlative or sketch.orders or sketch.groups or walk.having
    grouped = walk.is_cue(1, "group", "wise", "each") or isinstance(walk.peek(1), Step | Days)
    if not alone or waits or not grouped or walk.items[walk.position].apart or not isinstance(noun, Thing):
        return False
    amount = walk.knowledge.main_measure(noun.dataset, money_only=True)
    if amount is None or walk.text().lower() == "size":
        walk.leave_over()
        return True
    walk.assume(f"“{walk.items[walk.position - 1].text} {walk.text()}” is the {walk.knowledge.field(amount).label}.")
    sketch.measures.append(Measure(aggregate="sum", field=amount))
    walk.take(1, walk.knowledge.field(amount).label)
    return True


def total_of_things(walk: Walk, ahead: int, *, sized: bool = False) -> tuple[Measure, int] | None:
    """ "customers by loan value", "by value of gold loans": their main amount added up, and where its words end."""
    said, following = walk.peek(ahead), walk.peek(ahead + 1)
    if isinstance(said, Thing) and _is_value(walk, ahead + 1, sized):
        noun, end = said, ahead + 2
    elif _is_value(walk, ahead, sized) and (described := described_rows(walk, ahead + 1)) is not None:
        noun, end = described, ahead + 1 + (described == following)
    else:
        return None
    amount = walk.knowledge.main_measure(noun.dataset, money_only=True)
    return (Measure(aggregate="sum", field=amount), end) if amount is not None else None


def _is_value(walk: Walk, ahead: int, sized: bool) -> bool:
    said = walk.peek(ahead)
    amount = isinstance(said, Cue) and said.kind == "amount"
    return amount and (sized or not walk.items[walk.position + ahead].text.lower().startswith("size"))


def described_rows(walk: Walk, ahead: int) -> Thing | None:
    """ "by number of active gold loans": what is said of them is read behind."""
    while walk.is_cue(ahead, "not") or isinstance(walk.peek(ahead), Stored | Attribute):
        ahead += 1
    noun = walk.peek(ahead)
    return noun if isinstance(noun, Thing) and not walk.items[walk.position + ahead].apart else None
