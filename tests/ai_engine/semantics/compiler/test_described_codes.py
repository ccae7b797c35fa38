"""Codes that one list describes are shown by their description and asked for as they are stored."""

from __future__ import annotations

import sqlite3
from datetime import date

import duckdb
import pytest

from ai_engine.catalogue_from_ddl import catalogue_from_ddl
from ai_engine.semantics.compiler import compile_intent
from ai_engine.semantics.infer import infer_vocabulary
from ai_engine.semantics.infer.code_lists import CodeList
from ai_engine.semantics.intent import Condition, Dimension, FieldRef, Intent, Measure
from ai_engine.semantics.restatement import restate

DDL = """
CREATE TABLE ref_cd (cd_grp VARCHAR(9), cd_val VARCHAR(9), cd_desc VARCHAR(40), PRIMARY KEY (cd_grp, cd_val));
CREATE TABLE unit_mst (unit_no INTEGER PRIMARY KEY, zn_cd VARCHAR(9), product VARCHAR(9));
CREATE TABLE acct_mst (acct_no INTEGER PRIMARY KEY, unit_no INTEGER REFERENCES unit_mst (unit_no), prod_cd VARCHAR(9));
"""
ROWS = """
INSERT INTO ref_cd VALUES ('PROD', '01', 'Savings'), ('PROD', '02', 'Current'),
  ('ZN', '01', 'Coast'), ('ZN', '02', 'Hills');
INSERT INTO unit_mst VALUES (1, '01', 'a'), (2, '02', 'b');
INSERT INTO acct_mst VALUES (1, 1, '01'), (2, 1, '01'), (3, 2, '02'), (4, 2, '77'), (5, 2, NULL);
"""
SAMPLES = {
    ("ref_cd", "cd_grp"): ("PROD", "ZN"),
    ("unit_mst", "zn_cd"): ("01", "02"),
    ("acct_mst", "prod_cd"): ("01", "02"),
}
LISTS = [CodeList("PROD", {"01": "savings", "02": "current"}), CodeList("ZN", {"01": "coast", "02": "hills"})]
MODEL = infer_vocabulary(catalogue_from_ddl(DDL, "sqlite"), SAMPLES, code_lists=LISTS)
PRODUCT, ZONE = FieldRef(dataset="acct_mst", field="prod_cd"), FieldRef(dataset="unit_mst", field="zn_cd")
ACCOUNTS = Measure(aggregate="count", dataset="acct_mst")


@pytest.fixture(params=["duckdb", "sqlite"])
def bank(request: pytest.FixtureRequest):
    connection = duckdb.connect() if request.param == "duckdb" else sqlite3.connect(":memory:")
    for statement in (DDL + ROWS).split(";"):
        connection.execute(statement)
    yield request.param, connection
    connection.close()


@pytest.mark.parametrize(
    ("intent", "rows"),
    [
        (  # what the list lacks is shown as it is stored, and what is not known stays apart
            Intent(measures=(ACCOUNTS,), dimensions=(Dimension(field=PRODUCT),)),
            {("Savings", 2), ("Current", 1), ("77", 1), (None, 1)},
        ),
        (
            Intent(measures=(ACCOUNTS,), dimensions=(Dimension(field=ZONE), Dimension(field=PRODUCT))),
            {("Coast", "Savings", 2), ("Hills", "Current", 1), ("Hills", "77", 1), ("Hills", None, 1)},
        ),
        (
            Intent(
                measures=(ACCOUNTS,),
                dimensions=(Dimension(field=ZONE),),
                filters=(Condition(field=PRODUCT, operator="=", values=("01",)),),
            ),
            {("Coast", 2)},
        ),
        (Intent(measures=(Measure(aggregate="count_distinct", field=PRODUCT),)), {(3,)}),
        (
            Intent(
                subject="acct_mst",
                columns=(FieldRef(dataset="acct_mst", field="acct_no"), PRODUCT, ZONE),
                filters=(Condition(field=ZONE, operator="=", values=("02",)),),
            ),
            {(3, "Current", "Hills"), (4, "77", "Hills"), (5, None, "Hills")},
        ),
    ],
)
def test_groups_and_lists_show_descriptions_while_conditions_ask_for_codes(bank, intent, rows):
    dialect, connection = bank
    draft = compile_intent(intent, MODEL, dialect, date(2026, 11, 21))
    assert set(connection.execute(draft.sql).fetchall()) == rows


