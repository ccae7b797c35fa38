SELECT
  CAST(DATE_TRUNC('MONTH', CAST(TRY_STRPTIME(CAST(date_key AS TEXT), '%Y%m%d') AS DATE)) AS DATE) AS month,
  MAX(closing) AS highest_closing_balance
FROM balances
GROUP BY
  month
ORDER BY
  month

-- rows:
-- 2026-06-01 | NULL
-- 2026-08-01 | 1000.1
-- 2026-09-01 | 2500.2
-- 2026-10-01 | 1000.1
-- NULL | 1
