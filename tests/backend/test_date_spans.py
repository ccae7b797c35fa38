from __future__ import annotations

import sqlite3
from contextlib import closing
from datetime import date

import pytest

from ai_engine.semantics.date_spans import DateSpan
from ai_engine.semantics.model import Dataset, Field, SemanticModel
from backend.catalogue.date_spans import collect_date_spans
from backend.databases import open_database

MODEL = SemanticModel(
    "bank",
    (
        Dataset(
            "payments",
            "payments",
            (
                Field("paid_on", "paid_on", "date", "time", "payment date"),
                Field("due_on", "due_on", "date", "time", "due date"),
                Field("lost_on", "lost_on", "date", "time", "day of loss"),
                Field("born_on", "born_on", "date", "time", "date of birth", sensitive=True),
            ),
            "payment",
        ),
        Dataset("gone", "gone", (Field("day", "day", "date", "time", "day"),), "gone"),
    ),
)


@pytest.fixture
def bank(tmp_path):
    path = tmp_path / "bank.sqlite"
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(
            """CREATE TABLE payments (paid_on DATE, due_on DATE, lost_on DATE, born_on DATE);
               INSERT INTO payments VALUES ('1995-03-14', '1995-04-01', NULL, '1960-01-01'),
                   ('1997-12-31 23:59:59', NULL, NULL, NULL), ('1996-01-01', '2031-01-01', NULL, NULL);"""
        )
    with open_database(str(path)) as database:
        yield database


def test_every_date_tells_its_first_and_last_day_and_what_cannot_be_read_tells_nothing(bank, tmp_path):
    expected = {
        ("payments", "paid_on"): DateSpan(date(1995, 3, 14), date(1997, 12, 31), 3),
        ("payments", "due_on"): DateSpan(date(1995, 4, 1), date(2031, 1, 1), 2),
    }
    assert collect_date_spans(bank, MODEL, cache_dir=None) == expected
    kept = tmp_path / "cache"
    assert collect_date_spans(bank, MODEL, cache_dir=kept) == expected
    assert [path.name.split("-")[0] for path in kept.iterdir()] == ["spans"]
    assert collect_date_spans(bank, MODEL, cache_dir=kept) == expected
