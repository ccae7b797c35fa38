"""A leasing desk with no vocabulary file: one table of codes, kinds of contract as tables, officers with managers."""

from __future__ import annotations

from functools import cache

from ai_engine.built_in.knowledge import Knowledge
from ai_engine.types import Scalar
from tests.ai_engine.built_in.inferred import inferred_knowledge

DDL = """
CREATE TABLE ref_code (code VARCHAR(6) PRIMARY KEY, code_group VARCHAR(30) NOT NULL, description VARCHAR(40) NOT NULL);
CREATE TABLE officer (officer_id INTEGER PRIMARY KEY, officer_name VARCHAR(40) NOT NULL, region VARCHAR(20),
  bonus_pct DECIMAL(5,2), manager_id INTEGER REFERENCES officer (officer_id));
CREATE TABLE lessee (lessee_id INTEGER PRIMARY KEY, lessee_name VARCHAR(40) NOT NULL, town VARCHAR(20),
  phone VARCHAR(20), email VARCHAR(60), joined_on DATE);
CREATE TABLE contract (contract_no VARCHAR(10) PRIMARY KEY, lessee_id INTEGER REFERENCES lessee (lessee_id),
  co_lessee_id INTEGER REFERENCES lessee (lessee_id),
  officer_id INTEGER REFERENCES officer (officer_id), type_code VARCHAR(6) REFERENCES ref_code (code),
  start_date DATE, monthly_rent DECIMAL(10,2), sum_financed DECIMAL(12,2), terminated_on DATE);
CREATE TABLE car_contract (contract_no VARCHAR(10) PRIMARY KEY REFERENCES contract (contract_no), make VARCHAR(20));
CREATE TABLE crane_contract (contract_no VARCHAR(10) PRIMARY KEY REFERENCES contract (contract_no), build_year INTEGER,
  lift_tonnes DECIMAL(8,2), has_warranty INTEGER);
CREATE TABLE damage (damage_id INTEGER PRIMARY KEY, contract_no VARCHAR(10) REFERENCES contract (contract_no),
  reported_on DATE, amount_asked DECIMAL(10,2), status_code VARCHAR(6) REFERENCES ref_code (code));
CREATE TABLE repair (repair_id INTEGER PRIMARY KEY, damage_id INTEGER REFERENCES damage (damage_id), repaired_on DATE,
  amount_paid DECIMAL(10,2), method_code VARCHAR(6) REFERENCES ref_code (code));
"""

_TYPES, _STATES, _METHODS = ("LT1", "LT2"), ("DS1", "DS2", "DS3"), ("PM1", "PM2")
VALUES: dict[str, tuple[Scalar, ...]] = {
    "ref_code.code": (*_TYPES, *_STATES, *_METHODS),
    "ref_code.code_group": ("contract type", "damage status", "payment method"),
    "ref_code.description": ("Car", "Crane", "Open", "Settled", "Refused", "Cheque", "Bank transfer"),
    "officer.officer_name": ("Ada Quill", "Ben Moss", "Cleo Hart"),
    "officer.region": ("North", "South"),
    "lessee.town": ("Ashford", "Settle"),
    "contract.type_code": _TYPES,
    "damage.status_code": _STATES,
    "repair.method_code": _METHODS,
    "car_contract.make": ("Fiat", "Volvo"),
    "crane_contract.build_year": (1988, 2004, 2016),
    "crane_contract.has_warranty": (0, 1),
}


@cache
def leasing_desk() -> Knowledge:
    return inferred_knowledge(DDL, VALUES, unique=[("officer", "officer_name")])
