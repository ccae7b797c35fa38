"""What a fragment asks for: another figure, the same in another way or of other things, one more column."""

from __future__ import annotations

from ai_engine.built_in.follow_up.dropping import ungrouped
from ai_engine.built_in.follow_up.figures import (
    aggregate_of,
    base_of,
    base_of_intent,
    counterpart,
    taken_as,
    unfolded,
)
from ai_engine.built_in.follow_up.filters import fields_of
from ai_engine.built_in.follow_up.moving import move
from ai_engine.built_in.follow_up.step import Merge, dimensions_of, list_rows
from ai_engine.built_in.follow_up.those_shown import belongs_to_shown, count_those_shown, keep_groups, points_to_chosen
from ai_engine.built_in.grammar.phrases import Group
from ai_engine.built_in.grammar.turn import Turn
from ai_engine.built_in.meanings import Thing
from ai_engine.semantics.intent import Condition, FieldRef, Intent, Measure

_NAMING_DAYS = frozenset({"date", "dates", "day", "days", "month", "months"})


def change_figures(step: Merge) -> None:
    """Another figure, the same figure taken in another way, or the same of other things."""
    said, knows, intent = step.fragment, step.knowledge, step.intent
    new = list(said.measures)
    for place in list(said.fields):
        item = knows.field(place)
        if step.said.has("only") and intent.measures and (item.role != "measure" or said.turn == Turn(fields=(place,))):
            said.fields.remove(place)
            _keep_only(step, place)
            continue
        if item.role == "measure" and (intent.measures or new) and not said.wishes:
            said.fields.remove(place)
            new.append(Measure(aggregate=item.default_aggregate or "sum", field=place))
    if said.aggregates:
        taken = _taken(step, said.aggregates)
        if not (taken or new) or (new and "avg" in said.aggregates and any(m.aggregate == "count" for m in new)):
            step.left.append(" and ".join(said.aggregates))  # how many each has on average is another figure
        if taken and not new and not step.said.has("back") and _asked_again(step, said.aggregates):
            return
        new.extend(taken)
    new = [measure for measure in new if not _is_condition(step, measure) and not _is_only_date(step, measure)]
    step.nouns = [thing for thing in said.things if _is_only_noun(step, thing)]
    things = [thing for thing in said.things if thing not in step.nouns]
    if count_those_shown(step, new):
        return
    shown = [thing for thing in things if _is_shown_beside(step, thing)]
    if new:
        _measure(step, new)
    elif shown:
        said.fields = [place for thing in shown for place in step.knowledge.naming_fields(thing)] + said.fields
    elif things and points_to_chosen(step) and intent.measures and _are_theirs(step, things[0]):
        step.fragment.groups.append(Group(thing=things[0].dataset, via=things[0].via))  # beside those shown
    elif things and (step.fragment.turn.beside or (step.said.has("only") and intent.measures)):
        step.left.append(step.knowledge.dataset(things[0].dataset).label)
    elif things:
        _switch(step, things[0])
    if said.fields:
        _list_with_them(step)
        _describe(step)


def _keep_only(step: Merge, place: FieldRef) -> None:
    """ "only the paid ones": those that have a day of it; "only the amount" of several figures."""
    item, knows = step.knowledge.field(place), step.knowledge
    if item.role == "measure":
        step.fragment.measures.append(Measure(aggregate=item.default_aggregate or "sum", field=place))
    elif (
        step.fragment.turn == Turn(fields=(place,))
        and item.role == "time"
        and knows.may_lack(place)
        and place != knows.time_field(place.dataset)
        and not _NAMING_DAYS.intersection(_words(step))
    ):
        step.fragment.filters.append(Condition(field=place, operator="is not null"))
    else:
        step.left.append(item.label)


def _words(step: Merge) -> frozenset[str]:
    return frozenset(token.word for token in step.fragment.tokens)


def _is_shown_beside(step: Merge, thing: Thing) -> bool:
    """ "show the buyer too", of listed claims: what each belongs to, in columns beside them."""
    base = base_of_intent(step.intent, step.knowledge)
    if (
        not (step.said.has("add") or step.fragment.turn.beside)
        or step.intent.measures
        or base is None
        or step.fragment.filters
    ):
        return False
    return step.knowledge.is_parent(base, thing.dataset)


def _are_theirs(step: Merge, thing: Thing) -> bool:
    shown = [item.field for item in step.intent.dimensions]
    return belongs_to_shown(thing.dataset, shown, step.knowledge)


def _asked_again(step: Merge, aggregates: tuple[str, ...]) -> bool:
    """ "what is the total?" of totals by city: the same figure over all rows, which are more than a top 5 shows."""
    intent = step.intent
    if not intent.dimensions or step.fragment.groups or step.fragment.filters or step.said.has("add"):
        return False
    if [aggregate_of(measure, step.knowledge) for measure in intent.measures] != list(aggregates):
        return False
    if intent.limit is not None or intent.having:
        step.left.append("the figure over the groups that are shown")
    step.put(**dict(ungrouped(intent)))
    return True


def _list_with_them(step: Merge) -> None:
    """ "list them with the branch": the rows that were counted, rather than figures by that."""
    base = base_of_intent(step.intent, step.knowledge)
    counted = bool(step.intent.measures) and not step.intent.dimensions and not step.fragment.measures
    listed = (step.fragment.turn.lists or step.said.has("rows")) and step.said.has("pronoun")
    if listed and counted and base is not None:
        list_rows(step, base)


