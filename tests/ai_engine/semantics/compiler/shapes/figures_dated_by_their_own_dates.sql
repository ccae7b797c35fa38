WITH accounts_by_month AS (
  SELECT
    CAST(DATE_TRUNC('MONTH', opened_on) AS DATE) AS month,
    COUNT(*) AS accounts
  FROM accounts
  WHERE
    opened_on >= '2026-06-01' AND opened_on < '2026-11-01'
  GROUP BY
    month
), loans_by_month AS (
  SELECT
    CAST(DATE_TRUNC('MONTH', disbursed_on) AS DATE) AS month,
    SUM(outstanding) AS total_outstanding
  FROM loans
  WHERE
    disbursed_on >= '2026-06-01' AND disbursed_on < '2026-11-01'
  GROUP BY
    month
)
SELECT
  month,
  COALESCE(MAX(accounts_by_month.accounts), 0) AS accounts,
  COALESCE(MAX(loans_by_month.total_outstanding), 0) AS total_outstanding
FROM accounts_by_month
FULL JOIN loans_by_month
  USING (month)
GROUP BY
  month
ORDER BY
  month

-- rows:
-- 2026-08-01 | 0 | 0
-- 2026-09-01 | 1 | 10000
-- 2026-10-01 | 2 | 80000
