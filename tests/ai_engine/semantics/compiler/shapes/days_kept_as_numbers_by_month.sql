SELECT
  CAST(DATE_TRUNC('MONTH', CAST(TRY_STRPTIME(CAST(balances.date_key AS TEXT), '%Y%m%d') AS DATE)) AS DATE) AS month,
  MAX(balances.closing) AS highest_closing_balance
FROM balances
WHERE
  balances.date_key IN (
    SELECT
      MAX(balances.date_key)
    FROM balances
    GROUP BY
      CAST(DATE_TRUNC('MONTH', CAST(TRY_STRPTIME(CAST(balances.date_key AS TEXT), '%Y%m%d') AS DATE)) AS DATE)
  )
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
