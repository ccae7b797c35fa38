WITH transactions_by_month AS (
  SELECT
    CAST(DATE_TRUNC('MONTH', posted_at) AS DATE) AS month,
    SUM(amount) AS total_amount
  FROM transactions
  GROUP BY
    month
)
SELECT
  month,
  total_amount,
  100.0 * (
    total_amount - LAG(total_amount) OVER (ORDER BY month)
  ) / NULLIF(LAG(total_amount) OVER (ORDER BY month), 0) AS total_amount_change_percent
FROM transactions_by_month
ORDER BY
  month

-- rows:
-- 2025-10-01 | 640 | NULL
-- 2025-12-01 | 5000 | 681.25
-- 2026-06-01 | NULL | NULL
-- 2026-08-01 | 100 | NULL
-- 2026-09-01 | 250.5 | 150.5
-- 2026-10-01 | 6285.25 | 2409.082
-- 2026-11-01 | 1200 | -80.908
