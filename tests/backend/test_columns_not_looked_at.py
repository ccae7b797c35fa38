"""What nobody could look at is not open by that, and what was read is looked at whole."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import duckdb
import pytest

from ai_engine.errors import SqlRejected
from backend.opening import open_assistant
from backend.service import Assistant
from backend.settings import Settings

ROWS = 950
TOO_WIDE = "x" * 1_100_000


@pytest.fixture(params=["sqlite", "duckdb"])
def engine(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def opened(folder: Path, engine: str, ddl: Sequence[str], rows: dict[str, Sequence[tuple[Any, ...]]]) -> Assistant:
    file = folder / f"bank.{engine}"
    connection: Any = sqlite3.connect(file) if engine == "sqlite" else duckdb.connect(str(file))
    with closing(connection):
        for statement in ddl:
            connection.execute(statement)
        for table, held in rows.items():
            places = ", ".join("?" * len(held[0]))
            connection.executemany(f"INSERT INTO {table} VALUES ({places})", held)
        connection.commit()
    return open_assistant(Settings(database_url=str(file), cache_dir=folder / "cache", database_workers=1))


@pytest.fixture
def leads(tmp_path: Path, engine: str) -> Iterator[Assistant]:
    rows = [(i, f"u{i}@bank.in", TOO_WIDE if i == 50 else "ok") for i in range(100)]
    ddl = ["CREATE TABLE leads (id INTEGER PRIMARY KEY, contact TEXT, remark TEXT)"]
    with closing(opened(tmp_path, engine, ddl, {"leads": rows})) as assistant:
        yield assistant


def test_one_wide_cell_opens_no_other_column_of_its_table_and_closes_none(leads: Assistant):
    with pytest.raises(SqlRejected):
        leads.check("SELECT contact FROM leads")
    assert leads.check("SELECT remark FROM leads").sql


@pytest.mark.parametrize("at", [59, 61, 900])
def test_a_personal_key_of_any_row_that_was_read_closes_its_column(tmp_path: Path, engine: str, at: int):
    rows = [(i, json.dumps({"n": i, **({"email": "u@bank.in"} if i == at else {})})) for i in range(ROWS)]
    ddl = ["CREATE TABLE events (id INTEGER PRIMARY KEY, doc TEXT)"]
    with closing(opened(tmp_path, engine, ddl, {"events": rows})) as assistant, pytest.raises(SqlRejected):
        assistant.check("SELECT doc FROM events")


@pytest.mark.parametrize("held", [str, str.encode], ids=["text", "bytes"])
def test_a_personal_key_behind_a_long_text_closes_its_column(tmp_path: Path, engine: str, held: Any):
    doc = held(json.dumps({"body": "x" * 20_100, "email": "u@bank.in"}))
    kind = "TEXT" if held is str else "BLOB"
    ddl = [f"CREATE TABLE events (id INTEGER PRIMARY KEY, doc {kind})"]
    rows = [(i, doc) for i in range(30)]
    with closing(opened(tmp_path, engine, ddl, {"events": rows})) as assistant, pytest.raises(SqlRejected):
        assistant.check("SELECT CAST(doc AS TEXT) AS doc FROM events")


@pytest.mark.parametrize("names", [("KUNDENÄ", "kundenä"), ("kundenä", "KUNDENÄ")])
def test_names_that_only_the_case_of_other_letters_tells_apart_open_nothing_of_each_other(tmp_path: Path, names):
    ddl = [f'CREATE TABLE "{name}" (id INTEGER PRIMARY KEY, contact TEXT)' for name in names]
    rows = {
        '"KUNDENÄ"': [(i, f"u{i}@bank.in") for i in range(50)],
        '"kundenä"': [(i, f"word{i % 3}") for i in range(50)],
    }
    with closing(opened(tmp_path, "sqlite", ddl, rows)) as assistant, pytest.raises(SqlRejected):
        assistant.check('SELECT contact FROM "KUNDENÄ"')


def test_what_cannot_be_read_at_all_is_kept_back_and_told(tmp_path: Path):
    ddl = ["CREATE TABLE leads (id INTEGER PRIMARY KEY, contact TEXT)"]
    rows = {"leads": [(i, f"u{i}@bank.in") for i in range(100)]}
    opened(tmp_path, "sqlite", ddl, rows).close()
    hurried = Settings(
        database_url=str(tmp_path / "bank.sqlite"), cache_dir=tmp_path / "anew", database_workers=1,
        sampling_timeout_s=0.000_01,
    )  # fmt: skip
    with closing(open_assistant(hurried)) as assistant:
        assert any("could not be looked at: leads.contact" in note for note in assistant.notes)
        with pytest.raises(SqlRejected):
            assistant.check("SELECT contact FROM leads")
