WITH calendar AS (
  SELECT
    month
  FROM (VALUES
    (CAST('2026-07-01' AS DATE)),
    (CAST('2026-08-01' AS DATE)),
    (CAST('2026-09-01' AS DATE))) AS steps(month)
), transactions_by_month_branch_name AS (
  SELECT
    CAST(DATE_TRUNC('MONTH', transactions.posted_at) AS DATE) AS month,
    branches.branch_name,
    SUM(transactions.amount) AS total_amount
  FROM transactions
  JOIN accounts
    ON accounts.account_id = transactions.account_id
  JOIN branches
    ON branches.branch_id = accounts.branch_id
  WHERE
    transactions.posted_at >= '2026-07-01' AND transactions.posted_at < '2026-10-01'
  GROUP BY
    month,
    branches.branch_name
), every_branch_name AS (
  SELECT
    branch_name
  FROM branches
  GROUP BY
    branch_name
), series AS (
  SELECT DISTINCT
    branch_name
  FROM every_branch_name
)
SELECT
  calendar.month,
  series.branch_name,
  COALESCE(transactions_by_month_branch_name.total_amount, 0) AS total_amount
FROM calendar
CROSS JOIN series
LEFT JOIN transactions_by_month_branch_name
  ON transactions_by_month_branch_name.month IS NOT DISTINCT FROM calendar.month
  AND transactions_by_month_branch_name.branch_name IS NOT DISTINCT FROM series.branch_name
ORDER BY
  calendar.month,
  series.branch_name

-- rows:
-- 2026-07-01 | Andheri | 0
-- 2026-07-01 | Fort | 0
-- 2026-07-01 | Lake | 0
-- 2026-07-01 | Pune Main | 0
-- 2026-08-01 | Andheri | 0
-- 2026-08-01 | Fort | 0
-- 2026-08-01 | Lake | 0
-- 2026-08-01 | Pune Main | 100
-- 2026-09-01 | Andheri | 0
-- 2026-09-01 | Fort | 0
-- 2026-09-01 | Lake | 0
-- 2026-09-01 | Pune Main | 250.5
