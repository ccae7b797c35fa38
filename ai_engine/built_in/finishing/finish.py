"""From a sketch to the structured question: what was left open is decided here, by the vocabulary's defaults."""

from __future__ import annotations

from dataclasses import dataclass

from ai_engine.built_in.finishing.asked_figures import asked_figures
from ai_engine.built_in.finishing.asked_lists import asked_list, list_subject
from ai_engine.built_in.finishing.dated_deeds import date_deeds
from ai_engine.built_in.finishing.default_figures import default_measures
from ai_engine.built_in.finishing.first_of_each import each_left_out, extreme_of_each_step, first_rows_of_each
from ai_engine.built_in.finishing.listed_codes import list_codes_of_kind
from ai_engine.built_in.finishing.most_in_money import rank_by_the_amount
from ai_engine.built_in.finishing.one_row import are_only_figures, not_asked_again
from ai_engine.built_in.finishing.only_those import only_those_meant
from ai_engine.built_in.finishing.owners_beside import owners_of_those_rows
from ai_engine.built_in.finishing.plausibility import (
    futility,
    left_out_or_strange,
    spread,
)
from ai_engine.built_in.finishing.present_states import date_states
from ai_engine.built_in.finishing.role_columns import show_how_much, show_roles
from ai_engine.built_in.finishing.settling import date_of_state, dates_of_steps, said_of_figures, settle_waiting
from ai_engine.built_in.finishing.things_with_figures import figures_of_things, listed_by, seen_from
from ai_engine.built_in.finishing.two_sides import sides_of
from ai_engine.built_in.knowledge import Knowledge, ref
from ai_engine.built_in.meanings import Attribute, Step, Thing
from ai_engine.built_in.own_kind import settle_own_kind
from ai_engine.built_in.plausible import unsaid_links
from ai_engine.built_in.said_of_all import hold_of_all
from ai_engine.built_in.shared_codes import misplaced_kinds
from ai_engine.built_in.sketch import GroupTarget, Sketch, Walk
from ai_engine.semantics.intent import (
    Condition,
    FieldRef,
    Intent,
    Measure,
)


@dataclass(frozen=True)
class Finished:
    """A structured question with its price; `intent` None when the sketch asks for nothing."""

    intent: Intent | None
    cost: float


def finish(walk: Walk) -> Finished:
    """Turn a finished walk into a structured question."""
    sketch, knows = walk.sketch, walk.knowledge
    show_how_much(walk)
    settle_waiting(walk)
    hold_of_all(sketch)
    show_roles(sketch, knows)
    settle_own_kind(sketch, knows)
    _step_along_compared_periods(sketch)
    if not (sketch.measures or sketch.attributes or sketch.things or sketch.orders or sketch.groups or sketch.filters):
        return Finished(None, sketch.cost + 5.0)
    list_codes_of_kind(sketch, knows)
    date_of_state(sketch, knows)
    date_deeds(walk)
    date_states(walk)
    extreme_of_each_step(sketch)
    intent = first_rows_of_each(walk)
    measures, columns, groups = _split_attributes(sketch, knows) if intent is None else ([], [], [])
    if sketch.compare and sketch.period and not (measures or groups or columns or sketch.orders):
        subject = list_subject(sketch, knows, columns)
        measures = [Measure(aggregate="count", dataset=subject)] if subject is not None else []
    if intent is not None:
        sketch.unplaced.extend(said_of_figures(sketch))
    elif measures or groups:
        rank_by_the_amount(walk, measures)
        intent = asked_figures(sketch, knows, measures, groups)
    else:
        intent = asked_list(sketch, knows, columns)
        sketch.unplaced.extend(said_of_figures(sketch))
    if intent is None:
        return Finished(None, sketch.cost + 5.0)
    sketch.unplaced.extend(each_left_out(sketch, intent, knows))
    intent = owners_of_those_rows(sketch, only_those_meant(sketch, intent, knows), knows)
    sketch.unplaced.extend(misplaced_kinds(intent, knows.lexicon.kinds_of_codes))
    sketch.unplaced.extend(left_out_or_strange(walk, intent))
    if not sketch.unplaced:  # else it is refused already, and ways through a large schema take time
        sketch.unplaced.extend(unsaid_links(intent, frozenset(thing.dataset for thing in sketch.things), knows))
    return Finished(intent, sketch.cost + spread(intent, knows) + futility(intent, knows))


