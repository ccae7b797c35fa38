"""The dialects of the warehouses: text fixtures, judged by what sqlglot reads again of what is printed.

Spark is asked itself in `test_spark.py`. The others cannot be asked here.
"""

from __future__ import annotations

import os

import pytest
from sqlglot import ErrorLevel, exp, parse_one, transpile

from ai_engine.catalogue_from_ddl import catalogue_from_ddl
from ai_engine.errors import SqlRejected
from ai_engine.guard import GUARDED_DIALECTS, Policy, check
from ai_engine.guard.allowed_functions import ALLOWED_FUNCTIONS
from ai_engine.semantics.compiler import compile_intent
from tests.ai_engine.guard.bank import (
    DIALECTS,
    POLICY,
    UNION_POLICY,
    WAREHOUSES,
    cases,
    catalogue,
)
from tests.ai_engine.guard.long_run import Tally, run
from tests.ai_engine.guard.test_names import LEAKS, seed_of_the_day
from tests.ai_engine.guard.twins import POLICY as TWINS_POLICY
from tests.ai_engine.guard.twins import Answer, Bank, Twins, tells_apart, twins, twins_catalogue
from tests.ai_engine.semantics.compiler.bank import AS_OF, MODEL
from tests.ai_engine.semantics.compiler.bank import catalogue as compiled_from
from tests.ai_engine.semantics.compiler.intents import SHAPES

FUZZ_SECONDS = float(os.environ.get("FUZZ_SECONDS", "12"))
FEWEST_ACCEPTED = 0.35
FEWEST_VALID = 0.6
NOT_THERE = {
    "tsql": ("has no USING", "has no NATURAL JOIN", "groups by no places"),
    "oracle": ("groups by no places",),
    "bigquery": ("has no NATURAL JOIN", "two texts stand side by side"),
    "clickhouse": ("has no NATURAL JOIN", "a FULL JOIN by USING"),
    "snowflake": ("near w",),
    "spark": ("two texts stand side by side",),
    "databricks": ("two texts stand side by side",),
}
"""Why a statement that is common to the four engines of the app is refused: the dialect has another way for it."""


@pytest.mark.parametrize("dialect", WAREHOUSES)
def test_honest_statements_pass_and_mean_the_same_when_they_are_read_again(dialect):
    faults = []
    for case in [*cases("accepted", [dialect]), *cases("analyst", [dialect])]:
        try:
            checked = check(case.sql, catalogue(dialect), POLICY)
        except SqlRejected as refusal:
            if not any(reason in str(refusal) for reason in NOT_THERE.get(dialect, ())):
                faults.append(f"{case.reason}: {refusal}")
            continue
        if check(checked.sql, catalogue(dialect), POLICY).sql != checked.sql:
            faults.append(f"{case.reason} is not the same when it is read again: {checked.sql}")
        read = parse_one(checked.run_sql, read=dialect)
        if not all(column.table.startswith("q") for column in read.find_all(exp.Column)):
            faults.append(f"{case.reason} is not qualified: {checked.run_sql}")
    assert faults == []


@pytest.mark.parametrize("dialect", WAREHOUSES)
def test_hostile_statements_are_refused(dialect):
    passed = []
    for case in cases("rejected", [dialect]):
        try:
            passed.append(f"{case.reason}: {check(case.sql, catalogue(dialect), POLICY).run_sql}")
        except SqlRejected as refusal:
            if "cannot be judged" in str(refusal):
                passed.append(f"{case.reason} is not judged")
    assert passed == []


def test_every_dialect_has_honest_and_hostile_statements_of_its_own():
    for dialect in WAREHOUSES:
        for kind, fewest in (("accepted", 20), ("rejected", 30)):
            own = {case.sql for case in cases(kind, [dialect])} - {case.sql for case in cases(kind, ["duckdb"])}
            assert len(own) >= fewest, (dialect, kind)


