"""Other words for datasets and fields."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import replace

from ai_engine.semantics.infer.described import described_name
from ai_engine.semantics.infer.events import event_phrases
from ai_engine.semantics.infer.measures import currency_synonyms
from ai_engine.semantics.infer.naming import NamedColumn, NamedTable
from ai_engine.semantics.infer.roles import AMOUNTS_AND_KINDS
from ai_engine.semantics.infer.thesaurus import other_words
from ai_engine.semantics.model import Dataset, Field, FieldRole
from ai_engine.semantics.schema_words import (
    CUSTOMERS,
    KEY_WORDS,
    WIDER_NOUNS,
    word_set,
)
from ai_engine.semantics.words import stem
from ai_engine.types import Scalar

# Nouns that say what an account is: a loan account is a loan, while a customer account is no customer.
_ACCOUNTS_THEMSELVES = word_set("loan deposit overdraft mortgage savings")

_PARTS = word_set("line item detail entry record")  # the line of a bill is no route
_AMOUNTS_THEMSELVES = word_set(
    "salary wage fee charge tax premium income commission interest emi instalment rent bonus penalty discount refund"
)
_SAID_OF_INTEREST = word_set("annual yearly nominal lending borrowing contract fixed rate pct percent")
_BEARING_INTEREST = word_set("loan mortgage deposit bond savings overdraft debenture")


def dataset_synonyms(named: NamedTable, key: tuple[str, ...]) -> tuple[str, ...]:
    """Return other nouns for a table's rows: the trade's, the noun of its key, its label without what stands before."""
    found: list[str] = []
    owner = " ".join(named.by_name[key[0].lower()].words[:-1]) if len(key) == 1 else ""
    tail = named.label.rsplit(maxsplit=1)[-1]
    for noun in (owner, tail):
        if noun and noun != named.label and not AMOUNTS_AND_KINDS & set(noun.split()):
            found.append(noun)
    found += _things_of_dates(named, key)
    return tuple(word for word in dict.fromkeys([*found, *_of_the_trade(named.label, found)]) if word != named.label)


def _of_the_trade(label: str, others: Sequence[str]) -> Iterator[str]:
    kind = label.removesuffix(" account")
    own = [kind] if kind != label and kind.rsplit(maxsplit=1)[-1] in _ACCOUNTS_THEMSELVES else []
    yield from own
    yield from ("customer", "client") if label in CUSTOMERS else ()
    for phrase in (label, *(noun for noun in others if noun not in _PARTS), *own):
        yield from other_words("things", phrase)
        yield from WIDER_NOUNS.get(phrase, ())


def _things_of_dates(named: NamedTable, key: tuple[str, ...]) -> list[str]:
    """Return the noun of what a table has a row of for each date: its key is a date and the thing's number."""
    if len(key) != 2:
        return []
    words = [named.by_name[name.lower()].words for name in key]
    dated = [parts for parts in words if {"date", "day", "month"} & set(parts)]
    things = [parts for parts in words if parts not in dated and parts and parts[-1] in KEY_WORDS]
    return [" ".join(parts[:-1]) for parts in things if len(dated) == 1 and len(parts) > 1]


def field_synonyms(item: NamedColumn, label: str, role: FieldRole, samples: Sequence[Scalar] = ()) -> tuple[str, ...]:
    """Return other words for a column: the trade's, its date turned round, its noun left out, its description."""
    found: list[str] = []
    short = _without_noun(item.label, label)
    if short:
        found.append(short)
    bare = item.label.removesuffix(" name")
    for phrase in (
        item.label,
        short,
        f"{label} {item.label}",
        *([bare] if bare != label and role != "measure" else []),
    ):
        found += other_words("fields", phrase)
    figure = item.label.removesuffix(" amount")
    if role == "measure" and figure.rsplit(maxsplit=1)[-1] in _AMOUNTS_THEMSELVES:
        found.append(figure)
    if role == "measure":
        found += currency_synonyms(item.words)
    if role == "measure" and _is_interest(item.words, label):
        found += ["interest rate", "rate of interest"]
    if role == "time":
        found += [*_turned_round(item.words), *event_phrases(item.words)]
    phrase = described_name(item.description, samples, role)
    if phrase:
        found.append(phrase)
    if item.words and " ".join(item.words) != item.label:
        found.append(" ".join(item.words))
    if item.label != item.column.name.lower() and item.label == phrase:
        found.append(item.column.name.lower())
    return tuple(word for word in dict.fromkeys(found) if word != item.label)


