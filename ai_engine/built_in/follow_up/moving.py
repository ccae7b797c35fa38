"""What was said of some rows, said of the rows of another table that they belong to or that belong to them."""

from __future__ import annotations

from ai_engine.built_in.follow_up.figures import base_of_intent
from ai_engine.built_in.follow_up.filters import fields_of
from ai_engine.built_in.follow_up.step import REPLACED_BONUS, Merge, dimensions_of
from ai_engine.built_in.grammar.phrases import Group
from ai_engine.built_in.knowledge import Knowledge
from ai_engine.errors import AmbiguousPath
from ai_engine.semantics.intent import Condition, Dimension, FieldRef, Filter, Membership, Period
from ai_engine.semantics.join_paths import many_to_one_path

_NEAR = 2


def move(step: Merge, base: str) -> None:
    """Keep of filters, groups and period what can be said of rows of another table; say what was left out."""
    knows, intent = step.knowledge, step.intent
    owner = _owner(step, base)
    label = knows.dataset(base).label
    filters: list[Filter] = []
    for item in intent.filters:
        moved = moved_filter(item, base, knows, as_owner=step.said.has("pronoun"), before=owner)
        if moved is None and step.said.has("pronoun"):
            step.left.append("those of the question before")
        elif moved is None:
            step.notes.append(f"A condition of the question before does not apply to {label} rows and was left out.")
            step.cost += REPLACED_BONUS
        else:
            filters.append(moved)
    dimensions: list[Dimension] = []
    for dimension in intent.dimensions:
        place = dimension.field
        if place.grain is not None and knows.field(place).role == "time" and place.grain != "age_years":
            dimensions.extend(dimensions_of(step, [Group(step=place.grain)], intent.measures, None))
        elif place.dataset == base or knows.is_parent(base, place.dataset):
            dimensions.append(dimension.model_copy(update={"field": place.model_copy(update={"via": ()})}))
        else:
            step.notes.append(
                f"The grouping by {knows.field(place).label} does not apply to {label} rows and was left out."
            )
            step.cost += REPLACED_BONUS
    period = intent.period
    if period is not None and owner is not None and _dates(period, owner, base, knows):
        filters.extend(_dated(period, owner, knows))
        period = None
    elif period is not None and period.field is not None and period.field.dataset != base:
        period = period.model_copy(update={"field": None})
    if owner is not None and knows.is_parent(owner, base) and not _chosen_by(owner, filters):
        filters.append(Membership(dataset=owner))  # the customers of those accounts, and not all customers
    subject = intent.subject if intent.subject is None or applies(intent.subject, base, knows) else None
    if owner is not None and knows.is_parent(base, owner) and subject is None:
        subject = owner
    step.put(filters=tuple(filters), dimensions=tuple(dimensions), period=period, subject=subject)


def _chosen_by(owner: str, filters: list[Filter]) -> bool:
    """Whether what is asked about has such rows by one of its conditions."""
    members = {item.dataset for item in filters if isinstance(item, Membership) and not item.negated}
    return owner in {place.dataset for place in fields_of(tuple(filters))} | members


def _owner(step: Merge, base: str) -> str | None:
    """What "their" and "they" point to: the rows the question before was about, where each belongs to one of them."""
    before = step.before.subject or base_of_intent(step.before, step.knowledge)
    return before if before is not None and before != base and step.said.has("pronoun") else None


def _dates(period: Period, owner: str, base: str, knows: Knowledge) -> bool:
    """Whether a period chose what "they" points to: members who joined in 2025, and not the year of their boats."""
    own = period.field is None or period.field.dataset == owner
    return knows.is_parent(owner, base) or (own and knows.is_parent(base, owner))


def _dated(period: Period, owner: str, knows: Knowledge) -> list[Filter]:
    """The rows that "they" point to were of that period, whenever those they belong to are dated."""
    place = period.field or knows.time_field(owner)
    bounds = ((">=", period.start), ("<", period.end))
    return [
        Condition(field=place, operator=operator, values=(day,))
        for operator, day in bounds
        if place is not None and day is not None
    ]


def through(owner: str, place: FieldRef, base: str, knowledge: Knowledge) -> FieldRef:
    """A field of what `owner` belongs to, seen from `base`: the customers' city, and not that of their accounts."""
    model = knowledge.model
    if place.dataset in {base, owner}:
        return place.model_copy(update={"via": ()})
    try:
        down, up = many_to_one_path(model, base, owner), many_to_one_path(model, owner, base)
        known = many_to_one_path(model, owner, place.dataset, place.via)
    except AmbiguousPath:
        return place.model_copy(update={"via": ()})
    if known is None or (down is None and up is None):
        return place.model_copy(update={"via": ()})
    if down is None and up is not None:
        back = len(up)
        way = known[back:] if known[:back] == up else (*reversed(up), *known)
    else:
        way = (*(down or ()), *known)
    names = tuple(step.relationship.name for step in way)
    return place.model_copy(update={"via": () if names == _usual_way(base, place.dataset, knowledge) else names})


def _usual_way(base: str, dataset: str, knowledge: Knowledge) -> tuple[str, ...] | None:
    """The only way from the one to the other, None where there is none or more than one."""
    try:
        path = many_to_one_path(knowledge.model, base, dataset)
    except AmbiguousPath:
        return None
    return tuple(step.relationship.name for step in path) if path is not None else None


def applies(place: str, base: str, knowledge: Knowledge) -> bool:
    """Whether what is said of rows of `place` can be said of rows of `base`."""
    return place == base or knowledge.is_parent(base, place) or knowledge.is_parent(place, base)


def moved_filter(
    item: Filter, base: str, knowledge: Knowledge, *, as_owner: bool = False, before: str | None = None
) -> Filter | None:
    """A filter as it holds for other things; None where it says nothing of them.

    `as_owner`: the other things belong to what the filter was about ("their balance"), so it goes on to choose those.
    `before`: what the filter was said of, where its fields go on to be reached from there.
    """
    if isinstance(item, Condition):
        if not applies(item.field.dataset, base, knowledge):
            near = as_owner and knowledge.distance(base, item.field.dataset) <= _NEAR
            return Membership(dataset=item.field.dataset, filters=(item,)) if near else None
        place = item.field.model_copy(update={"via": ()})
        return item.model_copy(update={"field": through(before, item.field, base, knowledge) if before else place})
    if isinstance(item, Membership):
        near = item.dataset != base and knowledge.distance(base, item.dataset) <= _NEAR
        return item.model_copy(update={"via": ()}) if near else None
    parts = [moved_filter(part, base, knowledge, as_owner=as_owner, before=before) for part in item.filters]
    return item.model_copy(update={"filters": tuple(parts)}) if all(parts) else None
