SELECT
  CAST(DATE_TRUNC('MONTH', posted_at) AS DATE) AS month,
  SUM(amount) AS total_amount,
  SUM(SUM(amount)) OVER (
    ORDER BY CAST(DATE_TRUNC('MONTH', posted_at) AS DATE)
    ROWS BETWEEN 1 PRECEDING AND CURRENT ROW
  ) AS total_amount_rolling_sum
FROM transactions
GROUP BY
  month
ORDER BY
  month

-- rows:
-- 2025-10-01 | 640 | 640
-- 2025-12-01 | 5000 | 5640
-- 2026-06-01 | NULL | 5000
-- 2026-08-01 | 100 | 100
-- 2026-09-01 | 250.5 | 350.5
-- 2026-10-01 | 6285.25 | 6535.75
-- 2026-11-01 | 1200 | 7485.25
