"""Price times quantity as a figure of its own."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ai_engine.semantics.infer.line_values import line_value
from ai_engine.semantics.model import Field

QUANTITY = Field("qty", "qty", "integer", "measure", "quantity", default_aggregate="sum")
PRICE = Field("unit_price", "unit_price", "decimal", "measure", "unit price", unit="EUR", default_aggregate="avg")


def found(*fields: Field) -> tuple[Field, ...]:
    return line_value(fields, {item.name: tuple(item.label.split()) for item in fields})


def test_a_line_comes_to_its_quantity_times_its_price() -> None:
    (value,) = found(QUANTITY, PRICE)
    assert (value.expression, value.unit, value.default_aggregate) == ("qty * unit_price", "EUR", "sum")


@pytest.mark.parametrize("kept_back", [QUANTITY, PRICE])
def test_nothing_is_made_of_a_column_that_is_kept_back(kept_back: Field) -> None:
    """Of a price that nobody may see, the value and the quantity would tell it."""
    assert found(*(replace(item, sensitive=item == kept_back) for item in (QUANTITY, PRICE))) == ()


def test_a_figure_is_not_called_like_a_column_of_its_table() -> None:
    own = Field("LINE_VALUE", "LINE_VALUE", "text", "category", "line value")
    assert found(QUANTITY, PRICE, own) == ()


def test_nothing_is_made_where_an_amount_is_kept() -> None:
    assert found(QUANTITY, PRICE, Field("total", "total", "decimal", "measure", "line total")) == ()


def test_what_was_sold_is_counted_in_the_unit_of_its_price() -> None:
    stems = Field("stems_sold", "stems_sold", "integer", "measure", "stems sold", default_aggregate="sum")
    price = Field("price_per_stem", "price_per_stem", "decimal", "measure", "price per stem", default_aggregate="avg")
    (value,) = found(stems, price)
    assert value.expression == "stems_sold * price_per_stem"
