"""What the desks that ship are called, what they do, and by which words and messages they are known."""

from __future__ import annotations

from functools import cache
from importlib import resources
from typing import Any

import yaml
from pydantic import BaseModel, ConfigDict


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
