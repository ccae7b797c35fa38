"""Conditions with a name, as yes-or-no fields of the datasets whose rows they are said of."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import sqlglot
from sqlglot import exp

from ai_engine.semantics.hints.kinds import ConditionHint
from ai_engine.semantics.infer.fields import column_expression
from ai_engine.semantics.model import Dataset, Field
from ai_engine.semantics.names import singular
from ai_engine.semantics.words import words
from ai_engine.types import Scalar

_Place = tuple[str, str]


def with_marks(
    datasets: Iterable[Dataset], hints: Sequence[ConditionHint], stored: Mapping[_Place, Sequence[Scalar]]
) -> tuple[Dataset, ...]:
    """Return the datasets with a field for each condition that their rows can satisfy."""
    datasets = tuple(datasets)
    said: dict[_Place, list[str]] = defaultdict(list)
    for hint in hints:
        for dataset in _meant(hint, datasets, stored):
            said[dataset.name, hint.sql].append(hint.phrase)
    return tuple(
        replace(
            dataset,
            fields=(
                *dataset.fields,
                *(_mark(dataset, sql, phrases) for (name, sql), phrases in said.items() if name == dataset.name),
            ),
        )
        for dataset in datasets
    )


def _meant(
    hint: ConditionHint, datasets: Sequence[Dataset], stored: Mapping[_Place, Sequence[Scalar]]
) -> list[Dataset]:
    """Of the tables that have the columns, those named by the phrase, else those that hold a value it asks for."""
    tables = {table.lower() for table in hint.tables}
    able = [item for item in datasets if item.source.rpartition(".")[2].strip('"').lower() in tables]
    named = [item for item in able if _noun_of(item, hint.phrase)]
    holding = [item for item in able if _holds_value(item, hint.sql, stored)]
    return named or holding or able


def _holds_value(dataset: Dataset, sql: str, stored: Mapping[_Place, Sequence[Scalar]]) -> bool:
    tree = sqlglot.parse_one(sql)
    asked = {literal.name for literal in tree.find_all(exp.Literal)}
    columns = {column.name.lower() for column in tree.find_all(exp.Column)}
    return any(
        asked & {str(value) for value in stored.get((dataset.name, item.name), ())}
        for item in dataset.fields
        if item.name.lower() in columns
    )


def _noun_of(dataset: Dataset, phrase: str) -> str:
    """Return the noun of the dataset that a phrase ends in, as written; "" when it ends in none."""
    nouns = sorted({dataset.label, *dataset.synonyms}, key=len, reverse=True)
    return next((noun for noun in nouns if f" {_singular(phrase)}".endswith(f" {noun}")), "")


def _singular(phrase: str) -> str:
    head, _, last = phrase.rpartition(" ")
    return f"{head} {singular(last)}".strip()


def _mark(dataset: Dataset, sql: str, phrases: Sequence[str]) -> Field:
    """Return the field whose yes is said by the phrases, with the noun of the rows and without it."""
    wordings: list[str] = []
    for phrase in map(_singular, phrases):
        noun = _noun_of(dataset, phrase)
        bare = phrase.removesuffix(noun).strip() or phrase
        kinds = [f"{bare} {label}" for label in _labels_of_columns(dataset, sql)]
        wordings += [bare, phrase, f"{bare} {dataset.label}", *kinds]
    tree = sqlglot.parse_one(sql)
    expression = tree.transform(
        lambda node: sqlglot.parse_one(column_expression(node.name)) if isinstance(node, exp.Column) else node
    )
    taken = {item.name.lower() for item in dataset.fields}
    name = "_".join(words(wordings[0]))
    return Field(
        name=name if name not in taken else f"is_{name}",
        expression=expression.sql(),
        type="boolean",
        role="flag",
        label=wordings[0],
        description=sql,
        value_synonyms={"true": tuple(dict.fromkeys(wordings))},
    )


def _labels_of_columns(dataset: Dataset, sql: str) -> list[str]:
    """ "poor credit class", where what is poor is told by the credit class alone."""
    names = {column.name.lower() for column in sqlglot.parse_one(sql).find_all(exp.Column)}
    columns = [item for item in dataset.fields if item.name.lower() in names and item.role == "category"]
    return [item.label for item in columns] if len(names) == 1 else []
