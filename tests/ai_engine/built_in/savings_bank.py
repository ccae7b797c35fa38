"""A savings bank with no vocabulary file: everything is inferred, and several clients may sign for one account."""

from __future__ import annotations

from functools import cache

from ai_engine.built_in.knowledge import Knowledge
from tests.ai_engine.built_in.inferred import inferred_knowledge

DDL = """
CREATE TABLE area (area_id INTEGER PRIMARY KEY, area_name VARCHAR(40), province VARCHAR(40), inhabitants INTEGER);
CREATE TABLE client (client_id INTEGER PRIMARY KEY, sex CHAR(1), birth_date DATE,
  area_id INTEGER REFERENCES area (area_id));
CREATE TABLE account (account_id INTEGER PRIMARY KEY, statement_cycle VARCHAR(20), date DATE,
  area_id INTEGER REFERENCES area (area_id));
CREATE TABLE signatory (signatory_id INTEGER PRIMARY KEY, signatory_type VARCHAR(10),
  client_id INTEGER REFERENCES client (client_id), account_id INTEGER REFERENCES account (account_id));
CREATE TABLE card (card_id INTEGER PRIMARY KEY, tier VARCHAR(10), issued DATE,
  signatory_id INTEGER REFERENCES signatory (signatory_id));
CREATE TABLE loan (loan_id INTEGER PRIMARY KEY, date DATE, amount DECIMAL(12,2), duration INTEGER, status VARCHAR(10),
  account_id INTEGER REFERENCES account (account_id));
CREATE TABLE standing_order (order_id INTEGER PRIMARY KEY, transfer_purpose_code VARCHAR(10),
  transfer_amount DECIMAL(12,2), payee_account_no VARCHAR(20), started DATE, ended DATE,
  account_id INTEGER REFERENCES account (account_id));
CREATE TABLE payment (payment_id INTEGER PRIMARY KEY, date DATE, amount DECIMAL(12,2), account VARCHAR(20),
  account_id INTEGER REFERENCES account (account_id));
"""

VALUES: dict[str, tuple[str, ...]] = {
    "area.area_name": ("Lindau", "Kempten", "Hof", "Bremen"),
    "area.province": ("North Vale", "South Vale", "Bremen"),
    "client.sex": ("F", "M"),
    "account.statement_cycle": ("monthly", "weekly"),
    "signatory.signatory_type": ("OWNER", "PROXY"),
    "card.tier": ("junior", "gold", "classic"),
    "standing_order.transfer_purpose_code": ("rent", "insurance", "leasing"),
    "loan.status": ("running", "repaid", "defaulted"),
}


@cache
def savings_bank() -> Knowledge:
    return inferred_knowledge(DDL, VALUES)
