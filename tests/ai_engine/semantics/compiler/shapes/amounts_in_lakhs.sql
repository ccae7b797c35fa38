SELECT
  type AS account_type,
  SUM(balance) / 100000.0 AS total_balance_in_lakh,
  COUNT(*) AS accounts
FROM accounts
GROUP BY
  type
ORDER BY
  total_balance_in_lakh DESC,
  type

-- rows:
-- Fixed | 5 | 1
-- Savings | 1.02 | 4
-- Current | 0.025 | 1
-- NULL | -0.008 | 1
