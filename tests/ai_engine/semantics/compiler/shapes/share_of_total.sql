SELECT
  type AS account_type,
  SUM(balance) AS total_balance,
  100.0 * SUM(balance) / NULLIF(SUM(SUM(balance)) OVER (), 0) AS total_balance_share
FROM accounts
GROUP BY
  type
ORDER BY
  total_balance DESC,
  type

-- rows:
-- Fixed | 500000 | 82.816
-- Savings | 102000.19 | 16.894
-- Current | 2500.2 | 0.414
-- NULL | -750.75 | -0.124
