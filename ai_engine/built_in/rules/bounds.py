"""Rules for bounds on the figure of each group: "branches with over 200 active customers", "by city, above 5 crore"."""

from __future__ import annotations

from decimal import Decimal

from ai_engine.built_in.knowledge import ref
from ai_engine.built_in.meanings import Attribute, CueKind, Figure, Meaning, Number, Thing
from ai_engine.built_in.sketch import COMPARISONS, Walk
from ai_engine.semantics.intent import Having, Measure, Membership
from ai_engine.semantics.words import words

_SILENT: tuple[CueKind, ...] = ("stop", "only", "relative", "have", "and")
_LAKH = 100_000
_SUMMED = frozenset({"total", "sum", "combined", "together"})


def bound_on_groups(walk: Walk, operator: str, number: Number) -> bool:
    """Bound the figure of each group by the number behind the comparison, where that is what was said."""
    following = walk.peek(2)
    steps = walk.sketch.groups_by_time and walk.subject is None
    if isinstance(following, Thing) and steps and number.unit is None:
        _bound(walk, Measure(aggregate="count", dataset=following.dataset), operator, number, taken=3)
    elif isinstance(following, Thing):
        if walk.pending is None or not walk.pending.of_amount:
            return False
        _bound_amount(walk, operator, number, following)
    elif isinstance(following, Figure) and (steps or walk.subject is not None or walk.sketch.attributes):
        _bound(walk, _counted(walk, following, number) or Measure(metric=following.metric), operator, number, taken=3)
    elif isinstance(following, Attribute) and walk.knowledge.field(following).role != "measure":
        return False  # "each depot with at least 20 borrowers": the figure of the group is another
    elif (added := _added_up_in_groups(walk)) is not None:
        _bound(walk, added, operator, number, taken=3)
    elif (grouped := _figure_of_groups(walk)) is not None and not _is_an_amount_of_each(walk, grouped, number):
        _bound(walk, grouped, operator, number, taken=2)
    elif (total := _total_of_related(walk)) is not None:
        walk.pending, walk.open_membership = None, False
        walk.sketch.filters.pop()
        _bound(walk, total, operator, number, taken=2)
    else:
        return False
    return True


def _counted(walk: Walk, found: Figure, number: Number) -> Measure | None:
    """ "more than 500 loans disbursed" are loans, whatever "loans disbursed" adds up; nobody counts them in lakhs."""
    noun = words(walk.items[walk.position + 2].text)[:1]
    thing = next((c.meaning for c in walk.knowledge.lexicon.names(noun) if isinstance(c.meaning, Thing)), None)
    in_money = number.unit is not None or number.value >= _LAKH
    if thing is None or in_money or walk.knowledge.model.metric(found.metric).unit == "count":
        return None
    return Measure(aggregate="count", dataset=thing.dataset)


def _is_an_amount_of_each(walk: Walk, figure: Measure, number: Number) -> bool:
    """ "how many payments per branch, only above 50 lakh": payments of so much, as nobody counts them in lakhs."""
    money = figure.aggregate == "count" and figure.dataset is not None
    kept = money and walk.knowledge.main_measure(str(figure.dataset), money_only=True) is not None
    return kept and (number.unit == "money" or number.value >= _LAKH)


def _bound_amount(walk: Walk, operator: str, number: Number, found: Thing) -> None:
    """ "a total amount of more than 5000 in loans": the sum over the related rows."""
    amount = walk.knowledge.main_measure(found.dataset)
    if amount is None or walk.pending is None:
        walk.leave_over(3)
        return
    measure = Measure(aggregate=walk.pending.aggregates[0], field=amount)
    walk.pending = None
    _bound(walk, measure, operator, number, taken=3)


def _total_of_related(walk: Walk) -> Measure | None:
    """ "customers who have loans with a total amount of more than 5000": the sum over the rows just named."""
    last = walk.sketch.filters[-1] if walk.open_membership else None
    if walk.pending is None or not isinstance(last, Membership) or not _SUMMED.intersection(words(walk.pending.text)):
        return None
    amount = None if last.negated else walk.knowledge.main_measure(last.dataset)
    return Measure(aggregate="sum", field=amount, filters=last.filters) if amount is not None else None


