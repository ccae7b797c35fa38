"""The sample bank as Parquet tables of a Spark server holds the rows that it holds anywhere."""

from __future__ import annotations

import contextlib
import io
import threading
from pathlib import Path

import duckdb
import pytest

from backend.databases import open_database
from data.build_sample_bank import main
from data.schema import TABLES
from tests.conftest import AS_OF
from tests.spark_server import SparkServer

pytestmark = [pytest.mark.server, pytest.mark.slow, pytest.mark.timeout(600)]
IN_S = 120.0


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
