"""A haulier whose figures are called after what they are counted in, with no vocabulary file."""

from __future__ import annotations

from functools import cache

from ai_engine.built_in.knowledge import Knowledge
from ai_engine.catalogue_from_ddl import catalogue_from_ddl
from ai_engine.semantics.infer import infer_vocabulary
from ai_engine.semantics.values import ColumnValues, ValueIndex
from ai_engine.semantics.vocabulary import Vocabulary
from ai_engine.types import Scalar
from tests.ai_engine.built_in.bank import AS_OF

DDL = """
CREATE TABLE clients (client_id INTEGER PRIMARY KEY, client_name TEXT, sector TEXT, town TEXT);
CREATE TABLE lorries (lorry_id INTEGER PRIMARY KEY, kind TEXT, axles INTEGER, purchase_price REAL, capacity_kg INTEGER);
CREATE TABLE loads (load_id INTEGER PRIMARY KEY, client_id INTEGER NOT NULL REFERENCES clients(client_id),
  lorry_id INTEGER REFERENCES lorries(lorry_id), booked_on DATE, delivery_date DATE, cancelled_on DATE,
  load_status TEXT, weight_kg REAL, distance_km INTEGER, pallets INTEGER, haulage_charge REAL);
"""

VALUES: dict[str, tuple[Scalar, ...]] = {
    "clients.sector": ("Timber", "Food"),
    "clients.town": ("Hof", "Lindau"),
    "lorries.kind": ("Tipper", "Curtain"),
    "loads.load_status": ("Booked", "Delivered", "Cancelled"),
}


@cache
def haulier() -> Knowledge:
    catalogue = catalogue_from_ddl(DDL, "sqlite")
    columns = tuple(ColumnValues(*place.split("."), values=values, complete=True) for place, values in VALUES.items())
    model = infer_vocabulary(catalogue, {(item.dataset, item.field): item.values for item in columns})
    return Knowledge(Vocabulary(catalogue, model, ValueIndex(columns, model), AS_OF))
