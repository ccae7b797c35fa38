WITH ranked AS (
  SELECT
    account_id AS account_number,
    type AS account_type,
    balance,
    ROW_NUMBER() OVER (PARTITION BY type ORDER BY balance DESC, account_id) AS position
  FROM accounts
)
SELECT
  account_number,
  account_type,
  balance
FROM ranked
WHERE
  position <= 1
ORDER BY
  account_type,
  position

-- rows:
-- 2 | Current | 2500.2
-- 5 | Fixed | 500000
-- 4 | Savings | 99999.99
-- 7 | NULL | -750.75
