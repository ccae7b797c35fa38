WITH transactions_by_month AS (
  SELECT
    CAST(DATE_TRUNC('MONTH', posted_at) AS DATE) AS month,
    SUM(amount) AS total_amount
  FROM transactions
  GROUP BY
    month
), ranked AS (
  SELECT
    month,
    total_amount,
    total_amount - LAG(total_amount) OVER (ORDER BY month) AS total_amount_change
  FROM transactions_by_month
)
SELECT
  month,
  total_amount
FROM ranked
WHERE
  total_amount_change < 0
ORDER BY
  month

-- rows:
-- 2026-11-01 | 1200
