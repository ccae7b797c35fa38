SELECT
  CAST(DATE_TRUNC('MONTH', posted_at) AS DATE) AS month,
  AVG(SUM(amount)) OVER (
    ORDER BY CAST(DATE_TRUNC('MONTH', posted_at) AS DATE)
    ROWS BETWEEN 2 PRECEDING AND CURRENT ROW
  ) AS total_amount_rolling_average
FROM transactions
GROUP BY
  month
ORDER BY
  month

-- rows:
-- 2025-10-01 | 640
-- 2025-12-01 | 2820
-- 2026-06-01 | 2820
-- 2026-08-01 | 2550
-- 2026-09-01 | 175.25
-- 2026-10-01 | 2211.917
-- 2026-11-01 | 2578.583
