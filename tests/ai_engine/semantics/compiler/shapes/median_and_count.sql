SELECT
  type AS account_type,
  MEDIAN(balance) AS median_balance,
  COUNT(*) AS accounts
FROM accounts
GROUP BY
  type
ORDER BY
  median_balance DESC,
  type

-- rows:
-- Fixed | 500000 | 1
-- Current | 2500.2 | 1
-- Savings | 1000.1 | 4
-- NULL | -750.75 | 1
