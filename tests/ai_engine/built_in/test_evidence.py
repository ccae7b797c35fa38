"""Questions about a database of opaque names, answered with the evidence that stands beside them, on real rows."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from ai_engine.errors import SqlRejected
from backend.service import Assistant, open_assistant
from backend.settings import Settings
from tests.ai_engine.built_in.evidence import rows

DDL = """
CREATE TABLE cli (cod_cli INTEGER PRIMARY KEY, sesso TEXT, nom TEXT, cogn TEXT, nasc DATE, cls TEXT, prof TEXT);
CREATE TABLE cto (num_cto INTEGER PRIMARY KEY, cod_cli INTEGER REFERENCES cli (cod_cli), tp TEXT, aper DATE,
  chius DATE, sld REAL, fido REAL, blc TEXT);
CREATE TABLE mov (id_mov INTEGER PRIMARY KEY, num_cto INTEGER REFERENCES cto (num_cto), dt_mov TEXT, imp REAL, da TEXT,
  caus TEXT, tx_24 REAL, tx_25 REAL);
"""
CLIENTS = [
    (1, "F", "Anna", "Rossi", "1950-03-01", "A", "PEN"),
    (2, "M", "Luca", "Bianchi", "1988-07-12", "C", "DIP"),
    (3, "F", "Sara", "Greco", "1993-01-30", "D", "DIP"),
    (4, "S", None, "Ferro Srl", None, None, None),
    (5, "M", "Aldo", "Conti", "1941-11-05", "B", "PEN"),
]
ACCOUNTS = [
    (10, 1, "R", "2012-05-01", None, 1200.0, None, "N"),
    (11, 2, "C", "2015-02-10", None, -900.0, 500.0, "N"),
    (12, 3, "C", "2019-09-09", None, -200.0, 500.0, "S"),
    (13, 4, "C", "2020-01-20", "2024-06-30", 0.0, None, "N"),
    (14, 5, "G", "2021-10-02", None, 300.0, 100.0, "S"),
]
BOOKINGS = [
    (100, 10, "20250110", 50.0, "D", "AFF", 1.0, 2.0),
    (101, 11, "20250215", 70.0, "D", "AFF", 2.0, 1.5),
    (102, 11, "20250220", 500.0, "A", "STI", 2.0, 2.0),
    (103, 12, "20241224", 20.0, "D", "ASS", 1.0, 3.0),
    (104, 14, "20250401", 90.0, "D", "AFF", 4.0, 5.0),
]
TABLES = "cli holds the clients; cto holds the accounts; mov holds the bookings."


@pytest.fixture(scope="module")
def assistant(tmp_path_factory: pytest.TempPathFactory) -> Assistant:
    file: Path = tmp_path_factory.mktemp("banca") / "banca.sqlite"
    with sqlite3.connect(file) as database:
        database.executescript(DDL)
        database.executemany("INSERT INTO cli VALUES (?, ?, ?, ?, ?, ?, ?)", CLIENTS)
        database.executemany("INSERT INTO cto VALUES (?, ?, ?, ?, ?, ?, ?, ?)", ACCOUNTS)
        database.executemany("INSERT INTO mov VALUES (?, ?, ?, ?, ?, ?, ?, ?)", BOOKINGS)
    database.close()
    opened = open_assistant(
        Settings(database_url=f"sqlite:///{file}", as_of="2026-11-21", cache_dir=file.parent / "cache")
    )
    return opened.with_hints(TABLES)


@pytest.mark.parametrize(
    ("evidence", "question", "expected"),
    [
        ("sld < 0 means overdrawn", "How many overdrawn accounts are there?", [(2,)]),
        ("overdrawn means sld < 0", "How many accounts are not overdrawn?", [(3,)]),
        ("an account is in excess when sld < -fido", "How many accounts are in excess?", [(1,)]),
        ("running accounts are those with chius IS NULL", "Number of running accounts", [(4,)]),
        ("chius is the closing date, NULL means still running", "How many running accounts do we have?", [(4,)]),
        ("chius is empty for running accounts", "How many running accounts do we have?", [(4,)]),
        ("cls is the risk grade, grades 'C' and 'D' count as weak", "How many clients have a weak risk grade?", [(2,)]),
        ("private clients are those with sesso <> 'S'", "How many private clients are there?", [(4,)]),
        ("sesso = 'S' marks a firm (Societa)", "How many firms are among our clients?", [(1,)]),
        ("sesso = 'F' means woman, sesso = 'M' means man, sesso = 'S' is a firm", "How many men are there?", [(2,)]),
        ("tp = 'R' is a savings account, 'C' a current account", "Number of current accounts", [(3,)]),
        ("tp is the kind of account ('R' savings, 'C' current, 'G' youth)", "How many youth accounts?", [(1,)]),
        ("prof = 'PEN' means pensioner", "How many pensioners are there?", [(2,)]),
        ("blc = 'S' means the account is frozen", "How many frozen accounts are there?", [(2,)]),
        ("unused: tp = 'G' (youth) or sld = 0 ", "How many unused accounts are there?", [(2,)]),
        ("small means sld BETWEEN 0 AND 500", "How many small accounts are there?", [(2,)]),
        ("clients from the C family are those with cogn LIKE 'C%'", "How many clients are there?", [(5,)]),
        ("imp is the amount of the booking; da = 'D' (dare) means debit/outgoing", "Total outgoing amount", [(230.0,)]),
        ("imp is the amount; dt_mov is text in the form YYYYMMDD", "Total amount in 2025", [(710.0,)]),
        (
            "full name refers to nom, cogn; prof = 'PEN' means pensioner; cls is the risk grade",
            "Full name of the pensioner with the lowest risk grade",
            [("Anna", "Rossi")],
        ),
        ("tx_24 and tx_25 are the rates of 2024 and 2025", "What is the lowest rate 2025?", [(1.5,)]),
        (
            "repaid: sld > 0; finished: sld >= 0",
            "Percentage of repaid accounts among finished accounts",
            [(pytest.approx(200 / 3),)],
        ),
        ("cto.tp: R = savings, C = current account; G is unused", "How many current accounts are there?", [(3,)]),
        (
            "cto.blc says how often letters are posted: N = monthly, S = weekly",
            "How many accounts get weekly letters?",
            [(2,)],
        ),
        (
            "caus: AFF = rent, STI = salary, ASS = cheque; empty (NULL) = reason not stated",
            "Number of bookings with no reason",
            [(0,)],
        ),
        (
            "cto.tp: R = settled and repaid, C = settled but not repaid, G = running and the holder is in arrears",
            "How many settled accounts are there?",
            [(4,)],
        ),
        (
            "cto.tp: R = settled and repaid, C = settled but not repaid, G = running and the holder is in arrears",
            "How many accounts are in arrears?",
            [(1,)],
        ),
        (
            "cli.prof: PEN = drawer of a pension, DIP = employee who is paid monthly",
            "How many employees are there?",
            [(2,)],
        ),
        (
            "imp is the amount; amounts are earned on outgoing entries only (da = 'D')",
            "Total amount we have earned",
            [(230.0,)],
        ),
    ],
)
def test_words_of_the_evidence_are_understood(assistant, evidence, question, expected):
    assert rows(assistant, evidence, question) == expected


@pytest.mark.parametrize(
    ("evidence", "question"),
    [
        ("sld is always positive", "How many positive accounts are there?"),
        ("the balance is negative", "How many negative clients are there?"),
        ("weak means something else", "How many weak clients are there?"),
        ("cod_cli = num_cto means same", "How many same accounts are there?"),
        ("overdrawn beyond it means sld < -fido", "How many accounts are overdrawn?"),
        ("cto.tp: R = settled and repaid, C = settled but not repaid", "How many accounts are in arrears?"),
        ("cto.num_cto = where the money lies", "How many accounts are in a different client from the one who pays?"),
    ],
)
def test_what_the_evidence_does_not_say_stays_unknown(assistant, evidence, question):
    assert assistant.with_hints(evidence).ask(question).status == "refused"


def test_behind_who_a_value_with_an_object_is_a_verb_and_no_kind_of_booking(assistant):
    rent = assistant.with_hints("caus = 'AFF' means rent")
    assert rent.ask("List the clients who rent no account").status == "refused"
    known = rent.with_hints("fido is the yearly rent").ask("List the clients who rent no account")
    assert (known.status, known.restatement.rpartition(", ")[2]) == ("answered", "without accounts")


def test_a_date_of_birth_that_only_the_evidence_names_is_kept_back_from_whoever_asks(assistant):
    told = assistant.with_hints("nasc is the birth date")
    assert "cli.nasc" in str(told.ask("Who is the oldest client?").error)
    with pytest.raises(SqlRejected, match="nasc"):
        told.check("SELECT nasc FROM cli")
