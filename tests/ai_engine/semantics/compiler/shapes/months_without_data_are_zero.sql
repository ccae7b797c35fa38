WITH calendar AS (
  SELECT
    COALESCE(step_5, step_4, step_3, step_2, step_1) AS month
  FROM (
    SELECT
      CAST('2026-06-01' AS DATE) AS step_1,
      CAST('2026-07-01' AS DATE) AS step_2,
      CAST('2026-08-01' AS DATE) AS step_3,
      CAST('2026-09-01' AS DATE) AS step_4,
      CAST('2026-10-01' AS DATE) AS step_5
  ) AS steps
  GROUP BY
    ROLLUP (
      step_1,
      step_2,
      step_3,
      step_4,
      step_5
    )
  HAVING
    NOT step_1 IS NULL
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
