"""What verbs say of rows in other words than their names: the day on which it came about, or the kind that they are.

Policies run out on their expiry date; who withdrew has transactions of the type Cash Withdrawal.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass

from ai_engine.built_in.cues import kinds_of_cue
from ai_engine.built_in.meanings import Attribute
from ai_engine.semantics.infer.events import PRESENT_OF, verb_forms
from ai_engine.semantics.intent import Condition, FieldRef
from ai_engine.semantics.model import Field, SemanticModel
from ai_engine.semantics.people import calls_people
from ai_engine.semantics.values import StoredValue, ValueIndex
from ai_engine.semantics.words import stem, words

KindsByVerb = Mapping[str, tuple[StoredValue, ...]]


@dataclass(frozen=True)
class _Deed:
    """What becomes of rows.

    Attributes:
        past: its verb where it has come about, alone or as two words.
        present: the same where it comes about.
        days: what the day is called, in the order in which one is looked for.
        of_people: only people do it.
    """

    past: frozenset[str]
    present: frozenset[str]
    days: tuple[frozenset[str], ...]
    of_people: bool = False


def _deed(past: str, present: str, *days: str, of_people: bool = False) -> _Deed:
    called = tuple(frozenset(line.split()) for line in days)
    return _Deed(frozenset(past.split("|")), frozenset(present.split("|")), called, of_people)


_DEEDS = (
    _deed(
        "started|began|begun|commenced",
        "start|starts|starting|begin|begins|beginning|commence|commences|commencing",
        "start starts started starting begin begins began beginning", "commencement inception effective", "from",
    ),
    _deed(
        "ended|finished|completed|concluded",
        "end|ends|ending|finish|finishes|finishing|complete|completes|completing",
        "end ends ended finish finished", "completion completed concluded conclusion",
    ),
    _deed(
        "expired|lapsed|matured|ran out|run out",
        "expire|expires|expiring|lapse|lapses|lapsing|mature|matures|maturing|runs out|running out",
        "expiry expires expire expired expiration", "maturity matures matured", "to until till", "end ends",
    ),
    _deed(
        "left|quit|resigned|departed", "leave|leaves|leaving",
        "left leave leaving", "resigned resignation quit retired retirement",
        "exit exited departure departed separation relieved", "termination terminated term", "ended end",
        of_people=True,
    ),
    _deed("died|passed away", "die|dies|dying", "died deceased death"),
)  # fmt: skip
_ASSIGNED = ("assigned", "allocated")
_IDLE = frozenset("number no id code date on at".split())
_SAYING_SO = frozenset({"category", "identifier", "text", "name"})
_ON = frozenset({"on", "at"})
_COMING = frozenset("expiry expires expire expiration maturity matures to until till due end ends closes".split())
_LEAVING_KINDS = frozenset("withdrew withdrawn spent drew drawn".split())
"""Verbs without an ending that tell what kind of rows they leave: what was "paid" may be of many."""
_PAST_OF = {bare: past for past, bare in reversed(PRESENT_OF.items())}
_KINDS = frozenset("type kind category class nature".split())
_ENDINGS = ("ed", "ing")
_FEW = 3  # of more kinds than these the verb says too little


def is_planned(day: Field) -> bool:
    """Tell whether a day is known before it comes: every card has its day of expiry."""
    return not _COMING.isdisjoint(words(day.label))


def days_of_deeds(model: SemanticModel) -> Mapping[str, tuple[tuple[Attribute, bool], ...]]:
    """The days of each verb, and whether it says that they have come; only of rows that have one day of it."""
    found: dict[str, list[tuple[Attribute, bool]]] = defaultdict(list)
    for dataset in model.datasets:
        days = [item for item in dataset.fields if item.role == "time" and not item.sensitive]
        for deed in _DEEDS:
            day = _called(days, deed.days) if not deed.of_people or calls_people(dataset) else None
            if day is not None:
                for verb in deed.past | deed.present:
                    found[verb].append((Attribute(dataset.name, day.name), verb in deed.past))
        for state, day in _states(days):
            found[state].append((Attribute(dataset.name, day.name), True))
    return {verb: tuple(days) for verb, days in found.items()}


def told_by_participles(
    model: SemanticModel, may_lack: Callable[[FieldRef], bool]
) -> Mapping[str, tuple[FieldRef, ...]]:
    """Fields that rows may be without, by the stem of the participle that says they have one.

    Rated buyers have a rating, boxed finds a box number, assigned loads the only thing that they may belong to.
    """
    found: dict[str, list[FieldRef]] = defaultdict(list)
    for dataset in model.datasets:
        for item in dataset.fields:
            place = FieldRef(dataset=dataset.name, field=item.name)
            said = [word for word in words(item.label) if word not in _IDLE]
            if said and item.role in _SAYING_SO and may_lack(place):
                found[stem(said[-1])].append(place)
        links = [link for link in model.relationships if dataset.name == link.from_dataset != link.to_dataset]
        places = (FieldRef(dataset=dataset.name, field=link.from_columns[0]) for link in links if not link.synonyms)
        missable = [place for place in places if dataset.has(place.field) and may_lack(place)]
        for verb in _ASSIGNED if len(missable) == 1 else ():
            found[stem(verb)].append(missable[0])
    return {verb: tuple(places) for verb, places in found.items()}


def past_of(verb: str) -> str:
    """The participle of a verb's bare form."""
    return _PAST_OF.get(verb, f"{verb.removesuffix('e')}ed")


def kinds_done(verb: str, kinds: KindsByVerb) -> tuple[Condition, ...]:
    """The conditions that rows are of the kinds called after a verb in the past, one for each column of kinds."""
    if not (verb in _LEAVING_KINDS or verb.endswith(_ENDINGS)):
        return ()
    found = kinds.get(stem(PRESENT_OF.get(verb, verb)), ())
    places: dict[FieldRef, list[StoredValue]] = defaultdict(list)
    for value in found:
        places[FieldRef(dataset=value.dataset, field=value.field)].append(value)
    return tuple(
        Condition(field=place, operator="=", values=tuple(value.value for value in values))
        for place, values in places.items()
        if len(values) <= _FEW
    )


def kinds_by_verb(model: SemanticModel, values: ValueIndex, with_amounts: Collection[str]) -> KindsByVerb:
    """The kinds of rows of these datasets, by the stem of the noun that they end with."""
    found: dict[str, list[StoredValue]] = defaultdict(list)
    for dataset in model.datasets:
        for item in dataset.fields if dataset.name in with_amounts else ():
            is_kind = item.role == "category" and not _KINDS.isdisjoint(words(item.label)[-1:])
            held = values.values_of(dataset.name, item.name) if is_kind else None
            for value in held.values if held is not None and held.complete else ():
                said = words(value) if isinstance(value, str) else ()
                if said:
                    found[stem(said[-1])].append(StoredValue(dataset.name, item.name, value))
    return {verb: tuple(kinds) for verb, kinds in found.items()}


def _called(days: Iterable[Field], names: tuple[frozenset[str], ...]) -> Field | None:
    by_name = ([item for item in days if not called.isdisjoint(words(item.label))] for called in names)
    first = next((found for found in by_name if found), [])
    return first[0] if len(first) == 1 else None


def _states(days: Iterable[Field]) -> Iterable[tuple[str, Field]]:
    """ "insolvent on" is the day since which somebody is insolvent."""
    for item in days:
        said = words(item.label)
        alone = len(said) == len(("insolvent", "on")) and said[-1] in _ON
        if alone and not (kinds_of_cue(said[0]) or verb_forms(said[0])):
            yield said[0], item
