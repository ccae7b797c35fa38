"""What a statement leaves open is decided the same way each time; what leaves nothing open is read by all threads."""

from __future__ import annotations

import dataclasses
import threading

import duckdb
import pytest

from ai_engine.catalogue_from_ddl import catalogue_from_ddl
from ai_engine.guard import Policy, check
from ai_engine.guard.arrival import any_order_will_do
from backend.databases import DatabaseLimits, open_database
from backend.databases.duckdb_engine import DuckdbEngine
from backend.databases.engine import EngineFault, start_of
from backend.databases.runner import WorkerRunner

ROUNDS = 6
TABLES = """
    CREATE TABLE moves (id BIGINT PRIMARY KEY, kind INTEGER, fee DOUBLE, label VARCHAR, day DATE, branch INTEGER,
        amount DECIMAL(18, 2), folded VARCHAR COLLATE NOCASE);
    CREATE TABLE branches (branch INTEGER, region INTEGER);
"""
ROWS = """
    INSERT INTO moves SELECT i, hash(i) % 7, (hash(i * 5) % 1000000) / 997.0, 'n' || hash(i * 7) % 900,
        DATE '2024-01-01' + (hash(i * 11) % 300)::INTEGER, hash(i * 17) % 3000,
        (hash(i * 19) % 100000000) / 100, CASE WHEN hash(i * 23) % 2 = 0 THEN 'a' ELSE 'A' END || hash(i * 7) % 9
        FROM range(500000) AS r(i);
    INSERT INTO branches SELECT i, hash(i) % 5 FROM range(3000) AS r(i);
"""
LEFT_OPEN = {
    "the most frequent of all that are level": "SELECT MODE(id) AS m FROM moves",
    "the first and any": "SELECT kind, FIRST(id) AS a, ANY_VALUE(label) AS b FROM moves GROUP BY kind ORDER BY kind",
    "the one with the largest": "SELECT kind, ARG_MAX(id, day) AS a FROM moves GROUP BY kind ORDER BY kind",
    "one of each": "SELECT DISTINCT ON (kind) kind, id FROM moves",
    "gathered texts": "SELECT kind, MD5(STRING_AGG(label, ',')) AS t FROM moves GROUP BY kind ORDER BY kind",
    "gathered lists": "SELECT kind, LIST(id)[1] AS a FROM moves GROUP BY kind ORDER BY kind",
    "groups that nobody orders": "SELECT label, COUNT(*) AS n FROM moves GROUP BY label LIMIT 9",
    "rows that are level": "SELECT m.id FROM moves m JOIN branches b USING (branch) ORDER BY b.region LIMIT 9",
    "places of rows that are level": "SELECT SUM(x.n) AS s FROM (SELECT id, ROW_NUMBER() OVER (ORDER BY kind) AS n"
    " FROM moves) AS x WHERE x.id < 1000",
    "sums of floating point": "SELECT SUM(fee) AS s, AVG(fee) AS a, STDDEV(fee) AS d FROM moves",
    "about the middle": "SELECT APPROX_QUANTILE(fee, 0.5) AS q FROM moves",
    "a sample": "SELECT id FROM moves USING SAMPLE 5",
    "a part of the rows": "SELECT SUM(id) AS s FROM moves TABLESAMPLE 10 PERCENT (bernoulli)",
    "a part of the blocks": "SELECT SUM(id) AS s FROM moves TABLESAMPLE 10%",
    "the least of a collation": "SELECT MIN(folded) AS f FROM moves",
    "groups of a collation": "SELECT folded, COUNT(*) AS n FROM moves GROUP BY folded ORDER BY folded",
    "the largest groups": "SELECT label, COUNT(*) AS n FROM moves GROUP BY label ORDER BY n DESC LIMIT 20",
    "a total of some rows": "SELECT SUM(x.id) AS s FROM (SELECT id FROM moves WHERE kind = 3 LIMIT 99) AS x",
    "a mean as floating point": "SELECT AVG(amount::DOUBLE) AS a, SUM(amount / 3) AS s FROM moves",
    "a sum of means": "SELECT SUM(x.a) AS s FROM (SELECT branch, AVG(amount) AS a FROM moves GROUP BY branch) AS x",
    "rows sorted by a figure alone": "SELECT kind, id FROM moves ORDER BY kind LIMIT 9",
}
LEFT_TO_NOTHING = {
    "counted": "SELECT COUNT(*) AS n, COUNT(DISTINCT label) AS d FROM moves WHERE label LIKE 'n1%' AND fee > 2.5",
    "totals and means": "SELECT SUM(amount) AS s, AVG(amount) AS a, AVG(kind) AS k, MIN(day) AS d, MAX(label) AS l"
    " FROM moves",
    "groups in order": "SELECT kind, SUM(amount) AS s FROM moves GROUP BY kind ORDER BY s DESC, kind",
    "months": "SELECT DATE_TRUNC('month', day) AS m, COUNT(*) AS n FROM moves WHERE day >= DATE '2024-03-01' GROUP BY 1"
    " ORDER BY 1",
    "joined": "SELECT b.region, SUM(m.amount * 0.05) AS s FROM moves m JOIN branches b USING (branch) GROUP BY b.region"
    " HAVING COUNT(*) > 3 ORDER BY b.region LIMIT 3",
    "added up before they are joined": "WITH t AS (SELECT branch, SUM(amount) AS s FROM moves GROUP BY branch) SELECT"
    " b.region, SUM(COALESCE(t.s, 0)) AS s FROM branches b LEFT JOIN t ON t.branch = b.branch GROUP BY 1 ORDER BY 1",
    "a share": "SELECT SUM(CASE WHEN kind = 1 THEN amount ELSE 0 END) / SUM(amount) AS s FROM moves",
    "rows by their key": "SELECT id, fee, label FROM moves WHERE branch IN (SELECT branch FROM branches WHERE region"
    " = 1) ORDER BY amount DESC, id LIMIT 9",
    "each once": "SELECT DISTINCT kind, day FROM moves ORDER BY day, kind",
    "since a day of this year": "SELECT COUNT(*) AS n FROM moves WHERE day > CURRENT_DATE - INTERVAL 90 YEAR",
}
THREADS = "SELECT current_setting('threads') AS n"


