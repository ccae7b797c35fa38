"""An electronic purse with no vocabulary file: two parties to each transfer, snapshots by day, flags beside states."""

from __future__ import annotations

from functools import cache

from ai_engine.built_in.knowledge import Knowledge
from tests.ai_engine.built_in.inferred import inferred_knowledge

DDL = """
CREATE TABLE members (member_id INTEGER PRIMARY KEY, member_name VARCHAR(40), email VARCHAR(40), country CHAR(2),
  state VARCHAR(10), tier INTEGER, joined_at TIMESTAMP);
CREATE TABLE shops (shop_id INTEGER PRIMARY KEY, shop_name VARCHAR(40), country CHAR(2), is_open BOOLEAN);
CREATE TABLE vouchers (voucher_id INTEGER PRIMARY KEY, shop_id INTEGER REFERENCES shops (shop_id),
  starts_on DATE, ends_on DATE);
CREATE TABLE transfers (transfer_id INTEGER PRIMARY KEY, sender_id INTEGER NOT NULL REFERENCES members (member_id),
  recipient_id INTEGER REFERENCES members (member_id), shop_id INTEGER REFERENCES shops (shop_id),
  booked_at TIMESTAMP, amount DECIMAL(12,2), fee DECIMAL(12,2), method VARCHAR(10), state VARCHAR(10));
CREATE TABLE visits (visit_id INTEGER PRIMARY KEY, member_id INTEGER NOT NULL REFERENCES members (member_id),
  began_at TIMESTAMP, ended_at TIMESTAMP, device VARCHAR(10));
CREATE TABLE purse_balance_daily (snapshot_date DATE, member_id INTEGER REFERENCES members (member_id),
  balance DECIMAL(12,2), PRIMARY KEY (snapshot_date, member_id));
CREATE TABLE letters (letter_id INTEGER PRIMARY KEY, member_id INTEGER REFERENCES members (member_id),
  sent_at TIMESTAMP, kind VARCHAR(10), is_read BOOLEAN);
CREATE TABLE voucher_grants (grant_id INTEGER PRIMARY KEY, voucher_id INTEGER REFERENCES vouchers (voucher_id),
  member_id INTEGER REFERENCES members (member_id), granted_at TIMESTAMP, used_at TIMESTAMP);
CREATE TABLE complaints (complaint_id INTEGER PRIMARY KEY, member_id INTEGER REFERENCES members (member_id),
  topic VARCHAR(10), urgency VARCHAR(10), opened_at TIMESTAMP, closed_at TIMESTAMP);
"""

VALUES: dict[str, tuple[str, ...]] = {
    "members.country": ("SG", "MY", "PH"),
    "members.state": ("open", "frozen"),
    "shops.country": ("SG", "MY", "PH"),
    "transfers.state": ("done", "failed"),
    "transfers.method": ("purse", "card"),
    "visits.device": ("phone", "laptop"),
    "letters.kind": ("promo", "alert"),
    "complaints.topic": ("charge", "service", "login"),
    "complaints.urgency": ("high", "low"),
}


@cache
def purse() -> Knowledge:
    return inferred_knowledge(DDL, VALUES)
