"""The sample bank as Parquet tables of a Spark server holds the rows that it holds anywhere."""

from __future__ import annotations

import contextlib
import io
import threading
from collections.abc import Iterator
from datetime import date
from pathlib import Path

import duckdb
import pytest

from ai_engine.semantics.compiler import compile_intent
from ai_engine.semantics.intent import FieldRef, Intent, Measure, Period
from ai_engine.semantics.osi import load_vocabulary
from backend.databases import Database, open_database
from backend.settings import PROJECT_ROOT
from data.build_sample_bank import main
from data.schema import TABLES
from tests.conftest import AS_OF
from tests.spark_server import SparkServer

pytestmark = [pytest.mark.server, pytest.mark.slow, pytest.mark.timeout(600)]
IN_S = 120.0
VOCABULARY = (PROJECT_ROOT / "data" / "sample_bank.yaml").read_text(encoding="utf-8")
TODAY = date.fromisoformat(AS_OF)


def build(url: str, folder: Path) -> tuple[int, str]:
    said = io.StringIO()
    with contextlib.redirect_stderr(said), contextlib.redirect_stdout(io.StringIO()):
        status = main(["--engine", url, "--out", str(folder), "--as-of", AS_OF, "--scale", "0.05"])
    return status, said.getvalue()


def test_the_rows_are_those_of_duckdb_and_an_earlier_build_is_replaced(
    spark: SparkServer, small_bank: Path, tmp_path: Path
):
    spark.administer("CREATE DATABASE loaded")
    url = spark.url.replace("/default", "/loaded")
    assert [build(url, tmp_path)[0] for _ in range(2)] == [0, 0]
    assert len(list(tmp_path.iterdir())) == 1
    with open_database(url) as bank, duckdb.connect(str(small_bank), read_only=True) as connection:
        tables = {table.name: table for table in bank.catalogue.tables}
        assert tables.keys() == {table.name for table in TABLES}
        assert tables["transactions"].partition_columns == ("posted_year",)
        assert tables["monthly_balances"].partition_columns == ("month_end",)
        for table in TABLES:
            described = {column.name: column.comment for column in tables[table.name].columns}
            assert described.items() >= {(column.name, column.description) for column in table.columns}
        for sql in (
            "SELECT count(*), sum(amount), min(posted_at), max(posted_at) FROM transactions",
            "SELECT count(*), sum(closing_balance), max(month_end) FROM monthly_balances",
            "SELECT count(*), sum(balance), count(closed_date) FROM accounts",
        ):
            found = bank.runner.run(sql, max_rows=5, timeout_s=IN_S, stop=threading.Event()).rows
            assert list(found) == connection.execute(sql).fetchall()


def test_a_database_with_other_tables_is_refused(spark: SparkServer, tmp_path: Path):
    spark.administer("CREATE DATABASE theirs", "CREATE TABLE theirs.ledger (a INT) USING parquet")
    status, said = build(spark.url.replace("/default", "/theirs"), tmp_path)
    assert (status, list(tmp_path.iterdir())) == (1, [])
    assert "already holds ledger" in said


def test_a_folder_for_the_files_is_asked_for(capsys):
    with pytest.raises(SystemExit):
        main(["--engine", "spark://analyst@127.0.0.1:9/default"])
    assert "--out names the folder" in capsys.readouterr().err


@pytest.fixture(scope="module")
def lake(spark: SparkServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    spark.administer("CREATE DATABASE lake")
    url = spark.url.replace("/default", "/lake")
    assert build(url, tmp_path_factory.mktemp("lake"))[0] == 0
    with open_database(url) as bank:
        yield bank


def rows_of(bank: Database, sql: str) -> tuple[tuple[object, ...], ...]:
    return bank.runner.run(sql, max_rows=5, timeout_s=IN_S, stop=threading.Event()).rows


def bytes_of(bank: Database, sql: str) -> int:
    found = bank.runner.cost(sql, timeout_s=IN_S, stop=threading.Event()).bytes
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("start", "end"),
    [
        (date(2025, 3, 1), date(2025, 4, 1)),
        (date(2025, 1, 1), date(2026, 1, 1)),
        (date(2025, 7, 1), None),
        (None, date(2025, 1, 1)),
    ],
)
def test_a_period_reads_its_own_partitions_and_gives_the_rows_of_duckdb(
    lake: Database, small_bank: Path, start: date | None, end: date | None
):
    amount = Measure(aggregate="sum", field=FieldRef(dataset="transactions", field="amount"))
    count = Measure(aggregate="count", dataset="transactions")
    intent = Intent(measures=(count, amount), period=Period(start=start, end=end, label="a while"))
    with open_database(str(small_bank)) as bank:
        in_parts, in_one_piece = (load_vocabulary(VOCABULARY, one.catalogue) for one in (lake, bank))
        expected = rows_of(bank, compile_intent(intent, in_one_piece, "duckdb", TODAY).sql)
    pruned, whole = (compile_intent(intent, model, "spark", TODAY).sql for model in (in_parts, in_one_piece))
    assert ("posted_year" in pruned, "posted_year" in whole) == (True, False)
    assert rows_of(lake, pruned) == rows_of(lake, whole) == expected
    print(f"{start} to {end}: {bytes_of(lake, pruned):,} of {bytes_of(lake, whole):,} bytes")
    assert 0 < bytes_of(lake, pruned) < bytes_of(lake, whole)


def test_a_table_that_is_kept_apart_by_the_date_itself_needs_nothing_said(lake: Database):
    model = load_vocabulary(VOCABULARY, lake.catalogue)
    credits = Measure(aggregate="sum", field=FieldRef(dataset="monthly_balances", field="total_credits"))
    august = Period(start=date(2026, 8, 1), end=date(2026, 9, 1), label="August 2026")
    of_a_month, of_all = (
        compile_intent(Intent(measures=(credits,), period=period), model, "spark", TODAY).sql
        for period in (august, None)
    )
    assert 0 < bytes_of(lake, of_a_month) < bytes_of(lake, of_all) / 5
