"""A bank small enough to check by hand: four tables, decimals, missing values, ties, and two ways to a branch."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence
from datetime import date, datetime
from decimal import Decimal
from typing import Any

import duckdb

from ai_engine.catalogue import Catalogue, Column, Dialect, ForeignKey, Table
from ai_engine.semantics.intent import FieldRef
from ai_engine.semantics.model import Dataset, Field, Metric, Relationship, SemanticModel
from ai_engine.semantics.spelled_days import day_expression

AS_OF = date(2026, 11, 21)


def _id(name: str, label: str) -> Field:
    return Field(name, name, "integer", "identifier", label)


MODEL = SemanticModel(
    "small bank",
    (
        Dataset(
            "branches",
            "branches",
            (
                _id("branch_id", "branch number"),
                Field("name", "branch_name", "text", "name", "branch name"),
                Field("city", "city", "text", "category", "city"),
            ),
            "branch",
            ("branch_id",),
            display=("name", "city"),
        ),
        Dataset(
            "customers",
            "customers",
            (
                _id("customer_id", "customer number"),
                _id("branch_id", "home branch number"),
                Field("name", "full_name", "text", "name", "name"),
                Field("segment", "segment", "text", "category", "segment"),
                Field("income", "income", "decimal", "measure", "income", unit="INR", default_aggregate="avg"),
                Field("born_on", "born_on", "date", "time", "date of birth"),
                Field("joined_on", "joined_on", "date", "time", "joining date"),
            ),
            "customer",
            ("customer_id",),
            default_time="joined_on",
            display=("name", "segment"),
        ),
        Dataset(
            "accounts",
            "accounts",
            (
                _id("account_id", "account number"),
                _id("customer_id", "customer number"),
                _id("branch_id", "branch number"),
                Field("type", "type", "text", "category", "account type"),
                Field("rate", "rate", "decimal", "measure", "interest rate", unit="percent", default_aggregate="avg"),
                Field("balance", "balance", "decimal", "measure", "balance", unit="INR", default_aggregate="sum"),
                Field("opened_on", "opened_on", "date", "time", "opening date"),
            ),
            "account",
            ("account_id",),
            default_time="opened_on",
            display=("account_id", "type", "balance"),
        ),
        Dataset(
            "loans",
            "loans",
            (
                _id("loan_id", "loan number"),
                _id("customer_id", "customer number"),
                Field("outstanding", "outstanding", "decimal", "measure", "outstanding", unit="INR"),
                Field("disbursed_on", "disbursed_on", "date", "time", "disbursal date"),
            ),
            "loan",
            ("loan_id",),
            default_time="disbursed_on",
            display=("loan_id", "outstanding"),
        ),
        Dataset(
            "transactions",
            "transactions",
            (
                _id("transaction_id", "transaction number"),
                _id("account_id", "account number"),
                Field("amount", "amount", "decimal", "measure", "amount", unit="INR", default_aggregate="sum"),
                Field("channel", "channel", "text", "category", "channel"),
                Field("posted_at", "posted_at", "timestamp", "time", "posting time"),
            ),
            "transaction",
            ("transaction_id",),
            default_time="posted_at",
            display=("posted_at", "amount", "channel"),
        ),
        Dataset(
            "balances",
            "balances",
            (
                _id("date_key", "date key"),
                _id("account_id", "account number"),
                Field("closing", "closing", "decimal", "measure", "closing balance", unit="INR"),
                Field("interest", "interest", "decimal", "measure", "interest paid", unit="INR"),
                Field("day", day_expression("date_key", number=True), "date", "time", "balance date"),
            ),
            "month-end balance",
            ("date_key", "account_id"),
            default_time="day",
            display=("day", "account_id", "closing"),
            snapshot_time="day",
            flows=("interest",),
        ),
    ),
    (
        Relationship("account_customer", "accounts", ("customer_id",), "customers", ("customer_id",)),
        Relationship("account_branch", "accounts", ("branch_id",), "branches", ("branch_id",)),
        Relationship("home_branch", "customers", ("branch_id",), "branches", ("branch_id",), ("home",)),
        Relationship("loan_customer", "loans", ("customer_id",), "customers", ("customer_id",)),
        Relationship("balance_account", "balances", ("account_id",), "accounts", ("account_id",)),
        Relationship("transaction_account", "transactions", ("account_id",), "accounts", ("account_id",)),
    ),
    (
        Metric("deposits", "SUM(accounts.balance)", "deposits", unit="INR"),
        Metric("loan_to_deposit", "SUM(loans.outstanding) / SUM(accounts.balance)", "loan to deposit ratio"),
        Metric(
            "savings_ratio",
            "100 * SUM(CASE WHEN accounts.type = 'Savings' THEN accounts.balance ELSE 0 END) / SUM(accounts.balance)",
            "savings ratio",
            unit="percent",
        ),
        Metric(
            "savings_balance",
            "SUM(CASE WHEN accounts.type = 'Savings' THEN accounts.balance ELSE 0 END)",
            "savings balance",
            unit="INR",
        ),
        Metric(
            "upi_payments",
            "COUNT(*) FILTER (WHERE transactions.channel = 'UPI')",
            "number of UPI payments",
            unit="count",
            time_field="transactions.posted_at",
        ),
    ),
    currency="INR",
)

TABLES: dict[str, tuple[str, ...]] = {
    "branches": ("branch_id integer primary key", "branch_name varchar(40)", "city varchar(40)"),
    "customers": (
        "customer_id integer primary key", "branch_id integer", "full_name varchar(40)", "segment varchar(40)",
        "income decimal(12,2)", "born_on date", "joined_on date",
    ),
    "accounts": (
        "account_id integer primary key", "customer_id integer", "branch_id integer", "type varchar(40)",
        "rate decimal(6,3)", "balance decimal(12,2)", "opened_on date",
    ),
    "loans": ("loan_id integer primary key", "customer_id integer", "outstanding decimal(12,2)", "disbursed_on date"),
    "transactions": (
        "transaction_id integer primary key", "account_id integer", "amount decimal(12,2)", "channel varchar(40)",
        "posted_at timestamp",
    ),
    "balances": ("date_key integer", "account_id integer", "closing decimal(12,2)", "interest decimal(12,2)"),
}  # fmt: skip


def _day(text: str | None) -> date | None:
    return None if text is None else date.fromisoformat(text)


def _moment(text: str) -> datetime:
    return datetime.fromisoformat(text)


ROWS: dict[str, list[tuple[Any, ...]]] = {
    "branches": [(1, "Pune Main", "Pune"), (2, "Fort", "Mumbai"), (3, "Andheri", "Mumbai"), (4, "Lake", None)],
    "customers": [
        (1, 1, "Asha Rao", "Retail", Decimal("50000.50"), _day("1990-11-21"), _day("2024-01-15")),
        (2, 2, "Bina Shah", "Retail", Decimal("72000.00"), _day("1985-11-22"), _day("2025-03-31")),
        (3, 2, "Chetan Iyer", "Premium", Decimal("250000.00"), _day("1970-02-28"), _day("2025-04-01")),
        (4, 3, "Deepa Nair", None, None, None, _day("2026-10-05")),
        (5, None, "Esha Jain", "Premium", Decimal("250000.00"), _day("2000-02-29"), _day("2026-10-20")),
        (6, 4, "50%_Off! Ltd", "Corporate", Decimal("900000.25"), None, _day("2023-07-09")),
    ],
    "accounts": [
        (1, 1, 1, "Savings", Decimal("3.500"), Decimal("1000.10"), _day("2024-01-20")),
        (2, 1, 2, "Current", Decimal("0.000"), Decimal("2500.20"), _day("2026-09-30")),
        (3, 2, 2, "Savings", Decimal("3.500"), Decimal("1000.10"), _day("2025-04-02")),
        (4, 3, 3, "Savings", None, Decimal("99999.99"), _day("2026-10-01")),
        (5, 3, 3, "Fixed", Decimal("7.125"), Decimal("500000.00"), _day("2026-10-31")),
        (6, 4, 1, "Savings", Decimal("3.000"), None, _day("2025-10-15")),
        (7, 6, 4, None, Decimal("0.000"), Decimal("-750.75"), _day("2025-12-31")),
    ],
    "loans": [
        (1, 1, Decimal("10000.00"), _day("2026-09-15")), (2, 1, Decimal("5000.00"), _day("2026-10-10")),
        (3, 3, Decimal("250000.00"), _day("2025-10-10")), (4, 5, Decimal("75000.00"), _day("2026-10-31")),
        (5, 4, None, _day("2026-08-01")),
    ],
    "transactions": [
        (1, 1, Decimal("100.00"), "UPI", _moment("2026-08-31 23:59:59")),
        (2, 1, Decimal("250.50"), "UPI", _moment("2026-09-01 00:00:00")),
        (3, 1, Decimal("75.25"), "ATM", _moment("2026-10-01 09:30:00")),
        (4, 2, Decimal("1200.00"), "NEFT", _moment("2026-10-31 23:59:59")),
        (5, 2, Decimal("1200.00"), "UPI", _moment("2026-11-01 00:00:00")),
        (6, 3, None, "ATM", _moment("2026-06-15 12:00:00")),
        (7, 4, Decimal("640.00"), None, _moment("2025-10-15 18:45:00")),
        (8, 4, Decimal("10.00"), "UPI", _moment("2026-10-18 18:05:00")),
        (9, 5, Decimal("5000.00"), "NEFT", _moment("2025-12-31 08:00:00")),
        (10, 5, Decimal("5000.00"), "NEFT", _moment("2026-10-18 07:15:00")),
    ],
    "balances": [
        (20260831, 1, Decimal("900.00"), Decimal("1.00")), (20260930, 1, Decimal("950.50"), Decimal("2.00")),
        (20261031, 1, Decimal("1000.10"), Decimal("3.50")), (20260930, 2, Decimal("2500.20"), None),
        (20261031, 2, Decimal("0.00"), Decimal("0.25")), (20260831, 3, Decimal("1000.10"), Decimal("0.00")),
        (20260630, 3, None, Decimal("4.00")), (-1, 4, Decimal("1.00"), Decimal("8.00")),
    ],
}  # fmt: skip


def ref(text: str, grain: str | None = None, via: Iterable[str] = ()) -> FieldRef:
    """Read `dataset.field`."""
    dataset, _, name = text.partition(".")
    return FieldRef(dataset=dataset, field=name, via=tuple(via), grain=grain)


def catalogue(dialect: Dialect) -> Catalogue:
    """Return the bank's tables as the guard knows them."""
    types = {"integer": "integer", "varchar(40)": "text", "date": "date", "timestamp": "timestamp"}
    keys = {relationship.from_dataset: [] for relationship in MODEL.relationships}
    for item in MODEL.relationships:
        keys[item.from_dataset].append(ForeignKey(item.from_columns, item.to_dataset, item.to_columns))
    tables = []
    for name, columns in TABLES.items():
        parts = [column.replace(" primary key", "").split(" ", 1) for column in columns]
        known = tuple(Column(part[0], types.get(part[1], "decimal"), part[1]) for part in parts)
        key = tuple(column.split()[0] for column in columns if column.endswith(" primary key"))
        tables.append(Table(name, known, primary_key=key, foreign_keys=tuple(keys.get(name, ()))))
    return Catalogue(dialect, tuple(tables))


