"""How a fragment shapes the answer: groups, shares and changes, rows instead of figures."""

from __future__ import annotations

from ai_engine.built_in.follow_up.figures import base_of_intent, is_plain, unfolded
from ai_engine.built_in.follow_up.moving import move, through
from ai_engine.built_in.follow_up.step import Merge, dimensions_of, list_rows, same_field
from ai_engine.built_in.follow_up.those_shown import points_to_chosen, things_shown
from ai_engine.built_in.grammar.accounts import leaves_of
from ai_engine.built_in.grammar.phrases import Group
from ai_engine.built_in.meanings import Thing
from ai_engine.semantics.intent import Condition, Dimension, Measure


def change_groups(step: Merge) -> None:
    """Group by something else, or by one thing more; a list grouped becomes a count."""
    groups = [*step.fragment.groups, *_sides(step)]
    if not groups:
        return
    measures = step.intent.measures
    base = base_of_intent(step.intent, step.knowledge)
    if not measures and base is not None:
        measures = (Measure(aggregate="count", dataset=base),)
        subject = None if step.intent.subject == base else step.intent.subject
        step.put(measures=measures, columns=(), order=(), limit=None, distinct=False, subject=subject)
    counted_by = step.intent.period.field if step.intent.period else None
    new = dimensions_of(step, groups, measures, counted_by)
    if not new:
        step.left.append("grouping")
        return
    chosen = points_to_chosen(step)  # "who manages them": beside those five, and not five others
    if (step.described or chosen) and step.said.has("pronoun"):
        new = _of_those_shown(step, new)
    fields = [dimension.field for dimension in new]
    same = any(same_field(dimension.field, fields) for dimension in step.intent.dimensions)
    described = chosen or (step.said.has("pronoun") and step.described)
    shown = step.intent.dimensions
    kept = tuple(d for d in shown if not (d in new if chosen else same_field(d.field, fields)))
    if not (step.said.has("add", "deeper") or step.beside or same or described):
        kept = ()
    has_steps = any(group.step is not None for group in groups)
    orders = tuple(order for order in step.intent.order if order.measure is not None and not has_steps)
    step.put(
        dimensions=(*kept, *new),
        order=orders,
        limit=None if has_steps or (kept and not (step.described or chosen)) else step.intent.limit,
        limit_within=(),
        fill_gaps=has_steps or (bool(kept) and step.intent.fill_gaps),
    )
    step.changed |= not step.fragment.turn.lists  # "show branches in that region" asks for more than those groups


def _of_those_shown(step: Merge, new: tuple[Dimension, ...]) -> tuple[Dimension, ...]:
    """ "show their city too": that of the customers who are shown, whatever city their accounts are in."""
    knows, base = step.knowledge, base_of_intent(step.intent, step.knowledge)
    shown = things_shown([item.field for item in step.intent.dimensions], knows)
    if len(shown) != 1 or base is None:
        return new
    owner = shown.pop()
    return tuple(
        item.model_copy(update={"field": through(owner, item.field, base, knows)})
        if knows.is_parent(owner, item.field.dataset)
        else item
        for item in new
    )


def _sides(step: Merge) -> list[Group]:
    """ "women vs men", "compare Pune and Mumbai": one row for each of the values."""
    if not (step.said.has("compare") or step.fragment.turn.sides):
        return []
    sides = [item for item in step.fragment.filters if isinstance(item, Condition) and item.operator == "in"]
    shown = [dimension.field for dimension in step.intent.dimensions]
    step.beside |= bool(sides)
    return [Group(field=side.field) for side in sides if not same_field(side.field, shown)]


def transform(step: Merge) -> None:
    """Show the figures as shares, changes or running totals."""
    if step.fragment.share:
        _share(step)
    for kind in step.fragment.turn.transforms:
        measures = tuple(measure.model_copy(update={"transform": kind}) for measure in step.intent.measures)
        if not measures:
            step.left.append("change")
        step.put(measures=measures)