def _added_up_in_groups(walk: Walk) -> Measure | None:
    """ "towns with more than 2 million of deposits": a figure of other rows than those that have the town."""
    sketch, figure, knows = walk.sketch, walk.peek(2), walk.knowledge
    alone = len(sketch.attributes) == 1 and not (sketch.things or sketch.measures or sketch.groups or walk.pending)
    if not (alone and walk.having and isinstance(figure, Attribute)) or walk.superlative is not None:
        return None
    group = sketch.attributes[0]
    summed = knows.field(figure).role == "measure" and knows.field(figure).default_aggregate == "sum"
    told_apart = knows.field(group).role == "category" and knows.is_parent(figure.dataset, group.dataset)
    if not (summed and told_apart) or figure.dataset == group.dataset:
        return None
    sketch.groups.append(sketch.attributes.pop())
    total = Measure(aggregate="sum", field=ref(figure))
    sketch.measures.append(total)
    return total


def _figure_of_groups(walk: Walk) -> Measure | None:
    """ "active customers per branch above 200", "only branches with over 200": said after the groups it is of each."""
    sketch, behind = walk.sketch, -1
    while walk.is_cue(behind, *_SILENT):
        behind -= 1
    said, groups = walk.peek(behind), [*sketch.groups, *sketch.each_groups]
    ranking = sketch.orders[-1].measure if sketch.orders and groups else None
    if ranking is not None and sketch.measures == [ranking] and _is_of(ranking, said):
        return ranking  # "branches by deposits over 10 crore"
    if said not in groups and not (groups and said in sketch.attributes):
        return None
    if not sketch.measures and sketch.things and sketch.things[0] not in groups and behind < -1:
        return Measure(aggregate="count", dataset=sketch.things[0].dataset)  # "customers by branch, only those over"
    return sketch.measures[0] if len(sketch.measures) == 1 else None


def _is_of(measure: Measure, said: Meaning | None) -> bool:
    """Tell whether a figure is what was just said."""
    if isinstance(said, Figure):
        return measure.metric == said.metric
    if isinstance(said, Attribute):
        return measure.field == ref(said)
    return isinstance(said, Thing) and measure.aggregate == "count" and measure.dataset == said.dataset


def _bound(walk: Walk, figure: Measure, operator: str, number: Number, *, taken: int) -> None:
    """Keep groups by a figure: "customers with more than 10 lakh in deposits"."""
    compared = COMPARISONS.get(operator)
    if compared is None or number.unit not in {None, "money"}:
        walk.leave_over(taken)
        return
    walk.sketch.havings.append(Having(measure=figure, operator=compared, value=number.value))
    walk.having = False
    walk.take(taken, f"figure {operator} {number.value}")


def group_told(walk: Walk) -> Thing | None:
    """The things of the last group where they are told apart by what follows: "for each branch that has"."""
    last = walk.sketch.groups[-1] if walk.sketch.groups else None
    return last if isinstance(last, Thing) and not walk.sketch.things and not walk.sketch.measures else None


def keep_groups_having(walk: Walk, found: Thing, operator: str, count: int, *, taken: int = 1) -> bool:
    """ "for each branch with at least 3 accounts": groups kept by how many rows they have."""
    group, compared = group_told(walk), COMPARISONS.get(operator)
    if group is None or compared is None or walk.superlative:
        return False
    if not walk.knowledge.is_parent(found.dataset, group.dataset):
        return False
    if operator not in {">", ">=", "="} or count < (operator != ">"):
        return False  # a group without rows would have to be shown
    counted = Measure(aggregate="count", dataset=found.dataset)
    walk.sketch.havings.append(Having(measure=counted, operator=compared, value=Decimal(count)))
    walk.having = False
    walk.take(taken, f"number of {walk.knowledge.dataset(found.dataset).label} rows {operator} {count}")
    return True
