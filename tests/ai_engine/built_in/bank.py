"""A bank written by hand for the reader: five tables, two ways to a branch, and values without a database."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from functools import cache

from ai_engine.built_in.knowledge import Knowledge
from ai_engine.built_in.lexicon import Lexicon
from ai_engine.catalogue import Dialect
from ai_engine.catalogue_from_ddl import catalogue_from_ddl
from ai_engine.semantics.model import Dataset, Field, Metric, Relationship, SemanticModel
from ai_engine.semantics.values import ColumnValues, ValueIndex
from ai_engine.semantics.vocabulary import Vocabulary

AS_OF = date(2026, 11, 21)

DDL = """
CREATE TABLE branches (branch_id INTEGER PRIMARY KEY, branch_name VARCHAR(40), city VARCHAR(40), region VARCHAR(40));
CREATE TABLE customers (customer_id INTEGER PRIMARY KEY, full_name VARCHAR(40), gender VARCHAR(10), city VARCHAR(40),
  segment VARCHAR(40), annual_income DECIMAL(14,2), date_of_birth DATE, joined_on DATE, email VARCHAR(80),
  home_branch_id INTEGER REFERENCES branches (branch_id));
CREATE TABLE accounts (account_id INTEGER PRIMARY KEY, account_number VARCHAR(20) UNIQUE,
  account_type VARCHAR(40) NOT NULL, status VARCHAR(20), balance DECIMAL(14,2), opened_on DATE,
  customer_id INTEGER REFERENCES customers (customer_id), branch_id INTEGER REFERENCES branches (branch_id));
CREATE TABLE transactions (transaction_id INTEGER PRIMARY KEY, account_id INTEGER REFERENCES accounts (account_id),
  amount DECIMAL(14,2), channel VARCHAR(20), posted_at TIMESTAMP);
CREATE TABLE loans (loan_id INTEGER PRIMARY KEY, customer_id INTEGER REFERENCES customers (customer_id),
  loan_type VARCHAR(40), principal DECIMAL(14,2), interest_rate DECIMAL(6,3), is_npa BOOLEAN, disbursed_on DATE);
