"""Partitions that are left unread change no rows: a bank with every kind of partition column, DuckDB as the judge."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import date, datetime, time, timedelta

import duckdb
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ai_engine.semantics.compiler import compile_intent
from ai_engine.semantics.intent import (
    AnyOf,
    Condition,
    Dimension,
    FieldRef,
    Filter,
    Intent,
    Measure,
    Membership,
    Order,
    Period,
)
from ai_engine.semantics.model import SemanticModel
from ai_engine.semantics.partitions import Partition
from ai_engine.semantics.restatement import restate

from .bank import AS_OF, MODEL, comparable, duckdb_bank, ref
from .intents import SHAPES

YEAR = Partition("posted_year", "posted_at", "year", type="integer")
COMPUTED = {
    "transactions": {
        YEAR: "year(posted_at)",
        Partition("posted_month", "posted_at", "month", type="integer"): "strftime(posted_at, '%Y%m')::INT",
        Partition("posted_day", "posted_at", "day", "%Y-%m-%d", "text"): "strftime(posted_at, '%Y-%m-%d')",
        Partition("month", "posted_at", "month_of_year", "%m", "text"): "strftime(posted_at, '%m')",
        Partition("day", "posted_at", "day_of_month", type="decimal"): "day(posted_at)::DECIMAL(4)",
        Partition("posted_month_elsewhere", "posted_at", "month", type="date", zoned=True): (
            "date_trunc('month', posted_at - INTERVAL 14 HOUR)::DATE"
        ),
    },
    "accounts": {Partition("opened", "opened_on", "month", type="date"): "date_trunc('month', opened_on)::DATE"},
    "customers": {
        Partition("joined_year", "joined_on", "year", type="date"): "date_trunc('year', joined_on)::DATE",
        Partition("born_year", "born_on", "year", "%Y", "text"): "strftime(born_on, '%Y')",
    },
    "loans": {Partition("disbursed", "disbursed_on", "day", type="integer"): "strftime(disbursed_on, '%Y%m%d')::INT"},
    "balances": {
        Partition("year", "day", "year", type="integer"): "CASE WHEN date_key > 0 THEN date_key // 10000 END",
    },
}  # fmt: skip


def with_partitions(model: SemanticModel, chosen: dict[str, tuple[Partition, ...]]) -> SemanticModel:
    datasets = tuple(replace(item, partitions=chosen.get(item.name, ())) for item in model.datasets)
    return replace(model, datasets=datasets)


EVERY = with_partitions(MODEL, {name: tuple(columns) for name, columns in COMPUTED.items()})
BY_YEAR = with_partitions(MODEL, {"transactions": (YEAR,)})


@pytest.fixture(scope="module")
def banks() -> Iterator[tuple[duckdb.DuckDBPyConnection, duckdb.DuckDBPyConnection]]:
    """The same rows without and with partition columns."""
    kinds = {"integer": "INT", "text": "VARCHAR", "decimal": "DECIMAL(4)", "date": "DATE"}
    with duckdb_bank() as plain, duckdb_bank() as parted:
        for bank in (plain, parted):
            bank.execute("INSERT INTO transactions VALUES (11, 1, 7, 'UPI', NULL), (12, NULL, 8, NULL, '2024-02-29')")
            bank.execute("INSERT INTO customers VALUES (7, 1, 'Nobody', NULL, NULL, NULL, NULL)")
        for table, columns in COMPUTED.items():
            for partition, expression in columns.items():
                parted.execute(f"ALTER TABLE {table} ADD COLUMN {partition.column} {kinds[partition.type]}")
                parted.execute(f"UPDATE {table} SET {partition.column} = {expression}")
        yield plain, parted


def assert_same_rows(banks: tuple[duckdb.DuckDBPyConnection, duckdb.DuckDBPyConnection], intent: Intent) -> None:
    plain, parted = (
        sorted(map(repr, comparable(bank.execute(compile_intent(intent, model, "duckdb", AS_OF).sql).fetchall())))
        for bank, model in zip(banks, (MODEL, EVERY), strict=True)
    )
    assert plain == parted


@pytest.mark.parametrize("name", SHAPES)
def test_every_shape_has_its_rows_with_every_kind_of_partition(name, banks):
    assert_same_rows(banks, SHAPES[name])


def sql_of(intent: Intent, model: SemanticModel = BY_YEAR) -> str:
    return compile_intent(intent, model, "duckdb", AS_OF).sql


COUNT = Measure(aggregate="count", dataset="transactions")
POSTED = ref("transactions.posted_at")


def posted(operator: str, *values: date) -> Condition:
    return Condition(field=POSTED, operator=operator, values=values)


def during(start: date | None, end: date | None) -> Intent:
    return Intent(measures=(COUNT,), period=Period(start=start, end=end, label="a while", field=POSTED))


@pytest.mark.parametrize(
    ("start", "end", "said"),
    [
        (date(2025, 1, 1), date(2026, 1, 1), "AND posted_year = 2025"),
        (date(2025, 1, 1), date(2026, 1, 2), "AND posted_year BETWEEN 2025 AND 2026"),
        (date(2025, 7, 1), None, "AND posted_year >= 2025"),
        (None, date(2025, 1, 1), "AND posted_year <= 2024"),
    ],
)
def test_a_period_says_in_which_years_its_rows_lie(start, end, said):
    assert sql_of(during(start, end)).endswith(said)


def test_a_period_across_the_year_says_nothing_of_months_that_come_again():
    model = with_partitions(MODEL, {"transactions": (Partition("m", "posted_at", "month_of_year", type="integer"),)})
    assert "m BETWEEN 4 AND 6" in sql_of(during(date(2026, 4, 1), date(2026, 7, 1)), model)
    assert sql_of(during(date(2025, 12, 1), date(2026, 2, 1)), model) == sql_of(
        during(date(2025, 12, 1), date(2026, 2, 1)), MODEL
    )


def test_each_of_two_periods_reads_its_own_partitions():
    either = AnyOf(filters=(posted("=", date(2024, 3, 5)), posted(">=", date(2026, 3, 5))))
    sql = sql_of(Intent(measures=(COUNT,), filters=(either,)))
    assert "posted_year = 2024" in sql and "posted_year >= 2026" in sql


def test_a_moment_whose_day_depends_on_the_zone_may_lie_a_day_beside():
    zoned = replace(YEAR, zoned=True)
    sql = sql_of(during(date(2025, 1, 1), date(2025, 12, 31)), with_partitions(MODEL, {"transactions": (zoned,)}))
    assert "posted_year BETWEEN 2024 AND 2025" in sql


def test_a_negated_condition_and_one_within_a_figure_say_nothing():
    within = COUNT.model_copy(update={"filters": (posted(">=", date(2026, 1, 1)),)})
    for intent in (
        Intent(measures=(COUNT,), filters=(posted("!=", date(2025, 1, 1)),)),
        Intent(measures=(within, COUNT)),
    ):
        assert "posted_year" not in sql_of(intent)


def test_a_column_that_this_database_lacks_is_not_asked():
    absent = with_partitions(MODEL, {"transactions": (replace(YEAR, type=None),)})
    intent = during(date(2025, 1, 1), date(2026, 1, 1))
    assert sql_of(intent, absent) == sql_of(intent, MODEL)


def test_nobody_is_told_of_partitions_as_if_they_had_been_asked_for():
    intent = during(date(2025, 1, 1), date(2026, 1, 1))
    assert restate(intent, BY_YEAR, AS_OF) == restate(intent, MODEL, AS_OF)
    with_it, without = (compile_intent(intent, model, "duckdb", AS_OF) for model in (BY_YEAR, MODEL))
    assert (with_it.assumptions, with_it.columns) == (without.assumptions, without.columns)


DAYS = st.one_of(
    st.sampled_from([date(2025, 12, 31), date(2026, 1, 1), date(2026, 9, 30), date(2026, 10, 1), date(2026, 10, 31)]),
    st.dates(date(2023, 12, 1), date(2027, 1, 31)),
)
MOMENTS = st.builds(lambda day, hour: datetime.combine(day, time(hour)), DAYS, st.integers(0, 23))
DATES = st.sampled_from(
    [("transactions.posted_at", True), ("accounts.opened_on", False), ("customers.joined_on", False)]
)


@st.composite
def conditions(draw: st.DrawFn) -> Condition:
    name, is_moment = draw(DATES)
    operator = draw(st.sampled_from(["=", "!=", "<", "<=", ">", ">=", "in", "not in", "between", "is null"]))
    if operator == "is null":
        return Condition(field=ref(name), operator="is null")
    values = MOMENTS if is_moment and operator in ("<", "<=", ">", ">=") and draw(st.booleans()) else DAYS
    several = {"in": 3, "not in": 2, "between": 2}.get(operator, 1)
    found = draw(st.lists(values, min_size=several, max_size=several))
    return Condition(field=ref(name), operator=operator, values=tuple(sorted(found)))


FILTERS: st.SearchStrategy[Filter] = st.one_of(
    conditions(),
    st.builds(lambda some: AnyOf(filters=tuple(some)), st.lists(conditions(), min_size=1, max_size=3)),
    st.builds(
        lambda one, negated: Membership(dataset=one.field.dataset, filters=(one,), negated=negated),
        conditions().filter(lambda one: one.field.dataset != "customers"),
        st.booleans(),
    ),
)
PERIODS = st.one_of(
    st.none(),
    st.builds(
        lambda one, other, open_at: Period(
            start=None if open_at == "start" else min(one, other),
            end=None if open_at == "end" else max(one, other) + timedelta(days=1),
            label="a while",
        ),
        DAYS,
        DAYS,
        st.sampled_from(["start", "end", ""]),
    ),
)


@given(
    filters=st.lists(FILTERS, max_size=3),
    period=PERIODS,
    grouped=st.booleans(),
    listed=st.booleans(),
    within=st.one_of(st.none(), conditions()),
)
@settings(max_examples=100)
def test_whatever_is_asked_partitions_change_no_rows(banks, filters, period, grouped, listed, within):
    own = COUNT.model_copy(update={"filters": (within,)}) if within is not None else COUNT
    intent = Intent(
        subject="customers",
        measures=() if listed else (own, Measure(aggregate="sum", field=ref("accounts.balance"))),
        dimensions=(Dimension(field=FieldRef(dataset="customers", field="segment")),) if grouped and not listed else (),
        filters=tuple(filters),
        period=period,
        order=(Order(field=ref("customers.customer_id")),) if listed else (),
    )
    assert_same_rows(banks, intent)
