"""Two banks of DuckDB whose ENUM has another label, which no row holds, are told apart by no statement that passes."""

from __future__ import annotations

import contextlib
import re

import duckdb
import pytest

from ai_engine.catalogue_from_ddl import catalogue_from_ddl
from ai_engine.errors import SqlRejected
from ai_engine.guard import Policy, check
from ai_engine.guard.functions import ALLOWED_TYPES

TABLE = "CREATE TABLE cases (id INTEGER, state ENUM('open', 'shut', '{}'), note VARCHAR)"
ROWS = "INSERT INTO cases VALUES (1, 'open', 'a'), (2, 'shut', 'b')"
TRYING = (
    *("TYPEOF(state)", "TYPEOF([state])", "pg_typeof(state)", "stats(state)", "enum_range(state)", "enum_last(state)"),
    *("LAG(state, 1, 'fraud') OVER (ORDER BY id)", "LEAD(state, 1, UPPER('FRAUD')) OVER (ORDER BY id)"),
    *("LAG(state, 1, note) OVER (ORDER BY id)", "LAG(COALESCE(state), 1, 'fraud') OVER (ORDER BY id)"),
    *("state = 'fraud'", "state < 'fraud'", "state IN ('fraud', 'open')", "COALESCE(state, 'fraud')"),
    *("CASE WHEN id = 1 THEN state ELSE 'fraud' END", "NULLIF(state, 'fraud')", "GREATEST(state, 'fraud')"),
    *("[state, 'fraud']", "LIST_CONTAINS([state], 'fraud')", "CAST(state AS INTEGER)", "MAX(state) || 'fraud'"),
    *("state = ANY (SELECT 'fraud')", "state BETWEEN 'fraud' AND 'shut'", "QUANTILE_DISC(state, 0.5)"),
    *("(state, 1) > ('fraud', 1)", "('fraud', note) <= (state, note)", "(state, 1) BETWEEN ('a', 1) AND ('fraud', 1)"),
    *("[state] > ['fraud']", "[MAX(state)] > LIST_VALUE('fraud')", "LIST_SORT([state]) < ANY (SELECT ['fraud'])"),
    *("(state, 1) = ('fraud', 1)", "[state] IN (['fraud'])", "(id, (state, 1)) < (id, ('fraud', 1))"),
)
HONEST = (
    *("LAG(state) OVER (ORDER BY id)", "LAG(state, 1, state) OVER (ORDER BY id)", "LAG(id, 1, 0) OVER (ORDER BY id)"),
    *("LAG(CAST(state AS VARCHAR), 1, 'none') OVER (ORDER BY id)", "LEAD(note, 1, 'none') OVER (ORDER BY id)"),
    *("LEAD(state, 1, NULL) OVER (ORDER BY id)", "COALESCE(LEAD(state) OVER (ORDER BY id), 'none')"),
    *("(CAST(state AS VARCHAR), id) > ('none', 1)", "(note, id) > ('none', 1)", "(state, id) IN (('none', 1))"),
    *("LAG(CAST(COALESCE(state) AS VARCHAR), 1, 'none') OVER (ORDER BY id)", "(state, id) > (state, 1)"),
)


@pytest.mark.parametrize("value", TRYING)
@pytest.mark.parametrize("source", ["cases", "(SELECT id, state, note FROM cases) AS c"])
def test_no_statement_tells_a_label_that_no_row_holds(value, source):
    answers = []
    for label in ("fraud", "legal"):
        with duckdb.connect(":memory:") as bank:
            bank.execute(TABLE.format(label))
            bank.execute(ROWS)
            try:
                known = catalogue_from_ddl(TABLE.format(label), "duckdb")
                checked = check(f"SELECT {value} AS v FROM {source}", known, Policy())
                answers.append(bank.execute(checked.run_sql).fetchall())
            except SqlRejected:
                answers.append("refused")
            except duckdb.Error as error:
                answers.append(type(error))
    assert answers[0] == answers[1]


@pytest.mark.parametrize("value", HONEST)
def test_a_row_before_or_after_is_looked_at_where_there_are_labels(value):
    known = catalogue_from_ddl(TABLE.format("fraud"), "duckdb")
    with duckdb.connect(":memory:") as bank:
        bank.execute(TABLE.format("fraud"))
        assert bank.execute(check(f"SELECT {value} AS v FROM cases", known, Policy()).run_sql).description


def test_a_default_that_is_no_label_is_refused_with_what_to_write_instead():
    known = catalogue_from_ddl(TABLE.format("fraud"), "duckdb")
    with pytest.raises(SqlRejected, match=r"write CAST\(state AS VARCHAR\)"):
        check("SELECT LAG(state, 1, 'none') OVER (ORDER BY id) AS v FROM cases", known, Policy())


@pytest.mark.parametrize("kind", sorted({*ALLOWED_TYPES, "INTEGER", "HUGEINT", "NUMERIC", "REAL", "STRING", "BLOB"}))
def test_no_cast_reaches_a_type_of_the_bank_s_own(kind):
    known = catalogue_from_ddl("CREATE TABLE t (id INTEGER, note VARCHAR)", "duckdb")
    try:
        sql = check(f"SELECT TRY_CAST('fraud' AS {kind}) AS v", known, Policy()).run_sql
    except SqlRejected:
        return
    answers = []
    for label in ("fraud", "legal"):
        with duckdb.connect(":memory:") as bank:
            for word in set(re.findall(r"\w+", sql)):
                with contextlib.suppress(duckdb.CatalogException):
                    bank.execute(f"CREATE TYPE \"{word}\" AS ENUM ('{label}')")
            answers.append(bank.execute(sql).fetchall())
    assert answers[0] == answers[1]
