"""How much of a limit is used: the two figures of one row that say so."""

from __future__ import annotations

from ai_engine.semantics.model import Dataset, Field
from ai_engine.semantics.words import words

_USED = ("outstanding", "used", "utilised", "utilized", "drawn")


def figure_called(dataset: Dataset, *said: str) -> Field | None:
    """The only figure of the rows whose label has one of these words."""
    found = [item for item in dataset.fields if item.role == "measure" and set(said).intersection(words(item.label))]
    return found[0] if len(found) == 1 else None


def use_of_limit(dataset: Dataset) -> tuple[Field, Field] | None:
    """What is used and what may be used, where the rows keep one of each."""
    limit, used = figure_called(dataset, "limit"), figure_called(dataset, *_USED)
    return (used, limit) if used is not None and limit is not None and used != limit else None
