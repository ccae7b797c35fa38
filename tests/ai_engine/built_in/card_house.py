"""A card issuer whose tables and columns are abbreviated, with no vocabulary file."""

from __future__ import annotations

from functools import cache

from ai_engine.built_in.knowledge import Knowledge
from ai_engine.catalogue_from_ddl import catalogue_from_ddl
from ai_engine.semantics.infer import infer_vocabulary
from ai_engine.semantics.values import ColumnValues, ValueIndex
from ai_engine.semantics.vocabulary import Vocabulary
from ai_engine.types import Scalar
from tests.ai_engine.built_in.bank import AS_OF

DDL = """
CREATE TABLE subscriber (subs_id INTEGER PRIMARY KEY, first_name TEXT, last_name TEXT, town TEXT, birth_dt DATE,
  income_yr INTEGER, onboard_dt DATE);
CREATE TABLE card (card_id INTEGER PRIMARY KEY, subs_id INTEGER NOT NULL REFERENCES subscriber(subs_id), tier TEXT,
  issue_dt DATE, expiry_dt DATE, card_status TEXT, credit_lmt INTEGER);
CREATE TABLE bill_stmt (stmt_id INTEGER PRIMARY KEY, card_id INTEGER NOT NULL REFERENCES card(card_id), stmt_dt DATE,
  due_dt DATE, stmt_bal REAL, paid_dt DATE, late_fee REAL);
CREATE TABLE auth (auth_id INTEGER PRIMARY KEY, card_id INTEGER NOT NULL REFERENCES card(card_id), auth_ts DATETIME,
  amt REAL, outcome TEXT, decline_reason TEXT, risk_score INTEGER, shop_kind TEXT);
CREATE TABLE dispute (disp_id INTEGER PRIMARY KEY, auth_id INTEGER NOT NULL REFERENCES auth(auth_id), opened_dt DATE,
  reason TEXT, disp_amt REAL, disp_status TEXT);
"""

VALUES: dict[str, tuple[Scalar, ...]] = {
    "subscriber.town": ("Hof", "Lindau"),
    "card.tier": ("Silver", "Gold"),
    "card.card_status": ("active", "blocked"),
    "auth.outcome": ("Approved", "Declined"),
    "auth.decline_reason": ("Wrong PIN", "No funds"),
    "auth.shop_kind": ("Grocery", "Travel"),
    "dispute.reason": ("Not received", "Wrong amount"),
    "dispute.disp_status": ("open", "won"),
}


@cache
def card_house() -> Knowledge:
    catalogue = catalogue_from_ddl(DDL, "sqlite")
    columns = tuple(ColumnValues(*place.split("."), values=values, complete=True) for place, values in VALUES.items())
    samples = {(item.dataset, item.field): item.values for item in columns}
    samples["subscriber", "income_yr"] = (33_700, 51_200, 18_000)
    model = infer_vocabulary(catalogue, samples)
    return Knowledge(Vocabulary(catalogue, model, ValueIndex(columns, model), AS_OF))
