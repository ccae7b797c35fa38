"""The desk of a lender's operations, with no vocabulary file: everything is inferred, and asked for in shorthand."""

from __future__ import annotations

from functools import cache

from ai_engine.built_in.knowledge import Knowledge
from ai_engine.catalogue_from_ddl import catalogue_from_ddl
from ai_engine.semantics.infer import infer_vocabulary
from ai_engine.semantics.values import ColumnValues, ValueIndex
from ai_engine.semantics.vocabulary import Vocabulary
from tests.ai_engine.built_in.bank import AS_OF
from tests.ai_engine.semantics.schemas import permitted

DDL = """
CREATE TABLE offices (office_id INTEGER PRIMARY KEY, office_name VARCHAR(40), region VARCHAR(20));
CREATE TABLE customers (customer_id INTEGER PRIMARY KEY, full_name VARCHAR(60), town VARCHAR(40), grade VARCHAR(10),
  kyc_status VARCHAR(10), birth_date DATE, office_id INTEGER REFERENCES offices (office_id), enrolled_on DATE);
CREATE TABLE accounts (account_id INTEGER PRIMARY KEY, account_no VARCHAR(20), account_kind VARCHAR(10),
  balance DECIMAL(14,2), opened_on DATE, maturity_date DATE, status VARCHAR(10), nominee_name VARCHAR(40),
  customer_id INTEGER REFERENCES customers (customer_id), office_id INTEGER REFERENCES offices (office_id));
CREATE TABLE payments (payment_id INTEGER PRIMARY KEY, amount DECIMAL(12,2), mode VARCHAR(10), paid_at TIMESTAMP,
  status VARCHAR(10), account_id INTEGER REFERENCES accounts (account_id));
CREATE TABLE loans (loan_id INTEGER PRIMARY KEY, purpose VARCHAR(10), granted_amount DECIMAL(14,2),
  outstanding_amount DECIMAL(14,2), days_past_due INTEGER, is_npa INTEGER, granted_on DATE,
  customer_id INTEGER REFERENCES customers (customer_id), office_id INTEGER REFERENCES offices (office_id));
CREATE TABLE instalments (instalment_id INTEGER PRIMARY KEY, due_date DATE, due_amount DECIMAL(12,2),
  status VARCHAR(10), loan_id INTEGER REFERENCES loans (loan_id));
CREATE TABLE cards (card_id INTEGER PRIMARY KEY, card_kind VARCHAR(10), spending_limit DECIMAL(12,2),
  outstanding DECIMAL(12,2), customer_id INTEGER REFERENCES customers (customer_id));
CREATE TABLE support_cases (case_id INTEGER PRIMARY KEY, topic VARCHAR(20), nps_score INTEGER, logged_on DATE,
  closed_on DATE, status VARCHAR(10), customer_id INTEGER REFERENCES customers (customer_id));
"""

VALUES: dict[str, tuple[str, ...]] = {
    "offices.region": ("North", "South"),
    "customers.town": ("Hof", "Lindau"),
    "customers.grade": ("PRIME", "BASIC"),
    "customers.kyc_status": ("VERIFIED", "LAPSED", "PENDING"),
    "accounts.account_kind": ("SAVINGS", "CURRENT", "FD", "RD"),
    "accounts.status": ("ACTIVE", "CLOSED"),
    "payments.mode": ("UPI", "NEFT", "ATM"),
    "payments.status": ("OK", "FAILED", "CANCELLED"),
    "loans.purpose": ("HOME", "AUTO"),
    "instalments.status": ("PAID", "OVERDUE"),
    "cards.card_kind": ("CREDIT", "DEBIT"),
    "support_cases.topic": ("LOGIN", "FEES"),
    "support_cases.status": ("OPEN", "ON_HOLD", "CLOSED"),
}


@cache
def branch_desk() -> Knowledge:
    catalogue = catalogue_from_ddl(DDL, "sqlite")
    columns = tuple(ColumnValues(*place.split("."), values=values, complete=True) for place, values in VALUES.items())
    model = infer_vocabulary(catalogue, {(item.dataset, item.field): item.values for item in columns})
    model = permitted(model, "birth_date", "account_no")
    return Knowledge(Vocabulary(catalogue, model, ValueIndex(columns, model), AS_OF))
