"""The values found in the data, and how a phrase of a question finds them."""

from __future__ import annotations

from dataclasses import dataclass

from ai_engine.types import Scalar


@dataclass(frozen=True, slots=True)
class ColumnValues:
    """The distinct values of one field, most frequent first, NULL left out.

    `complete` tells that no value is missing; only then may the absence of a word be trusted.
    """

    dataset: str
    field: str
    values: tuple[Scalar, ...]
    complete: bool


@dataclass(frozen=True)
class ValueIndex:
    """Finds stored values by the words people use for them."""

    columns: tuple[ColumnValues, ...] = ()