def test_every_dialect_of_the_catalogue_is_guarded_and_no_other():
    assert set(GUARDED_DIALECTS) == {*DIALECTS, *WAREHOUSES}


@pytest.mark.parametrize("dialect", WAREHOUSES)
def test_whatever_may_be_called_is_printed_as_something_that_may_be_called(dialect):
    called = 0
    for name in sorted(ALLOWED_FUNCTIONS[dialect]):
        for arguments in ("", "city", "opened_on, 1", "city, 'a', 'b'"):
            sql = f"SELECT {name}({arguments}) AS n FROM branches"
            try:
                checked = check(sql, catalogue(dialect), POLICY)
            except SqlRejected as refusal:
                assert "cannot be judged" not in str(refusal), sql
                continue
            called += 1
            assert check(checked.sql, catalogue(dialect), POLICY).sql == checked.sql, sql
    assert called > 100


@pytest.mark.parametrize(("dialect", "table", "column"), [("oracle", "ACCOUNTS", "STATUS"), ("snowflake",) * 3])
def test_names_that_are_kept_in_capitals_are_quoted_so(dialect, table, column):
    checked = check("SELECT status AS s FROM accounts ORDER BY s", catalogue(dialect), POLICY)
    assert '"ACCOUNTS"' in checked.run_sql and '"STATUS" AS "s"' in checked.run_sql
    mixed = catalogue_from_ddl('CREATE TABLE "Daily" ("Day" DATE, amount INT)', dialect)
    assert '"Day"' in check('SELECT "Day", amount FROM "Daily"', mixed, POLICY).run_sql


@pytest.mark.parametrize("dialect", WAREHOUSES)
def test_a_word_without_brackets_is_no_column(dialect):
    bank = catalogue_from_ddl("CREATE TABLE clocks (a INT, `current_date` INT)", "mysql")
    bank = type(bank)(dialect, bank.tables)
    with pytest.raises(SqlRejected, match="has a column current_date"):
        check("SELECT a FROM clocks WHERE a < CURRENT_DATE", bank, UNION_POLICY)


@pytest.mark.parametrize("dialect", WAREHOUSES)
def test_the_rows_are_limited_in_the_dialects_own_way(dialect):
    said = {"tsql": "TOP 101 ", "oracle": "FETCH FIRST 101 ROWS ONLY"}.get(dialect, "LIMIT 101")
    assert said in check("SELECT full_name FROM customers", catalogue(dialect), POLICY).run_sql
    lowered = check("SELECT full_name FROM customers ORDER BY 1 LIMIT 999999", catalogue(dialect), POLICY)
    assert lowered.max_rows == POLICY.max_rows


@pytest.mark.parametrize("dialect", WAREHOUSES)
def test_compiled_statements_pass(dialect):
    refused = {}
    for name, intent in SHAPES.items():
        try:
            check(compile_intent(intent, MODEL, dialect, AS_OF).sql, compiled_from(dialect), Policy())
        except SqlRejected as refusal:
            refused[name] = str(refusal)
    assert refused == {}


STACKED = "WITH a AS (SELECT city FROM branches), b AS (SELECT city FROM branches) SELECT city FROM ({}) AS s"


@pytest.mark.parametrize("dialect", WAREHOUSES)
@pytest.mark.parametrize(
    "union",
    [
        "SELECT city FROM a UNION ALL SELECT city FROM branches",
        "SELECT city FROM a UNION SELECT city FROM b",
        "SELECT city FROM a UNION ALL SELECT city FROM b WHERE city = 'Pune'",
        "SELECT city FROM a UNION ALL SELECT upper(city) FROM b",
        "SELECT city FROM a UNION ALL SELECT b.city FROM b CROSS JOIN a",
        "SELECT city FROM a UNION ALL SELECT city FROM (SELECT city FROM branches) AS t",
    ],
)
def test_only_steps_of_the_statement_are_stacked_without_leave(dialect, union):
    plain = STACKED.replace(" AS s", " s").replace(" AS t", " t") if dialect == "oracle" else STACKED
    check(plain.format("SELECT city FROM a UNION ALL SELECT city FROM b"), catalogue(dialect), POLICY)
    if dialect in ("bigquery", "clickhouse"):
        union = union.replace("UNION SELECT", "UNION DISTINCT SELECT")
    with pytest.raises(SqlRejected, match="UNION is not allowed"):
        check(plain.format(union), catalogue(dialect), POLICY)


