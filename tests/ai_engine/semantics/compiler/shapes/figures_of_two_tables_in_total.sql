WITH accounts_total AS (
  SELECT
    SUM(balance) AS total_balance
  FROM accounts
), loans_total AS (
  SELECT
    SUM(outstanding) AS total_outstanding
  FROM loans
)
SELECT
  accounts_total.total_balance,
  loans_total.total_outstanding
FROM accounts_total
CROSS JOIN loans_total

-- rows:
-- 603749.64 | 340000
