"""What the desks that ship are called, what they do, and by which words and messages they are known."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from importlib import resources
from typing import Any

import yaml
from pydantic import BaseModel, ConfigDict

from ai_engine.semantics.model import SemanticModel


class DeskText(BaseModel):
    """The texts of one desk in `desks.yaml`."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    description: str
    keywords: tuple[str, ...]
    examples: tuple[str, ...]

    def described(self, *more_keywords: str) -> dict[str, Any]:
        """Return the arguments of a RoutedAgent besides those of its kind."""
        return {
            "name": self.name,
            "description": self.description,
            "keywords": (*self.keywords, *more_keywords),
            "examples": self.examples,
        }


@cache
def read_desks() -> dict[str, DeskText]:
    """Return the texts by the desk's id, in the order in which desks are shown."""
    text = resources.files(__package__).joinpath("desks.yaml").read_text(encoding="utf-8")
    return {key: DeskText.model_validate(desk) for key, desk in yaml.safe_load(text).items()}


def words_of(model: SemanticModel) -> Iterator[str]:
    """Yield what the bank's own tables, columns and figures are called."""
    for dataset in model.datasets:
        yield from (dataset.label, *dataset.synonyms)
        yield from (field.label for field in dataset.fields)
    for metric in model.metrics:
        yield from (metric.label, *metric.synonyms)
