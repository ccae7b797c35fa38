WITH calendar AS (
  SELECT
    CAST(DATE_TRUNC('MONTH', posted_at) AS DATE) AS month
  FROM transactions
  GROUP BY
    month
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
    transactions.channel = 'UPI'
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
    branch_name,
    (
      SELECT
        MAX(month)
      FROM transactions_by_month_branch_name
    ) AS until
  FROM every_branch_name
)
SELECT
  calendar.month,
  series.branch_name,
  COALESCE(transactions_by_month_branch_name.total_amount, 0) AS total_amount
FROM calendar
JOIN series
  ON calendar.month <= series.until
LEFT JOIN transactions_by_month_branch_name
  ON transactions_by_month_branch_name.month IS NOT DISTINCT FROM calendar.month
  AND transactions_by_month_branch_name.branch_name IS NOT DISTINCT FROM series.branch_name
ORDER BY
  calendar.month,
  series.branch_name

-- rows:
-- 2025-10-01 | Andheri | 0
-- 2025-10-01 | Fort | 0
-- 2025-10-01 | Lake | 0
-- 2025-10-01 | Pune Main | 0
-- 2025-12-01 | Andheri | 0
-- 2025-12-01 | Fort | 0
-- 2025-12-01 | Lake | 0
-- 2025-12-01 | Pune Main | 0
-- 2026-06-01 | Andheri | 0
-- 2026-06-01 | Fort | 0
-- 2026-06-01 | Lake | 0
-- 2026-06-01 | Pune Main | 0
-- 2026-08-01 | Andheri | 0
-- 2026-08-01 | Fort | 0
-- 2026-08-01 | Lake | 0
-- 2026-08-01 | Pune Main | 100
-- 2026-09-01 | Andheri | 0
-- 2026-09-01 | Fort | 0
-- 2026-09-01 | Lake | 0
-- 2026-09-01 | Pune Main | 250.5
-- 2026-10-01 | Andheri | 10
-- 2026-10-01 | Fort | 0
-- 2026-10-01 | Lake | 0
-- 2026-10-01 | Pune Main | 0
-- 2026-11-01 | Andheri | 0
-- 2026-11-01 | Fort | 1200
-- 2026-11-01 | Lake | 0
-- 2026-11-01 | Pune Main | 0
