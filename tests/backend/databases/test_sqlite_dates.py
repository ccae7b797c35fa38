"""What a column of SQLite is found to hold tells nothing of a key that is kept back."""

from __future__ import annotations

import contextlib
import sqlite3

import pytest

from backend.databases import DatabaseLimits, open_database

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
