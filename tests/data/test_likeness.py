"""The sample bank looks like a bank: keys, people, seasons, shares."""

from __future__ import annotations

import pytest

from data.generate.geography import CITIES
from data.generate.seasons import DIWALI
from data.schema import TABLES
from tests.data.conftest import Ask

KEYS = [(table.name, *key) for table in TABLES for key in table.foreign_keys]


@pytest.mark.parametrize(("table", "column", "to", "key"), KEYS, ids=[f"{key[0]}.{key[1]}" for key in KEYS])
def test_a_foreign_key_is_declared_and_holds(ask: Ask, table: str, column: str, to: str, key: str) -> None:
    declared = ask(f"""
        SELECT referenced_table, referenced_column_names FROM duckdb_constraints()
        WHERE table_name = '{table}' AND constraint_type = 'FOREIGN KEY' AND constraint_column_names = ['{column}']
    """)
    assert declared == [(to, [key])]
    assert not ask(f"SELECT * FROM {table} WHERE {column} IS NOT NULL AND {column} NOT IN (SELECT {key} FROM {to})")


def test_there_are_forty_branches_in_twenty_cities(ask: Ask) -> None:
    assert ask("SELECT COUNT(*), COUNT(DISTINCT city), COUNT(DISTINCT branch_name) FROM branches") == [(40, 20, 40)]
    states = {(city, state, region) for city, state, region, *_ in CITIES}
    assert set(ask("SELECT DISTINCT city, state, region FROM branches")) == states


def test_numbers_that_name_a_row_are_unique(ask: Ask) -> None:
    for table, column in (("branches", "ifsc_code"), ("accounts", "account_number"), ("loans", "loan_number")):
        assert ask(f"SELECT COUNT(*) - COUNT(DISTINCT {column}) FROM {table}") == [(0,)]


def test_contacts_are_synthetic(ask: Ask) -> None:
    assert not ask("SELECT * FROM customers WHERE email NOT LIKE '%@example.com' OR phone NOT LIKE '+91-00000-%'")


def test_companies_have_no_gender_birth_or_score_and_people_have_all(ask: Ask) -> None:
    assert not ask("""
        SELECT * FROM customers WHERE (segment = 'Corporate') <> ALL (
            [gender IS NULL, date_of_birth IS NULL, credit_score IS NULL, first_name IS NULL, last_name IS NULL,
             occupation = 'Company'])
    """)


def test_people_join_as_adults_and_have_plausible_figures(ask: Ask) -> None:
    assert not ask("""
        SELECT * FROM customers, bank_info WHERE joined_date > as_of_date
           OR date_diff('day', date_of_birth, joined_date) < 18 * 365
           OR date_diff('year', date_of_birth, as_of_date) > 90
           OR credit_score NOT BETWEEN 300 AND 900 OR annual_income <= 0
    """)


def test_a_customer_joins_with_the_first_account(ask: Ask) -> None:
    assert not ask("""
        SELECT customer_id, joined_date, MIN(opened_date) FROM customers JOIN accounts USING (customer_id)
        GROUP BY ALL HAVING MIN(opened_date) <> joined_date
    """)


def test_nothing_opens_before_its_branch(ask: Ask) -> None:
    branches = "JOIN branches AS b USING (branch_id)"
    assert not ask(f"SELECT * FROM accounts AS a {branches} WHERE a.opened_date < b.opened_date")
    assert not ask(f"SELECT * FROM loans {branches} WHERE disbursed_date < opened_date")


def test_cards_belong_to_the_holder_of_their_account_and_only_credit_cards_have_limits(ask: Ask) -> None:
    assert not ask("""
        SELECT * FROM cards AS c LEFT JOIN accounts AS a USING (account_id), bank_info
        WHERE (card_type = 'Debit') <> (account_id IS NOT NULL)
           OR (card_type = 'Credit') <> (credit_limit IS NOT NULL AND outstanding_amount IS NOT NULL)
           OR a.customer_id <> c.customer_id OR outstanding_amount NOT BETWEEN 0 AND credit_limit
           OR issued_date < a.opened_date OR issued_date > as_of_date
           OR (c.status = 'Expired') <> (expiry_date < as_of_date)
    """)


def test_channels_carry_what_they_can(ask: Ask) -> None:
    assert not ask("""
        SELECT * FROM transactions WHERE amount <= 0
           OR (channel = 'UPI' AND amount > 100000.99) OR (channel = 'RTGS' AND amount < 200000)
           OR (channel = 'Branch' AND dayofweek(posted_at) = 0 AND transaction_type <> 'Opening Deposit')
    """)


def test_only_purchases_and_bills_have_a_merchant(ask: Ask) -> None:
    assert not ask("""
        SELECT * FROM transactions
        WHERE (merchant_category IS NOT NULL) <> (transaction_type IN ('Purchase', 'Bill Payment'))
    """)


def test_upi_leads_by_number_and_neft_and_rtgs_by_money(ask: Ask) -> None:
    customers_own = "FROM transactions WHERE transaction_type NOT IN ('Opening Deposit', 'Balance Brought Forward')"
    assert ask(f"SELECT channel {customers_own} GROUP BY 1 ORDER BY COUNT(*) DESC LIMIT 1") == [("UPI",)]
    leaders = ask(f"SELECT channel {customers_own} GROUP BY 1 ORDER BY SUM(amount) DESC LIMIT 2")
    assert {channel for (channel,) in leaders} == {"NEFT", "RTGS"}


def test_salaries_are_paid_at_the_turn_of_the_month(ask: Ask) -> None:
    assert not ask("""
        SELECT * FROM transactions WHERE transaction_type = 'Salary'
          AND day(posted_at) NOT IN (1, 6, 7) AND posted_at::DATE < last_day(posted_at) - 1
    """)


def test_shops_are_busier_before_diwali_than_after(ask: Ask) -> None:
    feasts = ", ".join(f"DATE '{day}'" for day in DIWALI.values())
    [(before, after)] = ask(f"""
        SELECT COUNT(*) FILTER (feast - posted_at::DATE BETWEEN 0 AND 19),
               COUNT(*) FILTER (posted_at::DATE - feast BETWEEN 1 AND 20)
        FROM transactions, bank_info, (SELECT unnest([{feasts}]) AS feast)
        WHERE transaction_type = 'Purchase' AND feast + 20 <= as_of_date AND feast - 20 > as_of_date - INTERVAL 3 YEAR
    """)
    assert before > 1.3 * after


def test_most_accounts_are_kept_at_the_home_branch(ask: Ask) -> None:
    [(away,)] = ask("""
        SELECT AVG((branch_id <> home_branch_id)::INT) FROM accounts JOIN customers USING (customer_id)
    """)
    assert 0.03 < away < 0.14


def test_few_transactions_fail_and_none_of_the_banks_own(ask: Ask) -> None:
    [(failed, reversed_)] = ask("""
        SELECT AVG((status = 'Failed')::INT), AVG((status = 'Reversed')::INT) FROM transactions
    """)
    assert 0.002 < failed < 0.03
    assert 0 < reversed_ < failed
    assert not ask("SELECT * FROM transactions WHERE channel = 'System' AND status <> 'Posted'")
