SELECT
  type AS account_type,
  COUNT(*) AS accounts
FROM accounts
WHERE
  opened_on >= '2025-10-01'
GROUP BY
  type
ORDER BY
  accounts DESC,
  type

-- rows:
-- Savings | 2
-- Current | 1
-- Fixed | 1
-- NULL | 1