"""

VALUES: dict[str, tuple[str, ...]] = {
    "branches.branch_name": ("Andheri", "Deccan", "Indiranagar", "Civil Lines"),
    "branches.city": ("Mumbai", "Pune", "Bengaluru", "Jaipur"),
    "branches.region": ("West", "South", "North"),
    "customers.full_name": ("Asha Rao", "Vikram Singh", "Meera Nair"),
    "customers.gender": ("Female", "Male"),
    "customers.segment": ("Retail", "Premium", "Private Banking"),
    "accounts.account_number": ("AC1001", "AC1002"),
    "accounts.account_type": ("Savings", "Current", "Fixed Deposit"),
    "accounts.status": ("Active", "Dormant", "Closed"),
    "transactions.channel": ("UPI", "NEFT", "ATM", "Branch Counter"),
    "loans.loan_type": ("Home Loan", "Gold Loan", "Personal Loan"),
}


def _id(name: str, label: str) -> Field:
    return Field(name, name, "integer", "identifier", label)


def _category(name: str, label: str, **options: object) -> Field:
    return Field(name, name, "text", "category", label, **options)


def _money(name: str, label: str, **options: object) -> Field:
    return Field(name, name, "decimal", "measure", label, unit="INR", default_aggregate="sum", **options)


def _day(name: str, label: str, **options: object) -> Field:
    return Field(name, name, "date", "time", label, **options)


MODEL = SemanticModel(
    "hand-made bank",
    (
        Dataset(
            "branches",
            "branches",
            (
                _id("branch_id", "branch id"),
                Field("branch_name", "branch_name", "text", "name", "branch name"),
                _category("city", "branch city", value_synonyms={"Bengaluru": ("Bangalore",), "Mumbai": ("Bombay",)}),
                _category("region", "region"),
            ),
            "branch",
            ("branch_id",),
            (("branch_name",),),
            display=("branch_name", "city"),
        ),
        Dataset(
            "customers",
            "customers",
            (
                _id("customer_id", "customer id"),
                _id("home_branch_id", "home branch id"),
                Field("full_name", "full_name", "text", "name", "customer name"),
                _category("gender", "gender", value_synonyms={"Female": ("women",), "Male": ("men",)}),
                _category("segment", "segment"),
                Field(
                    "annual_income", "annual_income", "decimal", "measure", "annual income", unit="INR",
                    default_aggregate="avg", synonyms=("salary",),
                ),
                _day("date_of_birth", "date of birth"),
                _day("joined_on", "joining date", synonyms=("joined",)),
                Field("email", "email", "text", "text", "email", sensitive=True),
            ),
            "customer",
            ("customer_id",),
            synonyms=("client",),
            default_time="joined_on",
            display=("customer_id", "full_name", "segment"),
        ),
        Dataset(
            "accounts",
            "accounts",
            (
                _id("account_id", "account id"),
                _id("customer_id", "customer id"),
                _id("branch_id", "branch id"),
                Field("account_number", "account_number", "text", "identifier", "account number"),
                _category("account_type", "account type"),
                _category("status", "account status"),
                _money("balance", "balance"),
                _day("opened_on", "opening date", synonyms=("opened",)),
            ),
            "account",
            ("account_id",),
            (("account_number",),),
            default_time="opened_on",
            display=("account_number", "account_type", "balance"),
        ),
        Dataset(
            "transactions",
            "transactions",
            (
                _id("transaction_id", "transaction id"),
                _id("account_id", "account id"),
                _money("amount", "transaction amount"),
                _category("channel", "channel"),
                Field("posted_at", "posted_at", "timestamp", "time", "posting time"),
            ),
            "transaction",
            ("transaction_id",),
            synonyms=("payment",),
            default_time="posted_at",
            display=("posted_at", "amount", "channel"),
        ),
        Dataset(
            "loans",
            "loans",
            (
                _id("loan_id", "loan id"),
                _id("customer_id", "customer id"),
                _category("loan_type", "loan type"),
                _money("principal", "principal"),
                Field(
                    "interest_rate", "interest_rate", "decimal", "measure", "interest rate", unit="percent",
                    default_aggregate="avg",
                ),
                Field("is_npa", "is_npa", "boolean", "flag", "NPA", synonyms=("non-performing",)),
                _day("disbursed_on", "disbursal date", synonyms=("disbursed",)),
            ),
            "loan",
            ("loan_id",),
            default_time="disbursed_on",
            display=("loan_id", "loan_type", "principal"),
        ),
    ),
    (
        Relationship("account_customer", "accounts", ("customer_id",), "customers", ("customer_id",)),
        Relationship("account_branch", "accounts", ("branch_id",), "branches", ("branch_id",), preferred=True),
        Relationship("home_branch", "customers", ("home_branch_id",), "branches", ("branch_id",), ("home",)),
        Relationship("transaction_account", "transactions", ("account_id",), "accounts", ("account_id",)),
        Relationship("loan_customer", "loans", ("customer_id",), "customers", ("customer_id",)),
    ),
    (
        Metric("deposits", "SUM(accounts.balance)", "deposits", unit="INR"),
        Metric(
            "npa_ratio",
            "100.0 * SUM(CASE WHEN loans.is_npa THEN loans.principal ELSE 0 END) / SUM(loans.principal)",
            "NPA ratio",
            unit="percent",
        ),
        Metric(
            "lapsed_accounts",
            "COUNT(CASE WHEN accounts.status = 'Closed' THEN accounts.account_id END)",
            "lapsed accounts",
            unit="count",
            synonyms=("lost accounts",),
        ),
    ),
    currency="INR",
)  # fmt: skip


@cache
def vocabulary(dialect: Dialect = "duckdb") -> Vocabulary:
    columns = tuple(ColumnValues(*place.split("."), values=values, complete=True) for place, values in VALUES.items())
    return Vocabulary(catalogue_from_ddl(DDL, dialect), MODEL, ValueIndex(columns, MODEL), AS_OF)


@cache
def knowledge() -> Knowledge:
    return Knowledge(vocabulary())


def knowledge_without_values() -> Knowledge:
    return Knowledge(replace(vocabulary(), values=ValueIndex((), MODEL)))


def lexicon() -> Lexicon:
    return knowledge().lexicon
