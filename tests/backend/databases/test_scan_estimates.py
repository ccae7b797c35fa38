"""What DuckDB is expected to read, held against what there is."""

from __future__ import annotations

import threading

import duckdb
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ai_engine.ports import EstimatesCost
from ai_engine.types import ScanEstimate
from backend.databases import open_database
from backend.databases.engine import own_limit

ROWS = 300_000
HIDDEN = frozenset({("bookings", "purpose")})


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    path = tmp_path_factory.mktemp("estimates") / "bank.duckdb"
    with duckdb.connect(path) as writer:
        writer.execute(f"""
            CREATE TABLE bookings AS SELECT range AS id, (hash(range) % 1000000)::DECIMAL(15,2) AS amount,
                md5(range::VARCHAR) AS purpose, DATE '2020-01-01' + (range % 2000)::INTEGER AS day
            FROM range({ROWS})""")
        writer.execute("CREATE TABLE branches AS SELECT range AS id FROM range(40)")
    return path


@pytest.fixture(scope="module", params=[False, True], ids=["file", "views"])
def expect(request, file):
    with open_database(str(file)) as bank:
        runner = bank.without(HIDDEN) if request.param else bank.runner
        assert isinstance(runner, EstimatesCost)
        yield lambda sql: runner.cost(sql, timeout_s=10, stop=threading.Event())


def test_a_scan_reads_the_whole_table_whatever_is_left_behind_its_filter(expect):
    assert expect("SELECT id FROM bookings WHERE amount > 10").rows == ROWS
    assert expect("SELECT b.id FROM bookings AS b, branches AS c WHERE b.id = c.id AND b.amount > 1").rows == ROWS + 40


def test_what_is_read_twice_counts_twice_and_a_shared_part_once(expect):
    once = "WITH m AS MATERIALIZED (SELECT id, sum(amount) AS s FROM bookings GROUP BY id) SELECT a.s FROM m AS a"
    twice = "SELECT x.amount FROM bookings AS x JOIN bookings AS y ON x.id = y.id + 1"
    assert expect(f"{once} JOIN m AS b ON a.id = b.id").rows == ROWS
    assert expect(twice).rows == 2 * ROWS


def test_fewer_columns_are_fewer_bytes_and_all_of_them_no_more_than_the_file(expect, file):
    one = expect("SELECT id FROM bookings WHERE id > 5").bytes
    filtered = expect("SELECT id FROM bookings WHERE id > 5 AND amount > 1").bytes
    every = expect("SELECT id, amount, day FROM bookings").bytes
    assert 0 < one < filtered < every <= file.stat().st_size


def test_a_limit_ends_a_scan_unless_all_rows_are_needed_before_it(expect):
    assert expect("SELECT id FROM bookings LIMIT 10").rows == 10
    assert expect("SELECT id FROM bookings ORDER BY amount LIMIT 10").rows >= ROWS
    assert expect("SELECT count(amount) FROM bookings WHERE id > 3 LIMIT 10").rows == ROWS


def test_what_the_statistics_answer_reads_nothing(expect):
    assert expect("SELECT count(*) FROM bookings") == ScanEstimate(0, 0, 1)


@pytest.mark.parametrize("source", ["bookings", "secrets", "marked"])
def test_what_is_expected_tells_nothing_of_what_is_withheld(source, tmp_path):
    told = []
    for place, (rows, purpose) in enumerate([(10, "'x'"), (100_000, "md5(range::VARCHAR)")]):
        with duckdb.connect(tmp_path / f"{place}.duckdb") as writer:
            writer.execute(f"CREATE TABLE bookings AS SELECT range AS id, {purpose} AS purpose FROM range(100_000)")
            writer.execute(f"CREATE TABLE vault AS SELECT range AS id FROM range({rows})")
            writer.execute("CREATE VIEW secrets AS SELECT id FROM vault")
            writer.execute("CREATE VIEW marked AS SELECT id FROM bookings WHERE purpose = 'x'")
        with open_database(str(tmp_path / f"{place}.duckdb")) as bank:
            runner = bank.without(HIDDEN | {("vault", "")})
            told.append(runner.cost(f"SELECT id FROM {source} WHERE id > 5", timeout_s=10, stop=threading.Event()))
    assert told[0] == told[1]


@given(st.integers(0, 10**9), st.none() | st.integers(0, 10**9))
def test_a_statements_own_limit_is_read_from_its_end(limit, offset):
    end = f" LIMIT {limit}" + (f" OFFSET {offset}" if offset is not None else "")
    assert own_limit(f"SELECT 1 FROM t{end}") == limit + (offset or 0)
    assert own_limit(f"SELECT 1 FROM (SELECT 1{end}) AS x") is None