def answers_of(database, ran):
    return {database.runner.run(ran, max_rows=100, timeout_s=60.0, stop=threading.Event()).rows for _ in range(ROUNDS)}


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    file = tmp_path_factory.mktemp("large") / "moves.duckdb"
    with duckdb.connect(str(file)) as connection:
        connection.execute(TABLES + ROWS)
    return file


@pytest.fixture(scope="module")
def database(file):
    with open_database(str(file), DatabaseLimits(workers=1)) as opened:
        yield opened


@pytest.fixture(scope="module")
def alone(file):
    with open_database(str(file), DatabaseLimits(workers=1, threads=1)) as opened:
        yield opened


@pytest.mark.parametrize("sql", LEFT_OPEN.values(), ids=LEFT_OPEN.keys())
def test_the_same_question_gives_the_same_rows_each_time(database, sql):
    ran = check(sql, database.catalogue, Policy(allow_union=True)).run_sql
    assert not any_order_will_do(ran, database.catalogue)
    assert len(answers_of(database, ran)) == 1


@pytest.mark.parametrize("sql", LEFT_TO_NOTHING.values(), ids=LEFT_TO_NOTHING.keys())
def test_what_leaves_nothing_open_has_all_threads_and_gives_the_rows_of_one(database, alone, sql):
    ran = check(sql, database.catalogue, Policy()).run_sql
    assert any_order_will_do(ran, database.catalogue)
    assert answers_of(database, ran) == answers_of(alone, ran)
    assert len(answers_of(database, ran)) == 1


def test_a_view_of_the_bank_is_read_by_one_thread():
    catalogue = catalogue_from_ddl(TABLES + "CREATE VIEW some AS SELECT id FROM moves LIMIT 9;", "duckdb")
    ran = check("SELECT SUM(id) AS s FROM some", catalogue, Policy()).run_sql
    assert not any_order_will_do(ran, catalogue)


def test_each_statement_has_the_threads_that_it_may_have(file):
    workers = WorkerRunner(lambda hidden: start_at(file), lambda: None, workers=1, queue_size=1)
    had = [
        workers.run(THREADS, max_rows=1, timeout_s=60.0, stop=threading.Event(), in_any_order=shared).rows
        for shared in (False, True, True, False, True)
    ]
    workers.close()
    assert had == [((count,),) for count in (1, 2, 2, 1, 2)]


def start_at(file):
    return start_of("duckdb", {"path": str(file)}, DatabaseLimits(), dialect="duckdb")


@pytest.mark.parametrize("sql", ["SET threads = 7", "PRAGMA threads = 7", "RESET threads", "SELECT 1; SET threads = 7"])
def test_no_statement_sets_its_own_threads(file, sql):
    engine = DuckdbEngine(dataclasses.replace(start_at(file), temp_folder=str(file.parent / "spill")))
    with pytest.raises(EngineFault, match="only one SELECT"):
        engine.execute(sql, 1.0)
    engine.execute(THREADS, 1.0)
    assert engine.fetch(1) == [(2,)]


@pytest.mark.parametrize(
    "sql",
    [
        "SET memory_limit = '100GB'",
        "SET enable_external_access = true",
        "SET allowed_configs = ['memory_limit']",
        "RESET allowed_configs",
        "SET lock_configuration = false",
        "SET external_threads = 2",
        "SET temp_directory = '/tmp'",
    ],
)
def test_nothing_but_the_threads_can_be_set_once_a_file_is_open(file, sql):
    engine = DuckdbEngine(dataclasses.replace(start_at(file), temp_folder=str(file.parent / "spill")))
    with pytest.raises(duckdb.InvalidInputException, match="locked"):
        engine._connection.execute(sql)