@pytest.mark.parametrize("dialect", ["duckdb", "sqlite", "postgres", "mysql"])
def test_the_engines_of_the_app_stack_nothing_without_leave(dialect):
    with pytest.raises(SqlRejected, match="UNION is not allowed"):
        check(STACKED.format("SELECT city FROM a UNION ALL SELECT city FROM b"), catalogue(dialect), POLICY)


def test_a_step_that_is_called_like_a_table_is_none_of_them():
    with pytest.raises(SqlRejected, match="UNION is not allowed"):
        sql = STACKED.replace("a AS", "accounts AS").format("SELECT city FROM accounts UNION ALL SELECT city FROM b")
        check(sql, catalogue("snowflake"), POLICY)


def test_oracle_has_a_table_of_one_row_and_the_others_have_not():
    checked = check("SELECT 1 AS n FROM dual", catalogue("oracle"), POLICY)
    assert '"DUAL"' in checked.run_sql
    hidden = catalogue_from_ddl("CREATE TABLE dual (secret INT)", "oracle")
    with pytest.raises(SqlRejected, match="secret"):
        check("SELECT secret FROM dual", hidden, Policy(hidden_tables=frozenset({"dual"})))
    for dialect in WAREHOUSES:
        if dialect != "oracle":
            with pytest.raises(SqlRejected, match="table dual does not exist"):
                check("SELECT 1 AS n FROM dual", catalogue(dialect), POLICY)


class InPlaceOf:
    """DuckDB, asked in the words of a warehouse, which sqlglot translates: names stay as the guard wrote them."""

    def __init__(self, bank: Bank, dialect: str) -> None:
        self._bank = bank
        self._dialect = dialect

    def execute(self, sql: str) -> None:
        self._bank.execute(sql)

    def catalogue(self):
        return twins_catalogue(self._dialect)

    def answer(self, sql: str) -> Answer:
        try:
            (translated,) = transpile(sql, self._dialect, "duckdb", unsupported_level=ErrorLevel.IGNORE)
        except ValueError:
            return "error", "no translation", None
        return self._bank.answer(translated)


@pytest.fixture(params=WAREHOUSES, ids=str)
def stand_ins(request):
    """The twins of a warehouse, DuckDB in its place."""
    with twins("duckdb") as pair:
        first, second = (InPlaceOf(bank, request.param) for bank in pair[:2])
        yield Twins(first, second, first.catalogue(), {})


def test_no_name_is_read_in_another_way_than_by_the_guard(stand_ins):
    for reason, statements in LEAKS.items():
        for sql in statements:
            try:
                checked = check(sql, stand_ins.catalogue, TWINS_POLICY)
            except SqlRejected:
                continue
            assert not tells_apart(stand_ins, checked.run_sql), f"{reason}: {sql}"


def test_a_random_run_of_colliding_names_tells_no_stand_in_from_its_twin(stand_ins):
    """FUZZ_SECONDS, shared by the dialects: what runs names every column in full, and so tells nothing."""
    tally = Tally(next_seed=seed_of_the_day() * 1_000_000)
    run(stand_ins, tally, FUZZ_SECONDS / len(WAREHOUSES), shown=False)
    assert tally.differences == []
    print(f"{stand_ins.catalogue.dialect}: {tally.written} written, {tally.accepted} accepted, {tally.valid} valid")
    assert tally.accepted > FEWEST_ACCEPTED * tally.written and tally.valid > FEWEST_VALID * tally.accepted
