"""Spark SQL through a real Thrift server: types, refusals, the end of jobs, and a server that goes away."""

from __future__ import annotations

import json
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal
from pathlib import Path

import pytest

from ai_engine.errors import DatabaseUnavailable, QueryFailed, QueryStopped, QueryTimedOut
from ai_engine.types import QueryResult
from backend.databases import Database, DatabaseLimits, open_database
from tests.backend.databases.resources import child_processes, count_resources, left_since
from tests.backend.databases.servers.small_bank import run
from tests.patience import allowed_s
from tests.spark_server import SparkServer, what_is_missing

pytestmark = pytest.mark.server
LONG = "SELECT sum(hash(id)) AS s FROM range(0, 10000000000000)"
BOUNDED = f"{LONG} LIMIT 5"
IN_S = 60.0  # the first statements of a server take their time
SOON_S = 2.0
TABLES = (
    "CREATE DATABASE IF NOT EXISTS spark_tests",
    """CREATE TABLE IF NOT EXISTS spark_tests.entries (
        entry_id INT COMMENT 'Key', amount DECIMAL(38,2), at TIMESTAMP, wall TIMESTAMP_NTZ,
        month INT COMMENT 'As 202401'
    ) USING parquet PARTITIONED BY (month) COMMENT 'Entries.\\nPartition Columns: [`amount`]'""",
    """INSERT OVERWRITE spark_tests.entries VALUES
        (1, 1200.50, TIMESTAMP'2024-01-31 10:30:00Z', TIMESTAMP_NTZ'2024-01-31 16:00:00', 202401),
        (2, 0.10, NULL, NULL, 202402)""",
    "ANALYZE TABLE spark_tests.entries COMPUTE STATISTICS",
    "CREATE OR REPLACE VIEW spark_tests.large (entry_id COMMENT 'Key') COMMENT 'Above a thousand' AS "
    "SELECT entry_id FROM spark_tests.entries WHERE amount > 1000",
)


@pytest.fixture(scope="module")
def url(spark: SparkServer) -> str:
    spark.administer(*TABLES)
    return spark.url.replace("/default", "/spark_tests")


@pytest.fixture(scope="module")
def bank(url: str) -> Iterator[Database]:
    """One for all tests; whatever they do, no process, thread or descriptor may be left of it here."""
    open_database(url).close()  # the client's own first-time files are no leak
    before = count_resources()
    with open_database(url, DatabaseLimits(connections=2)) as database:
        run(database, "SELECT 1", timeout_s=IN_S)
        yield database
    assert left_since(before) == []


@pytest.fixture
def asked(bank: Database) -> Iterator[Callable[..., Future[QueryResult]]]:
    """Asks the bank in a thread."""
    with ThreadPoolExecutor(1) as pool:
        yield lambda sql, **limits: pool.submit(run, bank, sql, timeout_s=IN_S, **limits)


def only(bank: Database, expression: str) -> object:
    [[cell]] = run(bank, f"SELECT {expression} AS x", timeout_s=IN_S).rows
    return cell


def test_the_catalogue_has_comments_views_and_what_tables_are_partitioned_by(bank):
    entries, large = sorted(bank.catalogue.tables, key=lambda table: table.name)
    assert [(column.name, column.type, column.native_type, column.comment) for column in entries.columns] == [
        ("entry_id", "integer", "INT", "Key"), ("amount", "decimal", "DECIMAL(38,2)", ""),
        ("at", "timestamp", "TIMESTAMP", ""), ("wall", "timestamp", "TIMESTAMP_NTZ", ""),
        ("month", "integer", "INT", "As 202401"),
    ]  # fmt: skip
    assert entries.partition_columns == ("month",)
    assert (large.is_view, large.comment, large.columns[0].comment) == (True, "Above a thousand", "Key")
    assert bank.catalogue.default_schema == "spark_tests"


def test_another_database_of_the_same_pattern_is_not_read(bank, spark):
    spark.administer(
        "CREATE DATABASE IF NOT EXISTS sparkxtests", "CREATE TABLE IF NOT EXISTS sparkxtests.other (a INT)"
    )
    with open_database(bank.url_shown) as again:
        assert {table.name for table in again.catalogue.tables} == {"entries", "large"}


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("CAST(repeat('9', 38) AS DECIMAL(38,0))", Decimal("9" * 38)),
        ("1.10BD", Decimal("1.10")),
        ("1.5D", 1.5),
        ("9223372036854775807", 9223372036854775807),
        ("TRUE", True),
        ("CAST(NULL AS STRING)", None),
        ("'Pune ''x'' \\\\ €'", "Pune 'x' \\ €"),
        ("DATE'0001-01-01'", date(1, 1, 1)),
        ("CAST('-0044-03-15' AS DATE)", "-0044-03-15"),
        ("TIMESTAMP_NTZ'2024-01-01 00:00:00.5'", datetime.fromisoformat("2024-01-01 00:00:00.500000")),
        ("TIMESTAMP'2024-01-01 05:30:00+05:30'", datetime(2024, 1, 1, tzinfo=UTC)),
        ("ARRAY(1, 2, NULL)", "[1,2,null]"),
        ("MAP('a', 1)", '{"a":1}'),
        ("NAMED_STRUCT('x', 1, 'y', 'b')", '{"x":1,"y":"b"}'),
        ("CAST('ab' AS BINARY)", "0x6162"),
    ],
)  # fmt: skip
def test_values_are_exact(bank, expression, value):
    assert only(bank, expression) == value


