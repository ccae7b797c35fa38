"""Comparisons in one word: "deeper than 15 m" is said of the only depth that is kept, "longer than" of a length."""

from __future__ import annotations

import re

from ai_engine.built_in.knowledge import Knowledge
from ai_engine.semantics.words import words

_TIMES = "length duration time minutes min mins hours hrs"
_PRICES = "price cost fee"
_MEASURED = {
    "deeper": ("above", "depth"), "shallower": ("below", "depth"), "longer": ("above", _TIMES),
    "shorter": ("below", _TIMES), "heavier": ("above", "weight mass kg"), "lighter": ("below", "weight mass kg"),
    "taller": ("above", "height"), "wider": ("above", "width"), "narrower": ("below", "width"),
    "faster": ("above", "speed"), "slower": ("below", "speed"), "hotter": ("above", "temperature"),
    "warmer": ("above", "temperature"), "colder": ("below", "temperature"), "dearer": ("above", _PRICES),
    "pricier": ("above", _PRICES), "cheaper": ("below", _PRICES),
}  # fmt: skip
_UNITS = (
    "m metre metres meter meters", "km kilometre kilometres kilometer kilometers", "cm centimetre centimetres",
    "min mins minute minutes", "h hr hrs hour hours", "kg kgs kilo kilos kilogram kilograms", "g gram grams",
    "t ton tons tonne tonnes", "day days", "week weeks",
)  # fmt: skip
_UNIT_OF = {word: unit for unit in _UNITS for word in unit.split()}
COMPARED = (
    rf"(?:(?:that|which) (?:is|are|was|were) )?(?P<than>{'|'.join(_MEASURED)}) than (?P<number>\d[\d,]*(?:\.\d+)?)"
    rf"(?:\s*(?P<unit>{'|'.join(sorted(_UNIT_OF, key=len, reverse=True))}))?"
)


def measured(found: re.Match[str], question: str, knowledge: Knowledge) -> str | None:  # noqa: ARG001
    """The figure that is compared, where one column alone keeps it in that unit: 15 m are no 15 million."""
    side, nouns = _MEASURED[found["than"].lower()]
    unit = _UNIT_OF.get((found["unit"] or "").lower())
    figures = [item for dataset in knowledge.model.datasets for item in dataset.fields if item.role == "measure"]
    for noun in nouns.split():
        said = {noun, *knowledge.lexicon.short_forms.in_names(noun)}
        labels = {item.label for item in figures if said.intersection(words(item.label)) and _is_in(item.label, unit)}
        if labels:
            return f"with {labels.pop()} {side} {found['number']}" if len(labels) == 1 else None
    return None


def _is_in(label: str, unit: str | None) -> bool:
    """Tell whether figures may be in a unit: their name says it, or none."""
    told = {_UNIT_OF[word] for word in words(label) if word in _UNIT_OF}
    return unit is None or not told or unit in told
