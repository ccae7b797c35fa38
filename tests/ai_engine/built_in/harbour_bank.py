"""A bank with no vocabulary file whose columns have comments: month-end balances, entries, loans in instalments."""

from __future__ import annotations

from functools import cache

from ai_engine.built_in.knowledge import Knowledge
from tests.ai_engine.built_in.inferred import inferred_knowledge

DDL = """
CREATE TABLE branches (branch_id INTEGER PRIMARY KEY, branch_name VARCHAR(40), harbour VARCHAR(40));
CREATE TABLE customers (customer_id INTEGER PRIMARY KEY, full_name VARCHAR(60), segment VARCHAR(20),
  kyc_status VARCHAR(20), annual_income DECIMAL(12,2), date_of_birth DATE,
  branch_id INTEGER REFERENCES branches (branch_id), joined_date DATE);
CREATE TABLE accounts (account_id INTEGER PRIMARY KEY, customer_id INTEGER REFERENCES customers (customer_id),
  branch_id INTEGER REFERENCES branches (branch_id), account_type VARCHAR(20), status VARCHAR(10), opened_date DATE,
  interest_rate DECIMAL(5,2), balance DECIMAL(12,2));
CREATE TABLE month_end_balances (account_id INTEGER REFERENCES accounts (account_id), month_end DATE,
  closing_balance DECIMAL(12,2), PRIMARY KEY (account_id, month_end));
CREATE TABLE entries (entry_id INTEGER PRIMARY KEY, account_id INTEGER REFERENCES accounts (account_id),
  booked_at TIMESTAMP, amount DECIMAL(12,2), direction VARCHAR(10), entry_type VARCHAR(20), channel VARCHAR(20),
  merchant_category VARCHAR(20));
CREATE TABLE cards (card_id INTEGER PRIMARY KEY, account_id INTEGER REFERENCES accounts (account_id),
  card_type VARCHAR(10), status VARCHAR(10), credit_limit DECIMAL(12,2), outstanding_amount DECIMAL(12,2));
CREATE TABLE loans (loan_id INTEGER PRIMARY KEY, customer_id INTEGER REFERENCES customers (customer_id),
  branch_id INTEGER REFERENCES branches (branch_id), loan_type VARCHAR(20), status VARCHAR(10), disbursed_date DATE,
  principal_amount DECIMAL(12,2), emi_amount DECIMAL(12,2), outstanding_principal DECIMAL(12,2),
  days_past_due INTEGER, npa_status VARCHAR(10));
CREATE TABLE loan_installments (installment_id INTEGER PRIMARY KEY, loan_id INTEGER REFERENCES loans (loan_id),
  due_date DATE, due_amount DECIMAL(12,2), paid_amount DECIMAL(12,2), status VARCHAR(10));
"""

VALUES: dict[str, tuple[str, ...]] = {
    "branches.branch_name": ("Quay Street", "Old Harbour"),
    "branches.harbour": ("Odense", "Esbjerg"),
    "customers.segment": ("Retail", "Corporate"),
    "customers.kyc_status": ("Verified", "Pending"),
    "accounts.account_type": ("Savings", "Current", "Fixed Deposit"),
    "accounts.status": ("Active", "Dormant", "Closed"),
    "entries.direction": ("Credit", "Debit"),
    "entries.entry_type": ("Purchase", "Interest", "Salary"),
    "entries.channel": ("UPI", "ATM", "Branch"),
    "entries.merchant_category": ("Groceries", "Travel"),
    "cards.card_type": ("Credit", "Debit"),
    "cards.status": ("Active", "Blocked"),
    "loans.loan_type": ("Home Loan", "Gold Loan"),
    "loans.status": ("Active", "Closed"),
    "loans.npa_status": ("NPA", "Standard"),
    "loan_installments.status": ("Paid", "Overdue", "Upcoming"),
}

COMMENTS: dict[tuple[str, str], str] = {
    ("customers", "annual_income"): "Declared income per year",
    ("customers", "kyc_status"): "Verified or Pending",
    ("accounts", "account_type"): "Savings, Current or Fixed Deposit",
    ("accounts", "interest_rate"): "Percent per year",
    ("month_end_balances", "closing_balance"): "Balance at the end of that day",
    ("entries", "channel"): "UPI, ATM or Branch; the way it came in",
    ("entries", "direction"): "Credit (money in) or Debit (money out)",
    ("cards", "outstanding_amount"): "Owed on a credit card",
    ("cards", "credit_limit"): "Limit of a credit card",
    ("loans", "npa_status"): "NPA when more than 90 days past due, else Standard",
    ("loans", "loan_type"): "Home or Gold Loan",
    ("loans", "outstanding_principal"): "Principal not yet repaid",
    ("loans", "emi_amount"): "Equated monthly instalment",
    ("loan_installments", "paid_amount"): "Part that was paid",
}


@cache
def harbour_bank() -> Knowledge:
    return inferred_knowledge(DDL, VALUES, unique=[("branches", "branch_name")], descriptions=COMMENTS)
