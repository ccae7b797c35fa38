"""A small bank with no vocabulary file: one table for each kind of account, people by their trade, terminals."""

from __future__ import annotations

from functools import cache

from ai_engine.built_in.knowledge import Knowledge
from tests.ai_engine.built_in.inferred import inferred_knowledge

DDL = """
CREATE TABLE office (office_code CHAR(3) PRIMARY KEY, office_name VARCHAR(40), town VARCHAR(40),
  yearly_rent DECIMAL(9,2));
CREATE TABLE member (member_no INTEGER PRIMARY KEY, full_name VARCHAR(60), trade VARCHAR(30), home_town VARCHAR(40),
  office_code CHAR(3) REFERENCES office (office_code), joined_on DATE, annual_income DECIMAL(12,2));
CREATE TABLE checking (checking_no INTEGER PRIMARY KEY, member_no INTEGER REFERENCES member (member_no),
  balance DECIMAL(12,2), opened_on DATE, state VARCHAR(10));
CREATE TABLE savings (savings_no INTEGER PRIMARY KEY, member_no INTEGER REFERENCES member (member_no),
  balance DECIMAL(12,2), interest_rate DECIMAL(5,2), opened_on DATE, state VARCHAR(10));
CREATE TABLE loan (loan_no INTEGER PRIMARY KEY, member_no INTEGER REFERENCES member (member_no),
  amount DECIMAL(12,2), days_past_due INTEGER, granted_on DATE);
CREATE TABLE instalment (instalment_no INTEGER PRIMARY KEY, loan_no INTEGER REFERENCES loan (loan_no), due_on DATE,
  state VARCHAR(10));
CREATE TABLE terminal (terminal_no INTEGER PRIMARY KEY, shop_name VARCHAR(40), town VARCHAR(40), fee_pct DECIMAL(4,2),
  installed_on DATE);
"""

VALUES: dict[str, tuple[str, ...]] = {
    "office.office_name": ("Quayside", "Old Mill"),
    "office.town": ("Whitby", "Ludlow"),
    "member.trade": ("Accountant", "Baker", "Teacher", "Shop Manager"),
    "member.home_town": ("Whitby", "Ludlow", "Frome"),
    "checking.state": ("open", "frozen", "closed"),
    "savings.state": ("open", "closed"),
    "instalment.state": ("paid", "past due"),
    "terminal.shop_name": ("Fen Books", "Ash Bakery"),
    "terminal.town": ("Whitby", "Frome"),
}


@cache
def town_bank() -> Knowledge:
    return inferred_knowledge(DDL, VALUES)
