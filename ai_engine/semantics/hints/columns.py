"""Columns that a text of definitions has words for: what they are called then, and what that makes of them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace

from ai_engine.catalogue import Column
from ai_engine.semantics.infer.datasets import default_time, display
from ai_engine.semantics.infer.fields import column_expression, field_of
from ai_engine.semantics.infer.naming import NamedColumn
from ai_engine.semantics.model import Dataset, Field
from ai_engine.semantics.names import is_unclear, singular, split_identifier
from ai_engine.semantics.spelled_days import day_expression
from ai_engine.semantics.words import words
from ai_engine.types import Scalar

_OF = re.compile(r"\s+(?:of|in|for|per|on|to|by|at|after)\s+")
_WHOSE = re.compile(r"^(?P<owner>\w+)'s?\s+(?P<rest>.+)$")
_AVERAGED = re.compile(r"^(?:average|mean|total|current)\s+")
_PAID = re.compile(
    r"^(?P<what>(?!amount|number|sum|money|total)\w+) (?:paid|given|granted|charged|earned|received|awarded)$"
)
_HALF_A_NAME = ("number of", "share of", "name of", "date of", "day of", "amount of", "total number of")
_TELLS_WHERE = re.compile(r"^where\s")  # "where the client lives": a way to a district, and no name of its key
_EVENT = re.compile(
    r"^(?P<when>date|day|time|year|when)\s+(?:on which |when |that )?(?:the |an? |its |their )?(?P<noun>[\w ]+?)\s+"
    r"(?:(?:was|were|is|are|has been|had been|got)\s+)?"
    r"(?P<verb>\w+(?:ed|id|en|pt|ld|ght|ut|me|an)(?:\s(?:out|up|off|in|on))?)$"
)


def wordings(phrase: str, nouns: AbstractSet[str]) -> list[str]:
    """Return shorter ways to say what a column is called, the clearest first; `nouns` are those of all tables.

    "town of the branch" is a town, "region's name" a name, "date the loan was paid out" a paid out date.
    """
    event = _EVENT.match(phrase)
    if event and singular(event["noun"].split()[-1]) in nouns:
        return _event_ways(event, phrase)
    found = [phrase]
    owned = _WHOSE.match(phrase)
    if owned and singular(owned["owner"]) in nouns:
        found = [f"{singular(owned['owner'])} {owned['rest']}", owned["rest"]]
    parts = _OF.split(phrase, maxsplit=1)
    of_rows = len(parts) > 1 and (_names_rows(parts[1], nouns) or len(parts[0].split()) > 1)
    if of_rows and not phrase.startswith(_HALF_A_NAME):
        found = [parts[0], phrase]
    found += [kept["what"] for way in found if (kept := _PAID.match(way))]
    plain = [_AVERAGED.sub("", wording) for wording in found]
    return list(dict.fromkeys([*found, *plain]))


def _event_ways(event: re.Match[str], phrase: str) -> list[str]:
    verb = event["verb"]
    if event["when"] != "year":
        return [f"{verb} date", f"date {verb}", verb, phrase]
    doing = [f"{verb.removesuffix('ed')}ing year"] if verb.endswith("ed") else []
    return [f"year {verb}", f"{verb} year", *doing, verb, phrase]


def _names_rows(rest: str, nouns: AbstractSet[str]) -> bool:
    last = words(rest)[-1:] or ("",)
    return singular(last[0]) in nouns or rest.rpartition("the ")[2] in nouns or rest.startswith("execution")


def described(
    item: Field,
    phrases: Sequence[str],
    meanings: Mapping[str, Sequence[str]],
    dataset: Dataset,
    samples: Sequence[Scalar],
    nouns: AbstractSet[str],
) -> Field:
    """Return a field with the words given to it and to its values; a name that said nothing gives way to them."""
    spoken = {value: tuple(words) for value, words in item.value_synonyms.items()}
    for value, said in meanings.items():
        spoken[value] = tuple(dict.fromkeys([*spoken.get(value, ()), *said]))
    named = [phrase for phrase in phrases if not (item.role == "identifier" and _points(phrase, nouns))]
    ways = [way for phrase in named for way in wordings(phrase, nouns)]
    if ways and _was_guessed(item) and item.label not in ways:
        item = _named(item, _singular(ways[0]), dataset.label, samples)
    variants = [variant for way in ways for variant in (way, _singular(way)) if variant not in nouns]
    return replace(item, synonyms=joined(item.synonyms, variants, item.label), value_synonyms=spoken)


def _points(phrase: str, nouns: AbstractSet[str]) -> bool:
    """Tell whether a phrase says what rows a key leads to, and so names these and not the key."""
    return phrase in nouns or _TELLS_WHERE.match(phrase) is not None


def _was_guessed(item: Field) -> bool:
    """Tell whether the name says nothing, or was an abbreviation: what is told stands above a guess."""
    said = split_identifier(item.name)
    return is_unclear(said) or (item.label != " ".join(said) and not set(words(item.label)) & set(said))


def joined(present: Sequence[str], added: Sequence[str], label: str) -> tuple[str, ...]:
    """Return both without repeats and without the label."""
    return tuple(word for word in dict.fromkeys([*present, *added]) if word != label)


def _named(item: Field, phrase: str, label: str, samples: Sequence[Scalar]) -> Field:
    """Judge a column anew whose name said nothing, now that it has one; keys stay keys."""
    if item.role == "identifier":
        return replace(item, label=phrase, description=item.description or phrase)
    named = NamedColumn(Column(item.name, item.type), phrase, words(phrase), phrase)
    judged = field_of(named, samples, is_key=False, points_elsewhere=False, label=label)
    if item.expression != column_expression(item.name):
        judged = replace(judged, expression=item.expression, type=item.type, role=item.role)
    return replace(judged, synonyms=joined((*item.synonyms, item.label), judged.synonyms, phrase))


def of_days(item: Field) -> Field:
    """Return a column of numbers or texts such as 20261121 as the days that they are."""
    if item.type not in {"integer", "text"} or item.role == "time":
        return item
    expression = day_expression(item.expression, number=item.type == "integer")
    return replace(item, expression=expression, type="date", role="time", unit=None, default_aggregate=None)


def renamed(item: Field, labels: Mapping[str, str]) -> Field:
    """Return a field that is called after a table under the table's new name: "kto number" is an account number."""
    for old, new in labels.items():
        if item.label.startswith(f"{old} "):
            label = f"{new}{item.label.removeprefix(old)}"
            return replace(item, label=label, synonyms=joined((item.label, *item.synonyms), (), label))
    return item


def shown_anew(dataset: Dataset, before: Dataset, pointing: AbstractSet[str]) -> Dataset:
    """Decide again what dates and shows the rows of a dataset where columns became something else."""
    roles = {item.name: (item.role, item.label) for item in before.fields}
    changed = [item for item in dataset.fields if roles.get(item.name) != (item.role, item.label)]
    if not any(item.role in {"name", "time"} for item in changed):
        return dataset
    said = {item.name: words(item.label) for item in dataset.fields}
    names = tuple(key for key in dataset.unique_keys if len(key) == 1 and dataset.field(key[0]).role == "name")
    return replace(
        dataset,
        default_time=default_time(dataset.label, dataset.fields, said),
        display=display(dataset.primary_key, dataset.fields, names, pointing),
    )


def _singular(phrase: str) -> str:
    if phrase.startswith(_HALF_A_NAME[:2]):
        return phrase
    head, _, last = phrase.rpartition(" ")
    return f"{head} {singular(last)}".strip()
