"""Rules for groups: "by city", "for each branch", "monthly", "age group"."""

from __future__ import annotations

from ai_engine.built_in.knowledge import ref
from ai_engine.built_in.meanings import (
    Attribute,
    Cue,
    CueKind,
    Days,
    Figure,
    Meaning,
    Number,
    Quote,
    Step,
    Stored,
    Thing,
)
from ai_engine.built_in.rules.amounts import names_a_duration, says_its_span
from ai_engine.built_in.rules.amounts_of_things import total_of_things
from ai_engine.built_in.rules.besides import without_amount_said_last
from ai_engine.built_in.rules.dated_by import dates_the_period
from ai_engine.built_in.rules.elapsed import date_said
from ai_engine.built_in.rules.order import orders_list
from ai_engine.built_in.rules.per_each import (
    averages_own_rows,
    is_denominator,
    is_each_of,
    is_per,
    narrow_to_those_divided_by,
)
from ai_engine.built_in.rules.ranking import begins_ranking
from ai_engine.built_in.rules.things_by_figure import cost_of_counting, things_by_figure
from ai_engine.built_in.sketch import GroupTarget, OrderWish, Walk
from ai_engine.semantics.intent import (
    Measure,
)
from ai_engine.semantics.people import holds_people

_BETWEEN: tuple[CueKind, ...] = ("and", "stop")
_VALUE_AFTER_BY_COST = 0.3
_VALUE_AFTER_PER_COST = 2.0  # "by UPI" is a way of paying; nothing is "per UPI"
_WITHIN = {"in each", "for each", "per", "within each", "of each", "in every", "for every", "from each", "at each"}


def group(walk: Walk) -> None:
    """ "by city and segment", "for each branch", "per month" — or, after "top 5", what ranks them."""
    if len(walk.sketch.counts_said) > 1:
        walk.sketch.counts_end = walk.sketch.here
    by = walk.text().lower()
    ahead = walk.skip(1, "group", "each", "distinct", "list")
    if things_by_figure(walk, ahead, by):
        return
    narrow_to_those_divided_by(walk, ahead)
    divides = is_per(walk, by)
    if walk.sketch.limit_descending is not None and not divides and _ranked_by(walk, ahead):
        return
    if walk.sketch.limit_descending is not None and _ranks_by_no_figure(walk, ahead, by):
        walk.leave_over(ahead + 1)
        return
    targets, ahead = _targets(walk, ahead, by)
    if not targets:
        if isinstance(walk.peek(ahead), Stored):
            walk.sketch.cost += _VALUE_AFTER_BY_COST if by == "by" else _VALUE_AFTER_PER_COST
        elif by in _WITHIN and isinstance(walk.peek(ahead), Attribute | Thing):
            walk.leave_over(ahead)
            return
        walk.take(ahead if by != "by" else 1)
        return
    if names_a_duration(walk, ahead) or orders_list(walk, targets, ahead):
        return
    is_own = by == "per" and len(targets) == 1 and averages_own_rows(walk, targets[0])
    if is_own or (len(targets) == 1 and says_its_span(walk, targets[0])):
        walk.take(ahead, "for each of them")
        return
    if isinstance(targets[-1], Step) and walk.items[min(walk.position + ahead, len(walk.items) - 1)].apart:
        dated = date_said(walk, ahead)  # "by year of closing"
        walk.sketch.counted_by = dated or walk.sketch.counted_by
        ahead += dated is not None
    if by == "by" and dates_the_period(walk, targets):
        walk.take(ahead, "the date of the period")
        return
    if by == "across" and _adds_up_all(walk, targets):
        walk.take(ahead, "over all of them")
        return
    if is_denominator(walk, targets) or (divides and is_each_of(walk, targets)):
        targets = targets[1:]
    if not targets:
        walk.take(ahead, "for each of them")
        return
    if by in _WITHIN:
        walk.sketch.each_step |= any(isinstance(target, Step) for target in targets)
        walk.sketch.each_groups.extend(target for target in targets if not isinstance(target, Step))
    if walk.sketch.limit_descending is not None and walk.sketch.orders and by in _WITHIN:
        walk.sketch.within.extend(target for target in targets if not isinstance(target, Step))
    walk.sketch.share_of_groups |= walk.is_cue(-1, "share")
    if by == "by":
        targets = without_amount_said_last(walk, targets)
    walk.sketch.groups.extend(targets)
    walk.take(ahead, "grouped by it")


