"""What a column of SQLite is found to hold tells nothing of a key that is kept back."""

from __future__ import annotations

import contextlib
import sqlite3

import pytest

from ai_engine.catalogue import Catalogue, Column, Table
from ai_engine.errors import DatabaseBusy
from ai_engine.semantics.infer import infer_vocabulary
from ai_engine.semantics.kept_back import as_declared, kept_back, with_kept_back
from backend.databases import DatabaseLimits, open_database
from backend.databases.sqlite_dates import with_text_dates
from backend.opening import open_assistant
from backend.settings import Settings

ROWS = 10_000


@pytest.mark.parametrize(
    "definition",
    [
        "card_number INTEGER PRIMARY KEY, day DATE, seen DATETIME, note TEXT",
        "email TEXT PRIMARY KEY, day DATE, seen DATETIME, note TEXT",
        "email TEXT, day DATE, seen DATETIME, note TEXT, PRIMARY KEY (note, email)",
        "holder TEXT PRIMARY KEY, day DATE, seen DATETIME, note TEXT",
        "insured_no INTEGER PRIMARY KEY, day DATE, seen DATETIME, note TEXT",
        "ward TEXT PRIMARY KEY, day DATE, seen DATETIME, note TEXT",
    ],
)
def test_a_key_does_not_decide_which_rows_a_column_is_judged_by(definition, tmp_path):
    found = []
    for first in (0, ROWS - 1):
        path = tmp_path / f"{first}.sqlite"
        with contextlib.closing(sqlite3.connect(path)) as connection, connection:
            is_number = "INTEGER" in definition
            rowids = "" if is_number else " WITHOUT ROWID"
            connection.execute(f"CREATE TABLE t (left_on TEXT, {definition}){rowids}")
            key = definition.split()[0]
            for row in range(ROWS):
                day = "2024-01-31" if row < ROWS // 2 else "unknown"
                value = abs(first - row)
                connection.execute(
                    f"INSERT INTO t ({key}, day, seen, note, left_on) VALUES (?, ?, ?, 'n', ?)",
                    (value if is_number else f"{value:05}", day, f"{day} 10:00", day if row < ROWS // 2 else None),
                )
        with open_database(str(path), DatabaseLimits(workers=1)) as database:
            found.append([column.type for column in database.catalogue.table("t").columns])
    assert found[0] == found[1]
    assert found[0][0] == "date"


@pytest.mark.parametrize(
    ("declared", "values", "judged"),
    [
        ("TIME", ["09:30", "9:30:15.5", None], "time"),
        ("TIME", ["asha@bank.in", "09:30"], "text"),
        ("TIME", [930, 945], "integer"),
        ("TIME", ["2024-01-31 09:30", "2024-01-31 10:30"], "timestamp"),
        ("TIME", [], "time"),
        ("BOOLEAN", [0, 1, None, 1], "boolean"),
        ("BOOLEAN", ["asha@bank.in", 1], "text"),
        ("BOOLEAN", ["Y", "N"], "text"),
        ("BOOLEAN", [None], "boolean"),
        ("TINYINT(1)", [0, 1, 2], "integer"),
        ("TINYINT(1)", [9876543210, 9876543211], "integer"),
        ("DATE", ["2024-01-31", "2024-02-01"], "date"),
        ("DATE", ["2024-01-31", "asha@bank.in"], "text"),
    ],
)
def test_a_column_is_of_the_type_that_its_values_are_of_whatever_was_declared(declared, values, judged, tmp_path):
    path = tmp_path / "bank.sqlite"
    with contextlib.closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(f"CREATE TABLE t (id INTEGER PRIMARY KEY, told {declared})")
        connection.executemany("INSERT INTO t (told) VALUES (?)", [(value,) for value in values])
    with open_database(str(path), DatabaseLimits(workers=1)) as database:
        assert database.catalogue.table("t").column("told").type == judged


@pytest.mark.parametrize("declared", ["TIME", "BOOLEAN", "TINYINT(1)", "DATE", "DATETIME"])
def test_no_declaration_opens_what_reaches_a_person(declared, tmp_path):
    path = tmp_path / "bank.sqlite"
    with contextlib.closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(f"CREATE TABLE t (id INTEGER PRIMARY KEY, email {declared}, remark {declared})")
        rows = [(f"u{row}@bank.in", f"v{row}@bank.in") for row in range(30)]
        connection.executemany("INSERT INTO t (email, remark) VALUES (?, ?)", rows)
    settings = Settings(
        database_url=str(path), cache_dir=tmp_path / "cache", store_url=f"sqlite:///{tmp_path}/store.sqlite"
    )
    with contextlib.closing(open_assistant(settings)) as assistant:
        assert assistant.vocabulary.kept_back == {"t": frozenset({"email", "remark"})}


def test_a_column_of_a_secret_name_that_cannot_be_read_is_not_taken_for_what_was_declared():
    class Busy:
        def run(self, sql, *, max_rows, timeout_s, stop):
            raise DatabaseBusy("locked")

    columns = (Column("email", "date", "DATE"), Column("opened_on", "date", "DATE"))
    judged = with_text_dates(Catalogue("sqlite", (Table("t", columns),)), Busy())
    assert [column.type for column in judged.tables[0].columns] == ["text", "date"]


@pytest.mark.parametrize("declared", ["TEXT", "DATE", "TIME", "BOOLEAN"])
def test_what_is_told_of_a_column_that_is_kept_back_is_what_was_declared_and_not_what_it_holds(declared, tmp_path):
    told = []
    for value in ("2024-01-31", "2024-01-31 10:15:00", "10:15:00", "unknown", 1, None):
        path = tmp_path / f"{len(told)}.sqlite"
        with contextlib.closing(sqlite3.connect(path)) as connection, connection:
            connection.execute(f"CREATE TABLE t (id INTEGER PRIMARY KEY, password {declared})")
            connection.execute("INSERT INTO t (password) VALUES (?)", (value,))
        with open_database(str(path), DatabaseLimits(workers=1)) as database:
            model = infer_vocabulary(database.catalogue)
            held = kept_back(model, database.catalogue)
            fields = with_kept_back(model, database.catalogue, held).dataset("t").fields
            told.append((fields, as_declared(database.catalogue, held)))
    assert [one for one in told if one != told[0]] == []
