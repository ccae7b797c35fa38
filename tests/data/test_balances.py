"""Deposit accounts, their entries and their month ends agree to the paisa. Queries ask for offenders."""

from __future__ import annotations

from tests.data.conftest import Ask

EFFECT = """
    SELECT account_id, transaction_id, posted_at::DATE AS day, posted_at,
           CASE WHEN status <> 'Posted' THEN 0 WHEN direction = 'Credit' THEN amount ELSE -amount END AS effect
    FROM transactions
"""


def test_a_balance_is_the_sum_of_its_posted_transactions(ask: Ask) -> None:
    assert not ask(f"""
        WITH moved AS ({EFFECT})
        SELECT account_id, balance, SUM(effect) FROM accounts LEFT JOIN moved USING (account_id)
        GROUP BY ALL HAVING SUM(effect) IS DISTINCT FROM balance
    """)


def test_no_account_is_ever_overdrawn(ask: Ask) -> None:
    assert not ask(f"""
        WITH moved AS ({EFFECT})
        SELECT account_id, posted_at, SUM(effect) OVER own AS balance FROM moved
        WINDOW own AS (PARTITION BY account_id ORDER BY posted_at, transaction_id)
        QUALIFY balance < 0
    """)


def test_an_open_account_never_holds_less_than_five_hundred_rupees_at_the_end_of_a_day(ask: Ask) -> None:
    assert not ask(f"""
        WITH moved AS ({EFFECT}), daily AS (SELECT account_id, day, SUM(effect) AS effect FROM moved GROUP BY ALL)
        SELECT account_id, day, SUM(effect) OVER (PARTITION BY account_id ORDER BY day) AS held
        FROM daily JOIN accounts USING (account_id)
        QUALIFY held < 500 AND day IS DISTINCT FROM closed_date
    """)


def test_every_account_begins_with_its_opening_entry(ask: Ask) -> None:
    assert not ask("""
        SELECT * FROM (
            SELECT *, ROW_NUMBER() OVER (PARTITION BY account_id ORDER BY posted_at, transaction_id) AS place
            FROM transactions
        ) WHERE (place = 1) <> (transaction_type IN ('Opening Deposit', 'Balance Brought Forward'))
    """)


def test_a_closed_account_is_empty_and_says_when_it_closed(ask: Ask) -> None:
    assert not ask("SELECT * FROM accounts WHERE (status = 'Closed') <> (closed_date IS NOT NULL)")
    assert not ask("SELECT * FROM accounts WHERE (status = 'Closed') <> (balance = 0)")


def test_every_entry_lies_within_the_life_of_its_account_and_of_the_data(ask: Ask) -> None:
    assert not ask("""
        SELECT * FROM transactions JOIN accounts USING (account_id), bank_info
        WHERE posted_at::DATE < opened_date
           OR posted_at::DATE > COALESCE(closed_date, as_of_date)
           OR posted_at::DATE > as_of_date
           OR posted_at::DATE <= as_of_date - INTERVAL 3 YEAR
    """)


def test_the_last_entry_of_a_closed_account_pays_it_out(ask: Ask) -> None:
    assert not ask("""
        SELECT account_id, MAX_BY(transaction_type, transaction_id) AS last
        FROM transactions JOIN accounts USING (account_id) WHERE closed_date IS NOT NULL
        GROUP BY ALL HAVING last NOT IN ('Account Closure', 'Maturity Payout')
    """)


def test_there_is_one_month_end_for_every_month_an_account_was_open(ask: Ask) -> None:
    wanted = """
        SELECT account_id, last_day(month)::DATE AS month_end
        FROM accounts, bank_info,
             generate_series(
                 as_of_date - INTERVAL 3 YEAR + INTERVAL 1 DAY, as_of_date::TIMESTAMP, INTERVAL 1 DAY) AS s(month)
        WHERE month::DATE = last_day(month) AND opened_date <= month::DATE AND COALESCE(closed_date > month::DATE, TRUE)
    """
    found = "SELECT account_id, month_end FROM monthly_balances"
    assert not ask(f"({wanted}) EXCEPT ({found})")
    assert not ask(f"({found}) EXCEPT ({wanted})")


def test_closing_balances_are_the_sum_of_the_entries_up_to_the_month_end(ask: Ask) -> None:
    assert not ask(f"""
        WITH moved AS ({EFFECT})
        SELECT account_id, month_end, closing_balance, SUM(effect)
        FROM monthly_balances LEFT JOIN moved USING (account_id) WHERE day <= month_end
        GROUP BY ALL HAVING SUM(effect) IS DISTINCT FROM closing_balance
    """)


def test_monthly_credits_and_debits_are_those_of_the_month(ask: Ask) -> None:
    assert not ask(f"""
        WITH moved AS ({EFFECT})
        SELECT account_id, month_end, total_credits, total_debits
        FROM monthly_balances AS m LEFT JOIN moved USING (account_id)
        GROUP BY ALL
        HAVING SUM(CASE WHEN last_day(day) = month_end THEN GREATEST(effect, 0) ELSE 0 END) <> total_credits
            OR SUM(CASE WHEN last_day(day) = month_end THEN GREATEST(-effect, 0) ELSE 0 END) <> total_debits
    """)


def test_the_average_balance_is_the_mean_over_the_days_of_the_month(ask: Ask) -> None:
    """Counted day by day for every seventh account."""
    assert not ask(f"""
        WITH moved AS ({EFFECT}),
        days AS (
            SELECT account_id, month_end, average_balance, unnest(generate_series(
                GREATEST(date_trunc('month', month_end), opened_date, as_of_date - INTERVAL 3 YEAR + INTERVAL 1 DAY),
                month_end::TIMESTAMP, INTERVAL 1 DAY))::DATE AS day
            FROM monthly_balances JOIN accounts USING (account_id), bank_info WHERE account_id % 7 = 0
        ),
        held AS (
            SELECT days.account_id, month_end, average_balance, days.day, SUM(effect) AS balance
            FROM days JOIN moved ON moved.account_id = days.account_id AND moved.day <= days.day GROUP BY ALL
        )
        SELECT account_id, month_end, average_balance, SUM(balance) / COUNT(*) FROM held
        GROUP BY ALL HAVING ABS(average_balance - SUM(balance)::DECIMAL(38, 6) / COUNT(*)) > 0.0051
    """)


def test_dormant_means_unused_for_730_days(ask: Ask) -> None:
    assert not ask("""
        WITH used AS (
            SELECT account_id, MAX(posted_at::DATE) FILTER (
                transaction_type NOT IN ('Interest', 'Fee', 'Balance Brought Forward')) AS last_used
            FROM transactions GROUP BY account_id
        )
        SELECT * FROM accounts JOIN used USING (account_id), bank_info
        WHERE status <> 'Closed' AND account_type IN ('Savings', 'Current')
          AND (status = 'Dormant') <> COALESCE(as_of_date - last_used > 730, TRUE)
    """)
    assert not ask("SELECT * FROM accounts WHERE status = 'Dormant' AND account_type NOT IN ('Savings', 'Current')")


def test_term_deposits_close_on_the_day_they_fall_due(ask: Ask) -> None:
    assert not ask("""
        SELECT * FROM accounts, bank_info WHERE account_type IN ('Fixed Deposit', 'Recurring Deposit')
          AND closed_date IS DISTINCT FROM CASE WHEN maturity_date <= as_of_date THEN maturity_date END
    """)
