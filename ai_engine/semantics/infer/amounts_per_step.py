"""Amounts of a stretch of time: `income_yr` is an annual income, by values that no calendar year has."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ai_engine.semantics.infer.naming import NamedColumn
from ai_engine.semantics.schema_words import word_set
from ai_engine.types import Scalar

_AMOUNTS = word_set(
    "income salary wage pay earnings revenue turnover sales rent premium fee expense expenses profit cost"
)
_ADJECTIVES = {"year": "annual", "month": "monthly", "quarter": "quarterly", "week": "weekly", "day": "daily"}
_PARTS = {"year": 0, "month": 12, "quarter": 4, "week": 53, "day": 366}
_YEARS = range(1800, 2201)


def with_its_step(item: NamedColumn, samples: Sequence[Scalar]) -> NamedColumn:
    """Return the column called by its stretch of time and its amount, or as it is where it keeps calendar parts."""
    step, amount = item.words[-1:], item.words[:-1]
    figures = [value for value in samples if isinstance(value, int | float)]
    if not step or step[0] not in _ADJECTIVES or _AMOUNTS.isdisjoint(amount) or not figures:
        return item
    if all(_is_part(int(value), step[0]) for value in figures):
        return item
    words = (_ADJECTIVES[step[0]], *amount)
    return replace(item, label=" ".join(words), words=words)


def _is_part(value: int, step: str) -> bool:
    """Tell whether a number can be a calendar year, a month alone or after its year, and so on."""
    digits = {"year": 1, "quarter": 10, "day": 10_000}.get(step, 100)
    return 0 <= value <= _PARTS[step] or (value // digits if step != "year" else value) in _YEARS