def _is_condition(step: Merge, measure: Measure) -> bool:
    """ "only debits": a figure that takes rows of one kind narrows another figure or a list of the same rows."""
    plain = unfolded(measure, step.knowledge) if step.said.has("only", "exclude") else None
    if plain is None or base_of(measure, step.knowledge) != base_of_intent(step.intent, step.knowledge):
        return False
    denied = {"operator": "!="} if step.fragment.denied else {}
    step.fragment.denied = False
    step.fragment.filters.append(plain[1].model_copy(update=denied))
    return True


def _is_only_date(step: Merge, measure: Measure) -> bool:
    """ "only those disbursed in 2025": the figure's own date, and not the figure, is what is narrowed."""
    metric = step.knowledge.model.metric(measure.metric) if measure.metric else None
    if metric is None or metric.time_field is None or step.fragment.period is None:
        return False
    same = base_of(measure, step.knowledge) == base_of_intent(step.intent, step.knowledge)
    if not (same and step.said.has("only", "pronoun")):
        return False
    dataset, field = metric.time_field.split(".")
    step.fragment.dated = FieldRef(dataset=dataset, field=field)
    return True


def _taken(step: Merge, aggregates: tuple[str, ...]) -> list[Measure]:
    intent, knows = step.intent, step.knowledge
    base = base_of_intent(intent, knows)
    sources = intent.measures[:1] or ((Measure(aggregate="count", dataset=base),) if base else ())
    found = [taken_as(source, aggregate, knows) for source in sources for aggregate in aggregates]  # type: ignore[arg-type]
    return [measure for measure in found if measure is not None]


def _is_only_noun(step: Merge, thing: Thing) -> bool:
    """ "only savings accounts", "those customers": the noun of a value, or what the question is about already."""
    base = base_of_intent(step.intent, step.knowledge)
    if thing.dataset in {base, step.intent.subject}:
        return not (step.intent.measures and step.said.has("pronoun") and step.fragment.turn.asks_what)
    s, said = step.knowledge, fields_of(step.fragment.filters)
    narrowed = any(thing.dataset == place.dataset or s.is_parent(thing.dataset, place.dataset) for place in said)
    if narrowed and base is not None and step.fragment.is_of_values and step.knowledge.is_parent(base, thing.dataset):
        return True  # "narrowboats?" of their passages
    return narrowed and (step.said.has("only", "exclude") or not step.intent.measures)


def _measure(step: Merge, new: list[Measure]) -> None:
    before = base_of_intent(step.intent, step.knowledge)
    listed = not step.intent.measures and step.said.has("add")
    each = (step.fragment.turn.each or listed) and not step.intent.dimensions
    kept = step.intent.measures if not each and (step.said.has("add") or points_to_chosen(step)) else ()
    columns = step.intent.columns
    old = step.intent.measures
    measures = tuple(dict.fromkeys((*kept, *new)))
    if not old:
        step.put(measures=measures, columns=(), order=(), limit=None, distinct=False)
    else:
        orders = tuple(
            order.model_copy(update={"measure": measures[0]}) if order.measure in old and not kept else order
            for order in step.intent.order
        )
        step.put(measures=measures, order=orders, having=step.intent.having if kept else ())
    step.changed = True
    base = base_of_intent(Intent(measures=tuple(new)), step.knowledge)
    if base is not None and base != before and kept and points_to_chosen(step):
        keep_groups(step, base)
    elif base is not None and base != before:
        move(step, base)
    if step.intent.subject == base:
        step.put(subject=None)
    if each and before is not None:
        shown = [place for place in columns if place not in step.knowledge.list_fields(before)]
        groups = [Group(thing=before), *(Group(field=place) for place in shown)]
        step.put(dimensions=dimensions_of(step, groups, measures, None), fill_gaps=True)


def _switch(step: Merge, thing: Thing) -> None:
    """ "and for loans?", "the customers": the same figure of other things, or a list of them."""
    if step.intent.measures and not (step.said.has("pronoun", "rows") or step.fragment.turn.lists):
        found = [counterpart(measure, thing.dataset, step.knowledge) for measure in step.intent.measures]
        measures = tuple(measure for measure in found if measure is not None)
        if not measures:
            step.left.append(step.knowledge.dataset(thing.dataset).label)
            return
        _measure(step, list(measures))
        return
    if base_of_intent(step.intent, step.knowledge) != thing.dataset:
        move(step, thing.dataset)
    list_rows(step, thing.dataset)


def _describe(step: Merge) -> None:
    """A field that is no figure: one more column of a list, another grouping of figures."""
    named, intent = list(step.fragment.fields), step.intent
    step.fragment.fields.clear()
    if intent.measures:
        step.fragment.groups.extend(_group(step, place) for place in named)
        step.described = True
        shown = [item.field for item in intent.dimensions]
        told = all(belongs_to_shown(place.dataset, shown, step.knowledge) for place in named)
        step.beside |= step.fragment.turn.beside or (told and step.said.has("soft") and not step.said.has("only"))
        return
    step.put(columns=tuple(dict.fromkeys((*intent.columns, *named))))
    step.changed = True


def _group(step: Merge, place: FieldRef) -> Group:
    """Those who are called alike are not the same."""
    thing = Thing(place.dataset, place.via)
    keyed = place in step.knowledge.naming_fields(thing) and len(step.knowledge.entity_fields(thing)) > 1
    return Group(thing=thing.dataset, via=thing.via) if keyed else Group(field=place)
