"""Units of measure: the words for each, and how many of its smallest one make it up."""

from __future__ import annotations

from decimal import Decimal

from ai_engine.semantics.words import stem

_KINDS = (
    """
    1 g gram grams gramme grammes
    1000 kg kgs kilo kilos kilogram kilograms
    1000000 tonne tonnes
    """,
    "1 lb lbs",
    "1 ton tons",
    """
    1 mm millimetre millimetres millimeter millimeters
    10 cm centimetre centimetres centimeter centimeters
    1000 metre metres meter meters m
    1000000 km kms kilometre kilometres kilometer kilometers
    """,
    "1 mile miles",
    """
    1 seconds sec secs
    60 minutes minute min mins
    3600 hours hour hr hrs
    86400 days day
    604800 weeks week
    """,
    """
    1 millilitre ml millilitres milliliter milliliters
    1000 litre litres liter liters
    """,
    """
    1 kwh
    1000 mwh
    """,
    """
    1 sqm
    10000 hectare hectares ha
    """,
    "1 sqft",
)
_ROWS = [(kind, line.split()) for kind, lines in enumerate(_KINDS) for line in lines.strip().splitlines()]
_SIZES = {said[1]: (kind, Decimal(said[0])) for kind, said in _ROWS}
_TIME = _SIZES["days"][0]
WORDS = {stem(word): said[1] for _, said in _ROWS for word in said[1:]}
"""Each word with the unit that it stands for; "ton", of which there are three, is no other unit's multiple."""
UNITS = {word: unit for word, unit in WORDS.items() if _SIZES[unit][0] != _TIME}
"""The same without those of time: where a name ends so, as "weight kg" does, it says nothing of what it is.

Pounds are rather money.
"""
TIMES = frozenset(unit for unit, (kind, _) in _SIZES.items() if kind == _TIME)
"""Units of time that are exact."""


def times_as_large(unit: str | None, other: str | None) -> Decimal | None:
    """How many of the other unit one is; None where they measure different things."""
    if unit not in _SIZES or other not in _SIZES:
        return None
    (kind, size), (other_kind, other_size) = _SIZES[str(unit)], _SIZES[str(other)]
    return size / other_size if kind == other_kind else None
