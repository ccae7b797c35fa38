"""What the compiler refuses, assumes and names."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from decimal import Decimal
from typing import Any

import pytest

from ai_engine.catalogue import Catalogue, Column, Dialect, Table
from ai_engine.errors import AmbiguousPath, IntentNotCovered
from ai_engine.guard import check
from ai_engine.guard.policy import Policy
from ai_engine.semantics.compared_periods import like_with_like, moved
from ai_engine.semantics.compiler import compile_intent
from ai_engine.semantics.compiler.bands import band_names
from ai_engine.semantics.compiler.calendar import listed, steps_of
from ai_engine.semantics.compiler.dialects import identifier, literal
from ai_engine.semantics.compiler.leaves import Leaf, taken_out
from ai_engine.semantics.intent import Condition, Dimension, Having, Intent, Measure, Membership, Order, Period
from ai_engine.semantics.model import Dataset, Field, Relationship, SemanticModel

from .bank import AS_OF, MODEL, catalogue, duckdb_bank, ref, sqlite_bank
from .intents import ACCOUNTS, AMOUNT, BALANCE, CLOSING, CUSTOMERS, OCTOBER, OUTSTANDING, SAVINGS, by, changed, where

LATEST_OPENING = Measure(aggregate="max", field=ref("accounts.opened_on"))


def draft(intent: Intent, model: SemanticModel = MODEL) -> str:
    return compile_intent(intent, model, "duckdb", AS_OF).sql


@pytest.mark.parametrize(
    "intent",
    [
        Intent(),
        Intent(measures=(Measure(),)),
        Intent(measures=(Measure(metric="no such metric"),)),
        Intent(measures=(Measure(aggregate="sum", field=ref("accounts.nothing")),)),
        Intent(measures=(Measure(aggregate="sum", field=ref("nowhere.nothing")),)),
        Intent(measures=(BALANCE,), compare="previous_period"),
        Intent(measures=(changed(BALANCE, transform="running_total"),), dimensions=(by("accounts.type"),)),
        Intent(measures=(Measure(metric="deposits"),), period=OCTOBER),
        Intent(measures=(BALANCE,), dimensions=(by("accounts.type"),), order=(Order(field=ref("loans.loan_id")),)),
        Intent(measures=(BALANCE,), dimensions=(by("accounts.type"),), limit_within=(ref("accounts.type"),)),
        Intent(subject="branches", period=OCTOBER),
        Intent(measures=(BALANCE,), over_groups="avg"),
        Intent(dimensions=(by("accounts.type"),), over_groups="count"),
        Intent(measures=(changed(BALANCE, minus=AMOUNT, percent=True),)),
        Intent(measures=(changed(BALANCE, minus=changed(AMOUNT, transform="rank")),)),
        Intent(measures=(changed(LATEST_OPENING, minus=changed(LATEST_OPENING, aggregate="min")),)),
        Intent(subject="accounts", filters=(where("accounts.type", "="),)),
        Intent(measures=(changed(CLOSING, filters=(where("balances.day", ">=", date(2025, 1, 1)),)), CLOSING)),
    ],
)
def test_what_cannot_be_said_is_refused(intent: Intent) -> None:
    with pytest.raises(IntentNotCovered):
        draft(intent)


def test_a_difference_is_divided_as_a_whole() -> None:
    sql = draft(Intent(measures=(changed(ACCOUNTS, minus=CUSTOMERS, denominator=CUSTOMERS, percent=True),)))
    assert "100.0 * (" in sql
    assert " - " in sql.split("100.0 * (")[1].split("NULLIF(")[0]


def test_a_row_is_compared_with_the_average_of_the_rows_that_are_alike() -> None:
    above = Condition(
        field=ref("accounts.balance"),
        operator=">",
        versus=Measure(aggregate="avg", field=ref("accounts.balance")),
        alike=ref("accounts.type"),
    )
    sql = " ".join(draft(Intent(measures=(ACCOUNTS,), filters=(above,))).split())
    assert "AVG(accounts_2.balance)" in sql
    assert sql.count("accounts_2.") == 2


def test_a_figure_of_a_group_is_compared_with_so_many_times_that_of_all_rows() -> None:
    average = Measure(aggregate="avg", field=ref("accounts.balance"))
    above = Having(measure=average, operator=">", versus=average, times=Decimal("1.5"))
    for grouped in (Intent(measures=(average,), dimensions=(by("branches.city"),)), Intent(subject="customers")):
        sql = " ".join(draft(grouped.model_copy(update={"having": (above,)})).split())
        assert "> 1.5 * ( SELECT AVG(" in sql


@pytest.mark.parametrize("transform", ["share_of_total", "running_total", "rolling_sum"])
@pytest.mark.parametrize(
    "figure",
    [
        changed(BALANCE, aggregate="avg"), changed(BALANCE, aggregate="median"), changed(BALANCE, aggregate="max"),
        changed(BALANCE, denominator=ACCOUNTS), changed(BALANCE, denominator=ACCOUNTS, shown_in=Decimal(1_000)),
    ],
)  # fmt: skip
def test_only_counts_and_sums_make_a_whole(figure: Measure, transform: Any) -> None:
    monthly = Intent(measures=(changed(figure, transform=transform),), dimensions=(by("accounts.opened_on", "month"),))
    with pytest.raises(IntentNotCovered, match="counts and sums"):
        draft(monthly)
    added_up = changed(BALANCE, shown_in=Decimal(1_000), transform=transform)
    assert "OVER" in draft(monthly.model_copy(update={"measures": (added_up,)}))


def test_two_ways_of_equal_length_are_refused_with_both() -> None:
    link = Relationship("servicing_branch", "accounts", ("branch_id",), "branches", ("branch_id",), ("servicing",))
    model = replace(MODEL, relationships=(*MODEL.relationships, link))
    with pytest.raises(AmbiguousPath) as caught:
        draft(Intent(measures=(BALANCE,), dimensions=(by("branches.city"),)), model)
    assert set(caught.value.alternatives) == {("account_branch",), ("servicing_branch",)}


def test_the_preferred_way_is_taken_and_said() -> None:
    link = Relationship(
        "servicing", "accounts", ("branch_id",), "branches", ("branch_id",), ("servicing",), preferred=True
    )
    model = replace(MODEL, relationships=(*MODEL.relationships, link))
    intent = Intent(measures=(BALANCE,), dimensions=(by("branches.city"),))
    found = compile_intent(intent, model, "duckdb", AS_OF)
    assert found.assumptions == ("Branch means the account's servicing branch, not the account's branch.",)


@pytest.mark.parametrize(
    ("call", "plain", "condition"),
    [
        ("SUM(CASE WHEN t.a = 1 THEN t.x ELSE 0 END)", "SUM(t.x)", "t.a = 1"),
        ("SUM(CASE WHEN t.a = 1 THEN t.x END)", "SUM(t.x)", "t.a = 1"),
        ("SUM(CASE WHEN t.a = 1 THEN 1 ELSE 0 END)", "COUNT(*)", "t.a = 1"),
        ("COUNT(CASE WHEN t.a = 1 THEN t.x ELSE NULL END)", "COUNT(t.x)", "t.a = 1"),
        ("COUNT(DISTINCT CASE WHEN t.a = 1 THEN 1 END)", "COUNT(DISTINCT 1)", "t.a = 1"),
        ("SUM(t.x) FILTER(WHERE t.a = 1)", "SUM(t.x)", "t.a = 1"),
        ("COUNT(CASE WHEN t.a = 1 THEN 1 ELSE 0 END)", "COUNT(CASE WHEN t.a = 1 THEN 1 ELSE 0 END)", None),
        ("AVG(CASE WHEN t.a = 1 THEN t.x ELSE 0 END)", "AVG(CASE WHEN t.a = 1 THEN t.x ELSE 0 END)", None),
        ("SUM(CASE t.a WHEN 1 THEN t.x ELSE 0 END)", "SUM(CASE t.a WHEN 1 THEN t.x ELSE 0 END)", None),
        ("SUM(t.x)", "SUM(t.x)", None),
    ],
)
def test_the_condition_of_a_metrics_call_is_taken_out_where_it_leaves_rows_out(
    call: str, plain: str, condition: str | None
) -> None:
    bare, taken = taken_out(Leaf("t", call=call, filters=(SAVINGS,)))
    assert (bare, taken) == (Leaf("t", call=plain), condition)


WITH_LOANS = Membership(dataset="loans")


@pytest.mark.parametrize("intent", [
    Intent(measures=(ACCOUNTS,), subject="customers", filters=(WITH_LOANS,)),
    Intent(measures=(ACCOUNTS,), subject="accounts", filters=(WITH_LOANS,)),
    Intent(measures=(ACCOUNTS,), filters=(where("loans.outstanding", ">", 0),)),
    Intent(subject="accounts", columns=(ref("accounts.type"),), order=(Order(measure=OUTSTANDING, descending=True),)),
])  # fmt: skip
def test_what_two_tables_share_is_said_where_one_is_chosen_by_the_other(intent: Intent) -> None:
    said = compile_intent(intent, MODEL, "duckdb", AS_OF).assumptions
    assert "Accounts and loans belong together where they have the same customer." in said


def test_rows_of_the_one_that_is_counted_need_no_such_word() -> None:
    intent = Intent(measures=(CUSTOMERS,), filters=(WITH_LOANS, SAVINGS))
    assert compile_intent(intent, MODEL, "duckdb", AS_OF).assumptions == ()


def test_a_way_named_by_the_question_is_no_assumption() -> None:
    intent = Intent(measures=(BALANCE,), dimensions=(by("branches.city", via=("account_branch",)),))
    assert compile_intent(intent, MODEL, "duckdb", AS_OF).assumptions == ()


def test_a_computed_dimension_takes_no_columns_name() -> None:
    """GROUP BY would mean the column."""
    loans = MODEL.dataset("loans")
    fields = (*loans.fields, Field("month", "month", "integer", "category", "month"))
    model = replace(
        MODEL, datasets=(*(item for item in MODEL.datasets if item != loans), replace(loans, fields=fields))
    )
    intent = Intent(
        measures=(Measure(aggregate="count", dataset="loans"),), dimensions=(by("loans.disbursed_on", "month"),)
    )
    assert "GROUP BY\n  disbursal_date_month" in draft(intent, model)


def test_units_and_roles_describe_the_columns() -> None:
    intent = Intent(
        measures=(AMOUNT, CUSTOMERS, changed(AMOUNT, transform="share_of_total")),
        dimensions=(by("transactions.posted_at", "month"),),
    )
    columns = compile_intent(intent, MODEL, "duckdb", AS_OF).columns
    assert [(column.unit, column.role) for column in columns] == [
        (None, "time"), ("INR", "measure"), ("count", "measure"), ("percent", "measure"),
    ]  # fmt: skip


def test_odd_table_and_column_names_are_quoted() -> None:
    model = SemanticModel(
        "odd", (Dataset("order", "order", (Field("size", '"Size in m"', "integer", "measure", "size"),), "order"),)
    )
    assert draft(Intent(measures=(Measure(aggregate="sum", field=ref("order.size")),)), model) == (
        'SELECT\n  SUM("Size in m") AS total_size\nFROM "order"'
    )


def test_names_are_quoted_only_where_needed() -> None:
    assert not identifier("city", "postgres").quoted
    assert identifier("City", "postgres").quoted
    assert not identifier("City", "duckdb").quoted
    assert identifier("select", "mysql").quoted


def test_literals_cannot_end_their_own_quotes() -> None:
    assert literal("O'Neil").sql() == "'O''Neil'"


def test_the_period_before_goes_back_by_months_or_by_days() -> None:
    assert like_with_like(OCTOBER, "previous_period")[1].start == date(2026, 9, 1)
    half = Period(start=date(2026, 10, 11), end=date(2026, 10, 21), label="ten days")
    assert like_with_like(half, "previous_period")[1].start == date(2026, 10, 1)
    leap = Period(start=date(2024, 2, 29), end=date(2024, 3, 1), label="29 February")
    assert like_with_like(leap, "same_period_last_year")[1].start == date(2023, 2, 28)


def test_days_are_moved_by_calendar_months() -> None:
    assert moved(date(2026, 1, 31), months=1) == date(2026, 2, 28)
    assert moved(date(2026, 1, 31), months=-2, days=1) == date(2025, 12, 1)


def test_bands_of_whole_numbers_end_one_below_the_next() -> None:
    edges = by("accounts.balance", None, 18, 30).edges
    assert band_names(edges, whole=True) == ("Below 18", "18 to 29", "30 and over")
    assert band_names(edges, whole=False) == ("Below 18", "18 to below 30", "30 and over")


def test_steps_start_where_their_first_step_starts() -> None:
    assert steps_of(date(2026, 2, 5), date(2026, 7, 2), "fiscal_quarter", 4) == (
        date(2026, 1, 1), date(2026, 4, 1), date(2026, 7, 1),
    )  # fmt: skip
    assert steps_of(date(2026, 10, 1), date(2026, 10, 6), "week", 4) == (date(2026, 9, 28), date(2026, 10, 5))


@pytest.mark.parametrize("count", [1, 2, 100])
def test_a_written_list_becomes_as_many_rows(count: int) -> None:
    values = tuple(range(2000, 2000 + count))
    lite, duck = sqlite_bank(), duckdb_bank()
    assert sorted(row[0] for row in lite.execute(listed("year", values, "sqlite").sql("sqlite"))) == list(values)
    assert sorted(row[0] for row in duck.execute(listed("year", values, "duckdb").sql("duckdb")).fetchall()) == list(
        values
    )
    lite.close()
    duck.close()


YEAR = Period(start=date(2026, 1, 1), end=date(2026, 11, 1), label="2026")


def test_a_days_series_over_a_year_falls_back_to_the_days_of_the_data() -> None:
    intent = Intent(
        measures=(AMOUNT,),
        dimensions=(by("transactions.posted_at", "day"),),
        filters=(SAVINGS,),
        period=YEAR,
        fill_gaps=True,
    )
    found = compile_intent(intent, MODEL, "duckdb", AS_OF)
    assert found.assumptions == ("A day in which nothing happened at all is not shown.",)
    with duckdb_bank() as duck:
        rows = duck.execute(found.sql).fetchall()
    assert len(rows) == 6
    assert sum(row[1] == 0 for row in rows) == 2


def test_days_that_cannot_be_listed_are_given_to_each_group_up_to_the_last_with_data() -> None:
    days, kinds = by("transactions.posted_at", "day"), by("accounts.type")
    intent = Intent(measures=(AMOUNT,), dimensions=(days, kinds), filters=(SAVINGS,), period=YEAR, fill_gaps=True)
    with duckdb_bank() as duck:
        rows = duck.execute(draft(intent)).fetchall()
    assert {row[1] for row in rows} == {"Savings"}
    assert max(row[0] for row in rows if row[2]) == max(row[0] for row in rows)
    assert any(row[2] == 0 for row in rows)
    check(draft(intent), catalogue("duckdb"), Policy())


@pytest.mark.parametrize("dialect", ["duckdb", "sqlite", "postgres", "mysql"])
def test_the_longest_list_of_steps_passes_the_guard_with_other_dimensions(dialect: Dialect) -> None:
    days, kinds = by("transactions.posted_at", "day"), by("accounts.type")
    hundred = Period(start=date(2026, 7, 24), end=date(2026, 11, 1), label="100 days")
    intent = Intent(measures=(AMOUNT,), dimensions=(days, kinds), period=hundred, fill_gaps=True)
    found = compile_intent(intent, MODEL, dialect, AS_OF)
    assert "CROSS JOIN series" in found.sql
    check(found.sql, catalogue(dialect), Policy())


def test_a_series_does_not_show_steps_that_have_not_come() -> None:
    year = Period(start=date(2026, 9, 1), end=date(2027, 1, 1), label="the rest of 2026")
    month = Dimension(field=ref("transactions.posted_at", "month"))
    intent = Intent(measures=(AMOUNT,), dimensions=(month,), period=year, fill_gaps=True)
    with duckdb_bank() as duck:
        rows = duck.execute(draft(intent)).fetchall()
    assert [row[0] for row in rows] == [date(2026, 9, 1), date(2026, 10, 1), date(2026, 11, 1)]


def test_a_series_along_a_date_that_rows_may_lack_leaves_these_out_and_says_so() -> None:
    dated = replace(MODEL.dataset("accounts"), default_time=None)
    model = replace(MODEL, datasets=tuple(dated if item.name == "accounts" else item for item in MODEL.datasets))
    intent = Intent(measures=(BALANCE,), dimensions=(by("accounts.opened_on", "month"),), fill_gaps=True)
    found = compile_intent(intent, model, "duckdb", AS_OF)
    assert "opened_on IS NOT NULL" in found.sql
    assert "Rows whose opening date is not known are left out." in found.assumptions


def test_distinct_values_are_sorted_by_their_own_column_where_another_table_has_one_of_that_name():
    kind = Field("type", "type", "text", "category", "type")
    cards = Dataset("card", "card", (Field("disp_id", "disp_id", "integer", "identifier", "holder"), kind), "card")
    holders = Dataset("disp", "disp", (Field("disp_id", "disp_id", "integer", "identifier", "number"), kind), "holder")
    link = Relationship("card_holder", "card", ("disp_id",), "disp", ("disp_id",))
    model = SemanticModel("cards", (cards, holders), (link,))
    columns = (Column("disp_id", "integer"), Column("type", "text"))
    tables = Catalogue("duckdb", (Table("card", columns), Table("disp", columns)))
    of_owners = (where("disp.type", "=", "OWNER"),)
    asked = Intent(subject="card", columns=(ref("card.type"),), distinct=True, filters=of_owners)
    sql = draft(asked, model)
    assert sql.endswith("ORDER BY\n  card.type")
    check(sql, tables, Policy())


def test_a_change_and_its_percent_never_share_a_name() -> None:
    both = [changed(BALANCE, transform=transform, label="change") for transform in ("change", "change_percent")]
    asked = Intent(measures=tuple(both), dimensions=(by("accounts.opened_on", "month"),))
    names = [column.name for column in compile_intent(asked, MODEL, "duckdb", AS_OF).columns]
    assert names[1:] == ["change", "change_percent"]
    share = changed(BALANCE, transform="change_percent", label="growth rate")
    assert "AS growth_rate" in draft(Intent(measures=(share,), dimensions=asked.dimensions))


def test_a_list_without_an_order_has_that_of_its_key() -> None:
    assert draft(Intent(subject="accounts")).endswith("ORDER BY\n  account_id")


@pytest.mark.parametrize("hour", ["00:00:00", "18:45:00"])
def test_a_year_is_over_on_its_day_whatever_the_hour(hour: str) -> None:
    age = Measure(aggregate="max", field=ref("transactions.posted_at", "age_years"))
    intent = Intent(measures=(age,))
    rows = {"transactions": [(1, 1, None, None, f"2025-11-21 {hour}")]}
    with duckdb_bank(rows) as duck:
        assert duck.execute(draft(intent)).fetchall() == [(1,)]
    lite = sqlite_bank(rows)
    assert lite.execute(compile_intent(intent, MODEL, "sqlite", AS_OF).sql).fetchall() == [(1,)]
    lite.close()
