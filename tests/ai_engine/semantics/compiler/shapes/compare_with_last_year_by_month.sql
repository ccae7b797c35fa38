WITH transactions_by_month_now AS (
  SELECT
    CAST(DATE_TRUNC('MONTH', posted_at) AS DATE) AS month,
    SUM(amount) AS total_amount
  FROM transactions
  WHERE
    posted_at >= '2026-06-01' AND posted_at < '2026-11-01'
  GROUP BY
    month
), transactions_by_month_before AS (
  SELECT
    CAST(CAST(DATE_TRUNC('MONTH', posted_at) AS DATE) + INTERVAL '12' MONTH AS DATE) AS month,
    SUM(amount) AS total_amount
  FROM transactions
  WHERE
    posted_at >= '2025-06-01' AND posted_at < '2025-11-01'
  GROUP BY
    month
)
SELECT
  month,
  COALESCE(MAX(transactions_by_month_now.total_amount), 0) AS total_amount,
  COALESCE(MAX(transactions_by_month_before.total_amount), 0) AS total_amount_last_year,
  100.0 * (
    COALESCE(MAX(transactions_by_month_now.total_amount), 0) - COALESCE(MAX(transactions_by_month_before.total_amount), 0)
  ) / NULLIF(COALESCE(MAX(transactions_by_month_before.total_amount), 0), 0) AS total_amount_change_percent
FROM transactions_by_month_now
FULL JOIN transactions_by_month_before
  USING (month)
GROUP BY
  month
ORDER BY
  month

-- rows:
-- 2026-06-01 | 0 | 0 | NULL
-- 2026-08-01 | 100 | 0 | NULL
-- 2026-09-01 | 250.5 | 0 | NULL
-- 2026-10-01 | 6285.25 | 640 | 882.07
