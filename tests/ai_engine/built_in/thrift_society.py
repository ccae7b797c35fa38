"""A thrift society and its loans, with no vocabulary file: asked in a hurry, by people who know their tables."""

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
CREATE TABLE offices (office_id INTEGER PRIMARY KEY, office_name TEXT, zone TEXT, founded_on DATE);
CREATE TABLE staff (staff_id INTEGER PRIMARY KEY, office_id INTEGER REFERENCES offices(office_id), full_name TEXT,
  job_title TEXT, hired_on DATE, resigned_on DATE, monthly_salary INTEGER);
CREATE TABLE members (member_id INTEGER PRIMARY KEY, full_name TEXT, date_of_birth DATE, town TEXT, mobile TEXT,
  home_office_id INTEGER REFERENCES offices(office_id), enrolled_on DATE);
CREATE TABLE accounts (account_no TEXT PRIMARY KEY, member_id INTEGER NOT NULL REFERENCES members(member_id),
  office_id INTEGER REFERENCES offices(office_id), account_kind TEXT, opened_on DATE, status TEXT, balance REAL);
CREATE TABLE entries (entry_id INTEGER PRIMARY KEY, account_no TEXT REFERENCES accounts(account_no), entry_date DATE,
  direction TEXT, channel TEXT, amount REAL);
CREATE TABLE loans (loan_id INTEGER PRIMARY KEY, member_id INTEGER NOT NULL REFERENCES members(member_id),
  office_id INTEGER REFERENCES offices(office_id), loan_kind TEXT, approved_on DATE, disbursed_on DATE,
  approved_amount INTEGER, outstanding INTEGER, status TEXT);
CREATE TABLE instalments (instalment_id INTEGER PRIMARY KEY, loan_id INTEGER NOT NULL REFERENCES loans(loan_id),
  due_date DATE, instalment_due INTEGER, paid_on DATE, fine INTEGER);
CREATE TABLE grievances (grievance_id INTEGER PRIMARY KEY, member_id INTEGER REFERENCES members(member_id),
  topic TEXT, lodged_on DATE, closed_on DATE, status TEXT);
"""

VALUES: dict[str, tuple[str, ...]] = {
    "offices.zone": ("Coast", "Hills"),
    "staff.job_title": ("Cashier", "Office Head", "Field Agent"),
    "members.town": ("Hof", "Lindau"),
    "accounts.account_kind": ("Savings", "Current"),
    "accounts.status": ("Active", "Closed"),
    "entries.direction": ("Credit", "Debit"),
    "entries.channel": ("Cash", "Cheque", "UPI"),
    "loans.loan_kind": ("Boat Loan", "Farm Loan"),
    "loans.status": ("Approved", "Running", "Repaid"),
    "grievances.topic": ("Fees", "Passbook"),
    "grievances.status": ("Open", "Closed"),
}


@cache
def thrift_society() -> Knowledge:
    catalogue = catalogue_from_ddl(DDL, "sqlite")
    columns = tuple(ColumnValues(*place.split("."), values=values, complete=True) for place, values in VALUES.items())
    model = infer_vocabulary(
        catalogue,
        {(item.dataset, item.field): item.values for item in columns},
        unique=[("offices", "office_name")],
    )
    model = permitted(model, "mobile", "date_of_birth")
    return Knowledge(Vocabulary(catalogue, model, ValueIndex(columns, model), AS_OF))
