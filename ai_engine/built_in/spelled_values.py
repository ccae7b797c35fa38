"""Values by the words for them: as stored, by a synonym, by a part, in short, and as the rows that they tell."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from ai_engine.built_in.meanings import Candidate, Stored
from ai_engine.built_in.name_prices import EXACT, HEAD_NOUN, SYNONYM, WITHOUT_TABLE, Key
from ai_engine.built_in.shared_codes import KindOfCode, link_of_value
from ai_engine.semantics.model import SemanticModel
from ai_engine.semantics.names import singular
from ai_engine.semantics.people import is_a_person
from ai_engine.semantics.values import StoredValue, ValueIndex
from ai_engine.semantics.words import stem, words

_WRITTEN_OUT = 0.4  # more than two words cost: the person is meant rather than a note of the name
_COARSER_COST = 0.08
_MOST_WITH_A_PART = 18
_KINDS_OF_ROWS = frozenset({"type", "kind", "category", "class"})  # the type of a buyer is none of the sale
_KINDS_OF_PEOPLE = frozenset({"role", "title", "designation", "occupation", "profession"})


@dataclass(frozen=True)
class SpelledValues:
    """The values of one database; `nouns` are the stems of what the rows of each dataset are called."""

    model: SemanticModel
    values: ValueIndex
    nouns: Mapping[str, frozenset[str]]
    kinds_of_codes: tuple[KindOfCode, ...]

    def stored(self, phrase: Key, looked_up: Mapping[Key, tuple[StoredValue, ...]]) -> tuple[Candidate, ...]:
        """Values that a phrase can stand for, cheapest kind only; `looked_up` are more of them, for one question."""
        phrase = words(" ".join(phrase))  # "ac1001" is indexed as a word and a number
        for cost, found in (
            (EXACT, (*self.values.exactly(phrase), *looked_up.get(phrase, ()))),
            (SYNONYM, self.values.by_synonym(phrase)),
            (WITHOUT_TABLE, self.values.by_stem(phrase)),
        ):
            if found:
                rivals: dict[str, list[StoredValue]] = defaultdict(list)
                for value in dict.fromkeys(found):
                    rivals[value.dataset].append(value)
                price = cost + _WRITTEN_OUT * is_a_person(phrase, self.model, self.values)
                return tuple(self._rated(value, phrase, price, rivals) for value in dict.fromkeys(found))
        return ()

    def _rated(
        self, value: StoredValue, phrase: Key, cost: float, rivals: Mapping[str, Sequence[StoredValue]]
    ) -> Candidate:
        """Where two fields of one table hold the word, the finer one is meant: Delhi the city rather than the state."""
        stored = self._stored(
            value, phrase, len({(item.dataset, item.field) for rival in rivals.values() for item in rival})
        )
        others = [rival for rival in rivals[value.dataset] if rival.field != value.field]
        if not others:
            return Candidate(stored, cost)
        if any(self._fineness(rival) > self._fineness(value) for rival in others):
            return Candidate(stored, cost + _COARSER_COST)
        labels = [self.model.dataset(item.dataset).field(item.field).label for item in (value, others[0])]
        return Candidate(stored, cost, f"“{' '.join(phrase)}” was taken as the {labels[0]}, not the {labels[1]}")

    def _fineness(self, value: StoredValue) -> int:
        known = self.values.values_of(value.dataset, value.field)
        return len(known.values) if known else 0

    def _stored(self, value: StoredValue, phrase: Key, places: int = 1) -> Stored:
        """A value, noting whether its words say its rows too: "savings accounts", "gold loan", "pharmacies"."""
        nouns = self.nouns[value.dataset]
        with_noun = (len(phrase) > 1 and stem(phrase[-1]) in nouns) or self._are_its_rows(value, phrase, places)
        place = (value.dataset, value.field)
        link = link_of_value(self.kinds_of_codes, self.model, place, str(value.value))
        via = (link,) if link is not None else ()
        return Stored(value.dataset, value.field, value.value, with_noun=with_noun, via=via)

    def _are_its_rows(self, value: StoredValue, phrase: Key, places: int) -> bool:
        """Tell whether the only word, or the last, is the plural of what a kind is called: "pharmacies" are of it."""
        last = singular(phrase[-1])
        item = self.model.dataset(value.dataset).field(value.field)
        *owner, kind = words(item.label)
        theirs = not owner or kind in _KINDS_OF_PEOPLE or bool(self.nouns[value.dataset].intersection(map(stem, owner)))
        of_a_kind = item.role == "category" and kind in _KINDS_OF_ROWS | _KINDS_OF_PEOPLE and theirs
        if (
            places > 1
            or last == phrase[-1]
            or not of_a_kind
            or any(stem(last) in nouns for nouns in self.nouns.values())
        ):
            return False
        called = [words(said) for said in (str(value.value), *item.value_synonyms.get(str(value.value), ()))]
        return any(said[-1:] == (last,) for said in called) and not any(said[-1:] == phrase[-1:] for said in called)

    def by_part(self, word: str) -> tuple[Candidate, ...]:
        """Values that begin or end with a word, when the word says nothing else; costs more the more there are."""
        found = [value for value in self.values.by_part(word) if stem(word) not in map(stem, _amid(str(value.value)))]
        if len(found) > _MOST_WITH_A_PART:
            return ()  # a part of everything stands for nothing
        notes = (f"“{word}” was taken as {value.value!s}" for value in found)
        return tuple(
            Candidate(replace(self._stored(value, (word,)), by_part=True), HEAD_NOUN + 0.2 * (len(found) - 1), note)
            for value, note in zip(found, notes, strict=True)
        )

    def short_for(self, word: str, found: Iterable[StoredValue]) -> tuple[Candidate, ...]:
        """Values in capitals that are probably short for a word that nothing is called by."""
        return tuple(
            Candidate(self._stored(value, (word,)), HEAD_NOUN, f"“{word}” was taken as {value.value!s}")
            for value in found
        )


def _amid(value: str) -> tuple[str, ...]:
    """The words within a value: "market" alone is no money market fund."""
    return words(value)[1:-1]
