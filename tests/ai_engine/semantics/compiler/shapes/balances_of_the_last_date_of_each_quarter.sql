SELECT
  CAST(DATE_TRUNC('QUARTER', CAST(TRY_STRPTIME(CAST(balances.date_key AS TEXT), '%Y%m%d') AS DATE)) AS DATE) AS quarter,
  SUM(balances.closing) AS total_closing_balance
FROM balances
WHERE
  balances.date_key BETWEEN 20260601 AND 20261031
  AND balances.date_key IN (
    SELECT
      MAX(balances.date_key)
    FROM balances
    WHERE
      balances.date_key BETWEEN 20260601 AND 20261031
    GROUP BY
      CAST(DATE_TRUNC('QUARTER', CAST(TRY_STRPTIME(CAST(balances.date_key AS TEXT), '%Y%m%d') AS DATE)) AS DATE)
  )
GROUP BY
  quarter
ORDER BY
  quarter

-- rows:
-- 2026-04-01 | NULL
-- 2026-07-01 | 3450.7
-- 2026-10-01 | 1000.1
