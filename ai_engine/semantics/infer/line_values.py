"""What the lines of a sale come to, where they keep how many were sold and what one of them costs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ai_engine.semantics.model import Field
from ai_engine.semantics.names import singular
from ai_engine.semantics.schema_words import word_set

LINE_VALUE = "line value"
_NAME = "line_value"
_PRICES = frozenset({("price",), ("unit", "price"), ("selling", "price"), ("sale", "price"), ("sales", "price")})
_PER = len(("price", "per", "unit"))
_NUMBERS = word_set("quantity units pieces items number")
_WHOLE = word_set("amount total subtotal value revenue turnover sales discount rebate")
_SYNONYMS = ("revenue", "turnover", "sales revenue", "line total", "line amount")


def line_value(fields: Sequence[Field], words: Mapping[str, tuple[str, ...]]) -> tuple[Field, ...]:
    """Return price times quantity as a figure of its own, nothing where an amount is kept or either is not plain.

    Nor is there one where either is kept back, as it would tell of it, or a column has its name.
    """
    measures = [item for item in fields if item.role == "measure"]
    if any(_WHOLE.intersection(words[item.name]) for item in measures):
        return ()
    if any(item.name.lower() == _NAME for item in fields):
        return ()
    prices = [item for item in measures if _is_price(words[item.name])]
    sold = {singular(words[item.name][-1]) for item in prices if len(words[item.name]) == _PER} or {""}
    numbers = [item for item in measures if item not in prices and _counts(words[item.name], sold)]
    if len(prices) != 1 or len(numbers) != 1 or prices[0].sensitive or numbers[0].sensitive:
        return ()
    number, price = numbers[0], prices[0]
    return (
        Field(
            name=_NAME,
            expression=f"{number.expression} * {price.expression}",
            type="decimal",
            role="measure",
            label=LINE_VALUE,
            description=f"{number.label} times {price.label}",
            synonyms=_SYNONYMS,
            unit=price.unit,
            default_aggregate="sum",
        ),
    )


def _is_price(words: tuple[str, ...]) -> bool:
    return words in _PRICES or (len(words) == _PER and words[:2] in {("price", "per"), ("rate", "per")})


def _counts(words: tuple[str, ...], sold: set[str]) -> bool:
    return bool(_NUMBERS.intersection(words)) or not sold.isdisjoint(map(singular, words))
