"""A workshop for old trams with a legacy system's names, and its shop for spare parts, without a vocabulary file."""

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
CREATE TABLE own_mst (own_cd TEXT PRIMARY KEY, own_nm TEXT, cr_lmt REAL);
CREATE TABLE trk_ref (trk_cd TEXT PRIMARY KEY, trk_nm TEXT);
CREATE TABLE ftr_mst (ftr_no INTEGER PRIMARY KEY, ftr_nm TEXT, job_title TEXT, hire_dt DATE, term_dt DATE, day_rt REAL);
CREATE TABLE job_hdr (job_no INTEGER PRIMARY KEY, own_cd TEXT REFERENCES own_mst(own_cd),
  trk_cd TEXT REFERENCES trk_ref(trk_cd), ftr_no INTEGER REFERENCES ftr_mst(ftr_no), req_dt DATE, strt_dt DATE,
  prio_cd INTEGER, inc_flg TEXT, qt_amt REAL);
CREATE TABLE inv_hdr (inv_no INTEGER PRIMARY KEY, job_no INTEGER REFERENCES job_hdr(job_no), inv_dt DATE, due_dt DATE,
  pd_dt DATE, amt REAL);
CREATE TABLE sale (sale_id INTEGER PRIMARY KEY, buyer_type TEXT, sold_on DATE);
CREATE TABLE sale_line (line_id INTEGER PRIMARY KEY, sale_id INTEGER REFERENCES sale(sale_id), grade TEXT, qty INTEGER,
  unit_price REAL);
CREATE TABLE paint_order (order_id INTEGER PRIMARY KEY, trk_cd TEXT REFERENCES trk_ref(trk_cd), litres REAL);
CREATE TABLE clearance (clearance_id INTEGER PRIMARY KEY, held_on DATE, yard TEXT);
CREATE TABLE scrapper (scrapper_id INTEGER PRIMARY KEY, scrapper_name TEXT, member_since DATE);
CREATE TABLE scrap_lot (lot_id INTEGER PRIMARY KEY, clearance_id INTEGER REFERENCES clearance(clearance_id),
  scrapper_id INTEGER REFERENCES scrapper(scrapper_id), lot_status TEXT, scrap_kg REAL);
CREATE TABLE lot_tag (tag_id INTEGER PRIMARY KEY, lot_id INTEGER REFERENCES scrap_lot(lot_id), colour TEXT);
CREATE TABLE tool (tool_no TEXT PRIMARY KEY, un_cst REAL, oh_qty INTEGER, rord_lvl INTEGER, mfr_nm TEXT, jam_fl TEXT,
  tst_cd TEXT, duty TEXT);
CREATE TABLE tool_check (check_no INTEGER PRIMARY KEY, tool_no TEXT REFERENCES tool(tool_no), check_dt DATE);
"""

VALUES: dict[str, tuple[Scalar, ...]] = {
    "ftr_mst.job_title": ("Welder", "Painter"),
    "job_hdr.prio_cd": (1, 2, 3),
    "job_hdr.inc_flg": ("Y", "N"),
    "sale.buyer_type": ("museum", "collector"),
    "sale_line.grade": ("new", "used"),
    "clearance.yard": ("Dock Yard", "Mill Yard"),
    "scrap_lot.lot_status": ("sold", "unsold", "drawn back"),
    "lot_tag.colour": ("red", "blue"),
    "tool.mfr_nm": ("Ames", "Holt"),
    "tool.jam_fl": ("N", "Y"),
    "tool.tst_cd": ("U", "S"),
    "tool.duty": ("in service", "out of service"),
}


@cache
def tram_works() -> Knowledge:
    catalogue = catalogue_from_ddl(DDL, "sqlite")
    columns = tuple(ColumnValues(*place.split("."), values=values, complete=True) for place, values in VALUES.items())
    model = infer_vocabulary(catalogue, {(item.dataset, item.field): item.values for item in columns})
    return Knowledge(Vocabulary(catalogue, model, ValueIndex(columns, model), AS_OF))
