"""A view is trusted with what is hidden only where SQLite means the view, however else its name is written."""

from __future__ import annotations

import contextlib
import sqlite3
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ai_engine.errors import QueryFailed
from backend.databases import DatabaseLimits, open_database
from backend.databases.sqlite_authorizer import SqliteAuthorizer
from tests.backend.databases.test_hidden_columns import HIDDEN, SCHEMA, run

TABLES = {"branches", "accounts", "cities", "balances"}
VIEWS = dict.fromkeys(("cities", "balances"), "")
QUOTES = ("{}", '"{}"', "'{}'", "`{}`", "[{}]")
GAP = st.sampled_from([" ", "\n", "\t", "\r\f", "/* as ( */", "/*'*/", '-- "x\n', " \ufeff", "/**/"])
GAPS = st.lists(GAP, min_size=1, max_size=3).map("".join)
LOOSE_GAPS = st.one_of(st.just(""), GAPS)
COLUMNS = ("", "(a)", "( [a] )", "('a')", "(a COLLATE nocase)")
WORDS = ("", "MATERIALIZED", "NOT MATERIALIZED", "not/**/materialized")
READS = (
    "SELECT balance FROM accounts",
    "SELECT balance AS x FROM main.accounts",
    "SELECT max(balance) FROM accounts WHERE 'v AS (' <> ''",
    "SELECT x.balance FROM (SELECT balance FROM accounts) AS x",
    "VALUES (1) UNION ALL SELECT balance FROM accounts",
)
AROUND = (
    "{} SELECT * FROM {}",
    "{} SELECT *, (SELECT count(*) FROM main.cities) FROM {}",
    "SELECT * FROM ({} SELECT * FROM {})",
    "SELECT account_id, ({} SELECT max(1) FROM {} WHERE a > 5) FROM accounts",
    "SELECT account_id FROM accounts WHERE 1 IN ({} SELECT 1 FROM {})",
)


@pytest.fixture(scope="module")
def bank():
    with contextlib.closing(sqlite3.connect(":memory:")) as connection:
        connection.executescript(SCHEMA)
        authorizer = SqliteAuthorizer(TABLES, VIEWS, HIDDEN)
        connection.set_authorizer(authorizer)
        yield connection, authorizer


def mixed(name):
    return st.lists(st.booleans(), min_size=len(name), max_size=len(name)).map(
        lambda capitals: "".join(letter.upper() if big else letter for letter, big in zip(name, capitals, strict=True))
    )


@st.composite
def statements(draw):
    name = draw(st.sampled_from(sorted(VIEWS)))
    defined, named = (draw(st.sampled_from(QUOTES)).format(draw(mixed(name))) for _ in range(2))
    gap, loose = (lambda: draw(GAPS)), (lambda: draw(LOOSE_GAPS))
    first = f"other AS (SELECT 1),{loose()}" if draw(st.booleans()) else ""
    columns = draw(st.sampled_from(COLUMNS))
    start = f"{draw(st.sampled_from(['WITH', 'with', 'WITH RECURSIVE']))}{gap()}{first}{defined}"
    middle = f"{gap()}{columns}{gap()}AS{gap()}{draw(st.sampled_from(WORDS))}{loose()}("
    return draw(st.sampled_from(AROUND)).format(f"{start}{middle}{draw(st.sampled_from(READS))})", named)


def test_no_common_table_expression_reads_what_is_hidden_in_the_name_of_a_view(bank):
    connection, authorizer = bank
    seen = Counter()

    @settings(max_examples=600, deadline=None)
    @given(statements())
    def refused(sql):
        authorizer.expect(sql)
        try:
            rows = connection.execute(sql).fetchall()
        except sqlite3.Error as error:
            seen["prohibited" in str(error) or "not authorized" in str(error)] += 1
        else:
            pytest.fail(f"{sql!r} gave {rows}")

    refused()
    assert seen[True] > seen[False], "most of them are valid but for the right to read"


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT city FROM cities",
        "SELECT city AS x FROM cities AS y",
        "WITH y AS (SELECT * FROM cities) SELECT city FROM y",
        "SELECT b.balance FROM balances AS b, cities /* cities AS ( */ WHERE city <> 'cities AS ('",
        "WITH cities AS (SELECT 1 AS one) SELECT balance FROM balances, cities",
    ],
)
def test_a_view_shows_what_it_was_made_to_show_beside_other_names(bank, sql):
    connection, authorizer = bank
    authorizer.expect(sql)
    assert connection.execute(sql).fetchall() != []