def test_lists_maps_and_structs_are_json_in_the_order_of_the_rows(bank):
    pair = "NAMED_STRUCT('x', NULL, 'y', CONCAT('a\"', id))"
    cells = f"id AS n, ARRAY('a\"', NULL) AS n, MAP('k\"', 1.10BD), {pair}"
    sql = f"SELECT {cells} FROM range(0, 50, 1, 4) ORDER BY id DESC LIMIT 3"
    found = run(bank, sql, timeout_s=IN_S)
    assert found.columns[:2] == ("n", "n_2")
    assert [row[0] for row in found.rows] == [49, 48, 47]
    assert [json.loads(cell) for cell in found.rows[0][1:]] == [['a"', None], {'k"': 1.10}, {"x": None, "y": 'a"49'}]
    assert '"k\\"":1.10' in found.rows[0][2]


def test_moments_are_told_in_the_zone_of_the_address(url):
    with open_database(f"{url}?timezone=Asia/Kolkata") as bank:
        found = run(bank, "SELECT at, wall FROM entries WHERE entry_id = 1 LIMIT 1", timeout_s=IN_S).rows
    india = timezone(timedelta(hours=5, minutes=30))
    assert found == ((datetime(2024, 1, 31, 16, 0, tzinfo=india), datetime.fromisoformat("2024-01-31 16:00")),)
    assert found[0][0].utcoffset() == timedelta(hours=5, minutes=30)


def test_a_time_zone_that_does_not_exist_is_named(url):
    with pytest.raises(DatabaseUnavailable, match="Mars/Base"), open_database(f"{url}?timezone=Mars/Base") as bank:
        run(bank, "SELECT 1")


@pytest.mark.parametrize(
    ("sql", "words", "names"),
    [
        ("SELECT * FROM nowhere", "unknown table", ("nowhere",)),
        ("SELECT nothing FROM entries", "unknown column", ("nothing",)),
        ("SELECT nofun(amount) FROM entries", "unknown function", ("nofun",)),
        ("SELECT amount, sum(month) FROM entries", "aggregate", ()),
        ("SELECT entry_id FROM entries a, entries b", "ambiguous", ("entry_id", "a", "b")),
        ("SELECT 1 / 0", "division by zero", ()),
        ("SELECT 9223372036854775807 + month FROM entries", "out of range", ()),
        ("SELECT 9223372036854775807 + month FROM entries LIMIT 5", "out of range", ()),
        ("SELECT CAST('secret' AS INT)", "cannot be converted", ()),
        ("SELECT to_date('secret', 'yyyy-MM-dd')", "cannot be converted", ()),
        ("SELECT rlike('secret', '(')", "regular expression", ()),
        ("SELECT raise_error('secret')", "refused", ()),
        ("SELECT (SELECT id FROM range(2))", "several rows", ()),
        ("SELEC 1", "syntax", ()),
    ],
)
def test_errors_are_told_in_our_words_without_data(bank, sql, words, names):
    with pytest.raises(QueryFailed, match=words) as caught:
        run(bank, sql, timeout_s=IN_S)
    assert caught.value.names == names
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize(
    "sql",
    [
        "DROP TABLE entries", "INSERT INTO entries VALUES (9, 1, NULL, NULL, 1)", "CREATE TABLE made AS SELECT 1 AS a",
        "WITH a AS (SELECT 1) INSERT INTO entries SELECT 9, 1, NULL, NULL, 1 FROM a",
        "SET spark.sql.ansi.enabled=false", "FROM entries INSERT INTO entries SELECT *",
        "SELECT 1; DROP TABLE entries", "CACHE TABLE entries",
        "ADD JAR 'x.jar'",
        "SELECT * FROM text.`/etc/hostname`", "USE default",
    ],
)  # fmt: skip
def test_nothing_but_a_query_runs_even_past_the_guard(bank, sql):
    with pytest.raises(QueryFailed):
        run(bank, sql, timeout_s=IN_S)
    assert run(bank, "SELECT count(*) FROM entries", timeout_s=IN_S).rows == ((2,),)


def test_a_text_is_not_filled_with_the_server_s_own_settings(bank):
    assert only(bank, "'${env:PATH} ${spark.app.id}'") == "${env:PATH} ${spark.app.id}"


@pytest.mark.parametrize("limit", ["", " LIMIT 200000"])
def test_rows_are_fetched_by_page_up_to_the_limit(bank, limit):
    found = run(bank, f"SELECT id FROM range(0, 50000000, 1, 40){limit}", max_rows=20_000, timeout_s=IN_S)
    assert (len(found.rows), found.truncated) == (20_000, True)
    assert run(bank, f"SELECT id FROM range(0, 3, 1, 3){limit}", timeout_s=IN_S).rows == ((0,), (1,), (2,))


