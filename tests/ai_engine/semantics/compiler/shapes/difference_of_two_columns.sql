SELECT
  type AS account_type,
  SUM(balance) - SUM(rate) AS total_balance_minus_total_interest_rate
FROM accounts
GROUP BY
  type
ORDER BY
  total_balance_minus_total_interest_rate DESC,
  type

-- rows:
-- Fixed | 499992.875
-- Savings | 101990.19
-- Current | 2500.2
-- NULL | -750.75