def _step_along_compared_periods(sketch: Sketch) -> None:
    """ "compare disbursements in Q2 and Q3": a row for each quarter."""
    if sketch.one_row_each and sketch.compare is None and sketch.period is not None and sketch.period.each is not None:
        sketch.groups.append(Step(sketch.period.each))
        sketch.one_row_each = False


def _split_attributes(sketch: Sketch, knows: Knowledge) -> tuple[list[Measure], list[FieldRef], list[GroupTarget]]:
    """Decide for each plainly named field whether it is a figure, a group or a column of a list."""
    if sketch.asks_when and sketch.orders:
        sketch.measures.clear()  # "when did we disburse the last loan" asks for the day, not for the amount
    measures, groups = list(sketch.measures), list(sketch.groups)
    named = dates_of_steps(sketch, list(dict.fromkeys(sketch.attributes)), knows)
    named = not_asked_again(sketch, _without_happenings(sketch, named, knows))
    ranked = bool(sketch.havings) or any(wish.measure for wish in sketch.orders)
    asks_one = sketch.limit == 1 and not sketch.skip
    only_figures = are_only_figures(sketch, named, knows)
    listed = bool(named) and not (measures or ranked or only_figures)
    if sketch.shown_with is not None and (figures := figures_of_things(sketch, named, knows)):
        return figures, [], listed_by(sketch.shown_with, named, knows)
    if listed and groups and _lists_of_each(sketch, named, groups, knows):
        _list_groups(sketch, groups, knows)
        groups = []
    if measures or groups or ranked:
        described: list[GroupTarget] = []
        for attribute in named:
            item = knows.field(attribute)
            if item.role == "measure" and item.default_aggregate and not _describes_group(sketch, attribute, knows):
                measures.append(Measure(aggregate=item.default_aggregate, field=ref(attribute)))
            elif not any(isinstance(group, Attribute) and group == attribute for group in groups):
                described.append(attribute)
        groups = [*described, *sketch.beside, *groups]
        groups = _without_redundant_things(groups, measures, knows)
        if _describes_ranked(sketch, described, knows):
            groups = [sketch.things[0], *groups]
        groups = _seen_from_their_thing(sketch, groups, described, knows)
        if not measures and asks_one and _ranks_own_rows_of_each(sketch):
            measures = _extreme(sketch, knows)  # "highest transaction per channel"
        if not measures:
            measures = [wish.measure for wish in sketch.orders if wish.measure]
            measures = measures or [having.measure for having in sketch.havings] or default_measures(sketch, knows)
        return measures, [], groups
    if sketch.extreme and not named and len(sketch.orders) == 1 and asks_one:
        return _extreme(sketch, knows), [], groups
    only_when = sketch.asks_when and not (
        sketch.asks_what and sketch.things
    )  # "who is the oldest, and when was she born"
    when = sketch.orders[0] if only_when and len(sketch.orders) == 1 else None
    if when is not None and when.field is not None and knows.field(when.field).role == "time":
        return _extreme(sketch, knows), [], groups
    if (
        sketch.distinct
        and not named
        and not measures
        and not groups
        and sketch.things
        and not (sketch.asks_list or sketch.asks_what)
    ):
        return [Measure(aggregate="count", dataset=sketch.things[0].dataset)], [], groups
    if not named and not measures and (sides := sides_of(sketch)) is not None:
        base = sketch.things[0].dataset if sketch.things else sides[0].field.dataset
        return [Measure(aggregate="count", dataset=base)], [], groups
    if _is_compared(sketch) and not named and not measures and sketch.things:
        return [Measure(aggregate="count", dataset=sketch.things[0].dataset)], [], groups
    counts = only_figures and all(knows.field(item).unit == "count" for item in named)
    shown = sketch.asks_list or sketch.beside  # "loans: member, office, amount"
    if only_figures and (counts or not shown) and not _lists_things(sketch):
        for attribute in named:
            default = knows.field(attribute).default_aggregate or "sum"
            if len(sketch.orders) == 1 and sketch.orders[0].field == ref(attribute) and asks_one:
                default = "max" if sketch.orders.pop().descending else "min"
                sketch.limit = None
            measures.append(Measure(aggregate=default, field=ref(attribute)))
        return measures, [], groups
    if sketch.skip and not named and not sketch.things and (ranked_by := sketch.orders[0].field) is not None:
        return measures, [ranked_by], groups
    if not named and len(sketch.orders) == 1 and asks_one and not sketch.things:
        return _extreme(sketch, knows), [], groups
    asked = [wish.field for wish in sketch.orders if sketch.extreme and wish.field is not None]
    return measures, [*asked, *map(ref, named)], groups  # "the highest balance and its account number"


