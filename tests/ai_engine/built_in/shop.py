"""A vocabulary small enough to read: a furniture shop, whose tables are wares."""

from __future__ import annotations

from datetime import date

from ai_engine.built_in.knowledge import Knowledge
from ai_engine.catalogue import Catalogue, Column, Table
from ai_engine.semantics.model import Dataset, Field, Metric, Relationship, SemanticModel
from ai_engine.semantics.values import ColumnValues, ValueIndex
from ai_engine.semantics.vocabulary import Vocabulary


def _text(name: str, label: str, **more: object) -> Field:
    return Field(name, name, "text", "category", label, **more)  # type: ignore[arg-type]


MODEL = SemanticModel(
    "shop",
    (
        Dataset(
            "shops",
            "shops",
            (Field("id", "id", "integer", "identifier", "shop number"), _text("city", "city")),
            "shop",
            ("id",),
            display=("id", "city"),
        ),
        Dataset(
            "sales",
            "sales",
            (
                Field("id", "id", "integer", "identifier", "sale number"),
                Field("shop_id", "shop_id", "integer", "identifier", "shop reference"),
                _text("colour", "colour", description="What the piece is painted in."),
                _text("buyer_mail", "buyer mail", sensitive=True),
                Field("price", "price", "decimal", "measure", "price", unit="EUR", default_aggregate="sum"),
                Field("sold_on", "sold_on", "date", "time", "day of sale"),
            ),
            "sale",
            ("id",),
            default_time="sold_on",
            display=("id", "colour", "price"),
        ),
    ),
    (Relationship("sale_shop", "sales", ("shop_id",), "shops", ("id",)),),
    (Metric("turnover", "SUM(sales.price)", "turnover", "All that was paid.", unit="EUR", time_field="sales.sold_on"),),
    currency="EUR",
)
VALUES = ValueIndex(
    (
        ColumnValues("shops", "city", ("Lyon", "Turin", "Delft"), complete=True),
        ColumnValues("sales", "colour", ("red", "blue", "update"), complete=True),
    ),
    MODEL,
)


def _table(dataset: Dataset) -> Table:
    return Table(dataset.source, tuple(Column(item.expression, item.type) for item in dataset.fields))


def knowledge(model: SemanticModel = MODEL) -> Knowledge:
    catalogue = Catalogue("duckdb", tuple(_table(dataset) for dataset in model.datasets))
    return Knowledge(Vocabulary(catalogue, model, VALUES, date(2026, 11, 21)))
