"""What an inferred vocabulary is least sure of, as questions to a person, and the vocabulary with their answers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from ai_engine.semantics.model import Dataset, Field, SemanticModel
from ai_engine.semantics.schema_words import word_set
from ai_engine.types import Scalar

Asked: TypeAlias = Literal["code", "unit", "sensitive", "date"]
MOST_DOUBTS = 5
UNITS = ("INR", "USD", "EUR", "GBP", "percent", "count", "no unit")
_CODE_WORDS = word_set("no number num code id key reference ref serial pin pincode zip account ward branch type class")
_MONEY_WORDS = word_set(
    "amount balance value price cost fee charge salary income turnover revenue sales outstanding principal interest "
    "limit exposure premium deposit loan emi payment total"
)
_PERSON_WORDS = word_set("name person holder nominee father mother spouse guardian contact signatory email address")
_LONG_NUMBER = 10_000_000
_FEWEST_ALIKE = 5


@dataclass(frozen=True, slots=True)
class Doubt:
    """One question about one column, or about the dates of one table.

    Attributes:
        field: empty for the dates of a table.
        choices: answers, what was inferred first.
        shown: some values, unless they may be sensitive.
    """

    dataset: str
    field: str
    asked: Asked
    question: str
    choices: tuple[str, ...]
    shown: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ColumnAnswer:
    """What a person has said of a column; `answer` is one of the choices of its doubt."""

    dataset: str
    field: str
    asked: Asked
    answer: str


def doubts(
    model: SemanticModel,
    samples: Mapping[tuple[str, str], Sequence[Scalar]],
    answered: Sequence[ColumnAnswer] = (),
) -> tuple[Doubt, ...]:
    """Return at most five questions, those first whose wrong guess would do the most harm: a secret that is shown, a
    code that is added up, a day that is not the one, an amount without its unit.

    Args:
        samples: (table, column) to some of its values.
        answered: what was asked before and is not asked again.
    """
    known = {(one.dataset, one.field, one.asked) for one in answered}
    found = [
        (rank, doubt)
        for dataset in model.datasets
        for rank, doubt in _of(dataset, samples, model.currency)
        if (doubt.dataset, doubt.field, doubt.asked) not in known
    ]
    found.sort(key=lambda one: one[0])
    return tuple(doubt for _, doubt in found[:MOST_DOUBTS])


def with_answers(model: SemanticModel, answers: Sequence[ColumnAnswer]) -> SemanticModel:
    """Return the vocabulary in which people's answers stand; one for a column that is no longer there says nothing."""
    told: dict[str, list[ColumnAnswer]] = {}
    for one in answers:
        told.setdefault(one.dataset, []).append(one)
    datasets = tuple(_answered(item, told[item.name]) if item.name in told else item for item in model.datasets)
    return replace(model, datasets=datasets)


def with_doubtful_kept_back(model: SemanticModel) -> SemanticModel:
    """Return the vocabulary where nobody can tell what was answered: what may name somebody is kept back."""
    secret = [
        ColumnAnswer(doubt.dataset, doubt.field, "sensitive", "keep it back")
        for dataset in model.datasets for _, doubt in _of(dataset, {}, model.currency) if doubt.asked == "sensitive"
    ]  # fmt: skip
    return with_answers(model, secret)


def _of(
    dataset: Dataset, samples: Mapping[tuple[str, str], Sequence[Scalar]], currency: str | None
) -> Iterator[tuple[int, Doubt]]:
    table = dataset.table_name
    for item in dataset.fields:
        values = samples.get((table, item.name), ())
        words = set(item.label.lower().split())
        plain = item.expression.strip('"') == item.name
        if item.sensitive or not plain:
            continue
        said = f"“{item.label}” of {dataset.label}"
        if item.role in ("name", "text") and words & _PERSON_WORDS and item.type in ("text", "other"):
            question = f"Does {said} say who somebody is, so that it should never be shown?"
            yield 0, Doubt(dataset.name, item.name, "sensitive", question, ("show it", "keep it back"))
        elif item.role == "measure" and item.type == "integer" and _like_a_code(words, values):
            question = f"Is {said} a number that can be added up, or a code that only tells rows apart?"
            yield 1, Doubt(dataset.name, item.name, "code", question, ("a number", "a code"), _few(values))
        elif item.role == "measure" and item.unit is None and not currency and words & _MONEY_WORDS:
            question = f"What is {said} counted in?"
            choices = ("no unit", *(unit for unit in UNITS if unit != "no unit"))
            yield 3, Doubt(dataset.name, item.name, "unit", question, choices, _few(values))
    dates = [item for item in dataset.fields if item.role == "time" and not item.is_year]
    if len(dates) > 1 and dataset.default_time is not None:
        first = dataset.field(dataset.default_time).label
        others = tuple(item.label for item in dates if item.name != dataset.default_time)
        question = f"By which date does a row of “{dataset.label}” belong to a month?"
        yield 2, Doubt(dataset.name, "", "date", question, (first, *others)[:6])


def _like_a_code(words: set[str], values: Sequence[Scalar]) -> bool:
    if words & _MONEY_WORDS:
        return False
    numbers = [value for value in values if isinstance(value, int) and not isinstance(value, bool)]
    lengths = {len(str(abs(value))) for value in numbers}
    alike = len(numbers) >= _FEWEST_ALIKE and len(lengths) == 1 and lengths != {1}
    return bool(words & _CODE_WORDS) or alike or any(abs(value) >= _LONG_NUMBER for value in numbers)


def _few(values: Sequence[Scalar]) -> tuple[str, ...]:
    return tuple(str(value)[:40] for value in values[:3])


def _answered(dataset: Dataset, answers: Sequence[ColumnAnswer]) -> Dataset:
    by_field: dict[str, list[ColumnAnswer]] = {}
    for one in answers:
        by_field.setdefault(one.field, []).append(one)
    fields = tuple(_field(item, by_field.get(item.name, ())) for item in dataset.fields)
    labels = {item.label: item.name for item in dataset.fields if item.role == "time"}
    dates = [labels[one.answer] for one in answers if one.asked == "date" and one.answer in labels]
    return replace(dataset, fields=fields, default_time=dates[-1] if dates else dataset.default_time)


def _field(item: Field, answers: Sequence[ColumnAnswer]) -> Field:
    for one in answers:
        if one.asked == "sensitive":
            item = replace(item, sensitive=one.answer == "keep it back")
        elif one.asked == "code" and one.answer == "a code":
            item = replace(item, role="identifier", unit=None, default_aggregate=None)
        elif one.asked == "unit" and one.answer in UNITS:
            item = replace(item, unit=None if one.answer == "no unit" else one.answer)
            item = replace(item, default_aggregate="avg") if one.answer == "percent" else item
    return item