def _is_compared(sketch: Sketch) -> bool:
    """ "compare UPI and NEFT", "compare transactions this quarter with last quarter": by their number."""
    return sketch.one_row_each or (sketch.compare is not None and not sketch.asks_list)


def _lists_of_each(sketch: Sketch, named: list[Attribute], groups: list[GroupTarget], knows: Knowledge) -> bool:
    """ "closing dates by branch"; kinds are rather counted: "loan status by branch"."""
    kinds = {"category", "flag"}.issuperset(knows.field(item).role for item in named)
    return all(isinstance(group, Thing) for group in groups) and (sketch.asks_list or not kinds)


def _list_groups(sketch: Sketch, groups: list[GroupTarget], knows: Knowledge) -> None:
    """ "date and amount for each payment" lists the payments, "closing dates by branch" shows the branch of each."""
    for group in groups:
        if isinstance(group, Thing):
            above = any(knows.is_parent(thing.dataset, group.dataset) for thing in sketch.things)
            (sketch.beside if above else sketch.things).append(group)


def _without_happenings(sketch: Sketch, named: list[Attribute], knows: Knowledge) -> list[Attribute]:
    """ "how many portfolios have been closed": a verb whose date may be missing asks for rows that have it."""
    counted = sketch.counted_by
    undated = sketch.period is None and not sketch.groups_by_time
    if counted is not None and undated and knows.dataset(counted.dataset).default_time != counted.field:
        sketch.filters.append(Condition(field=counted, operator="is not null"))
    figures = [base for measure in sketch.measures if (base := knows.base(measure))]
    figures += [item.dataset for item in named if knows.field(item).role == "measure" and not sketch.asks_list]
    grouped = [group.dataset for group in sketch.groups if isinstance(group, Thing)]
    whose = next(iter([*(thing.dataset for thing in sketch.things), *figures, *grouped]), None)
    if sketch.asks_when or whose is None:
        return named
    kept = []
    for attribute in named:
        shown = sketch.attributes.count(attribute) > sketch.happened.count(attribute)  # "closing date of closed ones"
        own = attribute.dataset in {whose, *grouped} and attribute in sketch.happened
        if own and attribute.dataset == whose and sketch.period is not None and sketch.period_field is None:
            sketch.period_field = ref(attribute)  # "closed portfolios last year" were closed in that year
        elif own and knows.dataset(attribute.dataset).default_time != attribute.field:
            sketch.filters.append(Condition(field=ref(attribute), operator="is not null"))
            kept += [attribute] if shown else []
        elif not (own and figures and sketch.period is not None):  # "disbursed amount last year"
            kept.append(attribute)
    return kept