def _targets(walk: Walk, ahead: int, by: str) -> tuple[list[GroupTarget], int]:
    """What is named one after the other to group by, and where it ends."""
    targets: list[GroupTarget] = []
    # "For every state, the city with ...": said first, a comma ends it
    between: tuple[CueKind, ...] = ("and",) if walk.position == 0 else _BETWEEN
    while True:
        target = walk.peek(ahead)
        if not isinstance(target, Attribute | Thing | Step) or _is_narrowed(walk, ahead, by, bool(targets)):
            break
        if isinstance(target, Thing) and _belongs_to_next(walk, ahead, target):
            walk.sketch.owners.append(target)
            ahead += 1  # "the customer's home branch": only the last is the group
            continue
        dated = walk.knowledge.time_field(target.dataset) if isinstance(target, Thing) else None
        if dated is not None and isinstance(target, Thing) and _is_seen_by_step(walk, ahead, target):
            walk.sketch.counted_by = dated
            ahead += 1  # "by statement month"
            continue
        if isinstance(target, Attribute) and _is_seen_by_step(walk, ahead, target):
            walk.sketch.counted_by = ref(target)
            ahead += 1  # "by joining month"
            continue
        targets.append(target)
        if walk.sketch.limit_descending is not None and walk.is_cue(ahead + 1, "group"):
            ahead += 1  # "top 3 customers per branch by loan amount": what follows ranks them
            break
        following = walk.skip(ahead + 1, *between, "each", "group")
        if following == ahead + 1:
            ahead += 1
            break
        ahead = following if isinstance(walk.peek(following), Attribute | Thing | Step) else ahead + 1
        if ahead != following:
            break
    return targets, ahead


def each(walk: Walk) -> None:
    """ "how many loans does each customer have"."""
    target = walk.peek(1)
    if isinstance(target, Attribute | Thing | Step):
        walk.sketch.each_groups += [] if isinstance(target, Step) else [target]
        walk.sketch.each_step |= isinstance(target, Step)
        if walk.sketch.limit_descending is not None and walk.sketch.orders and not isinstance(target, Step):
            walk.sketch.within.append(target)
        walk.sketch.share_of_groups |= walk.is_cue(-1, "share")
        walk.sketch.groups.append(target)
        walk.take(2, "grouped by it")
        return
    walk.take(1)


def wise(walk: Walk) -> None:
    """ "branch wise deposits": the noun before is a group."""
    before = walk.peek(-1)
    if walk.sketch.attributes and isinstance(before, Attribute):
        if walk.knowledge.field(before).role == "measure":
            walk.leave_over()
            return
        walk.sketch.groups.append(walk.sketch.attributes.pop())
    elif walk.sketch.things and isinstance(walk.peek(-1), Thing):
        walk.sketch.groups.append(walk.sketch.things.pop())
    elif isinstance(before, Stored) or not (walk.sketch.groups or _groups_anywhere(walk)):
        walk.leave_over()  # one value makes no groups, and "number of breakdowns" asks for none
        return
    walk.take(1, "grouped by it")


def _groups_anywhere(walk: Walk) -> bool:
    """ "breakdown of deposits by branch": what follows says by what."""
    return any(
        isinstance(item.meaning, Step) or (isinstance(item.meaning, Cue) and item.meaning.kind in {"group", "each"})
        for item in walk.items
    )


def step(walk: Walk) -> None:
    """ "monthly deposits", "trend by month"; without a grouping word only an adverb groups."""
    found = walk.peek()
    assert isinstance(found, Step)  # noqa: S101 - dispatched by type
    if says_its_span(walk, found) and walk.items[walk.position].indefinite:
        walk.take(1, "its span of time")
    elif found.adverb or walk.is_cue(1, "wise"):
        walk.sketch.groups.append(found)
        walk.take(1 + walk.is_cue(1, "wise"), f"per {found.grain}")
    elif walk.superlative is not None and walk.superlative.kind in {"old", "new"}:
        walk.leave_over()  # "the first quarter" ranks nothing
    elif walk.superlative is not None or walk.is_cue(-1, "what", "list", "and", "stop") or begins_ranking(walk):
        walk.sketch.groups.append(found)
        walk.take(1, f"per {found.grain}")
    elif any(walk.knowledge.field(m.field).unit == f"{found.grain}s" for m in walk.sketch.measures if m.field):
        walk.take(1, "unit")  # "average tenure in months"
    else:
        walk.leave_over()


def _adds_up_all(walk: Walk, targets: list[GroupTarget]) -> bool:
    """ "total staff across branches", where the staff is a figure of the branch: one row each would add up nothing."""
    owner = targets[0].dataset if len(targets) == 1 and isinstance(targets[0], Thing) else None
    figures = [measure.field for measure in walk.sketch.measures]
    return bool(figures) and all(field is not None and field.dataset == owner for field in figures)


def _is_seen_by_step(walk: Walk, ahead: int, target: Attribute | Thing) -> bool:
    following = walk.position + ahead + 1
    adjoined = isinstance(walk.peek(ahead + 1), Step) and not walk.items[following].apart
    return adjoined and (isinstance(target, Thing) or walk.knowledge.field(target).role == "time")


def _is_narrowed(walk: Walk, ahead: int, by: str, listed: bool) -> bool:
    """ "transactions by customers who joined in May" or "balance over 500" is no group."""
    target = walk.peek(ahead)
    following = walk.peek(ahead + 1)
    compared = isinstance(following, Cue) and following.kind in {"compare", "relative"}
    if walk.position == 0 and by in _WITHIN and walk.is_cue(ahead + 1, "relative"):
        return False  # "in each city which branch has the most customers"
    if isinstance(target, Thing):
        acts = holds_people(walk.knowledge.dataset(target.dataset))
        narrowed = (
            compared
            or (acts and walk.is_cue(ahead + 1, "have") and not _shows_figure(walk, ahead + 2))
            or (by == "by" and isinstance(following, Stored | Quote) and not _is_each(walk, ahead, acts=acts))
        )
        return narrowed and (by == "by" or listed)
    if isinstance(target, Attribute) and _is_figure_compared(walk, target, following):
        return False
    if isinstance(following, Days) and isinstance(target, Attribute) and walk.knowledge.field(target).role != "time":
        return False  # "by segment last month"
    return compared or (listed and isinstance(following, Number | Quote | Stored | Days))


