"""A bank in which clients and accounts are many to many: a client may dispose of several accounts, and they of it."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from datetime import date
from decimal import Decimal
from typing import Any

import duckdb

from ai_engine.catalogue import Catalogue, Column, Dialect, ForeignKey, Table
from ai_engine.semantics.model import Dataset, Field, Relationship, SemanticModel
from ai_engine.types import ColumnType


def _id(name: str, label: str) -> Field:
    return Field(name, name, "integer", "identifier", label)


JOINT = SemanticModel(
    "joint bank",
    (
        Dataset(
            "client",
            "client",
            (
                _id("client_id", "client number"),
                _id("district_id", "district number"),
                Field("gender", "gender", "text", "category", "gender"),
                Field("born_on", "born_on", "date", "time", "date of birth"),
            ),
            "client",
            ("client_id",),
            display=("client_id", "gender"),
        ),
        Dataset(
            "account",
            "account",
            (
                _id("account_id", "account number"),
                _id("district_id", "district number"),
                Field("frequency", "frequency", "text", "category", "frequency"),
                Field("opened_on", "opened_on", "date", "time", "opening date"),
            ),
            "account",
            ("account_id",),
            default_time="opened_on",
            display=("account_id", "frequency"),
        ),
        Dataset(
            "district",
            "district",
            (_id("district_id", "district number"), Field("region", "region", "text", "category", "region")),
            "district",
            ("district_id",),
            display=("region",),
        ),
        Dataset(
            "disposition",
            "disp",
            (
                _id("disp_id", "disposition number"),
                _id("client_id", "client number"),
                _id("account_id", "account number"),
                Field("role", "role", "text", "category", "role"),
            ),
            "disposition",
            ("disp_id",),
            display=("disp_id", "role"),
        ),
        Dataset(
            "card",
            "card",
            (
                _id("card_id", "card number"),
                _id("disp_id", "disposition number"),
                Field("type", "type", "text", "category", "card type"),
            ),
            "card",
            ("card_id",),
            display=("card_id", "type"),
        ),
        Dataset(
            "loan",
            "loan",
            (
                _id("loan_id", "loan number"),
                _id("account_id", "account number"),
                Field("amount", "amount", "decimal", "measure", "loan amount", unit="CZK", default_aggregate="sum"),
                Field("status", "status", "text", "category", "status"),
                Field("granted_on", "granted_on", "date", "time", "granting date"),
            ),
            "loan",
            ("loan_id",),
            default_time="granted_on",
            display=("loan_id", "amount"),
        ),
    ),
    (
        Relationship("client_district", "client", ("district_id",), "district", ("district_id",)),
        Relationship("account_district", "account", ("district_id",), "district", ("district_id",)),
        Relationship("disposition_client", "disposition", ("client_id",), "client", ("client_id",)),
        Relationship("disposition_account", "disposition", ("account_id",), "account", ("account_id",)),
        Relationship("card_disposition", "card", ("disp_id",), "disposition", ("disp_id",)),
        Relationship("loan_account", "loan", ("account_id",), "account", ("account_id",)),
    ),
    currency="CZK",
)


COLUMNS: dict[str, tuple[str, ...]] = {
    "district": ("district_id", "region"),
    "client": ("client_id", "district_id", "gender", "born_on"),
    "account": ("account_id", "district_id", "frequency", "opened_on"),
    "disposition": ("disp_id", "client_id", "account_id", "role"),
    "card": ("card_id", "disp_id", "type"),
    "loan": ("loan_id", "account_id", "amount", "status", "granted_on"),
}
_TYPES = {"amount": "decimal(12,2)", "born_on": "date", "opened_on": "date", "granted_on": "date"}
Rows = dict[str, list[tuple[Any, ...]]]


def joint_catalogue(dialect: Dialect) -> Catalogue:
    """Return the bank's tables as the guard knows them."""
    kinds: dict[str, ColumnType] = {"integer": "integer", "date": "date", "decimal(12,2)": "decimal"}
    tables = []
    for name, columns in COLUMNS.items():
        known = tuple(Column(column, kinds.get(_type(column), "text"), _type(column)) for column in columns)
        links = tuple(
            ForeignKey(item.from_columns, JOINT.dataset(item.to_dataset).source, item.to_columns)
            for item in JOINT.relationships
            if item.from_dataset == name
        )
        tables.append(Table(JOINT.dataset(name).source, known, primary_key=columns[:1], foreign_keys=links))
    return Catalogue(dialect, tuple(tables))


def _type(column: str) -> str:
    return "integer" if column.endswith("_id") else _TYPES.get(column, "varchar(40)")


def _statements(rows: Rows) -> Iterator[tuple[str, list[Any]]]:
    for name, columns in COLUMNS.items():
        source = JOINT.dataset(name).source
        yield f"CREATE TABLE {source} ({', '.join(f'{column} {_type(column)}' for column in columns)})", []
        for row in rows.get(name, []):
            yield f"INSERT INTO {source} VALUES ({', '.join('?' * len(row))})", list(row)


def joint_sqlite(rows: Rows) -> sqlite3.Connection:
    """Return the bank in memory, without any index."""
    connection = sqlite3.connect(":memory:")
    for statement, values in _statements(rows):
        plain = [value.isoformat() if isinstance(value, date) else value for value in values]
        connection.execute(statement, [float(value) if isinstance(value, Decimal) else value for value in plain])
    return connection


def joint_duckdb(rows: Rows) -> duckdb.DuckDBPyConnection:
    """Return the bank in memory."""
    connection = duckdb.connect(":memory:")
    for statement, values in _statements(rows):
        connection.execute(statement, values)
    return connection
