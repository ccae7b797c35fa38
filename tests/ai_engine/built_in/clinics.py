"""Clinics with names as short as they come, and samples between laboratories, without a vocabulary file."""

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
CREATE TABLE m_doc (doc_id INTEGER PRIMARY KEY, doc_nm TEXT, spec TEXT, emp_typ TEXT, cons_fee REAL,
  hire_dt DATE, leave_dt DATE);
CREATE TABLE m_pat (pat_id INTEGER PRIMARY KEY, pat_nm TEXT, bld_grp TEXT, reg_dt DATE, has_allergy BOOLEAN);
CREATE TABLE t_appt (appt_id INTEGER PRIMARY KEY, pat_id INTEGER REFERENCES m_pat(pat_id),
  doc_id INTEGER REFERENCES m_doc(doc_id), appt_dt DATE, appt_sts TEXT, wait_min INTEGER);
CREATE TABLE t_bill (bill_id INTEGER PRIMARY KEY, appt_id INTEGER REFERENCES t_appt(appt_id), bill_dt DATE,
  bill_amt REAL, paid_amt REAL, pay_mode TEXT, bill_sts TEXT);
CREATE TABLE m_lab (lab_id INTEGER PRIMARY KEY, lab_nm TEXT, city TEXT, region TEXT);
CREATE TABLE t_smpl (smpl_id INTEGER PRIMARY KEY, appt_id INTEGER REFERENCES t_appt(appt_id),
  origin_lab_id INTEGER REFERENCES m_lab(lab_id), destination_lab_id INTEGER REFERENCES m_lab(lab_id), sent_dt DATE,
  handling_charge REAL, energy_kwh REAL);
"""

VALUES: dict[str, tuple[Scalar, ...]] = {
    "m_doc.spec": ("Cardiology", "Skin"),
    "m_doc.emp_typ": ("Full time", "Part time"),
    "m_pat.bld_grp": ("A+", "O-"),
    "t_appt.appt_sts": ("Kept", "Cancelled"),
    "t_bill.pay_mode": ("Cash", "Card"),
    "t_bill.bill_sts": ("Paid", "Unpaid"),
    "m_lab.city": ("Hof", "Lindau"),
    "m_lab.region": ("North", "South"),
}


@cache
def clinics() -> Knowledge:
    catalogue = catalogue_from_ddl(DDL, "sqlite")
    columns = tuple(ColumnValues(*place.split("."), values=values, complete=True) for place, values in VALUES.items())
    model = infer_vocabulary(catalogue, {(item.dataset, item.field): item.values for item in columns})
    return Knowledge(Vocabulary(catalogue, model, ValueIndex(columns, model), AS_OF))