def test_partitions_that_a_condition_leaves_out_cost_nothing(bank):
    whole, part = (
        bank.runner.cost(sql, timeout_s=IN_S, stop=threading.Event())
        for sql in ("SELECT amount FROM entries LIMIT 5", "SELECT amount FROM entries WHERE month = 202401 LIMIT 5")
    )
    assert 0 < part.bytes < whole.bytes
    assert part.work < whole.work


# the end of jobs


@pytest.mark.parametrize("sql", [LONG, BOUNDED])
def test_a_stop_ends_the_jobs_of_a_statement(bank, spark, asked, sql):
    wait_until(lambda: not spark.running_jobs())
    stop = threading.Event()
    answer = asked(sql, stop=stop)
    wait_until(spark.running_jobs)
    stop.set()
    wait_until(lambda: not spark.running_jobs(), within_s=allowed_s(SOON_S))
    with pytest.raises(QueryStopped):
        answer.result()
    assert run(bank, "SELECT 1", timeout_s=IN_S).rows == ((1,),)


def test_a_stop_between_two_jobs_ends_the_one_that_the_server_was_preparing(bank, spark, asked):
    wait_until(lambda: not spark.running_jobs())
    wide = ", ".join(f"sum(hash(n, r.id, {place})) AS x{place}" for place in range(40))  # takes its time to be prepared
    few = "SELECT id % 9 AS k, count(*) AS n FROM range(0, 1000, 1, 2) GROUP BY 1"
    for tenth in range(8):
        stop, done = threading.Event(), spark.jobs_done()
        sql = f"SELECT {wide}, {tenth} AS x FROM ({few}) CROSS JOIN range(0, 100000000000, 1, 2) AS r LIMIT 5"
        answer = asked(sql.replace("hash(n", f"hash(n + {tenth}"), stop=stop)
        wait_until(lambda done=done: spark.jobs_done() > done)
        time.sleep(tenth / 10)
        stop.set()
        with pytest.raises(QueryStopped):
            answer.result()
        time.sleep(SOON_S)
        wait_until(lambda: not spark.running_jobs(), within_s=allowed_s(SOON_S) - SOON_S + 0.1)


@pytest.mark.parametrize("sql", [LONG, BOUNDED])
def test_a_deadline_ends_the_jobs_of_a_statement(bank, spark, sql):
    with pytest.raises(QueryTimedOut):
        run(bank, sql, timeout_s=3)
    wait_until(lambda: not spark.running_jobs(), within_s=allowed_s(SOON_S))


def test_the_jobs_of_a_worker_that_is_killed_end_too(url, others, spark):
    with open_database(url) as own, ThreadPoolExecutor(1) as pool:
        run(own, "SELECT 1", timeout_s=IN_S)
        [worker] = child_processes() - others
        answer = pool.submit(run, own, BOUNDED, timeout_s=IN_S)
        wait_until(spark.running_jobs)
        os.kill(worker, signal.SIGKILL)
        wait_until(lambda: not spark.running_jobs(), within_s=allowed_s(SOON_S))
        with pytest.raises(QueryFailed):
            answer.result()


def wait_until(what, within_s: float = IN_S) -> None:
    deadline = time.monotonic() + within_s
    while not what():
        assert time.monotonic() < deadline
        time.sleep(0.05)


# a server that is not there


def test_a_server_that_does_not_answer_is_unavailable():
    with pytest.raises(DatabaseUnavailable, match="cannot connect"):
        open_database("spark://analyst@127.0.0.1:9/default", DatabaseLimits(connect_timeout_s=2))


def test_a_password_is_in_no_message_and_in_no_error_before_it():
    with pytest.raises(DatabaseUnavailable) as caught:
        open_database("spark://analyst:hidden-word@127.0.0.1:9/default", DatabaseLimits(connect_timeout_s=2))
    error: BaseException | None = caught.value
    while error is not None:  # the client's own error knows the password
        assert isinstance(error, DatabaseUnavailable)
        error = error.__context__
    assert "hidden-word" not in f"{caught.value} {caught.value.user_message}"


@pytest.mark.slow
def test_a_server_killed_in_the_middle_of_a_statement_is_unavailable_until_it_is_back(tmp_path: Path):
    if missing := what_is_missing():
        pytest.skip(missing)
    own = SparkServer(tmp_path / "spark")
    try:
        with open_database(own.url) as bank, ThreadPoolExecutor(1) as pool:
            answer = pool.submit(run, bank, BOUNDED, timeout_s=IN_S)
            wait_until(own.running_jobs)
            own.kill()
            with pytest.raises(DatabaseUnavailable, match="lost"):
                answer.result()
            with pytest.raises(DatabaseUnavailable, match="cannot connect"):
                run(bank, "SELECT 1", timeout_s=IN_S)
            own.start()
            assert run(bank, "SELECT 1", timeout_s=IN_S).rows == ((1,),)
    finally:
        own.kill()
