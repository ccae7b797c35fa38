SELECT
  type AS account_type,
  1.0 * SUM(balance) / NULLIF(COUNT(*), 0) AS total_balance_per_account
FROM accounts
GROUP BY
  type
ORDER BY
  total_balance_per_account DESC,
  type

-- rows:
-- Fixed | 500000
-- Savings | 25500.048
-- Current | 2500.2
-- NULL | -750.75