def test_a_condition_is_said_in_the_words_of_the_list():
    of_one = Condition(field=PRODUCT, operator="=", values=("01",))
    unknown = Condition(field=ZONE, operator="!=", values=("77",))
    said = restate(Intent(measures=(ACCOUNTS,), filters=(of_one, unknown)), MODEL, date(2026, 11, 21))
    assert said.endswith('where account product is savings and zone is not "77"')


@pytest.mark.parametrize(
    ("meanings", "label"),
    [
        (("door fault", "no fault found"), "fault"),
        (("storm", "wind"), "flt"),
        (("float valve", "fault"), "flt"),
    ],
)
def test_short_words_of_a_code_are_written_out_only_where_its_list_has_the_one_word_for_them(meanings, label):
    ddl = DDL.split(";", maxsplit=1)[0] + "; CREATE TABLE calls (call_no INTEGER PRIMARY KEY, flt_cd VARCHAR(9));"
    samples = {("ref_cd", "cd_grp"): ("FLT",), ("calls", "flt_cd"): ("01", "02")}
    lists = [CodeList("FLT", dict(zip(("01", "02"), meanings, strict=True)))]
    model = infer_vocabulary(catalogue_from_ddl(ddl, "sqlite"), samples, code_lists=lists)
    assert model.dataset("calls").field("flt_cd").label == label


def test_a_list_whose_codes_alone_are_its_key_describes_each_column_that_points_at_it():
    ddl = """
    CREATE TABLE sts_tbl (sts_cd VARCHAR(9) PRIMARY KEY, sts_grp VARCHAR(9), sts_dsc VARCHAR(40));
    CREATE TABLE ord_hdr (ord_no INTEGER PRIMARY KEY, ord_sts VARCHAR(9) REFERENCES sts_tbl (sts_cd),
      ord_chn VARCHAR(9) REFERENCES sts_tbl (sts_cd));
    """
    samples = {
        ("sts_tbl", "sts_cd"): ("S1", "S9", "H1"),
        ("sts_tbl", "sts_grp"): ("ORDSTS", "CHAN"),
        ("sts_tbl", "sts_dsc"): ("Shipped", "Web shop", "Cancelled"),
        ("ord_hdr", "ord_sts"): ("S1", "S9"),
        ("ord_hdr", "ord_chn"): ("H1",),
    }
    lists = [CodeList("ORDSTS", {"s1": "shipped", "s9": "cancelled"}), CodeList("CHAN", {"h1": "web shop"})]
    model = infer_vocabulary(catalogue_from_ddl(ddl, "duckdb"), samples, code_lists=lists)
    state, channel = (model.dataset("ord_hdr").field(name) for name in ("ord_sts", "ord_chn"))
    assert (state.role, channel.role) == ("category", "category")
    assert (channel.label, channel.value_synonyms) == ("channel", {"H1": ("web shop",)})
    assert "cancelled" in state.value_synonyms["S9"]
    assert {link.only_where for link in model.relationships} == {
        (("sts_grp", "ORDSTS"),),
        (("sts_grp", "CHAN"),),
    }
    assert model.dataset("sts_tbl").field("sts_dsc").role == "text", "what codes are called is said of their columns"
    by_channel = Intent(
        measures=(Measure(aggregate="count", dataset="ord_hdr"),),
        dimensions=(Dimension(field=FieldRef(dataset="ord_hdr", field="ord_chn")),),
        filters=(Condition(field=FieldRef(dataset="ord_hdr", field="ord_sts"), operator="!=", values=("S9",)),),
    )
    connection = duckdb.connect()
    connection.execute(f"""{ddl}
      INSERT INTO sts_tbl VALUES ('S1', 'ORDSTS', 'Shipped'), ('S9', 'ORDSTS', 'Cancelled'), ('H1', 'CHAN', 'Web shop');
      INSERT INTO ord_hdr VALUES (1, 'S1', 'H1'), (2, 'S1', 'H1'), (3, 'S9', 'H1')""")
    draft = compile_intent(by_channel, model, "duckdb", date(2026, 11, 21))
    assert connection.execute(draft.sql).fetchall() == [("Web shop", 2)]
    assert restate(by_channel, model, date(2026, 11, 21)).endswith("where status is not cancelled")
    connection.close()
