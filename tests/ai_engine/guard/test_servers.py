"""Accepted statements on real PostgreSQL and MariaDB servers, where they answer on loopback."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from itertools import product
from typing import Any

import psycopg
import pymysql
import pytest
from sqlglot import exp

from ai_engine.catalogue import Dialect
from ai_engine.errors import SqlRejected
from ai_engine.guard import check
from ai_engine.guard.allowed_functions import ALLOWED_FUNCTIONS
from backend.databases.mysql_engine import SQL_MODE
from tests.ai_engine.guard.bank import POLICY, cases, catalogue, require_same_result, rows_of, setup_statements
from tests.ai_engine.guard.test_sizes import FIRST, VALUES
from tests.ai_engine.guard.twins import reachable_twins
from tests.patience import allowed_s

NAME = f"guard_fixtures_{os.getpid()}"
LONGEST_PLAN_S = 5
NO_SUCH_FUNCTION = 1305
WORDS_OF_POSTGRES = set("cast coalesce exists greatest grouping least localtime localtimestamp nullif trim".split())
"""Which it takes for no function of anybody."""
OF_POSTGRES = "SELECT proname FROM pg_proc WHERE pronamespace = 'pg_catalog'::regnamespace"
CALLS = (
    *("{}()", "{}(opened_on)", "{}(opened_on, 1)", "{}(opened_on, opened_on)", "{}(city, 'a', 1)", "{}('month', city)"),
    *("{}(0.5) WITHIN GROUP (ORDER BY 1)", "{}(1, 2, 3, 4, 5, 6)", "{}(DISTINCT city)", "{}(MONTH, 1, opened_on)"),
    "{}(opened_on, opened_on, DAY)",
)
KNOWN_TO_THE_PARSER = {name.lower() for name in exp.FUNCTION_BY_NAME}
WRITTEN_FOR_OTHER_SERVERS = {"table names in mixed case"}


@contextmanager
def postgres() -> Iterator[Any]:
    with psycopg.connect("host=127.0.0.1 user=postgres", autocommit=True, connect_timeout=2) as admin:
        admin.execute(f"CREATE DATABASE {NAME}")
        try:
            with psycopg.connect(
                f"host=127.0.0.1 user=postgres dbname={NAME}", autocommit=True, options="-c jit=off"
            ) as bank:
                for statement in setup_statements():
                    bank.execute(statement)
                yield bank
        finally:
            admin.execute(f"DROP DATABASE {NAME} WITH (FORCE)")


@contextmanager
def mysql(name: str = NAME) -> Iterator[Any]:
    bank = pymysql.connect(host="127.0.0.1", user="root", autocommit=True, connect_timeout=2)
    cursor = bank.cursor()
    cursor.execute(f"CREATE DATABASE {name} CHARACTER SET utf8mb4")
    try:
        cursor.execute(f"USE {name}")
        for statement in setup_statements():
            cursor.execute(statement)
        yield bank
    finally:
        cursor.execute(f"DROP DATABASE {name}")
        bank.close()


@pytest.fixture(params=["postgres", "mysql"], scope="module")
def served(request) -> Iterator[tuple[Dialect, Any]]:
    """A server's dialect, and a connection to the bank in it."""
    context = {"postgres": postgres, "mysql": mysql}[request.param]()
    try:
        bank = context.__enter__()
    except (psycopg.OperationalError, pymysql.err.OperationalError) as error:
        if os.environ.get("CI"):
            raise
        pytest.skip(f"no {request.param} server answers on loopback: {error}")
    yield request.param, bank
    context.__exit__(None, None, None)


@pytest.mark.server
def test_accepted_statements_run_and_give_the_rows_of_what_was_written(served):
    dialect, bank = served
    for case in [*cases("accepted"), *cases("analyst")]:
        if case.dialect != dialect:
            continue
        checked = check(case.sql, catalogue(dialect), POLICY)
        if case.reason in WRITTEN_FOR_OTHER_SERVERS:
            rows_of(bank, checked.run_sql)
        else:
            require_same_result(bank, case, checked)


@pytest.mark.server
def test_accepted_statements_run_in_the_mode_in_which_mysql_is_asked():
    with mysql(f"{NAME}_strict") as bank:  # beside that of the other tests, whose session keeps its mode
        bank.cursor().execute(f"SET SESSION sql_mode = '{SQL_MODE}'")
        refused = {}
        for case in [*cases("accepted"), *cases("analyst")]:
            if case.dialect == "mysql" and case.reason not in WRITTEN_FOR_OTHER_SERVERS:
                try:
                    rows_of(bank, check(case.sql, catalogue("mysql"), POLICY).run_sql)
                except pymysql.err.MySQLError as error:
                    refused[case.sql] = error
    assert refused == {}


