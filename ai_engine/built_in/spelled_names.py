"""How fields and figures can be called: each spelling with the price of taking it for the name."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

from ai_engine.built_in.cues import kinds_of_cue
from ai_engine.built_in.meanings import Attribute, Candidate, Figure, Meaning, Thing
from ai_engine.built_in.name_prices import EXACT, GENERIC_HEADS, HEAD_NOUN, PART, SYNONYM, WITHOUT_TABLE, Key
from ai_engine.built_in.shared_codes import kinds_of_codes
from ai_engine.built_in.spelled_things import spelled_things
from ai_engine.built_in.spelling import is_english
from ai_engine.semantics.infer.datasets import is_about_people
from ai_engine.semantics.infer.described import is_prose
from ai_engine.semantics.infer.keys import ENROLMENTS
from ai_engine.semantics.model import Dataset, Field, SemanticModel
from ai_engine.semantics.names import FREQUENCIES, singular
from ai_engine.semantics.people import is_birth_date, name_parts
from ai_engine.semantics.schema_words import ABBREVIATIONS
from ai_engine.semantics.stored_counts import rows_kept_count_of
from ai_engine.semantics.values import ValueIndex
from ai_engine.semantics.words import name_key, stem, words

NOT_NAMED = 9.0
# Words that say how a figure is taken: alone they are never a name.
_SAYING_NOTHING = frozenset(
    map(
        stem,
        (
            "average total number no count sum last first latest highest lowest maximum minimum monthly daily "
            "ratio rate on in at by from to for with out up per since until before after each every than"
        ).split(),
    )
)
_DEFAULT_DATE_BONUS = 0.1
_PARTIAL, _PART_FOR_A_THING = 0.2, 0.25  # "account" is an account rather than half of "account balance"
_NAME_FOR_ITS_THING = 0.15  # "branches" are the branches rather than their names
_NAME_FOR_A_THING = 0.3  # "accounts" are the accounts rather than a column "account" of the payments
_CODED = {"code", "cd", "desc", "description"}  # "payment method" is said of the payment method code
# What happened on the only date of a row that does not say: an account's date is the day it was opened.
EVENTS = frozenset(map(stem, (
    "opening opened approval approved issue issued grant granted creation created start started signing signed "
    "disbursal disbursement disbursed sanction sanctioned booking booked registration registered placed"
).split()))  # fmt: skip
_SHORTEST_ACRONYM, _LONGEST_ACRONYM = 3, 5
_BY_VERB = 0.25
_AFTER_EVENTS = {"on", "at"}
_COUNTING_HEADS = frozenset(map(stem, ("number", "count")))
_ADJECTIVES = frozenset(map(stem, "original current opening closing previous annual new old other".split()))
_GENERIC_HEAD = 0.16
_BEFORE_OR_AFTER_FEES = frozenset({"net", "gross"})
# "balance" is rather what an account holds than what it must hold.
_LIMITING = frozenset(map(stem, "min minimum max maximum required target initial".split()))
_LIMITED = 0.25
JOINING = frozenset(map(stem, ("joining", "joined")))
_BEGUN_AS_MEMBER = frozenset("joined joining onboarded onboarding enrolled registered signup member".split())
_HIRED = frozenset("hired hire hiring employed appointed recruited".split())
_OF_STAFF = 0.06  # where nobody says who joined, customers did
_BEFORE_DAYS = frozenset({"on", "at", "since"})
_CALLED = ("description", "name", "label")  # "policy type description" is what the code of the type is called
_WHOLE_NAMES = frozenset({"full", "customer", "client", "member", "person", "holder", "display"})
_UNITS_OF_RATES = frozenset({"percent", "percentage", "pct"})
_DATE_NOUNS = frozenset({"date", "time", "day", "datetime", "timestamp", "year"})


def spelled_names(model: SemanticModel, values: ValueIndex, nouns: frozenset[str]) -> dict[Key, tuple[Candidate, ...]]:
    """Return everything that words can name, by the stems of the words; `nouns` are those of all datasets."""
    best: dict[Key, dict[Meaning, float]] = defaultdict(dict)
    for key, meaning, cost in _Spellings(model, values, nouns).all():
        if key and cost < best[key].get(meaning, NOT_NAMED):
            best[key][meaning] = cost
    for found in best.values():
        things = {m.dataset: cost for m, cost in found.items() if isinstance(m, Thing) and cost < PART}
        for meaning, cost in found.items():
            if isinstance(meaning, Attribute) and things:
                if meaning.dataset in things:
                    found[meaning] += _NAME_FOR_ITS_THING
                elif min(things.values()) < HEAD_NOUN:
                    found[meaning] += _NAME_FOR_A_THING
                found[meaning] += _PART_FOR_A_THING * (cost >= _PARTIAL)
    return {key: tuple(Candidate(m, c) for m, c in found.items()) for key, found in best.items()}


@dataclass(frozen=True)
class _Spellings:
    model: SemanticModel
    values: ValueIndex
    nouns: frozenset[str]

    def all(self) -> Iterator[tuple[Key, Meaning, float]]:
        """Every spelling with its meaning and price; the cheapest price of a meaning counts."""
        for dataset in self.model.datasets:
            yield from spelled_things(dataset, self.model)
            for item in dataset.fields:
                if item.is_mark:
                    continue
                yield from self._field_spellings(dataset, item)
                if is_birth_date(item):
                    yield name_key(("born",)), Attribute(dataset.name, item.name), SYNONYM
                    for noun in ((), words(dataset.label)):
                        age = Attribute(dataset.name, item.name, grain="age_years")
                        yield name_key((*noun, "age")), age, EXACT
        for kind in kinds_of_codes(self.model, self.values):
            for noun in ((), *((noun,) for noun in _CALLED)):
                yield name_key((*words(kind.name), *noun)), kind.called, EXACT
        for metric in self.model.metrics:
            figure = Figure(metric.name)
            yield name_key(words(metric.label)), figure, EXACT
            for synonym in (metric.name, *metric.synonyms):
                yield name_key(words(synonym)), figure, SYNONYM
            for name in (metric.label, *metric.synonyms):
                short = tuple(word for word in name_key(words(name)) if word not in self.nouns)
                if short and not _SAYING_NOTHING.issuperset(short) and not self.values.by_stem(short):
                    yield short, figure, HEAD_NOUN

    def _field_spellings(self, dataset: Dataset, item: Field) -> Iterator[tuple[Key, Meaning, float]]:
        attribute = Attribute(dataset.name, item.name)
        nouns = {singular(word) for name in (dataset.label, dataset.name, *dataset.synonyms) for word in words(name)}
        table_words = {stem(word) for name in (dataset.label, dataset.name, *dataset.synonyms) for word in words(name)}
        for base, name in ((EXACT, item.label), (SYNONYM, item.name), *((SYNONYM, s) for s in item.synonyms)):
            spelled = words(name)
            key = name_key(spelled)
            if all(word.isdigit() or len(word) == 1 for word in key):
                continue  # a column called A5 is no name for "5"
            yield key, attribute, base
            if rows_kept_count_of(self.model, dataset, item) is not None:
                yield name_key(("stored", *spelled)), attribute, base
            if spelled[-1] == "no":
                yield name_key((*spelled[:-1], "number")), attribute, SYNONYM
            if len(spelled) > 1 and spelled[-1] in _CODED:
                bare = name_key(spelled[:-1])
                yield bare, attribute, base + WITHOUT_TABLE
                yield from self._parts(attribute, spelled[:-1], bare, base + WITHOUT_TABLE)
            short = name_key(tuple(word for word in spelled if singular(word) not in nouns))
            if short and short != key and not _SAYING_NOTHING.issuperset(short):
                yield short, attribute, base + WITHOUT_TABLE
            for noun in _nouns_before(dataset, item, spelled):
                yield tuple(sorted({*key, *noun})), attribute, base + 0.01
            if len(spelled) > 1 and spelled[0] in _BEFORE_OR_AFTER_FEES:
                for said in (dataset.label, *dataset.synonyms):  # "net sales" are the net amount of sales
                    yield name_key((spelled[0], *words(said))), attribute, base + _GENERIC_HEAD
            if item.role == "time" and _is_said_by_its_table(dataset, item):
                yield name_key((*words(dataset.label), "date")), attribute, base + WITHOUT_TABLE
            if item.role == "time" and len(spelled) > 1 and spelled[-1] in _AFTER_EVENTS:
                yield name_key((*spelled[:-1], "date")), attribute, base + 0.01  # "raised date"
            if item.role == "time" and _is_said_by_verb(spelled):
                yield name_key(spelled[:-1]), attribute, base + _BY_VERB  # "raised" says "raised on"
            if item.role == "time" and not item.is_year and not _DATE_NOUNS.intersection(spelled):
                yield name_key((*spelled, "date")), attribute, base + 0.01  # "valid to date"
                if item.name == dataset.default_time:
                    yield ("date",), attribute, base + HEAD_NOUN - _DEFAULT_DATE_BONUS  # whatever it is called
            if self._is_only_date(dataset, item, table_words):
                for event in EVENTS:
                    yield name_key((event, "date")), attribute, WITHOUT_TABLE
            if self._is_day_of_joining(dataset, item, table_words):
                for event in JOINING:
                    yield name_key((event, "date")), attribute, WITHOUT_TABLE
            if _is_day_of_hiring(dataset, item):
                for event in JOINING:
                    yield name_key((event, "date")), attribute, WITHOUT_TABLE + _OF_STAFF
            if item.role in {"category", "name"} and "name" not in key:
                yield tuple(sorted({*key, "name"})), attribute, base + 0.02
            if item.role == "time" and [item] == [other for other in dataset.fields if other.role == "time"]:
                for said in (dataset.label, *dataset.synonyms):
                    yield name_key((*words(said), "date")), attribute, WITHOUT_TABLE  # whatever it is called
            if _is_rate(spelled) and item.role == "measure" and self._is_only_rate:
                yield ("rate",), attribute, base + HEAD_NOUN
            for word in spelled if len(spelled) > 1 else ():
                if self._is_its_own_acronym(word):
                    yield (stem(word),), attribute, base + _GENERIC_HEAD  # "CSAT" says "CSAT rating"
            preferred = _DEFAULT_DATE_BONUS if item.name == dataset.default_time else 0.0
            if not is_prose(item, name):
                yield from self._parts(attribute, spelled, short or key, base - preferred)

    def _is_of_their_city(self, attribute: Attribute, spelled: Key) -> bool:
        """ "names of clients", who have a first and a last name: none of them is a "city name"."""
        parts = name_parts(self.model.dataset(attribute.dataset))
        return bool(parts) and attribute.field not in parts and not _WHOLE_NAMES.intersection(spelled)

    def _is_its_own_acronym(self, word: str) -> bool:
        """Whether a word is an acronym that only one name in the whole model has."""
        long = _SHORTEST_ACRONYM <= len(word) <= _LONGEST_ACRONYM and word.isalpha()
        return long and self._names_with[word] == 1 and word not in ABBREVIATIONS and not is_english(word)

    @cached_property
    def _names_with(self) -> Counter[str]:
        labels = [dataset.label for dataset in self.model.datasets]
        labels += [item.label for dataset in self.model.datasets for item in dataset.fields]
        return Counter(word for label in labels for word in set(words(label)))

    @cached_property
    def _is_only_rate(self) -> bool:
        """Whether one column and no figure of the whole model is a rate: "loans whose rate is over 5"."""
        said = [item.label for dataset in self.model.datasets for item in dataset.fields if item.role != "category"]
        return sum("rate" in words(label) for label in (*said, *(metric.label for metric in self.model.metrics))) == 1

    def _is_only_date(self, dataset: Dataset, item: Field, table_words: set[str]) -> bool:
        times = [other for other in dataset.fields if other.role == "time"]
        return times == [item] and {stem(word) for word in words(item.label)} <= {*map(stem, _DATE_NOUNS), *table_words}

    def _is_day_of_joining(self, dataset: Dataset, item: Field, table_words: set[str]) -> bool:
        """ "customer since", "enrolled on": the only date of a person or an enrolment but for that of birth."""
        times = [other for other in dataset.fields if other.role == "time" and not is_birth_date(other)]
        people = is_about_people(dataset.label, [words(other.label) for other in dataset.fields])
        if times != [item] or not (people or dataset.label.rsplit(maxsplit=1)[-1] in ENROLMENTS):
            return False
        said = {stem(word) for word in words(item.label) if word not in _BEFORE_DAYS}
        return said <= {*map(stem, _DATE_NOUNS | _BEGUN_AS_MEMBER), *table_words}

    def _parts(self, attribute: Attribute, spelled: Key, key: Key, base: float) -> Iterator[tuple[Key, Meaning, float]]:
        """A longer name may be said by some of its words; its last word says most."""
        is_key = self.model.dataset(attribute.dataset).field(attribute.field).role == "identifier"
        if not 1 < len(key) <= 4:
            return
        head = stem(spelled[-1])
        for size in range(1, len(key)):
            for part in combinations(key, size):
                if part == ("due",) and "past" in spelled:
                    continue  # what is due is not past due
                if part == ("name",) and self._is_of_their_city(attribute, spelled):
                    continue
                if all(word in _SAYING_NOTHING or word.isdigit() or len(word) == 1 for word in part):
                    continue
                if "per" in part and head not in part:
                    continue  # "points per customer" are no "points per dollar"
                if size == 1 and head not in part:
                    counting = head in _COUNTING_HEADS and not is_key
                    counts = head == stem("balance") and singular(spelled[0]) != spelled[0]  # "points", "miles"
                    generic = (head in GENERIC_HEADS or counting or counts) and len(key) == 2
                    if generic and not _ADJECTIVES.issuperset(part):  # "principal" is the principal amount
                        yield part, attribute, base + _GENERIC_HEAD
                    continue  # half a name that is not its noun may mean anything
                missing = (len(key) - size) / len(key)
                limited = _LIMITED * bool(_LIMITING.intersection(key).difference(part))
                yield part, attribute, base + (HEAD_NOUN if head in part else PART) * (0.6 + missing) + limited


def _nouns_before(dataset: Dataset, item: Field, spelled: Key) -> set[Key]:
    """ "loan amount" for the amount of a loan; the "monthly" of monthly balances asks for each month of a figure."""
    named = [words(name) for name in (dataset.label, *dataset.synonyms) if _is_noun(item, spelled)]
    steps = FREQUENCIES if item.role == "measure" else frozenset[str]()
    return {name_key(tuple(word for word in name if word not in steps)) for name in named}


def _is_day_of_hiring(dataset: Dataset, item: Field) -> bool:
    """ "staff who joined in 2019": the day on which they were hired, whatever other days are kept of them."""
    said = {word for word in words(item.label) if word not in _BEFORE_DAYS | _DATE_NOUNS}
    people = is_about_people(dataset.label, [words(other.label) for other in dataset.fields])
    return item.role == "time" and people and bool(said) and said <= _HIRED


def _is_rate(spelled: Key) -> bool:
    """ "interest rate", and "rate percent", which tells its unit too."""
    bare = spelled[:-1] if spelled[-1] in _UNITS_OF_RATES else spelled
    return bare[-1:] == ("rate",)


def _is_said_by_its_table(dataset: Dataset, item: Field) -> bool:
    """ "settlement date", where only "date claim settled" of a settlement's dates has that word."""
    noun = set(name_key(words(dataset.label)))
    dated = [field for field in dataset.fields if field.role == "time" and noun < set(name_key(words(field.label)))]
    return dated == [item]


def _is_said_by_verb(spelled: Key) -> bool:
    """ "raised on" is said by "raised", unless that verb holds sentences together: "sent at"."""
    verb = spelled[0]
    return len(spelled) == len(("raised", "on")) and spelled[-1] in _AFTER_EVENTS and "have" not in kinds_of_cue(verb)


def _is_noun(item: Field, spelled: Key) -> bool:
    """Whether a name goes with its table's noun: "account balance", but not "NPA loan" or "customer joined"."""
    verb = item.role == "time" and len(spelled) == 1 and not _DATE_NOUNS.intersection(spelled)
    return item.role != "flag" and not verb
