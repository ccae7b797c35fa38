"""A counting house with no vocabulary file: jobs as values, states reached on a day, instalments paid or not."""

from __future__ import annotations

from functools import cache

from ai_engine.built_in.knowledge import Knowledge
from tests.ai_engine.built_in.inferred import inferred_knowledge

DDL = """
CREATE TABLE hall (hall_id INTEGER PRIMARY KEY, hall_name TEXT, town TEXT);
CREATE TABLE staff (staff_id INTEGER PRIMARY KEY, full_name TEXT, job_title TEXT,
  hall_id INTEGER REFERENCES hall (hall_id), hired_on DATE);
CREATE TABLE patron (patron_id INTEGER PRIMARY KEY, first_name TEXT, last_name TEXT, town TEXT, date_of_birth DATE,
  hall_id INTEGER REFERENCES hall (hall_id), adviser_id INTEGER REFERENCES staff (staff_id), registered_on DATE);
CREATE TABLE bond (bond_id INTEGER PRIMARY KEY, patron_id INTEGER NOT NULL REFERENCES patron (patron_id),
  hall_id INTEGER REFERENCES hall (hall_id), opened_on DATE, face_amount DECIMAL(12,2), status TEXT,
  closed_on DATE);
CREATE TABLE advance (advance_id INTEGER PRIMARY KEY, patron_id INTEGER NOT NULL REFERENCES patron (patron_id),
  lender_id INTEGER REFERENCES staff (staff_id), granted_amount DECIMAL(12,2), disbursed_on DATE, status TEXT);
CREATE TABLE instalment (instalment_id INTEGER PRIMARY KEY,
  advance_id INTEGER NOT NULL REFERENCES advance (advance_id), due_date DATE, amount_due DECIMAL(12,2),
  amount_paid DECIMAL(12,2), paid_on DATE);
"""

VALUES: dict[str, tuple[str, ...]] = {
    "hall.hall_name": ("Weir Hall", "Elm Hall"),
    "hall.town": ("Kells", "Tralee"),
    "staff.full_name": ("Una Drew", "Cal Frost"),
    "staff.job_title": ("Credit Officer", "Cashier", "Hall Head"),
    "patron.first_name": ("Ida", "Noel"),
    "patron.last_name": ("Marsh", "Penn"),
    "patron.town": ("Kells", "Tralee", "Naas"),
    "bond.status": ("live", "redeemed early", "matured"),
    "advance.status": ("live", "written off"),
}


@cache
def counting_house() -> Knowledge:
    return inferred_knowledge(DDL, VALUES, unique=[("hall", "hall_name")])