@pytest.mark.server
def test_no_function_is_called_that_only_the_bank_could_have(served):
    dialect, bank = served
    called = set()
    for name, call in product({*ALLOWED_FUNCTIONS[dialect], *KNOWN_TO_THE_PARSER}, CALLS):
        with suppress(SqlRejected):
            ran = check(f"SELECT {call.format(name)} AS n FROM branches", catalogue(dialect), POLICY).run_sql
            called |= set(re.findall(r"(\w+)\(", re.sub(r"""'[^']*'|`[^`]*`|"[^"]*\"""", "", ran).lower()))
    assert len(called) > 80
    if dialect == "postgres":
        names = {name for (name,) in rows_of(bank, OF_POSTGRES)}
        assert called - names - WORDS_OF_POSTGRES == set()
    for name in called if dialect == "mysql" else ():
        try:
            rows_of(bank, f"SELECT {name}(nosuch)")
        except pymysql.MySQLError as error:
            assert error.args[0] != NO_SUCH_FUNCTION, name


@pytest.mark.server
def test_an_aggregate_that_only_newer_servers_have_calls_none_of_the_banks_own():
    with reachable_twins("postgres") as pair:
        for part in (
            "CREATE FUNCTION last_seen(TEXT, TEXT) RETURNS TEXT LANGUAGE sql AS"
            " $$ SELECT string_agg(secret, ',') FROM vault $$",
            "CREATE AGGREGATE any_value(TEXT) (SFUNC = last_seen, STYPE = TEXT)",
        ):
            pair.first.execute(part)
        ran = check("SELECT ANY_VALUE(city) AS c FROM people", pair.first.catalogue(), POLICY).run_sql
        assert pair.first.answer(ran) == pair.first.answer("SELECT MIN(city) AS c FROM people")


@pytest.mark.server
def test_what_an_older_server_has_no_function_for_is_not_called():
    with reachable_twins("postgres") as pair:
        bank = pair.first.catalogue()
        own = {bytes(name).decode() for (name,) in pair.first.answer(OF_POSTGRES)[2]}
        assert "upper" in own
        assert own.isdisjoint(bank.doubtful_functions)
        sql = "SELECT {}(city, 'a') AS n FROM people"
        for name in ("regexp_count", "regexp_substr"):
            older = replace(bank, doubtful_functions=(*bank.doubtful_functions, name))
            with pytest.raises(SqlRejected, match=f"function {name}"):
                check(sql.format(name), older, POLICY)
            assert check(f"SELECT LENGTH(city) AS {name} FROM people", older, POLICY)


@pytest.mark.server
def test_what_a_bank_has_a_function_of_its_own_for_is_not_called_on_mysql_which_has_not_all_that_mariadb_has():
    sql = "SELECT CHR(65) AS n FROM people"
    with reachable_twins("mysql") as pair:
        assert check(sql, pair.first.catalogue(), POLICY)
        pair.first.execute("CREATE FUNCTION CHR (n INT) RETURNS TEXT RETURN (SELECT MAX(secret) FROM vault)")
        with pytest.raises(SqlRejected, match="function chr may be one of the bank's own"):
            check(sql, pair.first.catalogue(), POLICY)


@pytest.mark.server
def test_parts_of_dates_are_taken_also_where_a_server_has_no_function_of_the_name_of_their_word():
    sql = [
        f"SELECT {part} AS n FROM people" for part in ("EXTRACT(YEAR FROM {})", "DATE_PART('month', {})", "YEAR({})")
    ]
    day, text = "DATE '2025-02-03'", "city"
    with reachable_twins("postgres") as pair:
        bank = pair.first
        ran = {
            column: [check(one.format(column), bank.catalogue(), POLICY).run_sql for one in sql]
            for column in (day, text)
        }
        own = 'CREATE FUNCTION "extract"(TEXT, TEXT) RETURNS TEXT LANGUAGE sql AS $$ SELECT secret FROM vault $$'
        before = [bank.answer(one) for one in ran[text]]
        bank.execute(own)
        assert [bank.answer(one) for one in ran[text]] == before  # none of the bank's own is called by the word
        bank.execute(
            "DO $$ DECLARE f regprocedure; BEGIN FOR f IN SELECT oid FROM pg_proc WHERE proname = 'extract'"
            " AND pronamespace = 'pg_catalog'::regnamespace LOOP"
            " EXECUTE format('ALTER FUNCTION %s RENAME TO of_a_newer_server', f); END LOOP; END $$"
        )
        older = bank.catalogue()
        assert [check(one.format(day), older, POLICY).run_sql for one in sql] == ran[day]


@pytest.mark.server
@pytest.mark.parametrize("kind", ["BOOLEAN", "JSON", "JSONB", "XML", "UUID", "BYTEA", "BIT(3)", "MACADDR", "POINT"])
def test_any_value_of_what_postgres_has_no_least_of_fails(kind):
    with reachable_twins("postgres") as pair:
        pair.first.execute(f"CREATE TABLE people_of (thing {kind})")
        ran = check("SELECT ANY_VALUE(thing) AS t FROM people_of", pair.first.catalogue(), POLICY).run_sql
        assert pair.first.answer(ran) == pair.first.answer("SELECT MIN(thing) AS t FROM people_of")
        assert kind == "BYTEA" or pair.first.answer(ran) == ("error", b"42883", None)  # which newer servers have one of


