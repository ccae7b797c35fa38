"""Every case of the text fixtures, and what the accepted ones do on the databases they are written for."""

from __future__ import annotations

import re

import pytest

from ai_engine.errors import SqlRejected
from ai_engine.guard import check
from tests.ai_engine.guard.bank import POLICY, Case, cases, catalogue, duckdb_bank, require_same_result, sqlite_bank

ACCEPTED = [*cases("accepted"), *cases("analyst")]
REJECTED = cases("rejected")


def _name(case: Case) -> str:
    return f"{case.dialect}: {case.reason}"


@pytest.mark.parametrize("case", ACCEPTED, ids=_name)
def test_an_honest_statement_passes(case):
    checked = check(case.sql, catalogue(case.dialect), POLICY)
    assert "LIMIT" in checked.sql and "\n" in checked.sql


@pytest.mark.parametrize("case", REJECTED, ids=_name)
def test_a_hostile_statement_is_refused(case):
    with pytest.raises(SqlRejected) as refusal:
        check(case.sql, catalogue(case.dialect), POLICY)
    assert "cannot be judged" not in str(refusal.value)


@pytest.mark.parametrize("dialect", ["duckdb", "sqlite"])
def test_what_runs_gives_the_rows_and_names_of_what_is_shown_and_of_what_was_written(dialect):
    bank = {"duckdb": duckdb_bank, "sqlite": sqlite_bank}[dialect]()
    newer_engine_only = {"string_agg and concat of newer versions"}
    for case in ACCEPTED:
        if case.dialect == dialect and case.reason not in newer_engine_only:
            require_same_result(bank, case, check(case.sql, catalogue(dialect), POLICY))
    bank.close()


@pytest.mark.parametrize("dialect", ["duckdb", "sqlite"])
def test_the_canonical_text_is_accepted_again_unchanged(dialect):
    for case in ACCEPTED:
        if case.dialect == dialect:
            once = check(case.sql, catalogue(dialect), POLICY).sql
            assert check(once, catalogue(dialect), POLICY).sql == once


def test_no_text_that_runs_on_sqlite_joins_by_using_or_natural():
    written = [case.sql for case in ACCEPTED if case.dialect == "sqlite"]
    assert any(map(_compares_unnamed, written))
    assert not any(_compares_unnamed(check(sql, catalogue("sqlite"), POLICY).run_sql) for sql in written)


def _compares_unnamed(sql: str) -> bool:
    outside_of_quotes = re.sub(r"""'[^']*'|"[^"]*\"""", "", sql)
    return re.search(r"\b(?:USING|NATURAL)\b", outside_of_quotes, re.IGNORECASE) is not None
