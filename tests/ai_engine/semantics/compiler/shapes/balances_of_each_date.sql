SELECT
  CAST(TRY_STRPTIME(CAST(date_key AS TEXT), '%Y%m%d') AS DATE) AS balance_date,
  SUM(closing) AS total_closing_balance
FROM balances
WHERE
  date_key BETWEEN 20260601 AND 20261031
GROUP BY
  balance_date
ORDER BY
  total_closing_balance DESC,
  balance_date

-- rows:
-- 2026-09-30 | 3450.7
-- 2026-08-31 | 1900.1
-- 2026-10-31 | 1000.1
-- 2026-06-30 | NULL
