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
    total_amount - LAG(total_amount) OVER (ORDER BY month) AS total_amount_change
  FROM transactions_by_month
)
SELECT
  COUNT(month) AS months_of_posting_time
FROM (
  SELECT
    month
  FROM ranked
  WHERE
    total_amount_change < 0
) AS each_month

-- rows:
-- 1