@pytest.mark.server
@pytest.mark.parametrize("value", [value for value, times in VALUES if times > 1 and "OVER" not in value])
def test_the_largest_statement_that_is_accepted_is_planned_in_a_moment(served, value):
    dialect, bank = served
    sql, largest = FIRST, ""
    with pytest.raises(SqlRejected):
        for level in range(28):
            sql = f"SELECT {value} AS a FROM ({sql}) AS t{level}"
            largest = check(sql, catalogue(dialect), POLICY).run_sql
    begun = time.monotonic()
    rows_of(bank, largest)
    assert time.monotonic() - begun < allowed_s(LONGEST_PLAN_S)


@pytest.mark.server
@pytest.mark.parametrize("dialect", ["postgres", "mysql"])
def test_tables_whose_names_differ_in_case_alone_are_two(dialect):
    quote = {"postgres": '"', "mysql": "`"}[dialect]
    with reachable_twins(dialect) as pair:
        pair.first.execute(f"CREATE TABLE {quote}Cards{quote} (card_id VARCHAR(9), kind VARCHAR(9))")
        pair.first.execute(f"INSERT INTO {quote}Cards{quote} VALUES ('1', 'other')")
        bank = pair.first.catalogue()
        for name in ("cards", f"{quote}cards{quote}", f"{quote}Cards{quote}"):
            sql = f"SELECT kind FROM {name} WHERE card_id = '1'"
            assert pair.first.answer(check(sql, bank, POLICY).run_sql) == pair.first.answer(sql), sql
        with pytest.raises(SqlRejected, match="does not exist"):
            check(f"SELECT kind FROM {quote}CARDS{quote}", bank, POLICY)


@pytest.mark.server
def test_columns_whose_names_differ_in_case_alone_are_two_to_postgresql():
    with reachable_twins("postgres") as pair:
        pair.first.execute('CREATE TABLE named (id INTEGER, "Name" TEXT, name TEXT)')
        pair.first.execute("INSERT INTO named VALUES (1, 'a', 'z'), (2, 'b', 'y')")
        bank = pair.first.catalogue()
        for sql in (
            'SELECT "Name", name, Name FROM named ORDER BY name',
            'SELECT named."Name" AS name FROM named ORDER BY name DESC LIMIT 1',
            'SELECT id AS "Name" FROM named ORDER BY name LIMIT 1',
            'SELECT id AS "ID", -id AS id FROM named ORDER BY id LIMIT 1',
            'SELECT DISTINCT ON (name) id AS "NAME" FROM named ORDER BY name',
            'SELECT x."Name", x.name FROM (SELECT * FROM named) AS x',
            "SELECT * FROM named ORDER BY id",
        ):
            assert pair.first.answer(check(sql, bank, POLICY).run_sql) == pair.first.answer(sql), sql
        for sql in ('SELECT "NAME" FROM named', "SELECT a.id FROM named AS a JOIN named AS b USING (name)"):
            with pytest.raises(SqlRejected):
                check(sql, bank, POLICY)


@pytest.mark.server
def test_what_using_makes_of_two_types_is_of_the_type_that_holds_both():
    with reachable_twins("postgres") as pair:
        pair.first.execute("CREATE TABLE whole (id INTEGER, a TEXT)")
        pair.first.execute("CREATE TABLE part (id NUMERIC(9, 2), b TEXT)")
        pair.first.execute("INSERT INTO whole VALUES (1, 'x'), (3, 'y'), (4, 'z')")
        pair.first.execute("INSERT INTO part VALUES (1, 'x'), (3, 'y'), (5, 'w')")
        bank = pair.first.catalogue()
        for side in ("", "LEFT", "RIGHT", "FULL"):
            for joined in (f"whole {side} JOIN part USING (id)", f"part NATURAL {side} JOIN whole"):
                sql = f"SELECT id / 2 AS half, id, a FROM {joined} ORDER BY 1, 2"
                assert pair.first.answer(check(sql, bank, POLICY).run_sql) == pair.first.answer(sql), sql


@pytest.mark.server
def test_frames_of_texts_that_are_accepted_take_mariadb_seconds_or_hear_that_time_is_up():
    short = ("ROWS 30 PRECEDING", "ROWS BETWEEN 15 PRECEDING AND 15 FOLLOWING")
    growing = ("ROWS UNBOUNDED PRECEDING", "", "ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING")
    with reachable_twins("mysql") as pair:
        pair.first.execute("CREATE TABLE many AS SELECT seq AS id, CONCAT('v', seq) AS s FROM seq_1_to_100000")
        bank = pair.first.catalogue()
        for window in (*short, *growing):
            sql = f"SELECT COUNT(m) AS n FROM (SELECT MAX(s) OVER (ORDER BY id {window}) AS m FROM many) AS q"
            ran = check(sql, bank, POLICY).run_sql
            limit_s = LONGEST_PLAN_S if window in short else 1
            begun = time.monotonic()
            status, *_ = pair.first.answer(f"SET STATEMENT max_statement_time = {limit_s} FOR {ran}")
            assert window in growing or status == "rows"
            assert time.monotonic() - begun < allowed_s(LONGEST_PLAN_S)