def ddl(dialect: Dialect) -> list[str]:
    """Return the CREATE TABLE statements."""
    moment = "datetime" if dialect == "mysql" else "timestamp"
    return [
        f"CREATE TABLE {name} ({', '.join(columns).replace(' timestamp', ' ' + moment)})"
        for name, columns in TABLES.items()
    ]


def sqlite_bank(rows: dict[str, list[tuple[Any, ...]]] = ROWS) -> sqlite3.Connection:
    """Return the bank in memory, dates as ISO texts."""
    connection = sqlite3.connect(":memory:")
    for statement in ddl("sqlite"):
        connection.execute(statement)
    for name, items in rows.items():
        for item in items:
            marks = ", ".join("?" * len(item))
            connection.execute(f"INSERT INTO {name} VALUES ({marks})", [_sqlite_value(value) for value in item])
    return connection


def duckdb_bank(rows: dict[str, list[tuple[Any, ...]]] = ROWS) -> duckdb.DuckDBPyConnection:
    """Return the bank in memory."""
    connection = duckdb.connect(":memory:")
    for statement in ddl("duckdb"):
        connection.execute(statement)
    for name, items in rows.items():
        for item in items:
            connection.execute(f"INSERT INTO {name} VALUES ({', '.join('?' * len(item))})", list(item))
    return connection


def comparable(rows: Iterable[Sequence[Any]]) -> list[tuple[Any, ...]]:
    """Return rows in which equal figures and days are equal, whatever type the database gave them."""
    return [tuple(_plain(value) for value in row) for row in rows]


def _plain(value: Any) -> Any:
    if isinstance(value, datetime):
        return value.isoformat(sep=" ")
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, Decimal | float):
        return round(float(value), 3)
    return float(value) if isinstance(value, int) else value


def _sqlite_value(value: Any) -> Any:
    if isinstance(value, datetime):
        return value.isoformat(sep=" ")
    if isinstance(value, date):
        return value.isoformat()
    return float(value) if isinstance(value, Decimal) else value
