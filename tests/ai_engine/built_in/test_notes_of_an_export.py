"""Questions about an export with abbreviated names and one list of codes, answered with a page of notes beside it."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from backend.service import Assistant, open_assistant
from backend.settings import Settings

DDL = """
CREATE TABLE ref_cd (cd_grp TEXT, cd_val TEXT, cd_desc TEXT, PRIMARY KEY (cd_grp, cd_val));
CREATE TABLE unit_mst (unit_cd TEXT PRIMARY KEY, unit_nm TEXT, zn_cd TEXT);
CREATE TABLE stf_mst (stf_no INTEGER PRIMARY KEY, stf_nm TEXT, ann_sal REAL);
CREATE TABLE cust_mst (cust_no INTEGER PRIMARY KEY, cust_nm TEXT, kyc_st_cd TEXT, seg_cd TEXT);
CREATE TABLE acct_mst (acct_no TEXT PRIMARY KEY, cust_no INTEGER REFERENCES cust_mst (cust_no),
  unit_cd TEXT REFERENCES unit_mst (unit_cd), prod_cd TEXT, acct_st_cd TEXT, avl_bal REAL, nom_flg TEXT);
CREATE TABLE bal_dly (acct_no TEXT REFERENCES acct_mst (acct_no), bal_dt DATE, eod_bal REAL,
  PRIMARY KEY (acct_no, bal_dt));
CREATE TABLE cmpl_reg (cmpl_no INTEGER PRIMARY KEY, cust_no INTEGER REFERENCES cust_mst (cust_no), rcv_dt DATE,
  cmpl_typ_cd TEXT, cmpl_st_cd TEXT, hndl_stf_no INTEGER, comp_amt REAL);
"""
ROWS = {
    "ref_cd": [
        ("PROD", "SBA", "Savings account"), ("PROD", "CUR", "Current account"), ("PROD", "KID", "Junior account"),
        ("ZN", "01", "Coast"), ("ZN", "02", "Hills"),
        ("CMPL", "CHG", "Wrong charges"), ("CMPL", "KYC", "KYC not updated"),
        ("T9", "R", "Retail"), ("T9", "W", "Wholesale"),
    ],
    "unit_mst": [("U1", "Harbour", "01"), ("U2", "Summit", "02"), ("U3", "Ridge", "02")],
    "stf_mst": [(1, "Ana Lobo", 90.0), (2, "Ben Rao", 50.0), (3, "Cy Das", 40.0)],
    "cust_mst": [(1, "Dev", "P", "R"), (2, "Eli", "V", "R"), (3, "Fay", "X", "W")],
    "acct_mst": [
        ("A1", 1, "U1", "SBA", "A", 100.0, "Y"), ("A2", 1, "U2", "CUR", "D", 250.0, "N"),
        ("A3", 2, "U3", "SBA", "A", 60.0, "N"), ("A4", 3, "U2", "KID", "C", 0.0, "N"),
    ],
    "bal_dly": [("A1", "2026-11-19", 90.0), ("A1", "2026-11-20", 100.0), ("A2", "2026-11-20", 250.0)],
    "cmpl_reg": [
        (1, 1, "2026-10-02", "CHG", "E", 2, 15.0), (2, 2, "2026-10-09", "KYC", "R", 3, None),
        (3, 3, "2026-11-01", "CHG", "O", 2, 5.0),
    ],
}  # fmt: skip
NOTES = """
- Codes are described in `ref_cd`: `cd_grp` is the group ('T9' for `seg_cd`, 'PROD' for `prod_cd`), `cd_val` the code.
- `acct_mst.acct_st_cd`: 'A' active, 'D' dormant, 'C' closed.
- `acct_mst.nom_flg` is 'Y' when the account has a nominee and 'N' when it has not.
- `cust_mst.kyc_st_cd`: 'V' verified, 'P' pending, 'X' expired.
- `cmpl_reg.cmpl_st_cd`: 'O' open, 'E' escalated (not closed yet), 'R' resolved; `comp_amt` the compensation.
- `cmpl_reg.hndl_stf_no` is the employee (`stf_mst.stf_no`) who handles the complaint.
- `bal_dly` holds the end-of-day balance of each account; do not add up balances of different days.
"""


@pytest.fixture(scope="module")
def assistant(tmp_path_factory: pytest.TempPathFactory) -> Assistant:
    file: Path = tmp_path_factory.mktemp("export") / "export.sqlite"
    with sqlite3.connect(file) as database:
        database.executescript(DDL)
        for name, rows in ROWS.items():
            database.executemany(f"INSERT INTO {name} VALUES ({', '.join('?' * len(rows[0]))})", rows)
    database.close()
    return open_assistant(
        Settings(database_url=f"sqlite:///{file}", as_of="2026-11-21", cache_dir=file.parent / "cache")
    )


def rows(assistant: Assistant, question: str) -> set[tuple[object, ...]]:
    answer = assistant.ask(question)
    assert answer.status == "answered", (answer.status, answer.error)
    assert answer.result is not None
    return set(answer.result.rows)


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("active accounts per product", {("Savings account", 2)}),
        ("number of dormant accounts", {(1,)}),
        ("customers whose KYC is pending", {(1, "Dev")}),
        ("number of retail customers", {(2,)}),
        ("total compensation for escalated complaints", {(15.0,)}),
        ("accounts without a nominee by zone", {("Hills", 3)}),
        ("complaints by handler", {(2, "Ben Rao", 2), (3, "Cy Das", 1)}),
    ],
)
def test_the_notes_of_an_export_are_understood(assistant: Assistant, question: str, expected: set[tuple[object, ...]]):
    assert rows(assistant.with_hints(NOTES), question) == expected


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        # A code is shown by its description.
        ("number of accounts by product", {("Savings account", 2), ("Current account", 1), ("Junior account", 1)}),
        ("number of accounts by zone", {("Coast", 1), ("Hills", 3)}),
        ("number of complaints by complaint type", {("Wrong charges", 2), ("KYC not updated", 1)}),
        # Conditions ask for the code.
        ("number of savings accounts", {(2,)}),
        ("total available balance of current accounts in the hills zone", {(250.0,)}),
        # Two columns of one list each have their own kind.
        (
            "number of accounts by zone and product",
            {
                ("Coast", "Savings account", 1),
                ("Hills", "Current account", 1),
                ("Hills", "Savings account", 1),
                ("Hills", "Junior account", 1),
            },
        ),
        # A balance is the account's own and no number of daily balances.
        ("top 1 unit by total balance", {("Summit", 250.0)}),
        ("total balance by zone", {("Coast", 100.0), ("Hills", 310.0)}),
    ],
)
def test_codes_of_one_list_go_by_their_descriptions(
    assistant: Assistant, question: str, expected: set[tuple[object, ...]]
):
    assert rows(assistant, question) == expected
