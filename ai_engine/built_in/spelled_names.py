"""How fields and figures can be called: each spelling with the price of taking it for the name."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

from ai_engine.built_in.meanings import Attribute, Candidate, Figure, Meaning, Thing
from ai_engine.built_in.name_prices import (
    CURRENCIES,
    EXACT,
    GENERIC_HEAD,
    GENERIC_HEADS,
    HEAD_NOUN,
    PART,
    SYNONYM,
    WITHOUT_TABLE,
    Key,
)
from ai_engine.built_in.shared_codes import kinds_of_codes
from ai_engine.built_in.spelled_dates import DATE_NOUNS, DEFAULT_DATE_BONUS, spellings_of_day
from ai_engine.built_in.spelled_things import spelled_things
from ai_engine.built_in.spelling import is_english
from ai_engine.built_in.units_of_measure import UNITS
from ai_engine.semantics.infer.described import is_prose
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
_PARTIAL, _PART_FOR_A_THING = 0.2, 0.25  # "account" is an account rather than half of "account balance"
_NAME_FOR_ITS_THING = 0.15  # "branches" are the branches rather than their names
_NAME_FOR_A_THING = 0.3  # "accounts" are the accounts rather than a column "account" of the payments
_CODED = {"code", "cd", "desc", "description"}  # "payment method" is said of the payment method code
_SHORTEST_ACRONYM, _LONGEST_ACRONYM = 3, 5
_COUNTING_HEADS = frozenset(map(stem, ("number", "count")))
_ADJECTIVES = frozenset(map(stem, "original current opening closing previous annual new old other".split()))
_AMOUNTS = frozenset({"amount", "value", "price", "cost"})
_SAME_AMOUNT = {"amount": "value", "value": "amount"}
_UNITS_OF_TIME = frozenset("min mins minute minutes hour hours hrs sec secs second seconds".split())
_KINDS = frozenset({"type", "kind", "category", "class", "status", "state", "name"})
_BEFORE_OR_AFTER_FEES = frozenset({"net", "gross"})
# "balance" is rather what an account holds than what it must hold.
_LIMITING = frozenset(map(stem, "min minimum max maximum required target initial".split()))
_LIMITED = 0.25
_CALLED = ("description", "name", "label")  # "policy type description" is what the code of the type is called
_WHOLE_NAMES = frozenset({"full", "customer", "client", "member", "person", "holder", "display"})
_DONE = frozenset("sold bought paid sent held lent kept spent built made drawn grown".split())
_UNITS_OF_RATES = frozenset({"percent", "percentage", "pct"})


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
                yield from self._without_code(attribute, spelled[:-1], base)
            short = name_key(tuple(word for word in spelled if singular(word) not in nouns))
            if short and short != key and not _SAYING_NOTHING.issuperset(short):
                yield short, attribute, base + WITHOUT_TABLE
            for noun in _nouns_before(dataset, item, spelled):
                yield tuple(sorted({*key, *noun})), attribute, base + 0.01
                in_units = len(spelled[-1]) == 1 or stem(spelled[-1]) in UNITS
                if item.role == "measure" and len(spelled) > 1 and in_units:
                    yield tuple(sorted({*name_key(spelled[:-1]), *noun})), attribute, base + 0.02  # "boat length"
            if len(spelled) > 1 and spelled[0] in _BEFORE_OR_AFTER_FEES:
                for said in (dataset.label, *dataset.synonyms):  # "net sales" are the net amount of sales
                    yield name_key((spelled[0], *words(said))), attribute, base + GENERIC_HEAD
            yield from self._figure_spellings(dataset, item, spelled, base)
            if item.role == "time":
                for day, cost in spellings_of_day(dataset, item, spelled, base):
                    yield day, attribute, cost
            if item.role in {"category", "name"} and "name" not in key:
                yield tuple(sorted({*key, "name"})), attribute, base + 0.02
            if _is_rate(spelled) and item.role == "measure" and self._is_only_rate:
                yield ("rate",), attribute, base + HEAD_NOUN
            for word in spelled if len(spelled) > 1 and _KINDS.isdisjoint(spelled) else ():  # a "prj type" is no `prj`
                if self._is_its_own_acronym(word):
                    yield (stem(word),), attribute, base + GENERIC_HEAD  # "CSAT" says "CSAT rating"
            preferred = DEFAULT_DATE_BONUS if item.name == dataset.default_time else 0.0
            if not is_prose(item, name):
                yield from self._parts(attribute, spelled, short or key, base - preferred)

    def _figure_spellings(
        self, dataset: Dataset, item: Field, spelled: Key, base: float
    ) -> Iterator[tuple[Key, Meaning, float]]:
        """ "invoice total" of its total amount, "outstanding amount" in euros, "kwh" of what is counted in them."""
        attribute = Attribute(dataset.name, item.name)
        if spelled[1:] and spelled[-1] in CURRENCIES:
            yield name_key((*spelled[:-1], "amount")), attribute, base + WITHOUT_TABLE
        unit = item.role == "measure" and spelled[1:] and (spelled[-1] in CURRENCIES or stem(spelled[-1]) in UNITS)
        if unit and not _SAYING_NOTHING.issuperset(name_key(spelled[:-1])):
            yield name_key(spelled[:-1]), attribute, base + WITHOUT_TABLE
        if item.role == "measure" and spelled[1:] and spelled[-1] in _SAME_AMOUNT:  # "face value" of the face amount
            yield name_key((*spelled[:-1], _SAME_AMOUNT[spelled[-1]])), attribute, base + WITHOUT_TABLE
        if item.role == "category" and len(spelled) == 1 and not _KINDS.intersection(spelled):
            yield name_key((*spelled, "type")), attribute, base + WITHOUT_TABLE  # "fuel type" of the fuel
        if spelled[0] == "total" and len(spelled) == len(("total", "amount")) and spelled[1] in _AMOUNTS:
            for said in (dataset.label, *dataset.synonyms):
                yield name_key((*words(said), "total")), attribute, base + WITHOUT_TABLE
        if item.role == "measure" and spelled[1:] and spelled[-1] in _UNITS_OF_TIME:  # "waiting time" in minutes
            yield name_key((*spelled[:-1], "time")), attribute, base + WITHOUT_TABLE
        if item.role == "measure" and stem(spelled[-1]) in UNITS and self._names_with[spelled[-1]] == 1:
            yield (stem(spelled[-1]),), attribute, base + HEAD_NOUN

    def _without_code(self, attribute: Attribute, spelled: Key, base: float) -> Iterator[tuple[Key, Meaning, float]]:
        """ "payment method" of its code; a product that has a name is rather meant by it than by its code."""
        thing = self._tells_a_thing(attribute, spelled[-1])
        cost = base + (HEAD_NOUN + _NAME_FOR_ITS_THING if thing else WITHOUT_TABLE)
        yield name_key(spelled), attribute, cost
        yield from self._parts(attribute, spelled, name_key(spelled), cost)

    def _tells_a_thing(self, attribute: Attribute, noun: str) -> bool:
        """The code of a product that has a name: "by product" goes by products."""
        dataset, places = self.model.dataset(attribute.dataset), {(attribute.dataset, (attribute.field,))}
        links = [link for link in self.model.relationships if (link.from_dataset, link.from_columns) in places]
        told = [self.model.dataset(link.to_dataset) for link in links]
        told += [dataset] if (attribute.field,) == dataset.primary_key else []
        named = [thing for thing in told if words(thing.label)[-1] == noun]
        return any(item.role == "name" for thing in named for item in thing.fields)

    def _is_of_their_city(self, attribute: Attribute, spelled: Key) -> bool:
        """ "names of clients", who have a first and a last name: none of them is a "city name"."""
        parts = name_parts(self.model.dataset(attribute.dataset))
        return bool(parts) and attribute.field not in parts and not _WHOLE_NAMES.intersection(spelled)

    def _is_of_one_figure(self, attribute: Attribute, modifier: str, spelled: Key) -> bool:
        """ "freight" says "freight charge" where no other name of the whole model has the word."""
        role = self.model.dataset(attribute.dataset).field(attribute.field).role
        said = [word for word in spelled if stem(word) == modifier]
        return role == "measure" and all(self._names_with[word] == 1 for word in said)

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

    def _parts(self, attribute: Attribute, spelled: Key, key: Key, base: float) -> Iterator[tuple[Key, Meaning, float]]:
        """A longer name may be said by some of its words; its head says most."""
        is_key = self.model.dataset(attribute.dataset).field(attribute.field).role == "identifier"
        if not 1 < len(key) <= 4:
            return
        heads = _heads(spelled)
        head = stem(spelled[-1])
        for size in range(1, len(key)):
            for part in combinations(key, size):
                if part == ("due",) and "past" in spelled:
                    continue  # what is due is not past due
                if part == ("name",) and self._is_of_their_city(attribute, spelled):
                    continue
                if all(word in _SAYING_NOTHING or word in UNITS or word.isdigit() or len(word) == 1 for word in part):
                    continue
                if "per" in part and head not in part:
                    continue  # "points per customer" are no "points per dollar"
                if size == 1 and heads.isdisjoint(part):
                    counting = head in _COUNTING_HEADS and not is_key
                    counts = head == stem("balance") and singular(spelled[0]) != spelled[0]  # "points", "miles"
                    alone = self._is_of_one_figure(attribute, part[0], spelled)
                    generic = len(key) == 2 and (counting or counts or alone)
                    generic = generic or GENERIC_HEADS.issuperset(word for word in key if word not in part)
                    if generic and not _ADJECTIVES.issuperset(part):  # "principal" is the principal amount
                        yield part, attribute, base + GENERIC_HEAD
                    continue  # half a name that is not its noun may mean anything
                missing = (len(key) - size) / len(key)
                limited = _LIMITED * bool(_LIMITING.intersection(key).difference(part))
                yield (
                    part,
                    attribute,
                    base + (PART if heads.isdisjoint(part) else HEAD_NOUN) * (0.6 + missing) + limited,
                )


def _heads(spelled: Key) -> frozenset[str]:
    """What a name is of: a "cause of loss" is a cause, "stems sold" are stems, an "amount paid" is what was paid."""
    if "per" in spelled[1:]:
        return frozenset({stem(spelled[spelled.index("per") - 1])})
    done = len(spelled) > 1 and (spelled[-1].endswith("ed") or spelled[-1] in _DONE)
    generic = not done or stem(spelled[-2]) in GENERIC_HEADS
    of_what = spelled[max(spelled.index("of") - 1, 0)] if "of" in spelled else ""  # a "cause of loss" is a cause
    said = (*spelled[-2 : -1 if done else -2], *(spelled[-1:] if generic else ()), *((of_what,) if of_what else ()))
    return frozenset(map(stem, said)) - ({stem(of_what)} & _SAYING_NOTHING)


def _nouns_before(dataset: Dataset, item: Field, spelled: Key) -> set[Key]:
    """ "loan amount" for the amount of a loan, "defect category" for that of a defect code.

    The "monthly" of monthly balances asks for each month of a figure.
    """
    named = [words(name) for name in (dataset.label, *dataset.synonyms) if _is_noun(item, spelled)]
    named += [name[:-1] for name in named if len(name) > 1 and name[-1] in _CODED]
    steps = FREQUENCIES if item.role == "measure" else frozenset[str]()
    return {name_key(tuple(word for word in name if word not in steps)) for name in named}


def _is_rate(spelled: Key) -> bool:
    """ "interest rate", and "rate percent", which tells its unit too."""
    bare = spelled[:-1] if spelled[-1] in _UNITS_OF_RATES else spelled
    return bare[-1:] == ("rate",)


def _is_noun(item: Field, spelled: Key) -> bool:
    """Whether a name goes with its table's noun: "account balance", but not "NPA loan" or "customer joined"."""
    verb = item.role == "time" and len(spelled) == 1 and not DATE_NOUNS.intersection(spelled)
    return item.role != "flag" and not verb
