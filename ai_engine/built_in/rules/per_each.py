"""Rules for what a figure is divided by rather than grouped: "cards per customer", "average balance per account"."""

from __future__ import annotations

from ai_engine.built_in.knowledge import ref
from ai_engine.built_in.meanings import Attribute, Thing
from ai_engine.built_in.sketch import GroupTarget, Walk
from ai_engine.semantics.intent import Measure


def averages_own_rows(walk: Walk, target: GroupTarget) -> bool:
    """ "average balance per account" is the average balance."""
    last = walk.sketch.measures[-1] if walk.sketch.measures else None
    plain = walk.knowledge.plain_figure(last) if last is not None else None
    if last is None or plain is None or plain[0] != "avg" or last.denominator is not None:
        return False
    return isinstance(target, Thing) and walk.knowledge.base(last) == target.dataset


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
    """ "cards per customer by segment": what stands behind "per" is divided by where another word groups."""
    if walk.sketch.limit_descending is not None:
        return False  # "top 3 customers per branch by loan amount"
    return by == "per" and walk.is_cue(2, "group") and walk.items[walk.position + 2].text.lower() != "per"


def is_each_of(walk: Walk, targets: list[GroupTarget]) -> bool:
    """Divide the last figure by the number of a thing; an average over its own rows is that already."""
    sketch, thing = walk.sketch, targets[0]
    if not isinstance(thing, Thing) or not (sketch.measures or sketch.things):
        return False
    if not sketch.measures:
        sketch.measures.append(Measure(aggregate="count", dataset=sketch.things[-1].dataset))
    last = sketch.measures[-1]
    plain, base = walk.knowledge.plain_figure(last), walk.knowledge.base(last)
    averaged = plain is not None and plain[0] == "avg"
    if averaged and base == thing.dataset:
        return True
    if base is None or not walk.knowledge.is_parent(base, thing.dataset) or not (averaged or _adds_up(last)):
        return False
    if averaged and plain is not None:
        last = last.model_copy(update={"metric": None, "aggregate": "sum", "field": plain[1]})
    counted = Measure(aggregate="count", dataset=thing.dataset)
    sketch.measures[-1] = last.model_copy(update={"denominator": counted})
    return True


def _adds_up(measure: Measure) -> bool:
    return measure.metric is None and measure.aggregate in {"sum", "count"} and measure.denominator is None
