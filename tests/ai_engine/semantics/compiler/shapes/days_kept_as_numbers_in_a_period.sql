SELECT
  CAST(TRY_STRPTIME(CAST(date_key AS TEXT), '%Y%m%d') AS DATE) AS balance_date,
  closing AS closing_balance
FROM balances
WHERE
  CAST(TRY_STRPTIME(CAST(date_key AS TEXT), '%Y%m%d') AS DATE) <> '2026-08-31'
  AND date_key BETWEEN 20260601 AND 20261031
ORDER BY
  balance_date,
  closing,
  date_key,
  account_id

-- rows:
-- 2026-06-30 | NULL
-- 2026-09-30 | 950.5
-- 2026-09-30 | 2500.2
-- 2026-10-31 | 0
-- 2026-10-31 | 1000.1