def _share(step: Merge) -> None:
    """ "as a percentage": of the groups' total, or of the rows without the last condition."""
    intent = step.intent
    if step.said.has("everything") and _share_of_all(step):
        return
    if intent.measures and intent.dimensions and not step.said.has("of_each"):
        shares = tuple(m.model_copy(update={"transform": "share_of_total"}) for m in intent.measures)
        step.put(measures=shares)
    elif len(intent.measures) == 1 and intent.filters:
        *common, last = intent.filters
        whole = intent.measures[0]
        part = whole.model_copy(update={"filters": (last,), "denominator": whole, "percent": True})
        step.put(measures=(part,), filters=tuple(common))
    else:
        step.left.append("share of what")


def _share_of_all(step: Merge) -> bool:
    """ "as a percentage of all accounts": of those without the condition; False where there is none to leave out."""
    intent, knows = step.intent, step.knowledge
    if len(intent.measures) != 1:
        return False
    whole = intent.measures[0]
    plain = None if intent.filters else unfolded(whole, knows)
    narrowed = intent.filters or whole.filters or (plain[1:] if plain else ())
    if not narrowed:
        return False
    base = base_of_intent(step.before, knows)
    shown = {base, *(dimension.field.dataset for dimension in intent.dimensions)}
    leaves = leaves_of(step.fragment.phrase) if step.fragment.phrase else ()
    others = any(isinstance(leaf.value, Thing) and leaf.value.dataset not in shown for leaf in leaves)
    dated = intent.period.field if intent.period else None
    late = dated is not None and base is not None and dated != knows.time_field(base)
    vague = bool(intent.dimensions) and (len(narrowed) > 1 or not step.fragment.groups)  # of all, or of all of each?
    if others or late or vague or whole.denominator or whole.transform:
        step.left.append("share of all")  # what was delivered in 2025 is no share of what was delivered in 2025
        return True
    whole = plain[0] if plain else whole if intent.filters else whole.model_copy(update={"filters": ()})
    part = whole.model_copy(update={"filters": (*whole.filters, *narrowed), "denominator": whole, "percent": True})
    orders = (order.model_copy(update={"measure": part}) if order.measure else order for order in intent.order)
    step.put(measures=(part,), filters=(), order=tuple(orders))
    return True


def _hold_to_its_rows(step: Merge) -> None:
    """What a metric says of its rows becomes a condition on them."""
    if any(not isinstance(item, Condition) for item in step.intent.filters):
        step.left.append("who")  # "accounts without cards" are not the accounts of customers without cards
    for measure in step.intent.measures:
        plain = unfolded(measure, step.knowledge)
        if plain is not None:
            step.put(filters=(*step.intent.filters, plain[1]))
        elif measure.filters:
            step.put(filters=(*step.intent.filters, *measure.filters))
        elif measure.denominator is not None or not is_plain(measure, step.knowledge):
            step.left.append("who")  # a ratio counts no rows of one kind


def show_rows(step: Merge) -> None:
    """ "show me the list", "who are they": the rows behind a figure."""
    told = step.fragment
    other = told.groups or told.measures or told.share or told.turn.transforms or told.limit or told.wishes or told.best
    bare = told.turn.lists and (not step.changed or (step.said.has("pronoun") and not step.intent.dimensions))
    if other or not (bare or step.said.has("rows")):
        return
    base = base_of_intent(step.intent, step.knowledge)
    if (
        step.said.has("pronoun")
        and step.intent.subject
        and base
        and step.knowledge.is_parent(base, step.intent.subject)
        and all(thing.dataset != base for thing in told.things)
    ):
        base = step.intent.subject
    if step.said.has("people") and step.knowledge.people is not None:
        base = step.knowledge.people
    if base is not None and base != base_of_intent(step.intent, step.knowledge):
        _hold_to_its_rows(step)
        move(step, base)
    if base is not None and (step.intent.measures or base != base_of_intent(step.intent, step.knowledge)):
        list_rows(step, base)
    step.changed |= base is not None