def _is_each(walk: Walk, ahead: int, *, acts: bool) -> bool:
    """ "By branch in Mumbai" has one for each; "by branch Mumbai", "held by branches in Mumbai" tell whose they are."""
    noun, value = walk.items[walk.position + ahead], walk.items[walk.position + ahead + 1]
    done = walk.position and (walk.is_cue(-1, "have") or walk.items[walk.position - 1].text.lower().endswith("ed"))
    return value.apart and not ((acts or done) and noun.is_plural)


def _is_figure_compared(walk: Walk, target: Attribute, following: Meaning | None) -> bool:
    """ "deposits by city above 50 crore": nothing but the figure of each city can be above that."""
    compared = isinstance(following, Cue) and following.kind == "compare"
    return compared and len(walk.sketch.measures) == 1 and walk.knowledge.field(target).role in {"category", "name"}


def _shows_figure(walk: Walk, ahead: int) -> bool:
    """ "accounts by branch with total balance": a figure that nothing compares is shown beside the groups."""
    if not (isinstance(walk.peek(ahead), Figure) or walk.is_cue(ahead, "aggregate")):
        return False
    rest = range(ahead, len(walk.items) - walk.position)
    return not any(walk.is_cue(place, "compare", "superlative") for place in rest)


def _belongs_to_next(walk: Walk, ahead: int, target: Thing) -> bool:
    """ "the customer's home branch", "account type": the thing says whose it is."""
    following = walk.peek(ahead + 1)
    if not isinstance(following, Thing | Attribute) or walk.items[walk.position + ahead + 1].apart:
        return False
    return following.dataset == target.dataset or walk.knowledge.is_parent(target.dataset, following.dataset)


def _ranked_by(walk: Walk, ahead: int) -> bool:
    """After "top 5 customers", "by total balance" is the ranking."""
    target = walk.peek(ahead)
    descending = bool(walk.sketch.limit_descending)
    valued = total_of_things(walk, ahead)
    measure, end = valued if valued is not None else (_figure_of_many(walk, target), ahead + 1)
    if measure is not None:
        walk.sketch.orders.append(OrderWish(measure=measure, descending=descending))
        walk.sketch.measures.append(measure)
        walk.take(end, "ranking")
        return True
    if isinstance(target, Attribute) and walk.knowledge.field(target).role in {"measure", "time"}:
        walk.take(ahead)
        walk.sketch.attributes.append(target)
        walk.sketch.orders.append(OrderWish(field=ref(target), descending=descending))
        walk.take(1, "ranking")
        return True
    if isinstance(target, Thing) and walk.subject is not None and _has_many(walk, walk.subject, target):
        walk.sketch.cost += cost_of_counting(walk, ahead)
        measure = Measure(aggregate="count", dataset=target.dataset)
        walk.sketch.orders.append(OrderWish(measure=measure, descending=descending))
        walk.sketch.measures.append(measure)
        walk.take(ahead + 1, "ranking")
        return True
    if walk.is_cue(ahead, "aggregate", "superlative"):
        walk.take(ahead)  # the aggregate that follows becomes a measure, and the only measure ranks
        return True
    return False


def _ranks_by_no_figure(walk: Walk, ahead: int, by: str) -> bool:
    """ "top 3 branches by NPA", where that is a kind of loan: no branch has more of a kind than another."""
    target, subject = walk.peek(ahead), walk.subject
    if by != "by" or not isinstance(target, Attribute) or walk.sketch.orders:
        return False
    kind = walk.knowledge.field(target).role in {"category", "flag"}
    return kind and subject is not None and walk.knowledge.is_parent(target.dataset, subject)


def _figure_of_many(walk: Walk, target: Meaning | None) -> Measure | None:
    """ "top 5 customers by balance" adds up the balances of each; an account has one."""
    if isinstance(target, Figure):
        return Measure(metric=target.metric)
    if not isinstance(target, Attribute) or walk.subject is None or target.dataset == walk.subject:
        return None
    aggregate = walk.knowledge.field(target).default_aggregate
    many = walk.knowledge.is_parent(target.dataset, walk.subject)
    return Measure(aggregate=aggregate, field=ref(target)) if many and aggregate is not None else None


def _has_many(walk: Walk, subject: str, found: Thing) -> bool:
    """ "top channels by transactions" ranks by their number; of "top 5 customers by branch" each has one."""
    named = not walk.sketch.things and bool(walk.sketch.attributes)
    return (named and found.dataset == subject) or walk.knowledge.is_parent(found.dataset, subject)
