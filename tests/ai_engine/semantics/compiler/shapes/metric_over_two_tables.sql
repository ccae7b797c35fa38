WITH loans_total AS (
  SELECT
    SUM(outstanding) AS total_outstanding
  FROM loans
), accounts_total AS (
  SELECT
    SUM(balance) AS total_balance
  FROM accounts
)
SELECT
  1.0 * loans_total.total_outstanding / NULLIF(accounts_total.total_balance, 0) AS loan_to_deposit
FROM loans_total
CROSS JOIN accounts_total

-- rows:
-- 0.563
