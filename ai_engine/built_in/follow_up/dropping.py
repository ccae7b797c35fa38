"""What a fragment takes off by its name: a grouping, a column, a figure, or the condition on a field."""

from __future__ import annotations

from ai_engine.built_in.follow_up.figures import field_behind
from ai_engine.built_in.follow_up.filters import fields_of, without_fields
from ai_engine.built_in.follow_up.step import Merge, same_field
from ai_engine.built_in.meanings import Thing
from ai_engine.semantics.intent import Condition, Dimension, FieldRef, Filter, Intent, Measure, Membership


def drop_named(step: Merge) -> None:
    """ "drop the branch", "ignore the network", "hide the count": what has that name goes, where anything has.

    With a value ("drop Mumbai") it is a condition like any other.
    """
    said = step.fragment
    denied = said.denied or any(_is_bare(item) for item in said.filters)
    if not denied or step.said.has("unfilter") or not all(_is_bare(item) for item in said.filters):
        return
    if not (_dropped_group(step) or _dropped_figure(step) or _dropped_column(step) or _dropped_condition(step)):
        return
    for named in (said.filters, said.fields, said.things, said.groups, said.measures):
        named.clear()
    said.denied = False


def ungrouped(intent: Intent) -> Intent:
    """The same figures over all rows."""
    return intent.model_copy(
        update={
            "measures": tuple(measure.model_copy(update={"transform": None}) for measure in intent.measures),
            "dimensions": (), "order": (), "having": (), "limit": None, "limit_within": (), "fill_gaps": False,
        }
    )  # fmt: skip


def _shaped_by_groups(intent: Intent) -> list[str]:
    """What the figures are of the groups beside them: a share of their total, a growth from one to the next."""
    return [f"{item.transform.replace('_', ' ')} of one figure" for item in intent.measures if item.transform]


def add_up(step: Merge) -> None:
    """ "altogether": one figure for all the groups that are shown, which are those of a top 5 or above a bound."""
    intent = step.intent
    if not step.said.has("altogether") or not intent.dimensions or step.fragment.groups:
        return
    if intent.limit is None and not intent.having:
        step.left += _shaped_by_groups(intent)
        step.put(**dict(ungrouped(intent)))
    elif intent.limit_within or intent.compare or not all(_adds_up(item, step) for item in intent.measures):
        step.left.append("the figure over the groups that are shown")
    else:
        step.put(over_groups="sum")


def _adds_up(measure: Measure, step: Merge) -> bool:
    return (
        measure.denominator is None
        and measure.transform in {None, "share_of_total"}
        and step.knowledge.adds_up(measure)
    )


def _is_bare(item: Filter) -> bool:
    """ "without branches", "without a network": nothing is said of the branches, and no value of the network."""
    if isinstance(item, Condition):
        return item.operator == "is null"
    return isinstance(item, Membership) and item.negated and not item.filters


def _is_named(place: FieldRef, step: Merge) -> bool:
    said, knows = step.fragment, step.knowledge
    named = [*said.fields, *(group.field for group in said.groups if group.field)]
    denied = [item.field for item in said.filters if isinstance(item, Condition)]
    if same_field(place, [*denied, *named]):
        return True
    if place.grain is not None and any(group.step == place.grain for group in said.groups):
        return True
    things = {item.dataset for item in said.filters if isinstance(item, Membership)}
    things |= {item.dataset for item in (*denied, *named) if knows.field(item).role == "name"}
    things |= {thing.dataset for thing in said.things} | {group.thing for group in said.groups if group.thing}
    return place.dataset in things and same_field(place, list(knows.entity_fields(Thing(place.dataset))))


def _dropped_group(step: Merge) -> bool:
    intent = step.intent
    kept = tuple(item for item in intent.dimensions if not _is_named(item.field, step))
    if len(kept) == len(intent.dimensions):
        return False
    if len(step.fragment.groups) > len(intent.dimensions) - len(kept):
        step.left.append("grouping")  # what is not there cannot go
    if not kept:
        step.left += _shaped_by_groups(intent)
        step.put(**dict(ungrouped(intent)))
        return True
    shown = [item.field for item in kept]
    orders = tuple(order for order in intent.order if order.field is None or same_field(order.field, shown))
    step.put(dimensions=kept, order=orders, fill_gaps=intent.fill_gaps and any(_goes_by_time(item) for item in kept))
    return True


def _goes_by_time(item: Dimension) -> bool:
    return item.field.grain is not None and item.field.grain != "age_years"


def _dropped_figure(step: Merge) -> bool:
    intent = step.intent

    def is_named(measure: Measure) -> bool:
        behind = field_behind(measure, step.knowledge)
        return measure in step.fragment.measures or (behind is not None and _is_named(behind, step))

    kept = tuple(measure for measure in intent.measures if not is_named(measure))
    if not kept or len(kept) == len(intent.measures):
        return False
    step.put(measures=kept, order=tuple(order for order in intent.order if order.measure in {None, *kept}))
    return True


def _dropped_column(step: Merge) -> bool:
    kept = tuple(column for column in step.intent.columns if not _is_named(column, step))
    if not kept or len(kept) == len(step.intent.columns):
        return False
    step.put(columns=kept)
    return True


def _dropped_condition(step: Merge) -> bool:
    if not any(_is_named(place, step) for place in fields_of(step.intent.filters)):
        return False
    step.put(filters=without_fields(step.intent.filters, lambda place: _is_named(place, step)))
    return True
