"""The price of a structured question: how far apart its parts lie, and whether anybody would ask it."""

from __future__ import annotations

from ai_engine.built_in.knowledge import Knowledge
from ai_engine.built_in.meanings import Attribute, Cue
from ai_engine.built_in.plausible import leads_to, ranks_ones, strange_ways
from ai_engine.built_in.sketch import Item, Sketch, Walk
from ai_engine.semantics.intent import (
    Condition,
    FieldRef,
    Intent,
    Membership,
    parts_of,
)
from ai_engine.semantics.words import stem, words

_PAYING = frozenset("pay pays paid paying receive receives received send sends sent".split())
_WAYS = ({"in", "out"}, {"incoming", "outgoing"}, {"inbound", "outbound"}, {"inward", "outward"}, {"i", "o"})
_DISTANCE_COST = 0.12
_NO_WAY_COST = 3.0
_FUTILE_COST = 1.0
_FAR = 9
_MIXTURE = 3
_NEAR_STEPS = 3  # farther tables are dear already, and all ways to them are many


def futility(intent: Intent, knows: Knowledge) -> float:
    """Counting rows per their own key gives ones only: nobody asks that."""
    counted = {measure.dataset for measure in intent.measures if measure.aggregate == "count"}
    keys = {knows.key(dataset) for dataset in counted if dataset}
    return _FUTILE_COST * any(dimension.field in keys for dimension in intent.dimensions)


def left_out_or_strange(walk: Walk, intent: Intent) -> tuple[str, ...]:
    """What was named and is no part of the question, and what nobody would ask so."""
    sketch, knows = walk.sketch, walk.knowledge
    return (
        *(("a ranking: by what",) if ranks_ones(intent, knows) else ()),
        *_ranked_flags(sketch, intent, knows),
        *_unsaid_ways(walk, intent),
        *_unused_things(sketch, intent, knows),
        *strange_ways(intent, knows),
        *_unsaid_mixture(walk, intent),
    )


def _ranked_flags(sketch: Sketch, intent: Intent, knows: Knowledge) -> tuple[str, ...]:
    """ "which employee handled most", where only customers are marked as such: a yes or no ranks nobody."""
    fields = [knows.field(item.field) for item in intent.dimensions]
    if intent.limit is None or not fields or any(item.role != "flag" for item in fields):
        return ()
    labels = {item.label for item in fields}
    return tuple(said for said, meaning in sketch.meanings if meaning in labels) or ("a ranking: of what",)


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


def _unused_things(sketch: Sketch, intent: Intent, knows: Knowledge) -> tuple[str, ...]:
    """Things that were named and became no part of the question; a thing that each row belongs to is no loss."""
    used = {*places_of(intent), *(base for measure in intent.measures if (base := knows.base(measure)))}
    bases = [base for measure in intent.measures if (base := knows.base(measure))]
    if intent.subject and (not bases or any(leads_to(base, intent.subject, knows) for base in bases)):
        used.add(intent.subject)  # in "branches by deposits and loans" the loans are more than whose deposits they are
    lost = [
        thing.dataset
        for thing in (*sketch.things, *sketch.owners)
        if thing.dataset not in used and not any(knows.is_parent(place, thing.dataset) for place in used)
    ]
    return tuple(knows.dataset(name).label for name in dict.fromkeys(lost))


def _unsaid_mixture(walk: Walk, intent: Intent) -> tuple[str, ...]:
    """Figures of several tables of which more than one were named by a part of their name only: no question asks them.

    "Interest paid, total and number of accounts" is not interest due, closing balances and accounts side by side.
    """
    knows = walk.knowledge
    bases = {base for measure in intent.measures if (base := knows.base(measure)) is not None}
    said = {stem(word) for item in walk.items for word in words(item.text)}
    fields = [measure.field for measure in intent.measures if measure.field is not None]
    guessed = [field for field in fields if {stem(word) for word in words(knows.field(field).label)} - said]
    far = len(bases) >= _MIXTURE and len({field.dataset for field in guessed}) > 1
    return ("figures that belong together",) if far else ()


def _unsaid_ways(walk: Walk, intent: Intent) -> tuple[str, ...]:
    """ "who was paid through each channel", where payments go in and out: only the verb tells which."""
    knows = walk.knowledge
    verbs = [item.text for item in walk.items if _is_paying(item)]
    read = {base for measure in intent.measures if (base := knows.base(measure))} | set(places_of(intent))
    ways = [place for name in read for place in _ways(name, knows)] if verbs else []
    told = {item.field for item in parts_of(intent, Condition)}
    told |= {item.field for item in intent.dimensions if _is_called(item.field, walk)}
    return tuple(verbs) if any(place not in told for place in ways) else ()


def _is_called(place: FieldRef, walk: Walk) -> bool:
    label = words(walk.knowledge.field(place).label)
    return any(isinstance(item.meaning, Attribute) and words(item.text) == label for item in walk.items)


def _is_paying(item: Item) -> bool:
    linking = isinstance(item.meaning, Cue) and item.meaning.kind in {"have", "filler"}
    return linking and not _PAYING.isdisjoint(words(item.text))


def _ways(dataset: str, knows: Knowledge) -> list[FieldRef]:
    """Columns that hold whether money came in or went out."""
    fields = knows.dataset(dataset).fields
    known = [(item.name, knows.vocabulary.values.values_of(dataset, item.name)) for item in fields]
    return [
        FieldRef(dataset=dataset, field=name)
        for name, held in known
        if held is not None and {str(value).lower() for value in held.values} in _WAYS
    ]


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
