"""What the tiles of a dashboard can be filtered by: fields with few values, all known, none personal."""

from __future__ import annotations

from dataclasses import dataclass

from ai_engine.semantics.vocabulary import Vocabulary

_MOST_VALUES = 400


@dataclass(frozen=True, slots=True)
class FilterChoice:
    """One field with its values, sorted; `label` is what people call it, its table named where that tells it apart."""

    dataset: str
    field: str
    label: str
    values: tuple[str, ...]


def filter_choices(vocabulary: Vocabulary) -> tuple[FilterChoice, ...]:
    """Return the fields by label."""
    found = []
    for column in vocabulary.values.columns:
        dataset = vocabulary.model.dataset(column.dataset)
        item = dataset.field(column.field) if dataset.has(column.field) else None
        values = tuple(sorted(value for value in column.values if isinstance(value, str)))
        if item is None or item.sensitive or item.role not in ("category", "name") or not column.complete:
            continue
        if 1 < len(values) <= _MOST_VALUES and len(values) == len(column.values):
            alone = vocabulary.model.fields_called(item.label) == 1
            label = item.label if alone else f"{item.label} ({dataset.label})"
            found.append(FilterChoice(column.dataset, column.field, label, values))
    return tuple(sorted(found, key=lambda choice: choice.label.casefold()))
