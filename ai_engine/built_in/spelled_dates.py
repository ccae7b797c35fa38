"""What dates are called after: the deed that was done on them, the rows that they date."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping

from ai_engine.built_in.cues import kinds_of_cue
from ai_engine.built_in.meanings import Attribute
from ai_engine.built_in.name_prices import HEAD_NOUN, WITHOUT_TABLE, Key
from ai_engine.semantics.infer.datasets import is_about_people
from ai_engine.semantics.infer.events import verb_forms, words_of_event
from ai_engine.semantics.infer.keys import ENROLMENTS
from ai_engine.semantics.model import Dataset, Field, SemanticModel
from ai_engine.semantics.people import calls_people, is_birth_date
from ai_engine.semantics.words import name_key, stem, words

_HIRED = frozenset("hired hire hiring employed appointed recruited".split())
_LEFT = frozenset(
    """
    left leave leaving terminated termination term exited exit resigned resignation departed departure relieved
    separation ended end
    """.split()
)
AFTER_EVENTS = {"on", "at"}
BEFORE_DAYS = frozenset({"on", "at", "since"})
DATE_NOUNS = frozenset({"date", "time", "day", "datetime", "timestamp", "year"})


# What happened on the only date of a row that does not say: an account's date is the day it was opened.
EVENTS = frozenset(map(stem, (
    "opening opened approval approved issue issued grant granted creation created start started signing signed "
    "disbursal disbursement disbursed sanction sanctioned booking booked registration registered placed"
).split()))  # fmt: skip
_SAME_DEEDS = {
    "purchased": ("bought",), "bought": ("purchased",), "hired": ("recruited",), "dispatched": ("shipped",),
    "shipped": ("dispatched",), "finished": ("completed",), "received": ("collected",),
}  # fmt: skip
DEFAULT_DATE_BONUS = 0.1
_BY_VERB = 0.25
JOINING = frozenset(map(stem, ("joining", "joined")))
LEAVING = frozenset(map(stem, ("left", "leaving", "resigned", "quit")))
_BEGUN_AS_MEMBER = frozenset("joined joining onboarded onboarding enrolled registered signup member".split())
_OF_STAFF = 0.06  # where nobody says who joined, customers did


def spellings_of_day(dataset: Dataset, item: Field, spelled: Key, base: float) -> Iterator[tuple[Key, float]]:
    """How the day of a row can be called besides its name, each with its price; `base` is that of the name."""
    nouns = [words(said) for said in (dataset.label, *dataset.synonyms)]
    if is_said_by_its_table(dataset, item):
        yield name_key((*words(dataset.label), "date")), base + WITHOUT_TABLE
    if len(spelled) > 1 and spelled[-1] in AFTER_EVENTS:
        yield name_key((*spelled[:-1], "date")), base + 0.01  # "raised date"
    if is_said_by_verb(spelled):
        yield name_key(spelled[:-1]), base + _BY_VERB  # "raised" says "raised on"
        for same in _SAME_DEEDS.get(spelled[0], ()):
            yield name_key((same,)), base + _BY_VERB
    if not item.is_year and not DATE_NOUNS.intersection(spelled):
        yield name_key((*spelled, "date")), base + 0.01  # "valid to date"
        if item.name == dataset.default_time:
            yield ("date",), base + HEAD_NOUN - DEFAULT_DATE_BONUS  # whatever it is called
    for event in EVENTS if _is_only_date(dataset, item) else ():
        yield name_key((event, "date")), WITHOUT_TABLE
    for event in JOINING if _is_day_of_joining(dataset, item) else ():
        yield name_key((event, "date")), WITHOUT_TABLE
    for event in LEAVING if is_day_of_leaving(dataset, item) else ():
        yield name_key((event, "date")), WITHOUT_TABLE
    for event in JOINING if is_day_of_hiring(dataset, item) else ():
        yield name_key((event, "date")), WITHOUT_TABLE + _OF_STAFF
    for noun in nouns if [item] == [other for other in dataset.fields if other.role == "time"] else ():
        yield name_key((*noun, "date")), WITHOUT_TABLE  # whatever it is called


def _is_only_date(dataset: Dataset, item: Field) -> bool:
    times = [other for other in dataset.fields if other.role == "time"]
    return times == [item] and {stem(word) for word in words(item.label)} <= {
        *map(stem, DATE_NOUNS),
        *_said_of(dataset),
    }


def _is_day_of_joining(dataset: Dataset, item: Field) -> bool:
    """ "customer since", "enrolled on": the only date of a person or an enrolment but for that of birth."""
    times = [other for other in dataset.fields if other.role == "time" and not is_birth_date(other)]
    people = is_about_people(dataset.label, [words(other.label) for other in dataset.fields])
    if times != [item] or not (people or dataset.label.rsplit(maxsplit=1)[-1] in ENROLMENTS):
        return False
    said = {stem(word) for word in words(item.label) if word not in BEFORE_DAYS}
    return said <= {*map(stem, DATE_NOUNS | _BEGUN_AS_MEMBER), *_said_of(dataset)}


def _said_of(dataset: Dataset) -> set[str]:
    return {stem(word) for name in (dataset.label, dataset.name, *dataset.synonyms) for word in words(name)}


def dates_of_events(model: SemanticModel) -> Mapping[str, tuple[Attribute, ...]]:
    """Return dates by the one word for what happened on them: "closure" and "closed" are of the closing date."""
    found: dict[str, list[Attribute]] = defaultdict(list)
    for dataset in model.datasets:
        for item in dataset.fields:
            for event in words_of_event(words(item.label)) if item.role == "time" else ():
                found[event].append(Attribute(dataset.name, item.name))
    return {event: tuple(dates) for event, dates in found.items()}


def dates_of_verbs(model: SemanticModel) -> Mapping[str, tuple[Attribute, ...]]:
    """Return dates by the verb in their names: "disburse" is of the day on which it was disbursed."""
    found: dict[str, dict[Attribute, None]] = defaultdict(dict)
    for dataset in model.datasets:
        for item in dataset.fields:
            said = words(item.label) if item.role == "time" else ()
            events = {*said, *words_of_event(said)}
            events |= {same for event in events for same in _SAME_DEEDS.get(event, ())}
            for verb in {form for event in events for form in verb_forms(event)}:
                found[verb][Attribute(dataset.name, item.name)] = None
    return {verb: tuple(dates) for verb, dates in found.items()}


def is_day_of_hiring(dataset: Dataset, item: Field) -> bool:
    """ "staff who joined in 2019": the day on which they were hired, whatever other days are kept of them."""
    said = {word for word in words(item.label) if word not in BEFORE_DAYS | DATE_NOUNS}
    people = is_about_people(dataset.label, [words(other.label) for other in dataset.fields])
    return item.role == "time" and people and bool(said) and said <= _HIRED


def is_day_of_leaving(dataset: Dataset, item: Field) -> bool:
    """ "who left in 2025": the day since which a person is not of the house any more, missing of those who are."""
    said = {word for word in words(item.label) if word not in BEFORE_DAYS | DATE_NOUNS}
    return item.role == "time" and bool(said) and said <= _LEFT and calls_people(dataset)


def is_said_by_its_table(dataset: Dataset, item: Field) -> bool:
    """ "settlement date", where only "date claim settled" of a settlement's dates has that word."""
    noun = set(name_key(words(dataset.label)))
    dated = [field for field in dataset.fields if field.role == "time" and noun < set(name_key(words(field.label)))]
    return dated == [item]


def is_said_by_verb(spelled: Key) -> bool:
    """ "raised on" is said by "raised", unless that verb holds sentences together: "sent at"."""
    verb = spelled[0]
    return len(spelled) == len(("raised", "on")) and spelled[-1] in AFTER_EVENTS and "have" not in kinds_of_cue(verb)
