"""The price of a structured question: how far apart its parts lie, and whether anybody would ask it."""

from __future__ import annotations

from itertools import product

from ai_engine.built_in.knowledge import Knowledge
from ai_engine.built_in.meanings import Thing
from ai_engine.built_in.sketch import Sketch
from ai_engine.semantics.intent import (
    Condition,
    Intent,
    Membership,
)
from ai_engine.semantics.join_paths import linking_datasets, shared_parents

_DISTANCE_COST = 0.12
_NO_WAY_COST = 3.0
_FUTILE_COST = 1.0
_FAR = 9
_NEAR_STEPS = 3  # farther tables are dear already, and all ways to them are many


def futility(intent: Intent, knows: Knowledge) -> float:
    """Counting rows per their own key gives ones only: nobody asks that."""
    counted = {measure.dataset for measure in intent.measures if measure.aggregate == "count"}
    keys = {knows.key(dataset) for dataset in counted if dataset}
    return _FUTILE_COST * any(dimension.field in keys for dimension in intent.dimensions)


def ranks_ones(intent: Intent, knows: Knowledge) -> bool:
    """ "busiest branch" asks for no number of branches, of which each has one."""
    counted = {order.measure.dataset for order in intent.order if order.measure and order.measure.aggregate == "count"}
    own = [item.field for item in intent.dimensions if item.field.dataset in counted and not item.field.via]
    return any(
        knows.field(place).role == "identifier" or place in knows.naming_fields(Thing(place.dataset)) for place in own
    )


def spread(intent: Intent, knows: Knowledge) -> float:
    """Readings whose parts lie close together in the schema are likelier."""
    places = places_of(intent)
    bases = [base for measure in intent.measures if (base := knows.base(measure))]
    center = bases[0] if bases else intent.subject or (places[0] if places else None)
    if center is None:
        return 0.0
    steps = [
        knows.distance(center, place) for place in {*places, *bases[1:], *([intent.subject] if intent.subject else [])}
    ]
    return sum(_NO_WAY_COST if step >= _FAR else step * _DISTANCE_COST for step in steps)


def unused_things(sketch: Sketch, intent: Intent, knows: Knowledge) -> tuple[str, ...]:
    """Things that were named and became no part of the question; a thing that each row belongs to is no loss."""
    used = {*places_of(intent), *(base for measure in intent.measures if (base := knows.base(measure)))}
    bases = [base for measure in intent.measures if (base := knows.base(measure))]
    if intent.subject and (not bases or any(_leads_to(base, intent.subject, knows) for base in bases)):
        used.add(intent.subject)  # in "branches by deposits and loans" the loans are more than whose deposits they are
    lost = [
        thing.dataset
        for thing in (*sketch.things, *sketch.owners)
        if thing.dataset not in used and not any(knows.is_parent(place, thing.dataset) for place in used)
    ]
    return tuple(knows.dataset(name).label for name in dict.fromkeys(lost))


def unsaid_links(sketch: Sketch, intent: Intent, knows: Knowledge) -> tuple[str, ...]:
    """Conditions on and groups of rows that only share a parent with those in question, which nobody spoke of.

    "Deposits on 31 March" are not those of branches where some instalment is due on that day.
    """
    bases = [base for measure in intent.measures if (base := knows.base(measure))]
    bases = bases or ([intent.subject] if intent.subject else [])
    seen = [*intent.columns, *(item.field for item in intent.dimensions)]
    named = {thing.dataset for thing in sketch.things} | {field.dataset for field in seen}
    seen += [item.field for item in intent.filters if isinstance(item, Condition)]
    seen += [intent.period.field] if intent.period is not None and intent.period.field is not None else []
    places = dict.fromkeys([field.dataset for field in seen] + ([intent.subject] if intent.subject else []))
    lost = []
    for base, place in product(dict.fromkeys(bases), places):
        if place == base or knows.is_parent(base, place) or knows.is_parent(place, base):
            continue  # one belongs to the other
        far = knows.distance(base, place) > _NEAR_STEPS
        ways = () if far else knows.lexicon.reach.ways(base, place)
        linked = any(linking_datasets(way) or named.issuperset(shared_parents(way)) for way in ways)
        if far or (ways and not linked):
            lost.append(f"how {knows.dataset(place).label} and {knows.dataset(base).label} belong together")
    return tuple(lost)


def strange_ways(intent: Intent, knows: Knowledge) -> tuple[str, ...]:
    """Parties of other rows than those in question: no loan is "sent by" anybody where payments are."""
    counted = [base for measure in intent.measures if (base := knows.base(measure))]
    bases = counted or ([intent.subject] if intent.subject else [])
    fields = [item.field for item in intent.filters if isinstance(item, Condition) and len(item.field.via) == 1]
    links = [knows.model.relationship(field.via[0]) for field in fields]
    return tuple(
        f"{link.synonyms[0]} of {knows.dataset(base).label}"
        for link in links
        for base in bases
        if link.synonyms and not _leads_to(base, link.from_dataset, knows)
    )


def _leads_to(base: str, rows: str, knows: Knowledge) -> bool:
    return base == rows or knows.is_parent(base, rows) or knows.is_parent(rows, base)


def places_of(intent: Intent) -> list[str]:
    """Return the datasets of everything the question names but its figures."""
    places = [field.dataset for field in intent.columns]
    places += [dimension.field.dataset for dimension in intent.dimensions]
    for item in intent.filters:
        if isinstance(item, Condition):
            places.append(item.field.dataset)
        elif isinstance(item, Membership):
            places.append(item.dataset)
            places += [inner.field.dataset for inner in item.filters if isinstance(inner, Condition)]
    places += [order.field.dataset for order in intent.order if order.field]
    places += [item.field.dataset for m in intent.measures for item in m.filters if isinstance(item, Condition)]
    return places
