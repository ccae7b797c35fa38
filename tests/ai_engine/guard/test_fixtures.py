"""Every case of the text fixtures, and what the accepted ones do on the databases they are written for."""

from __future__ import annotations

from collections import Counter

import pytest

from ai_engine.errors import SqlRejected
from ai_engine.guard import check
from ai_engine.guard.parsing import tokens_of
from tests.ai_engine.guard.bank import POLICY, Case, cases, catalogue, duckdb_bank, rows_of, sqlite_bank

ACCEPTED = [*cases("accepted"), *cases("analyst")]
REJECTED = cases("rejected")


def _name(case: Case) -> str:
    return f"{case.dialect}: {case.reason}"


@pytest.mark.parametrize("case", ACCEPTED, ids=_name)
def test_an_honest_statement_passes(case):
    checked = check(case.sql, catalogue(case.dialect), POLICY)
    assert "LIMIT" in checked.sql and "\n" in checked.sql
    shown, runs = (tokens_of(text, case.dialect) for text in (checked.sql, checked.run_sql))
    assert sum(one.text != other.text for one, other in zip(shown, runs, strict=True)) <= 1


@pytest.mark.parametrize("case", REJECTED, ids=_name)
def test_a_hostile_statement_is_refused(case):
    with pytest.raises(SqlRejected) as refusal:
        check(case.sql, catalogue(case.dialect), POLICY)
    assert "cannot be judged" not in str(refusal.value)


@pytest.mark.parametrize("dialect", ["duckdb", "sqlite"])
def test_what_runs_gives_the_rows_of_what_was_written(dialect):
    bank = {"duckdb": duckdb_bank, "sqlite": sqlite_bank}[dialect]()
    newer_engine_only = {"string_agg and concat of newer versions"}
    for case in ACCEPTED:
        if case.dialect != dialect or case.reason in newer_engine_only:
            continue
        ran = rows_of(bank, check(case.sql, catalogue(dialect), POLICY).run_sql)
        if "*" not in case.sql.split("FROM")[0]:
            written = rows_of(bank, case.sql)
            assert ran == written or Counter(map(repr, ran)) == Counter(map(repr, written)), case.sql
    bank.close()


@pytest.mark.parametrize("dialect", ["duckdb", "sqlite"])
def test_the_canonical_text_is_accepted_again_unchanged(dialect):
    for case in ACCEPTED:
        if case.dialect == dialect:
            once = check(case.sql, catalogue(dialect), POLICY).sql
            assert check(once, catalogue(dialect), POLICY).sql == once