def _describes_group(sketch: Sketch, attribute: Attribute, knows: Knowledge) -> bool:
    """A number that is grouped by, or that belongs to the thing whose many rows are ranked or compared."""
    if any(isinstance(group, Attribute) and group == attribute for group in sketch.groups):
        return True
    if sketch.measures:
        return False
    compared = [wish.measure for wish in sketch.orders if wish.measure] + [having.measure for having in sketch.havings]
    bases = [base for measure in compared if (base := knows.base(measure))]
    return any(knows.is_parent(base, attribute.dataset) for base in bases)


def _describes_ranked(sketch: Sketch, described: list[GroupTarget], knows: Knowledge) -> bool:
    """ "10 customers with the highest balance with their segment": the things are the groups, not their segments."""
    if sketch.groups or not (sketch.limit and sketch.things and described):
        return False
    named = [item for item in described if isinstance(item, Attribute)]
    own = sketch.things[0].dataset
    told = any(item.dataset == own and knows.field(item).role in {"name", "identifier"} for item in named)
    said, said_last = sketch.attributes, sketch.after_ranking  # "which city's clients ...? Show the city"
    return not told and all(item in said_last and said.count(item) == said_last.count(item) for item in named)


def _seen_from_their_thing(
    sketch: Sketch, groups: list[GroupTarget], described: list[GroupTarget], knows: Knowledge
) -> list[GroupTarget]:
    """ "each customer's city and total balance", "top 5 customers by total balance with their city"."""
    grouped = next((group for group in groups if isinstance(group, Thing)), None)
    ranked = sketch.things[0] if sketch.things and sketch.limit is not None else None
    seen = []
    for group in groups:
        thing = grouped or (ranked if group in sketch.after_ranking else None)
        seen.append(seen_from(thing, group, knows) if thing is not None and group in described else group)
    return seen


def _ranks_own_rows_of_each(sketch: Sketch) -> bool:
    """ "highest transaction per channel" is one of its transactions; "which branch of each region" ranks branches."""
    ranked = sketch.orders[0].field if len(sketch.orders) == 1 else None
    own = ranked is not None and all(thing.dataset == ranked.dataset for thing in sketch.things)
    return own and bool(sketch.each_groups)


def _lists_things(sketch: Sketch) -> bool:
    """ "balances of the accounts opened by ..." lists rows when it asks which; a filter on one row does not."""
    return sketch.asks_what and bool(sketch.things) and not sketch.orders and bool(sketch.filters)


def _extreme(sketch: Sketch, knows: Knowledge) -> list[Measure]:
    """ "what is the highest balance" asks for the figure, not for the row."""
    wish = sketch.orders[0]
    if wish.field is None or knows.field(wish.field).role not in {"measure", "time"}:
        return []
    sketch.orders.clear()
    sketch.limit = None
    return [Measure(aggregate="max" if wish.descending else "min", field=wish.field)]


def _without_redundant_things(
    groups: list[GroupTarget], measures: list[Measure], knows: Knowledge
) -> list[GroupTarget]:
    """Where the named fields of a thing tell its rows apart, they stand for it; two branches may share a city.

    "Each type of transaction" has figures of the transactions themselves, which are no groups.
    """
    counted = {knows.base(measure) for measure in measures}
    named: dict[str, set[str]] = {}
    for group in groups:
        if isinstance(group, Attribute):
            named.setdefault(group.dataset, set()).add(group.field)

    def told_apart(thing: Thing) -> bool:
        if thing.dataset in counted and thing.dataset in named:
            return True
        dataset = knows.dataset(thing.dataset)
        keys = (dataset.primary_key, *dataset.unique_keys)
        return any(key and named.get(thing.dataset, set()).issuperset(key) for key in keys)

    kept = [group for group in groups if not (isinstance(group, Thing) and told_apart(group))]
    return list(dict.fromkeys(kept))
