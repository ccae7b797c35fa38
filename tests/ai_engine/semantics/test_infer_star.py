"""Star schemas: days spelled by numbers, the date dimension, facts and their dates."""

from __future__ import annotations

import pytest

from ai_engine.semantics.infer import infer_vocabulary
from ai_engine.semantics.osi import dump_vocabulary, load_vocabulary
from tests.ai_engine.semantics.schemas import catalogue, table

DAYS = (20260131, 20260228, 20240229)
TABLES = (
    table(
        "dim_date",
        "date_key int, full_date date, month_name text, month_number int, year_number int, is_month_end bool, "
        "is_business_day bool",
        key="date_key",
    ),
    table("dim_customer", "customer_key int, customer_name text, opening_date date", key="customer_key"),
    table(
        "fact_loan_snapshot",
        "date_key int, loan_number text, customer_key int, origination_date date, outstanding_amount dec, "
        "interest_paid dec",
        key="date_key loan_number",
        date_key="dim_date.date_key",
        customer_key="dim_customer.customer_key",
    ),
)
SAMPLES = {("dim_date", "date_key"): DAYS, ("fact_loan_snapshot", "date_key"): DAYS}
STAR = infer_vocabulary(catalogue(*TABLES), SAMPLES)


@pytest.mark.parametrize(
    ("column", "values", "expression"),
    [
        ("booking_date int", DAYS, "STR_TO_DATE(CAST(booking_date AS VARCHAR), '%Y%m%d')"),
        ("posted_dt text", ("20260131", "20261130"), "STR_TO_DATE(posted_dt, '%Y%m%d')"),
        ("booking_date int", (20260131, 20260230), None),
        ("booking_date int", (20260131, -1), "STR_TO_DATE(CAST(booking_date AS VARCHAR), '%Y%m%d')"),
        ("booking_date int", (-1, 0), None),
        ("booking_date int", (), None),
        ("amount int", DAYS, None),
    ],
)
def test_numbers_and_texts_that_spell_days_are_read_as_dates(column, values, expression):
    name = column.split(maxsplit=1)[0]
    model = infer_vocabulary(catalogue(table("payment", f"id int, {column}")), {("payment", name): values})
    found = model.dataset("payment").field(name)
    if expression is None:
        assert (found.expression, found.role == "time") == (name, False)
    else:
        assert (found.expression, found.role, found.type) == (expression, "time", "date")


def test_a_key_that_spells_days_stays_a_key_and_gets_a_date_beside_it():
    fact = STAR.dataset("fact_loan_snapshot")
    assert fact.field("date_key").role == "identifier"
    assert fact.field("date").expression == "STR_TO_DATE(CAST(date_key AS VARCHAR), '%Y%m%d')"
    assert any(link.to_dataset == "dim_date" for link in STAR.relationships_of("fact_loan_snapshot"))


def test_the_date_of_a_fact_dates_its_rows():
    assert STAR.dataset("fact_loan_snapshot").default_time == "date"


def test_a_date_dimension_has_each_day_once_and_leaves_dates_and_month_ends_to_facts():
    calendar = STAR.dataset("dim_date")
    assert (calendar.label, calendar.synonyms, calendar.default_time) == ("calendar day", (), "full_date")
    assert calendar.field("is_business_day").label == "business day"
    assert calendar.field("is_month_end_marker").label == "month end marker"


@pytest.mark.parametrize(
    ("column", "values"),
    [("year_number int", (2026,)), ("month_number int", (1, 12)), ("month_key int", (202601, 202612))],
)
def test_numbers_of_years_and_months_do_not_add_up(column, values):
    name = column.split(maxsplit=1)[0]
    model = infer_vocabulary(catalogue(table("payment", f"id int, {column}")), {("payment", name): values})
    assert model.dataset("payment").field(name).role in {"category", "identifier"}


def test_a_row_per_thing_and_date_is_a_snapshot_whose_flows_add_up():
    fact = STAR.dataset("fact_loan_snapshot")
    assert (fact.snapshot_time, fact.flows) == ("date", ("interest_paid",))
    assert "loan" in fact.synonyms


@pytest.mark.parametrize(
    ("name", "columns", "key", "expected"),
    [
        ("account_balances", "account_id int, balance_date date, closing_balance dec", "account_id balance_date", True),
        ("eod_positions", "account_id int, position_date date, outstanding_amount dec", "", True),
        ("daily_price", "ticker_id int, price_date date, close_price dec", "ticker_id price_date", False),
        ("transactions", "transaction_id int, booking_date date, running_balance dec", "transaction_id", False),
        ("statements", "statement_id int, statement_date date, closing_balance dec", "statement_id", False),
    ],
)
def test_tables_of_events_and_prices_are_no_snapshots(name, columns, key, expected):
    found = infer_vocabulary(catalogue(table(name, columns, key=key))).dataset(name)
    assert (found.snapshot_time is not None) == expected


def test_how_often_a_balance_is_taken_stands_before_its_noun():
    model = infer_vocabulary(catalogue(table("fact_balance_monthly", "account_number text, closing_balance dec")))
    assert model.datasets[0].label == "monthly balance"


def test_a_star_is_read_from_its_file_as_it_was_written():
    assert load_vocabulary(dump_vocabulary(STAR), catalogue(*TABLES)) == STAR
