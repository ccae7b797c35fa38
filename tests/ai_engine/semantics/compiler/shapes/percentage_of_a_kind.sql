SELECT
  100.0 * COUNT(CASE WHEN type = 'Savings' THEN 1 END) / NULLIF(COUNT(*), 0) AS accounts_savings_percent
FROM accounts

-- rows:
-- 57.143
