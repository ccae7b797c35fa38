"""Rows that no foreign key would have let in are planted; the check finds each of them, with the exact difference."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import date
from decimal import Decimal

import duckdb
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ai_engine import guard
from ai_engine.agents.running import run_with_deadline
from ai_engine.built_in import BuiltInModel
from ai_engine.catalogue_from_ddl import catalogue_from_ddl
from ai_engine.errors import QueryStopped, QueryTimedOut
from ai_engine.ports import Services
from ai_engine.semantics.compiler import compile_intent
from ai_engine.semantics.intent import Condition, Dimension, FieldRef, Intent, Measure
from ai_engine.semantics.model import Dataset, Field, Relationship, SemanticModel
from ai_engine.semantics.values import ValueIndex
from ai_engine.semantics.vocabulary import Vocabulary
from ai_engine.tie_out import TieOut, can_be_tied_out, tied_out
from ai_engine.types import Answer, Limits, QueryResult, ScanEstimate

DDL = """
CREATE TABLE branches (branch_id INTEGER PRIMARY KEY, region VARCHAR);
CREATE TABLE accounts (account_id INTEGER PRIMARY KEY, branch_id INTEGER, kind VARCHAR);
CREATE TABLE bookings (booking_id INTEGER PRIMARY KEY, account_id INTEGER, amount DECIMAL(18, 2), booked_on DATE);
"""


def field(name: str, kind: str, role: str, **more: str) -> Field:
    return Field(name, name, kind, role, name.replace("_", " "), **more)  # type: ignore[arg-type]


MODEL = SemanticModel(
    "tiny",
    (
        Dataset("branches", "branches", (field("branch_id", "integer", "identifier"),
                field("region", "text", "category")), "branch", ("branch_id",)),
        Dataset("accounts", "accounts", (field("account_id", "integer", "identifier"),
                field("branch_id", "integer", "identifier"), field("kind", "text", "category")),
                "account", ("account_id",)),
        Dataset("bookings", "bookings", (field("booking_id", "integer", "identifier"),
                field("account_id", "integer", "identifier"),
                field("amount", "decimal", "measure", unit="INR", default_aggregate="sum"),
                field("booked_on", "date", "time")), "booking", ("booking_id",), default_time="booked_on"),
    ),
    (
        Relationship("account_branch", "accounts", ("branch_id",), "branches", ("branch_id",)),
        Relationship("booking_account", "bookings", ("account_id",), "accounts", ("account_id",)),
    ),
    currency="INR",
)  # fmt: skip
VOCABULARY = Vocabulary(catalogue_from_ddl(DDL, "duckdb"), MODEL, ValueIndex(()), date(2026, 11, 21))
REGION = FieldRef(dataset="branches", field="region")
KIND = FieldRef(dataset="accounts", field="kind")
AMOUNT = Measure(aggregate="sum", field=FieldRef(dataset="bookings", field="amount"))
COUNT = Measure(aggregate="count", dataset="bookings")
BY_REGION = Intent(measures=(AMOUNT, COUNT), dimensions=(Dimension(field=REGION),))


class InMemory:
    """Runs statements on a database of this process, and keeps them."""

    def __init__(self, connection: duckdb.DuckDBPyConnection) -> None:
        self.connection = connection
        self.ran: list[str] = []

    def run(self, sql: str, *, max_rows: int, timeout_s: float, stop: threading.Event) -> QueryResult:
        self.ran.append(sql)
        cursor = self.connection.cursor().execute(sql)
        names = tuple(column[0] for column in cursor.description)
        rows = cursor.fetchmany(max_rows + 1)
        return QueryResult(names, ("other",) * len(names), tuple(rows[:max_rows]), len(rows) > max_rows)


class Dear(InMemory):
    """Says that every statement without groups would cost more, and keeps what it was asked."""

    def __init__(self, connection: duckdb.DuckDBPyConnection) -> None:
        super().__init__(connection)
        self.estimated: list[str] = []

    def cost(self, sql: str, *, timeout_s: float, stop: threading.Event) -> ScanEstimate:
        self.estimated.append(sql)
        return ScanEstimate(work=1.0 if "GROUP BY" in sql else 1_000.0)


@dataclass
class Planted:
    """Branches, accounts (with their branch) and bookings (with their account): any key may be wrong."""

    branches: list[int]
    accounts: list[tuple[int, int | None]]
    bookings: list[tuple[int | None, Decimal]]

    def database(self) -> duckdb.DuckDBPyConnection:
        connection = duckdb.connect(":memory:", config={"threads": 1})
        connection.execute(DDL.replace(" PRIMARY KEY", ""))
        for key in self.branches:
            connection.execute("INSERT INTO branches VALUES (?, ?)", [key, "north" if key % 2 else "south"])
        for key, branch in self.accounts:
            connection.execute("INSERT INTO accounts VALUES (?, ?, 'savings')", [key, branch])
        for place, (account, amount) in enumerate(self.bookings):
            connection.execute("INSERT INTO bookings VALUES (?, ?, ?, '2026-05-01')", [place, account, amount])
        return connection


KEYS = st.integers(1, 4)
WRONG = st.one_of(KEYS, st.none(), st.just(99))
PLANTED = st.builds(
    Planted,
    st.lists(KEYS, max_size=6),
    st.lists(st.tuples(KEYS, WRONG), max_size=6),
    st.lists(st.tuples(WRONG, st.decimals(-500, 500, places=2)), max_size=8),
)


def services_on(runner: InMemory, **limits: float) -> Services:
    return Services(BuiltInModel(), VOCABULARY, runner, limits=Limits(**limits))  # type: ignore[arg-type]


def answered(intent: Intent, services: Services) -> Answer:
    draft = compile_intent(intent, MODEL, "duckdb", VOCABULARY.as_of)
    statement = guard.check(draft.sql, VOCABULARY.catalogue, services.policy)
    result = run_with_deadline(services.runner, statement, 5.0, services.stop)
    return Answer(
        "q", "answered", "built-in", sql=statement.sql, result=result, columns=draft.columns, intent=intent,
        trust="compiled",
    )  # fmt: skip


def checked(intent: Intent, planted: Planted) -> TieOut:
    with planted.database() as connection:
        services = services_on(InMemory(connection))
        found = tied_out(answered(intent, services), services)
    assert found is not None
    return found


def truth(planted: Planted) -> dict[str, tuple[int, Decimal]]:
    """Count by hand what the two joins do to each booking."""
    branches, accounts = Counter(planted.branches), planted.accounts
    told: dict[str, tuple[int, Decimal]] = {}

    def note(kind: str, amount: Decimal) -> None:
        rows, so_far = told.get(kind, (0, Decimal(0)))
        told[kind] = rows + 1, so_far + amount

    for account, amount in planted.bookings:
        rows = [branch for key, branch in accounts if key == account]
        if not rows:
            note("no key" if account is None else "no such row", -amount)
        if len(rows) > 1:
            note("several rows", amount * (len(rows) - 1))
        if len(rows) == 1:
            (branch,) = rows
            if branch not in branches:
                note("no key of the account" if branch is None else "no such branch", -amount)
            elif branches[branch] > 1:
                note("several branches", amount * (branches[branch] - 1))
    return told


@settings(max_examples=40)
@given(PLANTED)
def test_every_planted_fault_is_in_the_difference_to_the_last_digit(planted: Planted):
    found = checked(BY_REGION, planted)
    amount, count = found.figures
    bookings = sum((amount for _, amount in planted.bookings), Decimal(0))
    assert (amount.total, count.total) == (bookings, len(planted.bookings))
    assert (found.outcome == "ties out") == (amount.shown == amount.total and count.shown == count.total)
    accounts = Counter(key for key, _ in planted.accounts)
    if all(times == 1 for times in accounts.values()):  # faults of one kind on top of another are told in part
        for figure in found.figures:
            if figure.difference:
                assert sum(cause.amount for cause in figure.causes) == figure.difference
        if count.difference:
            told = truth(planted)
            expected = sorted(rows for rows, _ in told.values())
            assert sorted(cause.rows for cause in count.causes) == expected


def test_each_kind_of_fault_is_named_with_its_rows_and_its_amount():
    planted = Planted(
        branches=[1, 2, 2],
        accounts=[(1, 1), (2, 2), (3, None), (4, 99)],
        bookings=[(key, Decimal(at)) for key, at in ((1, 100), (2, 20), (3, 3), (4, 4), (None, 50), (9, 60))],
    )
    found = checked(Intent(measures=(AMOUNT,), dimensions=(Dimension(field=REGION),)), planted)
    (figure,) = found.figures
    assert (found.outcome, figure.shown, figure.total, figure.difference) == ("differs", 140, 237, -97)
    assert [(cause.kind, cause.rows, cause.amount, cause.said) for cause in figure.causes] == [
        ("no key", 1, -50, "1 booking whose account is not known"),
        ("no such row", 1, -60, "1 booking whose account is not in the table accounts"),
        ("no key", 1, -3, "1 booking whose account's branch is not known"),
        ("no such row", 1, -4, "1 booking whose account's branch is not in the table branches"),
        ("several rows", 1, 20, "1 booking whose account's branch is in the table branches several times"),
    ]
    assert found.said.startswith("Does not tie out. ")
    assert "Rs.140.00, Rs.97.00 less than the total without groups, Rs.237.00" in found.said


def test_rows_that_a_condition_repeats_are_found_too():
    planted = Planted([1], [(1, 1), (1, 1)], [(1, Decimal(10))])
    by_day = Dimension(field=FieldRef(dataset="bookings", field="booked_on", grain="month"))
    savings = Condition(field=KIND, operator="=", values=("savings",))
    found = checked(Intent(measures=(AMOUNT,), dimensions=(by_day,), filters=(savings,)), planted)
    assert [(one.shown, one.total) for one in found.figures] == [(20, 10)]
    assert [cause.said for cause in found.figures[0].causes] == [
        "1 booking whose account is in the table accounts several times"
    ]


def test_a_row_without_a_date_is_missing_where_every_step_of_time_is_shown():
    month = Dimension(field=FieldRef(dataset="bookings", field="booked_on", grain="month"))
    intent = Intent(measures=(COUNT,), dimensions=(month,), fill_gaps=True, period=None)
    planted = Planted([1], [(1, 1)], [(1, Decimal(10)), (1, Decimal(5))])
    with planted.database() as connection:
        connection.execute("UPDATE bookings SET booked_on = NULL WHERE booking_id = 1")
        services = services_on(InMemory(connection))
        found = tied_out(answered(intent, services), services)
    assert found is not None
    if found.outcome == "differs":
        assert [cause.kind for cause in found.figures[0].causes] == ["no date"]


@pytest.fixture
def sound() -> Iterator[duckdb.DuckDBPyConnection]:
    with Planted([1, 2], [(1, 1), (2, 2)], [(1, Decimal(10)), (2, Decimal(5))]).database() as connection:
        yield connection


def test_sound_keys_tie_out_by_a_statement_without_the_joins_of_the_groups(sound: duckdb.DuckDBPyConnection):
    runner = InMemory(sound)
    services = services_on(runner)
    found = tied_out(answered(BY_REGION, services), services)
    assert found is not None
    assert found.outcome == "ties out"
    assert found.said == "Ties out with the total computed without groups: Total amount Rs.15.00, Number of bookings 2."
    assert len(runner.ran) == 2
    assert "JOIN" in runner.ran[0]
    assert "branches" not in runner.ran[1]


@pytest.mark.parametrize(
    "intent",
    [
        Intent(measures=(COUNT,)),
        BY_REGION.model_copy(update={"limit": 1}),
        Intent(measures=(AMOUNT.model_copy(update={"aggregate": "avg"}),), dimensions=(Dimension(field=REGION),)),
        Intent(measures=(AMOUNT.model_copy(update={"transform": "share_of_total"}),), dimensions=BY_REGION.dimensions),
    ],
    ids=["no groups", "a ranking", "an average", "a share"],
)
def test_figures_that_do_not_add_up_are_left_alone(sound: duckdb.DuckDBPyConnection, intent: Intent):
    services = services_on(InMemory(sound))
    answer = answered(intent, services)
    assert not can_be_tied_out(answer, services)
    assert tied_out(answer, services) is None


def test_a_check_that_costs_more_than_the_question_is_left_off_and_says_so(sound: duckdb.DuckDBPyConnection):
    runner = Dear(sound)
    services = services_on(runner)
    found = tied_out(answered(BY_REGION, services), services)
    assert found is not None
    assert (found.outcome, found.figures) == ("not checked", ())
    assert "longer than the question" in found.said
    assert len(runner.ran) == 1


def test_what_the_database_has_said_of_the_question_is_not_asked_again(sound: duckdb.DuckDBPyConnection):
    runner = Dear(sound)
    services = services_on(runner)
    answer = answered(BY_REGION, services)
    assert answer.result is not None
    known = replace(answer, result=replace(answer.result, expected=ScanEstimate(work=10_000.0)))
    found = tied_out(known, services)
    assert found is not None
    assert found.outcome == "ties out"
    assert [sql for sql in runner.estimated if "GROUP BY" in sql] == []


def test_rows_that_were_cut_off_are_not_added_up(sound: duckdb.DuckDBPyConnection):
    services = services_on(InMemory(sound))
    answer = answered(BY_REGION, services)
    assert answer.result is not None
    cut = QueryResult(answer.result.columns, answer.result.types, answer.result.rows[:1], truncated=True)
    found = tied_out(replace(answer, result=cut), services)
    assert found is not None
    assert "only the first 1 rows" in found.said


def test_a_stop_ends_the_check(sound: duckdb.DuckDBPyConnection):
    services = services_on(InMemory(sound))
    answer = answered(BY_REGION, services)
    services.stop.set()
    assert tied_out(answer, services) is None


def test_all_statements_together_have_the_time_of_one_question():
    class Slow(InMemory):
        def run(self, sql: str, *, max_rows: int, timeout_s: float, stop: threading.Event) -> QueryResult:
            if "GROUP BY" in sql:
                return super().run(sql, max_rows=max_rows, timeout_s=timeout_s, stop=stop)
            time.sleep(min(timeout_s, 5))
            raise QueryStopped if stop.is_set() else QueryTimedOut(timeout_s)

    with Planted([1], [(1, 1)], [(1, Decimal(1))]).database() as connection:
        services = services_on(Slow(connection), timeout_s=0.3)
        answer = answered(BY_REGION, services)
        started = time.monotonic()
        found = tied_out(answer, services)
    assert found is not None
    assert found.said == "Not tied out: computing the total took too long."
    assert time.monotonic() - started < 2
