WITH balances_total AS (
  SELECT
    SUM(balances.closing) AS total_closing_balance
  FROM balances
  WHERE
    balances.date_key BETWEEN 20260701 AND 20260930
    AND balances.date_key = (
      SELECT
        MAX(balances.date_key)
      FROM balances
      WHERE
        balances.date_key BETWEEN 20260701 AND 20260930
    )
), balances_total_2 AS (
  SELECT
    SUM(interest) AS total_interest_paid
  FROM balances
  WHERE
    date_key BETWEEN 20260701 AND 20260930
)
SELECT
  balances_total.total_closing_balance,
  balances_total_2.total_interest_paid
FROM balances_total
CROSS JOIN balances_total_2

-- rows:
-- 3450.7 | 3
