WITH accounts_total_now AS (
  SELECT
    COUNT(*) AS accounts,
    SUM(balance) AS total_balance
  FROM accounts
  WHERE
    opened_on >= '2026-10-01' AND opened_on < '2026-11-01'
), accounts_total_before AS (
  SELECT
    COUNT(*) AS accounts,
    SUM(balance) AS total_balance
  FROM accounts
  WHERE
    opened_on >= '2026-09-01' AND opened_on < '2026-10-01'
)
SELECT
  accounts_total_now.accounts,
  accounts_total_before.accounts AS accounts_before,
  accounts_total_now.accounts - accounts_total_before.accounts AS accounts_change,
  COALESCE(accounts_total_now.total_balance, 0) AS total_balance,
  COALESCE(accounts_total_before.total_balance, 0) AS total_balance_before,
  COALESCE(accounts_total_now.total_balance, 0) - COALESCE(accounts_total_before.total_balance, 0) AS total_balance_change
FROM accounts_total_now
CROSS JOIN accounts_total_before

-- rows:
-- 2 | 1 | 1 | 599999.99 | 2500.2 | 597499.79
