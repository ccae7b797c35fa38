"""Those that an answer showed, the first few of a ranking or the groups above a bound: nothing else chooses them."""

from __future__ import annotations

from ai_engine.built_in.follow_up.step import Merge
from ai_engine.semantics.intent import Dimension


def points_to_chosen(step: Merge) -> bool:
    """ "their NPA ratio" after "top 5 branches by deposits": those five, and not the five with the highest ratio."""
    before = step.before
    return step.said.has("pronoun") and (before.limit is not None or bool(before.having))


def keep_groups(step: Merge, base: str) -> None:
    """One more figure of those shown, where its rows belong to them."""
    for dimension in step.intent.dimensions:
        place = dimension.field
        if place.via or not (place.dataset == base or step.knowledge.is_parent(base, place.dataset)):
            step.left.append(f"{step.knowledge.dataset(base).label} by {step.knowledge.field(place).label}")


def keep_those_shown(step: Merge) -> None:
    """ "which of them are in Pune" after a top 5 would choose five others, and is not understood."""
    before, now = step.before, step.intent
    if not points_to_chosen(step):
        return
    same = (before.filters, before.period, before.having) == (now.filters, now.period, now.having)
    fewer = before.limit is None or (now.limit is not None and now.limit <= before.limit and now.order == before.order)
    grouped = before.limit_within == now.limit_within and bool(before.dimensions) == bool(now.dimensions)
    if not (same and fewer and grouped and all(_tells_of_shown(step, item) for item in now.dimensions)):
        step.left.append("those that were shown")


def _tells_of_shown(step: Merge, new: Dimension) -> bool:
    """Whether each of those shown has one of it: a branch its city, but no branch one customer."""
    knows, shown = step.knowledge, [item.field for item in step.before.dimensions]
    if new.field in shown:
        return True
    keyed = {place.dataset for place in shown if place == knows.key(place.dataset)}
    return any(owner == new.field.dataset or knows.is_parent(owner, new.field.dataset) for owner in keyed)
