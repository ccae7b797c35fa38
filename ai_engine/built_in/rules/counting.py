"""Rules for how many related rows there are: "more than two accounts", "with over 100 refunds"."""

from __future__ import annotations

from decimal import Decimal

from ai_engine.built_in.meanings import Attribute, Number, Stored, Thing
from ai_engine.built_in.rules.bounds import keep_groups_having
from ai_engine.built_in.rules.relations import way_to
from ai_engine.built_in.sketch import COMPARISONS, Walk
from ai_engine.semantics.intent import Condition, FieldRef, Having, Measure, Membership

_WITHOUT_NOUN_COST = 0.3


def count_related(walk: Walk, operator: str, number: Number, found: Thing, *, taken: int) -> None:
    """ "more than two accounts", "at least 3 transactions", "0 loans"."""
    count = int(number.value)
    bounds = {
        ">": (count + 1, None), ">=": (count, None), "<": (None, count - 1), "<=": (None, count), "=": (count, count),
    }.get(operator)  # fmt: skip
    if number.unit is None and keep_groups_having(walk, found, operator, count, taken=taken):
        return
    subject = walk.subject
    grouped = walk.sketch.attributes[-1] if walk.sketch.attributes and not walk.sketch.things else None
    if grouped is not None and _groups_rows(walk, grouped, found):
        _keep_groups_with(walk, grouped, operator, count, found, taken)
        return
    compared = COMPARISONS.get(operator)
    if subject == found.dataset and walk.sketch.groups and compared is not None:
        counted = Measure(aggregate="count", dataset=found.dataset)  # "per city, only cities with 5 clients or more"
        walk.sketch.havings.append(Having(measure=counted, operator=compared, value=Decimal(count)))
        walk.having = False
        walk.take(taken, f"number of {walk.knowledge.dataset(found.dataset).label} rows {operator} {count}")
        return
    if bounds is None or subject is None or subject == found.dataset or number.unit == "percent":
        walk.leave_over(taken)
        return
    walk.take(taken, f"number of {walk.knowledge.dataset(found.dataset).label} rows {operator} {count}")
    if bounds[1] == 0:
        walk.add_filter(Membership(dataset=found.dataset, negated=True, via=way_to(walk, found)))
    else:
        walk.add_filter(
            Membership(dataset=found.dataset, at_least=bounds[0], at_most=bounds[1], via=way_to(walk, found))
        )
    walk.having = False


def described_thing(walk: Walk, ahead: int) -> Thing | None:
    """The thing at `ahead`, past values that describe it: "two active savings accounts"."""
    while isinstance(described := walk.peek(ahead), Stored) or (
        isinstance(described, Attribute) and walk.knowledge.field(described).role == "flag"
    ):
        ahead += 1
    found = walk.peek(ahead)
    return found if isinstance(found, Thing) else None


def count_described(walk: Walk, operator: str, number: Number, found: Stored) -> bool:
    """ "merchants with over 100 refunds": a value without its noun is counted by the rows that have it."""
    compared, subject = COMPARISONS.get(operator), walk.subject
    if compared is None or subject is None or number.unit is not None:
        return False
    value = Condition(
        field=FieldRef(dataset=found.dataset, field=found.field), operator="=", values=(str(found.value),)
    )
    counted = Measure(aggregate="count", dataset=found.dataset, filters=(value,))
    grouped = walk.sketch.attributes[-1] if walk.sketch.attributes and not walk.sketch.things else None
    if grouped is not None:
        walk.sketch.attributes.remove(grouped)
        walk.sketch.groups.append(grouped)
    elif not walk.knowledge.is_parent(found.dataset, subject):
        return False
    walk.sketch.havings.append(Having(measure=counted, operator=compared, value=number.value))
    walk.having = False
    walk.sketch.cost += _WITHOUT_NOUN_COST
    walk.take(3, f"number of {found.value!s} {operator} {number.value}")
    return True


def counts_ranked_things(walk: Walk, ahead: int) -> bool:
    """ "the 3 female clients with the largest loans": the number stands before its things, the ranking after."""
    ahead += 1
    while isinstance(walk.peek(ahead), Stored):
        ahead += 1
    rest = range(ahead, len(walk.items) - walk.position)
    return isinstance(walk.peek(ahead), Thing | Attribute) and any(walk.is_cue(place, "superlative") for place in rest)


def _groups_rows(walk: Walk, attribute: Attribute, found: Thing) -> bool:
    """A city groups its customers, while the name of a customer who has loans is one row's own."""
    role = walk.knowledge.field(attribute).role
    return role in {"category", "flag"} or (role == "name" and attribute.dataset == found.dataset)


def _keep_groups_with(walk: Walk, grouped: Attribute, operator: str, count: int, found: Thing, taken: int) -> None:
    """ "cities with more than 1000 customers": groups of the field, kept by how many rows they have."""
    compared = COMPARISONS.get(operator)
    if compared is None:
        walk.leave_over(taken)
        return
    counted = Measure(aggregate="count", dataset=found.dataset)
    walk.sketch.attributes.remove(grouped)
    walk.sketch.groups.append(grouped)
    walk.sketch.havings.append(Having(measure=counted, operator=compared, value=Decimal(count)))
    walk.having = False
    walk.take(taken, f"number of {walk.knowledge.dataset(found.dataset).label} rows {operator} {count}")
