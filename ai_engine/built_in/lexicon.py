"""The open class: names of the vocabulary and values of the data, found by the words people use for them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from copy import copy
from dataclasses import dataclass, field
from functools import cached_property

from ai_engine.built_in.cues import cue_table
from ai_engine.built_in.deeds import days_of_deeds
from ai_engine.built_in.meanings import Attribute, Candidate, Meaning, Thing, dataset_of
from ai_engine.built_in.name_prices import EXACT, GENERIC_HEAD, HEAD_NOUN, Key
from ai_engine.built_in.role_verbs import RoleVerbs
from ai_engine.built_in.shared_codes import KindOfCode, kinds_of_codes
from ai_engine.built_in.short_forms import ShortForms
from ai_engine.built_in.spelled_dates import EVENTS, JOINING, LEAVING, dates_of_events, dates_of_verbs
from ai_engine.built_in.spelled_names import NOT_NAMED, spelled_names
from ai_engine.built_in.spelled_values import SpelledValues
from ai_engine.built_in.spelling import SHORTEST_TYPO, corrections, nearest
from ai_engine.built_in.time_words.period_words import event_of
from ai_engine.semantics.infer.keys import ENROLMENTS
from ai_engine.semantics.join_paths import Reach
from ai_engine.semantics.model import SemanticModel
from ai_engine.semantics.names import singular
from ai_engine.semantics.values import StoredValue, ValueIndex, phrases_of
from ai_engine.semantics.words import name_key, stem, words

_SAME_NAME = 0.1
_COUNTED = {("number",), ("no",), ("count",)}  # "number of invoices" and "no invoice" are no "invoice number"
_NAMES, _LINKS = frozenset({"name", "names"}), frozenset({"of", "for"})
_PLACES_IN_ORDER = frozenset({"first", "last"})
_BEFORE_NOUNS = frozenset({"on", "at"})
_COPULAS = frozenset({"is", "are", "was", "were", "be", "been"})
_LONGEST_NAME = 6


@dataclass(frozen=True)
class Lexicon:
    """Everything one database can be called; built once per vocabulary, then only read."""

    model: SemanticModel
    values: ValueIndex
    looked_up: Mapping[Key, tuple[StoredValue, ...]] = field(default_factory=dict)

    def also_knowing(self, found: Iterable[StoredValue]) -> Lexicon:
        """The same lexicon, sharing every index that is built, with some more values."""
        by_phrase: dict[Key, tuple[StoredValue, ...]] = {}
        for value in found:
            for phrase in phrases_of(str(value.value)):
                by_phrase[phrase] = (*by_phrase.get(phrase, ()), value)
        knowing = copy(self)
        object.__setattr__(knowing, "looked_up", by_phrase)
        return knowing

    @cached_property
    def _all_nouns(self) -> frozenset[str]:
        return frozenset(noun for nouns in self._nouns.values() for noun in nouns)

    @cached_property
    def reach(self) -> Reach:
        """How closely the datasets hang together."""
        return Reach(self.model)

    @cached_property
    def role_verbs(self) -> RoleVerbs:
        """What people do in the roles of the relationships."""
        return RoleVerbs(self.model)

    def prepare(self) -> None:
        """Build every index now rather than at the first question."""
        self.names(("",))
        self.spelled.get("")
        self.stored(("",))
        self.stored_by_part("")
        self.corrections("zzzz")
        self.short_forms.in_names("zzzz")
        self.short_forms.in_values("zzzz")

    @cached_property
    def _names(self) -> dict[Key, tuple[Candidate, ...]]:
        return spelled_names(self.model, self.values, self._all_nouns)

    @cached_property
    def spelled(self) -> dict[str, tuple[Candidate, ...]]:
        """Tables and columns by their names in the database, in lower case."""
        found: dict[str, dict[Meaning, None]] = defaultdict(dict)
        for dataset in self.model.datasets:
            for name in (dataset.name, dataset.table_name):
                found[name.lower()][Thing(dataset.name)] = None
            for item in dataset.fields:
                for name in (item.name, *(() if item.behind else (item.expression,))):
                    found[name.lower()][Attribute(dataset.name, item.name)] = None
        return {name: tuple(Candidate(meaning, EXACT) for meaning in meant) for name, meant in found.items()}

    def date_of(self, event: str) -> tuple[Candidate, ...]:
        """Dates that a verb tells when a period follows it: "loans approved in May" where loans have only a date."""
        found = self._names.get(name_key((event, "date")), ()) if stem(event) in EVENTS | JOINING | LEAVING else ()
        if not found and (happened := event_of(event)) is not None:  # "built before 1950" tells the build year
            years = self._names.get(name_key((happened, "year")), ())
            found = tuple(c for c in years if isinstance(c.meaning, Attribute) and c.cost < HEAD_NOUN)
        if stem(event) in JOINING:  # "people who joined in May" joined no club that nobody named
            nouns = ((c, words(self.model.dataset(name).label)) for c in found if (name := dataset_of(c)) is not None)
            found = tuple(c for c, noun in nouns if noun[-1] not in ENROLMENTS)
        return tuple(c for c in found if not self._is_state(event, dataset_of(c)))

    def _is_state(self, word: str, dataset: str | None) -> bool:
        """Tell whether rows are stored as such: "booked" visits are in that state, on whatever day they are."""
        return any(value.dataset == dataset for value in self.values.exactly((word,)))

    @cached_property
    def dates_of_events(self) -> Mapping[str, tuple[Attribute, ...]]:
        """Dates by the one word for what happened on them."""
        return dates_of_events(self.model)

    @cached_property
    def dates_of_verbs(self) -> Mapping[str, tuple[Attribute, ...]]:
        """Dates by the verb in their names."""
        return dates_of_verbs(self.model)

    @cached_property
    def days_of_deeds(self) -> Mapping[str, tuple[tuple[Attribute, bool], ...]]:
        """Dates by what becomes of rows on them, and whether it has."""
        return days_of_deeds(self.model)

    @cached_property
    def _known_stems(self) -> frozenset[str]:
        return frozenset(word for key in self._names for word in key)

    @cached_property
    def _common_words(self) -> frozenset[str]:
        return frozenset({*cue_table().words, *(word for phrase in self._written_names() for word in phrase)})

    @cached_property
    def _spellable(self) -> tuple[str, ...]:
        """Words that a misspelt word may have meant, longest class first: names, values, cues."""
        names = (word for phrase in self._written_names() for word in phrase)
        known = {*names, *self.values.known_words, *cue_table().words}
        return tuple(sorted(word for word in known if len(word) >= SHORTEST_TYPO and not word.isdigit()))

    def _written_names(self) -> Iterable[Key]:
        for dataset in self.model.datasets:
            yield from (words(name) for name in (dataset.label, dataset.name, *dataset.synonyms))
            for item in dataset.fields:
                yield from (words(name) for name in (item.label, item.name, *item.synonyms))
        for metric in self.model.metrics:
            yield from (words(name) for name in (metric.label, *metric.synonyms))

    def knows(self, word: str) -> bool:
        """Tell whether a word occurs in any name, value or cue."""
        if word in cue_table().words or stem(word) in self._known_stems or word in self.values.known_words:
            return True
        return any(word in phrase for phrase in self.looked_up)

    def means_by_itself(self, word: str) -> bool:
        """Tell whether a word is a name, a value or part of a cue, rather than a piece of longer names alone."""
        return word in cue_table().words or bool(self.names((word,)) or self.stored((word,)))

    def tells_apart(self, kind: str, thing: Thing) -> bool:
        """Tell whether the things come in this kind: a field of theirs holds the word or is called by it."""
        held = (*self.values.by_stem((kind,)), *self.values.by_synonym((kind,)), *self.values.by_part(kind))
        fields = self.model.dataset(thing.dataset).fields
        return any(value.dataset == thing.dataset for value in held) or any(
            kind in words(item.label) and item.role in {"flag", "category"} for item in fields
        )

    def names_together(self, first: str, second: str) -> bool:
        """Tell whether some name has both words: "credit card" in "credit card limit"."""
        return any(stem(first) in key and stem(second) in key for key in self._names)

    def names(self, phrase: Key) -> tuple[Candidate, ...]:
        """Things, attributes and figures that a phrase can stand for."""
        found = self._names.get(name_key(phrase), ()) if len(phrase) <= _LONGEST_NAME else ()
        if len(phrase) > 1 and phrase[:1] in _COUNTED:
            found = tuple(c for c in found if self._label(c.meaning)[:1] in _COUNTED)
        if len(phrase) > 1 and phrase[-1] in _PLACES_IN_ORDER:  # "names of the last 3" are no last names
            found = tuple(c for c in found if self._label(c.meaning)[-1:] == phrase[-1:])
        if (
            len(phrase) > 1 and phrase[0] in _NAMES and phrase[1] not in _LINKS
        ):  # "last name segment": no "segment name"
            found = tuple(c for c in found if self._label(c.meaning)[:1] == phrase[:1])
        if len(phrase) == 1 and phrase[0].endswith("ed") and self.values.exactly(phrase):  # "settled": no settlement
            found = tuple(c for c in found if not isinstance(c.meaning, Thing) or self.is_noun(phrase[0], c.meaning))
        if len(phrase) > 1 and phrase[0] in _BEFORE_NOUNS:  # "on settled claims" does not name the day "settled on"
            found = tuple(c for c in found if self._label(c.meaning)[-1:] != phrase[:1])
        if _COPULAS & set(phrase):  # "categories are high risk" says it of them, "date the claim was made" is a name
            said_of_a_thing = stem(phrase[0]) in self._all_nouns  # "branch was opened"
            found = tuple(
                c
                for c in found
                if not (isinstance(c.meaning, Attribute) and (said_of_a_thing or self.is_flag(c.meaning)))
            )
        keys = {c.meaning: c.cost for c in found}
        return tuple(c for c in found if self._cost_of_key(c.meaning, keys) > c.cost + _SAME_NAME)

    def is_time(self, meaning: Attribute) -> bool:
        """Tell whether a field is a date, a moment or a year."""
        return self.model.dataset(meaning.dataset).field(meaning.field).role == "time"

    def names_in_full(self, phrase: Key) -> tuple[Candidate, ...]:
        """What the full word for a short one names: "projects" are no "prj type", of which "prj" is only one half."""
        halves = (c for c in self.names(phrase) if isinstance(c.meaning, Attribute) and not self.is_figure(c.meaning))
        short = [c for c in halves if GENERIC_HEAD <= c.cost < HEAD_NOUN]
        return tuple(c for c in self.names(phrase) if c not in short)

    def is_figure(self, meaning: Attribute) -> bool:
        """Tell whether a field holds a number to be added up or averaged."""
        return self.model.dataset(meaning.dataset).field(meaning.field).role == "measure"

    def is_flag(self, meaning: Meaning) -> bool:
        """Tell whether a meaning is a yes-or-no column."""
        return isinstance(meaning, Attribute) and (
            self.model.dataset(meaning.dataset).field(meaning.field).role == "flag"
        )

    def _label(self, meaning: Meaning) -> Key:
        """Words of a field's label; empty for anything else."""
        if not isinstance(meaning, Attribute):
            return ()
        return words(self.model.dataset(meaning.dataset).field(meaning.field).label)

    def _cost_of_key(self, meaning: Meaning, costs: Mapping[Meaning, float]) -> float:
        """What the key costs that a reference column holds: "customer id" of an account is that of its customer."""
        key = self._references.get((meaning.dataset, meaning.field)) if isinstance(meaning, Attribute) else None
        return costs.get(key, NOT_NAMED) if key is not None else NOT_NAMED

    def is_noun(self, word: str, thing: Thing) -> bool:
        """Tell whether a word is the noun for some rows, and no verb of its stem."""
        dataset = self.model.dataset(thing.dataset)
        nouns = {word for name in (dataset.label, dataset.name, *dataset.synonyms) for word in words(name)}
        return word in nouns or singular(word) in {singular(noun) for noun in nouns}

    @cached_property
    def _references(self) -> dict[tuple[str, str], Attribute]:
        return {
            (link.from_dataset, link.from_columns[0]): Attribute(link.to_dataset, link.to_columns[0])
            for link in self.model.relationships
            if len(link.from_columns) == 1 and link.from_dataset != link.to_dataset and not link.only_where
        }

    @cached_property
    def _values_said(self) -> SpelledValues:
        return SpelledValues(self.model, self.values, self._nouns, self.kinds_of_codes)

    def stored(self, phrase: Key) -> tuple[Candidate, ...]:
        """Values that a phrase can stand for, cheapest kind only."""
        return self._values_said.stored(phrase, self.looked_up)

    def stored_by_part(self, word: str) -> tuple[Candidate, ...]:
        """Values that begin or end with a word, when the word says nothing else; costs more the more there are."""
        return self._values_said.by_part(word)

    def stored_short(self, word: str) -> tuple[Candidate, ...]:
        """Values in capitals that are probably short for a word that nothing is called by."""
        return self._values_said.short_for(word, self.short_forms.in_values(word))

    @cached_property
    def kinds_of_codes(self) -> tuple[KindOfCode, ...]:
        """Kinds of code that one table keeps beside others."""
        return kinds_of_codes(self.model, self.values)

    @cached_property
    def _nouns(self) -> dict[str, frozenset[str]]:
        return {
            dataset.name: frozenset(stem(words(name)[-1]) for name in (dataset.label, *dataset.synonyms) if words(name))
            for dataset in self.model.datasets
        }

    def corrections(self, word: str) -> tuple[str, ...]:
        """Known words that an unknown word is probably a misspelling of, best first."""
        return corrections(word, self._common_words, self._spellable)

    @cached_property
    def short_forms(self) -> ShortForms:
        """What names and values are short for."""
        return ShortForms(self.model, self.values)

    def nearest(self, word: str, limit: int = 3) -> tuple[str, ...]:
        """Names closest to a word that could not be placed, for a refusal."""
        fields = (item.label for dataset in self.model.datasets for item in dataset.fields)
        labels = (*(dataset.label for dataset in self.model.datasets), *fields)
        return nearest(word, (*labels, *(metric.label for metric in self.model.metrics)), limit)
