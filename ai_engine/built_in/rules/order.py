"""Rules for the order of the answer: "sorted by balance in descending order"."""

from __future__ import annotations

from ai_engine.built_in.harm import HARM
from ai_engine.built_in.knowledge import ref
from ai_engine.built_in.meanings import (
    Attribute,
    Cue,
    CueKind,
    Figure,
    Step,
    Thing,
)
from ai_engine.built_in.rules.how_often import counts_each_value, tells_how_often
from ai_engine.built_in.sketch import GroupTarget, OrderWish, Walk
from ai_engine.semantics.intent import Condition, FieldRef, Measure
from ai_engine.semantics.words import stem, words

_BY = {"by", "on"}
_TIMELY = frozenset(
    "newest latest recent youngest oldest earliest soonest date time chronologically chronological".split()
)
_SIZES = frozenset("highest largest biggest greatest lowest smallest cheapest expensive high low".split())
_MERIT = frozenset(map(stem, "rating score csat nps satisfaction success successful resolved approved".split()))
_BETWEEN: tuple[CueKind, ...] = ("and", "stop")


def order(walk: Walk) -> None:
    """ "sorted by balance in descending order"."""
    listed, said = walk.peek(1), walk.text().lower()
    sorts = isinstance(listed, Thing) and walk.is_cue(2, "group") and not walk.sketch.things
    ahead = walk.skip(1 + sorts, "relative", "have")
    if walk.is_cue(ahead, "group") and walk.items[walk.position + ahead].text.lower() not in _BY:
        walk.leave_over()  # "quantity ordered for each product" sorts nothing
        return
    if sorts and isinstance(listed, Thing):
        walk.sketch.things.append(listed)  # "sort customers by age"
        walk.sketch.asks_list = True
    ahead = walk.skip(ahead, "group", "relative", "have")
    descending: bool | None = None
    cue = walk.peek(ahead)
    if isinstance(cue, Cue) and cue.kind == "direction":
        descending, ahead = bool(cue.value), walk.skip(ahead + 1, "group", "order")
    if not descending and (after := _after_time(walk, ahead)):
        walk.take(after, "in order of time")
        return
    wishes: list[OrderWish] = []
    while True:
        wish, ahead = _order_wish(walk, ahead)
        if wish is None:
            break
        wishes.append(wish)
        following = walk.skip(ahead, *_BETWEEN)
        if following == ahead or not isinstance(walk.peek(following), Attribute | Figure):
            break
        ahead = following
    cue = walk.peek(ahead)
    if isinstance(cue, Cue) and cue.kind == "direction":
        descending, ahead = bool(cue.value), ahead + 1
    if descending is None and said.startswith("rank"):
        descending = True  # "ranked by number of accounts" begins with the most
    for wish in wishes:
        wish.descending = bool(descending) if descending is not None else wish.descending
    if not wishes and descending is not None and walk.sketch.measures:
        wishes.append(OrderWish(measure=walk.sketch.measures[0], descending=descending))
    elif not wishes and descending is not None and walk.sketch.attributes:
        wishes.append(OrderWish(field=ref(walk.sketch.attributes[0]), descending=descending))
    if not wishes:
        walk.leave_over(ahead)
        return
    walk.sketch.orders.extend(wishes)
    walk.take(ahead, "order")


def _after_time(walk: Walk, ahead: int) -> int:
    """Where "in order of month" ends, which a series by month is anyhow; 0 where something else is said."""
    step, following = walk.peek(ahead), walk.peek(ahead + 1)
    if not isinstance(step, Step) or step.grain not in {
        group.grain for group in walk.sketch.groups if isinstance(group, Step)
    }:
        return 0
    if isinstance(following, Cue) and following.kind == "direction":
        return 0 if following.value else ahead + 2
    return ahead + 1


def direction(walk: Walk) -> None:
    """A direction said apart from what is sorted."""
    cue = walk.peek()
    assert isinstance(cue, Cue)  # noqa: S101 - dispatched by kind
    wish, after = _order_wish(walk, 1) if isinstance(walk.peek(1), Attribute | Cue) else (None, 1)
    if walk.sketch.orders and walk.sketch.limit and _sorts_otherwise(walk, walk.sketch.orders[-1], bool(cue.value)):
        walk.leave_over()  # "the five largest, smallest first" sorts what was cut by another order
        return
    if walk.sketch.orders:
        walk.sketch.orders[-1].descending = bool(cue.value)
    elif wish is not None:
        wish.descending = bool(cue.value)
        walk.sketch.orders.append(wish)
        walk.take(after, "order")
        return
    elif not walk.sketch.measures and tells_how_often(walk):
        if not counts_each_value(walk, descending=bool(cue.value)):
            walk.leave_over()
            return
    elif not walk.sketch.measures and (sorted_by := _sorted_by(walk)) is not None:
        walk.sketch.orders.append(OrderWish(field=sorted_by, descending=bool(cue.value)))
    elif walk.sketch.measures and _is_of_time(walk):
        if cue.value or not walk.sketch.groups_by_time:
            walk.leave_over()  # the steps of a series are shown in their order
            return
    elif walk.sketch.measures:
        walk.sketch.orders.append(OrderWish(measure=walk.sketch.measures[0], descending=bool(cue.value)))
    else:
        walk.leave_over()
        return
    walk.take(1, "order")


