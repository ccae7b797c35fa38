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
    COUNT(*) AS count_transactions
  FROM transactions
  WHERE
    channel = 'UPI' AND posted_at >= '2026-06-01' AND posted_at < '2026-11-01'
  GROUP BY
    month
)
SELECT
  month,
  COALESCE(transactions_by_month.count_transactions, 0) AS upi_payments
FROM calendar
LEFT JOIN transactions_by_month
  USING (month)
ORDER BY
  month

-- rows:
-- 2026-06-01 | 0
-- 2026-07-01 | 0
-- 2026-08-01 | 1
-- 2026-09-01 | 1
-- 2026-10-01 | 1
