"""Rules for how many are shown, and from which place: "top 5", "the 3 largest", "the second"."""

from __future__ import annotations

from ai_engine.built_in.knowledge import ref
from ai_engine.built_in.meanings import (
    Attribute,
    Cue,
    Number,
    Stored,
    Thing,
)
from ai_engine.built_in.rules.amounts import add_number, is_counted
from ai_engine.built_in.rules.counting import count_related, counts_ranked_things, described_thing
from ai_engine.built_in.sketch import Superlative, Walk
from ai_engine.semantics.intent import (
    Condition,
    Grain,
)

STEPS_OF: dict[str | None, Grain] = {"days": "day", "weeks": "week", "months": "month", "years": "year"}


def ordinal(walk: Walk) -> None:
    """ "the second highest": one row, after those before it."""
    cue, best = walk.peek(), walk.peek(1)
    assert isinstance(cue, Cue)  # noqa: S101 - dispatched by type
    if not (isinstance(best, Cue) and best.kind == "superlative"):
        walk.leave_over()
        return
    place = int(str(cue.value))
    walk.superlative = Superlative(best.value, 1, walk.text(2), skip=place - 1)  # type: ignore[arg-type]
    walk.take(2, f"place {place} of the ranking")


def limit(walk: Walk) -> None:
    """ "top 5": how many, and from which end; what ranks them comes later."""
    cue, number = walk.peek(), walk.peek(1)
    assert isinstance(cue, Cue)  # noqa: S101 - dispatched by type
    counted = isinstance(number, Number) and number.unit is None
    walk.sketch.limit = int(number.value) if counted and isinstance(number, Number) else 10
    if not counted:
        walk.assume("“top” without a number shows 10.")
    walk.sketch.limit_descending = cue.value == "high"
    if walk.sketch.measures and len(walk.sketch.groups) == 1 and walk.peek(1 + counted) is None:
        walk.sketch.each_groups.clear()  # "accounts per customer, top ten": of the customers
    walk.take(1 + counted, "how many to show")


def _is_numbered(walk: Walk) -> bool:
    """ "loan number 17"."""
    return walk.is_cue(-1, "weak") and walk.items[walk.position - 1].text.lower() == "number"


def _has_just_so_much(walk: Walk, number: Number) -> bool:
    """ "accounts with zero balance", "zero balance accounts": a figure right behind its number."""
    figure = walk.peek(1)
    said = walk.having or number.value == 0
    if not said or number.unit is not None or not isinstance(figure, Attribute) or walk.pending is not None:
        return False
    if walk.knowledge.field(figure).role != "measure" or is_counted(walk, figure, number, 1):
        return False
    add_number(walk, ref(figure), "!=" if walk.use_negation() else "=", number, taken=2)
    walk.having = False
    return True


def _counts_the_rows_to_show(walk: Walk, number: Number) -> bool:
    """ "show 500", "list 120 customers": so many rows, in whatever order they come."""
    whole = number.unit is None and number.value >= 1 and number.value == int(number.value)
    after = walk.peek(1)
    behind = walk.items[walk.position + 2 :]
    of_things = isinstance(after, Stored) and any(isinstance(item.meaning, Thing) for item in behind)
    return whole and walk.is_cue(-1, "list") and (after is None or isinstance(after, Thing) or of_things)


def bare_number(walk: Walk) -> None:
    """ "the 5 largest", "first 3": a count before a superlative; any other bare number has no meaning here."""
    number = walk.peek()
    assert isinstance(number, Number)  # noqa: S101 - dispatched by type
    if number.unit in STEPS_OF and walk.is_cue(1, "rolling"):
        walk.sketch.window = int(number.value)
        walk.sketch.step = STEPS_OF[number.unit]
        walk.take(1, "window")
        return
    if isinstance(walk.peek(1), Attribute) and walk.is_cue(2, "bands"):
        walk.band_width = number
        walk.take(1, "width of the bands")
        return
    if number.unit is None and walk.is_cue(1, "superlative"):
        cue = walk.peek(1)
        assert isinstance(cue, Cue)  # noqa: S101 - is_cue says so
        walk.superlative = Superlative(cue.value, int(number.value), walk.text(2))  # type: ignore[arg-type]
        walk.take(2, "ranking")
        return
    related = described_thing(walk, 1)
    if related is not None and walk.having and number.unit is None:
        count_related(walk, "=", number, related, taken=2 if related is walk.peek(1) else 1)
        return
    if _has_just_so_much(walk, number):
        return
    if number.unit is None and counts_ranked_things(walk, 0):
        walk.sketch.limit = int(number.value)
        walk.take(1, "how many to show")
        return
    if _counts_the_rows_to_show(walk, number):
        walk.sketch.limit = int(number.value)
        walk.take(1, "how many to show")
        return
    last = walk.peek(-2 if _is_numbered(walk) else -1)
    key = walk.knowledge.numbered_by(last.dataset, number.value) if isinstance(last, Thing) else None
    beside = not walk.items[walk.position].apart  # "transactions in 2025" names no key
    if key is not None and number.unit is None and beside:
        walk.add_filter(Condition(field=key, operator="=", values=(walk.knowledge.typed(key, number),)))
        walk.take(1, f"{walk.knowledge.field(key).label} is {number.value}")
        return
    walk.leave_over()
