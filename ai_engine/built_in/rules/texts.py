"""Comparisons with texts: "name starts with J or K", "with the letter a in their names"."""

from __future__ import annotations

from ai_engine.built_in.knowledge import ref
from ai_engine.built_in.meanings import Attribute, Number, Quote, Stored, Unknown
from ai_engine.built_in.rules.relations import have
from ai_engine.built_in.sketch import Walk
from ai_engine.semantics.intent import AnyOf, Condition, FieldRef

TEXT_OPERATORS = {"contains", "starts with", "ends with"}


def text_before_field(walk: Walk, operator: str) -> None:
    """ "with the letter a in their names"; without a text, "containing" is a verb like "with"."""
    text, named = walk.peek(1), walk.peek(2)
    if not isinstance(text, Quote) and operator == "contains":
        have(walk)
    elif not isinstance(text, Quote):
        walk.leave_over()
    elif isinstance(named, Attribute):
        walk.add_filter(Condition(field=ref(named), operator=operator, values=(text.text,)))
        walk.take(3, f"{walk.knowledge.field(named).label} {operator} {text.text}")
    elif (same := _last_text_field(walk)) is not None:
        walk.add_filter(Condition(field=same, operator=operator, values=(text.text,)))
        walk.take(2, f"{walk.knowledge.field(same).label} {operator} {text.text}")
    else:
        walk.leave_over(2)


def _last_text_field(walk: Walk) -> FieldRef | None:
    """ "name starts with J or ends with ez": the field of the condition before."""
    last = walk.sketch.filters[-1] if walk.sketch.filters and walk.is_cue(-1, "or", "and") else None
    return last.field if isinstance(last, Condition) and last.operator in TEXT_OPERATORS else None


def text_comparison(walk: Walk, place: FieldRef, operator: str, ahead: int) -> bool:
    """Read the texts after a text comparison at `ahead`; False where none follows."""
    texts: list[str] = []
    place_of_text = end = ahead + 1
    while True:
        item = walk.peek(place_of_text)
        text = item.text if isinstance(item, Quote) else str(item.value) if isinstance(item, Stored) else None
        if isinstance(item, Unknown):
            text = item.word
        if isinstance(item, Number):
            text = f"{item.value:f}"
        if text is None:
            break
        texts.append(text)
        end = place_of_text + 1
        place_of_text = walk.skip(end, "or", "stop")
        if place_of_text == end:
            break
    if not texts:
        return False
    conditions = tuple(Condition(field=place, operator=operator, values=(text,)) for text in texts)
    walk.add_filter(conditions[0] if len(conditions) == 1 else AnyOf(filters=conditions))
    walk.take(end, f"{operator} {' or '.join(texts)}")
    return True
