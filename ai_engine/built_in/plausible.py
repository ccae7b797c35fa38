"""Whether anybody would ask a structured question: no ranking of ones, no rows that hang together by nothing said."""

from __future__ import annotations

from itertools import product
from typing import Any

from ai_engine.built_in.knowledge import Knowledge
from ai_engine.built_in.meanings import Thing
from ai_engine.built_in.shared_codes import misplaced_kinds
from ai_engine.semantics.intent import AnyOf, Condition, FieldRef, Intent
from ai_engine.semantics.join_paths import linking_datasets, shared_parents
from ai_engine.semantics.words import words

RANKING = "a ranking: by what"
_NEAR_STEPS = 3  # farther tables are dear already, and all ways to them are many


def strange(intent: Intent, named: frozenset[str], knows: Knowledge) -> tuple[str, ...]:
    """Why nobody would ask so; `named` are the datasets that were spoken of."""
    ranked = (RANKING,) if ranks_ones(intent, knows) else ()
    twice = ("one thing that is two at once",) if is_two_at_once(intent) else ()
    kinds = misplaced_kinds(intent, knows.lexicon.kinds_of_codes)
    return (*ranked, *twice, *kinds, *strange_ways(intent, knows), *unsaid_links(intent, named, knows))


def ranks_ones(intent: Intent, knows: Knowledge) -> bool:
    """ "busiest branch" asks for no number of branches, of which each has one."""
    counted = {order.measure.dataset for order in intent.order if order.measure and order.measure.aggregate == "count"}
    own = [item.field for item in intent.dimensions if item.field.dataset in counted and not item.field.via]
    return any(
        knows.field(place).role == "identifier"
        or (place in knows.naming_fields(Thing(place.dataset)) and not _names_another(place, knows))
        for place in own
    )


def is_two_at_once(intent: Intent) -> bool:
    """ "balance over 100 and balance below 50", "active accounts that are dormant or closed"."""
    plain = [item for item in intent.filters if isinstance(item, Condition) and len(item.values) == 1]
    least: dict[FieldRef, Any] = {item.field: item.values[0] for item in plain if item.operator in {">", ">="}}
    most = {item.field: item.values[0] for item in plain if item.operator in {"<", "<="}}
    if any(type(most[place]) is type(least[place]) and most[place] < least[place] for place in most.keys() & least):
        return True
    held = {item.field: item.values for item in plain if item.operator == "="}
    either = [item.filters for item in intent.filters if isinstance(item, AnyOf)]
    return any(
        all(isinstance(c, Condition) and c.operator == "=" and c.values != held.get(c.field, c.values) for c in one)
        for one in either
    )


def _names_another(place: FieldRef, knows: Knowledge) -> bool:
    """A dispute's merchant name is that of a merchant, of whom there may be many disputes."""
    dataset = knows.dataset(place.dataset)
    whose = set(words(knows.field(place).label)) - {"name"}
    unique = (place.field,) in {dataset.primary_key, *dataset.unique_keys}
    return bool(whose) and not unique and whose.isdisjoint(words(dataset.label))


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
        if link.synonyms and not leads_to(base, link.from_dataset, knows)
    )


def leads_to(base: str, rows: str, knows: Knowledge) -> bool:
    """Tell whether one belongs to the other."""
    return base == rows or knows.is_parent(base, rows) or knows.is_parent(rows, base)


def unsaid_links(intent: Intent, named: frozenset[str], knows: Knowledge) -> tuple[str, ...]:
    """Conditions on, groups and orders of rows that only share a parent with those in question, which nobody spoke of.

    "Deposits on 31 March" are not those of branches where some instalment is due on that day.
    """
    bases = [base for measure in intent.measures if (base := knows.base(measure))]
    bases = bases or ([intent.subject] if intent.subject else [])
    seen = [*intent.columns, *(item.field for item in intent.dimensions)]
    spoken = named | {field.dataset for field in seen}
    seen += [item.field for item in intent.filters if isinstance(item, Condition)]
    seen += [intent.period.field] if intent.period is not None and intent.period.field is not None else []
    ordered = [knows.base(item.measure) for item in intent.order if item.measure]
    ordered += [item.field.dataset for item in intent.order if item.field]
    places = dict.fromkeys([field.dataset for field in seen] + [one for one in [intent.subject, *ordered] if one])
    lost = []
    for base, place in product(dict.fromkeys(bases), places):
        if place == base or knows.is_parent(base, place) or knows.is_parent(place, base):
            continue  # one belongs to the other
        far = knows.distance(base, place) > _NEAR_STEPS
        ways = () if far else knows.lexicon.reach.ways(base, place)
        linked = any(linking_datasets(way) or spoken.issuperset(shared_parents(way)) for way in ways)
        if far or (ways and not linked):
            lost.append(f"how {knows.dataset(place).label} and {knows.dataset(base).label} belong together")
    return tuple(lost)