@pytest.mark.parametrize("hidden", [HIDDEN, frozenset()])
@pytest.mark.parametrize(
    "sql",
    [
        "WITH c (balance) AS (VALUES ('x')) SELECT balance FROM c FULL JOIN accounts USING (balance)",
        "WITH c (balance) AS (VALUES ('x')) SELECT upper(balance) FROM c FULL JOIN accounts using(balance)",
        "WITH c (balance) AS (VALUES ('x')) SELECT count(*) FROM c JOIN accounts/**/USING/**/(balance)",
        "SELECT balance FROM (SELECT 'x' AS balance) NATURAL FULL JOIN accounts",
        "SELECT balance FROM (SELECT 'x' AS balance)\ufeffNatural-- (\nFULL JOIN accounts",
        "WITH c (city) AS (VALUES ('x')) SELECT city FROM c FULL JOIN branches USING (city)",
        "WITH c (city) AS (VALUES ('Pune')) SELECT c.city FROM c JOIN branches USING (city)",
        "WITH c (name) AS (VALUES ('x')) SELECT name FROM c FULL JOIN sqlite_master USING (name)",
        "SELECT (SELECT max(n) FROM (SELECT name AS n FROM (SELECT 1 AS name) NATURAL LEFT JOIN sqlite_master))",
    ],
)
def test_a_statement_joins_by_no_columns_of_which_sqlite_does_not_ask(sql, hidden):
    with contextlib.closing(sqlite3.connect(":memory:")) as connection:
        connection.executescript(SCHEMA)
        assert connection.execute(sql).fetchall() != []
        authorizer = SqliteAuthorizer(TABLES, VIEWS, hidden)
        connection.set_authorizer(authorizer)
        authorizer.expect(sql)
        with pytest.raises(sqlite3.Error, match=r"prohibited|not authorized"):
            connection.execute(sql)


def test_a_view_may_join_by_using_and_a_name_in_quotes_may_be_called_so(tmp_path):
    path = tmp_path / "bank.sqlite"
    own = """CREATE VIEW kept AS SELECT city FROM accounts JOIN branches USING (branch_id) NATURAL JOIN cities;
        CREATE TABLE odd ("using" TEXT, [natural] TEXT); INSERT INTO odd VALUES ('a', 'b')"""
    with contextlib.closing(sqlite3.connect(path)) as writer:
        writer.executescript(f"{SCHEMA};{own}")
    with open_database(str(path), DatabaseLimits(workers=1)) as bank:
        assert run(bank.without(HIDDEN), "SELECT city FROM kept") == (("Pune",),)
        assert run(bank.without(HIDDEN), """SELECT "using", [natural], 'using' FROM odd""") == (("a", "b", "using"),)


def test_a_view_may_read_what_is_hidden_through_names_of_its_own(tmp_path):
    path = tmp_path / "bank.sqlite"
    own = "CREATE VIEW capitals AS WITH big (name) AS (SELECT city FROM branches) SELECT upper(name) AS name FROM big"
    with contextlib.closing(sqlite3.connect(path)) as writer:
        writer.executescript(f"{SCHEMA};{own}")
    with open_database(str(path), DatabaseLimits(workers=1)) as bank:
        hidden = bank.without(HIDDEN)
        assert run(hidden, "SELECT name FROM capitals") == (("PUNE",),)
        with pytest.raises(QueryFailed):
            run(hidden, "WITH big AS (SELECT city FROM branches) SELECT city FROM big, capitals")


def test_names_in_capitals_of_any_alphabet_can_be_read(tmp_path):
    path = tmp_path / "bank.sqlite"
    with contextlib.closing(sqlite3.connect(path)) as writer:
        writer.executescript(
            "CREATE TABLE ÄRZTE (id); INSERT INTO ÄRZTE VALUES (7); CREATE VIEW ÖFFEN AS SELECT id FROM ÄRZTE"
        )
    with open_database(str(path), DatabaseLimits(workers=1)) as bank:
        assert run(bank.runner, "SELECT id FROM ÄRZTE") == ((7,),)
        assert run(bank.without(frozenset({("ärzte", "")})), "SELECT id FROM ÖFFEN") == ((7,),)
