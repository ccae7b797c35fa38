WITH calendar AS (
  SELECT
    month
  FROM (VALUES
    (CAST('2026-06-01' AS DATE)),
    (CAST('2026-07-01' AS DATE)),
    (CAST('2026-08-01' AS DATE)),
    (CAST('2026-09-01' AS DATE)),
    (CAST('2026-10-01' AS DATE))) AS steps(month)
), transactions_by_month AS (
  SELECT
    CAST(DATE_TRUNC('MONTH', posted_at) AS DATE) AS month,
    SUM(amount) AS total_amount,
    AVG(amount) AS average_amount
  FROM transactions
  WHERE
    posted_at >= '2026-06-01' AND posted_at < '2026-11-01'
  GROUP BY
    month
)
SELECT
  month,
  COALESCE(transactions_by_month.total_amount, 0) AS total_amount,
  transactions_by_month.average_amount
FROM calendar
LEFT JOIN transactions_by_month
  USING (month)
ORDER BY
  month

-- rows:
-- 2026-06-01 | 0 | NULL
-- 2026-07-01 | 0 | NULL
-- 2026-08-01 | 100 | 100
-- 2026-09-01 | 250.5 | 250.5
-- 2026-10-01 | 6285.25 | 1571.312
