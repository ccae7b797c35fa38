"""Builds repeat, replace whole files only, and say the same in every engine."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import pytest

from data import build_sample_bank
from data.build_sample_bank import build, main
from data.generate.bank import tables
from data.generate.plan import Plan
from data.schema import TABLES, Table
from tests.data.conftest import AS_OF_DATES, SCALE

AS_OF = AS_OF_DATES[0]


def rows(connection: Any, table: Table) -> list[tuple[Any, ...]]:
    columns = ", ".join(column.name for column in table.columns)
    return connection.execute(f"SELECT {columns} FROM {table.name} ORDER BY {', '.join(table.primary_key)}").fetchall()


def content(file: Path) -> dict[str, list[tuple[Any, ...]]]:
    with duckdb.connect(file, read_only=True) as connection:
        return {table.name: rows(connection, table) for table in TABLES}


@pytest.fixture(scope="module")
def in_duckdb(bank_file: Path) -> dict[str, list[tuple[Any, ...]]]:
    return content(bank_file)


def test_the_same_day_and_scale_give_the_same_rows(in_duckdb: dict[str, Any], tmp_path: Path) -> None:
    assert content(build(tmp_path / "again.duckdb", as_of=AS_OF, scale=SCALE)) == in_duckdb


def test_another_day_gives_other_rows(in_duckdb: dict[str, Any], tmp_path: Path) -> None:
    later = content(build(tmp_path / "later.duckdb", as_of=date(2026, 11, 22), scale=SCALE))
    assert later["bank_info"] == [(in_duckdb["bank_info"][0][0], date(2026, 11, 22), "INR")]
    assert later["transactions"] != in_duckdb["transactions"]


def test_duckdb_and_sqlite_hold_the_same_rows(in_duckdb: dict[str, Any], tmp_path: Path) -> None:
    file = build(tmp_path / "bank.sqlite", as_of=AS_OF, scale=SCALE, engine="sqlite")
    with closing(sqlite3.connect(f"file:{file}?mode=ro", uri=True)) as connection:
        assert connection.execute("PRAGMA foreign_key_check").fetchall() == []
        for table in TABLES:
            kinds = [column.type for column in table.columns]
            wanted = [tuple(map(sqlite_value, row, kinds)) for row in in_duckdb[table.name]]
            assert rows(connection, table) == wanted, table.name


def sqlite_value(value: Any, kind: str) -> Any:
    """What SQLite holds for an exact value: the nearest number for a decimal, ISO text for a date."""
    if value is None or kind.startswith(("INTEGER", "VARCHAR")):
        return value
    return float(value) if isinstance(value, Decimal) else str(value)


def test_money_is_exact_and_times_are_typed(bank_file: Path) -> None:
    with duckdb.connect(bank_file, read_only=True) as connection:
        found = connection.execute(
            "SELECT table_name, column_name, data_type FROM duckdb_columns() WHERE NOT internal"
        ).fetchall()
    wanted = {(table.name, column.name, column.type) for table in TABLES for column in table.columns}
    assert set(found) == wanted


def test_large_banks_are_made_in_blocks_that_do_not_mix(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("data.generate.bank.BLOCK", 37)
    monkeypatch.setattr("data.generate.lending.BLOCK", 13)
    parts: dict[str, list[Any]] = {}
    for name, part in tables(Plan(AS_OF, SCALE)):
        parts.setdefault(name, []).append(part)
    for name, key in (("transactions", "transaction_id"), ("loan_installments", "installment_id")):
        numbers = [number for part in parts[name] for number in part[key].to_pylist()]
        assert len(parts[name]) > 1
        assert numbers == list(range(1, len(numbers) + 1))


def test_an_interrupted_build_leaves_the_old_file_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "bank.duckdb"
    file.write_bytes(b"the old bank")

    def interrupted(plan: Plan) -> Iterator[Any]:
        made = tables(plan)
        yield next(made)
        raise KeyboardInterrupt

    monkeypatch.setattr(build_sample_bank, "tables", interrupted)
    for engine in ("duckdb", "sqlite"):
        with pytest.raises(KeyboardInterrupt):
            build(file, as_of=AS_OF, scale=SCALE, engine=engine)
        assert [path.name for path in tmp_path.iterdir()] == ["bank.duckdb"]
        assert file.read_bytes() == b"the old bank"


def test_the_command_line_builds_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "new" / "bank.sqlite"
    assert main(["--out", str(file), "--as-of", "2026-01-31", "--scale", "0.005", "--engine", "sqlite"]) == 0
    assert str(file) in capsys.readouterr().out
    with closing(sqlite3.connect(file)) as connection:
        assert connection.execute("SELECT as_of_date FROM bank_info").fetchall() == [("2026-01-31",)]


@pytest.mark.parametrize(
    "arguments",
    [
        ["--as-of", "yesterday"],
        ["--as-of", "1850-01-01"],
        ["--scale", "0"],
        ["--scale", "nan"],
        ["--engine", "oracle"],
        ["--engine", "postgresql+psycopg://postgres@127.0.0.1/x", "--out", "bank.duckdb"],
    ],
    ids=" ".join,
)
def test_wrong_options_are_refused_before_anything_is_built(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(arguments)
    assert stopped.value.code == 2
    assert "error: " in capsys.readouterr().err
