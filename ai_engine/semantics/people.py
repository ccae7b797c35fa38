"""Dates of birth, and the ages they give."""

from __future__ import annotations

from dataclasses import replace

from ai_engine.semantics.infer.datasets import is_about_people
from ai_engine.semantics.model import Dataset, Field, SemanticModel
from ai_engine.semantics.values import ValueIndex
from ai_engine.semantics.words import words

PEOPLE = ("people", "persons", "person", "individuals", "users")
_PERSON_NOUNS = frozenset({"customer", "client", "person", "member", "user", "borrower", "account holder"})
_SERVING = frozenset({"adviser", "advisor", "banker", "broker", "dealer", "trader", "teller", "clerk"})
_HIRED = frozenset("hired hire hiring recruited".split())
_FIRST, _LAST = frozenset({"first", "given", "forename"}), frozenset({"last", "family", "surname"})
_FIRST_AND_LAST = 2
_BIRTH = frozenset({"birth", "born", "dob", "birthdate", "birthday"})


def is_birth_date(item: Field) -> bool:
    """Tell whether a field holds the date on which a person was born."""
    return item.role == "time" and bool(_BIRTH & set(words(f"{item.label} {item.name} {' '.join(item.synonyms)}")))


def holds_people(dataset: Dataset) -> bool:
    """Tell whether the rows of a dataset are people: they have dates of birth, or are called so."""
    return dataset.label in _PERSON_NOUNS or any(is_birth_date(item) for item in dataset.fields)


def calls_people(dataset: Dataset) -> bool:
    """Tell whether the noun of a dataset is one for people, be they customers or those who serve them."""
    noun = dataset.label.rsplit(maxsplit=1)[-1]
    columns = [words(item.label) for item in dataset.fields]
    hired = any(_HIRED.intersection(column) for column in columns)
    named = hired or bool(name_parts(dataset))
    return holds_people(dataset) or noun in _SERVING or named or is_about_people(dataset.label, columns)


def name_parts(dataset: Dataset) -> tuple[str, ...]:
    """Return the fields of first and last name where a dataset keeps them apart, in that order; none elsewhere."""
    named = {item.name: set(words(item.label)) for item in dataset.fields if item.role == "name"}
    parts = [[name for name, said in named.items() if said & part] for part in (_FIRST, _LAST)]
    return tuple(found[0] for found in parts) if all(len(found) == 1 for found in parts) else ()


def is_a_person(phrase: tuple[str, ...], model: SemanticModel, values: ValueIndex) -> bool:
    """Tell whether two words are somebody's first and last name, whoever else writes them out in one column."""
    if len(phrase) != _FIRST_AND_LAST:
        return False
    held = [{(value.dataset, value.field) for value in values.exactly((word,))} for word in phrase]
    for dataset in model.datasets:
        parts = name_parts(dataset)
        if parts and all((dataset.name, part) in known for part, known in zip(parts, held, strict=True)):
            return True
    return False


def as_age(item: Field) -> Field:
    """The same field seen as whole years up to the as-of day."""
    return replace(item, role="measure", type="integer", label="age", unit="years", default_aggregate="avg")
