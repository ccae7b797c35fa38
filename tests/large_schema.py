"""A bank with a thousand tables of fifteen columns, as warehouses have them: one table per subject area and record."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from datetime import date, timedelta
from pathlib import Path
from typing import Literal, TypeAlias

import duckdb

AREAS = (
    "retail corporate treasury mortgage cards wealth insurance leasing factoring custody brokerage pension"
    " microfinance agriculture education vehicle trade clearing remittance digital branch collections fraud compliance"
    " audit"
).split()
RECORDS = (
    "customer account loan deposit payment transfer fee limit collateral guarantee application approval contract"
    " schedule instalment invoice statement claim policy order trade position settlement mandate dispute alert"
    " case visit call campaign offer product officer agent vendor terminal document review rating incident"
).split()
COLUMNS = (
    "id customer parent code name status type segment city channel currency amount balance opened closed"
).split()  # fmt: skip
ROWS = 24
_CITIES = "Mumbai Pune Delhi Chennai Kolkata Jaipur Surat Indore".split()
_SEGMENTS = "Mass Affluent Private Institutional".split()
_CHANNELS = "Branch Online Phone Partner".split()
_CURRENCIES = "INR USD EUR".split()
_FIRST = "Asha Ravi Meera Vikram Nisha Arjun Kavya Rohan".split()
_LAST = "Iyer Shah Rao".split()

Engine: TypeAlias = Literal["sqlite", "duckdb"]
Cell: TypeAlias = int | float | str


def write_large_schema(file: Path, engine: Engine, areas: Sequence[str] = AREAS) -> Path:
    """Write the bank to a file: 1,000 tables, 15,000 columns, 24 rows each; always the same.

    Fewer areas, of which the first is among them, have 40 tables each.
    """
    names = [(area, record) for area in areas for record in RECORDS]
    statements = (text for area, record in names for text in (_create(area, record), _insert(area, record)))
    if engine == "duckdb":
        with duckdb.connect(file) as bank:
            bank.execute("BEGIN")
            for statement in statements:
                bank.execute(statement)
            bank.execute("COMMIT")
        return file
    with closing(sqlite3.connect(file)) as bank:
        bank.execute("BEGIN")
        for statement in statements:
            bank.execute(statement)
        bank.commit()
    return file


def table_name(area: str, record: str) -> str:
    """Name of the table that keeps one kind of record of one area."""
    return f"{area}_{record}s"


def rows(area: str, record: str) -> Iterator[tuple[Cell, ...]]:
    """The rows of one table, in the order of its columns."""
    seed = AREAS.index(area) * len(RECORDS) + RECORDS.index(record)
    for row in range(1, ROWS + 1):
        mixed = (seed * 31 + row * 17) % 997
        opened = date(2024, 1, 1) + timedelta(days=mixed)
        yield (
            row,
            1 + mixed % ROWS,
            1 + (mixed // 7) % ROWS,
            f"{area[:3]}{record[:3]}{row:05d}".upper(),
            f"{_FIRST[(row + seed) % len(_FIRST)]} {_LAST[mixed % len(_LAST)]} {record} {row}",
            ("active", "closed", "pending")[mixed % 3],
            f"{record} {'ABCD'[mixed % 4]}",
            _SEGMENTS[mixed % len(_SEGMENTS)],
            _CITIES[mixed % len(_CITIES)],
            _CHANNELS[mixed % len(_CHANNELS)],
            _CURRENCIES[mixed % len(_CURRENCIES)],
            100 * row + seed,
            mixed * 12.5,
            opened.isoformat(),
            (opened + timedelta(days=365)).isoformat(),
        )


def _create(area: str, record: str) -> str:
    keys = "".join(
        f", FOREIGN KEY ({column}) REFERENCES {table} ({key})" for column, table, key in _foreign_keys(area, record)
    )
    first, second = _key_columns(record)
    return f"""CREATE TABLE {table_name(area, record)} (
        {record}_id INTEGER PRIMARY KEY, {first} INTEGER, {second} INTEGER,
        reference_code VARCHAR(20), {record}_name VARCHAR(60), status VARCHAR(10), {record}_type VARCHAR(30),
        segment VARCHAR(20), city VARCHAR(30), channel VARCHAR(20), currency VARCHAR(3),
        {record}_amount DECIMAL(14, 2), balance DECIMAL(14, 2), opened_date DATE, closed_date DATE{keys})"""


def _key_columns(record: str) -> tuple[str, str]:
    if record == "customer":
        return "region_id", "core_customer_id"
    parent = RECORDS[RECORDS.index(record) - 1]
    return "customer_id", "officer_id" if parent == "customer" else f"{parent}_id"


def _foreign_keys(area: str, record: str) -> list[tuple[str, str, str]]:
    """A record belongs to a customer of its area and to the record before it; all customers are the core's.

    That an account has an officer is left to the column's name, as the officer belongs to an account in the end.
    """
    if record == "customer":
        core = table_name(AREAS[0], "customer")
        return [("core_customer_id", core, "customer_id")] if area != AREAS[0] else []
    columns = ("customer_id",) if record == "account" else _key_columns(record)
    return [(column, table_name(area, column.removesuffix("_id")), column) for column in columns]


def _insert(area: str, record: str) -> str:
    written = (", ".join(f"'{cell}'" if isinstance(cell, str) else str(cell) for cell in row)
               for row in rows(area, record))  # fmt: skip
    return f"INSERT INTO {table_name(area, record)} VALUES {', '.join(f'({row})' for row in written)}"
