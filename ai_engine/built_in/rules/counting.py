"""Rules for how many related rows there are: "more than two accounts", "with over 100 refunds"."""

from __future__ import annotations

from decimal import Decimal

from ai_engine.built_in.meanings import Attribute, Number, Stored, Thing
from ai_engine.built_in.rules.bounds import keep_groups_having
from ai_engine.built_in.rules.roles import way_to
from ai_engine.built_in.sketch import COMPARISONS, Walk
from ai_engine.semantics.intent import Condition, FieldRef, Having, Measure, Membership

_WITHOUT_NOUN_COST = 0.3


def count_between(walk: Walk, lower: Number) -> bool:
    """ "between two and four accounts": the things stand behind the upper number."""
    ahead = walk.skip(2, "and", "or", "stop")
    upper, described = walk.peek(ahead), described_thing(walk, ahead + 1)
    if not isinstance(upper, Number) or described is None or (lower.unit, upper.unit) != (None, None):
        return False
    taken = ahead + 1 + (walk.peek(ahead + 1) is described)
    if walk.subject is None or described.dataset == walk.subject or lower.value >= upper.value:
        walk.leave_over(taken)
        return True
    found = _of_their_role(walk, described)
    bounds = (int(lower.value), int(upper.value))
    walk.take(
        taken, f"number of {walk.knowledge.dataset(found.dataset).label} rows between {bounds[0]} and {bounds[1]}"
    )
    via = way_to(walk, found)
    walk.add_filter(Membership(dataset=found.dataset, at_least=bounds[0], at_most=bounds[1], via=via))
    walk.having = False
    return True


def count_related(walk: Walk, operator: str, number: Number, found: Thing, *, taken: int) -> None:
    """ "more than two accounts", "at least 3 transactions", "0 loans"."""
    head = walk.peek(taken)
    adjoined = walk.peek(taken - 1) is found and isinstance(head, Thing) and not walk.items[walk.position + taken].apart
    if adjoined and isinstance(head, Thing) and walk.knowledge.is_parent(head.dataset, found.dataset):
        found, taken = head, taken + 1  # "at least 4 card disputes" are disputes
    found = _of_their_role(walk, found)
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
    if number.unit is None and _bounds_rows_of_groups(walk, operator, count, found, taken):
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


def _bounds_rows_of_groups(walk: Walk, operator: str, count: int, found: Thing, taken: int) -> bool:
    """ "loans for each branch with at least 20 customers": said of the branches, as no loan has any customers."""
    subject, knows, behind = walk.subject, walk.knowledge, -1
    while walk.is_cue(behind, "have", "relative", "only", "stop"):
        behind -= 1
    group = walk.sketch.groups[-1] if walk.sketch.groups else None
    if behind == -1 or group is None or walk.peek(behind) != group or not isinstance(group, Thing | Attribute):
        return False
    if subject is None or knows.is_parent(found.dataset, subject) or subject == group.dataset:
        return False  # rows that those in question have
    compared = COMPARISONS.get(operator)
    of_groups = found.dataset == group.dataset or knows.is_parent(found.dataset, group.dataset)
    if compared is None or not of_groups or count < (operator != ">") or operator not in {">", ">=", "="}:
        walk.leave_over(taken)
        return True
    counted = Measure(aggregate="count", dataset=found.dataset)
    walk.sketch.havings.append(Having(measure=counted, operator=compared, value=Decimal(count)))
    walk.having = False
    walk.take(taken, f"number of {knows.dataset(found.dataset).label} rows {operator} {count}")
    return True


def count_again(walk: Walk, operator: str, number: Number) -> bool:
    """ "clients with loans, only those with at least three": three of what they were said to have."""
    last = walk.sketch.filters[-1] if walk.sketch.filters else None
    told = isinstance(last, Membership) and not last.negated and (last.at_least, last.at_most) == (None, None)
    counts = number.unit is None and number.value == int(number.value) and walk.is_cue(-1, "have")
    ended = walk.peek(walk.skip(2, "stop")) is None
    if not (isinstance(last, Membership) and told and counts and ended and walk.is_cue(-2, "only", "relative", "stop")):
        return False
    count_related(walk, operator, number, Thing(last.dataset), taken=2)
    again = walk.sketch.filters[-1]
    if isinstance(again, Membership) and again is not last and again.dataset == last.dataset:
        walk.sketch.filters[-2:] = [
            again.model_copy(update={"at_least": again.at_least or 1, "filters": last.filters, "via": last.via})
        ]
    return True


def _of_their_role(walk: Walk, found: Thing) -> Thing:
    """ "guarantors of at least two loans": what is counted are the guarantees, each of which is of one loan."""
    behind = -1
    while walk.is_cue(behind, "have", "relative"):
        behind -= 1
    role = walk.peek(behind)
    if not isinstance(role, Thing) or len(role.via) != 1 or found.via:
        return found
    rows = walk.knowledge.model.relationship(role.via[0]).from_dataset
    own = rows == found.dataset or walk.knowledge.is_parent(rows, found.dataset)
    return Thing(rows, role.via) if own else found


def described_thing(walk: Walk, ahead: int) -> Thing | None:
    """The thing at `ahead`, past values that describe it: "two active accounts", and not "60 in active accounts"."""
    place = walk.position + ahead
    if place < len(walk.items) and walk.items[place].apart and isinstance(walk.peek(ahead), Stored):
        return None
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
    kind = (
        isinstance(walk.peek(ahead - 1), Stored) and walk.items[walk.position + ahead - 1].is_plural
    )  # "10 mortgages"
    counted = isinstance(walk.peek(ahead), Thing | Attribute) or (kind and walk.is_cue(ahead, "have"))
    return counted and any(walk.is_cue(place, "superlative") for place in rest)


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