def _sorts_otherwise(walk: Walk, ranking: OrderWish, descending: bool) -> bool:
    """Whether what was cut by a ranking is to be shown in an order of its own."""
    by_time = ranking.field is not None and walk.knowledge.field(ranking.field).role == "time"
    return ranking.descending != descending or (_is_of_time(walk) and not by_time)


def _is_of_time(walk: Walk) -> bool:
    return not _TIMELY.isdisjoint(walk.text().lower().split())


def _sorted_by(walk: Walk) -> FieldRef | None:
    """ "newest first" sorts a list by its date, "largest first" by its only figure, "alphabetically" by a text."""
    roles = [(walk.knowledge.field(item).role, ref(item)) for item in walk.sketch.attributes]
    if _is_of_time(walk):
        dates = [place for role, place in roles if role == "time"]
        own = walk.knowledge.time_field(walk.subject) if walk.subject else None
        return dates[0] if dates else own
    figures = [place for role, place in roles if role == "measure"]
    if not _SIZES.isdisjoint(walk.text().lower().split()) and len(figures) < 1 + bool(roles):
        return figures[0] if figures else walk.knowledge.main_measure(walk.subject) if walk.subject else None
    return roles[0][1] if roles else None


def orders_list(walk: Walk, targets: list[GroupTarget], ahead: int) -> bool:
    """ "list names and balances by balance, highest first": a list is sorted, not grouped."""
    sketch, place = walk.sketch, walk.skip(ahead, "stop")
    cue = walk.peek(place)
    listed = sketch.asks_list and sketch.attributes and not sketch.measures and walk.pending is None
    if not listed or not (isinstance(cue, Cue) and cue.kind == "direction") or walk.text().lower() != "by":
        return False
    if len(targets) != 1 or not isinstance(targets[0], Attribute):
        return False
    sketch.orders.append(OrderWish(field=ref(targets[0]), descending=bool(cue.value)))
    walk.take(place + 1, "order")
    return True


def ranked_by_harm(walk: Walk) -> None:
    """ "failure rate per channel, worst first": most harm first, or least merit, where the figure tells of one."""
    cue, ranked = walk.peek(), _figure_to_rank(walk)
    assert isinstance(cue, Cue)  # noqa: S101 - dispatched by kind
    harms = ranked is not None and _counts_any(walk, ranked, HARM)
    if ranked is None or harms == _counts_any(walk, ranked, _MERIT):
        walk.leave_over()
        return
    said = walk.sketch.measures
    wish = OrderWish(measure=said[0]) if said else OrderWish(field=ranked.field)
    wish.descending = bool(cue.value) == harms
    walk.sketch.orders.append(wish)
    walk.take(1, "order")


def _figure_to_rank(walk: Walk) -> Measure | None:
    """The first figure; one whose aggregate comes after its name ("score avg") waits as a plain field."""
    if walk.sketch.measures:
        return walk.sketch.measures[0]
    named = [item for item in walk.sketch.attributes if walk.knowledge.field(item).role == "measure"]
    return Measure(aggregate="avg", field=ref(named[0])) if len(named) == 1 else None


def _counts_any(walk: Walk, measure: Measure, kinds: frozenset[str]) -> bool:
    said = [walk.knowledge.dataset(measure.dataset).label] if measure.dataset else []
    said += [walk.knowledge.field(measure.field).label] if measure.field else []
    said += [walk.knowledge.model.metric(measure.metric).label] if measure.metric else []
    for item in (*measure.filters, *walk.sketch.filters):
        if isinstance(item, Condition):
            said += [*map(str, item.values), walk.knowledge.field(item.field).label]
    return any(stem(word) in kinds for text in said for word in words(text))


def _is_stored_number(walk: Walk, said: Attribute) -> bool:
    return walk.knowledge.field(said).role == "measure"


def _order_wish(walk: Walk, ahead: int) -> tuple[OrderWish | None, int]:
    target = walk.peek(ahead)
    if isinstance(target, Cue) and target.kind == "aggregate":
        following = walk.peek(ahead + 1)
        if isinstance(following, Thing):
            return OrderWish(measure=Measure(aggregate="count", dataset=following.dataset)), ahead + 2
        if isinstance(following, Attribute) and target.value == "count" and _is_stored_number(walk, following):
            return OrderWish(field=ref(following)), ahead + 2
        if isinstance(following, Attribute):
            aggregate = "count_distinct" if target.value == "count" else target.value
            measure = Measure(aggregate=aggregate, field=ref(following))
            return OrderWish(measure=measure), ahead + 2
        if walk.sketch.measures and walk.sketch.measures[0].aggregate == target.value:  # "in descending order of total"
            return OrderWish(measure=walk.sketch.measures[0]), ahead + 1
        if target.value == "count" and walk.subject is not None:  # "in order of how often they occur"
            return OrderWish(measure=Measure(aggregate="count", dataset=walk.subject)), ahead + 1
        return None, ahead
    if isinstance(target, Thing) and isinstance(walk.peek(ahead + 1), Attribute):
        target, ahead = walk.peek(ahead + 1), ahead + 1
    if isinstance(target, Attribute):
        return OrderWish(field=ref(target)), ahead + 1
    if isinstance(target, Figure):
        return OrderWish(measure=Measure(metric=target.metric), descending=True), ahead + 1
    if isinstance(target, Thing):
        field = walk.knowledge.main_measure(target.dataset)
        return (OrderWish(field=field), ahead + 1) if field else (None, ahead)
    return None, ahead