def _is_interest(words: Sequence[str], label: str) -> bool:
    """ "annual rate", and the "rate" of a loan; that of a currency or a tariff is no interest."""
    if "rate" not in words or not _SAID_OF_INTEREST.issuperset(words):
        return "apr" in words and len(words) == 1
    return len(words) > 1 or not _BEARING_INTEREST.isdisjoint(label.split())


def _without_noun(phrase: str, label: str) -> str:
    """Leave out the table's own noun: "customer first name" of a customer is a first name."""
    for noun in (label, label.rsplit(maxsplit=1)[-1]):
        if phrase.startswith(noun + " "):
            rest = phrase[len(noun) + 1 :]
            return "" if rest in {"id", "number", "code", "key"} else rest
    return ""


def _turned_round(words: Sequence[str]) -> list[str]:
    """Say "open date" for "date open" and the other way round."""
    rest = " ".join(word for word in words if word not in {"date", "time"})
    if not rest or "date" not in words or "of" in words:
        return []
    return [f"{rest} date", f"date {rest}"]


def without_clashes(datasets: Sequence[Dataset], states: Mapping[str, Set[str]]) -> tuple[Dataset, ...]:
    """Drop a synonym that is the label of something else in the same place, so that no word is made ambiguous here.

    Args:
        datasets: as inferred one by one.
        states: dataset to what its categories store, in lower case; "closed" is then a status and no closing date.
    """
    labels = Counter(dataset.label for dataset in datasets)
    said = Counter(word for dataset in datasets for word in dataset.synonyms)
    figures = {item.label for dataset in datasets for item in dataset.fields if item.role == "measure"}
    cleaned = []
    for dataset in datasets:
        clear = (word for word in dataset.synonyms if not labels[word] and said[word] == 1)
        synonyms = tuple(word for word in clear if word not in figures)  # "balance" is that of an account
        cleaned.append(replace(dataset, synonyms=synonyms))
    nouns = {noun for dataset in cleaned for noun in (dataset.label, *dataset.synonyms)}
    return tuple(
        replace(dataset, fields=_clear_fields(dataset, nouns, states.get(dataset.name, frozenset())))
        for dataset in cleaned
    )


def _clear_fields(dataset: Dataset, nouns: Set[str], states: Set[str]) -> tuple[Field, ...]:
    """Leave out of each field what names a column beside it, and of its values what names rows."""
    own = Counter(item.label for item in dataset.fields)
    taken = {word for item in dataset.fields for words in item.value_synonyms.values() for word in words} | states
    stems = {stem(noun.rsplit(maxsplit=1)[-1]) for noun in nouns}

    def is_clear(word: str, role: FieldRole) -> bool:
        verb = role == "time" and (word in taken or stem(word.rsplit(maxsplit=1)[-1]) in stems)
        return not own[word] and not verb and not (role == "category" and word in nouns)

    return tuple(
        replace(
            item,
            synonyms=tuple(word for word in item.synonyms if is_clear(word, item.role)),
            value_synonyms=_no_nouns(item.value_synonyms, nouns),
        )
        for item in dataset.fields
    )


def _no_nouns(said: Mapping[str, tuple[str, ...]], nouns: Set[str]) -> dict[str, tuple[str, ...]]:
    kept = {value: tuple(word for word in words if word not in nouns) for value, words in said.items()}
    return {value: words for value, words in kept.items() if words}
