"""Rules for what a figure is divided by rather than grouped: "cards per customer", "average balance per account"."""

from __future__ import annotations

from dataclasses import replace

from ai_engine.built_in.knowledge import Knowledge, ref
from ai_engine.built_in.meanings import Attribute, Figure, Stored, Thing
from ai_engine.built_in.sketch import GroupTarget, Walk
from ai_engine.semantics.intent import Condition, FieldRef, Measure


def averages_own_rows(walk: Walk, target: GroupTarget) -> bool:
    """ "average balance per account" is the average balance."""
    last = walk.sketch.measures[-1] if walk.sketch.measures else None
    plain = walk.knowledge.plain_figure(last) if last is not None else None
    if last is None or plain is None or plain[0] != "avg" or last.denominator is not None:
        return False
    return isinstance(target, Thing) and walk.knowledge.base(last) == target.dataset


def narrow_to_those_divided_by(walk: Walk, ahead: int) -> None:
    """ "average number of contacts per defaulted loan": both numbers are of the defaulted ones."""
    place = walk.position + ahead
    value, rows = walk.peek(ahead), walk.peek(ahead + 1)
    if not walk.sketch.per_each or not isinstance(value, Stored) or rows != Thing(value.dataset):
        return
    kind = FieldRef(dataset=value.dataset, field=value.field, via=value.via)
    walk.sketch.filters.append(Condition(field=kind, operator="=", values=(value.value,)))
    walk.sketch.meanings.append((walk.items[place].text, f"{walk.knowledge.field(kind).label} is {value.value!s}"))
    walk.items = (*walk.items[:place], *walk.items[place + 1 :])


def is_denominator(walk: Walk, targets: list[GroupTarget]) -> bool:
    """ "average number of accounts per customer", "weighted by outstanding": what to divide or weigh by."""
    sketch = walk.sketch
    target = targets[0]
    if sketch.weighted and isinstance(target, Attribute) and sketch.measures:
        sketch.weighted = False
        sketch.measures[-1] = sketch.measures[-1].model_copy(update={"weight": ref(target)})
        return True
    if sketch.per_each and isinstance(target, Thing) and sketch.measures:
        sketch.per_each = False
        counted = Measure(aggregate="count", dataset=target.dataset)
        sketch.measures[-1] = sketch.measures[-1].model_copy(update={"denominator": counted})
        return True
    return False


def is_per(walk: Walk, by: str) -> bool:
    """ "cards per customer by segment": what stands behind "per" is divided by where another word groups.

    So it is where something else is ranked: "which city has the lowest deposits per customer".
    """
    if by != "per":
        return False
    if walk.sketch.limit_descending is not None:
        return _ranks(walk)  # not "top 3 customers per branch by loan amount"
    elsewhere = walk.is_cue(2, "group", "each") and walk.items[walk.position + 2].text.lower() != "per"
    return elsewhere or _ranks(walk) or (walk.is_cue(-2, "group") and isinstance(walk.peek(-1), Figure))


def _ranks(walk: Walk) -> bool:
    """Something is ranked by the figure just said, and what follows "per" is neither that nor what it belongs to."""
    sketch, target = walk.sketch, walk.peek(1)
    ranked = sketch.orders[-1].measure if sketch.orders else None
    if ranked is None or not isinstance(target, Thing) or not isinstance(walk.peek(-1), Attribute | Figure | Thing):
        return False
    counted = {walk.knowledge.base(ranked)} if isinstance(walk.peek(-1), Thing) else set()
    named = {item.dataset for item in (*sketch.things, *sketch.groups) if isinstance(item, Thing)} - counted
    return all(name != target.dataset and not walk.knowledge.is_parent(name, target.dataset) for name in named)


def is_each_of(walk: Walk, targets: list[GroupTarget]) -> bool:
    """Divide the last figure by the number of a thing; an average over its own rows is that already."""
    sketch, thing = walk.sketch, targets[0]
    if not isinstance(thing, Thing):
        return False
    ranked = sketch.orders[-1].measure if sketch.orders else None
    last = sketch.measures[-1] if sketch.measures else ranked or _said_before(walk)
    divided = _divided(last, thing, walk.knowledge) if last is not None else None
    if divided is None:
        return False
    if sketch.measures:
        sketch.measures[-1] = divided
    elif last != ranked:
        sketch.measures.append(divided)
    if ranked == last:
        sketch.orders[-1] = replace(sketch.orders[-1], measure=divided)
    return True


def _said_before(walk: Walk) -> Measure | None:
    """The figure or the things that stand before "per" and are no figure yet."""
    sketch, before = walk.sketch, walk.peek(-1)
    if isinstance(before, Attribute) and before in sketch.attributes:
        aggregate = walk.knowledge.field(before).default_aggregate
        if aggregate is None or walk.pending is not None:
            return None
        sketch.attributes.remove(before)
        return Measure(aggregate=aggregate, field=ref(before))
    is_amount = walk.pending is not None and "sum" in walk.pending.aggregates
    return Measure(aggregate="count", dataset=sketch.things[-1].dataset) if sketch.things and not is_amount else None


def _divided(measure: Measure, thing: Thing, knows: Knowledge) -> Measure | None:
    """A figure over the number of a thing; None where that is no average of it."""
    plain, base = knows.plain_figure(measure), knows.base(measure)
    averaged = plain is not None and plain[0] == "avg"
    if averaged and base == thing.dataset:
        return measure
    if base is None or measure.denominator is not None or not (averaged or knows.adds_up(measure)):
        return None
    if base != thing.dataset and not knows.is_parent(base, thing.dataset):
        return None
    if base == thing.dataset and plain is None:
        return None
    if averaged and plain is not None:
        measure = measure.model_copy(update={"metric": None, "aggregate": "sum", "field": plain[1]})
    return measure.model_copy(update={"denominator": Measure(aggregate="count", dataset=thing.dataset)})
