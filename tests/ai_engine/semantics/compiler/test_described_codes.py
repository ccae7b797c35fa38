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
