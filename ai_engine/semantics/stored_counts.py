"""Columns that keep how many rows of another table there are: a branch's number of customers."""

from __future__ import annotations

from ai_engine.semantics.model import Dataset, Field, SemanticModel
from ai_engine.semantics.words import stem, words

_COUNTING = frozenset({"number", "count", "of", "total"})


def rows_kept_count_of(model: SemanticModel, owner: Dataset, field: Field) -> str | None:
    """Return the dataset whose rows a column of another one claims to have counted, by its name."""
    if field.role != "measure" or field.unit != "count":
        return None
    said = words(field.label)
    named = {stem(word) for word in said if word not in _COUNTING}
    if not named or len(named) == len(said):
        return None
    for dataset in model.datasets:
        if dataset is not owner and named == {stem(word) for word in words(dataset.label)}:
            return dataset.name
    return None
